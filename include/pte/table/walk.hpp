// Walks: the translation of one address, level by level; and all that a range maps, one entry after another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pte/format/concepts.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/table/memory.hpp>
#include <pte/word/address.hpp>

namespace pte {

// Calls f(level_constant) with `l` as a template argument: f.template operator()<l>(). l must be at most Top.
template <level Top, class Fn>
constexpr decltype(auto) with_level(level l, Fn&& f) {
  if constexpr (Top == level::pte)
    return f.template operator()<level::pte>();
  else
    return l == Top ? f.template operator()<Top>() : with_level<below(Top)>(l, f);
}

// How a walk of one address ended.
enum class walk_end : unsigned char {
  leaf,           // at a leaf: `phys` is the translation
  parked,         // at an entry that the MMU ignores and that is not empty
  empty,          // at an empty slot
  not_canonical,  // before it began: the address lies in neither half
  outside,        // at a table entry whose table the memory does not hold
};

struct walk_result {
  walk_end end = walk_end::not_canonical;
  level at = level::pte;   // the level of the last entry read
  std::uint64_t raw = 0;   // that entry
  phys_addr slot{};        // where it lies
  std::uint64_t limited = 0;  // at a leaf: its word with the limits of the table entries above applied
  phys_addr phys{};        // at a leaf: the physical address of the byte at `va`

  constexpr explicit operator bool() const { return end == walk_end::leaf; }
};

// Ignores the entries on the way.
struct no_trace {
  template <class Entry>
  constexpr void operator()(Entry, phys_addr) const {}
};

namespace detail {

// Inlined by force, level into level: only then does what the caller does not use of the result cost nothing.
template <class F, class G, level L, entry_reader M, class Trace>
[[gnu::always_inline]] constexpr walk_result walk_from(const M& memory, phys_addr table, virt_addr va, const machine<F>& m, Trace& trace) {
  const phys_addr slot = table + G::index(L, va) * 8;
  const entry<F, L> e{memory.load(slot)};
  trace(e, slot);
  if constexpr (F::leaf_allowed(L)) {
    if (e.is_leaf()) {
      std::uint64_t size = bit(F::shift(L));
      if constexpr (has_contiguous<F>) size = bit(static_cast<unsigned>(ops<F, L>::item_shift(e.raw)));
      return {walk_end::leaf, L, e.raw, slot, e.raw, phys_addr{e.as_leaf().phys(m)} + (va.value & (size - 1))};
    }
  }
  if constexpr (L != level::pte) {
    if (e.is_table()) {
      const phys_addr next{e.as_table().address(m)};
      if constexpr (bounded_reader<M>)
        if (!memory.contains(next, G::entries(below(L)) * 8)) return {walk_end::outside, L, e.raw, slot, 0, next};
      walk_result r = walk_from<F, G, below(L)>(memory, next, va, m, trace);
      if constexpr (has_table_limits<F>) r.limited = ops<F, L>::limited(r.limited, e.raw);
      return r;
    }
  }
  return {e.is_empty() ? walk_end::empty : walk_end::parked, L, e.raw, slot, 0, {}};
}

}  // namespace detail

// Walks one address through the tree of geometry G whose root table lies at `root`, as the MMU would, but reading
// accessed and dirty state without setting it. `trace(entry, slot)` is called with each entry on the way, typed by its
// level. The root table itself must be in the memory.
template <class F, class G, entry_reader M, class Trace = no_trace>
[[gnu::always_inline]] constexpr walk_result walk(const M& memory, phys_addr root, virt_addr va, const machine<F>& m, Trace&& trace = {}) {
  if (G::half(va) == va_half::neither) return {};
  return detail::walk_from<F, G, G::root>(memory, root, va, m, trace);
}

// One step of a range walk: an entry, or a contiguous group seen as one entry.
struct mapping {
  virt_addr va{};               // the first address it maps, even if that lies before the range
  std::uint64_t size = 0;        // bytes
  level at = level::pte;
  entry_state state = entry_state::empty;  // table: its table is not to be read (outside the memory, or refused)
  std::uint64_t raw = 0;         // the first item
  phys_addr slot{};              // where that item lies
  unsigned items = 1;            // more than 1: a well-formed contiguous group
  bool accessed = false;         // leaf, or present entry: gathered over the group
  bool dirty = false;
  std::uint64_t limited = 0;     // leaf: the first item with the limits of the tables above applied
  phys_addr phys{};              // leaf: of the first byte; table: the table's address
};

// Lets a range walk into every table.
struct enter_all {
  constexpr bool operator()(level, phys_addr) const { return true; }
};

// Walks all that a range maps, in ascending order: each call of next() moves to the next entry that is not a table.
// Entries that overlap the range are reported whole. `enter(level, address)` is asked before each table below the root;
// where it says no, or the memory does not hold the table, the entry is reported with state table. The tables may change
// meanwhile: every entry is read once (an item of a contiguous group twice at most).
template <class F, class G, entry_reader M, class Enter = enter_all>
class range_walk {
 public:
  // `range` must lie in one half of the address space (G::range).
  constexpr range_walk(const M& memory, phys_addr root, va_range range, const machine<F>& m, Enter enter = {})
      : memory_(&memory), machine_(m), enter_(enter), va_(range.first), last_(range.last), done_(range.last < range.first) {
    tables_[depth(G::root)] = root;
  }

  // Moves on; false at the end of the range.
  constexpr bool next() {
    if (done_) return false;
    while (!with_level<G::root>(at_, [this]<level L>() { return this->template step<L>(); })) {
    }
    return true;
  }

  // What next() moved to.
  constexpr const mapping& get() const { return found_; }

 private:
  // Reads the entry for va_ at the current level: true if it is to be reported, false after going down a level.
  template <level L>
  constexpr bool step() {
    const phys_addr slot = tables_[depth(L)] + G::index(L, va_) * 8;
    const entry<F, L> e{memory_->load(slot)};
    found_ = {.va = {align_down(va_.value, F::shift(L))},
              .size = bit(F::shift(L)),
              .at = L,
              .state = state_of(e),
              .raw = e.raw,
              .slot = slot};
    if constexpr (L != level::pte) {
      if (found_.state == entry_state::table) {
        found_.phys = {e.as_table().address(machine_)};
        if (readable<below(L)>(found_.phys) && enter_(below(L), found_.phys)) {
          tables_[depth(L) - 1] = found_.phys;
          above_[depth(L)] = e.raw;
          at_ = below(L);
          return false;
        }
      }
    }
    if (found_.state == entry_state::leaf) {
      found_.phys = {e.as_leaf().phys(machine_)};
      // An item that speaks for a group has the group's address; this is its own, should the group be broken.
      if constexpr (has_contiguous<F>)
        found_.phys.value += found_.va.value & (bit(static_cast<unsigned>(detail::ops<F, L>::item_shift(e.raw))) - 1);
      found_.limited = limited<L>(e.raw);
    }
    if (e.is_present()) {
      found_.accessed = e.as_present().accessed();
      found_.dirty = e.as_present().dirty();
    }
    if constexpr (has_contiguous<F>)
      if (found_.state == entry_state::leaf) gather<L>(e);
    move_on<L>();
    return true;
  }

  template <level L>
  constexpr bool readable(phys_addr table) const {
    if constexpr (bounded_reader<M>)
      return memory_->contains(table, G::entries(L) * 8);
    else
      return true;
  }

  template <level L>
  constexpr std::uint64_t limited(std::uint64_t raw) const {
    if constexpr (has_table_limits<F>)
      for (unsigned up = depth(L) + 1; up <= depth(G::root); ++up) raw = detail::ops<F, L>::limited(raw, above_[up]);
    return raw;
  }

  // Takes the whole group, if `e` is the member of a well-formed one: all members valid, contiguous, with consecutive
  // addresses and equal but for accessed and dirty. Looks for one only where a group can start, or at the first step.
  template <level L>
  constexpr void gather(entry<F, L> e) {
    using ops = detail::ops<F, L>;
    if constexpr (ops::group_entries > 1) {
      constexpr unsigned n = ops::group_entries;
      const std::uint64_t index = G::index(L, va_);
      if (!e.as_leaf().contiguous() || (index % n != 0 && !first_)) return;
      const phys_addr start{tables_[depth(L)].value + (index - index % n) * 8};
      const bool one_speaks_for_all = ops::item_shift(e.raw) > F::shift(L);
      const std::uint64_t pages = one_speaks_for_all ? 0 : bit(F::shift(L) - F::page_shift);
      const entry<F, L> head{memory_->load(start)};
      mapping group = found_;
      for (unsigned i = 0; i < n; ++i) {
        const entry<F, L> item{memory_->load(start + i * std::uint64_t{8})};
        if (!item.is_leaf() || !item.as_leaf().contiguous()) return;
        if (item.as_leaf().mkclean().mkold().raw != head.as_leaf().advance(i * pages).mkclean().mkold().raw) return;
        group.accessed = group.accessed || item.as_leaf().accessed();
        group.dirty = group.dirty || item.as_leaf().dirty();
      }
      group.va = {align_down(va_.value, F::shift(L)) - (index % n << F::shift(L))};
      group.size = std::uint64_t{n} << F::shift(L);
      group.raw = head.raw;
      group.slot = start;
      group.items = n;
      group.limited = limited<L>(head.raw);
      group.phys = {head.as_leaf().phys(machine_)};
      found_ = group;
    }
  }

  // To the first address after what was found, and up as many levels as its tables end there.
  template <level L>
  constexpr void move_on() {
    first_ = false;
    const virt_addr next = found_.va + found_.size;
    done_ = next > last_ || next < found_.va || next.value == 0;
    va_ = next;
    while (at_ != G::root && G::index(at_, va_) == 0) at_ = static_cast<level>(depth(at_) + 1);
  }

  const M* memory_;
  machine<F> machine_;
  Enter enter_;
  virt_addr va_, last_;
  level at_ = G::root;
  bool done_, first_ = true;
  phys_addr tables_[level_count]{};
  std::uint64_t above_[level_count]{};
  mapping found_{};
};

// Calls f(mapping) for all that `range` maps, in ascending order. See range_walk.
template <class F, class G, entry_reader M, class Fn>
constexpr void for_each_mapping(const M& memory, phys_addr root, va_range range, const machine<F>& m, Fn&& f) {
  range_walk<F, G, M> walk(memory, root, range, m);
  while (walk.next()) f(walk.get());
}

}  // namespace pte
