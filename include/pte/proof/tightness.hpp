// S2: each flush that `exact` asks for has a witness. Of which kind, and what shows it:
//   access       an access that the stale entry permits and the new one denies, or that leads elsewhere:
//   mmu_covers_table lost dirty   a write that the stale entry lets through unnoted: mmu_covers_table later flush  rows
//   16, 17, 21: an entry that was global outlives flushes of one address space, one of a group is held
//                with the others; no single access shows it
//   undefined    rows 3 (nest MMU), 6 (erratum 2645198), 10, 11, 16, 21: the manual says "break before make", and
//   nothing
//                of what comes of it without
//   stuck        an access that the new entry permits faults for ever, or once in the kernel, which does not retry
// exact_is_tight puts two theorems together: of all records, exact_asks_for_a_reason leaves the last two kinds and what
// the table asks for; of what the table asks for, mmu_covers_table leaves the first three, for each format and level.
//
// Where the manuals say less than the table does, no witness of silicon's is claimed: the rows of unverified_rows.
#pragma once

#include <array>
#include <cstdint>
#include <pte/proof/flush.hpp>
#include <pte/proof/records.hpp>
#include <pte/tlb/policy.hpp>

namespace pte::proof {

// A row that the table has from reasoning, second hand, or to be on the safe side.
struct unverified_row {
  const char* arch;
  unsigned row;
  const char* why;
};
inline constexpr std::array unverified_rows{
    unverified_row{"x86_64", 7, "SMAP by analogy with SMEP, which the manual names"},
    unverified_row{"x86_64", 16, "treated as required: no sentence frees global 0 -> 1 from invalidation"},
    unverified_row{"x86_64", 24, "shadow stack, by reasoning from the encodings"},
    unverified_row{"x86_64", 25, "shadow stack, by reasoning from the encodings"},
    unverified_row{"x86_64", 28, "shadow stack, by reasoning from the encodings"},
    unverified_row{"x86_64", 26, "by reasoning, and Linux flushes in the path that changes the bit"},
    unverified_row{"arm64", 19, "POIndex by analogy with x86's keys"},
    unverified_row{"arm64", 27, "Linux treats tagging like a permission; not found in the manual"},
    unverified_row{"ppc64", 1, "that invalid entries are not cached is Linux's assumption"},
    unverified_row{"ppc64", 7, "treated as required: the privileged bit, with KUAP"},
    unverified_row{"ppc64", 10, "the sequence for a change of frame is not from the manual"},
    unverified_row{"ppc64", 11, "the sequence for a change of memory type is not from the manual"},
};

// S2 for a format and level.
template <class F, level L = level::pte>
inline constexpr bool exact_is_tight = proved<exact_asks_for_a_reason<>>&&
    proved<mmu_covers_table<F, L, next_entry::usable>>&& proved<mmu_covers_table<F, L, next_entry::unusable>>;

// A pair for which `exact` asks for this kind of reason, a function of (need, new translation, rules), and for no
// other.
template <class F, level L, class Reason>
constexpr auto find_flush_for(const Reason& reason) {
  return find(
      detail::entries_and_machine<F, L, 2>().samples(2),
      [](auto old, auto next, auto, auto, auto) { return detail::no_table<F, L>(old) && detail::no_table<F, L>(next); },
      [&reason](auto old, auto next, auto traits, auto a, auto b) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        const stale_rules<W> rules = rules_of<F, W>(m);
        const translation<W> o = translate(entry<F, L, W>{old}, m), n = translate(entry<F, L, W>{next}, m);
        const auto any = [&](auto demand) { return any_cause(o, n, rules, demand); };
        return any([&](const need<W>& asks) { return reason(asks, n, rules); }) &&
               !any([&](const need<W>& asks) { return asks.must_flush() && !reason(asks, n, rules); });
      });
}

}  // namespace pte::proof
