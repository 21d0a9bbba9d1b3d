// Exact counts, and the numbers that hold them.
#include <cstdint>

#include <pte/proof/count.hpp>
#include <pte/word/field.hpp>

using namespace pte::proof;

namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

// Numbers of up to 2^128.
using number = cardinal<2>;
static_assert(number(1, 64).limb[1] == 1 && number(3, 63).limb[0] == pte::bit(63) && number(3, 63).limb[1] == 1);
static_assert(number(1, 128).limb[2] == 1 && number(1, 128) > number(ones, 64));
static_assert(number(ones) + number(1) == number(1, 64) && number(1, 64) - number(1) == number(ones));
static_assert(number(1, 128) - number(1) + number(1) == number(1, 128));
static_assert((number(1, 128) >> 127) == number(2) && (number(5, 70) >> 70) == number(5) &&
              (number(7) >> 1) == number(3));
static_assert(number(12).exponent() == 2 && number(12).odd() == 3 && number(3, 100).exponent() == 100 &&
              number(3, 100).odd() == 3);
static_assert(number(3, 100).is_short() && !(number(1, 100) + number(1)).is_short() && number(0).is_short());
static_assert(number(5) < number(6) && number(1, 64) > number(ones) && number(4) == number(1, 2));

constexpr auto everything = [](auto...) { return true; };
static_assert(count(words<1>, everything) == cardinal<1>(1, 64));
static_assert(count(words<2>, everything) == cardinal<2>(1, 128));
static_assert(count(words<4>, everything) == cardinal<4>(1, 256));
static_assert(count(words<1>, [](auto) { return false; }) == cardinal<1>());
static_assert(count(words<2>, [](auto x, auto y) { return x == y; }) == cardinal<2>(1, 64));
static_assert(count(words<2>, [](auto x, auto y) { return x != y; }) == cardinal<2>(1, 128) - cardinal<2>(1, 64));
// 2^63 * (2^64 - 1) pairs are in order.
static_assert(count(words<2>, [](auto x, auto y) { return x < y; }) == cardinal<2>(1, 127) - cardinal<2>(1, 63));
static_assert(count(words<2>, [](auto x, auto y) { return x <= y; }) == cardinal<2>(1, 127) + cardinal<2>(1, 63));
static_assert(count(words<1>, [](auto x) { return x < 1000; }) == cardinal<1>(1000));
static_assert(count(words<1>, [](auto x) { return x >= 1000; }) == cardinal<1>(1, 64) - cardinal<1>(1000));
static_assert(count(words<1>, [](auto x) { return (x & 7) == 5; }) == cardinal<1>(1, 61));
static_assert(count(words<1>, [](auto x) { return pte::any(x, 7); }) == cardinal<1>(7, 61));
// Later conditions count within the earlier ones; branches count as conditions do.
static_assert(count(
                  words<1>, [](auto x) { return x < 1000; }, [](auto x) { return x >= 400; }) == cardinal<1>(600));
static_assert(count(words<1>, [](auto x) {
                if (pte::any(x, 1)) return x < 100;
                return x < 10;
              }) == cardinal<1>(55));
// The order of the bits changes nothing, and bits that are not free do not count.
static_assert(count(words<2>.first(1), [](auto x, auto y) { return x < y; }) ==
              cardinal<2>(1, 127) - cardinal<2>(1, 63));
static_assert(count(words<1>.word(0xff, 0x100), [](auto, auto y) { return y == 0x107; }) == cardinal<2>(1, 64));
static_assert(count(words<1>.flags(5), everything) == cardinal<2>(1, 69));
static_assert(count(words<1>.flags(5), [](auto, auto f) { return flag(f, 0) && !flag(f, 4); }) == cardinal<2>(1, 67));

}  // namespace
