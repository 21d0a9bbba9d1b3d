// What an access does when it goes through one leaf, as the manuals say it: bit by bit, apart from the formats' own
// decoding and without a look at the table of stale translations. Two specifications, written independently, are proved
// to agree; one alone would only be proved equal to itself.
#pragma once

#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/word/word.hpp>

namespace pte::proof {

// One access: by whom, what kind. A store, a fetch or a shadow-stack store; none of them means a load.
template <word W>
struct attempt {
  truth<W> user;
  truth<W> store;
  truth<W> fetch;
  truth<W> shadow_store;
  truth<W> stray;  // a fetch: by an indirect branch that finds no landing pad
  // The protection-key register denies what this access wants of one key, if `denies`. (One is enough: an outcome
  // depends only on whether the old entry's key and the new one's are denied, and a stale entry whose key is denied
  // faults.)
  truth<W> denies;
  W denied_key;
};

// What comes of it.
template <word W>
struct outcome {
  truth<W> fault;        // not mapped, or not permitted
  truth<W> marks_dirty;  // else: hardware sets the dirty bit, or faults so that software does
};
// Where accesses through a leaf lead, whatever they are.
template <word W>
struct destination {
  truth<W> bad_address;  // nowhere, they fault: reserved bits are set, or the address is beyond what is implemented
  W phys;
  W memory_type;
  W shareability;
  W security;
  W encryption;
};

template <word W>
constexpr truth<W> same_destination(const destination<W>& t, const destination<W>& now) {
  // What is small first: that is cheaper in a proof.
  return (t.memory_type == now.memory_type && t.shareability == now.shareability && t.security == now.security) &&
         (!now.bad_address && t.phys == now.phys && t.encryption == now.encryption);
}
// Is what an access does through `t` allowed where the tables say `now`? It faults, or is permitted there too, and
// makes a dirty mark that `now` wants. (Accessed marks are not compared.)
template <word W>
constexpr truth<W> allowed(const outcome<W>& t, const outcome<W>& now) {
  return t.fault || (!now.fault && !(now.marks_dirty && !t.marks_dirty));
}

// The MMU of a layout: access<L>(entry's word, attempt, machine) and leads<L>(entry's word, machine).
template <class Layout>
struct mmu;

// [sdm] 4.6 access rights, 4.6.2 protection keys, 4.7 faults, 4.8 accessed and dirty, 4.9.2 PAT; CET: 18.
template <>
struct mmu<x86_64> {
  template <level L, word W>
  static constexpr outcome<W> access(W w, const attempt<W>& a, const x86_64::machine<W>& m) {
    const truth<W> us = any<W>(w, 1 << 2), writes = any<W>(w, 1 << 1), dirty = any<W>(w, 1 << 6);
    const truth<W> mapped = any<W>(w, 1) && (L == level::pte   ? truth<W>{true}
                                             : L <= level::pud ? any<W>(w, 1 << 7)
                                                               : truth<W>{false});
    const truth<W> no_exec = any<W>(w, bit(63)), shadow = m.shadow_stack && !writes && dirty;

    truth<W> fault = !mapped || (no_exec && !m.nx);
    // User mode needs U/S; the kernel stays away from user pages where SMAP and SMEP say so.
    fault = fault || (a.user && !us);
    fault = fault || (!a.user && us && ((a.fetch && m.smep) || (!a.fetch && m.smap)));
    // Stores need R/W, but from the kernel with WP off; and a shadow stack takes none but its own.
    fault = fault || (a.store && !writes && (a.user || m.wp || shadow));
    fault = fault || (a.shadow_store && !shadow);
    fault = fault || (a.fetch && no_exec);
    // Keys are checked for data accesses.
    fault = fault || (!a.fetch && a.denies && ((w >> 59) & W{15}) == a.denied_key);
    return {.fault = fault, .marks_dirty = a.store && !dirty};
  }

  template <level L, word W>
  static constexpr destination<W> leads(W w, const x86_64::machine<W>& m) {
    constexpr unsigned size = 12 + 9 * depth(L);
    const W reserved = m.reserved_mask | (L == level::pte ? W{0} : W{bits(size - 1, 13)} & m.address_mask);
    const truth<W> pat = any<W>(w, L == level::pte ? bit(7) : bit(12));
    W type{0};
    for (unsigned slot = 0; slot < 8; ++slot) {
      const truth<W> here = pat == truth<W>{slot >= 4} && any<W>(w, 1 << 4) == truth<W>{(slot & 2) != 0} &&
                            any<W>(w, 1 << 3) == truth<W>{(slot & 1) != 0};
      type = select<W>(here, (m.pat >> (8 * slot)) & W{7}, type);
    }
    return {.bad_address = (w & reserved) != W{0},
            .phys = w & W{bits(51, size)} & m.address_mask,
            .memory_type = type,
            .shareability = W{0},
            .security = W{0},
            .encryption = w & W{bits(51, 12)} & ~m.address_mask};
  }
};

// [arm] D8.3 descriptors, D8.4 direct permissions, D8.5 hardware dirty state, D8.6 memory attributes, D8.4.6 guarded
// pages.
template <unsigned PageShift, bool Pa52>
struct mmu<arm64<PageShift, Pa52>> {
  template <level L, word W>
  static constexpr outcome<W> access(W w, const attempt<W>& a,
                                     const typename arm64<PageShift, Pa52>::template machine<W>& m) {
    constexpr bool page = L == level::pte;
    constexpr unsigned blocks = (PageShift == 12 ? 2 : 1) + (Pa52 ? 1 : 0);
    const truth<W> mapped = depth(L) > blocks ? truth<W>{false} : (w & W{3}) == W{page ? 3u : 1u};
    const truth<W> el0 = any<W>(w, bit(6)), read_only = any<W>(w, bit(7)), dbm = any<W>(w, bit(51));
    // Writable-clean counts as writable where hardware keeps dirty state.
    const truth<W> writable = !read_only || (m.hw_dirty && dbm);
    const truth<W> el0_exec = !any<W>(w, bit(54)) && !(m.wxn && el0 && writable);
    const truth<W> el1_exec = !any<W>(w, bit(53)) && !(el0 && writable) && !(m.wxn && writable);

    truth<W> fault = !mapped || a.shadow_store;
    fault = fault || (a.fetch && !select_truth(a.user, el0_exec, el1_exec));
    fault = fault || (!a.fetch && a.user && !el0) || (!a.fetch && !a.user && el0 && m.pan);
    fault = fault || (a.store && !writable);
    fault = fault || (a.fetch && a.stray && any<W>(w, bit(50)));
    fault = fault || (a.denies && ((w >> 60) & W{7}) == a.denied_key);
    return {.fault = fault, .marks_dirty = a.store && read_only};
  }

  template <level L, word W>
  static constexpr destination<W> leads(W w, const typename arm64<PageShift, Pa52>::template machine<W>& m) {
    constexpr unsigned size = PageShift + (PageShift - 3) * depth(L);
    constexpr bool page = L == level::pte;
    constexpr bool lpa2 = Pa52 && PageShift != 16, lpa = Pa52 && PageShift == 16;
    W address = w & W{bits(lpa2 ? 49 : 47, size)};
    if constexpr (lpa2) address = address | ((w >> 8 & W{3}) << 50);
    if constexpr (lpa) address = address | ((w >> 12 & W{15}) << 48);
    // RES0 bits: between the address and bit 12 (bit 16 of a block is nT), and 49:48.
    constexpr std::uint64_t low =
        (size > 12 ? bits(size - 1, 12) : 0) & ~(page ? 0 : bit(16)) & ~(lpa ? bits(15, 12) : 0);
    constexpr std::uint64_t res0 = low | (lpa2 ? 0 : bits(49, 48));
    W type{0};
    for (unsigned slot = 0; slot < 8; ++slot)
      type = select<W>(((w >> 2) & W{7}) == W{slot}, (m.mair >> (8 * slot)) & W{0xff}, type);
    return {.bad_address = any<W>(w, res0) || (address & ~m.address_bits) != W{0},
            .phys = address,
            .memory_type = type,
            .shareability = lpa2 ? W{0} : (w >> 8) & W{3},
            .security = (w >> 5) & W{1},
            .encryption = W{0}};
  }

 private:
  template <class Truth>
  static constexpr Truth select_truth(Truth which, Truth yes, Truth no) {
    return (which && yes) || (!which && no);
  }
};

// [qemu] mmu-radix64.c: EAA, and C set on a store; KUAP and KUEP by way of AMR and IAMR, key 0.
template <unsigned PageShift>
struct mmu<ppc64_radix<PageShift>> {
  template <level L, word W>
  static constexpr outcome<W> access(W w, const attempt<W>& a,
                                     const typename ppc64_radix<PageShift>::template machine<W>& m) {
    const truth<W> mapped = L <= level::pud ? all<W>(w, bits(63, 62)) : truth<W>{false};
    const truth<W> privileged = any<W>(w, 8);
    // Instructions are not fetched from non-idempotent storage (ATT = 10).
    truth<W> fault = !mapped || a.shadow_store;
    fault = fault || (a.user && privileged);
    fault = fault || (!a.user && !privileged && ((a.fetch && m.kuep) || (!a.fetch && m.kuap)));
    fault = fault || (a.fetch && !any<W>(w, 1)) || (a.fetch && (w & W{0x30}) == W{0x20});
    fault = fault || (a.store && !any<W>(w, 2)) || (!a.store && !a.fetch && !any<W>(w, 6));
    return {.fault = fault, .marks_dirty = a.store && !any<W>(w, 0x80)};
  }

  template <level L, word W>
  static constexpr destination<W> leads(W w, const typename ppc64_radix<PageShift>::template machine<W>& m) {
    constexpr unsigned size = L == level::pte ? PageShift : 12 + 9 * depth(L);
    const W address = w & W{bits(56, size)};
    constexpr std::uint64_t low = size > 12 ? bits(size - 1, 12) : 0;
    return {.bad_address = any<W>(w, low | bits(60, 57) | bit(6)) || (address & ~m.address_bits) != W{0},
            .phys = address,
            .memory_type = (w >> 4) & W{3},
            .shareability = W{0},
            .security = W{0},
            .encryption = W{0}};
  }
};

// [riscv] "Virtual address translation process", steps 5 to 9; Svnapot, Svpbmt, Zicfiss.
template <>
struct mmu<riscv64> {
  template <level L, word W>
  static constexpr outcome<W> access(W w, const attempt<W>& a, const riscv64::machine<W>& m) {
    const truth<W> r = any<W>(w, 2), writes = any<W>(w, 4), x = any<W>(w, 8), u = any<W>(w, 16),
                   dirty = any<W>(w, 0x80);
    const truth<W> mapped = any<W>(w, 1) && (r || writes || x);
    const truth<W> shadow = m.shadow_stack && writes && !r && !x;
    truth<W> fault = !mapped || (writes && !r && !shadow);
    // U pages: the kernel reads and writes with SUM only, and never executes.
    fault = fault || (a.user && !u) || (!a.user && u && (a.fetch || !m.sum));
    fault = fault || (a.fetch && !x) || (a.store && (!writes || shadow)) || (a.shadow_store && !shadow);
    fault = fault || (!a.fetch && !a.store && !a.shadow_store && !(r || shadow || (x && m.mxr)));
    return {.fault = fault, .marks_dirty = (a.store || a.shadow_store) && !dirty};
  }

  template <level L, word W>
  static constexpr destination<W> leads(W w, const riscv64::machine<W>& m) {
    constexpr unsigned size = 12 + 9 * depth(L);
    const truth<W> napot = any<W>(w, bit(63)), group = napot && ((w >> 10) & W{15}) == W{8};
    // Bits of extensions that are not there, and bits that nobody has.
    truth<W> bad = any<W>(w, bits(58, 54)) || (any<W>(w, bits(60, 59)) && !m.svrsw60t59b) ||
                   (any<W>(w, bits(62, 61)) && !m.svpbmt) || all<W>(w, bits(62, 61));
    W address = (w & W{bits(53, 10)}) << 2;
    const truth<W> beyond = (address & ~m.address_bits) != W{0};
    if constexpr (L == level::pte) {
      bad = bad || (napot && !(group && m.svnapot));
      address = select<W>(group, address & W{~bits(15, 12)}, address);
    } else {
      bad = bad || napot || any<W>(w, bits(size - 3, 10));
    }
    return {.bad_address = bad || beyond,
            .phys = address,
            .memory_type = (w >> 61) & W{3},
            .shareability = W{0},
            .security = W{0},
            .encryption = W{0}};
  }
};

}  // namespace pte::proof
