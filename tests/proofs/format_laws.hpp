// What is asserted about every format: see proof/format_laws.hpp for the groups of laws.
#pragma once

#include <pte/proof/format_laws.hpp>
#include <utility>

namespace pte::proof {

// A case in which no word is a page is vacuous.
template <auto Verdict>
constexpr bool proved_or_vacuous() {
  if constexpr (Verdict.holds && Verdict.vacuous)
    return true;
  else
    return proved<Verdict>;
}
// Rights, as bits: read 1, write 2, exec 4, user 8.
template <class F, level L, unsigned Case>
constexpr bool laws_hold_in() {
  return proved<state_laws<F, L, Case>> && proved_or_vacuous<normaliser_laws<F, L, Case>>() &&
         proved_or_vacuous<marking_laws<F, L, Case>>() && proved_or_vacuous<modify_laws<F, L, Case>>() &&
         proved_or_vacuous<modify_is_a_function_of_what_it_keeps<F, L, 0, Case>>() &&
         proved_or_vacuous<modify_is_a_function_of_what_it_keeps<F, L, 9, Case>>() &&
         proved_or_vacuous<modify_is_a_function_of_what_it_keeps<F, L, 11, Case>>();
}
template <class F, level L, unsigned... Case>
constexpr bool laws_hold_in_all(std::integer_sequence<unsigned, Case...>) {
  return (laws_hold_in<F, L, Case>() && ...);
}
template <class F, level L, unsigned... Case>
constexpr bool advances_in_all(std::integer_sequence<unsigned, Case...>) {
  return (proved_or_vacuous<advance_laws<F, L, Case>>() && ...);
}
template <class F>
using cases = std::make_integer_sequence<unsigned, detail::law_cases<F>>;

// State, build, L2 to L4.
template <class F, level L>
constexpr bool laws_hold() {
  return proved<build_laws<F, L>> && proved<swap_laws<F, L>> && laws_hold_in_all<F, L>(cases<F>());
}
// L1, where its additions fit a proof.
template <class F, level L>
constexpr bool advances() {
  return advances_in_all<F, L>(cases<F>());
}

}  // namespace pte::proof
