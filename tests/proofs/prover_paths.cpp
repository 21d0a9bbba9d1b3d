// Control flow under proof: branches fork, infeasible sides are pruned, truths and select() do not fork.
#include <array>
#include <cstdint>

#include <pte/proof/counterexample.hpp>
#include <pte/word/field.hpp>

using namespace pte::proof;

namespace {

// Early returns, as plain code has them.
template <pte::word W>
constexpr int leading_kind(W w) {
  if (pte::none(w, 1)) return 0;
  if (pte::any(w, 2)) return 1;
  return pte::any(w, 4) ? 2 : 3;
}
constexpr auto kinds = prove<1>([](auto w) { return (leading_kind(w) == 3) == ((w & 7) == 1); });
static_assert(proved<kinds>);
static_assert(kinds.cost.paths == 4 && kinds.cost.forks == 3);

// The same with conditions only: one path.
constexpr auto one_path = prove<1>(
    [](auto w) { return pte::any(w, 1) && (pte::any(w, 2) || (w & 4) != 0 || (w & 7) == 1) == pte::any(w, 1); },
    [](auto w) { return pte::any(w, 1); });
static_assert(proved<one_path>);
static_assert(one_path.cost.paths == 2 && one_path.cost.forks == 0);

// A branch that earlier ones have decided takes one side.
constexpr auto pruned = prove<2>([](auto x, auto y) { return x < y; },
                                 [](auto x, auto y) -> bool {
                                   if (x == y) return false;  // excluded by the assumption
                                   if (x > y) return false;   // likewise
                                   if (pte::any(x, 1)) {
                                     if (pte::none(x, 1)) return false;  // excluded by the branch
                                     return x != y;
                                   }
                                   return pte::none(x, 1);
                                 });
static_assert(proved<pruned>);
static_assert(pruned.cost.forks == 1 && pruned.cost.paths == 3);

// Words as conditions, as plain words are.
constexpr auto by_word = prove<1>([](auto w) {
  unsigned ones = 0;
  if (w & 1) ++ones;
  if (!(w & 2)) ++ones;
  ones += (w & 4) ? 1u : 0u;
  return ones == 3 ? (w & 7) == 5 : (w & 7) != 5;
});
static_assert(proved<by_word> && by_word.cost.paths == 8);

// A claim on the wrong side of a branch is found.
constexpr auto wrong_side = prove<1>([](auto w) -> bool {
  if (pte::any(w, 0x80)) {
    if (pte::any(w, 0x40)) return w != 0xc0;
    return true;
  }
  return true;
});
static_assert(refuted<wrong_side> && wrong_side.words[0] == 0xc0);

// select() and assign() do not fork, however many follow one another.
constexpr auto muxes = prove<2>([](auto x, auto y) {
  using W = decltype(x);
  W z = x;
  for (unsigned n = 0; n < 16; ++n)
    z = pte::select<W>(pte::any(y, pte::bit(n)), z | W{pte::bit(n)}, z & W{~pte::bit(n)});
  return (z & 0xffff) == (y & 0xffff) && (z >> 16) == (x >> 16);
});
static_assert(proved<muxes> && muxes.cost.paths == 1);

// switch over a narrow field, a table looked up by it, an enumerator.
template <pte::word W>
constexpr std::uint64_t size_of(W w) {
  switch (static_cast<unsigned>((w >> 4) & 3)) {
    case 0:
      return 4;
    case 1:
      return 16;
    case 2:
      return 64;
    default:
      return 0;
  }
}
constexpr std::array<std::uint64_t, 4> sizes{4, 16, 64, 0};
enum class size_class : unsigned char { small, medium, large, none };
constexpr auto switched = prove<1>([](auto w) {
  const auto field = (w >> 4) & 3;
  const bool small = static_cast<size_class>(field) == size_class::small;
  return size_of(w) == sizes[static_cast<std::size_t>(field)] && small == ((w & 0x30) == 0);
});
static_assert(proved<switched> && switched.cost.paths == 4);
// Narrow types keep their low bits only.
constexpr auto narrowed =
    prove<1>([](auto w) { return static_cast<std::uint8_t>(w << 6) == static_cast<std::uint8_t>((w & 3) << 6); });
static_assert(proved<narrowed> && narrowed.cost.paths == 4);

// Bits that are known cost no fork.
constexpr auto known = prove<1>([](auto w) { return static_cast<unsigned>((w & 1) | 0xa4) >> 1 == 0x52; });
static_assert(proved<known> && known.cost.paths == 2);

// Every path has all the room for words to itself.
constexpr auto roomy = prove<2>([](auto x, auto y) {
  auto z = x & 1;
  for (unsigned n = 0; n < 5; ++n)
    if (pte::any(y, pte::bit(n))) z ^= y & 1;
  for (unsigned n = 0; n < 30; ++n) z = (z ^ (x & 1)) & 1;
  return z < 2;
});
static_assert(proved<roomy> && roomy.cost.paths == 32 && 32 * 30 > capacity::word_bits / 64);

// Loops with constant bounds, left early.
template <pte::word W>
constexpr unsigned lowest_of_six(W w) {
  for (unsigned n = 0; n < 6; ++n) {
    if (pte::any(w, pte::bit(n))) return n;
  }
  return 6;
}
constexpr auto looped = prove<1>([](auto w) {
  const unsigned n = lowest_of_six(w);
  return n == 6 ? pte::none(w, 0x3f) : pte::all(w, pte::bit(n)) && pte::none(w, pte::bit(n) - 1);
});
static_assert(proved<looped> && looped.cost.paths == 7);

// Functions are run apart: paths add.
template <pte::word W>
constexpr bool forks_in_eight(W w) {
  if (pte::any(w, 1)) return pte::any(w, 2) ? pte::any(w, 4) : pte::none(w, 4);
  return pte::any(w, 2) ? pte::none(w, 4) : pte::any(w, 4);
}
constexpr auto apart = prove<1>([](auto w) { return forks_in_eight(w); }, [](auto w) { return forks_in_eight(w); });
static_assert(proved<apart> && apart.cost.paths <= 16);

// Conditions kept in plain bools fork where they are stored, and are right all the same.
constexpr auto stored = prove<2>([](auto x, auto y) {
  const bool equal = x == y, below = x < y, above = y < x;
  return int{equal} + int{below} + int{above} == 1;
});
static_assert(proved<stored> && stored.cost.paths == 3);

}  // namespace
