// Claims about riscv64 that are false, each with the pair that shows it.
#include "refuted.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

using linux_riscv = format<riscv64, linux_7_3>;

// The table needs every row that asks for a flush on riscv.
static_assert(needs_rows<linux_riscv, level::pte, 2, 4, 6, 7, 8, 10, 11, 15, 16, 17, 21, 28>());

static_assert(refuted<flush_is_sound<present_needs_none, linux_riscv>>);
static_assert(refuted<flush_is_sound<old_needs_none, linux_riscv>>);
static_assert(refuted<elision_after_a_pending_flush<invalid_needs_none, linux_riscv>>);

// x86's rule "what was invalid needs none", and the reviewer's: sound under H here too, but invalid entries are cached,
// so that without Svvptc nothing ends the fault. The reviewer's flushes for PROT_NONE -> RW, so that it fails in what
// is left of it only.
static_assert(proved<flush_is_sound<invalid_needs_none, linux_riscv>>);
static_assert(refuted<elision_makes_progress<invalid_needs_none, linux_riscv>>);
static_assert(proved<flush_is_sound<absent_needs_none, linux_riscv>>);
static_assert(refuted<elision_makes_progress<absent_needs_none, linux_riscv>>);
static_assert(flushes<absent_needs_none, linux_riscv, prot_none_to_writable>);
// With Svvptc, or a fence on the fault, and for user addresses, it makes progress.
struct mended_user_faults {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W>, entry<F, L, W> next, const machine<F, W>& m) {
    return (m.svvptc || m.fault_invalidates) && translate(next, m).for_user();
  }
};
static_assert(proved<elision_makes_progress<invalid_needs_none, linux_riscv, level::pte, mended_user_faults>>);

}  // namespace
