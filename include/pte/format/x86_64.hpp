// x86-64 page-table entries, 4 and 5 levels.
//
//   63  62:59  58:52    51:12        11:9   8  7    6  5  4    3    2    1    0
//   NX  PKEY   ignored  address      ign.   G  PAT  D  A  PCD  PWT  U/S  R/W  P      4 KiB leaf (pte)
//   NX  PKEY   ignored  addr  0  PAT ign.   G  PS=1 D  A  PCD  PWT  U/S  R/W  P      2 MiB, 1 GiB leaf (pmd, pud)
//   NX  ignored         address      ignored   PS=0 -  A  PCD  PWT  U/S  R/W  P      table (pmd and up)
//
// [sdm]   Intel SDM vol. 3, 4.5 "4-level paging", 4.6 "access rights", 4.9 "paging and memory typing"
// [apm]   AMD64 APM vol. 2, 5.3 to 5.6
// [linux] arch/x86/include/asm/pgtable_types.h, pgtable.h, pgtable_64.h, pgtable-invert.h
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

// The hardware half.
struct x86_64 {
  static constexpr const char* arch = "x86_64";
  static constexpr unsigned page_shift = 12;
  static constexpr level top_level = level::pgd;
  static constexpr const char* name = "x86_64";

  static constexpr unsigned shift(level l) { return page_shift + 9 * depth(l); }
  static constexpr unsigned index_bits(level) { return 9; }
  static constexpr bool leaf_allowed(level l) { return l <= level::pud; }

  // Bits 63 to VaBits - 1 must all be equal [sdm] 3.3.7.1. (LAM and LASS are not modelled.)
  static constexpr va_range half_range(va_half half, unsigned va_bits) { return sign_extended_half(half, va_bits); }

  static constexpr field present{"P", bit(0), set_by::software, "present; if 0 the MMU ignores all other bits"};
  static constexpr field rw{"R/W", bit(1), set_by::software, "writes allowed"};
  static constexpr field user{"U/S", bit(2), set_by::software, "user-mode accesses allowed"};
  static constexpr field pwt{"PWT", bit(3), set_by::software, "memory type index bit 0 (page-level write-through)"};
  static constexpr field pcd{"PCD", bit(4), set_by::software, "memory type index bit 1 (page-level cache disable)"};
  static constexpr field accessed_bit{"A", bit(5), set_by::hardware, "accessed"};
  static constexpr field dirty_bit{"D", bit(6), set_by::hardware, "dirty; with R/W = 0: shadow stack, if enabled"};
  static constexpr field pat{"PAT", bit(7), set_by::software, "memory type index bit 2"};
  static constexpr field ps{"PS", bit(7), set_by::software, "page size: 1 = leaf, 0 = table"};
  static constexpr field global_bit{"G", bit(8), set_by::software, "global: kept when CR3 changes (with CR4.PGE)"};
  static constexpr field pat_large{"PAT", bit(12), set_by::software, "memory type index bit 2 (at bit 12 in large leaves)"};
  static constexpr field key{"PKEY", bits(62, 59), set_by::software, "protection key (with CR4.PKE or PKS)"};
  static constexpr field nx{"XD", bit(63), set_by::software, "execute disable (with EFER.NXE)"};
  static constexpr field ignored_11_9{"ignored", bits(11, 9), set_by::ignored, "free for software"};
  static constexpr field ignored_58_52{"ignored", bits(58, 52), set_by::ignored, "free for software"};

  // What is fixed at boot. Defaults: a recent CPU without memory encryption, as Linux sets it up.
  template <word W>
  struct machine {
    W address_mask{bits(51, 12)};  // bits 51..12 less the encryption bit: the C-bit of SME / SEV, TDX's shared bit
    W reserved_mask{0};            // those of bits 51..12 that the CPU does not implement (51..MAXPHYADDR): must be 0
    W pat{0x0407050600070106};     // IA32_PAT: eight memory types, one a byte [sdm] 11.12.2; here Linux's
    truth<W> nx{true};             // EFER.NXE
    truth<W> wp{true};             // CR0.WP: R/W = 0 binds the kernel too
    truth<W> smep{true};           // CR4.SMEP: the kernel does not execute user pages
    truth<W> smap{true};           // CR4.SMAP, AC clear: the kernel does not touch user pages
    truth<W> shadow_stack{false};  // CR4.CET: R/W = 0 with D = 1 is a shadow-stack page
    truth<W> amd{false};           // walks again before it reports a fault [apm] 5.5.3, so that widening never faults
  };

  // The machine of a CPU with `phys_bits` (13 to 52) physical-address bits and, unless `encryption` is 0, that one bit
  // of 51..12 for memory encryption.
  static constexpr machine<std::uint64_t> machine_with(unsigned phys_bits, std::uint64_t encryption = 0) {
    machine<std::uint64_t> m{};
    m.address_mask = bits(51, 12) & ~encryption;
    m.reserved_mask = phys_bits == 52 ? 0 : bits(51, phys_bits) & ~encryption;
    return m;
  }
  // The encryption bit of a machine; 0 if it has none.
  template <word W>
  static constexpr W encryption_mask(const machine<W>& m) {
    return W{bits(51, 12)} & ~m.address_mask;
  }

  template <level L>
  struct at {
    static constexpr bool large = L == level::pmd || L == level::pud;
    static constexpr field address{"address", bits(51, L <= level::pud ? x86_64::shift(L) : 12), set_by::software,
                                   "physical address of the page"};
    static constexpr field table_base{"address", bits(51, 12), set_by::software, "physical address of the table"};
    static constexpr field large_reserved{"reserved", bits(large ? x86_64::shift(L) - 1 : 13, 13), set_by::reserved,
                                          "must be 0 in a large leaf"};
    static constexpr field top_reserved{"reserved", bit(7), set_by::reserved, "must be 0: no leaf at this level"};
    static constexpr field table_ignored_6{"ignored", bit(6), set_by::ignored, "free for software"};
    static constexpr field table_ignored_11_8{"ignored", bits(11, 8), set_by::ignored, "free for software"};
    static constexpr field table_ignored_62_52{"ignored", bits(62, 52), set_by::ignored, "free for software"};

    static constexpr auto leaf_fields() {
      if constexpr (L == level::pte) {
        return std::array{present, rw,         user,         pwt,     pcd,           accessed_bit, dirty_bit,
                          pat,     global_bit, ignored_11_9, address, ignored_58_52, key,          nx};
      } else if constexpr (large) {
        return std::array{present,    rw,           user,      pwt,            pcd,     accessed_bit,  dirty_bit, ps,
                          global_bit, ignored_11_9, pat_large, large_reserved, address, ignored_58_52, key,       nx};
      } else {
        return std::array<field, 0>{};
      }
    }
    static constexpr auto table_fields() {
      if constexpr (L == level::pte)
        return std::array<field, 0>{};
      else
        return std::array{present,         rw,
                          user,            pwt,
                          pcd,             accessed_bit,
                          table_ignored_6, large ? ps : top_reserved,
                          table_ignored_11_8, table_base,
                          table_ignored_62_52, nx};
    }

    template <word W>
    static constexpr truth<W> hardware_valid(W w) {
      return present.in(w);
    }
    template <word W>
    static constexpr truth<W> leaf(W w) {
      if constexpr (L == level::pte) return present.in(w);
      if constexpr (large) return all<W>(w, present.mask | ps.mask);
      return truth<W>{false};
    }
    template <word W>
    static constexpr truth<W> table(W w) {
      if constexpr (L == level::pte) return truth<W>{false};
      if constexpr (large) return (w & W{present.mask | ps.mask}) == W{present.mask};
      return present.in(w);
    }
    template <word W>
    static constexpr W table_address(W w, const machine<W>& m) {
      return w & m.address_mask;
    }
    template <word W>
    static constexpr W phys(W w, const machine<W>& m) {
      return w & W{address.mask} & m.address_mask;
    }
    // Would the walk end in a reserved-bit fault? [sdm] 4.7
    template <word W>
    static constexpr truth<W> reserved_set(W w, const machine<W>& m) {
      truth<W> fault = (w & m.reserved_mask) != W{0} || (!m.nx && nx.in(w));
      if constexpr (large) fault = fault || (leaf(w) && large_reserved.in(w & m.address_mask));
      if constexpr (L > level::pud) fault = fault || top_reserved.in(w);
      return fault;
    }

    // The leaf `w` under a table entry: R/W and U/S are ANDed over the levels, XD is ORed [sdm] 4.6.
    template <word W>
    static constexpr W limited(W w, W table) {
      return (w & (table | W{~(rw.mask | user.mask)})) | (table & W{nx.mask});
    }

    // [sdm] 4.6.1. A shadow-stack page takes no ordinary store, from anybody.
    template <word W>
    static constexpr permissions<W> rights_of(W w, const machine<W>& m) {
      // Masks in the open, here and in the other formats: through field::in() clang makes up to five instructions more.
      const truth<W> u = (w & W{user.mask}) != W{0}, kernel = !(u & m.smap);
      const truth<W> writable = (w & W{rw.mask}) != W{0}, executable = !(m.nx & ((w & W{nx.mask}) != W{0}));
      const truth<W> shadow = m.shadow_stack & ((w & W{rw.mask | dirty_bit.mask}) == W{dirty_bit.mask});
      return {.user_read = u,
              .user_write = truth<W>(u & writable),
              .user_exec = truth<W>(u & executable),
              .kernel_read = kernel,
              .kernel_write = truth<W>(kernel & !shadow & (writable | !m.wp)),
              .kernel_exec = truth<W>(executable & !(u & m.smep))};
    }
    template <word W>
    static constexpr truth<W> shadow_stack(W w, const machine<W>& m) {
      return m.shadow_stack & ((w & W{rw.mask | dirty_bit.mask}) == W{dirty_bit.mask});
    }
    template <word W>
    static constexpr truth<W> accessed(W w) {
      return accessed_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> global(W w) {
      return global_bit.in(w);
    }
    template <word W>
    static constexpr W pkey(W w) {
      return key.get(w);
    }
    // The bits that hardware itself sets on a write.
    template <word W>
    static constexpr truth<W> hardware_dirty(W w) {
      return dirty_bit.in(w);
    }
    // The encryption bit, in place.
    template <word W>
    static constexpr W encryption(W w, const machine<W>& m) {
      return w & encryption_mask(m);
    }
    // The memory type [sdm] table 11-10: the byte of IA32_PAT chosen by PAT, PCD and PWT.
    template <word W>
    static constexpr W memory_attributes(W w, const machine<W>& m) {
      constexpr field high = L == level::pte ? pat : pat_large;
      const W four = select<W>(high.in(w), m.pat >> 32, m.pat & W{bits(31, 0)});
      const W two = select<W>(pcd.in(w), four >> 16, four & W{bits(15, 0)});
      return select<W>(pwt.in(w), two >> 8, two) & W{7};
    }
  };

  static constexpr const char* memory_type_name(std::uint64_t attributes) {
    switch (attributes) {
      case 0: return "UC";
      case 1: return "WC";
      case 4: return "WT";
      case 5: return "WP";
      case 6: return "WB";
      case 7: return "UC-";
      default: return "reserved";
    }
  }
};

// No operating system.
template <>
struct software<x86_64, bare> : x86_64 {
  template <level L>
  struct at : x86_64::at<L> {
    using hw = x86_64::at<L>;

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
      return dirty_bit.in(w);
    }
    template <word W>
    static constexpr access<W> means(W w, const machine<W>&) {
      return {.read = truth<W>{true}, .write = rw.in(w), .exec = !nx.in(w), .user = user.in(w)};
    }

    // Bits that modify() keeps: all that are not permissions.
    static constexpr std::uint64_t keep_mask =
        ~(x86_64::present.mask | rw.mask | user.mask | global_bit.mask | key.mask | nx.mask);

    static constexpr std::uint64_t protection(rights r) {
      if (!(r.read || r.write || r.exec)) return 0;
      return x86_64::present.mask | (hw::large ? ps.mask : 0) | accessed_bit.mask | (r.write ? rw.mask : 0) |
             (r.user ? user.mask : 0) | (r.exec ? 0 : nx.mask);
    }
    template <word W>
    static constexpr W make_leaf(W pfn, W protection, const machine<W>&) {
      return (pfn << page_shift & W{hw::address.mask}) | protection;
    }
    template <word W>
    static constexpr W make_table(W phys, const machine<W>&) {
      return (phys & W{hw::table_base.mask}) | W{x86_64::present.mask | rw.mask | user.mask | accessed_bit.mask};
    }
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>&) {
      return (w & W{keep_mask}) | (protection & W{~keep_mask});
    }
    template <word W>
    static constexpr W wrprotect(W w) {
      return rw.clear(w);
    }
    template <word W>
    static constexpr W mkwrite(W w) {
      return rw.set(w);
    }
    template <word W>
    static constexpr W mkyoung(W w) {
      return accessed_bit.set(w);
    }
    template <word W>
    static constexpr W mkold(W w) {
      return accessed_bit.clear(w);
    }
    template <word W>
    static constexpr W mkdirty(W w) {
      return dirty_bit.set(w);
    }
    template <word W>
    static constexpr W mkclean(W w) {
      return dirty_bit.clear(w);
    }
    template <word W>
    static constexpr W advance(W w, W pages) {
      return w + (pages << page_shift);
    }
  };
};

// Linux on x86-64 ([linux] files above; mm/pgtable of the release that Version names).
template <linux_version Version>
struct software<x86_64, linux_os<Version>> : x86_64 {
  static constexpr bool has_saved_dirty = Version != linux_version::v6_1;

  static constexpr field special_bit{"SPECIAL", bit(9), set_by::software, "no struct page behind it"};
  static constexpr field uffd{Version == linux_version::v7_3 ? "UFFD" : "UFFD_WP", bit(10), set_by::software,
                              "write-protected for userfaultfd"};
  static constexpr field soft_dirty_bit{"SOFT_DIRTY", bit(11), set_by::software, "written since clear_refs"};
  static constexpr field devmap_6_1{"DEVMAP", bit(58), set_by::software, "maps persistent memory"};
  static constexpr field devmap_6_12{"DEVMAP", bit(57), set_by::software, "maps persistent memory"};
  static constexpr field saved_dirty{"SAVED_DIRTY", bit(58), set_by::software,
                                     "dirty, moved here from D while not writable"};
  static constexpr field prot_none_bit{"PROTNONE", bit(8), set_by::software, "present to Linux, no access (with P = 0)"};
  static constexpr field nopti_shadow{"NOPTISHADOW", bit(58), set_by::software, "root entry not copied to the user's root"};

  // Swap entries: bits 58..9 hold the offset inverted, so that the bits which L1TF could use as an address are high.
  static constexpr field swap_soft_dirty_bit{"SOFT_DIRTY", bit(1), set_by::software, "written since clear_refs"};
  static constexpr field swap_uffd_bit{"UFFD_WP", bit(2), set_by::software, "write-protected for userfaultfd"};
  static constexpr field swap_exclusive_bit{"EXCLUSIVE", bit(3), set_by::software, "anonymous page of this process only"};
  static constexpr field swap_offset_field{"~offset", bits(58, 9), set_by::software, "swap offset, inverted"};
  static constexpr field swap_type_field{"type", bits(63, 59), set_by::software, "swap type"};
  // Some CPUs set these even in entries that are not present (Knights Landing erratum).
  static constexpr std::uint64_t knl_erratum_mask = accessed_bit.mask | dirty_bit.mask;

  template <level L>
  struct at : x86_64::at<L> {
    using hw = x86_64::at<L>;
    // The dirty bits: D, and the place where it is kept while the entry is not writable.
    static constexpr std::uint64_t dirty_mask = dirty_bit.mask | (has_saved_dirty ? saved_dirty.mask : 0);

    static constexpr auto software_fields() {
      if constexpr (Version == linux_version::v6_1)
        return std::array{special_bit, uffd, soft_dirty_bit, devmap_6_1};
      else if constexpr (Version == linux_version::v6_12)
        return std::array{special_bit, uffd, soft_dirty_bit, devmap_6_12, saved_dirty};
      else
        return std::array{special_bit, uffd, soft_dirty_bit, saved_dirty};
    }
    static constexpr auto table_software_fields() {
      if constexpr (has_saved_dirty && L > level::pud)
        return std::array{nopti_shadow};
      else
        return std::array<field, 0>{};
    }
    static constexpr auto prot_none_fields() {
      auto fields = hw::leaf_fields();
      for (field& f : fields) {
        if (f.mask == prot_none_bit.mask) f = prot_none_bit;
        if (f.mask == hw::address.mask) f = {"~address", f.mask, f.by, "physical address of the page, inverted (L1TF)"};
      }
      return fields;
    }
    static constexpr auto swap_fields() {
      return std::array{swap_soft_dirty_bit, swap_uffd_bit, swap_exclusive_bit, swap_offset_field, swap_type_field};
    }

    template <word W>
    static constexpr truth<W> empty(W w) {
      if constexpr (L == level::pgd)
        return w == W{0};
      else
        return none<W>(w, ~knl_erratum_mask);
    }
    // Linux's pte_present; a pmd or pud keeps PS set through pmd_mkinvalid and stays present.
    template <word W>
    static constexpr truth<W> present(W w) {
      return any<W>(w, x86_64::present.mask | (L > level::pud ? 0 : prot_none_bit.mask) | (hw::large ? ps.mask : 0));
    }
    // Huge PROT_NONE pages keep PS.
    template <word W>
    static constexpr truth<W> prot_none(W w) {
      if constexpr (L > level::pud)
        return truth<W>{false};
      else
        return (w & W{x86_64::present.mask | prot_none_bit.mask | page_mask}) == W{prot_none_bit.mask | page_mask};
    }
    template <word W>
    static constexpr truth<W> present_invalid(W w) {
      if constexpr (hw::large)
        return (w & W{x86_64::present.mask | prot_none_bit.mask | ps.mask}) == W{ps.mask};
      else
        return truth<W>{false};
    }

    // Is the address stored inverted? L1TF rule: in every entry that is neither valid nor zero.
    template <word W>
    static constexpr truth<W> inverted(W w) {
      return !hw::hardware_valid(w) && w != W{0};
    }
    // The address of a page that is present to Linux, valid to the MMU or not.
    template <word W>
    static constexpr W present_phys(W w, const machine<W>& m) {
      return hw::phys(select<W>(inverted(w), ~w, w), m);
    }

    template <word W>
    static constexpr truth<W> dirty(W w) {
      return any<W>(w, dirty_mask);
    }
    // What is PROT_NONE gives no right, whatever the other bits say.
    template <word W>
    static constexpr access<W> means(W w, const machine<W>& m) {
      const truth<W> some = !prot_none(w);
      return {.read = some,
              .write = some && (rw.in(w) || (truth<W>{has_saved_dirty} && hw::shadow_stack(w, m))),
              .exec = some && !nx.in(w),
              .user = user.in(w)};
    }
    template <word W>
    static constexpr truth<W> special(W w) {
      return special_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> soft_dirty(W w) {
      return soft_dirty_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> uffd_wp(W w) {
      return uffd.in(w);
    }

    // modify() takes P, R/W, U/S, G, PKEY and XD from the new protection and keeps the rest.
    static constexpr std::uint64_t keep_mask =
        bits(51, 12) | pcd.mask | pwt.mask | pat.mask | accessed_bit.mask | mask_of(software_fields()) | dirty_mask;

    // Linux's user protections: PROT_NONE is A and G without P.
    static constexpr std::uint64_t protection(rights r) {
      const std::uint64_t leaf = accessed_bit.mask | (hw::large ? ps.mask : 0);
      if (!(r.read || r.write || r.exec)) return leaf | prot_none_bit.mask;
      return leaf | x86_64::present.mask | (r.write ? rw.mask : 0) | (r.user ? user.mask : global_bit.mask) |
             (r.exec ? 0 : nx.mask);
    }
    template <word W>
    static constexpr W make_leaf(W pfn, W protection, const machine<W>& m) {
      const W address = pfn << page_shift;
      return (select<W>(inverted(protection), ~address, address) & W{hw::address.mask} & m.address_mask) | protection;
    }
    template <word W>
    static constexpr W make_table(W phys, const machine<W>&) {
      return (phys & W{hw::table_base.mask}) |
             W{x86_64::present.mask | rw.mask | user.mask | accessed_bit.mask | dirty_bit.mask};
    }
    template <word W>
    static constexpr W modify(W w, W protection, const machine<W>& m) {
      const W address = W{hw::address.mask} & m.address_mask;
      const W next = (w & W{keep_mask}) | (protection & W{~keep_mask});
      const W flipped = select<W>(inverted(w) != inverted(next), next ^ address, next);
      // A shadow-stack entry (not writable, D set) must keep its D: only an entry that was writable saves it.
      return select<W>(rw.in(w), save_dirty(flipped), restore_dirty(flipped));
    }
    template <word W>
    static constexpr W wrprotect(W w) {
      return save_dirty(rw.clear(w));
    }
    template <word W>
    static constexpr W mkwrite(W w) {
      return restore_dirty(rw.set(w));
    }
    // A shadow-stack page: not writable, dirty.
    template <word W>
    static constexpr W mkwrite_shadow_stack(W w) {
      return dirty_bit.set(rw.clear(clear_saved(w)));
    }
    template <word W>
    static constexpr W mkyoung(W w) {
      return accessed_bit.set(w);
    }
    template <word W>
    static constexpr W mkold(W w) {
      return accessed_bit.clear(w);
    }
    // Sets soft-dirty as well (pte_mkdirty).
    static constexpr bool dirty_implies_soft_dirty = true;
    template <word W>
    static constexpr W mkdirty(W w) {
      return save_dirty(w | W{dirty_bit.mask | soft_dirty_bit.mask});
    }
    template <word W>
    static constexpr W mkclean(W w) {
      return w & W{~dirty_mask};
    }
    template <word W>
    static constexpr W mksoft_dirty(W w, const machine<W>&) {
      return soft_dirty_bit.set(w);
    }
    template <word W>
    static constexpr W clear_soft_dirty(W w) {
      return soft_dirty_bit.clear(w);
    }
    template <word W>
    static constexpr W mkuffd_wp(W w, const machine<W>&) {
      return wrprotect(uffd.set(w));
    }
    template <word W>
    static constexpr W clear_uffd_wp(W w) {
      return uffd.clear(w);
    }
    template <word W>
    static constexpr W mkspecial(W w) {
      return special_bit.set(w);
    }
    template <word W>
    static constexpr W advance(W w, W pages) {
      const W step = pages << page_shift;
      return select<W>(inverted(w), w - step, w + step);
    }

    template <word W>
    static constexpr W swap_type(W w) {
      return swap_type_field.get(w);
    }
    template <word W>
    static constexpr W swap_offset(W w) {
      return swap_offset_field.get(~w);
    }
    template <word W>
    static constexpr W make_swap(W type, W offset) {
      return swap_type_field.put(type) | swap_offset_field.put(~offset);
    }
    template <word W>
    static constexpr truth<W> swap_exclusive(W w) {
      return swap_exclusive_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> swap_soft_dirty(W w) {
      return swap_soft_dirty_bit.in(w);
    }
    template <word W>
    static constexpr truth<W> swap_uffd_wp(W w) {
      return swap_uffd_bit.in(w);
    }

   private:
    // What says that an entry of this level is a page and not a table.
    static constexpr std::uint64_t page_mask = hw::large ? ps.mask : 0;

    // Not writable: D moves to SAVED_DIRTY, so that no entry looks like a shadow stack by accident.
    template <word W>
    static constexpr W save_dirty(W w) {
      if constexpr (!has_saved_dirty) return w;
      const W moved = select<W>(dirty_bit.in(w), (w | W{saved_dirty.mask}) & W{~dirty_bit.mask}, w);
      return select<W>(rw.in(w), w, moved);
    }
    // Writable: SAVED_DIRTY moves back to D.
    template <word W>
    static constexpr W restore_dirty(W w) {
      if constexpr (!has_saved_dirty) return w;
      const W moved = select<W>(saved_dirty.in(w), (w | W{dirty_bit.mask}) & W{~saved_dirty.mask}, w);
      return select<W>(rw.in(w), moved, w);
    }
    template <word W>
    static constexpr W clear_saved(W w) {
      if constexpr (!has_saved_dirty) return w;
      return w & W{~saved_dirty.mask};
    }
  };
};

using x86_64_4level = geometry<x86_64, 48>;
using x86_64_5level = geometry<x86_64, 57>;

static_assert(entry_format<format<x86_64, bare>>);
static_assert(linux_format<format<x86_64, linux_6_1>>);
static_assert(linux_format<format<x86_64, linux_6_12>>);
static_assert(linux_format<format<x86_64, linux_7_3>>);
static_assert(has_inverted_pfn<format<x86_64, linux_7_3>> && has_soft_dirty<format<x86_64, linux_7_3>>);
static_assert(has_uffd_wp<format<x86_64, linux_7_3>> && !has_contiguous<format<x86_64, linux_7_3>>);

}  // namespace pte
