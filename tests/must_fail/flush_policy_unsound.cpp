// expect: MISSED_FLUSH
// expect: the policy elides a flush that the table of stale translations demands
// expect: 0x0000000000000001
// expect: 0x0000000000000000
// A policy that forgets that an entry may become invalid. The entry replaced and the new one are shown, and the
// machine.
#include <pte/proof/flush.hpp>

using format_used = pte::format<pte::x86_64, pte::linux_7_3>;

struct forgets_invalid {
  template <class F, pte::level L, pte::word W>
  static constexpr pte::truth<W> needs_flush(pte::entry<F, L, W> old, pte::entry<F, L, W> next,
                                             const pte::machine<F, W>& m) {
    return pte::any<W>(next.raw, 1) && pte::exact::needs_flush(old, next, m);
  }
};
static_assert(pte::proof::proved<pte::proof::flush_is_sound<forgets_invalid, format_used>, pte::proof::MISSED_FLUSH>);
