// Theorems about the table of stale translations and the policy `exact`, which see nothing of an entry but its record:
// proved once, over every record and all rules that a CPU may have, they hold for all formats and machines.
//
// A record is packed in one word: its truths, and its numbers. The numbers are compared with each other and nothing
// else, so two bits of each (four different values) show all that three records can show; memory types are also
// compared with the two that differ in tag checks only.
#pragma once

#include <cstdint>
#include <pte/proof/counterexample.hpp>
#include <pte/proof/flush.hpp>
#include <pte/proof/inputs.hpp>
#include <pte/proof/prove.hpp>
#include <pte/tlb/policy.hpp>

namespace pte::proof {

// The record that is packed in w.
template <word W>
constexpr translation<W> any_translation(W w) {
  translation<W> t;
  t.valid = flag(w, 63);
  t.reserved_fault = flag(w, 62);
  t.rights = {.user_read = flag(w, 61),
              .user_write = flag(w, 60),
              .user_exec = flag(w, 59),
              .kernel_read = flag(w, 58),
              .kernel_write = flag(w, 57),
              .kernel_exec = flag(w, 56)};
  t.shadow_stack = flag(w, 55);
  t.dirty = flag(w, 54);
  t.accessed = flag(w, 53);
  t.guarded = flag(w, 52);
  t.global = flag(w, 51);
  t.contiguous = flag(w, 50);
  t.memory_type = W{0xf0} | (w >> 46 & W{15});  // Normal-Tagged, Normal, and 14 others
  t.key = w >> 44 & W{3};
  t.shareability = w >> 42 & W{3};
  t.security = w >> 41 & W{1};
  t.encryption = w >> 40 & W{1};
  t.phys = w >> 38 & W{3};
  return t;
}
inline constexpr std::uint64_t translation_bits = bits(63, 38);

// Any rules that a CPU may have; where software sets accessed and dirty on a fault, stale entries that deny an access
// fault as well, and as long. Each is at the bit of w where it is tested with what it is about.
template <word W>
constexpr stale_rules<W> any_rules(W w) {
  return {.widening_faults = flag(w, 63),
          .widening_fault_lasts = flag(w, 62),
          .caches_invalid = flag(w, 61),
          .invalid_fault_lasts = flag(w, 60),
          .software_accessed_dirty = flag(w, 54) && flag(w, 63) && flag(w, 62),
          .fault_invalidates = flag(w, 59),
          .frame_needs_break = flag(w, 38),
          .memory_type_needs_break = flag(w, 49),
          .global_needs_break = flag(w, 51),
          .contiguous_needs_break = flag(w, 50),
          .contiguous_needs_flush = flag(w, 48),
          .write_gain_needs_break = flag(w, 57),
          .exec_loss_needs_break = flag(w, 56)};
}
inline constexpr std::uint64_t rule_bits = bits(63, 59) | bits(57, 56) | bit(54) | bits(51, 48) | bit(38);

namespace detail {

// One, two or three records, and rules.
template <std::size_t Records>
inline constexpr auto records_and_rules = words<Records>.only(translation_bits).word(rule_bits).samples(2);

// The same, of usable records only (valid, and not reserved), with four of the rules fixed.
template <std::size_t Records>
constexpr auto usable_records(unsigned rules) {
  auto in = records_and_rules<Records>;
  for (std::size_t k = 0; k < Records; ++k) {
    in.free[k] &= ~bits(63, 62);
    in.fixed[k] |= bit(63);
  }
  in.free[Records] &= ~(bits(63, 62) | bit(59) | bit(57));
  in.fixed[Records] =
      std::uint64_t{rules & 3} << 62 | std::uint64_t{rules >> 2 & 1} << 59 | std::uint64_t{rules >> 3 & 1} << 57;
  return in;
}

// What the table asks for between two records: a flush, or dirty.
template <word W>
constexpr truth<W> table_asks(W o, W n, W rules) {
  return any_cause(any_translation(o), any_translation(n), any_rules(rules),
                   [](const need<W>& asks) { return asks.flush || asks.dirty; });
}
template <word W>
constexpr truth<W> exact_asks(W o, W n, W rules) {
  return exact::needs_flush(any_translation(o), any_translation(n), any_rules(rules));
}

// Is anything permitted by `n`, or marked in it, that is not in `o`?
template <word W>
constexpr truth<W> gains_anything(const translation<W>& o, const translation<W>& n) {
  const auto gained = [](truth<W> before, truth<W> after) { return !before && after; };
  const permissions<W>&a = o.rights, &b = n.rights;
  return gained(a.user_read, b.user_read) || gained(a.user_write, b.user_write) || gained(a.user_exec, b.user_exec) ||
         gained(a.kernel_read, b.kernel_read) || gained(a.kernel_write, b.kernel_write) ||
         gained(a.kernel_exec, b.kernel_exec) || gained(o.shadow_stack, n.shadow_stack) ||
         gained(o.accessed, n.accessed) || gained(o.dirty, n.dirty) || gained(n.guarded, o.guarded);
}

}  // namespace detail

// S1 for `exact`: it asks whatever the table asks.
constexpr auto prove_exact_is_sound() {
  return prove(
      detail::records_and_rules<2>, [](auto o, auto n, auto rules) { return !detail::exact_asks(o, n, rules); },
      [](auto o, auto n, auto rules) { return !detail::table_asks(o, n, rules); });
}
template <class = void>
inline constexpr auto exact_is_sound = prove_exact_is_sound();

// S2, the part that records show: a flush that `exact` asks for is one that the table asks for, where mmu_covers_table
// (flush.hpp) gives an access or a lost dirty mark as witness, unless global or contiguous change (a later flush misses
// the entry, or its group is held in part); or else the architecture leaves undefined what happens without the break
// (rows 3 with a nest MMU, 6 with the erratum, 10, 11, 16, 21); or an access would fault for ever, or once in the
// kernel.
constexpr auto prove_exact_asks_for_a_reason() {
  return prove(
      detail::records_and_rules<2>,
      [](auto o, auto n, auto rules) { return detail::exact_asks(o, n, rules) && !detail::table_asks(o, n, rules); },
      [](auto o, auto n, auto packed) {
        using W = decltype(o);
        const translation<W> a = any_translation(o), b = any_translation(n);
        const stale_rules<W> rules = any_rules(packed);
        const truth<W> held = a.usable() && b.usable();
        const truth<W> gains_write =
            (!a.rights.user_write && b.rights.user_write) || (!a.rights.kernel_write && b.rights.kernel_write);
        // What only lets nobody in may still collide with the new entry in the TLB.
        const truth<W> differs = a.memory_type != b.memory_type || a.shareability != b.shareability ||
                                 a.phys != b.phys || a.security != b.security || a.global != b.global ||
                                 a.contiguous != b.contiguous;
        const truth<W> undefined = held && ((gains_write && rules.write_gain_needs_break) || differs);
        const truth<W> gains = b.usable() && (!a.usable() || detail::gains_anything(a, b));
        const truth<W> stuck = gains && (!rules.fault_invalidates || !b.for_user());
        return undefined || stuck;
      });
}
template <class = void>
inline constexpr auto exact_asks_for_a_reason = prove_exact_asks_for_a_reason();

// S3 for `exact`: no flush from a record to itself; none from x to z where there is none from x to y nor from y to z.
constexpr auto prove_exact_is_reflexive() {
  return prove(detail::records_and_rules<1>, [](auto x, auto rules) { return !detail::exact_asks(x, x, rules); });
}
template <class = void>
inline constexpr auto exact_is_reflexive = prove_exact_is_reflexive();
// In three parts: nothing is elided that leads from a usable record to one that is not; one that is not usable is as
// good as any other; and so what remains is z and y being usable, and x usable, or not and then the record of the word
// 0. One proof for each of 16 Rules: whether denied accesses may fault and go on to do so, whether fault handlers
// invalidate, and whether granting writes needs a break.
constexpr auto prove_exact_drops_what_becomes_unusable() {
  return prove(
      detail::records_and_rules<2>,
      [](auto x, auto y, auto) { return any_translation(x).usable() && !any_translation(y).usable(); },
      [](auto x, auto y, auto rules) { return detail::exact_asks(x, y, rules); });
}
template <class = void>
inline constexpr auto exact_drops_what_becomes_unusable = prove_exact_drops_what_becomes_unusable();
constexpr auto prove_exact_knows_one_unusable_record() {
  return prove(
      detail::records_and_rules<2>, [](auto x, auto, auto) { return !any_translation(x).usable(); },
      [](auto x, auto y, auto rules) {
        return detail::exact_asks(x, y, rules) == detail::exact_asks(decltype(x){0}, y, rules);
      });
}
template <class = void>
inline constexpr auto exact_knows_one_unusable_record = prove_exact_knows_one_unusable_record();
template <unsigned Rules, bool XUsable>
constexpr auto prove_exact_is_transitive() {
  if constexpr (XUsable) {
    return prove(
        detail::usable_records<3>(Rules),
        [](auto x, auto y, auto, auto rules) { return !detail::exact_asks(x, y, rules); },
        [](auto, auto y, auto z, auto rules) { return !detail::exact_asks(y, z, rules); },
        [](auto x, auto, auto z, auto rules) { return !detail::exact_asks(x, z, rules); });
  } else {
    return prove(
        detail::usable_records<2>(Rules),
        [](auto y, auto, auto rules) { return !detail::exact_asks(decltype(y){0}, y, rules); },
        [](auto y, auto z, auto rules) { return !detail::exact_asks(y, z, rules); },
        [](auto y, auto z, auto rules) { return !detail::exact_asks(decltype(y){0}, z, rules); });
  }
}
template <unsigned Rules, bool XUsable>
inline constexpr auto exact_is_transitive = prove_exact_is_transitive<Rules, XUsable>();

// S7 for `exact`: what it elides leaves no fault that lasts, and none at all to an entry that is not for user mode.
constexpr auto prove_exact_makes_progress() {
  return prove(
      detail::records_and_rules<2>, [](auto o, auto n, auto rules) { return !detail::exact_asks(o, n, rules); },
      [](auto o, auto n, auto packed) {
        using W = decltype(o);
        const stale_rules<W> rules = any_rules(packed);
        const translation<W> next = any_translation(n);
        return !any_cause(any_translation(o), next, rules,
                          [&](const need<W>& asks) { return detail::faults_for_ever(asks, next, rules); });
      });
}
template <class = void>
inline constexpr auto exact_makes_progress = prove_exact_makes_progress();

}  // namespace pte::proof
