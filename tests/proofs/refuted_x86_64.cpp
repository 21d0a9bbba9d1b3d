// Claims about x86-64 that are false, each with the pair that shows it; and a few whose limits are shown on both sides.
#include "refuted.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

using linux_x86 = format<x86_64, linux_7_3>;

// Without the debug rule a change of the encryption bit alone is not flushed (row 26): a machine that has one, and a
// pair that differs in it, are found.
static_assert(refuted<flush_is_sound<linux_rules<>, linux_x86>>);
constexpr auto missed = flush_is_sound<linux_rules<>, linux_x86>.words;
static_assert(((missed[0] ^ missed[1]) & missed[3]) != 0);

// The table needs every row. (3, 5, 12, 14 and 24 ask for no flush on x86; 13 for bookkeeping only.)
static_assert(needs_rows<linux_x86, level::pte, 2, 4, 6, 7, 8, 10, 11, 15, 16, 17, 19, 26, 28>());

// "What is still present needs no flush".
static_assert(refuted<flush_is_sound<present_needs_none, linux_x86>>);
// "What was invalid needs none" is sound under H; and needs H: RW becomes PROT_NONE, whose flush is pending, becomes
// RO.
static_assert(proved<flush_is_sound<invalid_needs_none, linux_x86>>);
static_assert(refuted<elision_after_a_pending_flush<invalid_needs_none, linux_x86>>);
static_assert(refuted<elision_after_a_pending_flush<linux_rules<>, linux_x86>>);
// "What was absent needs none" is sound, and flushes for PROT_NONE -> RW all the same, where x86's rule does not.
static_assert(proved<flush_is_sound<absent_needs_none, linux_x86>>);
static_assert(flushes<absent_needs_none, linux_x86, prot_none_to_writable>);
static_assert(!flushes<linux_rules<>, linux_x86, prot_none_to_writable>);
// "What was never accessed is in no TLB": accessed may have been cleared without a flush.
static_assert(refuted<flush_is_sound<old_needs_none, linux_x86>>);

// "Where no flush is asked for, accessed marks are made as before": not on a pte, whose accessed bit may be cleared.
template <level L>
inline constexpr auto accessed_marks_are_made = prove(
    proof::detail::words_and_machine<linux_x86, L, 2>(),
    [](auto old, auto next, auto traits, auto a, auto b) {
      return proof::detail::elided<linux_rules<>, linux_x86, L, any_entries>(
          old, next, proof::detail::machine_of<linux_x86>(traits, a, b));
    },
    [](auto old, auto next, auto, auto, auto) {
      const auto held = any(old, 1) && any(old, x86_64::accessed_bit.mask), now = any(next, 1);
      return !(held && now) || any(next, x86_64::accessed_bit.mask);
    });
static_assert(refuted<accessed_marks_are_made<level::pte>>);
static_assert(proved<accessed_marks_are_made<level::pmd>>);

// "It flushes only where it must": RO -> RW.
struct writes_are_granted {
  template <class F, level L, word W>
  static constexpr truth<W> applies(entry<F, L, W> old, const machine<F, W>&) {
    return (old.raw & W{x86_64::present.mask | x86_64::user.mask | x86_64::rw.mask}) ==
           W{x86_64::present.mask | x86_64::user.mask};
  }
  template <class F, level L, word W>
  static constexpr entry<F, L, W> next(entry<F, L, W> old, const machine<F, W>&) {
    return entry<F, L, W>{old.raw | W{x86_64::rw.mask}};
  }
};
static_assert(flushes_for_nothing<linux_rules<>, linux_x86, writes_are_granted>);

}  // namespace
