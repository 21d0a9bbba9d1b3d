// Gathering, proved: G1 (hull and stride) and G2. By induction over what is added: a gather of one thing contains it
// and is aligned to its level, for all addresses; merging loses nothing, keeps the alignment of the lower level, and
// does not depend on order and repetition, for all hulls whose ends differ in the bits of `free_bits` only (the choice
// between two words, bit by bit, costs the square of the number of bits), all level sets and flags. (G3:
// tests/static/gather.cpp, tests/unit/gather.cpp.)
#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/proof/counterexample.hpp>
#include <pte/proof/gather_laws.hpp>

#include <cstdint>

using namespace pte::proof;
using pte::level;

namespace {

// A gather of two free words for the hull and one of free flags: two sets of five levels, whole, global.
constexpr unsigned flags = 12;
template <class Layout, pte::word W>
constexpr pte::gather<Layout, W> gathered(W first, W last, W flag_word) {
  return {.first = first,
          .last = last,
          .leaves = flag_word & W{pte::bits(4, 0)},
          .tables = flag_word >> 5 & W{pte::bits(4, 0)},
          .whole = flag(flag_word, 10),
          .global = flag(flag_word, 11)};
}

using x86 = pte::x86_64;

// Bits on both sides of each level's size, and the top one.
constexpr std::uint64_t free_bits = pte::bit(63) | pte::bits(31, 29) | pte::bits(22, 20) | pte::bits(13, 12);
// Hulls, as pairs of words: first and last of one, of two, of three. Where not free, first is 0 and last is 1.
constexpr auto one_hull = words<1>.only(free_bits).word(free_bits, ~free_bits);
constexpr auto two_hulls = one_hull.word(free_bits).word(free_bits, ~free_bits);

// G2. Association is of minima, maxima and unions, so that one word an end is enough to show it.
constexpr auto commutes =
    prove(two_hulls.flags(flags).flags(flags), [](auto a, auto b, auto c, auto d, auto f, auto g) {
      return gather_commutes(gathered<x86>(a, b, f), gathered<x86>(c, d, g));
    });
static_assert(proved<commutes>);
constexpr auto hulls_associate = prove(words<3>.only(free_bits), [](auto a, auto b, auto c) {
  return gather_associates(gathered<x86>(a, a, a ^ a), gathered<x86>(b, b, a ^ a), gathered<x86>(c, c, a ^ a));
});
constexpr auto flags_associate = prove(words<3>.only(pte::bits(flags - 1, 0)), [](auto f, auto g, auto h) {
  return gather_associates(gathered<x86>(f ^ f, f ^ f, f), gathered<x86>(f ^ f, f ^ f, g),
                           gathered<x86>(f ^ f, f ^ f, h));
});
static_assert(proved<hulls_associate> && proved<flags_associate>);
constexpr auto repeats = prove(one_hull.flags(flags), [](auto a, auto b, auto f) {
  return gather_repeats(gathered<x86>(a, b, f)) && gather_has_neutral(gathered<x86>(a, b, f));
});
static_assert(proved<repeats>);

// G1, hull.
constexpr auto contains =
    prove(two_hulls.word().flags(flags).flags(flags), [](auto a, auto b, auto c, auto d, auto va, auto f, auto g) {
      return gather_merge_contains(gathered<x86>(a, b, f), gathered<x86>(c, d, g), va);
    });
static_assert(proved<contains>);

// G1, hull and stride of one thing, for each level of a layout.
template <class Layout, level L>
constexpr auto one = prove<3>([](auto first, auto last, auto va) {
  return gather_of_holds<Layout>(first, last, L, va);
});
template <class Layout, level L>
constexpr auto aligned = prove<2>([](auto first, auto last) { return gather_of_is_aligned<Layout>(first, last, L); });
template <class Layout>
constexpr bool all_levels = proved<one<Layout, level::pte>>&& proved<one<Layout, level::pmd>>&&
    proved<one<Layout, level::pud>>&& proved<aligned<Layout, level::pte>>&& proved<aligned<Layout, level::pmd>>&&
        proved<aligned<Layout, level::pud>>&&
        gather_strides_divide<Layout>();
static_assert(all_levels<x86> && all_levels<pte::arm64<16>> && all_levels<pte::ppc64_radix<16>>);

// G1, stride of two things.
template <class Layout, level K, level L>
constexpr auto both_aligned = prove(two_hulls, [](auto a, auto b, auto c, auto d) {
  return gather_merge_is_aligned(gathered<Layout>(a, b, a ^ a), K, gathered<Layout>(c, d, a ^ a), L);
});
static_assert(proved<both_aligned<x86, level::pte, level::pmd>> && proved<both_aligned<x86, level::pmd, level::pud>> &&
              proved<both_aligned<x86, level::pmd, level::pmd>> && proved<both_aligned<x86, level::pud, level::pte>>);

// Refuted: the hull of two is no more than their union; and an entry of a lower level does keep a higher one's
// alignment.
constexpr auto no_gaps = prove(two_hulls.word(), [](auto a, auto b, auto c, auto d, auto va) {
  const auto g = gathered<x86>(a, b, a ^ a), h = gathered<x86>(c, d, a ^ a);
  return !merged(g, h).hull_contains(va) || g.hull_contains(va) || h.hull_contains(va);
});
static_assert(refuted<no_gaps>);
constexpr auto always_large = prove(two_hulls, [](auto a, auto b, auto c, auto d) {
  const auto g = gathered<x86>(a, b, a ^ a), h = gathered<x86>(c, d, a ^ a);
  return !(gather_aligned(g, level::pte) && gather_aligned(h, level::pmd)) || gather_aligned(merged(g, h), level::pmd);
});
static_assert(refuted<always_large>);

}  // namespace
