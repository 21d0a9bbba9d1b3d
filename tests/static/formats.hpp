// Every static check of a format, at every level.
#pragma once

#include <pte/format/level.hpp>
#include <pte/format/os.hpp>

#include "fields.hpp"
#include "laws.hpp"

namespace pte::test {

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

}  // namespace pte::test
