// Claims about arm64 that are false, each with the pair that shows it.
#include "refuted.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

using linux_arm = format<arm64_4k, linux_7_3>;

// The table needs every row that asks for a flush on arm64; 15 where hardware keeps dirty state.
static_assert(needs_rows<linux_arm, level::pte, 2, 4, 6, 7, 8, 10, 11, 15, 16, 17, 19, 20, 21, 27>());

static_assert(refuted<flush_is_sound<present_needs_none, linux_arm>>);
static_assert(proved<flush_is_sound<invalid_needs_none, linux_arm>>);
static_assert(refuted<elision_after_a_pending_flush<invalid_needs_none, linux_arm>>);
static_assert(refuted<elision_after_a_pending_flush<linux_rules<>, linux_arm>>);
static_assert(proved<flush_is_sound<absent_needs_none, linux_arm>>);
static_assert(flushes<absent_needs_none, linux_arm, prot_none_to_writable>);
static_assert(!flushes<linux_rules<>, linux_arm, prot_none_to_writable>);
static_assert(refuted<flush_is_sound<old_needs_none, linux_arm>>);

// Eliding all that the table lets pass, as x86 and powerpc could: without an invalidation on the fault, a stale entry
// that denies what the new one permits faults for ever. With one, and for user addresses, it does not.
static_assert(refuted<elision_makes_progress<table_itself, linux_arm>>);
struct mended_user_faults {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W>, entry<F, L, W> next, const machine<F, W>& m) {
    return m.fault_invalidates && translate(next, m).for_user();
  }
};
static_assert(proved<elision_makes_progress<table_itself, linux_arm, level::pte, mended_user_faults>>);

// "It flushes only where it must": accessed is set, and nothing else.
struct accessed_is_set {
  template <class F, level L, word W>
  static constexpr truth<W> applies(entry<F, L, W> old, const machine<F, W>&) {
    return old.is_leaf() && !F::template at<L>::accessed(old.raw);
  }
  template <class F, level L, word W>
  static constexpr entry<F, L, W> next(entry<F, L, W> old, const machine<F, W>&) {
    return entry<F, L, W>{F::template at<L>::mkyoung(old.raw)};
  }
};
static_assert(flushes_for_nothing<linux_rules<>, linux_arm, accessed_is_set>);

}  // namespace
