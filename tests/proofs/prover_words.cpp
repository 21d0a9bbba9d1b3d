// Symbolic words and truths: every operator, against laws for all words here, and against plain words on samples in
// prover_samples.cpp.
#include <array>
#include <concepts>
#include <cstdint>

#include <pte/proof/counterexample.hpp>
#include <pte/word/field.hpp>

using namespace pte::proof;

namespace {

template <class Claim>
constexpr bool law(Claim claim) {
  return prove<2>(claim).proved();
}

// Bits.
static_assert(law([](auto x, auto y) { return (x & y) == (y & x) && (x | y) == (y | x) && (x ^ y) == (y ^ x); }));
static_assert(law([](auto x, auto y) { return ~(x & y) == (~x | ~y) && (x ^ y) == ((x | y) & ~(x & y)); }));
static_assert(law([](auto x, auto) {
  return ~~x == x && (x ^ x) == 0 && (x & ~x) == 0 && (x | ~x) == ~decltype(x){0};
}));
static_assert(law([](auto x, auto) {
  return (x & 0xff) == ((x << 56) >> 56) && ((x >> 12) << 12) == (x & ~0xfffull);
}));
static_assert(law([](auto x, auto) { return (x << 63 >> 63) == (x & 1) && (x << 0) == x && (x >> 0) == x; }));
static_assert(law([](auto x, auto y) { return ((x & 0xff00) | (y & 0x00ff)) == ((x & 0xff00) ^ (y & 0x00ff)); }));
// Arithmetic.
static_assert(law([](auto x, auto y) { return (x + y) - y == x && (x - y) + y == x; }));
static_assert(law([](auto x, auto y) { return x + y == y + x && (x ^ y) + ((x & y) << 1) == x + y; }));
static_assert(law([](auto x, auto) {
  return x + x == x << 1 && x - x == 0 && -x == ~x + 1 && x + 0 == x && x - 0 == x;
}));
static_assert(law([](auto x, auto) { return x + ~std::uint64_t{0} == x - 1 && x + 0x1000 - 0x0fff == x + 1; }));
// Order.
static_assert(law([](auto x, auto y) {
  return (x < y) == !(x >= y) && (x > y) == (y < x) && (x <= y) == (x < y || x == y);
}));
static_assert(law([](auto x, auto y) { return (x < y || y < x) == (x != y) && !(x < y && y < x); }));
static_assert(law([](auto x, auto) { return (x < 0x1000) == ((x >> 12) == 0) && x >= 0 && x <= ~std::uint64_t{0}; }));
static_assert(law([](auto x, auto) { return (x > 0xfff) == ((x >> 12) != 0) && (0x1000 > x) == (x < 0x1000); }));
static_assert(prove<3>([](auto x, auto y, auto) { return x < y; }, [](auto, auto y, auto z) { return y < z; },
                       [](auto x, auto, auto z) { return x < z; })
                  .proved());
static_assert(prove<2>([](auto x, auto y) { return x <= y; }, [](auto x, auto y) { return y - x <= y; }).proved());
// A false law of each kind is refuted.
static_assert(prove<2>([](auto x, auto y) { return (x | y) == (x ^ y); }).refuted());
static_assert(prove<2>([](auto x, auto y) { return x + y == (x | y); }).refuted());
static_assert(prove<2>([](auto x, auto y) { return x + 1 > x || x == y; }).refuted());  // wraps
static_assert(prove<2>([](auto x, auto y) { return (x < y) == (x <= y); }).refuted());
static_assert(prove<1>([](auto x) { return x << 1 >> 1 == x; }).refuted());

// Compound assignment, increment.
static_assert(law([](auto x, auto y) {
  auto z = x;
  z &= y, z |= 0x10, z ^= x, z += y, z -= 3, z <<= 2, z >>= 1, ++z, --z;
  return z == ((((((x & y) | 0x10) ^ x) + y - 3) << 2) >> 1);
}));

static_assert(prove<1>([](auto x) { return (x & static_cast<decltype(x)>(-2)) == (x >> 1 << 1); }).proved());
// Words from integers are converted as std::uint64_t is; words from conditions are 0 or 1.
static_assert(law([](auto x, auto) {
  using W = decltype(x);
  return W{0u} == 0 && (x & 0xffff'ffff'ffff'ffff) == x && W(x == 0) == pte::select<W>(x == 0, W{1}, W{0}) &&
         W(true) == 1;
}));

// select(), assign(), and the questions of pte::word.
static_assert(law([](auto x, auto y) {
  using W = decltype(x);
  const W a = x & 0xfff, b = y & 0xfff;
  return pte::select<W>(a < b, a, b) <= pte::select<W>(a < b, b, a) && pte::select<W>(true, x, y) == x &&
         pte::select<W>(false, x, y) == y && pte::select<W>(a != b, a, b) == a;
}));
static_assert(law([](auto x, auto y) {
  using W = decltype(x);
  const W z = pte::assign<W>(x, 0xf0, y == 0);
  return (z & ~0xf0ull) == (x & ~0xf0ull) && pte::all(z, 0xf0) == (y == 0) && pte::none(z, 0xf0) == (y != 0) &&
         pte::any(z, 0xf0) == pte::all(z, 0xf0);
}));
inline constexpr pte::field frame{"frame", pte::bits(51, 12), pte::set_by::software, ""};
static_assert(law([](auto x, auto y) {
  return frame.get(frame.clear(x) | frame.put(y)) == (y & 0xff'ffff'ffff) && frame.in(frame.set(x)) &&
         !frame.in(frame.clear(x)) &&
         frame.get(frame.assign(x, y == 1)) == pte::select<decltype(x)>(y == 1, 0xff'ffff'ffff, 0);
}));

// Truths: operators, mixed with bool, as members of records, false by default.
static_assert(law([](auto x, auto y) {
  const auto a = x == 0, b = y == 0;
  return (a && b) == !(!a || !b) && (a || b) == (b || a) && (a ^ b) == (a != b) && (a & b) == (a && b) &&
         (a | b) == (a || b) && (a == b) == !(a != b) && (a && true) == a && (true && a) == a && (a || false) == a &&
         (false || b) == b;
}));
static_assert(law([](auto x, auto y) {
  auto a = x == 0;
  a &= y == 0, a |= x == y, a ^= y == 3;
  return a == ((((x == 0) && (y == 0)) || x == y) != (y == 3));
}));
static_assert(law([](auto x, auto y) {
  return (x && y) == (x != 0 && y != 0) && (x || y) == (x != 0 || y != 0) && !x == (x == 0);
}));
template <pte::word W>
struct record {
  pte::truth<W> low, high, neither;
  W word;
};
static_assert(law([](auto x, auto y) {
  using W = decltype(x);
  record<W> r{};
  const auto untouched = !r.low && !r.neither && r.word == 0;
  r = {.low = pte::any(x, 1), .high = pte::any(x, pte::bit(63)), .neither = {}, .word = y};
  r.neither = !r.low && !r.high;
  const std::array<record<W>, 2> both{r, record<W>{}};
  return untouched && (both[0].neither == pte::none(x, 1 | pte::bit(63))) && both[0].word - both[1].word == y;
}));

// A truth is no number, and a number is no truth.
template <class T>
concept adds = requires(T t) {
  t + 1;
};
static_assert(!adds<pte::truth<symbolic>>);
static_assert(!std::convertible_to<int, pte::truth<symbolic>> && !std::convertible_to<void*, pte::truth<symbolic>>);
static_assert(std::convertible_to<bool, pte::truth<symbolic>> && std::convertible_to<pte::truth<symbolic>, bool>);
// A word becomes an integer or a condition on demand only.
static_assert(!std::convertible_to<symbolic, std::uint64_t> && !std::convertible_to<symbolic, bool>);
static_assert(std::constructible_from<std::uint64_t, symbolic> && std::constructible_from<bool, symbolic>);

}  // namespace
