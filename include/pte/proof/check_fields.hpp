// What every list of fields must be: the bits that a manual, or a kernel, gives names to.
#pragma once

#include <cstdint>
#include <pte/format/concepts.hpp>
#include <pte/format/level.hpp>
#include <pte/word/field.hpp>

namespace pte::proof {

// Each field has a name, a meaning and adjacent bits.
template <class Fields>
constexpr bool well_formed(const Fields& list) {
  for (const field& f : list) {
    if (f.name[0] == '\0' || f.meaning[0] == '\0' || f.mask == 0) return false;
    if (f.mask != bits(f.high(), f.low())) return false;
  }
  return true;
}

// No bit belongs to two fields. Those that the hardware ignores may be named again by the system if `overlay`.
template <class Fields>
constexpr bool disjoint(const Fields& list, bool overlay = false) {
  std::uint64_t seen = 0;
  for (const field& f : list) {
    if (overlay && f.by == set_by::ignored) continue;
    if ((seen & f.mask) != 0) return false;
    seen |= f.mask;
  }
  return true;
}

// The bits of the fields that `by` sets.
template <class Fields>
constexpr std::uint64_t mask_set_by(const Fields& list, set_by by) {
  std::uint64_t mask = 0;
  for (const field& f : list)
    if (f.by == by) mask |= f.mask;
  return mask;
}

// The bits that say, in a swap entry, what is not its type or offset.
template <class Ops>
constexpr std::uint64_t swap_flags() {
  const std::uint64_t a = Ops::make_swap(std::uint64_t{0}, std::uint64_t{0});
  const std::uint64_t b = Ops::make_swap(~std::uint64_t{0}, ~std::uint64_t{0});
  return mask_of(Ops::swap_fields()) & ~(a ^ b) & ~a;
}

// The lists of format F at level L.
template <class F, level L>
constexpr bool check_fields() {
  using ops = typename F::template at<L>;
  constexpr auto leaf = ops::leaf_fields();
  constexpr auto table = ops::table_fields();

  // A leaf, where there is one, and a table entry, where there is one: every bit is in exactly one field.
  static_assert(well_formed(leaf) && disjoint(leaf), "leaf fields are named, adjacent bits, and do not overlap");
  static_assert(mask_of(leaf) == (F::leaf_allowed(L) ? ~std::uint64_t{0} : 0), "leaf fields are all 64 bits, or none");
  static_assert(well_formed(table) && disjoint(table), "table fields are named, adjacent bits, and do not overlap");
  static_assert(mask_of(table) == (L == level::pte ? 0 : ~std::uint64_t{0}), "table fields are all 64 bits, or none");

  // The system uses what the MMU ignores.
  if constexpr (F::leaf_allowed(L)) {
    constexpr auto system = ops::software_fields();
    static_assert(well_formed(system) && disjoint(system), "software fields are named, and do not overlap");
    static_assert((mask_of(system) & ~mask_set_by(leaf, set_by::ignored)) == 0, "the MMU ignores software fields");
    if constexpr (has_prot_none<F>) {
      constexpr auto parked = ops::prot_none_fields();
      static_assert(well_formed(parked) && disjoint(parked, true) && mask_of(parked) == ~std::uint64_t{0});
    }
    if constexpr (has_swap<F>) {
      constexpr auto swap = ops::swap_fields();
      static_assert(well_formed(swap) && disjoint(swap), "swap fields are named, and do not overlap");
      // None of its flags makes a swap entry present. (riscv's soft-dirty does so at pmd, by Linux's own rule.)
      constexpr std::uint64_t entry = ops::make_swap(std::uint64_t{1}, std::uint64_t{1}) | swap_flags<ops>();
      static_assert(L != level::pte || (!ops::present(entry) && !ops::hardware_valid(entry) && !ops::empty(entry)));
    }
  }
  if constexpr (requires { ops::table_software_fields(); }) {
    constexpr auto system = ops::table_software_fields();
    static_assert(well_formed(system) && (mask_of(system) & ~mask_set_by(table, set_by::ignored)) == 0);
  }
  return true;
}

}  // namespace pte::proof
