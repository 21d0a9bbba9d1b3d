// Z3 and the prover give the same verdict: on laws true and false, on the flush predicates and their mutants, and on
// random programs, where plain evaluation of all inputs is a third judge.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <pte/proof/count.hpp>
#include <pte/proof/prove.hpp>
#include <pte/word/field.hpp>

#include "../catch.hpp"
#include "prover_subjects.hpp"
#include "z3_word.hpp"

using namespace pte::proof;
using namespace subjects;
using pte::test::z3_prove;

namespace {

// Both provers' verdict, when it is the same; fails the test when it is not, or when a counterexample is not real.
template <std::size_t Words, class... F>
bool both_say(bool expected, const inputs<Words>& in, const F&... functions) {
  const auto ours = prove(in, functions...), theirs = z3_prove(in, functions...);
  CHECK(ours.agrees);
  CHECK(theirs.agrees);
  CHECK(ours.holds == expected);
  CHECK(theirs.holds == expected);
  CHECK(ours.vacuous == theirs.vacuous);
  return ours.holds == expected && theirs.holds == expected;
}

template <class A, int... M>
void same_for_mutants(std::integer_sequence<int, M...>) {
  (both_say(false, words<2>.first(A::first), needed<A>, asked_wrongly<A, M>), ...);
}
template <class A>
void same_for() {
  both_say(true, words<2>.first(A::first), needed<A>, asked<A>);
  both_say(true, words<2>.first(A::first), needed<A>, asked_as_expression<A>);
  both_say(true, words<2>.first(A::first), asked<A>, asked_as_expression<A>);
  both_say(true, words<2>.first(A::first), asked_as_expression<A>, asked<A>);
  both_say(false, words<2>.first(A::first), asked<A>, needed<A>);
  same_for_mutants<A>(std::make_integer_sequence<int, A::mutants>{});
}

}  // namespace

TEST_CASE("Z3 agrees on laws of words") {
  const auto two = words<2>;
  both_say(true, two, [](auto x, auto y) { return (x + y) - y == x; });
  both_say(true, two, [](auto x, auto y) { return (x ^ y) + ((x & y) << 1) == x + y; });
  both_say(true, two, [](auto x, auto y) { return (x < y) == !(x >= y) && (x < y || y < x) == (x != y); });
  both_say(
      true, two, [](auto x, auto y) { return x <= y; }, [](auto x, auto y) { return y - x <= y; });
  both_say(false, two, [](auto x, auto y) { return x + y >= x; });
  both_say(false, two, [](auto x, auto y) { return (x | y) == (x ^ y); });
  both_say(false, two, [](auto x, auto y) { return x << 1 == x + y; });
  both_say(
      true, words<3>, [](auto x, auto y, auto) { return x < y; }, [](auto, auto y, auto z) { return y < z; },
      [](auto x, auto, auto z) { return x < z; });
  both_say(
      false, words<3>, [](auto x, auto y, auto) { return x < y; }, [](auto x, auto, auto z) { return x < z; });
  both_say(true, words<1>.flags(3), [](auto x, auto f) { return pte::select<decltype(x)>(flag(f, 2), x, 0) <= x; });
  both_say(true, words<1>.word(0xf0, 3), [](auto, auto y) { return (y & 0xf) == 3 && y < 0x100; });
  both_say(false, words<1>.word(0xf0, 3), [](auto, auto y) { return y < 0xf3; });
  both_say(
      true, two, [](auto x, auto y) { return x < y; }, [](auto x, auto y) { return y < x; },
      [](auto, auto) { return false; });
}

TEST_CASE("Z3 agrees on control flow") {
  const auto narrow = [](auto w) -> bool {
    unsigned sum = 0;
    for (unsigned n = 0; n < 6; ++n) {
      if (pte::none(w, bit(n))) continue;
      sum += 1u << n;
      if (sum > 40) break;
    }
    switch (static_cast<unsigned>(w & 7)) {
      case 0:
        return sum % 8 == 0;
      case 5:
        return sum > 40 || pte::all(w, 5);
      default:
        return sum <= 63;
    }
  };
  both_say(true, words<1>, narrow);
  both_say(false, words<1>, [&](auto w) -> bool { return narrow(w) && static_cast<std::uint8_t>(w & 0x1f) != 0x1e; });
}

TEST_CASE("Z3 agrees on x86 flush predicates and their mutants") { same_for<x86>(); }
TEST_CASE("Z3 agrees on arm flush predicates and their mutants") { same_for<arm>(); }
TEST_CASE("Z3 agrees on power flush predicates and their mutants") { same_for<power>(); }

TEST_CASE("Z3, the prover and exhaustion agree on random programs") {
  struct instruction {
    unsigned operation;
    std::size_t to, from;
    unsigned amount;
    std::uint64_t mask;
  };
  std::mt19937_64 random(20240229);
  int proved = 0, refuted = 0;
  for (int round = 0; round < 150; ++round) {
    std::array<instruction, 8> program{};
    for (instruction& i : program) {
      i = {static_cast<unsigned>(random() % 14), random() % 3, random() % 3, static_cast<unsigned>(random() % 64),
           random()};
      if (random() % 2) i.amount %= 4;
      if (random() % 2) i.mask &= 0x1f;
    }
    const std::uint64_t bound = random() % 64;
    const auto run = [&](auto x, auto y) -> bool {
      using W = decltype(x);
      std::array<W, 3> r{x, y, x ^ W{bound}};
      pte::truth<W> seen{false};
      for (const instruction& i : program) {
        W& to = r[i.to];
        const W from = r[i.from];
        switch (i.operation) {
          case 0:
            to &= from;
            break;
          case 1:
            to |= from;
            break;
          case 2:
            to ^= from;
            break;
          case 3:
            to += from;
            break;
          case 4:
            to -= from;
            break;
          case 5:
            to <<= i.amount;
            break;
          case 6:
            to >>= i.amount;
            break;
          case 7:
            to = ~to;
            break;
          case 8:
            to = pte::select<W>(from < to, from, W{i.mask});
            break;
          case 9:
            to = pte::assign<W>(to, i.mask, to == from);
            break;
          case 10:
            seen = seen || from > W{i.mask};
            break;
          case 11:
            seen = seen != (from <= to);
            break;
          case 12:
            if (pte::any(from, i.mask))
              to = to & W{i.mask};
            else
              ++to;
            break;
          default:
            if (static_cast<std::uint8_t>(from & W{3}) == 2) return pte::none(to, i.mask);
        }
      }
      return (seen && r[0] != r[1]) || r[2] < W{bound} || pte::any(r[0] + r[1], 0x15);
    };
    const auto in = words<1>.only(0x1f).word(0x8000'0000'0000'0013, 4);
    const auto small = [](auto x, auto) { return x < 27; };
    std::uint64_t satisfied = 0, total = 0;
    for (std::uint64_t x = 0; x < 27; ++x) {
      for (unsigned bits = 0; bits < 16; ++bits) {
        const std::uint64_t y = (bits & 3) | 4 | (bits & 4) << 2 | std::uint64_t{bits & 8} << 60;
        satisfied += run(x, y), ++total;
      }
    }
    both_say(satisfied == total, in, small, run);
    CHECK(count(in, small, run) == cardinal<2>(satisfied));
    (satisfied == total ? proved : refuted) += 1;
  }
  CHECK(proved >= 10);
  CHECK(refuted >= 10);
}
