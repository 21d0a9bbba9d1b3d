// Flush policies: the decision, as a pure function of (old entry, new entry, machine), whether an address must be flushed
// after a change. A policy is a stateless type with one function; users write their own the same way:
//
//   struct my_policy {
//     template <class F, pte::level L, pte::word W>
//     static constexpr pte::truth<W> needs_flush(pte::entry<F, L, W> old, pte::entry<F, L, W> next,
//                                                const pte::machine<F, W>& m);
//   };
//
// `old` is the entry that was replaced, as the exchange returned it. proof/flush.hpp proves a policy sound, or refutes it.
#pragma once

#include <concepts>

#include <pte/tlb/need.hpp>

namespace pte {

// Does Policy decide for entries of format F at level L?
template <class Policy, class F, level L = level::pte>
concept flush_policy = requires(entry<F, L> old, entry<F, L> next, const machine<F>& m) {
  { Policy::needs_flush(old, next, m) } -> std::same_as<bool>;
};

// Flush after every change: Linux's generic fallback.
struct always {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W>, entry<F, L, W>, const machine<F, W>&) {
    return truth<W>{true};
  }
};

// Flush if and only if the table demands it on this machine: when the old translation may no longer be used or dirty
// could be lost; and when it leaves a fault that the fault handler does not mend, or that hits the kernel, which does not
// retry. A missed accessed bit is no reason: hypothesis H counts on that.
struct exact {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    return needs_flush<W>(translate(old, m), translate(next, m), rules_of<F, W>(m));
  }
  // The same for what the entries decode to, under the rules of a CPU: all that the decision depends on.
  template <word W>
  static constexpr truth<W> needs_flush(const translation<W>& o, const translation<W>& n, const stale_rules<W>& rules) {
    return any_cause(o, n, rules, [&](const need<W>& asks) {
      return asks.must_flush() || (asks.lasting && !rules.fault_invalidates) || (asks.spurious && !n.for_user());
    });
  }
};

}  // namespace pte
