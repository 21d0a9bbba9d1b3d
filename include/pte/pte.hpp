// The core of libpte: everything that a kernel, hypervisor or unikernel needs. Freestanding: no heap, exceptions, RTTI,
// iostreams or threads. Include proof/, sim/, uapi/, view/, describe.hpp and catalog.hpp by name.
#pragma once

#include <pte/format/access.hpp>
#include <pte/format/arm64.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/table/memory.hpp>
#include <pte/table/walk.hpp>
#include <pte/tlb/backend.hpp>
#include <pte/tlb/backend_arm64.hpp>
#include <pte/tlb/backend_null.hpp>
#include <pte/tlb/backend_ppc64.hpp>
#include <pte/tlb/backend_recording.hpp>
#include <pte/tlb/backend_riscv64.hpp>
#include <pte/tlb/backend_x86_64.hpp>
#include <pte/tlb/cpu.hpp>
#include <pte/tlb/explain.hpp>
#include <pte/tlb/gather.hpp>
#include <pte/tlb/linux_rules.hpp>
#include <pte/tlb/need.hpp>
#include <pte/tlb/policy.hpp>
#include <pte/tlb/request.hpp>
#include <pte/tlb/translation.hpp>
#include <pte/word/address.hpp>
#include <pte/word/field.hpp>
#include <pte/word/word.hpp>
