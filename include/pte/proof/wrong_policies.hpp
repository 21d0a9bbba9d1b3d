// Policies that are wrong, each in a way that was shipped, posted, or is easily written. A prover that does not refute
// them proves nothing; tests/proofs/refuted_*.cpp ask for the counterexamples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pte/format/entry.hpp>
#include <pte/proof/flush.hpp>
#include <pte/tlb/policy.hpp>

namespace pte::proof {

// The table without one of its rows.
template <unsigned Row>
struct forgets_row {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    const translation<W> o = translate(old, m), n = translate(next, m);
    const stale_rules<W> rules = rules_of<F, W>(m);
    truth<W> between{false}, validity{false};
    for (const cause<W>& c : causes(o, n, rules))
      if (c.row != Row) between = between || (c.happens && (c.asks.flush || c.asks.dirty));
    for (const cause<W>& c : validity_causes(o, n, rules))
      if (c.row != Row) validity = validity || (c.happens && (c.asks.flush || c.asks.dirty));
    return ((o.valid && n.valid) && (!o.reserved_fault && !n.reserved_fault) && between) || validity;
  }
};

// "What is still present to the system needs no flush": but PROT_NONE is present, and invalid to the MMU.
struct present_needs_none {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    return !next.is_present() && table_itself::needs_flush(old, next, m);
  }
};

// "What was not present to the system needs no flush": the reviewer's proposal for generic code. Sound under hypothesis
// H, since what is valid is present; but PROT_NONE is present, so that the case it is meant for is not elided.
struct absent_needs_none {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W>, const machine<F, W>&) {
    return old.is_present();
  }
};

// "What was not valid to the MMU needs no flush": x86's and arm64's rule. Sound under H alone, and without progress
// where invalid entries are cached.
struct invalid_needs_none {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W>, const machine<F, W>&) {
    return old.hardware_valid();
  }
};

// "What was never accessed is in no TLB" (accessible = valid and young: arm64 until 07509e10dcc7).
struct old_needs_none {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    return F::template at<L>::accessed(old.raw) && table_itself::needs_flush(old, next, m);
  }
};

// Hypothesis H, left out: a flush from x to y is pending when y becomes z without one. Is what a TLB holds of x
// harmless where the entry is z?
template <class Policy, class F, level L>
constexpr auto prove_elision_after_a_pending_flush() {
  return prove(
      detail::entries_and_machine<F, L, 3>(),
      [](auto x, auto y, auto z, auto traits, auto a, auto b) {
        using W = decltype(x);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        return detail::no_table<F, L>(x) && detail::no_table<F, L>(y) && detail::no_table<F, L>(z) &&
               !Policy::needs_flush(entry<F, L, W>{y}, entry<F, L, W>{z}, m);
      },
      [](auto x, auto, auto z, auto traits, auto a, auto b) {
        using W = decltype(x);
        return !table_itself::needs_flush(entry<F, L, W>{x}, entry<F, L, W>{z}, detail::machine_of<F>(traits, a, b));
      });
}
template <class Policy, class F, level L = level::pte>
inline constexpr auto elision_after_a_pending_flush = prove_elision_after_a_pending_flush<Policy, F, L>();

// A transition is a change of one entry: applies(old, m) says of which, next(old, m) what becomes of them. Is there one
// for which Policy flushes, or flushes for nothing (`exact` would not)?
template <class Policy, class F, class Transition, level L>
constexpr auto find_flush() {
  return find(
      detail::words_and_machine<F, L, 1>(),
      [](auto old, auto traits, auto a, auto b) {
        using W = decltype(old);
        return Transition::applies(entry<F, L, W>{old}, detail::machine_of<F>(traits, a, b));
      },
      [](auto old, auto traits, auto a, auto b) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        return Policy::needs_flush(entry<F, L, W>{old}, Transition::next(entry<F, L, W>{old}, m), m);
      });
}
template <class Policy, class F, class Transition, level L = level::pte>
inline constexpr auto flush_for = find_flush<Policy, F, Transition, L>();
template <class Policy, class F, class Transition, level L>
constexpr auto find_needless_flush() {
  return find(
      detail::words_and_machine<F, L, 1>(),
      [](auto old, auto traits, auto a, auto b) {
        using W = decltype(old);
        return Transition::applies(entry<F, L, W>{old}, detail::machine_of<F>(traits, a, b));
      },
      [](auto old, auto traits, auto a, auto b) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        const entry<F, L, W> o{old}, n = Transition::next(o, m);
        return Policy::needs_flush(o, n, m) && !exact::needs_flush(o, n, m);
      });
}
template <class Policy, class F, class Transition, level L = level::pte>
inline constexpr auto needless_flush = find_needless_flush<Policy, F, Transition, L>();

}  // namespace pte::proof
