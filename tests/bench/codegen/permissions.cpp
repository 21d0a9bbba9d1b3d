// Decoding a leaf's word to its permission record: the library's function and one written by hand, which makes the same
// tests in the same order with literal masks. codegen.py compares the machine code.
#include <cstdint>

#include <pte/pte.hpp>

using word = std::uint64_t;
using record = pte::permissions<word>;

template <class F>
using leaf = pte::leaf<F, pte::level::pte>;

#define PAIR(ARCH, FORMAT)                                                                        \
  using ARCH = pte::format<FORMAT, pte::linux_7_3>;                                               \
  extern "C" record library_##ARCH(word w, const pte::machine<ARCH>& m) { return leaf<ARCH>{{w}}.rights_of(m); } \
  extern "C" record by_hand_##ARCH(word w, const pte::machine<ARCH>& m)

PAIR(x86_64, pte::x86_64) {
  const bool user = (w & 0x4) != 0, kernel = !(user & m.smap);
  const bool writable = (w & 0x2) != 0, executable = !(m.nx & ((w & 0x8000000000000000) != 0));
  const bool shadow = m.shadow_stack & ((w & 0x42) == 0x40);
  return {user,
          static_cast<bool>(user & writable),
          static_cast<bool>(user & executable),
          kernel,
          static_cast<bool>(kernel & !shadow & (writable | !m.wp)),
          static_cast<bool>(executable & !(user & m.smep))};
}

PAIR(arm64, pte::arm64_4k) {
  const bool user = (w & 0x40) != 0, kernel = !(user & m.pan);
  const bool writable = ((w & 0x80) == 0) | (m.hw_dirty & ((w & 0x0008000000000000) != 0));
  const bool user_write = user & writable;
  return {user,
          user_write,
          static_cast<bool>(((w & 0x0040000000000000) == 0) & !(m.wxn & user_write)),
          kernel,
          static_cast<bool>(kernel & writable),
          static_cast<bool>(((w & 0x0020000000000000) == 0) & !user_write & !(m.wxn & writable))};
}

PAIR(ppc64, pte::ppc64_radix<16>) {
  const bool user = (w & 0x8) == 0, kernel = !(user & m.kuap), kernel_fetch = !(user & m.kuep);
  const bool read = (w & 0x6) != 0, write = (w & 0x2) != 0, exec = ((w & 0x1) != 0) & ((w & 0x30) != 0x20);
  return {static_cast<bool>(user & read),   static_cast<bool>(user & write),   static_cast<bool>(user & exec),
          static_cast<bool>(kernel & read), static_cast<bool>(kernel & write), static_cast<bool>(kernel_fetch & exec)};
}

PAIR(riscv64, pte::riscv64) {
  const bool user = (w & 0x10) != 0, not_user = !user, kernel = not_user | m.sum;
  const bool exec = (w & 0x8) != 0, write = (w & 0x6) == 0x6, shadow = ((w & 0xe) == 0x4) & m.shadow_stack;
  const bool read = ((w & 0x2) != 0) | (exec & m.mxr) | shadow;
  return {static_cast<bool>(user & read),   static_cast<bool>(user & write),   static_cast<bool>(user & exec),
          static_cast<bool>(kernel & read), static_cast<bool>(kernel & write), static_cast<bool>(not_user & exec)};
}
