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

// A machine out of three words: packed truths, an address mask, and what else the layout has; `with` adds them to the
// inputs of a proof, free where the machine is. The address bits of all words are tested first: a chain of a few states
// (same frame? reserved bits?) from which all else depends, rather than one chain for each combination of the rest.
template <class Layout>
struct all_machines;

template <>
struct all_machines<x86_64> {
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(5, 0)).word(bits(51, 12)).word(bits(51, 12)).first(~bits(51, 12));
  }
  // Any set of bits of 51..12 may be encryption, any other set reserved. The memory types are told apart by slot: the
  // machine on which most changes are visible.
  template <word W>
  static constexpr x86_64::machine<W> make(W traits, W encryption, W reserved) {
    x86_64::machine<W> m{};
    m.nx = flag(traits, 0);
    m.smep = flag(traits, 2);
    m.smap = flag(traits, 3);
    m.shadow_stack = flag(traits, 4);
    m.wp = flag(traits, 1) || m.shadow_stack;  // CR4.CET cannot be set without CR0.WP
    m.amd = flag(traits, 5);
    m.address_mask = W{bits(51, 12)} & ~encryption;
    m.reserved_mask = reserved & ~encryption;
    m.pat = W{0x0706050403020100};
    return m;
  }
};

template <unsigned PageShift, bool Pa52>
struct all_machines<arm64<PageShift, Pa52>> {
  using layout = arm64<PageShift, Pa52>;
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(7, 0)).word(bits(51, 12)).word(0).first(arm64<PageShift, Pa52>::uxn.mask | bits(54, 53) | bits(51, 50) | bits(7, 6) | bits(1, 0)).first(~bits(49, 12));
  }
  // Eight memory attributes, told apart, Normal and Normal-Tagged among them.
  template <word W>
  static constexpr typename layout::template machine<W> make(W traits, W address, W) {
    typename layout::template machine<W> m{};
    m.hw_access = flag(traits, 0);
    m.hw_dirty = flag(traits, 1);
    m.pan = flag(traits, 2);
    m.wxn = flag(traits, 3);
    m.bbm_level1 = flag(traits, 4);
    m.bbm_level2 = flag(traits, 5);
    m.erratum_2645198 = flag(traits, 6);
    m.fault_invalidates = flag(traits, 7);
    m.address_bits = address & W{bits(51, PageShift)};
    m.mair = W{0x0cbb08040044f0ff};
    return m;
  }
};

template <unsigned PageShift>
struct all_machines<ppc64_radix<PageShift>> {
  using layout = ppc64_radix<PageShift>;
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(2, 0)).word(bits(56, PageShift)).word(0).first(~bits(60, 12));
  }
  template <word W>
  static constexpr typename layout::template machine<W> make(W traits, W address, W) {
    typename layout::template machine<W> m{};
    m.kuap = flag(traits, 0);
    m.kuep = flag(traits, 1);
    m.nest_mmu = flag(traits, 2);
    m.address_bits = address;
    return m;
  }
};

template <>
struct all_machines<riscv64> {
  template <std::size_t N>
  static constexpr inputs<N + 3> with(const inputs<N>& in) {
    return in.word(bits(8, 0)).word(bits(53, 10)).word(0).first(~bits(58, 10));
  }
  template <word W>
  static constexpr riscv64::machine<W> make(W traits, W address, W) {
    riscv64::machine<W> m{};
    m.svnapot = flag(traits, 0);
    m.svpbmt = flag(traits, 1);
    m.svrsw60t59b = flag(traits, 2);
    m.svadu = flag(traits, 3);
    m.sum = flag(traits, 4);
    m.mxr = flag(traits, 5);
    m.shadow_stack = flag(traits, 6);
    m.svvptc = flag(traits, 7);
    m.fault_invalidates = flag(traits, 8);
    m.address_bits = address << 2;  // in the PPN's place, so that the words' bits meet
    return m;
  }
};

}  // namespace pte::proof
