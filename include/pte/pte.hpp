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
#include <pte/word/address.hpp>
#include <pte/word/field.hpp>
#include <pte/word/word.hpp>
