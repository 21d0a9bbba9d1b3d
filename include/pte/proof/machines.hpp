// Every machine of an architecture at once: a machine value made of free words. A theorem over it covers all CPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/proof/inputs.hpp>
#include <pte/tlb/cpu.hpp>

namespace pte::proof {

// A machine out of three words: packed truths, an address mask, and what else the layout has. `with` adds them to the
// inputs of a proof, free where the machine is (all machines implement 32 address bits); `ordered` says in which order
// to test the bits of all words, for entries of level L. `valid` is the bit that an entry's other bits mean something
// with.
//
// The order is what makes the proofs small. First what makes an entry invalid or reserved, since little depends on the
// rest then; then the bits that rights depend on; then those that are compared with each other one by one; last the
// address, a chain of few states (same frame? reserved bits?). Each truth sits at a bit of its word beside the bits of
// entries with which it is read.
template <class Layout>
struct all_machines;

// Bits `from` and up that are below the address of a leaf of level L.
template <class Layout, level L>
constexpr std::uint64_t below_address(unsigned from) {
  return Layout::shift(L) > from ? bits(Layout::shift(L) - 1, from) : 0;
}

template <>
struct all_machines<x86_64> {
  static constexpr std::uint64_t valid = bit(0);
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bit(63) | bits(6, 5) | bits(2, 0)).word(bits(51, 32)).word(bits(51, 32));
  }
  template <level L, std::size_t N>
  static constexpr inputs<N> ordered(const inputs<N>& in) {
    return in.first(below_address<x86_64, L>(13)).first(bit(63) | bits(2, 0) | bits(6, 5)).first(~bits(51, 12));
  }
  // Any set of bits of 51..32 may be encryption, any other set reserved (physical addresses have 32 bits at least). The
  // memory types are told apart by slot: the machine on which most changes are visible.
  template <word W>
  static constexpr x86_64::machine<W> make(W traits, W encryption, W reserved) {
    x86_64::machine<W> m{};
    m.nx = flag(traits, 63);
    m.shadow_stack = flag(traits, 6);
    m.smep = flag(traits, 5);
    m.smap = flag(traits, 2);
    m.wp = flag(traits, 1) || m.shadow_stack;  // CR4.CET cannot be set without CR0.WP
    m.amd = flag(traits, 0);
    m.address_mask = W{bits(51, 12)} & ~encryption;
    m.reserved_mask = reserved & ~encryption;
    m.pat = W{0x0706050403020100};
    return m;
  }
};

template <unsigned PageShift, bool Pa52>
struct all_machines<arm64<PageShift, Pa52>> {
  using layout = arm64<PageShift, Pa52>;
  static constexpr std::uint64_t valid = bit(0);
  // Where an entry holds address bits: 51:48 or 51:50 are further down in 52-bit layouts.
  static constexpr std::uint64_t in_entry = layout::lpa    ? bits(47, 12)
                                            : layout::lpa2 ? bits(49, PageShift) | bits(9, 8)
                                                           : bits(51, PageShift);

  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(54, 53) | bits(51, 50) | bits(7, 6) | bits(1, 0))
        .word(in_entry & ~bits(31, PageShift), bits(31, PageShift))
        .word(0);
  }
  template <level L, std::size_t N>
  static constexpr inputs<N> ordered(const inputs<N>& in) {
    constexpr std::uint64_t rights = bits(54, 53) | bits(51, 50) | bits(7, 6) | bits(1, 0);
    constexpr std::uint64_t reserved =
        (below_address<layout, L>(12) & ~(layout::lpa ? bits(15, 12) : 0)) | (layout::lpa2 ? 0 : bits(49, 48));
    constexpr std::uint64_t address = bits(layout::lpa2 ? 49 : 47, 12) | (layout::lpa2 ? bits(9, 8) : 0);
    return in.first(reserved).first(rights).first(~address);
  }
  // Eight memory attributes, told apart, Normal and Normal-Tagged among them. The address bits are given where an entry
  // has them.
  template <word W>
  static constexpr typename layout::template machine<W> make(W traits, W address, W) {
    typename layout::template machine<W> m{};
    m.erratum_2645198 = flag(traits, 54);
    m.hw_access = flag(traits, 53);
    m.hw_dirty = flag(traits, 51);
    m.fault_invalidates = flag(traits, 50);
    m.wxn = flag(traits, 7);
    m.pan = flag(traits, 6);
    m.bbm_level1 = flag(traits, 1);
    m.bbm_level2 = flag(traits, 0);
    m.address_bits = address & W{bits(51, PageShift)};
    if constexpr (layout::lpa) m.address_bits = (address & W{bits(47, PageShift)}) | (address & W{bits(15, 12)}) << 36;
    if constexpr (layout::lpa2) m.address_bits = (address & W{bits(49, PageShift)}) | (address & W{bits(9, 8)}) << 42;
    m.mair = W{0x0cbb08040044f0ff};
    return m;
  }
};

template <unsigned PageShift>
struct all_machines<ppc64_radix<PageShift>> {
  using layout = ppc64_radix<PageShift>;
  static constexpr std::uint64_t valid = bit(63);
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(3, 1)).word(bits(56, 32), bits(31, PageShift)).word(0);
  }
  template <level L, std::size_t N>
  static constexpr inputs<N> ordered(const inputs<N>& in) {
    return in.first(below_address<layout, L>(12) | bits(63, 62) | bits(60, 57) | bit(6)).first(~bits(56, 12));
  }
  template <word W>
  static constexpr typename layout::template machine<W> make(W traits, W address, W) {
    typename layout::template machine<W> m{};
    m.kuap = flag(traits, 3);
    m.kuep = flag(traits, 2);
    m.nest_mmu = flag(traits, 1);
    m.address_bits = address;
    return m;
  }
};

template <>
struct all_machines<riscv64> {
  static constexpr std::uint64_t valid = bit(0);
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(63, 62) | bit(60) | bits(7, 4) | bits(3, 2)).word(bits(53, 30), bits(29, 10)).word(0);
  }
  template <level L, std::size_t N>
  static constexpr inputs<N> ordered(const inputs<N>& in) {
    return in.first(below_address<riscv64, L>(12) >> 2 | bits(62, 54))
        .first(~(bit(63) | bits(53, 10)))
        .first(bit(63) | bits(13, 10));
  }
  template <word W>
  static constexpr riscv64::machine<W> make(W traits, W address, W) {
    riscv64::machine<W> m{};
    m.svnapot = flag(traits, 63);
    m.svpbmt = flag(traits, 62);
    m.svrsw60t59b = flag(traits, 60);
    m.svadu = flag(traits, 7);
    m.svvptc = flag(traits, 6);
    m.fault_invalidates = flag(traits, 5);
    m.sum = flag(traits, 4);
    m.mxr = flag(traits, 3);
    m.shadow_stack = flag(traits, 2);
    m.address_bits = address << 2;  // in the PPN's place, so that the words' bits meet
    return m;
  }
};

}  // namespace pte::proof
