// What is asserted about flushes for every format and level: see proof/flush.hpp for the statements.
#pragma once

#include <pte/proof/flush.hpp>
#include <pte/proof/linux_answers.hpp>
#include <pte/tlb/linux_rules.hpp>
#include <type_traits>

namespace pte::proof {

// S0b, both directions, for every kind of access.
template <class F, level L, bool User>
constexpr bool table_is_the_mmu_for() {
  return proved<table_covers_mmu<F, L, access_kind::load, User>> &&
         proved<table_covers_mmu<F, L, access_kind::store, User>> &&
         proved<table_covers_mmu<F, L, access_kind::fetch, User>> &&
         proved<table_covers_mmu<F, L, access_kind::stray_fetch, User>> &&
         proved<table_covers_mmu<F, L, access_kind::shadow_store, User>>;
}
template <class F, level L>
constexpr bool table_is_the_mmu() {
  return table_is_the_mmu_for<F, L, true>() && table_is_the_mmu_for<F, L, false>() &&
         proved<mmu_covers_table<F, L, next_entry::usable>> && proved<mmu_covers_table<F, L, next_entry::unusable>>;
}

// S3 and S5 for Linux's rule; with the debug rule too where there is one.
template <class F, level L, bool DebugVm>
constexpr bool linux_rules_hold_with() {
  return proved<elision_is_reflexive<linux_rules<DebugVm>, F, L>> &&
         proved<elision_is_transitive<linux_rules<DebugVm>, F, L>> && proved<linux_rules_are_linuxs<F, L, DebugVm>>;
}
template <class F, level L>
constexpr bool linux_rules_hold() {
  if constexpr (std::is_same_v<typename F::layout, x86_64>)
    return linux_rules_hold_with<F, L, false>() && linux_rules_hold_with<F, L, true>();
  else
    return linux_rules_hold_with<F, L, false>();
}
// For a rule that always flushes nothing is elided, which every theorem about elisions calls vacuous.
template <class Policy, class F, level L>
inline constexpr bool elides_nothing = flush_is_sound<Policy, F, L>.holds&& flush_is_sound<Policy, F, L>.vacuous;

}  // namespace pte::proof
