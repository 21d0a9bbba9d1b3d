// riscv64 entries: Sv39, Sv48, Sv57, with Svnapot and Svpbmt.
//
//   63 62:61 60:59 58:54     53:10  9:8  7 6 5 4 3 2 1 0
//   N  PBMT  (SW)  reserved  PPN    RSW  D A G U X W R V      leaf: at least one of X, W, R
//   0  0     (SW)  reserved  PPN    RSW  0 0 G 0 0 0 0 V      table: X = W = R = 0; not at level pte
//
//   PPN[n] is physical address bit n + 12. 60:59 are software's with Svrsw60t59b, else reserved. N = 1 with
//   PPN[3:0] = 1000 at level pte: one of 16 equal entries that map 64 KiB (Svnapot).
//
// [riscv] RISC-V Instruction Set Manual, volume II (privileged), "Sv39", "Sv48", "Sv57", "Svnapot", "Svpbmt",
//         "Svrsw60t59b", "Svadu", "Zicfiss"
// [linux] arch/riscv/include/asm/pgtable-bits.h, pgtable.h, pgtable-64.h
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

// The hardware half. One layout for all three address widths: geometry<riscv64, 39>, <riscv64, 48>, <riscv64, 57>.
struct riscv64 {
  static constexpr const char* arch = "riscv64";
  static constexpr unsigned page_shift = 12;
  static constexpr level top_level = level::pgd;
  static constexpr const char* name = "riscv64";

  static constexpr unsigned shift(level l) { return page_shift + 9 * depth(l); }
  static constexpr unsigned index_bits(level) { return 9; }
  static constexpr bool leaf_allowed(level) { return true; }

  // Bits 63 to VaBits - 1 must all be equal, else an access is a page fault. (Pointer masking is not modelled.)
  static constexpr va_range half_range(va_half half, unsigned va_bits) { return sign_extended_half(half, va_bits); }

  static constexpr field valid{"V", bit(0), set_by::software, "valid; if 0 the MMU ignores all other bits"};
  static constexpr field r{"R", bit(1), set_by::software, "reads allowed; R = W = X = 0: table"};
  static constexpr field w{"W", bit(2), set_by::software, "writes allowed; reserved without R (but see Zicfiss)"};
  static constexpr field x{"X", bit(3), set_by::software, "execution allowed"};
  static constexpr field u{"U", bit(4), set_by::software, "user page: user mode only, and the kernel with SUM"};
  static constexpr field g{"G", bit(5), set_by::software,
                           "global: in every address space; in a table entry, all below"};
  static constexpr field a{"A", bit(6), set_by::hardware, "accessed; if 0 an access faults or hardware sets it"};
  static constexpr field d{"D", bit(7), set_by::hardware, "dirty; if 0 a write faults or hardware sets it"};
  static constexpr field rsw{"RSW", bits(9, 8), set_by::ignored, "free for software"};
  static constexpr field reserved_58_54{"reserved", bits(58, 54), set_by::reserved, "must be 0"};
  static constexpr field sw_60_59{"SW", bits(60, 59), set_by::ignored,
                                  "free for software with Svrsw60t59b; else must be 0"};
  static constexpr field pbmt{"PBMT", bits(62, 61), set_by::software, "memory type: 0 PMA, 1 NC, 2 IO, 3 reserved"};
  static constexpr field n{"N", bit(63), set_by::software, "with PPN[3:0] = 1000: one of a group of 16 entries"};
  static constexpr field table_base{"PPN", bits(53, 10), set_by::software, "physical address of the table, bits 55:12"};
  static constexpr field table_ua{"reserved", bit(4), set_by::reserved, "U: must be 0 in a table entry"};
  static constexpr field table_ad{"reserved", bits(7, 6), set_by::reserved, "A and D: must be 0 in a table entry"};
  static constexpr field table_high{"reserved", bits(63, 61), set_by::reserved,
                                    "N and PBMT: must be 0 in a table entry"};

  static constexpr std::uint64_t rwx_mask = r.mask | w.mask | x.mask;

  // What is fixed at boot. Defaults: every extension that claims bits of an entry is there, and the CPU is weak where
  // that costs accesses only.
  template <word W>
  struct machine {
    W address_bits{bits(55, 12)};      // implemented physical-address bits; others give an access fault
    truth<W> svnapot{true};            // N is defined; else it must be 0
    truth<W> svpbmt{true};             // PBMT is defined; else it must be 0
    truth<W> svrsw60t59b{true};        // bits 60:59 are software's; else they must be 0
    truth<W> svadu{false};             // hardware sets A and D; else an access that needs it faults
    truth<W> svvptc{false};            // an entry that becomes valid is seen in bounded time, without a fence
    truth<W> fault_invalidates{true};  // the fault handler fences (Linux always does)
    truth<W> sum{false};               // sstatus.SUM: the kernel may touch user pages
    truth<W> mxr{false};               // sstatus.MXR: what is executable is readable
    truth<W> shadow_stack{false};      // Zicfiss: X, W, R = 0, 1, 0 is a shadow-stack page
  };

  // The machine with `phys_bits` (13 to 56) physical-address bits.
  static constexpr machine<std::uint64_t> machine_with_phys_bits(unsigned phys_bits) {
    machine<std::uint64_t> m{};
    m.address_bits = bits(phys_bits - 1, 12);
    return m;
  }

  template <level L>
  struct at {
    // Physical address bit n is bit n - 2 of the entry.
    static constexpr unsigned low_bit = riscv64::shift(L) - 2;
    static constexpr field ppn{"PPN", bits(53, low_bit), set_by::software, "physical address of the page"};
    static constexpr field ppn_low{"reserved", bits(L == level::pte ? 10 : low_bit - 1, 10), set_by::reserved,
                                   "must be 0: below the page's size"};
    // What PPN[3:0] holds in a group of 16.
    static constexpr std::uint64_t group_mask = bits(13, 10), group_code = bit(13);

    static constexpr auto leaf_fields() {
      constexpr std::array common{valid, r, w, x, u, g, a, d, rsw, ppn, reserved_58_54, sw_60_59, pbmt, n};
      if constexpr (L == level::pte)
        return common;
      else
        return join(common, std::array{ppn_low});
    }
    static constexpr auto table_fields() {
      if constexpr (L == level::pte)
        return std::array<field, 0>{};
      else
        return std::array{valid, r, w, x, table_ua, g, table_ad, rsw, table_base, reserved_58_54, sw_60_59, table_high};
    }

    // At level pte there is no table to point to: V = 1 with X = W = R = 0 faults like an invalid entry.
    template <word W>
    static constexpr truth<W> hardware_valid(W e) {
      if constexpr (L == level::pte)
        return leaf(e);
      else
        return valid.in(e);
    }
    template <word W>
    static constexpr truth<W> leaf(W e) {
      return valid.in(e) && any<W>(e, rwx_mask);
    }
    template <word W>
    static constexpr truth<W> table(W e) {
      if constexpr (L == level::pte)
        return truth<W>{false};
      else
        return (e & W{valid.mask | rwx_mask}) == W{valid.mask};
    }
    template <word W>
    static constexpr W table_address(W e, const machine<W>&) {
      return (e & W{table_base.mask}) << 2;
    }
    // One of a group of 16: its PPN[3:0] is the group's size, and the address that of the group.
    template <word W>
    static constexpr W phys(W e, const machine<W>&) {
      const W address = (e & W{ppn.mask}) << 2;
      if constexpr (L == level::pte)
        return select<W>(contiguous(e), address & W{~(group_mask << 2)}, address);
      else
        return address;
    }
    // Would the walk end in a page fault (or, for the address, in an access fault)?
    template <word W>
    static constexpr truth<W> reserved_set(W e, const machine<W>& m) {
      const W address = (e & W{table_base.mask}) << 2;
      const truth<W> always =
          reserved_58_54.in(e) || (sw_60_59.in(e) && !m.svrsw60t59b) || (address & ~m.address_bits) != W{0};
      const truth<W> write_only = (e & W{r.mask | w.mask}) == W{w.mask} && !shadow_stack(e, m);
      const truth<W> bad_type = pbmt.in(e) && (!m.svpbmt || all<W>(e, pbmt.mask));
      const truth<W> bad_group = n.in(e) && !(m.svnapot && contiguous(e));
      truth<W> in_leaf = write_only || bad_type || bad_group;
      truth<W> in_table = truth<W>{false};
      if constexpr (L != level::pte) {
        in_leaf = in_leaf || ppn_low.in(e);
        in_table = any<W>(e, table_ua.mask | table_ad.mask | table_high.mask);
      }
      return always || (leaf(e) && in_leaf) || (table(e) && in_table);
    }

    // A shadow-stack page can be read, and takes no ordinary store. The kernel never executes user pages.
    template <word W>
    static constexpr permissions<W> rights_of(W e, const machine<W>& m) {
      const truth<W> user = (e & W{u.mask}) != W{0}, not_user = !user, kernel = not_user | m.sum;
      const truth<W> exec = (e & W{x.mask}) != W{0}, write = (e & W{r.mask | w.mask}) == W{r.mask | w.mask};
      const truth<W> shadow = ((e & W{rwx_mask}) == W{w.mask}) & m.shadow_stack;
      const truth<W> read = ((e & W{r.mask}) != W{0}) | (exec & m.mxr) | shadow;
      return {.user_read = truth<W>(user & read),
              .user_write = truth<W>(user & write),
              .user_exec = truth<W>(user & exec),
              .kernel_read = truth<W>(kernel & read),
              .kernel_write = truth<W>(kernel & write),
              .kernel_exec = truth<W>(not_user & exec)};
    }
    template <word W>
    static constexpr truth<W> shadow_stack(W e, const machine<W>& m) {
      const truth<W> encoded = (e & W{rwx_mask}) == W{w.mask};
      return encoded & m.shadow_stack;
    }
    template <word W>
    static constexpr truth<W> accessed(W e) {
      return a.in(e);
    }
    template <word W>
    static constexpr truth<W> hardware_dirty(W e) {
      return d.in(e);
    }
    template <word W>
    static constexpr truth<W> global(W e) {
      return g.in(e);
    }
    template <word W>
    static constexpr W memory_attributes(W e, const machine<W>&) {
      return pbmt.get(e);
    }

    // Only the defined size of group counts; other values of PPN[3:0] with N = 1, and N = 1 above pte, are reserved.
    static constexpr unsigned group_entries = L == level::pte ? 16 : 1;
    template <word W>
    static constexpr truth<W> contiguous(W e) {
      if constexpr (L == level::pte)
        return (e & W{n.mask | group_mask}) == W{n.mask | group_code};
      else
        return truth<W>{false};
    }
    template <word W>
    static constexpr W item_shift(W e) {
      if constexpr (L == level::pte)
        return select<W>(contiguous(e), W{16}, W{12});
      else
        return W{riscv64::shift(L)};
    }
  };

  static constexpr const char* memory_type_name(std::uint64_t attributes) {
    switch (attributes) {
      case 0: return "PMA";
      case 1: return "NC";
      case 2: return "IO";
      default: return "reserved";
    }
  }
};

// No operating system.
template <>
struct software<riscv64, bare> : riscv64 {
  template <level L>
  struct at : riscv64::at<L> {
    using hw = riscv64::at<L>;

    static constexpr auto software_fields() { return std::array<field, 0>{}; }

    template <word W>
    static constexpr truth<W> empty(W e) {
      return e == W{0};
    }
    template <word W>
    static constexpr truth<W> present(W e) {
      return hw::hardware_valid(e);
    }
    template <word W>
    static constexpr truth<W> dirty(W e) {
      return d.in(e);
    }
    template <word W>
    static constexpr access<W> means(W e, const machine<W>&) {
      return {.read = any<W>(e, r.mask | w.mask), .write = w.in(e), .exec = x.in(e), .user = u.in(e)};
    }

    // Bits that modify() keeps: all that are neither permissions nor memory type.
    static constexpr std::uint64_t keep_mask = ~(riscv64::valid.mask | rwx_mask | u.mask | g.mask | pbmt.mask);

    // Without any right there is no valid leaf: the entry would point to a table.
    static constexpr std::uint64_t protection(rights rights) {
      if (!(rights.read || rights.write || rights.exec)) return 0;
      return riscv64::valid.mask | a.mask | (rights.read || rights.write ? r.mask : 0) | (rights.write ? w.mask : 0) |
             (rights.exec ? x.mask : 0) | (rights.user ? u.mask : g.mask);
    }
    template <word W>
    static constexpr W make_leaf(W pfn, W protection, const machine<W>&) {
      return (pfn << 10 & W{hw::ppn.mask}) | protection;
    }
    template <word W>
    static constexpr W make_table(W phys, const machine<W>&) {
      return (phys >> 2 & W{table_base.mask}) | W{riscv64::valid.mask};
    }
    template <word W>
    static constexpr W modify(W e, W protection, const machine<W>&) {
      return (e & W{keep_mask}) | (protection & W{~keep_mask});
    }
    // R stays or comes: a shadow-stack page (W without R) would else turn into a table entry.
    template <word W>
    static constexpr W wrprotect(W e) {
      return w.clear(e) | (e & W{w.mask}) >> 1;
    }
    // Write permission needs read permission: W without R is reserved.
    template <word W>
    static constexpr W mkwrite(W e) {
      return e | W{r.mask | w.mask};
    }
    template <word W>
    static constexpr W mkyoung(W e) {
      return a.set(e);
    }
    template <word W>
    static constexpr W mkold(W e) {
      return a.clear(e);
    }
    template <word W>
    static constexpr W mkdirty(W e) {
      return d.set(e);
    }
    template <word W>
    static constexpr W mkclean(W e) {
      return d.clear(e);
    }
    // On one of a group of 16, `pages` must be a multiple of 16: the entries of a group are all the same.
    template <word W>
    static constexpr W advance(W e, W pages) {
      return e + (pages << 10);
    }
  };
};

// Linux on riscv64: bare's rules, plus the software bits, PROT_NONE and swap entries.
template <linux_version Version>
struct software<riscv64, linux_os<Version>> : software<riscv64, bare> {
  using half = software<riscv64, bare>;

  static constexpr bool v6_1 = Version == linux_version::v6_1;
  static constexpr bool v7_3 = Version == linux_version::v7_3;

  static constexpr field special_bit{"SPECIAL", bit(8), set_by::software, "no struct page behind it"};
  static constexpr field devmap{"DEVMAP", bit(9), set_by::software, "maps persistent memory"};
  // These two are set with Svrsw60t59b only.
  static constexpr field soft_dirty_bit{"SOFT_DIRTY", bit(59), set_by::software, "written since clear_refs"};
  static constexpr field uffd{"UFFD", bit(60), set_by::software, "write-protected for userfaultfd"};
  static constexpr field prot_none_bit{"PROT_NONE", bit(5), set_by::software,
                                       "present to Linux, no access (with V = 0)"};

  static constexpr field swap_soft_dirty_bit{"SOFT_DIRTY", bit(3), set_by::software, "written since clear_refs"};
  static constexpr field swap_uffd_bit{"UFFD", bit(4), set_by::software, "write-protected for userfaultfd"};
  static constexpr field swap_exclusive_bit{"EXCLUSIVE", bit(6), set_by::software,
                                            "anonymous page of this process only"};
  static constexpr field swap_type_field{"type", v6_1 ? bits(10, 6) : bits(11, 7), set_by::software, "swap type"};
  static constexpr field swap_offset_field{"offset", bits(63, v6_1 ? 11 : 12), set_by::software, "swap offset"};

  template <level L>
  struct at : half::template at<L> {
    using hw = riscv64::at<L>;

    static constexpr auto software_fields() {
      if constexpr (v6_1)
        return std::array{special_bit};
      else if constexpr (!v7_3)
        return std::array{special_bit, devmap};
      else
        return std::array{special_bit, soft_dirty_bit, uffd};
    }
    static constexpr auto prot_none_fields() {
      auto fields = hw::leaf_fields();
      for (field& f : fields)
        if (f.mask == prot_none_bit.mask) f = prot_none_bit;
      return fields;
    }
    static constexpr auto swap_fields() {
      if constexpr (v6_1)
        return std::array{swap_type_field, swap_offset_field};
      else if constexpr (!v7_3)
        return std::array{swap_exclusive_bit, swap_type_field, swap_offset_field};
      else
        return std::array{swap_soft_dirty_bit, swap_uffd_bit, swap_exclusive_bit, swap_type_field, swap_offset_field};
    }

    // A pmd that is being split has V and PROT_NONE cleared and stays present by its permissions. (So a pmd's swap
    // entry that is soft-dirty, whose bit 3 is X, reads as present: that is 7.3's rule too.)
    template <word W>
    static constexpr truth<W> present(W e) {
      return any<W>(e, riscv64::valid.mask | prot_none_bit.mask | (may_be_changing ? rwx_mask : 0));
    }
    template <word W>
    static constexpr truth<W> prot_none(W e) {
      return (e & W{riscv64::valid.mask | prot_none_bit.mask}) == W{prot_none_bit.mask};
    }
    template <word W>
    static constexpr truth<W> present_invalid(W e) {
      return !riscv64::valid.in(e) && present(e) && !prot_none(e);
    }
    template <word W>
    static constexpr W present_phys(W e, const machine<W>& m) {
      return hw::phys(e, m);
    }

    template <word W>
    static constexpr truth<W> special(W e) {
      return special_bit.in(e);
    }
    template <word W>
    static constexpr W mkspecial(W e) {
      return special_bit.set(e);
    }
    template <word W>
    static constexpr truth<W> soft_dirty(W e) requires(v7_3) {
      return soft_dirty_bit.in(e);
    }
    template <word W>
    static constexpr W mksoft_dirty(W e, const machine<W>& m) requires(v7_3) {
      return select<W>(m.svrsw60t59b, soft_dirty_bit.set(e), e);
    }
    template <word W>
    static constexpr W clear_soft_dirty(W e) requires(v7_3) {
      return soft_dirty_bit.clear(e);
    }
    // mkdirty() leaves soft-dirty alone, since only the machine knows whether that bit exists; Linux's sets it.
    static constexpr bool dirty_implies_soft_dirty = false;
    template <word W>
    static constexpr truth<W> uffd_wp(W e) requires(v7_3) {
      return uffd.in(e);
    }
    template <word W>
    static constexpr W mkuffd_wp(W e, const machine<W>& m) requires(v7_3) {
      return at::wrprotect(select<W>(m.svrsw60t59b, uffd.set(e), e));
    }
    template <word W>
    static constexpr W clear_uffd_wp(W e) requires(v7_3) {
      return uffd.clear(e);
    }

    // PROT_NONE keeps R, so that a huge page remains recognisable as one.
    static constexpr std::uint64_t protection(rights rights) {
      if (!(rights.read || rights.write || rights.exec)) return prot_none_bit.mask | r.mask;
      return half::template at<L>::protection(rights);
    }
    // What is PROT_NONE gives no right, whatever R says.
    template <word W>
    static constexpr access<W> means(W e, const machine<W>&) {
      const truth<W> some = !prot_none(e);
      return {.read = some && any<W>(e, r.mask | w.mask),
              .write = some && w.in(e),
              .exec = some && x.in(e),
              .user = u.in(e)};
    }

    template <word W>
    static constexpr W swap_type(W e) {
      return swap_type_field.get(e);
    }
    template <word W>
    static constexpr W swap_offset(W e) {
      return swap_offset_field.get(e);
    }
    template <word W>
    static constexpr W make_swap(W type, W offset) {
      return swap_type_field.put(type) | swap_offset_field.put(offset);
    }
    template <word W>
    static constexpr truth<W> swap_exclusive(W e) requires(!v6_1) {
      return swap_exclusive_bit.in(e);
    }
    template <word W>
    static constexpr truth<W> swap_soft_dirty(W e) requires(v7_3) {
      return swap_soft_dirty_bit.in(e);
    }
    template <word W>
    static constexpr truth<W> swap_uffd_wp(W e) requires(v7_3) {
      return swap_uffd_bit.in(e);
    }

   private:
    // Levels at which Linux has transparent huge pages.
    static constexpr bool may_be_changing = L == level::pmd || (L == level::pud && v7_3);
  };
};

using riscv64_sv39 = geometry<riscv64, 39>;
using riscv64_sv48 = geometry<riscv64, 48>;
using riscv64_sv57 = geometry<riscv64, 57>;

static_assert(entry_format<format<riscv64, bare>> && has_contiguous<format<riscv64, bare>>);
static_assert(linux_format<format<riscv64, linux_6_1>>);
static_assert(linux_format<format<riscv64, linux_6_12>>);
static_assert(linux_format<format<riscv64, linux_7_3>>);
static_assert(has_prot_none<format<riscv64, linux_6_12>> && has_global<format<riscv64, linux_6_12>>);
static_assert(has_soft_dirty<format<riscv64, linux_7_3>> && !has_soft_dirty<format<riscv64, linux_6_12>>);
static_assert(has_uffd_wp<format<riscv64, linux_7_3>> && !has_uffd_wp<format<riscv64, linux_6_12>>);

}  // namespace pte
