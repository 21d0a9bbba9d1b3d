// What every architecture's refutations have in common. Each asks for a counterexample; the pair itself is checked by
// the plain functions inside refuted<>.
#pragma once

#include <pte/proof/flush.hpp>
#include <pte/proof/wrong_policies.hpp>
#include <pte/tlb/linux_rules.hpp>

namespace pte::proof {

// The table without a row is unsound, for each of these rows.
template <class F, level L, unsigned... Row>
constexpr bool needs_rows() {
  return (refuted<flush_is_sound<forgets_row<Row>, F, L>> && ...);
}

// PROT_NONE becomes readable and writable, for the same page.
struct prot_none_to_writable {
  template <class F, level L, word W>
  static constexpr truth<W> applies(entry<F, L, W> old, const machine<F, W>&) {
    return F::template at<L>::prot_none(old.raw);
  }
  template <class F, level L, word W>
  static constexpr entry<F, L, W> next(entry<F, L, W> old, const machine<F, W>& m) {
    constexpr std::uint64_t protection = F::template at<L>::protection({.read = true, .write = true, .user = true});
    return entry<F, L, W>{F::template at<L>::modify(old.raw, W{protection}, m)};
  }
};

// A witness of a flush, for nothing or at all, that a plain run confirms.
template <class Policy, class F, class Transition, level L = level::pte>
inline constexpr bool flushes = flush_for<Policy, F, Transition, L>.found&& flush_for<Policy, F, Transition, L>.agrees;
template <class Policy, class F, class Transition, level L = level::pte>
inline constexpr bool flushes_for_nothing =
    needless_flush<Policy, F, Transition, L>.found&& needless_flush<Policy, F, Transition, L>.agrees;

}  // namespace pte::proof
