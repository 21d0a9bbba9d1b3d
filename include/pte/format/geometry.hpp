// Geometry: how many levels a tree has, and which bits of a virtual address index which table.
#pragma once

#include <cstdint>

#include <pte/format/level.hpp>
#include <pte/word/address.hpp>

namespace pte {

// The halves of the virtual address space. An address in neither is not canonical: its use faults without a walk.
enum class va_half : unsigned char { user, kernel, neither };

// A half that a format does not have: it contains no address. (First and last are both part of a range, so that a range
// may end at the top of the address space; this one ends before it starts.)
inline constexpr va_range no_half{{1}, {0}};

// The half in which all bits from va_bits - 1 up are equal (x86-64, riscv64): 0 for user, 1 for kernel addresses.
constexpr va_range sign_extended_half(va_half half, unsigned va_bits) {
  const std::uint64_t size = bit(va_bits - 1);
  return half == va_half::user ? va_range{{0}, {size - 1}} : va_range{{~(size - 1)}, {~std::uint64_t{0}}};
}

// The tree of a layout with `VaBits` translated address bits in each half. `Layout` gives shift(level), the log2 of
// the bytes that one entry maps, and index_bits(level), the log2 of the entries of a full table; the root table may be
// smaller or larger.
template <class Layout, unsigned VaBits>
struct geometry {
  using layout = Layout;
  static constexpr unsigned va_bits = VaBits;

  // The level of the root table: the lowest whose tables reach all of the address bits.
  static constexpr level root = [] {
    level l = level::pte;
    while (l != Layout::top_level && Layout::shift(l) + Layout::index_bits(l) < VaBits)
      l = static_cast<level>(depth(l) + 1);
    return l;
  }();
  static constexpr unsigned levels = depth(root) + 1;

  static_assert(VaBits > Layout::shift(root), "the root table of this geometry would have one entry only");
  static_assert(VaBits <= Layout::shift(Layout::top_level) + Layout::index_bits(Layout::top_level),
                "more address bits than the layout's levels can translate");

  // log2 of the number of entries of a table at level l <= root.
  static constexpr unsigned index_bits(level l) { return l == root ? VaBits - Layout::shift(l) : Layout::index_bits(l); }
  static constexpr std::uint64_t entries(level l) { return bit(index_bits(l)); }

  // The index of the entry for `va` in a table at level l <= root.
  static constexpr std::uint64_t index(level l, virt_addr va) {
    return (va.value >> Layout::shift(l)) & (entries(l) - 1);
  }

  // The addresses of one half, and the half that an address lies in.
  static constexpr va_range range(va_half half) { return Layout::half_range(half, VaBits); }
  static constexpr va_half half(virt_addr va) {
    if (range(va_half::user).contains(va)) return va_half::user;
    if (range(va_half::kernel).contains(va)) return va_half::kernel;
    return va_half::neither;
  }

  // Linux's name of a level in this tree: the root is pgd at any height.
  static constexpr const char* name(level l) {
    constexpr const char* names[] = {"pte", "pmd", "pud", "p4d", "pgd"};
    return l == root ? "pgd" : names[depth(l)];
  }
};

}  // namespace pte
