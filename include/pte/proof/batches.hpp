// S4: batches. A run of entries is changed as one, by a decision about a single pair: `old` is then the join of the
// run's entries, with accessed (dirty) set where any of them has it set. The decision must be right for each member.
#pragma once

#include <pte/proof/flush.hpp>

namespace pte::proof {

namespace detail {

// A member of the batch whose join is `join`: accessed may be clear, if flag 6 of `choice` is set, and dirty, if flag 7
// is.
template <class F, level L, word W>
constexpr W member_of(W join, W choice) {
  using ops = typename F::template at<L>;
  const W aged = select<W>(flag(choice, 6), ops::mkold(join), join);
  return select<W>(flag(choice, 7), ops::mkclean(aged), aged);
}
template <class F, level L>
constexpr auto join_next_machine_and_choice() {
  return all_machines<hardware<F>>::template ordered<L>(all_machines<hardware<F>>::with(words<2>).word(bits(7, 6)))
      .samples(4);
}

}  // namespace detail

// Monotone: where Policy elides the flush for the join, it does for every member. (False for arm64's rule, for which
// setting accessed or clearing read-only is a change: there batch_is_sound is what holds.)
template <class Policy, class F, level L, class When>
constexpr auto prove_elision_is_monotone() {
  return prove(
      detail::join_next_machine_and_choice<F, L>(),
      [](auto join, auto next, auto traits, auto a, auto b, auto) {
        return detail::elided<Policy, F, L, When>(join, next, detail::machine_of<F>(traits, a, b));
      },
      [](auto join, auto next, auto traits, auto a, auto b, auto choice) {
        using W = decltype(join);
        return !Policy::needs_flush(entry<F, L, W>{detail::member_of<F, L>(join, choice)}, entry<F, L, W>{next},
                                    detail::machine_of<F>(traits, a, b));
      });
}
template <class Policy, class F, level L = level::pte, class When = any_entries>
inline constexpr auto elision_is_monotone = prove_elision_is_monotone<Policy, F, L, When>();

// Sound: where Policy elides the flush for the join, the table asks for none for any member.
template <class Policy, class F, level L, class When>
constexpr auto prove_batch_is_sound() {
  return prove(
      detail::join_next_machine_and_choice<F, L>(),
      [](auto join, auto next, auto traits, auto a, auto b, auto) {
        return detail::elided<Policy, F, L, When>(join, next, detail::machine_of<F>(traits, a, b));
      },
      [](auto join, auto next, auto traits, auto a, auto b, auto choice) {
        using W = decltype(join);
        return !table_itself::needs_flush(entry<F, L, W>{detail::member_of<F, L>(join, choice)}, entry<F, L, W>{next},
                                          detail::machine_of<F>(traits, a, b));
      });
}
template <class Policy, class F, level L = level::pte, class When = any_entries>
inline constexpr auto batch_is_sound = prove_batch_is_sound<Policy, F, L, When>();

}  // namespace pte::proof
