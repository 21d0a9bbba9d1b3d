// A made-up format, there to be read: the contract of concepts.hpp filled in, each member under what must hold of it.
// Write your own in this shape. It compiles and passes every test the real formats pass; real ones only have more bits.
//
//   63:48  47:14  13:8      7        6  5  4     3     2      1     0
//   -      frame  reserved  SPECIAL  D  A  exec  user  write  leaf  valid     leaf of 16 KiB (pte) or 32 MiB (pmd)
//   -      frame  reserved                             -      0     valid     table (pmd, pud)
#pragma once

#include <array>
#include <cstdint>
#include <pte/format/access.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/word/field.hpp>

namespace pte {

// The MMU and the operating system that uses it, in one. (A format for several systems is better split: see os.hpp.)
struct example {
  // Short names, for people and for options on command lines. `name` is unique among formats.
  static constexpr const char* arch = "example";
  static constexpr const char* name = "example";

  // log2 of the base page. Page frame numbers count base pages.
  static constexpr unsigned page_shift = 14;
  // The highest level at which a table may be. Functions below are only called for levels up to it.
  static constexpr level top_level = level::pud;
  // log2 of what one entry maps: shift(pte) is page_shift, each level adds the index bits of the one below.
  static constexpr unsigned shift(level l) { return page_shift + 11 * depth(l); }
  // log2 of the entries of a full table, which need not be a page large.
  static constexpr unsigned index_bits(level) { return 11; }
  // May an entry of this level map a page?
  static constexpr bool leaf_allowed(level l) { return l <= level::pmd; }
  // The addresses that one root table translates, for a program and for the kernel: the first and the last one, both
  // included ({{0}, {bit(va_bits) - 1}}, say). Bits va_bits - 1 to 0 select entries. For a half that the format does not
  // have (second-level tables) return no_half.
  static constexpr va_range half_range(va_half half, unsigned va_bits) { return sign_extended_half(half, va_bits); }

  // Fields: a name, the bits, who sets them, one line of meaning. Decoders print them.
  static constexpr field valid{"valid", bit(0), set_by::software, "if 0 the MMU ignores all other bits"};
  static constexpr field leaf_bit{"leaf", bit(1), set_by::software, "1 = page, 0 = table"};
  static constexpr field write{"write", bit(2), set_by::software, "writes allowed"};
  static constexpr field user{"user", bit(3), set_by::software, "for programs; else for the kernel"};
  static constexpr field exec{"exec", bit(4), set_by::software, "execution allowed"};
  static constexpr field a{"A", bit(5), set_by::hardware, "accessed"};
  static constexpr field d{"D", bit(6), set_by::hardware, "dirty: written"};
  static constexpr field ignored_7{"ignored", bit(7), set_by::ignored, "free for software"};
  static constexpr field special_bit{"SPECIAL", bit(7), set_by::software, "the system keeps no record of this page"};
  static constexpr field reserved{"reserved", bits(13, 8), set_by::reserved, "must be 0"};
  static constexpr field ignored_high{"ignored", bits(63, 48), set_by::ignored, "free for software"};

  // What is known only at boot, with the usual values as defaults. Truths are truth<W>, never bool. A proof about a
  // format of your own covers all machines once proof::all_machines<my_format> says how to make them of free words
  // (proof/machines.hpp).
  template <word W>
  struct machine {
    W address_bits{bits(47, 14)};  // implemented address bits
  };

  // A name for each number that memory_attributes() returns. This machine has ordinary memory only.
  static constexpr const char* memory_type_name(std::uint64_t) { return "memory"; }

  // Everything that may depend on the level. W is std::uint64_t, or a symbolic word in a proof: so take conditions as
  // truth<W>, choose values with select(), and branch on nothing but constants.
  template <level L>
  struct at {
    static constexpr bool page = leaf_allowed(L), directory = L != level::pte;
    static constexpr field frame{"frame", bits(47, page ? example::shift(L) : 14), set_by::software,
                                 "address of the page"};
    static constexpr field frame_low{"reserved", bits(L == level::pmd ? 24 : 14, 14), set_by::reserved,
                                     "must be 0: below the page"};
    static constexpr field next{"frame", bits(47, 14), set_by::software, "address of the table"};
    static constexpr field ignored_7_2{"ignored", bits(7, 2), set_by::ignored, "free for software"};

    // The MMU's view of a leaf and of a table entry: disjoint, and together all 64 bits. Empty where there is no such.
    static constexpr auto leaf_fields() {
      constexpr std::array all{valid, leaf_bit, write, user, exec, a, d, ignored_7, reserved, frame, ignored_high};
      if constexpr (!page)
        return std::array<field, 0>{};
      else if constexpr (L == level::pmd)
        return join(all, std::array{frame_low});
      else
        return all;
    }
    static constexpr auto table_fields() {
      if constexpr (directory)
        return std::array{valid, leaf_bit, ignored_7_2, reserved, next, ignored_high};
      else
        return std::array<field, 0>{};
    }
    // The system's names for bits of a leaf that the MMU ignores.
    static constexpr auto software_fields() { return std::array{special_bit}; }

    // (A branch on a truth works, but costs a path in proofs. A std::uint64_t made of a W compiles here and not in a
    // proof: so prove something early. any, all, none, select, assign and the members of field are in word/.)

    // At most one of leaf, table and empty holds; if none does, the entry is parked: the MMU ignores it, the system
    // does not. A leaf or table entry is hardware-valid, and nothing else is. A word on which every access faults may be
    // a leaf (reserved_set then says so) or parked; but no function below may make a leaf into anything else.
    template <word W>
    static constexpr truth<W> leaf(W w) {
      return truth<W>{page} && all<W>(w, valid.mask | leaf_bit.mask);
    }
    template <word W>
    static constexpr truth<W> table(W w) {
      return truth<W>{directory} && (w & W{valid.mask | leaf_bit.mask}) == W{valid.mask};
    }
    template <word W>
    static constexpr truth<W> empty(W w) {
      return w == W{0};
    }
    template <word W>
    static constexpr truth<W> hardware_valid(W w) {
      return leaf(w) || table(w);
    }
    // Does the system say that there is a page or table? True for all that is hardware-valid; more, if it has entries
    // that it hides from the MMU and calls present (then see has_present_invalid).
    template <word W>
    static constexpr truth<W> present(W w) {
      return hardware_valid(w);
    }

    // Bytes, whatever the entry counts in. Asked of table entries, and of leaves. Bits of other fields must not leak
    // in.
    template <word W>
    static constexpr W table_address(W w, const machine<W>&) {
      return w & W{next.mask};
    }
    template <word W>
    static constexpr W phys(W w, const machine<W>&) {
      return w & W{frame.mask};
    }
    // Of a leaf or table entry: does it break a rule of the layout, so that the walk faults?
    template <word W>
    static constexpr truth<W> reserved_set(W w, const machine<W>& m) {
      const W rules = W{reserved.mask | (L == level::pmd ? frame_low.mask : 0)};
      return (leaf(w) && (w & rules) != W{0}) || reserved.in(w) || (w & W{next.mask} & ~m.address_bits) != W{0};
    }

    // Flush decisions see nothing of an entry but phys, rights_of, memory_attributes, accessed, dirty and the optional
    // members: every bit that changes what an access does must show in one of them.
    //
    // Of a leaf: what the MMU lets programs and the kernel do, and what the system means by it. `user` must read back
    // what protection() was given; where there is no such bit, say so by `static constexpr bool has_user = false;` and
    // let everything be for the user. They differ where a
    // clean page is kept read-only, or the kernel barred from the programs' pages.
    template <word W>
    static constexpr permissions<W> rights_of(W w, const machine<W>&) {
      const truth<W> u = user.in(w), x = exec.in(w);
      return {.user_read = u,
              .user_write = u && write.in(w),
              .user_exec = u && x,
              .kernel_read = truth<W>{true},
              .kernel_write = write.in(w),
              .kernel_exec = !u && x};
    }
    template <word W>
    static constexpr access<W> means(W w, const machine<W>&) {
      return {.read = truth<W>{true}, .write = write.in(w), .exec = exec.in(w), .user = user.in(w)};
    }
    template <word W>
    static constexpr W memory_attributes(W, const machine<W>&) {
      return W{0};
    }
    template <word W>
    static constexpr truth<W> accessed(W w) {
      return a.in(w);
    }
    template <word W>
    static constexpr truth<W> dirty(W w) {
      return d.in(w);
    }

    // The bits that stand for these rights, all but the address of a leaf; no right at all gives no leaf.
    static constexpr std::uint64_t protection(rights r) {
      if (!(r.read || r.write || r.exec)) return 0;
      return valid.mask | leaf_bit.mask | a.mask | (r.write ? write.mask : 0) | (r.user ? user.mask : 0) |
             (r.exec ? exec.mask : 0);
    }
    // phys(make_leaf(pfn, ...)) == pfn << page_shift, table_address(make_table(phys, ...)) == phys, if they are
    // aligned.
    template <word W>
    static constexpr W make_leaf(W pfn, W protection, const machine<W>&) {
      return (pfn << page_shift & W{frame.mask}) | protection;
    }
    template <word W>
    static constexpr W make_table(W phys, const machine<W>&) {
      return (phys & W{next.mask}) | W{valid.mask};
    }

    // The same page with another protection: what keep_mask names stays, and so do accessed and dirty.
    static constexpr std::uint64_t keep_mask = ~(valid.mask | leaf_bit.mask | write.mask | user.mask | exec.mask);
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>&) {
      return (w & W{keep_mask}) | (protection & W{~keep_mask});
    }
    // Each changes one thing about a leaf and nothing else (but mkwrite may give read along with write). wrprotect and mkwrite keep dirty, wherever it is stored;
    // the three that take something away (wrprotect, mkold, mkclean) may be applied in any order, and twice.
    template <word W>
    static constexpr W wrprotect(W w) {
      return write.clear(w);
    }
    template <word W>
    static constexpr W mkwrite(W w) {
      return write.set(w);
    }
    template <word W>
    static constexpr W mkyoung(W w) {
      return a.set(w);
    }
    template <word W>
    static constexpr W mkold(W w) {
      return a.clear(w);
    }
    template <word W>
    static constexpr W mkdirty(W w) {
      return d.set(w);
    }
    template <word W>
    static constexpr W mkclean(W w) {
      return d.clear(w);
    }
    // The entry for the page that lies n base pages further on: phys grows by n << page_shift, all else stays.
    template <word W>
    static constexpr W advance(W w, W n) {
      return w + (n << page_shift);
    }

    // Optional members bring optional concepts: these two, has_special. The others are listed in concepts.hpp; if table
    // entries restrict what is below them, offer limited(leaf's word, table's word).
    template <word W>
    static constexpr truth<W> special(W w) {
      return special_bit.in(w);
    }
    template <word W>
    static constexpr W mkspecial(W w) {
      return special_bit.set(w);
    }
  };
};

// How the CPUs treat stale translations is a specialisation of pte::cpu<my_format> (tlb/cpu.hpp), made before any use.
// Without one the most careful answers hold: flush decisions are sound, but ask for more than your manual does.

// Three levels of 11 bits and a page of 14.
using example_47 = geometry<example, 47>;

// If a member is missing or has the wrong type, this names it.
static_assert(entry_format<example> && has_special<example>);
static_assert(!has_swap<example> && !has_present_invalid<example> && !has_soft_dirty<example> &&
              !has_contiguous<example>);

// A word or two by hand, against slips of the pen.
static_assert(example::at<level::pte>::leaf<std::uint64_t>(0x4007) &&
              !example::at<level::pte>::leaf<std::uint64_t>(0x4005));
static_assert(example::at<level::pmd>::table<std::uint64_t>(0x4001) && example_47::levels == 3);

}  // namespace pte
