// What proofs report: real counterexamples, vacuous proofs, functions that differ from what ships, witnesses,
// comparisons.
#include <concepts>
#include <cstdint>

#include <pte/proof/counterexample.hpp>
#include <pte/word/field.hpp>

using namespace pte::proof;

namespace {

constexpr auto nonempty = [](auto x, auto) { return x != 0; };
constexpr auto ordered = [](auto x, auto y) { return x < y; };

// A counterexample meets the assumption and not the claim, plainly.
constexpr auto claim = [](auto x, auto y) { return x + 5 < y || pte::any(x ^ y, 0xf0); };
constexpr auto wrong = prove<2>(ordered, claim);
static_assert(refuted<wrong> && !wrong.proved() && !wrong.vacuous);
static_assert(ordered(wrong.words[0], wrong.words[1]) && !claim(wrong.words[0], wrong.words[1]));

// A proof shows an input that meets its assumptions.
constexpr auto right = prove<2>(ordered, nonempty, [](auto, auto y) { return y > 1; });
static_assert(proved<right> && right.words[0] != 0 && right.words[0] < right.words[1]);

// Without an assumption anything is an example; a claim may be about one word to eight.
static_assert(prove<1>([](auto x) { return x == x; }).proved());
static_assert(prove<4>([](auto w, auto x, auto y, auto z) {
                return ((w ^ x) ^ (y ^ z)) == ((z ^ x) ^ (y ^ w));
              }).proved());
static_assert(prove(words<4>.word(0xff).word(0xff), [](auto... w) { return (... | w) >= (... & w); }).proved());

// Nothing meets these assumptions: what is claimed does not matter, and is not proved.
constexpr auto vacuous = prove<2>(
    ordered, [](auto x, auto y) { return y < x; }, [](auto, auto) { return false; });
static_assert(vacuous.holds && vacuous.vacuous && !vacuous.proved() && !vacuous.refuted());

// A function that is another one when it ships.
constexpr auto cheat = [](auto x, auto y) {
  if constexpr (std::same_as<decltype(x), std::uint64_t>)
    return pte::any(x ^ y, 0xff);
  else
    return pte::any<decltype(x)>(x ^ y, 0xffff'ffff);
};
static_assert(!prove<2>(cheat, [](auto x, auto y) { return x != y; }).agrees);
static_assert(!prove<2>([](auto x, auto y) { return x != y && pte::none(x ^ y, 0xff); }, cheat).agrees);
constexpr auto caught = prove<2>([](auto x, auto y) { return pte::any(x ^ y, 0xffff'ffff); }, cheat);
static_assert(caught.holds && !caught.proved());
static_assert(pte::any(caught.differing[0] ^ caught.differing[1], 0xffff'ff00) &&
              pte::none(caught.differing[0] ^ caught.differing[1], 0xff));
static_assert(!find(words<2>, cheat, [](auto x, auto y) { return pte::none(x ^ y, 0xff); }).agrees);
static_assert(!compare(
                   words<2>, nonempty, [](auto x, auto y) { return pte::any(x ^ y, 0xffff'ffff); }, cheat)
                   .agrees);
// A rare difference is not promised to be seen. The number of samples can be turned up, or to none.
static_assert(prove(
                  words<2>.samples(0), [](auto x, auto y) { return pte::any(x ^ y, 0xffff'ffff); }, cheat)
                  .proved());

// Functions are not asked about inputs that their assumptions exclude.
constexpr auto partial = prove<1>([](auto x) { return x < 4; },
                                  [](auto x) {
                                    constexpr int table[4] = {1, 1, 1, 1};
                                    return table[static_cast<unsigned>(x)] == 1;
                                  });
static_assert(proved<partial>);

// Plain conditions joined by `&` are an int, symbolic ones a truth: both are an answer.
static_assert(prove<2>([](auto x, auto y) { return (x < y) & (y != 0); },
                       [](auto, auto y) { return (y > 0) | (y == 0); })
                  .proved());

// Witnesses.
constexpr auto found = find(words<2>, ordered, [](auto x, auto y) { return x + y == 0x1001 && pte::any(x, 4); });
static_assert(found.found && found.agrees && found.words[0] + found.words[1] == 0x1001 &&
              found.words[0] < found.words[1]);
static_assert(!find(words<1>, [](auto x) { return x + 1 == x; }).found);

// Words that are not free all over: packed flags, fixed bits.
template <pte::word W>
struct traits {
  pte::truth<W> weak, strict;
};
template <pte::word W>
constexpr traits<W> unpack(W packed) {
  return {.weak = flag(packed, 0), .strict = flag(packed, 1)};
}
constexpr auto with_traits = prove(
    words<1>.flags(2), [](auto, auto m) { return !(unpack(m).weak && unpack(m).strict); },
    [](auto x, auto m) { return !unpack(m).weak || pte::select<decltype(x)>(unpack(m).strict, 0, x) == x; });
static_assert(proved<with_traits>);
static_assert(prove(words<1>.word(0xf0, 0x0f), [](auto, auto y) { return (y & 0x0f) == 0x0f && y < 0x100; }).proved());
static_assert(prove(words<1>.word(0xf0, 0x0f), [](auto x, auto y) { return x != y; }).refuted());
static_assert(prove(words<2>.only(0xff), [](auto x, auto y) { return x + y < 0x1ff; }).proved());
static_assert(prove(words<1>.word(0, 7), [](auto, auto y) { return y == 7; }).proved());

static_assert(prove(words<1>.word(0xf, 0x10).flags(1), [](auto, auto y, auto) {
                return y >= 0x10 && y < 0x20;
              }).proved());

// The order of the bits decides nothing.
static_assert(prove(words<2>.first(pte::bits(63, 60)), ordered, [](auto x, auto y) { return y - x - 1 < y; }).proved());
static_assert(prove(words<2>.first(pte::bits(63, 60)), ordered, claim).refuted());
// A page number beside the address bits it is compared with.
constexpr auto placed = prove(
    words<1>.word(pte::bits(39, 0)).beside(12).first(1),
    [](auto entry, auto number) { return ((entry & pte::bits(51, 12)) >> 12) == number; },
    [](auto entry, auto number) {
      return (entry << 12 >> 24) == number && (number >> 39 == 1) == pte::any(entry, pte::bit(51));
    });
static_assert(proved<placed> && placed.cost.nodes < 1000);

// Comparisons.
constexpr auto needed = [](auto x, auto y) { return pte::any(x & ~y, 0xf); };
constexpr auto exactly = [](auto x, auto y) {
  for (unsigned n = 0; n < 4; ++n) {
    if (pte::any(x, pte::bit(n)) && pte::none(y, pte::bit(n))) return true;
  }
  return false;
};
constexpr auto same = compare(words<2>, nonempty, needed, exactly);
static_assert(sound<same> && tight<same> && same.exact());
constexpr auto generous = compare(words<2>, nonempty, needed, [](auto x, auto y) { return x != y; });
static_assert(sound<generous> && !generous.tight && !generous.exact());
static_assert(generous.needless[0] != generous.needless[1] && !needed(generous.needless[0], generous.needless[1]));
constexpr auto stingy = compare(words<2>, nonempty, needed, [](auto x, auto y) { return pte::any(x & ~y, 7); });
static_assert(!stingy.sound && tight<stingy> && needed(stingy.missed[0], stingy.missed[1]));
static_assert(compare(
                  words<2>, nonempty, [](auto, auto) { return false; }, needed)
                  .constant);
static_assert(compare(words<2>, nonempty, nonempty, needed).constant && !generous.constant);

}  // namespace
