// May the flush be elided? The library's rule of each architecture's Linux and one written by hand, which makes the same
// tests in the same order with literal masks. codegen.py compares the machine code.
#include <cstdint>

#include <pte/format/entry.hpp>
#include <pte/tlb/linux_rules.hpp>

using word = std::uint64_t;

template <class F>
using entry = pte::entry<F, pte::level::pte>;

#define PAIR(ARCH, FORMAT)                                                             \
  using ARCH = pte::format<FORMAT, pte::linux_7_3>;                                    \
  extern "C" bool library_##ARCH(word old, word next, const pte::machine<ARCH>& m) {   \
    return pte::linux_rules<>::needs_flush(entry<ARCH>{old}, entry<ARCH>{next}, m);    \
  }                                                                                    \
  extern "C" bool by_hand_##ARCH(word old, word next, const pte::machine<ARCH>& m)

PAIR(x86_64, pte::x86_64) {
  const word frame = 0x000ffffffffff000 & m.address_mask;
  const word differs = old ^ next;
  const word reasons = (differs & (0xf80000000000019e | frame)) | (differs & old & 0x41);
  return (old & 0x1) != 0 && reasons != 0;
}

PAIR(arm64, pte::arm64_4k) {
  static_cast<void>(m);
  return (old & 0x1) != 0 && ((old ^ next) & ~0x8780000000000000) != 0;
}

PAIR(ppc64, pte::ppc64_radix<16>) {
  static_cast<void>(m);
  const word differs = old ^ next;
  return ((differs & ~word{0x187}) | (differs & old & 0x87)) != 0;
}

PAIR(riscv64, pte::riscv64) {
  static_cast<void>(old), static_cast<void>(next), static_cast<void>(m);
  return true;
}
