// Claims about powerpc radix that are false, each with the pair that shows it.
#include "refuted.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

using linux_ppc = format<ppc64_64k, linux_7_3>;

// The table needs every row that asks for a flush on powerpc.
static_assert(needs_rows<linux_ppc, level::pte, 2, 4, 6, 7, 8, 10, 11, 15>());

static_assert(refuted<flush_is_sound<present_needs_none, linux_ppc>>);
static_assert(refuted<flush_is_sound<old_needs_none, linux_ppc>>);
static_assert(proved<flush_is_sound<invalid_needs_none, linux_ppc>>);
static_assert(refuted<elision_after_a_pending_flush<linux_rules<>, linux_ppc>>);

// Progress fails where a nest MMU of POWER9 uses the tables: R -> RW is elided, and it never looks again. It fails for
// kernel entries too, whose accesses do not retry.
struct user_entries {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W>, entry<F, L, W> next, const machine<F, W>&) {
    return none<W>(next.raw, F::privileged.mask);
  }
};
struct without_nest_mmu {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W>, entry<F, L, W>, const machine<F, W>& m) {
    return !m.nest_mmu;
  }
};
static_assert(refuted<elision_makes_progress<linux_rules<>, linux_ppc, level::pte, user_entries>>);
static_assert(refuted<elision_makes_progress<linux_rules<>, linux_ppc, level::pte, without_nest_mmu>>);

// "It flushes only where it must": soft-dirty alone changes; an invalid entry becomes valid.
struct only_soft_dirty_changes {
  template <class F, level L, word W>
  static constexpr truth<W> applies(entry<F, L, W> old, const machine<F, W>&) {
    return old.is_leaf();
  }
  template <class F, level L, word W>
  static constexpr entry<F, L, W> next(entry<F, L, W> old, const machine<F, W>&) {
    return entry<F, L, W>{old.raw ^ W{F::soft_dirty_bit.mask}};
  }
};
struct becomes_valid {
  template <class F, level L, word W>
  static constexpr truth<W> applies(entry<F, L, W> old, const machine<F, W>&) {
    return !old.hardware_valid();
  }
  template <class F, level L, word W>
  static constexpr entry<F, L, W> next(entry<F, L, W> old, const machine<F, W>&) {
    return entry<F, L, W>{old.raw | W{F::valid.mask | F::leaf_bit.mask}};
  }
};
static_assert(flushes_for_nothing<linux_rules<>, linux_ppc, only_soft_dirty_changes>);
static_assert(flushes_for_nothing<linux_rules<>, linux_ppc, becomes_valid>);

}  // namespace
