// Checks a format, for its author: the fields at every level, and the laws of laws.hpp on samples (the default machine and
// a few others).
//
//   static_assert(pte::proof::check_format<my_format>());
//
// A law that is broken shows as BROKEN_LAW<its name, the words in hexadecimal, ...>.
#pragma once

#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/proof/check_fields.hpp>
#include <pte/proof/check_laws.hpp>

namespace pte::proof {

// Samples in one constant evaluation, so many that it takes less than a quarter of the steps that clang allows. (At run
// time, unit/laws.cpp takes many more.)
inline constexpr unsigned static_samples = 24;

template <class F, level L>
constexpr bool check_level() {
  if constexpr (L <= F::top_level) {
    static_assert(check_fields<F, L>());
    static_assert(holds<check_samples<F, L>(0, static_samples)>);
    static_assert(holds<check_samples<F, L>(static_samples, 2 * static_samples)>);
  }
  return true;
}

template <class F>
constexpr bool check_format() {
  static_assert(entry_format<F>);
  return check_level<F, level::pte>() && check_level<F, level::pmd>() && check_level<F, level::pud>() &&
         check_level<F, level::p4d>() && check_level<F, level::pgd>();
}

// A layout with every software half.
template <class Layout>
constexpr bool check_layout() {
  return check_format<format<Layout, bare>>() && check_format<format<Layout, linux_6_1>>() &&
         check_format<format<Layout, linux_6_12>>() && check_format<format<Layout, linux_7_3>>();
}

}  // namespace pte::proof
