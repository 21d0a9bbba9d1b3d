// The laws that every format obeys, as predicates over words: each takes entries, counts and a machine, and says
// whether the law holds of them. What a law presupposes is part of it (`implies`), so that every law is true of every
// input.
//
// They are written over any word: static tests instantiate them on samples, proofs on symbolic words. Truths are
// combined with && and || without relying on their order. A law of an optional concept is true where the format lacks
// it.
//
//   state      what an entry is: states exclude each other and go with hardware-valid and present
//   build      what was built reads back: leaves, table entries, swap entries
//   L1         advance
//   L2         normalisers: mkold, mkclean, wrprotect, clear_soft_dirty, clear_uffd_wp
//   L3         mkyoung, mkdirty, mkwrite and the other functions that add
//   L4         modify
#pragma once

#include <cstdint>
#include <pte/format/access.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/level.hpp>
#include <pte/word/field.hpp>
#include <pte/word/word.hpp>

namespace pte::proof {

// Does the format tell the user's pages from the kernel's? One that does not says has_user = false.
template <class F>
inline constexpr bool distinguishes_user = [] {
  if constexpr (requires { F::has_user; })
    return F::has_user;
  else
    return true;
}();

// If `condition`, then `consequence`.
template <class Truth>
constexpr Truth implies(Truth condition, Truth consequence) {
  return !condition || consequence;
}

// The functions that take something away from a leaf. A format may lack the last two.
enum class normaliser : unsigned char { old, clean, write_protected, soft_clean, uffd_clear };

// The laws of format F at level L. Each function is one law. Those about leaves, swap entries and L1 to L4 are for
// levels that may hold leaves.
template <class F, level L>
struct laws {
  using ops = typename F::template at<L>;
  template <word W>
  using machine_of = machine<F, W>;

  // ---- words that the laws speak of

  // A page that is present to the system: a leaf, or a PROT_NONE entry that the MMU ignores. L1 to L4 are about these.
  template <word W>
  static constexpr truth<W> page(W w) {
    if constexpr (has_prot_none<F>)
      return ops::leaf(w) || ops::prot_none(w);
    else
      return ops::leaf(w);
  }
  // The physical address of such a page.
  template <word W>
  static constexpr W address(W w, const machine_of<W>& m) {
    if constexpr (has_present_invalid<F>)
      return ops::present_phys(w, m);
    else
      return ops::phys(w, m);
  }
  // The physical-address bits that a leaf of this level can hold.
  template <word W>
  static constexpr W address_bits(const machine_of<W>& m) {
    return ops::phys(ops::make_leaf(~W{0}, W{ops::protection({.read = true})}, m), m);
  }
  // Is page frame `pfn` one that a leaf of this level can map: aligned, and no larger than its address field?
  template <word W>
  static constexpr truth<W> mappable(W pfn, const machine_of<W>& m) {
    return (pfn & ~(address_bits(m) >> F::page_shift)) == W{0};
  }
  // Does the machine have the physical address `phys`? As a base page shows: if not, it would not fit, or break a rule.
  template <word W>
  static constexpr truth<W> implemented(W phys, const machine_of<W>& m) {
    using base = typename F::template at<level::pte>;
    const W pfn = phys >> F::page_shift, page = base::make_leaf(pfn, W{base::protection({.read = true})}, m);
    return !base::reserved_set(page, m) && base::phys(page, m) == pfn << F::page_shift;
  }
  // May `w` be advanced by n pages: do they lead to a page that an entry like `w` can map? One that speaks for a group
  // of entries (NAPOT) advances by whole groups; one that marks a group of no defined size must not turn into one that
  // does.
  template <word W>
  static constexpr truth<W> may_advance(W w, W n, const machine_of<W>& m) {
    const W pfn = address(w, m) >> F::page_shift;
    truth<W> may = page(w) && mappable(n, m) && mappable<W>(pfn + n, m);
    if constexpr (has_contiguous<F>) {
      const truth<W> single = ops::item_shift(w) == W{F::shift(L)};
      const truth<W> remains_single = ops::item_shift(ops::advance(w, n)) == W{F::shift(L)};
      may = may && ((single && remains_single) || (!single && (n & W{ops::group_entries - 1}) == W{0}));
    }
    return may;
  }
  // A shadow-stack page (x86): writable for the CPU's own pushes and returns, since dirty and not writable. Whatever
  // touches dirty or write permission makes an ordinary page of it.
  template <word W>
  static constexpr truth<W> shadow_stack(W w, const machine_of<W>& m) {
    if constexpr (requires { ops::shadow_stack(w, m); })
      return ops::shadow_stack(w, m);
    else
      return truth<W>{false};
  }

  // Is the write permission of `w` in the form that mkwrite and wrprotect give it, dirty being stored to match? Entries
  // that a format makes are; a word made up need not be (x86: D set without R/W; arm64: neither DBM nor read-only;
  // riscv: W without R).
  template <word W>
  static constexpr truth<W> canonical(W w, const machine_of<W>& m) {
    const truth<W> write = ops::means(w, m).write;
    return implies<truth<W>>(write, ops::mkwrite(w) == w) && implies<truth<W>>(!write, ops::wrprotect(w) == w);
  }

  // ---- state

  // No two of empty, table, leaf hold; a parked entry is what is left.
  template <word W>
  static constexpr truth<W> states_exclude_each_other(W w) {
    const truth<W> e = ops::empty(w), t = ops::table(w), l = ops::leaf(w);
    return !(e && t) && !(e && l) && !(t && l);
  }
  // Leaves and table entries are what the MMU takes.
  template <word W>
  static constexpr truth<W> hardware_valid_is_leaf_or_table(W w) {
    return ops::hardware_valid(w) == (ops::leaf(w) || ops::table(w));
  }
  // What the MMU takes is present; what is empty is not.
  template <word W>
  static constexpr truth<W> valid_is_present_and_empty_is_not(W w) {
    return implies<truth<W>>(ops::hardware_valid(w), ops::present(w)) && !(ops::empty(w) && ops::present(w));
  }
  // PROT_NONE and an entry under change are both present and invalid, and not the same.
  template <word W>
  static constexpr truth<W> prot_none_is_present_and_invalid(W w) {
    truth<W> holds{true};
    if constexpr (has_present_invalid<F>) {
      const truth<W> changing = ops::present_invalid(w);
      holds = implies<truth<W>>(changing, ops::present(w) && !ops::hardware_valid(w));
      if constexpr (has_prot_none<F>) {
        const truth<W> none = ops::prot_none(w);
        holds = holds && implies<truth<W>>(none, ops::present(w) && !ops::hardware_valid(w)) && !(none && changing);
      }
    }
    return holds;
  }
  // An entry's address bits are within the machine's, and a multiple of what it maps, or of the smallest table.
  template <word W>
  static constexpr truth<W> addresses_are_aligned(W w, const machine_of<W>& m) {
    const std::uint64_t table_align = L == level::pte ? 1 : bit(F::index_bits(L == level::pte ? L : below(L)) + 3);
    const truth<W> leaf_aligned = (ops::phys(w, m) & W{bit(F::shift(L)) - 1}) == W{0};
    const W smallest = W{table_align > bit(8) ? bit(8) - 1 : table_align - 1};
    return implies<truth<W>>(ops::leaf(w), leaf_aligned) &&
           implies<truth<W>>(ops::table(w), (ops::table_address(w, m) & smallest) == W{0});
  }

  // ---- build

  // A leaf maps the page it was built for, with the rights it was built with, and breaks no rule of the layout.
  template <word W>
  static constexpr truth<W> leaf_reads_back(W pfn, rights r, const machine_of<W>& m) {
    const W w = ops::make_leaf(pfn, W{ops::protection(r)}, m);
    const bool some = r.read || r.write || r.exec;
    const access<W> a = ops::means(w, m);
    truth<W> holds = address(w, m) == pfn << F::page_shift;
    if (some) {
      const truth<W> allowed = implies<truth<W>>(implemented<W>(pfn << F::page_shift, m), !ops::reserved_set(w, m));
      holds = holds && ops::leaf(w) && allowed && (a.read || truth<W>{!r.read && !r.write}) &&
              a.write == truth<W>{r.write} && a.exec == truth<W>{r.exec} &&
              (truth<W>{!distinguishes_user<F>} || a.user == truth<W>{r.user});
    } else if constexpr (has_prot_none<F>) {
      holds = holds && ops::prot_none(w) && !(a.read || a.write || a.exec);
    } else {
      // Not let in by the MMU: no leaf, or a leaf without rights.
      const permissions<W> p = ops::rights_of(w, m);
      const truth<W> anything =
          p.user_read || p.user_write || p.user_exec || p.kernel_read || p.kernel_write || p.kernel_exec;
      holds = holds && !(ops::leaf(w) && anything) && !ops::table(w);
    }
    return implies<truth<W>>(mappable(pfn, m), holds);
  }
  // The MMU lets programs do no more than the rights say that a leaf was built with.
  template <word W>
  static constexpr truth<W> mmu_gives_no_more_than_meant(W pfn, rights r, const machine_of<W>& m) {
    const W w = ops::make_leaf(pfn, W{ops::protection(r)}, m);
    const permissions<W> p = ops::rights_of(w, m);
    const truth<W> nothing = !(p.user_read || p.user_write || p.user_exec);
    const truth<W> holds = implies<truth<W>>(p.user_write, truth<W>{r.write}) &&
                           implies<truth<W>>(p.user_exec, truth<W>{r.exec}) &&
                           implies<truth<W>>(truth<W>{!r.user && distinguishes_user<F>}, nothing);
    return implies<truth<W>>(mappable(pfn, m) && ops::leaf(w), holds);
  }
  // A table entry points to the table it was built for, if its address fits the field.
  template <word W>
  static constexpr truth<W> table_reads_back(W phys, const machine_of<W>& m) {
    if constexpr (L == level::pte) return truth<W>{true};
    const W w = ops::make_table(phys, m);
    const truth<W> fits = (phys & ~ops::table_address(ops::make_table(~W{0}, m), m)) == W{0};
    const truth<W> allowed = implies<truth<W>>(implemented(phys, m), !ops::reserved_set(w, m));
    return implies<truth<W>>(fits, ops::table(w) && ops::table_address(w, m) == phys && allowed);
  }
  // A swap entry has its type and offset, is parked, and is not present. (One of type 0 looks empty: that of offset 0
  // on most architectures, on x86 that of the largest offset, whose bits are stored inverted. No swap file uses
  // either.)
  template <word W>
  static constexpr truth<W> swap_reads_back(W type, W offset) {
    if constexpr (has_swap<F> && F::leaf_allowed(L)) {
      const W w = ops::make_swap(type, offset);
      const truth<W> fits = ops::swap_type(ops::make_swap(type, W{0})) == type &&
                            ops::swap_offset(ops::make_swap(W{0}, offset)) == offset && !ops::empty(w);
      const truth<W> parked = !ops::present(w) && !ops::hardware_valid(w);
      return implies<truth<W>>(fits, ops::swap_type(w) == type && ops::swap_offset(w) == offset && parked);
    } else {
      return truth<W>{true};
    }
  }

  // ---- L1: advance. n, a, b count base pages.

  template <word W>
  static constexpr truth<W> advance_by_nothing_changes_nothing(W w) {
    return ops::advance(w, W{0}) == w;
  }
  template <word W>
  static constexpr truth<W> advances_add_up(W w, W a, W b, const machine_of<W>& m) {
    const truth<W> may = may_advance(w, a, m) && may_advance(w, b, m) && may_advance<W>(w, a + b, m);
    return implies<truth<W>>(may, ops::advance(ops::advance(w, a), b) == ops::template advance<W>(w, a + b));
  }
  // There and back again: a negative count.
  template <word W>
  static constexpr truth<W> advance_goes_back(W w, W n, const machine_of<W>& m) {
    return implies<truth<W>>(may_advance(w, n, m), ops::template advance<W>(ops::advance(w, n), W{0} - n) == w);
  }
  // The address grows by n pages, and nothing but the address changes.
  template <word W>
  static constexpr truth<W> advance_moves_the_address_only(W w, W n, const machine_of<W>& m) {
    const W next = ops::advance(w, n);
    const W stored = ops::make_leaf(~W{0}, W{0}, m) ^ ops::make_leaf(W{0}, W{0}, m);  // the bits that hold address
    const truth<W> moved = address(next, m) == address(w, m) + (n << F::page_shift);
    const truth<W> only = ((next ^ w) & ~stored) == W{0};
    return implies<truth<W>>(may_advance(w, n, m), moved && only && same_but_address(next, w, m));
  }

  // ---- L2: normalisers

  // Does the format have normaliser N?
  template <normaliser N>
  static constexpr bool offered = N == normaliser::soft_clean   ? has_soft_dirty<F>
                                  : N == normaliser::uffd_clear ? has_uffd_wp<F>
                                                                : true;
  template <normaliser N, word W>
  static constexpr W normalise(W w) {
    if constexpr (!offered<N>)
      return w;
    else if constexpr (N == normaliser::old)
      return ops::mkold(w);
    else if constexpr (N == normaliser::clean)
      return ops::mkclean(w);
    else if constexpr (N == normaliser::write_protected)
      return ops::wrprotect(w);
    else if constexpr (N == normaliser::soft_clean)
      return ops::clear_soft_dirty(w);
    else
      return ops::clear_uffd_wp(w);
  }

  template <normaliser N, word W>
  static constexpr truth<W> normalising_twice_is_once(W w) {
    return implies<truth<W>>(page(w), normalise<N>(normalise<N>(w)) == normalise<N>(w));
  }
  template <normaliser N, normaliser M, word W>
  static constexpr truth<W> normalisers_commute(W w) {
    return implies<truth<W>>(page(w), normalise<N>(normalise<M>(w)) == normalise<M>(normalise<N>(w)));
  }
  template <normaliser N, word W>
  static constexpr truth<W> normaliser_commutes_with_advance(W w, W n, const machine_of<W>& m) {
    return implies<truth<W>>(may_advance(w, n, m),
                             normalise<N>(ops::advance(w, n)) == ops::advance(normalise<N>(w), n));
  }
  // It takes away what it is named for, and everything else reads as before. Above all, dirty survives wrprotect.
  template <normaliser N, word W>
  static constexpr truth<W> normaliser_takes_one_thing(W w, const machine_of<W>& m) {
    if constexpr (!offered<N>) {
      return truth<W>{true};
    } else {
      const W v = normalise<N>(w);
      truth<W> gone{true};
      if constexpr (N == normaliser::old) gone = !ops::accessed(v);
      if constexpr (N == normaliser::clean) gone = !ops::dirty(v);
      if constexpr (N == normaliser::write_protected) gone = !ops::means(v, m).write;
      if constexpr (N == normaliser::soft_clean) gone = !ops::soft_dirty(v);
      if constexpr (N == normaliser::uffd_clear) gone = !ops::uffd_wp(v);
      constexpr bool dirt = N == normaliser::clean, write = N == normaliser::write_protected;
      const truth<W> rest = same_page(v, w, m) && same_access(v, w, m, !write) &&
                            (truth<W>{N == normaliser::old} || ops::accessed(v) == ops::accessed(w)) &&
                            (truth<W>{dirt} || ops::dirty(v) == ops::dirty(w)) &&
                            (truth<W>{N == normaliser::soft_clean} || same_soft_dirty(v, w)) &&
                            (truth<W>{N == normaliser::uffd_clear} || same_uffd(v, w));
      return implies<truth<W>>(page(w) && !shadow_stack(w, m), gone && rest);
    }
  }

  // ---- L3: functions that add

  // mkyoung sets accessed and touches nothing that mkold does not.
  template <word W>
  static constexpr truth<W> mkyoung_sets_accessed_only(W w) {
    const W v = ops::mkyoung(w);
    return implies<truth<W>>(page(w), ops::accessed(v) && ops::mkold(v) == ops::mkold(w) && ops::mkyoung(v) == v);
  }
  // mkdirty sets dirty, in the form that write permission asks for, and soft-dirty where the format says so.
  template <word W>
  static constexpr truth<W> mkdirty_sets_dirty_only(W w, const machine_of<W>& m) {
    const W v = ops::mkdirty(w);
    W cleaned = ops::mkclean(v), was_clean = ops::mkclean(w);
    truth<W> soft{true};
    if constexpr (requires { requires ops::dirty_implies_soft_dirty; }) {
      soft = ops::soft_dirty(v);
      cleaned = ops::clear_soft_dirty(cleaned);
      was_clean = ops::clear_soft_dirty(was_clean);
    }
    const truth<W> holds = ops::dirty(v) && soft && cleaned == was_clean && ops::mkdirty(v) == v &&
                           same_page(v, w, m) && same_access(v, w, m, true) && same_uffd(v, w) &&
                           ops::accessed(v) == ops::accessed(w);
    return implies<truth<W>>(page(w) && !shadow_stack(w, m), holds);
  }
  // mkwrite gives write permission, and keeps dirty. (Not of PROT_NONE: what nobody may access, nobody may write.)
  template <word W>
  static constexpr truth<W> mkwrite_gives_write(W w, const machine_of<W>& m) {
    const W v = ops::mkwrite(w);
    const truth<W> holds = ops::means(v, m).write && ops::dirty(v) == ops::dirty(w) && same_page(v, w, m) &&
                           ops::accessed(v) == ops::accessed(w) && same_soft_dirty(v, w) && same_uffd(v, w);
    return implies<truth<W>>(ops::leaf(w) && canonical(w, m), holds);
  }
  // mkuffd_wp marks and write-protects, and keeps dirty. (A machine may lack the bit: then the mark is dropped.)
  template <word W>
  static constexpr truth<W> mkuffd_wp_protects(W w, const machine_of<W>& m) {
    if constexpr (has_uffd_wp<F>) {
      const W v = ops::mkuffd_wp(w, m);
      return implies<truth<W>>(page(w) && !shadow_stack(w, m),
                               !ops::means(v, m).write && ops::dirty(v) == ops::dirty(w) && same_page(v, w, m) &&
                                   ops::clear_uffd_wp(v) == ops::wrprotect(ops::clear_uffd_wp(w)));
    } else {
      return truth<W>{true};
    }
  }
  template <word W>
  static constexpr truth<W> mksoft_dirty_sets_one_bit(W w, const machine_of<W>& m) {
    if constexpr (has_soft_dirty<F>) {
      const W v = ops::mksoft_dirty(w, m);
      return ops::clear_soft_dirty(v) == ops::clear_soft_dirty(w);
    } else {
      return truth<W>{true};
    }
  }
  template <word W>
  static constexpr truth<W> mkspecial_sets_special(W w, const machine_of<W>& m) {
    if constexpr (has_special<F>) {
      const W v = ops::mkspecial(w);
      return implies<truth<W>>(page(w), ops::special(v) && address(v, m) == address(w, m) &&
                                            same_access(v, w, m, true) && ops::accessed(v) == ops::accessed(w) &&
                                            ops::dirty(v) == ops::dirty(w));
    } else {
      return truth<W>{true};
    }
  }

  // ---- L4: modify

  // The page, accessed, dirty, soft-dirty, uffd-wp, special and contiguous stay.
  template <word W>
  static constexpr truth<W> modify_keeps_the_page(W w, rights r, const machine_of<W>& m) {
    const W v = ops::modify(w, W{ops::protection(r)}, m);
    truth<W> same = address(v, m) == address(w, m) && ops::accessed(v) == ops::accessed(w) &&
                    ops::dirty(v) == ops::dirty(w) && same_soft_dirty(v, w) && same_uffd(v, w);
    if constexpr (has_special<F>) same = same && ops::special(v) == ops::special(w);
    if constexpr (has_contiguous<F>) same = same && ops::contiguous(v) == ops::contiguous(w);
    return implies<truth<W>>(page(w), same);
  }
  // The result has the rights and the validity of a leaf that is built with them.
  template <word W>
  static constexpr truth<W> modify_gives_the_rights(W w, rights r, const machine_of<W>& m) {
    const W protection = W{ops::protection(r)};
    const W v = ops::modify(w, protection, m), built = ops::make_leaf(W{0}, protection, m);
    const access<W> a = ops::means(v, m), b = ops::means(built, m);
    truth<W> same = ops::hardware_valid(v) == ops::hardware_valid(built) && ops::leaf(v) == ops::leaf(built);
    if constexpr (has_prot_none<F>) same = same && ops::prot_none(v) == ops::prot_none(built);
    same = same && a.read == b.read && a.write == b.write && a.exec == b.exec && a.user == b.user;
    // A shadow-stack page that is kept dirty and made read-only remains one.
    return implies<truth<W>>(page(w) && !shadow_stack(w, m), same);
  }
  // From one protection to another and a new leaf with that other are the same, accessed and dirty aside.
  template <word W>
  static constexpr truth<W> modify_agrees_with_make_leaf(W pfn, rights from, rights to, const machine_of<W>& m) {
    const W p = W{ops::protection(from)}, q = W{ops::protection(to)};
    const W modified = ops::modify(ops::make_leaf(pfn, p, m), q, m), made = ops::make_leaf(pfn, q, m);
    return implies<truth<W>>(mappable(pfn, m) && page(ops::make_leaf(pfn, p, m)) && page(made),
                             ops::mkyoung(modified) == ops::mkyoung(made));
  }
  // Of the old entry, the result depends on the bits of keep_mask, on dirty, and on nothing else. Take two entries that
  // differ in other bits, `other` giving those of the second; both canonical, and the address inverted in both or
  // neither.
  template <word W>
  static constexpr truth<W> modify_depends_on_what_it_keeps(W w, W other, rights r, const machine_of<W>& m) {
    const W v = (w & W{ops::keep_mask}) | (other & W{~ops::keep_mask}), p = W{ops::protection(r)};
    truth<W> alike = page(w) && page(v) && ops::dirty(v) == ops::dirty(w) && canonical(w, m) && canonical(v, m);
    if constexpr (has_inverted_pfn<F>) alike = alike && ops::inverted(v) == ops::inverted(w);
    return implies<truth<W>>(alike, ops::modify(w, p, m) == ops::modify(v, p, m));
  }

 private:
  // The same page in the same state.
  template <word W>
  static constexpr truth<W> same_page(W v, W w, const machine_of<W>& m) {
    truth<W> same = address(v, m) == address(w, m) && ops::leaf(v) == ops::leaf(w) &&
                    ops::hardware_valid(v) == ops::hardware_valid(w) && ops::present(v) == ops::present(w);
    if constexpr (has_prot_none<F>) same = same && ops::prot_none(v) == ops::prot_none(w);
    if constexpr (has_special<F>) same = same && ops::special(v) == ops::special(w);
    if constexpr (has_contiguous<F>) same = same && ops::contiguous(v) == ops::contiguous(w);
    return same;
  }
  template <word W>
  static constexpr truth<W> same_access(W v, W w, const machine_of<W>& m, bool and_write) {
    const access<W> a = ops::means(v, m), b = ops::means(w, m);
    return a.read == b.read && a.exec == b.exec && a.user == b.user && (truth<W>{!and_write} || a.write == b.write);
  }
  template <word W>
  static constexpr truth<W> same_soft_dirty(W v, W w) {
    if constexpr (has_soft_dirty<F>)
      return ops::soft_dirty(v) == ops::soft_dirty(w);
    else
      return truth<W>{true};
  }
  template <word W>
  static constexpr truth<W> same_uffd(W v, W w) {
    if constexpr (has_uffd_wp<F>)
      return ops::uffd_wp(v) == ops::uffd_wp(w);
    else
      return truth<W>{true};
  }
  template <word W>
  static constexpr truth<W> same_but_address(W v, W w, const machine_of<W>& m) {
    return ops::leaf(v) == ops::leaf(w) && ops::accessed(v) == ops::accessed(w) && ops::dirty(v) == ops::dirty(w) &&
           same_access(v, w, m, true) && same_soft_dirty(v, w) && same_uffd(v, w);
  }
};

}  // namespace pte::proof
