// Includes every theorem, and asserts the main ones on our own formats: for a program that wants its compiler to say
// so. A few seconds a translation unit; tests/proofs asserts all theorems on all formats.
#pragma once

#include <pte/proof/batches.hpp>
#include <pte/proof/completeness.hpp>
#include <pte/proof/count.hpp>
#include <pte/proof/flush.hpp>
#include <pte/proof/format_laws.hpp>
#include <pte/proof/gather_laws.hpp>
#include <pte/proof/linux_answers.hpp>
#include <pte/proof/records.hpp>
#include <pte/proof/tightness.hpp>
#include <pte/proof/wrong_policies.hpp>
#include <pte/tlb/linux_rules.hpp>

namespace pte::proof {

// The policy `exact` asks whatever the table asks, for all records; Linux's rule does, on the formats of its newest
// release.
static_assert(proved<exact_is_sound<>, MISSED_FLUSH>);
static_assert(proved<exact_makes_progress<>, FAULTS_FOR_EVER>);
static_assert(proved<flush_is_sound<linux_rules<true>, format<x86_64, linux_7_3>>, MISSED_FLUSH>);
static_assert(proved<flush_is_sound<linux_rules<>, format<arm64_4k, linux_7_3>>, MISSED_FLUSH>);
static_assert(proved<flush_is_sound<linux_rules<>, format<ppc64_64k, linux_7_3>>, MISSED_FLUSH>);
// Where the table asks for nothing, a store by a program through what is stale does what the new entry says, or faults.
static_assert(proved<table_covers_mmu<format<x86_64, linux_7_3>, level::pte, access_kind::store, true>>);
static_assert(proved<table_covers_mmu<format<arm64_4k, linux_7_3>, level::pte, access_kind::store, true>>);
static_assert(proved<table_covers_mmu<format<ppc64_64k, linux_7_3>, level::pte, access_kind::store, true>>);
static_assert(proved<table_covers_mmu<format<riscv64, linux_7_3>, level::pte, access_kind::store, true>>);
// And no rule may be taken for granted: one that forgets what becomes invalid is refuted.
static_assert(refuted<flush_is_sound<present_needs_none, format<x86_64, linux_7_3>>>);

}  // namespace pte::proof
