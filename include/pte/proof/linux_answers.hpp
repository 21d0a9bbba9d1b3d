// S5: what Linux answers, transcribed step by step as its functions are written, apart from the policy linux_rules; the
// two are proved to agree on all pairs. [linux] as in tlb/linux_rules.hpp
#pragma once

#include <cstdint>
#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/proof/flush.hpp>
#include <pte/tlb/linux_rules.hpp>

namespace pte::proof {

// answer<DebugVm, L>(old, next, machine): pte_needs_flush at level pte, huge_pmd_needs_flush above.
template <class Layout, class Os>
struct linux_steps;

template <linux_version Version>
struct linux_steps<x86_64, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> answer(W old, W next, const x86_64::machine<W>& m) {
    if (none<W>(old, 1)) return truth<W>{false};  // not present: "any flush was done when it went away"
    const W frame = W{bits(51, L == level::pte ? 12 : x86_64::shift(L))} & m.address_mask;
    if (((plain(old) ^ plain(next)) & frame) != W{0}) return truth<W>{true};
    return flags_need_flush<DebugVm>(old & ~frame, next & ~frame, L == level::pte);
  }

 private:
  // The word with the address as it is in valid entries: those that are neither valid nor zero hold it inverted.
  template <word W>
  static constexpr W plain(W w) {
    if (any<W>(w, 1) || w == W{0}) return w;
    return ~w;
  }
  // pte_flags_need_flush, on what is no frame.
  template <bool DebugVm, word W>
  static constexpr truth<W> flags_need_flush(W old, W next, bool ignore_access) {
    constexpr std::uint64_t software = Version == linux_version::v6_1 ? bit(9) | bit(10) | bit(11) | bit(58)
                                                                      : bit(9) | bit(10) | bit(11) | bit(57) | bit(58);
    std::uint64_t on_clear = bit(0) | bit(5) | bit(6);
    // PAT of large pages is bit 12, in 4K entries part of the frame.
    const std::uint64_t on_change = bits(4, 1) | bit(7) | bit(8) | (ignore_access ? 0 : bit(12)) | bits(63, 59);
    W differs = old ^ next;
    differs = differs & W{~software};
    if (ignore_access) {
      differs = differs & W{~bit(5)};
      on_clear &= ~bit(5);
    }
    if (any<W>(differs & old, on_clear)) return truth<W>{true};
    differs = differs & W{~on_clear};
    if (any<W>(differs, on_change)) return truth<W>{true};
    differs = differs & W{~on_change};
    return truth<W>{DebugVm} && differs != W{0};  // "should not get here": a warning, and a flush
  }
};

template <unsigned PageShift, linux_version Version>
struct linux_steps<ppc64_radix<PageShift>, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> answer(W old, W next, const typename ppc64_radix<PageShift>::template machine<W>&) {
    const W differs = old ^ next;
    if (any<W>(differs, ~std::uint64_t{0x187})) return truth<W>{true};  // all but R, W, X, C and R(eference)
    return any<W>(differs & old, 0x87);
  }
};

template <unsigned PageShift, bool Pa52, linux_version Version>
struct linux_steps<arm64<PageShift, Pa52>, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> answer(W old, W next, const typename arm64<PageShift, Pa52>::template machine<W>&) {
    if (Version != linux_version::v7_3) return truth<W>{true};  // the fallback, before 6.19
    if (none<W>(old, 1)) return truth<W>{false};
    return any<W>(old ^ next, ~std::uint64_t{0x8780000000000000});
  }
};

template <linux_version Version>
struct linux_steps<riscv64, linux_os<Version>> {
  template <bool DebugVm, level L, word W>
  static constexpr truth<W> answer(W, W, const riscv64::machine<W>&) {
    return truth<W>{true};
  }
};

// S5: the policy and the transcription give one answer, for all pairs that are no tables and all machines.
template <class F, level L, bool DebugVm>
constexpr auto prove_linux_rules_are_linuxs() {
  return prove(
      detail::words_and_machine<F, L, 2>(),
      [](auto old, auto next, auto, auto, auto) { return detail::no_table<F, L>(old) && detail::no_table<F, L>(next); },
      [](auto old, auto next, auto traits, auto a, auto b) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        const truth<W> policy = linux_rules<DebugVm>::needs_flush(entry<F, L, W>{old}, entry<F, L, W>{next}, m);
        using steps = linux_steps<typename F::layout, typename F::os>;
        return policy == steps::template answer<DebugVm, L>(old, next, m);
      });
}
template <class F, level L = level::pte, bool DebugVm = false>
inline constexpr auto linux_rules_are_linuxs = prove_linux_rules_are_linuxs<F, L, DebugVm>();

}  // namespace pte::proof
