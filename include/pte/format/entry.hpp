// Entries, typed by format and level; and their states, typed too, since the same bits mean other things in each.
#pragma once

#include <compare>
#include <cstdint>

#include <pte/format/concepts.hpp>
#include <pte/format/os.hpp>

namespace pte {

template <class F, level L, word W = std::uint64_t>
struct entry;

// What can be read from, and done to, an entry that is present: a leaf, or a PROT_NONE entry. `Self` is the state type;
// what changes an entry returns one of the same state, except modify(), which may change it.
template <class Self, class F, level L, word W>
struct present_ops {
  using ops = typename F::template at<L>;
  using machine_type = machine<F, W>;

  W raw{0};

  // What the system means by it, and whether hardware or software noted an access or a write.
  constexpr access<W> means(const machine_type& m) const { return ops::means(raw, m); }
  constexpr truth<W> accessed() const { return ops::accessed(raw); }
  constexpr truth<W> dirty() const { return ops::dirty(raw); }
  constexpr truth<W> soft_dirty() const requires has_soft_dirty<F> { return ops::soft_dirty(raw); }
  constexpr truth<W> uffd_wp() const requires has_uffd_wp<F> { return ops::uffd_wp(raw); }
  constexpr truth<W> special() const requires has_special<F> { return ops::special(raw); }
  constexpr truth<W> contiguous() const requires has_contiguous<F> { return ops::contiguous(raw); }
  constexpr W pkey() const requires has_pkey<F> { return ops::pkey(raw); }
  constexpr W memory_attributes(const machine_type& m) const { return ops::memory_attributes(raw, m); }

  // The physical address in bytes, and the page frame number in base pages.
  constexpr W phys(const machine_type& m) const {
    if constexpr (has_present_invalid<F>)
      return ops::present_phys(raw, m);
    else
      return ops::phys(raw, m);
  }
  constexpr W pfn(const machine_type& m) const { return static_cast<const Self*>(this)->phys(m) >> F::page_shift; }

  // Clears write permission and keeps dirty, wherever that has to go.
  constexpr Self wrprotect() const { return Self{{ops::wrprotect(raw)}}; }
  constexpr Self mkwrite() const { return Self{{ops::mkwrite(raw)}}; }
  constexpr Self mkyoung() const { return Self{{ops::mkyoung(raw)}}; }
  constexpr Self mkold() const { return Self{{ops::mkold(raw)}}; }
  constexpr Self mkdirty() const { return Self{{ops::mkdirty(raw)}}; }
  constexpr Self mkclean() const { return Self{{ops::mkclean(raw)}}; }
  constexpr Self mksoft_dirty(const machine_type& m) const requires has_soft_dirty<F> { return Self{{ops::mksoft_dirty(raw, m)}}; }
  constexpr Self clear_soft_dirty() const requires has_soft_dirty<F> { return Self{{ops::clear_soft_dirty(raw)}}; }
  constexpr Self mkuffd_wp(const machine_type& m) const requires has_uffd_wp<F> { return Self{{ops::mkuffd_wp(raw, m)}}; }
  constexpr Self clear_uffd_wp() const requires has_uffd_wp<F> { return Self{{ops::clear_uffd_wp(raw)}}; }
  constexpr Self mkspecial() const requires has_special<F> { return Self{{ops::mkspecial(raw)}}; }
  // The entry for the page `pages` base pages further on; a negative count may be given modulo 2^64.
  constexpr Self advance(W pages) const { return Self{{ops::advance(raw, pages)}}; }

  // Back to an entry that is not classified, as policies and tables take it.
  constexpr entry<F, L, W> as_entry() const { return entry<F, L, W>{raw}; }

  // The same page under another protection (see entry::protection). Keeps ops::keep_mask, accessed and dirty.
  constexpr entry<F, L, W> modify(W protection, const machine_type& m) const {
    return entry<F, L, W>{ops::modify(raw, protection, m)};
  }
};

// A leaf: hardware-valid, maps a page. (Reserved bits may still make the walk fault: see reserved_set.)
template <class F, level L, word W = std::uint64_t>
struct leaf : present_ops<leaf<F, L, W>, F, L, W> {
  using base = present_ops<leaf<F, L, W>, F, L, W>;
  using typename base::machine_type;
  using typename base::ops;
  using base::raw;

  // What the MMU permits, if the upper levels do.
  constexpr permissions<W> rights_of(const machine_type& m) const { return ops::rights_of(raw, m); }
  constexpr truth<W> reserved_set(const machine_type& m) const { return ops::reserved_set(raw, m); }
  constexpr truth<W> global() const requires has_global<F> { return ops::global(raw); }
  constexpr W phys(const machine_type& m) const { return ops::phys(raw, m); }
};

// A PROT_NONE entry that the MMU ignores.
template <class F, level L, word W = std::uint64_t>
struct prot_none : present_ops<prot_none<F, L, W>, F, L, W> {};

// An entry of which only is known that it is present to the system: a leaf or PROT_NONE.
template <class F, level L, word W = std::uint64_t>
struct present : present_ops<present<F, L, W>, F, L, W> {};

// A table entry: points to a table of the level below.
template <class F, level L, word W = std::uint64_t>
struct table {
  using ops = typename F::template at<L>;
  W raw{0};

  // The next table's physical address, in bytes.
  constexpr W address(const machine<F, W>& m) const { return ops::table_address(raw, m); }
  constexpr truth<W> reserved_set(const machine<F, W>& m) const { return ops::reserved_set(raw, m); }
};

// A swap entry or one of its kin (migration, hwpoison, device, marker).
template <class F, level L, word W = std::uint64_t>
struct swap_entry {
  using ops = typename F::template at<L>;
  W raw{0};

  constexpr W type() const { return ops::swap_type(raw); }
  constexpr W offset() const { return ops::swap_offset(raw); }
  constexpr truth<W> exclusive() const requires requires(W w) { ops::swap_exclusive(w); } { return ops::swap_exclusive(raw); }
  constexpr truth<W> soft_dirty() const requires requires(W w) { ops::swap_soft_dirty(w); } { return ops::swap_soft_dirty(raw); }
  constexpr truth<W> uffd_wp() const requires requires(W w) { ops::swap_uffd_wp(w); } { return ops::swap_uffd_wp(raw); }
};

// A parked entry: the MMU ignores it, and it is not empty. What it holds must be asked before it is read.
template <class F, level L, word W = std::uint64_t>
struct parked {
  using ops = typename F::template at<L>;
  W raw{0};

  constexpr truth<W> is_prot_none() const {
    if constexpr (has_prot_none<F>)
      return ops::prot_none(raw);
    else
      return truth<W>{false};
  }
  constexpr truth<W> is_present_invalid() const {
    if constexpr (has_present_invalid<F>)
      return ops::present_invalid(raw);
    else
      return truth<W>{false};
  }
  // Has the form of a swap entry: parked and not present.
  constexpr truth<W> is_swap_form() const {
    if constexpr (has_swap<F> && F::leaf_allowed(L))
      return !ops::present(raw) && !ops::hardware_valid(raw);
    else
      return truth<W>{false};
  }

  // is_prot_none() must hold.
  constexpr prot_none<F, L, W> as_prot_none() const { return {{raw}}; }
  // is_swap_form() must hold.
  constexpr swap_entry<F, L, W> as_swap() const { return {raw}; }
};

// An empty slot. Its raw word need not be zero: Linux lets hardware leave stray accessed and dirty bits behind.
template <class F, level L, word W = std::uint64_t>
struct empty {
  W raw{0};
};

// One slot of a table of level L in format F, not yet classified. The raw word goes in and out unchanged.
template <class F, level L, word W>
struct entry {
  using format_type = F;
  using ops = typename F::template at<L>;
  using machine_type = machine<F, W>;
  static constexpr level at_level = L;

  W raw{0};

  constexpr entry() = default;
  constexpr explicit entry(W word) : raw(word) {}

  // Exactly one of these four holds.
  constexpr truth<W> is_empty() const { return ops::empty(raw); }
  constexpr truth<W> is_table() const { return ops::table(raw); }
  constexpr truth<W> is_leaf() const { return ops::leaf(raw); }
  constexpr truth<W> is_parked() const { return !is_empty() && !is_table() && !is_leaf(); }

  // What the MMU takes; what the system calls present. Decisions about a TLB are made from the first only.
  constexpr truth<W> hardware_valid() const { return ops::hardware_valid(raw); }
  constexpr truth<W> is_present() const { return ops::present(raw); }

  // The entry as what it is; the matching question above must have been answered with yes.
  constexpr pte::leaf<F, L, W> as_leaf() const { return {{raw}}; }
  constexpr pte::table<F, L, W> as_table() const { return {raw}; }
  constexpr pte::parked<F, L, W> as_parked() const { return {raw}; }
  constexpr pte::empty<F, L, W> as_empty() const { return {raw}; }
  constexpr pte::present<F, L, W> as_present() const { return {{raw}}; }

  // The protection bits for these rights, as make_leaf and modify take them.
  static constexpr W protection(rights r) { return W{ops::protection(r)}; }
  // A leaf for page frame `pfn` (base pages; aligned to the leaf's size). A PROT_NONE protection gives a parked entry
  // where the format has those.
  static constexpr entry make_leaf(W pfn, W protection, const machine_type& m) {
    return entry{ops::make_leaf(pfn, protection, m)};
  }
  // An entry that points to the table at `phys` (bytes; aligned to that table's size).
  static constexpr entry make_table(W phys, const machine_type& m) { return entry{ops::make_table(phys, m)}; }
  // A swap entry; bits of type and offset that do not fit are dropped.
  static constexpr entry make_swap(W type, W offset) requires has_swap<F> { return entry{ops::make_swap(type, offset)}; }

  friend constexpr bool operator==(entry a, entry b) requires std::same_as<truth<W>, bool> { return a.raw == b.raw; }
};

// The four states of an entry.
enum class entry_state : unsigned char { empty, table, leaf, parked };

template <class F, level L>
constexpr entry_state state_of(entry<F, L> e) {
  if (e.is_leaf()) return entry_state::leaf;
  if (e.is_empty()) return entry_state::empty;
  if (e.is_table()) return entry_state::table;
  return entry_state::parked;
}

// Calls f with the entry as what it is: f(leaf), f(table), f(parked) or f(empty); all four must return the same type.
template <class F, level L, class Fn>
constexpr decltype(auto) visit(entry<F, L> e, Fn&& f) {
  switch (state_of(e)) {
    case entry_state::leaf: return f(e.as_leaf());
    case entry_state::table: return f(e.as_table());
    case entry_state::parked: return f(e.as_parked());
    default: return f(e.as_empty());
  }
}

// What a parked entry holds; `types` says which swap types the kernel has set apart.
template <class F, level L>
constexpr parked_kind kind_of(parked<F, L> p, const swap_types& types) {
  if (p.is_prot_none()) return parked_kind::prot_none;
  if (p.is_present_invalid()) return parked_kind::present_invalid;
  if constexpr (has_swap<F>)
    if (p.is_swap_form()) return types.kind(p.as_swap().type());
  return parked_kind::unknown;
}

}  // namespace pte
