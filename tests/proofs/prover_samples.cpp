// The symbolic word against the plain one, at run time: every operator, each bit of its result, on many samples.
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <pte/proof/count.hpp>
#include <pte/proof/prove.hpp>
#include <pte/proof/trial.hpp>
#include <pte/word/field.hpp>

#include "../catch.hpp"
#include "prover_subjects.hpp"

using namespace pte::proof;

namespace {

// Compare all 64 bits of f's result, a word.
template <class Function>
void compare_words(const Function& f) {
  trial<2> run(words<2>.first(1));
  std::mt19937_64 random(7);
  tuple<2> at{};
  std::uint64_t wrong = 0;
  edge bits[64];
  for (unsigned n = 0; n < 64; ++n) {
    bits[n] = run.where(always, [&](auto x, auto y) { return pte::any<decltype(x)>(f(x, y), pte::bit(n)); });
  }
  for (int sample = 0; sample < 500; ++sample) {
    at[0] = random();
    at[1] = sample % 3 == 0 ? random() : sample % 3 == 1 ? at[0] ^ pte::bit(random() % 64) : at[0] + random() % 9 - 4;
    const std::uint64_t plain = f(at[0], at[1]);
    for (unsigned n = 0; n < 64; ++n) wrong += run.holds(bits[n], at) != ((plain >> n & 1) != 0);
  }
  CHECK(wrong == 0);
}

// Compare f's result, a condition.
template <class Function>
void compare_truths(const Function& f) {
  const auto found = find(words<2>.samples(2000), f);
  const auto other = find(words<2>.samples(2000), [&](auto x, auto y) { return !f(x, y); });
  CHECK(found.agrees);
  CHECK(other.agrees);
}

}  // namespace

TEST_CASE("diagrams: equal if and only if their truth tables are") {
  std::mt19937_64 random(11);
  int wrong = 0;
  for (int round = 0; round < 300; ++round) {
    // Functions of six variables, each with its truth table of 64 bits.
    arena diagrams;
    std::vector<std::pair<edge, std::uint64_t>> functions{{never, 0}, {always, ~std::uint64_t{0}}};
    for (unsigned v = 0; v < 6; ++v) {
      std::uint64_t table = 0;
      for (unsigned row = 0; row < 64; ++row) table |= std::uint64_t{row >> v & 1} << row;
      functions.emplace_back(diagrams.variable(v), table);
    }
    while (functions.size() < 150) {
      const auto [f, f_table] = functions[random() % functions.size()];
      const auto [g, g_table] = functions[random() % functions.size()];
      const auto [h, h_table] = functions[random() % functions.size()];
      switch (random() % 5) {
        case 0:
          functions.emplace_back(diagrams.both(f, g), f_table & g_table);
          break;
        case 1:
          functions.emplace_back(diagrams.either(f, g), f_table | g_table);
          break;
        case 2:
          functions.emplace_back(diagrams.differ(f, g), f_table ^ g_table);
          break;
        case 3:
          functions.emplace_back(diagrams.choose(f, g, h), (f_table & g_table) | (~f_table & h_table));
          break;
        default:
          functions.emplace_back(f ^ 1, ~f_table);
      }
    }
    for (const auto& [f, f_table] : functions)
      for (const auto& [g, g_table] : functions) wrong += (f == g) != (f_table == g_table);
  }
  CHECK(wrong == 0);
}

TEST_CASE("words: bit operations and shifts") {
  compare_words([](auto x, auto y) { return x & y; });
  compare_words([](auto x, auto y) { return x | y; });
  compare_words([](auto x, auto y) { return x ^ y; });
  compare_words([](auto x, auto y) { return ~(x & 0xf0f0) | (y ^ 0xff); });
  compare_words([](auto x, auto y) { return (x << 13) ^ (y >> 51) ^ (x >> 63) ^ (y << 63); });
  compare_words([](auto x, auto y) { return ((x | 0xff00) & 0xf0f0'f0f0) ^ (~y << 7 & 0xfff); });
}

TEST_CASE("words: arithmetic") {
  compare_words([](auto x, auto y) { return x + y; });
  compare_words([](auto x, auto y) { return x - y; });
  compare_words([](auto x, auto y) { return -x + (y & 1); });
  compare_words([](auto x, auto) { return x + 0x1234'5678'9abc'def0; });
  compare_words([](auto x, auto) { return 0x1000 - x; });
  compare_words([](auto x, auto y) { return (x & 0xffff) + (y & 0xffff'0000) + 0xffff; });
}

TEST_CASE("words: selection") {
  compare_words([](auto x, auto y) { return pte::select<decltype(x)>(pte::any(x, 0xf0), y, ~x); });
  compare_words([](auto x, auto y) { return pte::select<decltype(x)>(y == 5, 0x10, x); });
  compare_words([](auto x, auto y) { return pte::assign<decltype(x)>(x, 0xff00, pte::none(y, 3)); });
  compare_words([](auto x, auto y) {
    using W = decltype(x);
    if (pte::any(y, 1)) return W(x + 1);
    return pte::any(y, 2) ? W(x ^ y) : y;
  });
}

TEST_CASE("truths: comparisons") {
  compare_truths([](auto x, auto y) { return x == y; });
  compare_truths([](auto x, auto y) { return x != y; });
  compare_truths([](auto x, auto y) { return x < y; });
  compare_truths([](auto x, auto y) { return x <= y; });
  compare_truths([](auto x, auto y) { return x > y; });
  compare_truths([](auto x, auto y) { return x >= y; });
  compare_truths([](auto x, auto y) { return x + y < x; });
  compare_truths([](auto x, auto y) { return (x & 0x3f) == (y >> 58); });
}

TEST_CASE("the predicates under proof and those that ship agree on many pairs") {
  using namespace subjects;
  compare_truths(needed<x86>), compare_truths(asked<x86>), compare_truths(asked_as_expression<x86>);
  compare_truths(needed<arm>), compare_truths(asked<arm>), compare_truths(asked_as_expression<arm>);
  compare_truths(needed<power>), compare_truths(asked<power>), compare_truths(asked_as_expression<power>);
}

TEST_CASE("counts equal what exhaustion counts") {
  const auto f = [](auto x, auto y) { return (x + y < 37 && pte::any(x ^ y, 6)) || x == (y >> 1); };
  std::uint64_t expected = 0;
  for (std::uint64_t x = 0; x < 256; ++x)
    for (std::uint64_t y = 0; y < 256; ++y) expected += f(x, y);
  const auto small = [](auto x, auto y) { return x < 256 && y < 256; };
  CHECK(count(words<2>, small, f) == cardinal<2>(expected));
  const auto narrow = words<1>.word(0xff);
  CHECK(count(
            narrow, [](auto x, auto) { return x < 256; }, f) == cardinal<2>(expected));
}
