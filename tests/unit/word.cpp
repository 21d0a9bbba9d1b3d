// word/: words, bit fields, addresses and ranges.
#include <pte/word/address.hpp>
#include <pte/word/field.hpp>
#include <pte/word/word.hpp>

#include <array>
#include <cstdint>
#include <limits>

#include "../catch.hpp"

namespace {

constexpr std::uint64_t ones = std::numeric_limits<std::uint64_t>::max();

// A small format's fields: one bit, a middle one, and one at each end of the word.
constexpr pte::field low_bit{"low", 0x1, pte::set_by::hardware, "the lowest bit"};
constexpr pte::field middle{"middle", 0x00ff'0000, pte::set_by::software, "eight bits"};
constexpr pte::field high_bits{"high", 0xf000'0000'0000'0000, pte::set_by::ignored, "the top four"};

}  // namespace

TEST_CASE("std::uint64_t is a word, whose conditions are bool") {
  STATIC_REQUIRE(pte::word<std::uint64_t>);
  STATIC_REQUIRE_FALSE(pte::word<void*>);
  STATIC_REQUIRE(std::same_as<pte::truth<std::uint64_t>, bool>);
}

TEST_CASE("select takes one of two words") {
  CHECK(pte::select<std::uint64_t>(true, 1, 2) == 1);
  CHECK(pte::select<std::uint64_t>(false, 1, 2) == 2);
}

TEST_CASE("any, all and none ask about the bits of a mask and no others") {
  constexpr std::uint64_t w = 0x8000'0000'0000'0a00;
  CHECK(pte::any(w, 0x0f00));
  CHECK_FALSE(pte::all(w, 0x0f00));
  CHECK_FALSE(pte::none(w, 0x0f00));
  CHECK(pte::all(w, 0x8000'0000'0000'0200));
  CHECK(pte::none(w, 0x0500));
  // Of an empty mask: no bit is set, and all are.
  CHECK_FALSE(pte::any(w, 0));
  CHECK(pte::all(w, 0));
  CHECK(pte::none(w, 0));
}

TEST_CASE("assign sets or clears the bits of a mask and no others") {
  CHECK(pte::assign<std::uint64_t>(0xf0, 0x3c, true) == 0xfc);
  CHECK(pte::assign<std::uint64_t>(0xf0, 0x3c, false) == 0xc0);
}

TEST_CASE("bit and bits reach both ends of the word") {
  STATIC_REQUIRE(pte::bit(0) == 1);
  STATIC_REQUIRE(pte::bit(63) == 0x8000'0000'0000'0000);
  STATIC_REQUIRE(pte::bits(63, 0) == ones);
  STATIC_REQUIRE(pte::bits(63, 63) == pte::bit(63));
  STATIC_REQUIRE(pte::bits(0, 0) == pte::bit(0));
  STATIC_REQUIRE(pte::bits(51, 12) == 0x000f'ffff'ffff'f000);
}

TEST_CASE("bits(high, low) is the union of the bits from low to high") {
  for (unsigned low = 0; low < 64; ++low) {
    std::uint64_t expected = 0;
    for (unsigned high = low; high < 64; ++high) {
      expected |= pte::bit(high);
      REQUIRE(pte::bits(high, low) == expected);
    }
  }
}

TEST_CASE("a field knows where its bits are") {
  CHECK((low_bit.low() == 0 && low_bit.high() == 0 && low_bit.width() == 1));
  CHECK((middle.low() == 16 && middle.high() == 23 && middle.width() == 8));
  CHECK((high_bits.low() == 60 && high_bits.high() == 63 && high_bits.width() == 4));
}

TEST_CASE("a field reads and writes its own bits") {
  constexpr std::uint64_t w = 0x1234'5678'9abc'def0;
  CHECK(middle.get(w) == 0xbc);
  CHECK(high_bits.get(w) == 0x1);
  CHECK(middle.in(w));
  CHECK_FALSE(low_bit.in(w));
  CHECK(middle.put<std::uint64_t>(0x42) == 0x0042'0000);
  CHECK(middle.put<std::uint64_t>(0x142) == 0x0042'0000);  // what does not fit is dropped
  CHECK(high_bits.put<std::uint64_t>(0x1f) == 0xf000'0000'0000'0000);
  CHECK(middle.set(w) == 0x1234'5678'9aff'def0);
  CHECK(middle.clear(w) == 0x1234'5678'9a00'def0);
  CHECK(middle.assign(w, true) == middle.set(w));
  CHECK(middle.assign(w, false) == middle.clear(w));
  for (std::uint64_t value = 0; value < 256; ++value) {
    REQUIRE(middle.get(middle.clear(w) | middle.put(value)) == value);
  }
}

TEST_CASE("mask_of is the union of a list of fields") {
  STATIC_REQUIRE(pte::mask_of(std::array{low_bit, middle, high_bits}) == 0xf000'0000'00ff'0001);
  STATIC_REQUIRE(pte::mask_of(std::array<pte::field, 0>{}) == 0);
}

TEST_CASE("addresses count bytes and are ordered") {
  STATIC_REQUIRE((pte::virt_addr{0x1000} + 0x234) == pte::virt_addr{0x1234});
  STATIC_REQUIRE((pte::phys_addr{ones} + 1) == pte::phys_addr{0});
  STATIC_REQUIRE(pte::virt_addr{0x7fff'ffff'ffff'ffff} < pte::virt_addr{0x8000'0000'0000'0000});
}

TEST_CASE("alignment rounds down and up, and wraps at the top") {
  CHECK(pte::align_down(0x1fff, 12) == 0x1000);
  CHECK(pte::align_down(0x1000, 12) == 0x1000);
  CHECK(pte::align_up(0x1001, 12) == 0x2000);
  CHECK(pte::align_up(0x1000, 12) == 0x1000);
  CHECK(pte::align_up(0x1234, 0) == 0x1234);
  CHECK(pte::align_up(ones, 12) == 0);
}

TEST_CASE("a range holds both its ends") {
  constexpr pte::va_range range{{0x1000}, {0x1fff}};
  CHECK(range.size() == 0x1000);
  CHECK(range.contains({0x1000}));
  CHECK(range.contains({0x1fff}));
  CHECK_FALSE(range.contains({0xfff}));
  CHECK_FALSE(range.contains({0x2000}));
  CHECK(pte::va_range{{0}, {ones}}.size() == 0);  // stands for 2^64
}

TEST_CASE("checked_range lets through what is aligned and in order") {
  const auto checked = pte::checked_range({0x1000}, {0x3000}, 12);
  REQUIRE(checked);
  CHECK(checked.range == pte::va_range{{0x1000}, {0x2fff}});
  // An end of 0 is the top of the address space.
  const auto top = pte::checked_range({ones - 0xfff}, {0}, 12);
  REQUIRE(top);
  CHECK(top.range.last == pte::virt_addr{ones});
}

TEST_CASE("checked_range names the rule that a range breaks") {
  using pte::range_error;
  CHECK(pte::checked_range({0x1000}, {0x1000}, 12).error == range_error::empty);
  CHECK(pte::checked_range({0}, {0}, 12).error == range_error::empty);
  CHECK(pte::checked_range({0x2000}, {0x1000}, 12).error == range_error::backwards);
  CHECK(pte::checked_range({0x1001}, {0x3000}, 12).error == range_error::unaligned);
  CHECK(pte::checked_range({0x1000}, {0x3001}, 12).error == range_error::unaligned);
  CHECK(pte::checked_range({0x1000}, {0x3000}, 13).error == range_error::unaligned);
}
