// powerpc64 radix-tree entries (Book3S, POWER9 and later), 4K and 64K pages.
//
//   63 62 61 60:57 56:..            11:9 8 7 6 5:4 3    2    1     0
//   V  L  SW -     RPN              SW   R C - ATT priv read write exec    leaf (L = 1): pte, pmd, pud
//   V  L  -  -  59:8 next table             7:5 -  4:0 log2 of its size    table (L = 0): pmd and up
//
// Words are in CPU order; memory holds them big-endian. Bits are numbered from the least significant one; the Power ISA
// counts from the other end.
//
// [isa]   Power ISA 3.0B and 3.1, book III, "radix tree translation" (by way of [qemu] and [linux])
// [qemu]  target/ppc/mmu-radix64.h, mmu-radix64.c
// [linux] arch/powerpc/include/asm/book3s/64/pgtable.h, radix.h
#pragma once

#include <array>
#include <cstdint>
#include <pte/format/access.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/word/field.hpp>

namespace pte {

// The hardware half. PageShift is 12 or 16; larger leaves are 2M and 1G with either.
template <unsigned PageShift>
struct ppc64_radix {
  static_assert(PageShift == 12 || PageShift == 16, "radix base pages are 4K or 64K");

  static constexpr const char* arch = "ppc64";
  static constexpr unsigned page_shift = PageShift;
  static constexpr level top_level = level::p4d;
  static constexpr const char* name = PageShift == 12 ? "ppc64-4k" : "ppc64-64k";

  static constexpr unsigned shift(level l) { return l == level::pte ? PageShift : 12 + 9 * depth(l); }
  // Tables of 64K pages have 32 entries only, those at the top 8192.
  static constexpr unsigned index_bits(level l) { return l == level::pte ? 21 - PageShift : l == level::p4d ? 13 : 9; }
  static constexpr bool leaf_allowed(level l) { return l <= level::pud; }

  // Bits 63:62 choose a quadrant: 0 is the program's, 3 the kernel's. The bits between it and the address must be 0.
  static constexpr va_range half_range(va_half half, unsigned va_bits) {
    const std::uint64_t base = half == va_half::user ? 0 : bits(63, 62);
    return {{base}, {base + bits(va_bits - 1, 0)}};
  }

  static constexpr field valid{"V", bit(63), set_by::software, "valid; if 0 the MMU ignores all other bits"};
  static constexpr field leaf_bit{"L", bit(62), set_by::software, "1 = leaf, 0 = table"};
  static constexpr field sw0{"SW", bit(61), set_by::ignored, "free for software"};
  static constexpr field reserved_60_57{"reserved", bits(60, 57), set_by::reserved, "must be 0"};
  static constexpr field sw_11_9{"SW", bits(11, 9), set_by::ignored, "free for software"};
  static constexpr field reference{"R", bit(8), set_by::hardware, "referenced: accessed"};
  static constexpr field change{"C", bit(7), set_by::hardware, "changed: dirty"};
  static constexpr field reserved_6{"reserved", bit(6), set_by::reserved, "must be 0"};
  static constexpr field att{"ATT", bits(5, 4), set_by::software, "memory type: 0 normal, 1 SAO, 2 and 3 I/O"};
  static constexpr field privileged{"priv", bit(3), set_by::software, "EAA[0]: for the kernel only"};
  static constexpr field read_bit{"read", bit(2), set_by::software, "EAA[1]: reads allowed"};
  static constexpr field write_bit{"write", bit(1), set_by::software, "EAA[2]: reads and writes allowed"};
  static constexpr field exec_bit{"exec", bit(0), set_by::software, "EAA[3]: execution allowed"};
  static constexpr field reserved_61_60{"reserved", bits(61, 60), set_by::reserved, "must be 0"};
  static constexpr field next_base{"NLB", bits(59, 8), set_by::software, "physical address of the table"};
  static constexpr field reserved_7_5{"reserved", bits(7, 5), set_by::reserved, "must be 0"};
  static constexpr field next_size{"NLS", bits(4, 0), set_by::software, "log2 of the number of entries of the table"};

  static constexpr std::uint64_t access_mask = privileged.mask | read_bit.mask | write_bit.mask | exec_bit.mask;
  // What an entry must have for anybody to be let in.
  static constexpr std::uint64_t rwx_mask = read_bit.mask | write_bit.mask | exec_bit.mask;

  // What is fixed at boot. Defaults: what Linux reckons with and sets up.
  template <word W>
  struct machine {
    W address_bits{bits(52, PageShift)};  // implemented real-address bits: 53 for Linux, 51 on POWER9
    truth<W> kuap{true};                  // AMR, key 0: the kernel does not touch user pages
    truth<W> kuep{true};                  // IAMR, key 0: the kernel does not execute user pages
    truth<W> nest_mmu{false};             // an accelerator of POWER9 uses the table: it does not fetch an entry again
  };

  // The machine with `phys_bits` (PageShift + 1 to 57) real-address bits.
  static constexpr machine<std::uint64_t> machine_with_phys_bits(unsigned phys_bits) {
    machine<std::uint64_t> m{};
    m.address_bits = bits(phys_bits - 1, PageShift);
    return m;
  }

  template <level L>
  struct at {
    static constexpr bool can_be_leaf = leaf_allowed(L);
    static constexpr unsigned low_bit = can_be_leaf ? ppc64_radix::shift(L) : PageShift;
    // [isa] and [qemu] let the page number reach bit 56; Linux counts on 56 address bits and uses 53.
    static constexpr field rpn{"RPN", bits(56, low_bit), set_by::software, "physical address of the page"};
    static constexpr field rpn_low{"reserved", bits(low_bit == 12 ? 12 : low_bit - 1, 12), set_by::reserved,
                                   "must be 0: below the page's size"};

    static constexpr auto leaf_fields() {
      constexpr std::array common{valid,  leaf_bit,   sw0, reserved_60_57, rpn,      sw_11_9,   reference,
                                  change, reserved_6, att, privileged,     read_bit, write_bit, exec_bit};
      if constexpr (!can_be_leaf)
        return std::array<field, 0>{};
      else if constexpr (low_bit == 12)
        return common;
      else
        return join(common, std::array{rpn_low});
    }
    static constexpr auto table_fields() {
      if constexpr (L == level::pte)
        return std::array<field, 0>{};
      else
        return std::array{valid, leaf_bit, reserved_61_60, next_base, reserved_7_5, next_size};
    }

    // What has no meaning at a level (a table below pte, a leaf of 512G) faults like an invalid entry.
    template <word W>
    static constexpr truth<W> leaf(W w) {
      if constexpr (!can_be_leaf)
        return truth<W>{false};
      else
        return all<W>(w, valid.mask | leaf_bit.mask);
    }
    template <word W>
    static constexpr truth<W> table(W w) {
      if constexpr (L == level::pte)
        return truth<W>{false};
      else
        return (w & W{valid.mask | leaf_bit.mask}) == W{valid.mask};
    }
    template <word W>
    static constexpr truth<W> hardware_valid(W w) {
      if constexpr (L == level::pte)
        return leaf(w);
      else if constexpr (can_be_leaf)
        return valid.in(w);
      else
        return table(w);
    }
    template <word W>
    static constexpr W table_address(W w, const machine<W>&) {
      return w & W{next_base.mask};
    }
    template <word W>
    static constexpr W phys(W w, const machine<W>&) {
      return w & W{rpn.mask};
    }
    // Does the entry break the layout? A table entry also does if the next table's size is not that of this geometry,
    // since the MMU would then take other address bits for its index.
    template <word W>
    static constexpr truth<W> reserved_set(W w, const machine<W>& m) {
      truth<W> broken = truth<W>{false};
      if constexpr (can_be_leaf) {
        constexpr std::uint64_t reserved = reserved_60_57.mask | reserved_6.mask | (low_bit == 12 ? 0 : rpn_low.mask);
        broken = leaf(w) && (any<W>(w, reserved) || (w & W{rpn.mask} & ~m.address_bits) != W{0});
      }
      if constexpr (L != level::pte) {
        const W beyond = w & W{next_base.mask} & ~(m.address_bits | W{bits(PageShift - 1, 0)});
        broken = broken || (table(w) && (any<W>(w, reserved_61_60.mask | reserved_7_5.mask) || beyond != W{0} ||
                                         next_size.get(w) != W{ppc64_radix::index_bits(below(L))}));
      }
      return broken;
    }

    // Write permission lets reads through as well. What is non-idempotent I/O is never executed.
    template <word W>
    static constexpr permissions<W> rights_of(W w, const machine<W>& m) {
      const truth<W> user = (w & W{privileged.mask}) == W{0}, kernel = !(user & m.kuap),
                     kernel_fetch = !(user & m.kuep);
      const truth<W> read = (w & W{read_bit.mask | write_bit.mask}) != W{0}, write = (w & W{write_bit.mask}) != W{0};
      const truth<W> exec = ((w & W{exec_bit.mask}) != W{0}) & ((w & W{att.mask}) != W{bit(5)});
      return {.user_read = truth<W>(user & read),
              .user_write = truth<W>(user & write),
              .user_exec = truth<W>(user & exec),
              .kernel_read = truth<W>(kernel & read),
              .kernel_write = truth<W>(kernel & write),
              .kernel_exec = truth<W>(kernel_fetch & exec)};
    }
    template <word W>
    static constexpr truth<W> accessed(W w) {
      return reference.in(w);
    }
    template <word W>
    static constexpr truth<W> hardware_dirty(W w) {
      return change.in(w);
    }
    template <word W>
    static constexpr W memory_attributes(W w, const machine<W>&) {
      return att.get(w);
    }
  };

  static constexpr const char* memory_type_name(std::uint64_t attributes) {
    switch (attributes) {
      case 0: return "normal";
      case 1: return "SAO";
      case 2: return "I/O non-idempotent";
      default: return "I/O tolerant";
    }
  }
};

// No operating system.
template <unsigned PageShift>
struct software<ppc64_radix<PageShift>, bare> : ppc64_radix<PageShift> {
  using layout = ppc64_radix<PageShift>;
  template <word W>
  using machine = typename layout::template machine<W>;

  template <level L>
  struct at : layout::template at<L> {
    using hw = typename layout::template at<L>;

    static constexpr auto software_fields() { return std::array<field, 0>{}; }

    template <word W>
    static constexpr truth<W> empty(W w) {
      return w == W{0};
    }
    template <word W>
    static constexpr truth<W> present(W w) {
      return hw::hardware_valid(w);
    }
    template <word W>
    static constexpr truth<W> dirty(W w) {
      return layout::change.in(w);
    }
    template <word W>
    static constexpr access<W> means(W w, const machine<W>&) {
      return {.read = any<W>(w, layout::read_bit.mask | layout::write_bit.mask),
              .write = layout::write_bit.in(w),
              .exec = layout::exec_bit.in(w),
              .user = !layout::privileged.in(w)};
    }

    // Bits that modify() keeps: all that are not permissions, valid or memory type.
    static constexpr std::uint64_t keep_mask = ~(layout::valid.mask | layout::att.mask | layout::access_mask);

    // PROT_NONE is a valid leaf that lets nobody in.
    static constexpr std::uint64_t protection(rights r) {
      return layout::valid.mask | layout::reference.mask | (r.read || r.write ? layout::read_bit.mask : 0) |
             (r.write ? layout::write_bit.mask : 0) | (r.exec ? layout::exec_bit.mask : 0) |
             (r.user ? 0 : layout::privileged.mask);
    }
    template <word W>
    static constexpr W make_leaf(W pfn, W protection, const machine<W>&) {
      return (pfn << PageShift & W{hw::rpn.mask}) | W{layout::leaf_bit.mask} | protection;
    }
    // The entry says how large the next table is.
    template <word W>
    static constexpr W make_table(W phys, const machine<W>&) {
      constexpr unsigned size = L == level::pte ? 0 : layout::index_bits(L == level::pte ? L : below(L));
      return (phys & W{layout::next_base.mask}) | W{layout::valid.mask | size};
    }
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>&) {
      return (w & W{keep_mask}) | (protection & W{~keep_mask});
    }
    // What could be written can still be read.
    template <word W>
    static constexpr W wrprotect(W w) {
      return layout::write_bit.clear(w) | (w & W{layout::write_bit.mask}) << 1;
    }
    // Write permission comes with read permission, though the MMU would not insist.
    template <word W>
    static constexpr W mkwrite(W w) {
      return w | W{layout::read_bit.mask | layout::write_bit.mask};
    }
    template <word W>
    static constexpr W mkyoung(W w) {
      return layout::reference.set(w);
    }
    template <word W>
    static constexpr W mkold(W w) {
      return layout::reference.clear(w);
    }
    template <word W>
    static constexpr W mkdirty(W w) {
      return layout::change.set(w);
    }
    template <word W>
    static constexpr W mkclean(W w) {
      return layout::change.clear(w);
    }
    template <word W>
    static constexpr W advance(W w, W pages) {
      return w + (pages << PageShift);
    }
  };
};

// Linux on powerpc64: bare's rules, plus the software bits and swap entries. PROT_NONE entries are valid leaves without
// permissions, so an mprotect from or to PROT_NONE never makes an entry invalid.
template <unsigned PageShift, linux_version Version>
struct software<ppc64_radix<PageShift>, linux_os<Version>> : software<ppc64_radix<PageShift>, bare> {
  using half = software<ppc64_radix<PageShift>, bare>;
  using layout = ppc64_radix<PageShift>;
  template <word W>
  using machine = typename layout::template machine<W>;

  static constexpr bool v6_1 = Version == linux_version::v6_1;

  static constexpr field invalid_bit{"INVALID", bit(61), set_by::software,
                                     "present to Linux, invalid to the MMU (with V = 0)"};
  static constexpr field devmap{"DEVMAP", bit(11), set_by::software, "maps persistent memory"};
  static constexpr field special_bit{"SPECIAL", bit(10), set_by::software, "no struct page behind it"};
  static constexpr field soft_dirty_bit{"SOFT_DIRTY", bit(9), set_by::software, "written since clear_refs"};

  // Swap entries have V = 0 and L = 1; soft-dirty sits where it does in a leaf.
  static constexpr field swap_marker{"L", bit(62), set_by::software, "1"};
  static constexpr field swap_offset_field{"offset", bits(52, PageShift), set_by::software, "swap offset"};
  static constexpr field swap_exclusive_bit{"EXCLUSIVE", bit(5), set_by::software,
                                            "anonymous page of this process only"};
  static constexpr field swap_type_field{"type", bits(4, 0), set_by::software, "swap type"};

  template <level L>
  struct at : half::template at<L> {
    using hw = typename layout::template at<L>;

    static constexpr auto software_fields() {
      if constexpr (Version == linux_version::v7_3)
        return std::array{invalid_bit, special_bit, soft_dirty_bit};
      else
        return std::array{invalid_bit, devmap, special_bit, soft_dirty_bit};
    }
    static constexpr auto swap_fields() {
      return std::array{swap_marker, swap_offset_field, soft_dirty_bit, swap_exclusive_bit, swap_type_field};
    }

    // In a pte, hardware may leave R and C behind.
    template <word W>
    static constexpr truth<W> empty(W w) {
      if constexpr (L == level::pte)
        return none<W>(w, ~(layout::reference.mask | layout::change.mask));
      else
        return w == W{0};
    }
    template <word W>
    static constexpr truth<W> present(W w) {
      if constexpr (L == level::pte)
        return layout::leaf_bit.in(w) && any<W>(w, layout::valid.mask | invalid_bit.mask);
      else
        return any<W>(w, layout::valid.mask | (may_be_changing ? invalid_bit.mask : 0));
    }
    template <word W>
    static constexpr truth<W> present_invalid(W w) {
      return present(w) && !layout::valid.in(w);
    }
    template <word W>
    static constexpr W present_phys(W w, const machine<W>& m) {
      return hw::phys(w, m);
    }

    // 6.1 marks a NUMA-hinting page that was writable by clearing the privileged bit of its PROT_NONE entry: such an
    // entry is writable to Linux, and in either form the program's own.
    template <word W>
    static constexpr truth<W> saved_write(W w) {
      if constexpr (v6_1)
        return none<W>(w, layout::access_mask);
      else
        return truth<W>{false};
    }
    template <word W>
    static constexpr access<W> means(W w, const machine<W>& m) {
      access<W> a = half::template at<L>::means(w, m);
      a.write = a.write || saved_write(w);
      if constexpr (v6_1) a.user = a.user || none<W>(w, layout::rwx_mask);
      return a;
    }
    template <word W>
    static constexpr truth<W> special(W w) {
      return special_bit.in(w);
    }
    template <word W>
    static constexpr W mkspecial(W w) {
      return special_bit.set(w);
    }
    template <word W>
    static constexpr truth<W> soft_dirty(W w) {
      return soft_dirty_bit.in(w);
    }
    template <word W>
    static constexpr W mksoft_dirty(W w, const machine<W>&) {
      return soft_dirty_bit.set(w);
    }
    template <word W>
    static constexpr W clear_soft_dirty(W w) {
      return soft_dirty_bit.clear(w);
    }
    // Sets soft-dirty as well (pte_mkdirty).
    static constexpr bool dirty_implies_soft_dirty = true;
    template <word W>
    static constexpr W mkdirty(W w) {
      return w | W{layout::change.mask | soft_dirty_bit.mask};
    }
    template <word W>
    static constexpr W wrprotect(W w) {
      return select<W>(saved_write(w), w | W{layout::privileged.mask}, half::template at<L>::wrprotect(w));
    }

    // The page number, R, C, L and the software bits that are not INVALID.
    static constexpr std::uint64_t keep_mask = bits(56, 12) | layout::reference.mask | layout::change.mask |
                                               layout::leaf_bit.mask | (mask_of(software_fields()) & ~invalid_bit.mask);

    static constexpr std::uint64_t protection(rights r) {
      const bool prot_none_6_1 = v6_1 && !(r.read || r.write || r.exec);
      return half::template at<L>::protection(r) | (prot_none_6_1 ? layout::privileged.mask : 0);
    }
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>&) {
      return (w & W{keep_mask}) | (protection & W{~keep_mask});
    }

    template <word W>
    static constexpr W swap_type(W w) {
      return swap_type_field.get(w);
    }
    template <word W>
    static constexpr W swap_offset(W w) {
      return swap_offset_field.get(w);
    }
    template <word W>
    static constexpr W make_swap(W type, W offset) {
      return W{swap_marker.mask} | swap_type_field.put(type) | swap_offset_field.put(offset);
    }
    template <word W>
    static constexpr truth<W> swap_exclusive(W w) {
      return swap_exclusive_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> swap_soft_dirty(W w) {
      return soft_dirty_bit.in(w);
    }

   private:
    // Since transparent 1G pages (6.6) a pud may be present while it is changed, as a pmd always could.
    static constexpr bool may_be_changing = L == level::pmd || (L == level::pud && !v6_1);
  };
};

using ppc64_4k = ppc64_radix<12>;
using ppc64_64k = ppc64_radix<16>;

// The one tree Linux builds, in each quadrant: 52 bits, 4 levels.
using ppc64_4k_52 = geometry<ppc64_4k, 52>;
using ppc64_64k_52 = geometry<ppc64_64k, 52>;

static_assert(entry_format<format<ppc64_4k, bare>> && entry_format<format<ppc64_64k, bare>>);
static_assert(linux_format<format<ppc64_4k, linux_6_1>> && linux_format<format<ppc64_64k, linux_6_1>>);
static_assert(linux_format<format<ppc64_4k, linux_6_12>> && linux_format<format<ppc64_64k, linux_7_3>>);
static_assert(has_soft_dirty<format<ppc64_64k, linux_6_12>> && !has_uffd_wp<format<ppc64_64k, linux_7_3>>);
static_assert(has_present_invalid<format<ppc64_4k, linux_7_3>> && !has_prot_none<format<ppc64_4k, linux_7_3>>);
static_assert(!has_contiguous<format<ppc64_4k, linux_7_3>> && !has_inverted_pfn<format<ppc64_4k, linux_7_3>>);

}  // namespace pte
