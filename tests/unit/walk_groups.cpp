// Walks in constant evaluation: contiguous groups, whole and broken; partial ranges, holes, tables outside the memory,
// loops, and limits from the tables above.
#include <array>
#include <cstddef>
#include <cstdint>

#include <pte/format/example.hpp>
#include <pte/pte.hpp>

#include "../catch.hpp"

namespace {

using namespace pte;

constexpr std::uint64_t base = 0x10000;

// One table of 512 entries at `base`, as a whole tree of one level above pages: 21 address bits.
using words = std::array<std::uint64_t, 512>;

template <class F>
using one_table = geometry<typename F::layout, 21>;

template <class F>
constexpr mapping first_of(const words& w, std::uint64_t first, std::uint64_t last) {
  const span_memory memory{{base}, w};
  range_walk<F, one_table<F>, span_memory> walk(memory, {base}, {{first}, {last}}, {});
  return walk.next() ? walk.get() : mapping{};
}
template <class F>
constexpr unsigned steps(const words& w, std::uint64_t first, std::uint64_t last) {
  const span_memory memory{{base}, w};
  unsigned n = 0;
  for_each_mapping<F, one_table<F>>(memory, {base}, {{first}, {last}}, {}, [&](const mapping&) { ++n; });
  return n;
}

using arm = format<arm64_4k, linux_6_12>;
using rv = format<riscv64, linux_6_12>;
using arm_pte = entry<arm, level::pte>;
using rv_pte = entry<rv, level::pte>;
constexpr std::uint64_t arm_rw = arm_pte::protection({.read = true, .write = true});
constexpr std::uint64_t rv_rw = rv_pte::protection({.read = true, .write = true});

// Entries 16 to 31 are a group that maps pfn 0x100 on.
constexpr words arm_group() {
  words w{};
  for (unsigned i = 0; i < 16; ++i)
    w[16 + i] = arm_pte::make_leaf(0x100 + i, arm_rw, {}).as_leaf().mkold().raw | bit(52);
  return w;
}
constexpr words rv_group() {
  words w{};
  for (unsigned i = 0; i < 16; ++i) w[16 + i] = (rv_pte::make_leaf(0x108, rv_rw, {}).as_leaf().mkold().raw) | bit(63);
  return w;
}

constexpr words with(words w, std::size_t i, std::uint64_t word) {
  w[i] = word;
  return w;
}

constexpr bool whole_group(const mapping& m) {
  return m.items == 16 && m.va.value == 0x10000 && m.size == 0x10000 && m.phys.value == 0x100000 &&
         m.slot.value == base + 16 * 8 && m.state == entry_state::leaf && m.at == level::pte;
}

// A group is one step, wherever in it the range begins or ends.
static_assert(whole_group(first_of<arm>(arm_group(), 0x10000, 0x1ffff)) &&
              whole_group(first_of<rv>(rv_group(), 0x10000, 0x1ffff)));
static_assert(whole_group(first_of<arm>(arm_group(), 0x17000, 0x17fff)) &&
              whole_group(first_of<rv>(rv_group(), 0x17123, 0x17123)));
static_assert(whole_group(first_of<arm>(arm_group(), 0x1ffff, 0x1ffff)) &&
              steps<arm>(arm_group(), 0x1f000, 0x20fff) == 2);
static_assert(steps<arm>(arm_group(), 0, 0x1fffff) == 512 - 15 && steps<rv>(rv_group(), 0, 0x1fffff) == 512 - 15);
static_assert(steps<arm>(arm_group(), 0xf000, 0x10000) == 2 && steps<arm>(arm_group(), 0xf000, 0xffff) == 1);

// Accessed and dirty are those of any member.
constexpr mapping arm_young = first_of<arm>(with(arm_group(), 20, arm_group()[20] | bit(10)), 0x10000, 0x1ffff);
constexpr mapping arm_dirty = first_of<arm>(with(arm_group(), 31, arm_group()[31] & ~bit(7)), 0x10000, 0x1ffff);
constexpr mapping arm_soft_dirty = first_of<arm>(with(arm_group(), 16, arm_group()[16] | bit(55)), 0x10000, 0x1ffff);
constexpr mapping rv_young = first_of<rv>(with(rv_group(), 20, rv_group()[20] | bit(6)), 0x10000, 0x1ffff);
static_assert(whole_group(arm_young) && arm_young.accessed && !arm_young.dirty);
static_assert(whole_group(arm_dirty) && !arm_dirty.accessed && arm_dirty.dirty);
static_assert(whole_group(arm_soft_dirty) && arm_soft_dirty.dirty && whole_group(rv_young) && rv_young.accessed);
static_assert(!first_of<arm>(arm_group(), 0x10000, 0x1ffff).accessed &&
              !first_of<arm>(arm_group(), 0x10000, 0x1ffff).dirty);

// Broken groups are their single entries: a member without the bit, invalid, with another address or permission.
constexpr bool single(const mapping& m, std::uint64_t index) {
  return m.items == 1 && m.va.value == index << 12 && m.size == 0x1000 && m.phys.value == (0x100 + index - 16) << 12;
}
constexpr std::array<words, 5> broken{
    with(arm_group(), 20, arm_group()[20] & ~bit(52)), with(arm_group(), 20, 0),
    with(arm_group(), 20, arm_group()[20] & ~bit(0)),  with(arm_group(), 20, arm_group()[20] ^ 0x1000),
    with(arm_group(), 20, arm_group()[20] ^ bit(54)),
};
static_assert(single(first_of<arm>(broken[0], 0x10000, 0x1ffff), 16) &&
              single(first_of<arm>(broken[1], 0x1f000, 0x1ffff), 31));
static_assert(steps<arm>(broken[0], 0x10000, 0x1ffff) == 16 && steps<arm>(broken[1], 0x10000, 0x1ffff) == 16);
static_assert(steps<arm>(broken[2], 0x10000, 0x1ffff) == 16 && steps<arm>(broken[3], 0x10000, 0x1ffff) == 16);
static_assert(steps<arm>(broken[4], 0x10000, 0x1ffff) == 16);
// One item of a broken NAPOT group has the group's address in it, and maps its own page nevertheless.
constexpr words rv_broken = with(rv_group(), 20, 0);
static_assert(single(first_of<rv>(rv_broken, 0x10000, 0x1ffff), 16) &&
              single(first_of<rv>(rv_broken, 0x13000, 0x1ffff), 19));
static_assert(steps<rv>(rv_broken, 0x10000, 0x1ffff) == 16);
// An aligned group only: the bit on entries 8 to 23 makes none.
constexpr words shifted = [] {
  words w{};
  for (unsigned i = 0; i < 16; ++i) w[8 + i] = arm_pte::make_leaf(0x100 + i, arm_rw, {}).raw | bit(52);
  return w;
}();
static_assert(steps<arm>(shifted, 0, 0x1fffff) == 512);
// The walk of one address reads one item.
constexpr words a_group = rv_group();
constexpr walk_result in_group = walk<rv, one_table<rv>>(span_memory{{base}, a_group}, {base}, {0x17123}, {});
static_assert(in_group.end == walk_end::leaf && in_group.phys.value == 0x107123 &&
              in_group.slot.value == base + 23 * 8);

// Two levels: the root at `base`, a table after it, the root's second entry points to no memory, its third to itself.
using x86 = format<x86_64, linux_6_12>;
using x86_two = geometry<x86_64, 31>;  // signed: 30 bits for programs
using x86_pmd = entry<x86, level::pmd>;
using x86_pte = entry<x86, level::pte>;
constexpr std::array<std::uint64_t, 1024> two_levels = [] {
  std::array<std::uint64_t, 1024> w{};
  w[0] = x86_pmd::make_table(base + 0x1000, {}).raw;
  w[1] = x86_pmd::make_table(0x800000, {}).raw;
  w[2] = x86_pmd::make_table(base, {}).raw;
  w[3] = x86_pmd::make_leaf(0x400, x86_pmd::protection({.read = true, .write = true}), {}).raw;
  w[512 + 3] = x86_pte::make_leaf(0x55, x86_pte::protection({.read = true, .write = true}), {}).raw;
  return w;
}();
constexpr span_memory x86_memory{{base}, two_levels};
using x86_tree = geometry<x86_64, 30>;
constexpr walk_result at(std::uint64_t va) { return walk<x86, x86_tree>(x86_memory, {base}, {va}, {}); }
static_assert(at(0x3abc).end == walk_end::leaf && at(0x3abc).phys.value == 0x55abc && at(0x3abc).at == level::pte);
static_assert(at(0x4000).end == walk_end::empty && at(0x800000).end == walk_end::empty);
static_assert(at(0x200000).end == walk_end::outside && at(0x200000).phys.value == 0x800000 &&
              at(0x200000).slot.value == base + 8);
static_assert(at(0x600123).end == walk_end::leaf && at(0x600123).at == level::pmd &&
              at(0x600123).phys.value == 0x400123);
static_assert(at(0x40000000).end == walk_end::not_canonical && at(~std::uint64_t{0}).end == walk_end::empty);
// The MMU would take the root for a last table: so does the walk, and it ends.
static_assert(at(0x403000).end == walk_end::leaf && at(0x403000).phys.value == 0x400000);

struct seen {
  unsigned steps = 0, tables = 0, leaves = 0;
  std::uint64_t bytes = 0;
};
template <class Enter>
constexpr seen count(va_range range, Enter enter) {
  seen s;
  range_walk<x86, x86_tree, span_memory, Enter> walk(x86_memory, {base}, range, {}, enter);
  while (walk.next()) {
    ++s.steps;
    s.tables += walk.get().state == entry_state::table;
    s.leaves += walk.get().state == entry_state::leaf;
    s.bytes += walk.get().size;
  }
  return s;
}
constexpr va_range user = x86_tree::range(va_half::user), kernel = x86_tree::range(va_half::kernel);
// 512 + 1 table outside + 512 + 1 leaf + the other 252 of the root's lower half.
constexpr seen everything = count(user, enter_all{});
static_assert(everything.steps == 512 + 1 + 512 + 253 && everything.tables == 1 && everything.bytes == 0x20000000);
// Who must not follow loops refuses them.
struct not_the_root {
  constexpr bool operator()(level, phys_addr table) const { return table.value != base; }
};
constexpr seen without_loop = count(user, not_the_root{});
static_assert(without_loop.steps == 512 + 1 + 1 + 253 && without_loop.tables == 2 && without_loop.leaves == 2);
static_assert(count(kernel, enter_all{}).steps == 256 && count({kernel.last, kernel.last}, enter_all{}).steps == 1);
static_assert(count({{0x3000}, {0x3000}}, enter_all{}).leaves == 1 &&
              count({{0x1ff000}, {0x200000}}, enter_all{}).steps == 2);

// Tables above take permissions away from what is reported as `limited`, not from the word.
constexpr std::array<std::uint64_t, 1024> limited_words = [] {
  std::array<std::uint64_t, 1024> w = two_levels;
  w[0] = (w[0] & ~bit(1)) | bit(63);  // not writable, not executable
  w[512 + 3] &= ~bit(63);
  return w;
}();
constexpr span_memory limited_memory{{base}, limited_words};
constexpr walk_result limited_walk = walk<x86, x86_tree>(limited_memory, {base}, {0x3000}, {});
static_assert((limited_walk.limited & (bit(63) | bit(1))) == bit(63) &&
              (limited_walk.raw & (bit(63) | bit(1))) == bit(1));
constexpr mapping limited_mapping = [] {
  range_walk<x86, x86_tree, span_memory> walk(limited_memory, {base}, {{0x3000}, {0x3fff}}, {});
  walk.next();
  return walk.get();
}();
static_assert(limited_mapping.limited == limited_walk.limited && limited_mapping.raw == limited_walk.raw);

// Formats without contiguous groups, parked entries or limits do without.
constexpr std::array<std::uint64_t, 2048> example_words = [] {
  std::array<std::uint64_t, 2048> w{};
  w[5] = entry<example, level::pte>::make_leaf(7, entry<example, level::pte>::protection({.read = true}), {}).raw;
  return w;
}();
constexpr walk_result example_walk =
    walk<example, geometry<example, 25>>(span_memory{{base}, example_words}, {base}, {5 * 0x4000 + 9}, {});
static_assert(example_walk.end == walk_end::leaf && example_walk.phys.value == 7 * 0x4000 + 9);

}  // namespace

TEST_CASE("the same at run time: a group is gathered however its entries are read") {
  words w = arm_group();
  for (std::size_t young = 16; young < 32; ++young) {
    w = arm_group();
    w[young] |= bit(10);
    for (std::uint64_t va = 0x10000; va < 0x20000; va += 0x1000) {
      const mapping m = first_of<arm>(w, va, va);
      REQUIRE(whole_group(m));
      REQUIRE(m.accessed);
    }
  }
}

TEST_CASE("every way to break one member of a group breaks the group") {
  for (std::size_t i = 16; i < 32; ++i) {
    for (unsigned n = 0; n < 64; ++n) {
      // Accessed and dirty may differ: bits 10, 55, and 7, which says clean in a writable page.
      if (n == 10 || n == 55 || n == 7) continue;
      const words w = with(arm_group(), i, arm_group()[i] ^ bit(n));
      CAPTURE(i, n);
      REQUIRE(first_of<arm>(w, 0x10000, 0x10fff).items == 1);
      REQUIRE(steps<arm>(w, 0x10000, 0x1ffff) == 16);
    }
  }
}
