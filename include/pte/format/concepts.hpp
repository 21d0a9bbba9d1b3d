// What a format must offer. A format is a stateless type; everything that depends on the level lies in its member
// template at<level>, as static constexpr functions over any word. example.hpp is the contract filled in, line by line.
#pragma once

#include <cstdint>
#include <type_traits>

#include <pte/format/access.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/word/field.hpp>
#include <pte/word/word.hpp>

namespace pte {

// The value that holds what is known only at boot, for a format F on words W.
template <class F, class W = std::uint64_t>
using machine = typename F::template machine<W>;

namespace detail {

using u64 = std::uint64_t;

// What every level of a format F has.
template <class Ops, class Machine>
concept level_ops = requires(const u64 w, const u64 n, const rights r, const Machine m) {
  // Every bit of a leaf, of a table entry; and the system's names for bits that the MMU ignores.
  { mask_of(Ops::leaf_fields()) } -> std::same_as<u64>;
  { mask_of(Ops::table_fields()) } -> std::same_as<u64>;
  { mask_of(Ops::software_fields()) } -> std::same_as<u64>;

  // Exactly one of empty, table, leaf holds, or none: then the entry is parked.
  { Ops::empty(w) } -> std::same_as<bool>;
  { Ops::table(w) } -> std::same_as<bool>;
  { Ops::leaf(w) } -> std::same_as<bool>;
  // Does the MMU take the entry? Leaves and table entries are hardware-valid, others are not.
  { Ops::hardware_valid(w) } -> std::same_as<bool>;
  // Does the system call it present? That is not the same: see PROT_NONE.
  { Ops::present(w) } -> std::same_as<bool>;

  // Of a table entry: the physical address of the next table, in bytes.
  { Ops::table_address(w, m) } -> std::same_as<u64>;
  // Of a leaf: the physical address of the page, in bytes.
  { Ops::phys(w, m) } -> std::same_as<u64>;
  // Of a leaf or table entry: would the walk fault because reserved bits are set?
  { Ops::reserved_set(w, m) } -> std::same_as<bool>;
  // Of a leaf: what the MMU permits; what the system means.
  { Ops::rights_of(w, m) } -> std::same_as<permissions<u64>>;
  { Ops::means(w, m) } -> std::same_as<access<u64>>;
  // Of a leaf: the memory type as a number that means the same on all of this machine; F::memory_type_name() names it.
  { Ops::memory_attributes(w, m) } -> std::same_as<u64>;
  { Ops::accessed(w) } -> std::same_as<bool>;
  { Ops::dirty(w) } -> std::same_as<bool>;

  // The protection bits for given rights, and entries made of them. pfn counts base pages, phys bytes.
  { Ops::protection(r) } -> std::same_as<u64>;
  { Ops::make_leaf(n, w, m) } -> std::same_as<u64>;
  { Ops::make_table(n, m) } -> std::same_as<u64>;

  // Of a leaf: the same page with another protection, keeping the bits of keep_mask (and A, D in whatever form).
  { Ops::keep_mask } -> std::convertible_to<u64>;
  { Ops::modify(w, n, m) } -> std::same_as<u64>;
  // Not writable any more, dirty kept; writable, dirty kept.
  { Ops::wrprotect(w) } -> std::same_as<u64>;
  { Ops::mkwrite(w) } -> std::same_as<u64>;
  { Ops::mkyoung(w) } -> std::same_as<u64>;
  { Ops::mkold(w) } -> std::same_as<u64>;
  { Ops::mkdirty(w) } -> std::same_as<u64>;
  { Ops::mkclean(w) } -> std::same_as<u64>;
  // The same entry for the page that lies n base pages further on.
  { Ops::advance(w, n) } -> std::same_as<u64>;
};

template <class F, level L>
using ops = typename F::template at<L>;

}  // namespace detail

// A format: names, geometry, a machine value and the operations of every level.
template <class F>
concept entry_format = std::is_empty_v<F> && requires(level l, const machine<F>& m) {
  { F::arch } -> std::convertible_to<const char*>;
  { F::name } -> std::convertible_to<const char*>;
  { F::page_shift } -> std::convertible_to<unsigned>;
  { F::top_level } -> std::convertible_to<level>;
  { F::shift(l) } -> std::same_as<unsigned>;
  { F::index_bits(l) } -> std::same_as<unsigned>;
  { F::leaf_allowed(l) } -> std::same_as<bool>;
  { F::half_range(va_half::user, 48u) } -> std::same_as<va_range>;
  { F::memory_type_name(std::uint64_t{}) } -> std::same_as<const char*>;
} && detail::level_ops<detail::ops<F, level::pte>, machine<F>> && detail::level_ops<detail::ops<F, level::pmd>, machine<F>>;

// Entries that are present to the system and invalid to the MMU: at least those that are being changed.
template <class F>
concept has_present_invalid = requires(const std::uint64_t w, const machine<F> m) {
  // An entry that is being changed: present, invalid, and not PROT_NONE.
  { detail::ops<F, level::pte>::present_invalid(w) } -> std::same_as<bool>;
  // The physical address, in bytes, of a page whose entry is present, valid to the MMU or not.
  { detail::ops<F, level::pte>::present_phys(w, m) } -> std::same_as<std::uint64_t>;
};

// PROT_NONE entries that are invalid to the MMU and present to the system. (powerpc's are valid, and do without.)
template <class F>
concept has_prot_none = has_present_invalid<F> && requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::prot_none(w) } -> std::same_as<bool>;
  { mask_of(detail::ops<F, level::pte>::prot_none_fields()) } -> std::same_as<std::uint64_t>;
};

// Swap entries and their kin.
template <class F>
concept has_swap = requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::swap_type(w) } -> std::same_as<std::uint64_t>;
  { detail::ops<F, level::pte>::swap_offset(w) } -> std::same_as<std::uint64_t>;
  { detail::ops<F, level::pte>::make_swap(w, w) } -> std::same_as<std::uint64_t>;
  { mask_of(detail::ops<F, level::pte>::swap_fields()) } -> std::same_as<std::uint64_t>;
};

// A software bit that says "written since the last clear_refs".
template <class F>
concept has_soft_dirty = requires(const std::uint64_t w, const machine<F> m) {
  { detail::ops<F, level::pte>::soft_dirty(w) } -> std::same_as<bool>;
  { detail::ops<F, level::pte>::mksoft_dirty(w, m) } -> std::same_as<std::uint64_t>;
  { detail::ops<F, level::pte>::clear_soft_dirty(w) } -> std::same_as<std::uint64_t>;
};

// A software bit that says "write-protected for userfaultfd".
template <class F>
concept has_uffd_wp = requires(const std::uint64_t w, const machine<F> m) {
  { detail::ops<F, level::pte>::uffd_wp(w) } -> std::same_as<bool>;
  { detail::ops<F, level::pte>::mkuffd_wp(w, m) } -> std::same_as<std::uint64_t>;
  { detail::ops<F, level::pte>::clear_uffd_wp(w) } -> std::same_as<std::uint64_t>;
};

// A software bit that says "no struct page behind it".
template <class F>
concept has_special = requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::special(w) } -> std::same_as<bool>;
  { detail::ops<F, level::pte>::mkspecial(w) } -> std::same_as<std::uint64_t>;
};

// Groups of adjacent entries that a TLB may hold as one: arm64's contiguous bit, riscv's NAPOT.
template <class F>
concept has_contiguous = requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::contiguous(w) } -> std::same_as<bool>;
  // Entries in a group, a power of two; 1 at levels without groups.
  { detail::ops<F, level::pte>::group_entries } -> std::convertible_to<unsigned>;
  // log2 of the bytes that the item maps by itself: more than shift(level) where one item speaks for the group (NAPOT).
  { detail::ops<F, level::pte>::item_shift(w) } -> std::same_as<std::uint64_t>;
};

// A bit that says "kept in the TLB when the address space changes".
template <class F>
concept has_global = requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::global(w) } -> std::same_as<bool>;
};

// Protection keys.
template <class F>
concept has_pkey = requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::pkey(w) } -> std::same_as<std::uint64_t>;
};

// Invalid entries hold their address inverted (x86, L1TF).
template <class F>
concept has_inverted_pfn = requires(const std::uint64_t w) {
  { detail::ops<F, level::pte>::inverted(w) } -> std::same_as<bool>;
};

// Table entries that limit what is below them (x86-64: R/W, U/S, XD; arm64: APTable, PXNTable, UXNTable). Walks apply it.
template <class F>
concept has_table_limits = requires(const std::uint64_t w) {
  // The leaf's word with the limits of a table entry above it applied.
  { detail::ops<F, level::pte>::limited(w, w) } -> std::same_as<std::uint64_t>;
};

// Further members that at<level> may offer, each for tlb/translation.hpp unless said otherwise:
//   hardware_dirty(w)     the bit that the MMU itself sets on a write, where that is not all of dirty(w)
//   shadow_stack(w, m)    the page takes shadow-stack stores
//   guarded(w)            indirect branches into it must find a landing pad
//   shareability(w), security(w), encryption(w, m)   numbers that say where and how an access goes
//   swap_exclusive(w), swap_soft_dirty(w), swap_uffd_wp(w)   flags of swap entries
//   table_software_fields()   the system's names for ignored bits of table entries
//   dirty_implies_soft_dirty  mkdirty() sets soft-dirty too (proof/laws.hpp)

// What every Linux format has.
template <class F>
concept linux_format = entry_format<F> && has_swap<F> && has_special<F>;

}  // namespace pte
