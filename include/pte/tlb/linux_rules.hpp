// What Linux answers when it asks whether a protection change needs a flush: pte_needs_flush and huge_pmd_needs_flush of
// each architecture, bit for bit. They are asked about user entries only, with the page-table lock held.
//
// [linux] arch/x86/include/asm/tlbflush.h, arch/powerpc/include/asm/book3s/64/tlbflush.h, arch/arm64/include/asm/tlbflush.h,
//         include/asm-generic/tlb.h (the fallback)
#pragma once

#include <cstdint>

#include <pte/format/entry.hpp>
#include <pte/tlb/policy.hpp>

namespace pte {

// One architecture's rule under one operating system. needs_flush(old, next, m) works on raw words at level L.
template <class Layout, class Os>
struct linux_rule;

// x86 since 5.19: no flush after an invalid entry; else one if the frame or a bit that the MMU reads has changed, or if P
// or D (of a large page: A) was cleared. Bits that no list names are ignored, unless DEBUG_VM is on.
template <linux_version Version>
struct linux_rule<x86_64, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> needs_flush(W old, W next, const x86_64::machine<W>& m) {
    using hw = x86_64::at<L>;
    constexpr std::uint64_t cleared = x86_64::present.mask | x86_64::dirty_bit.mask | (hw::large ? x86_64::accessed_bit.mask : 0);
    constexpr std::uint64_t changed = x86_64::rw.mask | x86_64::user.mask | x86_64::pwt.mask | x86_64::pcd.mask | x86_64::pat.mask |
                                      x86_64::global_bit.mask | x86_64::key.mask | x86_64::nx.mask |
                                      (hw::large ? x86_64::pat_large.mask : 0);
    // Software's: bits 9 to 11, SOFTW4 (58 in 6.1, 57 later) and, since it exists, SAVED_DIRTY (58).
    constexpr std::uint64_t ignored = bits(11, 9) | (Version == linux_version::v6_1 ? bit(58) : bits(58, 57)) |
                                      (hw::large ? 0 : x86_64::accessed_bit.mask);
    // The frames of `old` and `next` differ where their words do. (An inverted frame in `next` needs no thought: that
    // entry is invalid, so P was cleared.)
    const W frame = W{hw::address.mask} & m.address_mask;
    const W differs = old ^ next;
    W reasons = (differs & (W{changed} | frame)) | (differs & old & W{cleared});
    if constexpr (DebugVm) reasons = reasons | (differs & W{~(changed | cleared | ignored)} & ~frame);
    return any<W>(old, x86_64::present.mask) && reasons != W{0};
  }
};

// powerpc radix since 6.1: widening is free, whatever the entry was before; bits other than R, W, X, C and R count.
template <unsigned PageShift, linux_version Version>
struct linux_rule<ppc64_radix<PageShift>, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> needs_flush(W old, W next, const typename ppc64_radix<PageShift>::template machine<W>&) {
    using hw = ppc64_radix<PageShift>;
    constexpr std::uint64_t cleared = hw::read_bit.mask | hw::write_bit.mask | hw::exec_bit.mask | hw::change.mask;
    const W differs = old ^ next;
    return ((differs & W{~(cleared | hw::reference.mask)}) | (differs & old & W{cleared})) != W{0};
  }
};

// arm64 since 6.19: every change of a valid entry but those of software's bits. Before: the fallback.
template <unsigned PageShift, bool Pa52, linux_version Version>
struct linux_rule<arm64<PageShift, Pa52>, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> needs_flush(W old, W next, const typename arm64<PageShift, Pa52>::template machine<W>&) {
    if constexpr (Version != linux_version::v7_3)
      return truth<W>{true};
    else
      return any<W>(old, arm64<PageShift, Pa52>::valid.mask) && any<W>(old ^ next, ~(bit(63) | bits(58, 55)));
  }
};

// riscv has no rule of its own: the fallback.
template <linux_version Version>
struct linux_rule<riscv64, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> needs_flush(W, W, const riscv64::machine<W>&) {
    return truth<W>{true};
  }
};

// The policy. (On powerpc's hash MMU Linux always flushes: `always`.)
template <bool DebugVm = false>
struct linux_rules {
  template <class F, level L, word W>
    requires requires { sizeof(linux_rule<typename F::layout, typename F::os>); }
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    return linux_rule<typename F::layout, typename F::os>::template needs_flush<DebugVm, L>(old.raw, next.raw, m);
  }
};

}  // namespace pte
