// Theorems about the table of stale translations and the policy `exact`, which see nothing of an entry but its record:
// proved once, over every record and all rules that a CPU may have, they hold for all formats and machines.
//
// A record is packed in one word: its truths, and its numbers. The numbers are compared with each other and nothing else,
// so two bits of each (four different values) show all that three records can show; memory types are also compared with
// the two that differ in tag checks only.
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

// Any rules that a CPU may have; where software sets accessed and dirty on a fault, stale entries that deny an access fault
// as well, and as long. Each is at the bit of w where it is tested with what it is about.
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
inline constexpr auto records_and_rules = words<Records>.only(translation_bits).word(rule_bits).samples(4);

// The same, with the records that are to be usable fixed so (valid, and not reserved), and three of the rules fixed.
template <std::size_t Words, std::size_t Records>
constexpr inputs<Words> with_usable(inputs<Words> in, const bool (&usable)[Records], unsigned rules) {
  for (std::size_t k = 0; k < Records; ++k) {
    if (usable[k]) {
      in.free[k] &= ~bits(63, 62);
      in.fixed[k] |= bit(63);
    }
  }
  in.free[Records] &= ~(bits(63, 62) | bit(59));
  in.fixed[Records] = std::uint64_t{rules & 3} << 62 | std::uint64_t{rules >> 2 & 1} << 59;
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
         gained(a.kernel_exec, b.kernel_exec) || gained(o.shadow_stack, n.shadow_stack) || gained(o.accessed, n.accessed) ||
         gained(o.dirty, n.dirty) || gained(n.guarded, o.guarded);
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
// (rows 3 with a nest MMU, 6 with the erratum, 10, 11, 16, 21); or an access would fault for ever, or once in the kernel.
constexpr auto prove_exact_asks_for_a_reason() {
  return prove(
      detail::records_and_rules<2>,
      [](auto o, auto n, auto rules) { return detail::exact_asks(o, n, rules) && !detail::table_asks(o, n, rules); },
      [](auto o, auto n, auto packed) {
        using W = decltype(o);
        const translation<W> a = any_translation(o), b = any_translation(n);
        const stale_rules<W> rules = any_rules(packed);
        const truth<W> held = a.usable() && b.usable();
        const truth<W> gains_write = (!a.rights.user_write && b.rights.user_write) ||
                                     (!a.rights.kernel_write && b.rights.kernel_write);
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
// One proof for each of 64 cases: whether x, y and z are usable (bits 0 to 2 of Case), whether denied accesses may fault and
// go on to do so, and whether fault handlers invalidate (bits 3 to 5). After a usable entry no unusable one is elided, so
// that 32 of the cases are vacuous.
template <unsigned Case>
constexpr auto prove_exact_is_transitive() {
  constexpr bool x_usable = Case & 1, y_usable = Case & 2, z_usable = Case & 4;
  return prove(
      detail::with_usable(detail::records_and_rules<3>, {x_usable, y_usable, z_usable}, Case >> 3),
      [](auto x, auto y, auto z, auto) {
        using W = decltype(x);
        return any_translation(x).usable() == truth<W>{x_usable} && any_translation(y).usable() == truth<W>{y_usable} &&
               any_translation(z).usable() == truth<W>{z_usable};
      },
      [](auto x, auto y, auto, auto rules) { return !detail::exact_asks(x, y, rules); },
      [](auto, auto y, auto z, auto rules) { return !detail::exact_asks(y, z, rules); },
      [](auto x, auto, auto z, auto rules) { return !detail::exact_asks(x, z, rules); });
}
template <unsigned Case>
inline constexpr auto exact_is_transitive = prove_exact_is_transitive<Case>();

// S7 for `exact`: what it elides leaves no fault that lasts, and none at all to an entry that is not for user mode.
constexpr auto prove_exact_makes_progress() {
  return prove(
      detail::records_and_rules<2>, [](auto o, auto n, auto rules) { return !detail::exact_asks(o, n, rules); },
      [](auto o, auto n, auto packed) {
        using W = decltype(o);
        const stale_rules<W> rules = any_rules(packed);
        const translation<W> next = any_translation(n);
        return !any_cause(any_translation(o), next, rules, [&](const need<W>& asks) {
          return detail::faults_for_ever(asks, next, rules);
        });
      });
}
template <class = void>
inline constexpr auto exact_makes_progress = prove_exact_makes_progress();

}  // namespace pte::proof
