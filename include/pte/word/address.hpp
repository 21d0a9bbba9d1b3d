// Addresses, sizes and ranges. All of them count bytes; page frame numbers count the format's base pages.
#pragma once

#include <compare>
#include <cstdint>

#include <pte/word/field.hpp>

namespace pte {

// A virtual address, in bytes.
struct virt_addr {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(virt_addr, virt_addr) = default;
};

// A physical address, in bytes.
struct phys_addr {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(phys_addr, phys_addr) = default;
};

constexpr virt_addr operator+(virt_addr a, std::uint64_t bytes) { return {a.value + bytes}; }
constexpr phys_addr operator+(phys_addr a, std::uint64_t bytes) { return {a.value + bytes}; }

// `value` rounded down, or up, to a multiple of 2^shift. Rounding up wraps to 0 at the top of the address space.
constexpr std::uint64_t align_down(std::uint64_t value, unsigned shift) { return value >> shift << shift; }
constexpr std::uint64_t align_up(std::uint64_t value, unsigned shift) {
  return align_down(value + (bit(shift) - 1), shift);
}

// A range of virtual addresses: `first` up to and including `last`. Both ends are part of it, so that a range may end
// at the top of the address space; every range holds at least one byte.
struct va_range {
  virt_addr first;
  virt_addr last;

  // The range's length in bytes; 0 stands for 2^64.
  constexpr std::uint64_t size() const { return last.value - first.value + 1; }
  constexpr bool contains(virt_addr a) const { return first <= a && a <= last; }
  friend constexpr bool operator==(va_range, va_range) = default;
};

// What is wrong with a range.
enum class range_error : unsigned char {
  ok,
  empty,       // end == start
  backwards,   // end < start, or start + size wraps around
  unaligned,   // start or end is no multiple of the page size
  not_canonical,  // it leaves the half of the address space in which it starts
};

// A checked range, or the rule it breaks (`range` is then meaningless).
struct range_result {
  va_range range;
  range_error error = range_error::ok;
  constexpr explicit operator bool() const { return error == range_error::ok; }
};

// Check [start, end) at the door of an operation: not empty, ordered, both ends multiples of 2^page_shift bytes. An end
// of 0 means the top of the address space. Whether it is canonical is the geometry's to say.
constexpr range_result checked_range(virt_addr start, virt_addr end, unsigned page_shift) {
  const va_range range{start, {end.value - 1}};
  if (start == end) return {range, range_error::empty};
  if (end.value != 0 && end < start) return {range, range_error::backwards};
  if (((start.value | end.value) & (bit(page_shift) - 1)) != 0) return {range, range_error::unaligned};
  return {range, range_error::ok};
}

}  // namespace pte
