// The laws of gathering (tlb/gather.hpp), each a predicate that holds for all its arguments. Those over W run on
// symbolic words too: tests/proofs/gather.cpp proves them for every gather and every address.
#pragma once

#include <cstdint>

#include <pte/tlb/gather.hpp>
#include <pte/word/word.hpp>

namespace pte::proof {

// g and h as one.
template <class Gather>
constexpr Gather merged(Gather g, const Gather& h) {
  g.merge(h);
  return g;
}

// G1, hull: whatever is in either of two gathers is in both as one; nothing is lost of levels and flags either. With
// gather_of_holds, for one thing, and induction over what is added: after any sequence the hull contains the union.
template <class Layout, word W>
constexpr truth<W> gather_merge_contains(const gather<Layout, W>& g, const gather<Layout, W>& h, W va) {
  const auto both = merged(g, h);
  return (!(g.hull_contains(va) || h.hull_contains(va)) || both.hull_contains(va)) &&
         ((g.leaves | h.leaves) & ~both.leaves) == W{0} && ((g.tables | h.tables) & ~both.tables) == W{0} &&
         (!(g.whole || h.whole) || both.whole) && (!(g.global || h.global) || both.global);
}

// G1, hull, one thing: the gather of [first, last] contains its addresses. (first <= last.)
template <class Layout, word W>
constexpr truth<W> gather_of_holds(W first, W last, level l, W va) {
  return (!(first <= va && va <= last) || gather<Layout, W>::of_leaves(first, last, l).hull_contains(va)) &&
         (!(first <= va && va <= last) || gather<Layout, W>::of_tables(first, last, l).hull_contains(va));
}

// G1, stride: of a gather of one thing, the hull begins and ends with entries of its level...
template <class Layout, word W>
constexpr truth<W> gather_aligned(const gather<Layout, W>& g, level l) {
  const W inside{bit(Layout::shift(l)) - 1};
  return (g.first & inside) == W{0} && (g.last & inside) == inside;
}
template <class Layout, word W>
constexpr truth<W> gather_of_is_aligned(W first, W last, level l) {
  return gather_aligned(gather<Layout, W>::of_leaves(first, last, l), l) &&
         gather_aligned(gather<Layout, W>::of_tables(first, last, l), l);
}
// ... and of two that do so at levels k and l, the lower of which sets the stride, both as one do at the lower level.
template <class Layout, word W>
constexpr truth<W> gather_merge_is_aligned(const gather<Layout, W>& g, level k, const gather<Layout, W>& h, level l) {
  return !(gather_aligned(g, k) && gather_aligned(h, l)) || gather_aligned(merged(g, h), k < l ? k : l);
}
// The sizes of entries divide those of the levels above, so the lowest level's divides all.
template <class Layout>
constexpr bool gather_strides_divide() {
  for (level l = level::pte; l != Layout::top_level; l = static_cast<level>(depth(l) + 1))
    if (Layout::shift(l) >= Layout::shift(static_cast<level>(depth(l) + 1))) return false;
  return Layout::shift(level::pte) == Layout::page_shift;
}

// G2: merging is commutative, associative, idempotent; the empty gather, to which reset() leads, is neutral.
template <class Layout, word W>
constexpr truth<W> gather_commutes(const gather<Layout, W>& g, const gather<Layout, W>& h) {
  return merged(g, h) == merged(h, g);
}
template <class Layout, word W>
constexpr truth<W> gather_associates(const gather<Layout, W>& g, const gather<Layout, W>& h,
                                     const gather<Layout, W>& i) {
  return merged(merged(g, h), i) == merged(g, merged(h, i));
}
template <class Layout, word W>
constexpr truth<W> gather_repeats(const gather<Layout, W>& g) {
  return merged(g, g) == g;
}
template <class Layout, word W>
constexpr truth<W> gather_has_neutral(const gather<Layout, W>& g) {
  gather<Layout, W> reset = g;
  reset.reset();
  return merged(g, reset) == g && merged(reset, g) == g && reset.empty();
}

// G1 and G3 on plans: what was gathered is dropped, of leaves and walk caches, under any ceiling.
template <class Layout, class Ceiling>
constexpr bool gather_plan_drops(const gather<Layout>& g, const Ceiling& ceiling, virt_addr va) {
  const auto plan = g.plan(ceiling);
  for (unsigned d = 0; d < level_count; ++d) {
    const level l = static_cast<level>(d);
    const bool leaf = g.whole || (any(g.leaves, bit(d)) && g.hull_contains(va.value));
    const bool walk = (g.whole || (any(g.tables, bit(d)) && g.hull_contains(va.value)));
    if (leaf && !plan.drops_leaf(va, l)) return false;
    if (leaf && g.global && !plan.drops_leaf(va, l, true)) return false;
    if (walk && !plan.drops_walk(va)) return false;
  }
  return true;
}

// G3: a ceiling replaces a range by everything at most, so that no stale entry of the range is spared.
template <class Layout, class Ceiling>
constexpr bool gather_ceiling_keeps(const gather<Layout>& g, const Ceiling& ceiling, virt_addr va) {
  const auto exact = g.plan(), capped = g.plan(ceiling);
  for (unsigned d = 0; d < level_count; ++d)
    for (const bool global : {false, true})
      if (exact.drops_leaf(va, static_cast<level>(d), global) && !capped.drops_leaf(va, static_cast<level>(d), global))
        return false;
  if (exact.drops_walk(va) && !capped.drops_walk(va)) return false;
  return capped == exact || (capped.extent == flush_extent::everything && ceiling.exceeded(exact));
}

}  // namespace pte::proof
