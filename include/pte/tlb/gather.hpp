// Gathering: what has to be flushed, collected over many changed entries into one range with its granularity, and
// turned into a plan that a back end executes.
//
//   pte::gather<pte::x86_64> g;
//   g.add({{0x1000}, {0x4fff}}, pte::level::pte);    // four base pages changed
//   g.add_entry({0x200000}, pte::level::pmd);        // and one 2 MiB page
//   const auto plan = g.plan(pte::x86_64_ceiling{}); // everything: 1023 strides of 4 KiB are more than 33
//
// What lies between two ranges is flushed with them: a gather is one convex hull. So gathers form a semilattice (the
// order and repetition of what is added do not matter), with the empty gather as its neutral element;
// proof/gather_laws.hpp states that.
//
// [linux] include/asm-generic/tlb.h (struct mmu_gather)
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include <pte/format/level.hpp>
#include <pte/word/address.hpp>
#include <pte/word/field.hpp>
#include <pte/word/word.hpp>

namespace pte {

// What a plan has to know of a layout: the log2 of the bytes that an entry of a level maps, growing with the level.
template <class L>
concept tlb_layout = requires(level l) {
  { L::page_shift } -> std::convertible_to<unsigned>;
  { L::shift(l) } -> std::convertible_to<unsigned>;
  { L::top_level } -> std::convertible_to<level>;
};

// A set of levels.
struct level_set {
  unsigned char bits = 0;  // bit n: the level of depth n

  constexpr bool empty() const { return bits == 0; }
  constexpr bool contains(level l) const { return (bits >> depth(l) & 1) != 0; }
  constexpr bool is_only(level l) const { return bits == 1u << depth(l); }
  // The lowest level of a set that is not empty.
  constexpr level lowest() const { return static_cast<level>(std::countr_zero(bits)); }
  friend constexpr level_set operator|(level_set a, level_set b) {
    return {static_cast<unsigned char>(a.bits | b.bits)};
  }
  friend constexpr bool operator==(level_set, level_set) = default;
};

// How much is to be flushed.
enum class flush_extent : unsigned char {
  nothing,
  range,       // the translations of a range of addresses
  everything,  // all translations of the address space
};

// What a back end has to do, as plain data. Once it is carried out, no CPU may use
//   * a translation made from an entry of a level in `leaves`, for an address in `range` (any level and any address, if
//     the extent is everything); one that is marked global only if `global` is set;
//   * anything remembered of the entries above the leaves, for an address in `range`, if `tables` is not empty.
// A back end may always flush more.
template <tlb_layout Layout>
struct flush_plan {
  flush_extent extent = flush_extent::nothing;
  va_range range{};     // extent range: whole entries of stride_level(); otherwise meaningless
  level_set leaves{};   // the levels at which leaves changed
  level_set tables{};   // the levels at which entries that point to tables changed (the tables may be freed afterwards)
  bool global = false;  // translations marked global, which a flush by address space may spare, are to go too

  // Must caches of upper-level entries (paging-structure caches, walk caches) be flushed as well? Row 23: a "last level
  // only" invalidation is not enough when a table is freed.
  constexpr bool walk_caches() const { return !tables.empty(); }

  // The granularity: the lowest level touched. One invalidation in each 2^stride_shift() bytes meets every entry.
  // The extent must be range.
  constexpr level stride_level() const { return (leaves | tables).lowest(); }
  constexpr unsigned stride_shift() const { return Layout::shift(stride_level()); }
  constexpr std::uint64_t stride() const { return bit(stride_shift()); }
  // How many strides the range has, how many base pages. (page_shift > 0: not even the whole of 2^64 bytes overflows.)
  constexpr std::uint64_t strides() const { return ((range.last.value - range.first.value) >> stride_shift()) + 1; }
  constexpr std::uint64_t pages() const { return ((range.last.value - range.first.value) >> Layout::page_shift) + 1; }

  // Does the plan promise that a leaf of level l, marked global or not, is no longer remembered for address `va`?
  constexpr bool drops_leaf(virt_addr va, level l, bool marked_global = false) const {
    if (extent == flush_extent::nothing || (marked_global && !global)) return false;
    return extent == flush_extent::everything || (leaves.contains(l) && range.contains(va));
  }
  // Does it promise that of the upper-level entries on the way to `va`?
  constexpr bool drops_walk(virt_addr va) const {
    if (extent == flush_extent::nothing || !walk_caches()) return false;
    return extent == flush_extent::everything || range.contains(va);
  }

  // Calls f(virt_addr) for the first address of each stride of level l, which is in leaves or tables, in the range.
  template <class F>
  constexpr void for_each_stride(level l, F&& f) const {
    // A range need not begin or end with a large entry: smaller ones may reach further.
    const std::uint64_t last = align_down(range.last.value, Layout::shift(l)), step = bit(Layout::shift(l));
    for (std::uint64_t va = align_down(range.first.value, Layout::shift(l));; va += step) {
      f(virt_addr{va});
      if (va == last) break;
    }
  }

  friend constexpr bool operator==(const flush_plan&, const flush_plan&) = default;
};

// When a range is so long that flushing the whole address space is cheaper. Says so of a plan whose extent is range.
template <class C, class Layout>
concept flush_ceiling = requires(const C& ceiling, const flush_plan<Layout>& range) {
  { ceiling.exceeded(range) } -> std::same_as<bool>;
};

// Never: every range is flushed as a range.
struct no_ceiling {
  template <class Layout>
  static constexpr bool exceeded(const flush_plan<Layout>&) {
    return false;
  }
};

// More than `most` strides.
struct stride_ceiling {
  std::uint64_t most;

  template <class Layout>
  constexpr bool exceeded(const flush_plan<Layout>& range) const {
    return range.strides() > most;
  }
};

// 33 invalidations at most [linux] arch/x86/mm/tlb.c, tlb_single_page_flush_ceiling (tunable in debugfs).
struct x86_64_ceiling : stride_ceiling {
  constexpr explicit x86_64_ceiling(std::uint64_t limit = 33) : stride_ceiling{limit} {}
};

// 64 fences at most [linux] arch/riscv/mm/tlbflush.c, tlb_flush_all_threshold.
struct riscv64_ceiling : stride_ceiling {
  constexpr explicit riscv64_ceiling(std::uint64_t limit = 64) : stride_ceiling{limit} {}
};

// 33 invalidations on all CPUs, 256 (two for each of 128 sets of the TLB) on this one only
// [linux] arch/powerpc/mm/book3s64/radix_tlb.c, tlb_single_page_flush_ceiling and its local twin.
struct ppc64_ceiling : stride_ceiling {
  constexpr explicit ppc64_ceiling(bool local = false) : stride_ceiling{local ? 256u : 33u} {}
};

// With range operations, as many pages as the largest of them covers, 2,097,152; without, one table's entries less one:
// 511, 2047 or 8191 [linux] arch/arm64/include/asm/tlbflush.h, MAX_TLBI_RANGE_PAGES, MAX_DVM_OPS.
struct arm64_ceiling {
  bool range_operations = false;  // FEAT_TLBIRANGE

  template <class Layout>
  constexpr bool exceeded(const flush_plan<Layout>& range) const {
    return range.pages() > 2'097'152 || (!range_operations && range.strides() >= bit(Layout::index_bits(level::pte)));
  }
};

// What has changed and is not yet flushed. Everything that is added is merged; nothing is ever taken out but by
// reset(). W is std::uint64_t; in proofs, a symbolic word.
template <tlb_layout Layout, word W = std::uint64_t>
struct gather {
  W first{~std::uint64_t{0}};  // the hull: first to last, both included; first > last while there is none
  W last{0};
  W leaves{0};  // as in flush_plan; bit n stands for the level of depth n
  W tables{0};
  truth<W> whole{false};  // everything, whatever the hull is
  truth<W> global{false};

  // A gather of one thing: of leaves of level l in [first, last]; or of entries of level l that point to tables. The
  // range is widened to whole entries of that level; first <= last.
  static constexpr gather of_leaves(W first, W last, level l) {
    gather g = of_range(first, last, l);
    g.leaves = W{bit(depth(l))};
    return g;
  }
  static constexpr gather of_tables(W first, W last, level l) {
    gather g = of_range(first, last, l);
    g.tables = W{bit(depth(l))};
    return g;
  }
  static constexpr gather of_everything() {
    gather g;
    g.leaves = g.tables = W{bits(depth(Layout::top_level), 0)};
    g.whole = truth<W>{true};
    return g;
  }

  // Adds what `other` holds.
  constexpr void merge(const gather& other) {
    first = select<W>(other.first < first, other.first, first);
    last = select<W>(last < other.last, other.last, last);
    leaves = leaves | other.leaves;
    tables = tables | other.tables;
    whole = whole || other.whole;
    global = global || other.global;
  }

  // Leaves of level l changed, for the addresses in `pages`. A contiguous group counts as all of its members.
  constexpr void add(va_range pages, level l) { merge(of_leaves(W{pages.first.value}, W{pages.last.value}, l)); }
  // The leaf of level l that maps `va` changed.
  constexpr void add_entry(virt_addr va, level l) { add({va, va}, l); }
  // Entries of level l, above pte, that map `pages` pointed to tables and changed: tables may be freed after the flush.
  // Leaves below that were still valid are to be added besides.
  constexpr void add_table(va_range pages, level l) { merge(of_tables(W{pages.first.value}, W{pages.last.value}, l)); }
  // The whole address space, its tables included.
  constexpr void add_everything() { merge(of_everything()); }
  // Some of what is added was, or is, marked global (row 17), or belongs to all address spaces, as the kernel's does.
  constexpr void include_global() { global = truth<W>{true}; }

  // Back to the empty gather, after a flush.
  constexpr void reset() { *this = gather{}; }

  // Is there nothing to flush?
  constexpr truth<W> empty() const { return !whole && (leaves | tables) == W{0}; }

  // Is `va` in the hull?
  constexpr truth<W> hull_contains(W va) const { return first <= va && va <= last; }

  // What to do. A range that exceeds the ceiling becomes everything; what has to be reached, walk caches and global
  // translations, stays as it was.
  template <flush_ceiling<Layout> C = no_ceiling>
  constexpr flush_plan<Layout> plan(const C& ceiling = {}) const requires std::same_as<W, std::uint64_t> {
    if (empty()) return {};
    flush_plan<Layout> p{.extent = flush_extent::range,
                         .range = {{first}, {last}},
                         .leaves = {static_cast<unsigned char>(leaves)},
                         .tables = {static_cast<unsigned char>(tables)},
                         .global = global};
    if (whole || ceiling.exceeded(p)) {
      p.extent = flush_extent::everything;
      p.range = {};
    }
    return p;
  }

  friend constexpr truth<W> operator==(const gather& a, const gather& b) {
    return a.first == b.first && a.last == b.last && a.leaves == b.leaves && a.tables == b.tables &&
           a.whole == b.whole && a.global == b.global;
  }

 private:
  static constexpr gather of_range(W first, W last, level l) {
    const W inside{bit(Layout::shift(l)) - 1};
    gather g;
    g.first = first & ~inside;
    g.last = last | inside;
    return g;
  }
};

}  // namespace pte
