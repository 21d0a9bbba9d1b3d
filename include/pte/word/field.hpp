// Bit fields: a name, the bits, who sets them, one line of meaning. Decoding text, layout rulers and the proof that no
// two fields overlap all come from lists of these.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <pte/word/word.hpp>

namespace pte {

// The mask of bit n, 0 <= n <= 63.
constexpr std::uint64_t bit(unsigned n) { return std::uint64_t{1} << n; }

// The mask of bits high down to low, both included, 63 >= high >= low.
constexpr std::uint64_t bits(unsigned high, unsigned low) {
  return (~std::uint64_t{0} >> (63 - high)) & (~std::uint64_t{0} << low);
}

// Who writes a field of an entry that the MMU looks at.
enum class set_by : unsigned char {
  software,  // only software
  hardware,  // the MMU sets it, software clears it
  ignored,   // the MMU ignores it: free for the operating system's half of a format
  reserved,  // must be zero in a valid entry
};

// A field of an entry: adjacent bits with one meaning.
struct field {
  const char* name = "";      // the manual's name, or Linux's where the bit is the system's
  std::uint64_t mask = 0;     // adjacent bits, at least one
  set_by by = set_by::software;
  const char* meaning = "";   // one line, for people

  constexpr unsigned low() const { return static_cast<unsigned>(std::countr_zero(mask)); }
  constexpr unsigned high() const { return 63u - static_cast<unsigned>(std::countl_zero(mask)); }
  constexpr unsigned width() const { return static_cast<unsigned>(std::popcount(mask)); }

  // Is any bit of the field set in `w`? (For a field of one bit: is it 1?)
  template <word W>
  constexpr truth<W> in(W w) const {
    return any<W>(w, mask);
  }
  // The field's value, right-aligned.
  template <word W>
  constexpr W get(W w) const {
    return (w & W{mask}) >> low();
  }
  // `value` moved into the field's place; bits that do not fit are dropped.
  template <word W>
  constexpr W put(W value) const {
    return (value << low()) & W{mask};
  }
  // `w` with every bit of the field set, or cleared.
  template <word W>
  constexpr W set(W w) const {
    return w | W{mask};
  }
  template <word W>
  constexpr W clear(W w) const {
    return w & W{~mask};
  }
  // `w` with the field set if `condition` holds, else cleared.
  template <word W>
  constexpr W assign(W w, truth<W> condition) const {
    return pte::assign<W>(w, mask, condition);
  }
};

// The union of the masks of a list of fields.
template <class Fields>
constexpr std::uint64_t mask_of(const Fields& list) {
  std::uint64_t mask = 0;
  for (const field& f : list) mask |= f.mask;
  return mask;
}

// One list of fields out of two.
template <std::size_t A, std::size_t B>
constexpr std::array<field, A + B> join(const std::array<field, A>& a, const std::array<field, B>& b) {
  std::array<field, A + B> list{};
  for (std::size_t i = 0; i < A; ++i) list[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) list[A + i] = b[i];
  return list;
}

}  // namespace pte
