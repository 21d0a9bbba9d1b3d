// arm64 descriptors: stage 1, EL1&0; granules of 4K, 16K and 64K, with 48- or 52-bit addresses.
//
//   63  62:60    59    58:55     54   53   52    51   50  49:48  47:..  11  10  9:8 7      6      5   4:2       1    0
//   -   POIndex  PBHA  software  UXN  PXN  Cont  DBM  GP  RES0   OA     nG  AF  SH  AP[2]  AP[1]  NS  AttrIndx  type V
//
//   LPA2 (4K, 16K with TCR.DS): OA[49:48] in 49:48 and OA[51:50] in 9:8 (shareability then comes from TCR).
//   LPA (64K): OA[51:48] in 15:12.  Block: bit 16 is nT.  Table: 63 NSTable, 62:61 APTable, 60 UXNTable, 59 PXNTable.
//
// [arm]   Arm ARM DDI 0487 M.a.a, D8.3 "descriptor formats", D8.4 "access control", D8.5 "AF and dirty state",
//         D8.7.1 "the Contiguous bit"
// [linux] arch/arm64/include/asm/pgtable-hwdef.h, pgtable-prot.h, pgtable.h
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <pte/format/access.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/word/field.hpp>

namespace pte {

// The hardware half. PageShift is 12, 14 or 16. Pa52: output addresses of 52 bits, LPA for 64K and LPA2 for 4K and 16K.
template <unsigned PageShift, bool Pa52 = false>
struct arm64 {
  static_assert(PageShift == 12 || PageShift == 14 || PageShift == 16, "arm64 granules are 4K, 16K and 64K");

  static constexpr const char* arch = "arm64";
  static constexpr unsigned page_shift = PageShift;
  static constexpr bool lpa = Pa52 && PageShift == 16;
  static constexpr bool lpa2 = Pa52 && PageShift != 16;
  static constexpr level top_level = PageShift == 16 ? level::pud : PageShift == 12 && Pa52 ? level::pgd : level::p4d;
  static constexpr const char* name = PageShift == 12   ? (Pa52 ? "arm64-4k-lpa2" : "arm64-4k")
                                      : PageShift == 14 ? (Pa52 ? "arm64-16k-lpa2" : "arm64-16k")
                                                        : (Pa52 ? "arm64-64k-lpa" : "arm64-64k");

  // Level n of the manual is depth 3 - n: shift = (PageShift - 3) * (4 - n) + 3 [arm] D8.2.
  static constexpr unsigned shift(level l) { return PageShift + (PageShift - 3) * depth(l); }
  static constexpr unsigned index_bits(level) { return PageShift - 3; }
  // Blocks: 2M and 1G; 32M; 512M. One level further up with 52-bit addresses: 512G, 64G, 4T.
  static constexpr bool leaf_allowed(level l) {
    return depth(l) <= (PageShift == 12 ? 2u : 1u) + (Pa52 ? 1u : 0u);
  }

  // TTBR0 translates addresses whose top bits are all 0, TTBR1 those whose are all 1. (Top-byte-ignore is not modelled.)
  static constexpr va_range half_range(va_half half, unsigned va_bits) {
    const std::uint64_t size = bit(va_bits);
    return half == va_half::user ? va_range{{0}, {size - 1}} : va_range{{~(size - 1)}, {~std::uint64_t{0}}};
  }

  static constexpr field valid{"V", bit(0), set_by::software, "valid; if 0 the MMU ignores all other bits"};
  static constexpr field type{"type", bit(1), set_by::software, "1 = table (or page, at the last level), 0 = block"};
  static constexpr field attr_index{"AttrIndx", bits(4, 2), set_by::software, "memory type: index into MAIR"};
  static constexpr field ns{"NS", bit(5), set_by::software, "non-secure address (Secure state only)"};
  static constexpr field ap1{"AP[1]", bit(6), set_by::software, "EL0 (user) accesses allowed"};
  static constexpr field rdonly{"AP[2]", bit(7), set_by::hardware, "read-only; with DBM = 1 and hardware dirty state: clean"};
  static constexpr field sh{"SH", bits(9, 8), set_by::software, "shareability: 0 non, 2 outer, 3 inner"};
  static constexpr field oa_51_50{"OA[51:50]", bits(9, 8), set_by::software, "address bits 51:50 (TCR.DS = 1)"};
  static constexpr field oa_51_48{"OA[51:48]", bits(15, 12), set_by::software, "address bits 51:48"};
  static constexpr field af{"AF", bit(10), set_by::hardware, "access flag; if 0 an access faults or hardware sets it"};
  static constexpr field ng{"nG", bit(11), set_by::software, "not global: belongs to one ASID"};
  static constexpr field nt{"nT", bit(16), set_by::software, "block is being replaced (FEAT_BBM level 1)"};
  static constexpr field gp{"GP", bit(50), set_by::software, "guarded page (BTI)"};
  static constexpr field dbm{"DBM", bit(51), set_by::software, "dirty bit modifier: hardware may clear AP[2] on a write"};
  static constexpr field cont{"Contiguous", bit(52), set_by::software, "one of a group of adjacent entries"};
  static constexpr field pxn{"PXN", bit(53), set_by::software, "privileged execute never"};
  static constexpr field uxn{"UXN", bit(54), set_by::software, "user execute never"};
  static constexpr field ignored_58_55{"ignored", bits(58, 55), set_by::ignored, "reserved for software"};
  static constexpr field pbha0{"PBHA[0]", bit(59), set_by::ignored, "ignored, unless PBHA or AttrIndx[3] is in use"};
  static constexpr field po_index{"POIndex", bits(62, 60), set_by::software, "protection key (with POE); else ignored or PBHA[3:1]"};
  static constexpr field ignored_63{"ignored", bit(63), set_by::ignored, "ignored outside Realm state"};
  static constexpr field af_table{"AF", bit(10), set_by::hardware, "access flag of the table (with HAFT)"};
  static constexpr field pxn_table{"PXNTable", bit(59), set_by::software, "privileged execute never, for all below"};
  static constexpr field uxn_table{"UXNTable", bit(60), set_by::software, "user execute never, for all below"};
  static constexpr field ap_table{"APTable", bits(62, 61), set_by::software, "limits on access for all below: 61 no EL0, 62 no write"};
  static constexpr field ns_table{"NSTable", bit(63), set_by::software, "non-secure, for all below (Secure state only)"};

  // What is fixed at boot. Defaults: the weakest CPU, as Linux sets it up. Address size and LPA2 belong to the layout.
  template <word W>
  struct machine {
    W address_bits{bits(Pa52 ? 51 : 47, PageShift)};  // implemented output-address bits; others give an Address size fault
    W mair{0x000000040044f0ff};                       // MAIR_EL1: eight memory attributes, one a byte; here Linux's
    truth<W> hw_access{false};                        // TCR.HA: hardware sets AF
    truth<W> hw_dirty{false};                         // TCR.HD: hardware clears AP[2] where DBM = 1
    truth<W> pan{true};                               // PSTATE.PAN: the kernel does not touch user pages
    truth<W> wxn{false};                              // SCTLR.WXN: what is writable is not executable
    truth<W> bbm_level1{false};                       // FEAT_BBM level 1: Contiguous may change without invalid in between
    truth<W> bbm_level2{false};                       // level 2, and never a conflict abort (Linux's BBML2_NOABORT, BBML3)
    truth<W> erratum_2645198{false};                  // executable to not executable needs break-before-make
    truth<W> fault_invalidates{true};                 // the fault handler invalidates locally (Linux does since 6.19)
  };

  // The machine with `phys_bits` (32 to 52) output-address bits.
  static constexpr machine<std::uint64_t> machine_with_phys_bits(unsigned phys_bits) {
    machine<std::uint64_t> m{};
    m.address_bits &= bits(phys_bits - 1, 0);
    return m;
  }

  template <level L>
  struct at {
    static constexpr bool block = L != level::pte;
    static constexpr bool can_be_leaf = leaf_allowed(L);
    static constexpr unsigned low_bit = arm64::shift(L);
    static constexpr unsigned high_bit = lpa2 ? 49 : 47;

    static constexpr field oa{"OA", bits(high_bit, can_be_leaf ? low_bit : PageShift), set_by::software, "physical address of the page"};
    static constexpr field table_base{"address", bits(high_bit, PageShift), set_by::software, "physical address of the table"};
    static constexpr field res0_49_48{"RES0", bits(49, 48), set_by::reserved, "must be 0"};
    // The bits between bit 12 and the address: RES0 but for nT and OA[51:48].
    static constexpr field res0_low{"RES0", bits(PageShift == 12 ? 12 : PageShift - 1, 12), set_by::reserved, "must be 0"};
    static constexpr field res0_block_low{"RES0", bits(15, 12), set_by::reserved, "must be 0"};
    static constexpr field res0_block_high{"RES0", bits(block && can_be_leaf ? low_bit - 1 : 17, 17), set_by::reserved, "must be 0"};

    static constexpr auto leaf_fields() {
      constexpr std::array common{valid, type, attr_index, ns,  ap1, rdonly,        lpa2 ? oa_51_50 : sh, af,       ng, oa,
                                  gp,    dbm,  cont,       pxn, uxn, ignored_58_55, pbha0,                po_index, ignored_63};
      if constexpr (!can_be_leaf)
        return std::array<field, 0>{};
      else if constexpr (block)
        return plus_res0_49_48(join(common, std::array{lpa ? oa_51_48 : res0_block_low, nt, res0_block_high}));
      else if constexpr (PageShift == 12)
        return plus_res0_49_48(common);
      else
        return plus_res0_49_48(join(common, std::array{lpa ? oa_51_48 : res0_low}));
    }
    static constexpr auto table_fields() {
      constexpr field ignored_7_2{"ignored", bits(7, 2), set_by::ignored, "free for software"};
      constexpr field ignored_9_2{"ignored", bits(9, 2), set_by::ignored, "free for software"};
      constexpr field ignored_11{"ignored", bit(11), set_by::ignored, "free for software"};
      constexpr field ignored_58_50{"ignored", bits(58, 50), set_by::ignored, "free for software"};
      constexpr std::array common{valid, type, af_table, ignored_11, table_base, ignored_58_50, pxn_table, uxn_table, ap_table, ns_table};
      if constexpr (L == level::pte)
        return std::array<field, 0>{};
      else if constexpr (lpa2 && PageShift == 12)
        return join(common, std::array{ignored_7_2, oa_51_50});
      else if constexpr (lpa2)
        return join(common, std::array{ignored_7_2, oa_51_50, res0_low});
      else if constexpr (PageShift == 12)
        return join(common, std::array{ignored_9_2, res0_49_48});
      else
        return join(common, std::array{ignored_9_2, res0_49_48, lpa ? oa_51_48 : res0_low});
    }

    // The last level has pages and no blocks; where no block exists its encoding is reserved and faults like invalid.
    template <word W>
    static constexpr truth<W> leaf(W w) {
      if constexpr (!can_be_leaf)
        return truth<W>{false};
      else
        return (w & W{3}) == W{block ? 1u : 3u};
    }
    template <word W>
    static constexpr truth<W> table(W w) {
      if constexpr (L == level::pte)
        return truth<W>{false};
      else
        return all<W>(w, 3);
    }
    template <word W>
    static constexpr truth<W> hardware_valid(W w) {
      if constexpr (block && can_be_leaf)
        return valid.in(w);
      else
        return all<W>(w, 3);
    }
    template <word W>
    static constexpr W table_address(W w, const machine<W>&) {
      return gather_address<PageShift>(w);
    }
    template <word W>
    static constexpr W phys(W w, const machine<W>&) {
      return gather_address<low_bit>(w);
    }
    // Does the entry break the layout: an address beyond the implemented size (Address size fault), or a RES0 bit set?
    template <word W>
    static constexpr truth<W> reserved_set(W w, const machine<W>& m) {
      const truth<W> too_large = (gather_address<PageShift>(w) & ~m.address_bits & W{bits(51, low_bit)}) != W{0};
      return too_large || (leaf(w) && any<W>(w, res0_mask(leaf_fields()))) || (table(w) && any<W>(w, res0_mask(table_fields())));
    }

    // The leaf `w` under a table entry, whose limits only take away [arm] D8.4.3.
    template <word W>
    static constexpr W limited(W w, W table) {
      const W no_el0 = select<W>(any<W>(table, bit(61)), w & W{~ap1.mask}, w);
      const W no_write = select<W>(any<W>(table, bit(62)), (no_el0 | W{rdonly.mask}) & W{~dbm.mask}, no_el0);
      return no_write | select<W>(pxn_table.in(table), W{pxn.mask}, W{0}) | select<W>(uxn_table.in(table), W{uxn.mask}, W{0});
    }

    // Direct permissions [arm] D8.4.1. What EL0 can write the kernel never executes; DBM makes a clean page writable
    // where hardware keeps dirty state.
    template <word W>
    static constexpr permissions<W> rights_of(W w, const machine<W>& m) {
      const truth<W> user = (w & W{ap1.mask}) != W{0}, kernel = !(user & m.pan);
      const truth<W> writable = ((w & W{rdonly.mask}) == W{0}) | (m.hw_dirty & ((w & W{dbm.mask}) != W{0}));
      const truth<W> user_write = user & writable;
      return {.user_read = user,
              .user_write = user_write,
              .user_exec = truth<W>(((w & W{uxn.mask}) == W{0}) & !(m.wxn & user_write)),
              .kernel_read = kernel,
              .kernel_write = truth<W>(kernel & writable),
              .kernel_exec = truth<W>(((w & W{pxn.mask}) == W{0}) & !user_write & !(m.wxn & writable))};
    }
    template <word W>
    static constexpr truth<W> accessed(W w) {
      return af.in(w);
    }
    template <word W>
    static constexpr truth<W> global(W w) {
      return !ng.in(w);
    }
    template <word W>
    static constexpr W pkey(W w) {
      return po_index.get(w);
    }
    // Not read-only: a write goes through without hardware noting anything.
    template <word W>
    static constexpr truth<W> hardware_dirty(W w) {
      return !rdonly.in(w);
    }
    template <word W>
    static constexpr truth<W> guarded(W w) {
      return gp.in(w);
    }
    template <word W>
    static constexpr W shareability(W w) {
      if constexpr (lpa2)
        return W{0};  // from TCR, the same for all
      else
        return sh.get(w);
    }
    template <word W>
    static constexpr W security(W w) {
      return ns.get(w);
    }
    // The byte of MAIR that AttrIndx chooses.
    template <word W>
    static constexpr W memory_attributes(W w, const machine<W>& m) {
      const W four = select<W>(any<W>(w, bit(4)), m.mair >> 32, m.mair & W{bits(31, 0)});
      const W two = select<W>(any<W>(w, bit(3)), four >> 16, four & W{bits(15, 0)});
      return select<W>(any<W>(w, bit(2)), two >> 8, two) & W{0xff};
    }

    // 16 entries of 4K; 128 pages or 32 blocks of 16K; 32 of 64K [arm] table D8-121.
    static constexpr unsigned group_entries = !can_be_leaf                               ? 1
                                              : PageShift == 12                          ? (L <= level::pud ? 16 : 1)
                                              : L == level::pte && PageShift == 14       ? 128
                                              : L <= level::pmd                          ? 32
                                                                                         : 1;
    template <word W>
    static constexpr truth<W> contiguous(W w) {
      return cont.in(w);
    }
    template <word W>
    static constexpr W item_shift(W) {
      return W{low_bit};
    }

    // The address bits of an entry for `phys`, which must be a multiple of the size that the entry maps.
    template <word W>
    static constexpr W scatter_address(W phys) {
      const W low = phys & W{table_base.mask};
      if constexpr (lpa) return low | ((phys >> 36) & W{oa_51_48.mask});
      if constexpr (lpa2) return low | ((phys >> 42) & W{oa_51_50.mask});
      return low;
    }
    // All bits that hold address.
    static constexpr std::uint64_t address_mask = table_base.mask | (lpa ? oa_51_48.mask : 0) | (lpa2 ? oa_51_50.mask : 0);

   private:
    template <unsigned Low, word W>
    static constexpr W gather_address(W w) {
      const W low = w & W{bits(high_bit, Low)};
      if constexpr (lpa) return low | ((w & W{oa_51_48.mask}) << 36);
      if constexpr (lpa2) return low | ((w & W{oa_51_50.mask}) << 42);
      return low;
    }
    template <class Fields>
    static constexpr std::uint64_t res0_mask(const Fields& list) {
      std::uint64_t mask = 0;
      for (const field& f : list)
        if (f.by == set_by::reserved) mask |= f.mask;
      return mask;
    }
    template <class Fields>
    static constexpr auto plus_res0_49_48(const Fields& list) {
      if constexpr (lpa2)
        return list;
      else
        return join(list, std::array{res0_49_48});
    }
  };

  // The attributes that Linux uses by name, others by their class [arm] MAIR_EL1.
  static constexpr const char* memory_type_name(std::uint64_t attributes) {
    switch (attributes) {
      case 0x00: return "Device-nGnRnE";
      case 0x04: return "Device-nGnRE";
      case 0x08: return "Device-nGRE";
      case 0x0c: return "Device-GRE";
      case 0x44: return "Normal-NC";
      case 0xbb: return "Normal-WT";
      case 0xf0: return "Normal-Tagged";
      case 0xff: return "Normal";
      default: return attributes < 0x10 ? "reserved" : "Normal (other cacheability)";
    }
  }
};

// Linux and bare share everything but the bits of invalid entries and the names of the software bits.
template <unsigned PageShift, bool Pa52>
struct software<arm64<PageShift, Pa52>, bare> : arm64<PageShift, Pa52> {
  using layout = arm64<PageShift, Pa52>;
  template <word W>
  using machine = typename layout::template machine<W>;

  // Where dirty goes while a page is not writable. The one bit of the system's four that this half takes.
  static constexpr field sw_dirty{"DIRTY", bit(55), set_by::software, "dirty, kept by software"};

  template <level L>
  struct at : layout::template at<L> {
    using hw = typename layout::template at<L>;

    static constexpr auto software_fields() { return std::array{sw_dirty}; }

    template <word W>
    static constexpr truth<W> empty(W w) {
      return w == W{0};
    }
    template <word W>
    static constexpr truth<W> present(W w) {
      return hw::hardware_valid(w);
    }
    // Written by hardware (writable and not read-only), or noted by software.
    template <word W>
    static constexpr truth<W> hw_dirty(W w) {
      return (w & W{layout::dbm.mask | layout::rdonly.mask}) == W{layout::dbm.mask};
    }
    template <word W>
    static constexpr truth<W> dirty(W w) {
      return sw_dirty.in(w) || hw_dirty(w);
    }
    // Without an operating system's rule for DBM, a page is writable if the MMU may ever let a write through.
    template <word W>
    static constexpr access<W> means(W w, const machine<W>&) {
      return meaning(w, layout::dbm.in(w) || !layout::rdonly.in(w));
    }
    template <word W>
    static constexpr access<W> meaning(W w, truth<W> write) {
      const truth<W> user = layout::ap1.in(w);
      return {.read = truth<W>{true},
              .write = write,
              .exec = (user && !layout::uxn.in(w)) || (!user && !layout::pxn.in(w)),
              .user = user};
    }

    // Kept by modify(): all that is neither permission nor memory type. nG goes with the permissions: a kernel page that
    // is given to programs must not stay global.
    static constexpr std::uint64_t keep_mask =
        ~(layout::valid.mask | layout::attr_index.mask | layout::ap1.mask | layout::rdonly.mask | layout::ng.mask |
          layout::gp.mask | layout::dbm.mask | layout::pxn.mask | layout::uxn.mask | layout::po_index.mask);

    // User pages are readable whenever they are executable, as on CPUs without EPAN.
    static constexpr std::uint64_t protection(rights r) {
      const std::uint64_t leaf = (hw::block ? 0 : layout::type.mask) | layout::af.mask | (layout::lpa2 ? 0 : layout::sh.mask);
      const std::uint64_t never = layout::pxn.mask | layout::uxn.mask;
      if (!(r.read || r.write || r.exec)) return leaf | layout::rdonly.mask | layout::ng.mask | never;
      const std::uint64_t exec = r.exec ? (r.user ? layout::uxn.mask : layout::pxn.mask) : 0;
      return leaf | layout::valid.mask | layout::rdonly.mask | (r.write ? layout::dbm.mask : 0) |
             (r.user ? layout::ap1.mask | layout::ng.mask : 0) | (never & ~exec);
    }
    template <word W>
    static constexpr W make_leaf(W pfn, W protection, const machine<W>&) {
      return hw::scatter_address(pfn << PageShift) | protection;
    }
    template <word W>
    static constexpr W make_table(W phys, const machine<W>&) {
      return hw::scatter_address(phys) | W{3};
    }
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>&) {
      return settle_dirty((keep_dirty(w) & W{keep_mask}) | (protection & W{~keep_mask}));
    }
    template <word W>
    static constexpr W wrprotect(W w) {
      return layout::rdonly.set(layout::dbm.clear(keep_dirty(w)));
    }
    // A dirty page becomes writable at once, a clean one on its first write.
    template <word W>
    static constexpr W mkwrite(W w) {
      return settle_dirty(layout::dbm.set(w));
    }
    template <word W>
    static constexpr W mkyoung(W w) {
      return layout::af.set(w);
    }
    template <word W>
    static constexpr W mkold(W w) {
      return layout::af.clear(w);
    }
    template <word W>
    static constexpr W mkdirty(W w) {
      return settle_dirty(sw_dirty.set(w));
    }
    // Without DBM nothing tracks writes: write permission is not hardware's to give back, so it stays.
    template <word W>
    static constexpr W mkclean(W w) {
      return select<W>(layout::dbm.in(w), layout::rdonly.set(sw_dirty.clear(w)), sw_dirty.clear(w));
    }
    template <word W>
    static constexpr W advance(W w, W pages) {
      if constexpr (!Pa52)
        return w + (pages << PageShift);
      else
        return (w & W{~hw::address_mask}) |
               hw::scatter_address(hw::table_address(w, machine<W>{}) + (pages << PageShift));
    }

   protected:
    // Note hardware's dirty state in the software bit, before it is overwritten.
    template <word W>
    static constexpr W keep_dirty(W w) {
      return select<W>(hw_dirty(w), w | W{sw_dirty.mask}, w);
    }
    // Writable and dirty: not read-only, lest every write faults on a CPU without hardware dirty state.
    template <word W>
    static constexpr W settle_dirty(W w) {
      return select<W>(all<W>(w, sw_dirty.mask | layout::dbm.mask), w & W{~layout::rdonly.mask}, w);
    }
  };
};

// Linux on arm64: bare's rules, plus the software bits, PROT_NONE and swap entries.
template <unsigned PageShift, bool Pa52, linux_version Version>
struct software<arm64<PageShift, Pa52>, linux_os<Version>> : software<arm64<PageShift, Pa52>, bare> {
  using half = software<arm64<PageShift, Pa52>, bare>;
  using layout = arm64<PageShift, Pa52>;
  template <word W>
  using machine = typename layout::template machine<W>;

  static constexpr bool v6_1 = Version == linux_version::v6_1;

  static constexpr field special_bit{"SPECIAL", bit(56), set_by::software, "no struct page behind it"};
  static constexpr field devmap{"DEVMAP", bit(57), set_by::software, "maps persistent memory"};
  static constexpr field uffd{Version == linux_version::v7_3 ? "UFFD" : "UFFD_WP", bit(58), set_by::software,
                              "write-protected for userfaultfd"};
  // With V = 0: present to Linux. 6.1 had one bit for PROT_NONE and another for a pmd being changed.
  static constexpr field present_invalid_bit{"PRESENT_INVALID", v6_1 ? bit(59) : bit(11), set_by::software,
                                             "present to Linux, invalid to the MMU (with V = 0)"};
  static constexpr field prot_none_6_1{"PROT_NONE", bit(58), set_by::software, "present to Linux, no access (with V = 0)"};

  static constexpr field swap_exclusive_bit{"EXCLUSIVE", bit(2), set_by::software, "anonymous page of this process only"};
  static constexpr field swap_uffd_bit{"UFFD_WP", bit(3), set_by::software, "write-protected for userfaultfd"};
  static constexpr field swap_type_field{"type", v6_1 ? bits(7, 3) : bits(10, 6), set_by::software, "swap type"};
  static constexpr field swap_offset_field{"offset", v6_1 ? bits(57, 8) : bits(61, 12), set_by::software, "swap offset"};

  template <level L>
  struct at : half::template at<L> {
    using hw = typename layout::template at<L>;

    static constexpr auto software_fields() {
      if constexpr (v6_1)
        return std::array{half::sw_dirty, special_bit, devmap};
      else if constexpr (Version == linux_version::v6_12)
        return std::array{half::sw_dirty, special_bit, devmap, uffd};
      else
        return std::array{half::sw_dirty, special_bit, uffd};
    }
    static constexpr auto prot_none_fields() {
      auto fields = hw::leaf_fields();
      for (field& f : fields)
        if (f.mask == present_invalid_bit.mask) f = present_invalid_bit;
      if constexpr (!v6_1)
        return fields;
      else
        return join(fields, std::array{prot_none_6_1});
    }
    static constexpr auto swap_fields() {
      if constexpr (v6_1)
        return std::array{swap_exclusive_bit, swap_type_field, swap_offset_field};
      else
        return std::array{swap_exclusive_bit, swap_uffd_bit, swap_type_field, swap_offset_field};
    }

    template <word W>
    static constexpr truth<W> present(W w) {
      if constexpr (v6_1)
        return any<W>(w, layout::valid.mask | prot_none_6_1.mask | (hw::block ? present_invalid_bit.mask : 0));
      else
        return any<W>(w, layout::valid.mask | present_invalid_bit.mask);
    }
    // Bit 1 stays what makes a page of the entry, not a table.
    template <word W>
    static constexpr truth<W> prot_none(W w) {
      if constexpr (v6_1)
        return (w & W{type_mask | prot_none_6_1.mask}) == W{page_type | prot_none_6_1.mask};
      else
        return (w & W{type_mask | present_invalid_bit.mask | layout::ap1.mask | layout::uxn.mask}) ==
               W{page_type | present_invalid_bit.mask | layout::uxn.mask};
    }
    template <word W>
    static constexpr truth<W> present_invalid(W w) {
      return (w & W{type_mask}) == W{page_type} && present(w) && !prot_none(w);
    }
    template <word W>
    static constexpr W present_phys(W w, const machine<W>& m) {
      return hw::phys(w, m);
    }

    // Bit 51 is the logical write permission, whether or not the CPU has hardware dirty state. What is PROT_NONE gives no
    // right, whatever the other bits say.
    template <word W>
    static constexpr access<W> means(W w, const machine<W>&) {
      const truth<W> some = !prot_none(w);
      access<W> a = at::meaning(w, layout::dbm.in(w));
      a.read = some;
      a.write = some && a.write;
      a.exec = some && a.exec;
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
    static constexpr truth<W> uffd_wp(W w) requires(!v6_1) {
      return uffd.in(w);
    }
    template <word W>
    static constexpr W mkuffd_wp(W w, const machine<W>&) requires(!v6_1) {
      return at::wrprotect(uffd.set(w));
    }
    template <word W>
    static constexpr W clear_uffd_wp(W w) requires(!v6_1) {
      return uffd.clear(w);
    }

    // modify() takes the permissions and what makes the entry valid or not from the new protection. PRESENT_INVALID
    // shares its bit with nG, which every user protection sets.
    static constexpr std::uint64_t keep_mask =
        half::template at<L>::keep_mask & ~(v6_1 ? prot_none_6_1.mask : present_invalid_bit.mask);

    static constexpr std::uint64_t protection(rights r) {
      const std::uint64_t p = half::template at<L>::protection(r);
      return layout::valid.in(p) ? p : p | (v6_1 ? prot_none_6_1.mask : present_invalid_bit.mask);
    }
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>&) {
      return at::settle_dirty((at::keep_dirty(w) & W{keep_mask}) | (protection & W{~keep_mask}));
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
      return swap_type_field.put(type) | swap_offset_field.put(offset);
    }
    template <word W>
    static constexpr truth<W> swap_exclusive(W w) {
      return swap_exclusive_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> swap_uffd_wp(W w) requires(!v6_1) {
      return swap_uffd_bit.in(w);
    }

   private:
    // Bits 1:0, and what they are in a page that is invalid to the MMU.
    static constexpr std::uint64_t type_mask = layout::valid.mask | layout::type.mask;
    static constexpr std::uint64_t page_type = hw::block ? 0 : layout::type.mask;
  };
};

using arm64_4k = arm64<12>;
using arm64_4k_lpa2 = arm64<12, true>;
using arm64_16k = arm64<14>;
using arm64_16k_lpa2 = arm64<14, true>;
using arm64_64k = arm64<16>;
using arm64_64k_lpa = arm64<16, true>;

static_assert(entry_format<format<arm64_4k, bare>> && entry_format<format<arm64_64k_lpa, bare>>);
static_assert(linux_format<format<arm64_4k, linux_6_1>> && linux_format<format<arm64_4k_lpa2, linux_6_12>>);
static_assert(linux_format<format<arm64_16k_lpa2, linux_7_3>> && linux_format<format<arm64_64k_lpa, linux_7_3>>);
static_assert(has_contiguous<format<arm64_16k, bare>> && has_prot_none<format<arm64_16k, linux_6_1>>);
static_assert(!has_uffd_wp<format<arm64_4k, linux_6_1>> && has_uffd_wp<format<arm64_4k, linux_6_12>>);
static_assert(!has_soft_dirty<format<arm64_4k, linux_7_3>> && !has_inverted_pfn<format<arm64_4k, linux_7_3>>);

}  // namespace pte
