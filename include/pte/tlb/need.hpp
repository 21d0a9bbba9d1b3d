// Is a stale translation harmless? The table of the manuals, row by row, as code on two translations.
//
// The setting (hypothesis H): `old` is the entry that was replaced, and every earlier change of this address that needed
// a flush has had it completed on every CPU that may use the address. Then what a TLB can still hold decodes from `old`,
// but for two bits: accessed may have either value, because flushes after clearing it are elided, and dirty may be clear
// where old's is set. Table entries, and the entries above, are outside this table: they change through the gather.
#pragma once

#include <array>
#include <cstddef>

#include <pte/tlb/cpu.hpp>
#include <pte/tlb/translation.hpp>
#include <pte/word/word.hpp>

namespace pte {

// What a change asks for. All false: nothing.
template <word W>
struct need {
  truth<W> spurious{false};       // an access that the new entry permits may fault once; the CPU mends that by itself
  truth<W> lasting{false};        // ... and goes on faulting until the address is invalidated on that CPU
  truth<W> accessed{false};       // bookkeeping: an access may go unnoted (only heuristics rely on that)
  truth<W> dirty{false};          // bookkeeping: a write may go unnoted: data loss
  truth<W> flush{false};          // the old translation must not be used any more
  truth<W> break_before_make{false};  // and the flush must come between an invalid entry and the new one

  // Must the address be flushed, whatever the fault handler does?
  constexpr truth<W> must_flush() const { return flush || break_before_make || dirty; }
  // Is any bookkeeping at stake?
  constexpr truth<W> bookkeeping() const { return accessed || dirty; }
};

template <word W>
constexpr need<W> operator|(const need<W>& a, const need<W>& b) {
  return {.spurious = a.spurious || b.spurious,
          .lasting = a.lasting || b.lasting,
          .accessed = a.accessed || b.accessed,
          .dirty = a.dirty || b.dirty,
          .flush = a.flush || b.flush,
          .break_before_make = a.break_before_make || b.break_before_make};
}

// One reason for a need.
template <word W>
struct cause {
  unsigned row = 0;           // of the table, as numbered in rows below
  const char* text = "";      // what happens between the two entries
  truth<W> happens{false};
  need<W> asks{};
};

// The rows of the table by number; those about table entries (23) and sizes that a level fixes (22) are not decided here.
//    1 invalid to valid      2 valid to invalid     3 write +    4 write -    5 exec +    6 exec -    7 user +
//    8 user -                9 read + -            10 frame     11 memory type           12 A +      13 A -
//   14 D +                  15 D -                 16 global +  17 global -  19 key      20 guarded
//   21 contiguous           24 shadow stack +      25, 28 shadow stack -      26 encryption          27 tagged memory
inline constexpr std::size_t cause_count = 29;       // all of them
inline constexpr std::size_t place_cause_count = 2;  // the last of those between two usable translations

// Rows 1 and 2: the entry becomes usable, or unusable. (Even one that lets nobody in must not stay behind: row 1 counts
// on it when the next entry comes.)
template <word W>
constexpr std::array<cause<W>, 2> validity_causes(const translation<W>& o, const translation<W>& n, const stale_rules<W>& r) {
  return {{{1, "invalid becomes valid", n.valid && !n.reserved_fault && (!o.valid || o.reserved_fault),
            {.spurious = r.caches_invalid, .lasting = r.caches_invalid && r.invalid_fault_lasts}},
           {2, "valid becomes invalid", o.valid && !o.reserved_fault && (!n.valid || n.reserved_fault),
            {.flush = truth<W>{true}}}}};
}

// What becomes different from `o` to `n`, if both are usable, and what each of it asks for under the rules of a CPU. What
// is about addresses comes last: a proof combines the many small conditions before it meets the large ones.
template <word W>
constexpr std::array<cause<W>, cause_count - 2> causes(const translation<W>& o, const translation<W>& n, const stale_rules<W>& r) {
  const truth<W> yes{true}, no{false};
  const truth<W> used = o.some_right();  // else nothing can go through what is held

  const need<W> flush{.flush = yes};
  const need<W> widened{.spurious = r.widening_faults, .lasting = r.widening_faults && r.widening_fault_lasts};
  // Where software sets accessed and dirty on a fault, a stale entry without them goes on faulting.
  const need<W> unmarked{.spurious = r.software_accessed_dirty, .lasting = r.software_accessed_dirty};
  const auto broken = [&](truth<W> needs_break) { return need<W>{.flush = used, .break_before_make = needs_break}; };
  const auto lost = [](truth<W> before, truth<W> after) { return before && !after; };
  const auto gained = [](truth<W> before, truth<W> after) { return !before && after; };

  const truth<W> exec_lost = lost(o.rights.user_exec, n.rights.user_exec) ||
                             lost(o.rights.kernel_exec, n.rights.kernel_exec);
  const truth<W> executable = o.rights.user_exec || o.rights.kernel_exec;
  const truth<W> memory_type_differs = o.memory_type != n.memory_type;
  // Normal and Normal-Tagged differ in tag checks only: no break-before-make.
  const truth<W> tagging = (o.memory_type == W{0xff} && n.memory_type == W{0xf0}) ||
                           (o.memory_type == W{0xf0} && n.memory_type == W{0xff});
  return {{
      {8, "user reads are withdrawn", lost(o.rights.user_read, n.rights.user_read), flush},
      {4, "user writes are withdrawn", lost(o.rights.user_write, n.rights.user_write), flush},
      {6, "user execution is withdrawn", lost(o.rights.user_exec, n.rights.user_exec), flush},
      {7, "kernel reads are withdrawn", lost(o.rights.kernel_read, n.rights.kernel_read), flush},
      {4, "kernel writes are withdrawn", lost(o.rights.kernel_write, n.rights.kernel_write), flush},
      {6, "kernel execution is withdrawn", lost(o.rights.kernel_exec, n.rights.kernel_exec), flush},
      {6, "execution is withdrawn, on a CPU with erratum 2645198", exec_lost && r.exec_loss_needs_break,
       {.break_before_make = yes}},
      {28, "shadow-stack stores are withdrawn", lost(o.shadow_stack, n.shadow_stack), flush},
      {9, "reads are granted",
       gained(o.rights.user_read, n.rights.user_read) || gained(o.rights.kernel_read, n.rights.kernel_read), widened},
      {3, "writes are granted",
       gained(o.rights.user_write, n.rights.user_write) || gained(o.rights.kernel_write, n.rights.kernel_write),
       widened | need<W>{.break_before_make = r.write_gain_needs_break}},
      {5, "execution is granted",
       gained(o.rights.user_exec, n.rights.user_exec) || gained(o.rights.kernel_exec, n.rights.kernel_exec), widened},
      {24, "shadow-stack stores are granted", gained(o.shadow_stack, n.shadow_stack), widened},
      {11, "another memory type", memory_type_differs && !tagging, broken(r.memory_type_needs_break)},
      {27, "tagged memory on or off", memory_type_differs && tagging, broken(no)},
      {11, "another shareability", o.shareability != n.shareability, broken(r.memory_type_needs_break)},
      {19, "another protection key", o.key != n.key, {.flush = used}},
      {20, "code becomes guarded", gained(o.guarded, n.guarded) && executable, flush},
      {20, "code is no longer guarded", lost(o.guarded, n.guarded) && executable, widened},
      {16, "becomes global", gained(o.global, n.global), broken(r.global_needs_break)},
      {17, "no longer global", lost(o.global, n.global), {.flush = used}},
      {21, "contiguous on or off", o.contiguous != n.contiguous,
       {.flush = r.contiguous_needs_flush, .break_before_make = r.contiguous_needs_break}},
      {12, "accessed is set", gained(o.accessed, n.accessed), unmarked},
      {13, "accessed is cleared", lost(o.accessed, n.accessed), {.accessed = yes}},
      {14, "dirty is set", n.writable() && gained(o.dirty, n.dirty), unmarked},
      {15, "dirty is cleared", o.writable() && lost(o.dirty, n.dirty), {.dirty = yes}},
      {10, "another page frame", o.phys != n.phys || o.security != n.security, broken(r.frame_needs_break)},
      {26, "encryption on or off", o.encryption != n.encryption, {.flush = used}},
  }};
}

// Does anything happen from `o` to `n` whose needs meet `demand`, a function from need<W> to truth<W>?
template <word W, class Demand>
constexpr truth<W> any_cause(const translation<W>& o, const translation<W>& n, const stale_rules<W>& r, Demand demand) {
  const auto list = causes(o, n, r);
  truth<W> between{false}, place{false};
  for (std::size_t i = 0; i < list.size() - place_cause_count; ++i)
    between = between || (list[i].happens && demand(list[i].asks));
  for (std::size_t i = list.size() - place_cause_count; i < list.size(); ++i)
    place = place || (list[i].happens && demand(list[i].asks));
  const auto [appears, vanishes] = validity_causes(o, n, r);
  const truth<W> validity = (appears.happens && demand(appears.asks)) || (vanishes.happens && demand(vanishes.asks));
  const truth<W> both_usable = (o.valid && n.valid) && (!o.reserved_fault && !n.reserved_fault);
  return (both_usable && between) || ((both_usable && place) || validity);
}

// The table: what the change from `o` to `n` asks for.
template <word W>
constexpr need<W> needed(const translation<W>& o, const translation<W>& n, const stale_rules<W>& r) {
  const auto ask = [&](truth<W> need<W>::*what) {
    return any_cause(o, n, r, [what](const need<W>& asks) { return asks.*what; });
  };
  return {.spurious = ask(&need<W>::spurious),
          .lasting = ask(&need<W>::lasting),
          .accessed = ask(&need<W>::accessed),
          .dirty = ask(&need<W>::dirty),
          .flush = ask(&need<W>::flush),
          .break_before_make = ask(&need<W>::break_before_make)};
}

// The same for two entries of one address, in a table of level L.
template <class F, level L, word W>
constexpr need<W> needed(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
  return needed(translate(old, m), translate(next, m), rules_of<F, W>(m));
}

}  // namespace pte
