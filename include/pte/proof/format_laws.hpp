// The laws of a format (laws.hpp) proved over all inputs: all words, all traits of machines; address masks are those of
// the layout's default machine. (Every field's bits are disjoint from the others' is a static_assert of the format's
// tests.) A group of laws is one proof: their conjunction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pte/proof/counterexample.hpp>
#include <pte/proof/flush.hpp>
#include <pte/proof/laws.hpp>
#include <pte/proof/prove.hpp>
#include <type_traits>

namespace pte::proof {

namespace detail {

// Where entries hold their address inverted if they are invalid and not 0, a law is proved apart for each value of the
// two bits that decide it, P and PROT_NONE: with them known, no bit of the address depends on all the others.
template <class F>
inline constexpr unsigned law_cases = has_inverted_pfn<F> ? 4 : 1;

// An entry, a word of pages or whatever a law speaks of if Words is 2, and a word of traits; the address masks are the
// default machine's. The other word counts pages: its bits are tested beside those of the entry's page number.
template <class F, std::size_t Words, unsigned Case>
constexpr auto words_and_traits() {
  constexpr unsigned page_number = F::page_shift - (std::is_base_of_v<riscv64, F> ? 2 : 0);
  auto in = [] {
    if constexpr (Words == 1)
      return words<1>;
    else
      return words<1>.word().beside(page_number);
  }();
  auto all = all_machines<hardware<F>>::with(in).first(all_machines<hardware<F>>::valid).samples(4);
  all.free[Words + 1] = all.free[Words + 2] = 0;
  // More pages than addresses: no law says anything of those.
  if constexpr (Words == 2) all.free[1] &= laws<F, level::pte>::address_bits(machine<F>{}) >> F::page_shift;
  if constexpr (law_cases<F> == 4) {
    all.free[0] &= ~(bit(0) | bit(8));
    all.fixed[0] = (Case & 1 ? bit(0) : 0) | (Case & 2 ? bit(8) : 0);
  }
  return all;
}
// A word that is no entry, and traits.
template <class F>
constexpr auto words_and_traits_unsplit() {
  auto all = all_machines<hardware<F>>::with(words<1>).samples(4);
  all.free[2] = all.free[3] = 0;
  return all;
}
// (On a machine without no-execute, an entry that must not be executed is reserved: laws are about those that have it.)
template <class F, word W>
constexpr machine<F, W> machine_with_traits(W traits) {
  machine<F, W> m = all_machines<hardware<F>>::make(traits, W{0}, W{0});
  const machine<F, W> usual{};
  if constexpr (requires { m.address_mask; }) m.address_mask = usual.address_mask;
  if constexpr (requires { m.address_bits; }) m.address_bits = usual.address_bits;
  if constexpr (requires { m.nx; }) m.nx = truth<W>{true};
  return m;
}

// L1 to L4 are about pages.
template <class F, level L>
inline constexpr auto is_page = [](auto w, auto...) { return laws<F, L>::page(w); };

// f(rights) for each of the sixteen, joined by &&.
template <class Truth, class Fn>
constexpr Truth for_all_rights(const Fn& f) {
  Truth all{true};
  for (unsigned i = 0; i < 16; ++i)
    all = all && f(rights{.read = (i & 1) != 0, .write = (i & 2) != 0, .exec = (i & 4) != 0, .user = (i & 8) != 0});
  return all;
}

}  // namespace detail

// What an entry is; and two laws about any word.
template <class F, level L, unsigned Case>
constexpr auto prove_state_laws() {
  using l = laws<F, L>;
  return prove(detail::words_and_traits<F, 1, Case>(), [](auto w, auto traits, auto, auto) {
    const auto m = detail::machine_with_traits<F>(traits);
    return l::states_exclude_each_other(w) && l::hardware_valid_is_leaf_or_table(w) &&
           l::valid_is_present_and_empty_is_not(w) && l::prot_none_is_present_and_invalid(w) &&
           l::addresses_are_aligned(w, m) && l::advance_by_nothing_changes_nothing(w) &&
           l::mksoft_dirty_sets_one_bit(w, m);
  });
}
template <class F, level L, unsigned Case = 0>
inline constexpr auto state_laws = prove_state_laws<F, L, Case>();

// What is built reads back.
template <class F, level L>
constexpr auto prove_build_laws() {
  using l = laws<F, L>;
  return prove(detail::words_and_traits_unsplit<F>(), [](auto w, auto traits, auto, auto) {
    using W = decltype(w);
    const auto m = detail::machine_with_traits<F>(traits);
    truth<W> tables{true};
    if constexpr (L != level::pte) tables = l::table_reads_back(w, m);
    return tables && detail::for_all_rights<truth<W>>([&](rights r) {
             return l::leaf_reads_back(w, r, m) && l::mmu_gives_no_more_than_meant(w, r, m);
           });
  });
}
template <class F, level L>
inline constexpr auto build_laws = prove_build_laws<F, L>();
template <class F, level L>
constexpr auto prove_swap_laws() {
  return prove(words<2>.samples(4), [](auto type, auto offset) { return laws<F, L>::swap_reads_back(type, offset); });
}
template <class F, level L>
inline constexpr auto swap_laws = prove_swap_laws<F, L>();

// L1 of pages.
template <class F, level L, unsigned Case>
constexpr auto prove_advance_laws() {
  return prove(detail::words_and_traits<F, 2, Case>(), detail::is_page<F, L>,
               [](auto w, auto n, auto traits, auto, auto) {
                 return laws<F, L>::advance_moves_the_address_only(w, n, detail::machine_with_traits<F>(traits));
               });
}
template <class F, level L, unsigned Case = 0>
inline constexpr auto advance_laws = prove_advance_laws<F, L, Case>();
template <class F, level L, unsigned Case>
constexpr auto prove_advance_goes_back() {
  return prove(detail::words_and_traits<F, 2, Case>(), detail::is_page<F, L>,
               [](auto w, auto n, auto traits, auto, auto) {
                 return laws<F, L>::advance_goes_back(w, n, detail::machine_with_traits<F>(traits));
               });
}
template <class F, level L, unsigned Case = 0>
inline constexpr auto advance_goes_back = prove_advance_goes_back<F, L, Case>();

// L2, on one entry.
template <class F, level L, unsigned Case>
constexpr auto prove_normaliser_laws() {
  using l = laws<F, L>;
  return prove(detail::words_and_traits<F, 1, Case>(), detail::is_page<F, L>, [](auto w, auto traits, auto, auto) {
    using W = decltype(w);
    using enum normaliser;
    const auto m = detail::machine_with_traits<F>(traits);
    const auto single = [&]<normaliser... N>() {
      return ((l::template normalising_twice_is_once<N>(w) && l::template normaliser_takes_one_thing<N>(w, m)) && ... &&
              truth<W>{true});
    };
    const auto pairs = [&]<normaliser N, normaliser... M>() {
      return (l::template normalisers_commute<N, M>(w) && ... && truth<W>{true});
    };
    return single.template operator()<old, clean, write_protected, soft_clean, uffd_clear>() &&
           pairs.template operator()<old, clean, write_protected, soft_clean, uffd_clear>() &&
           pairs.template operator()<clean, write_protected, soft_clean, uffd_clear>() &&
           pairs.template operator()<write_protected, soft_clean, uffd_clear>() &&
           pairs.template operator()<soft_clean, uffd_clear>();
  });
}
template <class F, level L, unsigned Case = 0>
inline constexpr auto normaliser_laws = prove_normaliser_laws<F, L, Case>();

// L3.
template <class F, level L, unsigned Case>
constexpr auto prove_marking_laws() {
  using l = laws<F, L>;
  return prove(detail::words_and_traits<F, 1, Case>(), detail::is_page<F, L>, [](auto w, auto traits, auto, auto) {
    const auto m = detail::machine_with_traits<F>(traits);
    return l::mkyoung_sets_accessed_only(w) && l::mkdirty_sets_dirty_only(w, m) && l::mkwrite_gives_write(w, m) &&
           l::mkuffd_wp_protects(w, m) && l::mkspecial_sets_special(w, m);
  });
}
template <class F, level L, unsigned Case = 0>
inline constexpr auto marking_laws = prove_marking_laws<F, L, Case>();

// L4.
template <class F, level L, unsigned Case>
constexpr auto prove_modify_laws() {
  using l = laws<F, L>;
  return prove(detail::words_and_traits<F, 1, Case>(), detail::is_page<F, L>, [](auto w, auto traits, auto, auto) {
    using W = decltype(w);
    const auto m = detail::machine_with_traits<F>(traits);
    return detail::for_all_rights<truth<W>>(
        [&](rights r) { return l::modify_keeps_the_page(w, r, m) && l::modify_gives_the_rights(w, r, m); });
  });
}
template <class F, level L, unsigned Case = 0>
inline constexpr auto modify_laws = prove_modify_laws<F, L, Case>();
template <class F, level L, unsigned Rights, unsigned Case>
constexpr auto prove_modify_is_a_function_of_what_it_keeps() {
  using l = laws<F, L>;
  return prove(detail::words_and_traits<F, 2, Case>(), detail::is_page<F, L>,
               [](auto w, auto other, auto traits, auto, auto) {
                 constexpr rights r{.read = (Rights & 1) != 0,
                                    .write = (Rights & 2) != 0,
                                    .exec = (Rights & 4) != 0,
                                    .user = (Rights & 8) != 0};
                 return l::modify_depends_on_what_it_keeps(w, other, r, detail::machine_with_traits<F>(traits));
               });
}
template <class F, level L, unsigned Rights, unsigned Case = 0>
inline constexpr auto modify_is_a_function_of_what_it_keeps =
    prove_modify_is_a_function_of_what_it_keeps<F, L, Rights, Case>();

}  // namespace pte::proof
