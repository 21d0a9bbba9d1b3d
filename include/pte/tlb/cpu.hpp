// How the CPUs of an architecture treat stale translations: the columns of the harmlessness table. Each answer may
// depend on the machine value (Intel or AMD, BBM level, nest MMU, Svvptc ...).
#pragma once

#include <pte/format/arm64.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/word/word.hpp>

namespace pte {

// The answers. The defaults are the most careful ones: a CPU of which nothing is known.
template <word W>
struct stale_rules {
  // May a stale entry that denies what the new one permits make an access fault? And if so, does the fault last until
  // software invalidates the entry (else the CPU drops or refetches it by itself)?
  truth<W> widening_faults{true};
  truth<W> widening_fault_lasts{true};
  // May the CPU remember that an entry was invalid, and fault on it? (Walks that began early may do so for a moment
  // everywhere but on x86; no invalidation helps against those.)
  truth<W> caches_invalid{true};
  truth<W> invalid_fault_lasts{true};
  // Does software set accessed and dirty, on a fault?
  truth<W> software_accessed_dirty{true};
  // Does the system's fault handler invalidate the faulting address, so that a lasting fault ends?
  truth<W> fault_invalidates{false};

  // What a change between two valid entries needs beyond an invalidation: invalid, invalidate, new value.
  truth<W> frame_needs_break{true};
  truth<W> memory_type_needs_break{true};
  truth<W> global_needs_break{true};
  truth<W> contiguous_needs_break{true};
  truth<W> contiguous_needs_flush{true};
  truth<W> write_gain_needs_break{false};
  truth<W> exec_loss_needs_break{false};
};

// The rules for a layout; `type` names it. A user's format is treated with the most care, unless its author specialises
// this with rules of his own, as below.
template <class Layout>
struct cpu {
  template <word W>
  static constexpr stale_rules<W> rules(const typename Layout::template machine<W>&) {
    return {};
  }
};

// Intel drops an entry on the fault that it causes [sdm] 4.10.4.1, AMD walks again before it faults [apm] 5.5.3; P = 0 is
// not cached by either.
template <>
struct cpu<x86_64> {
  template <word W>
  static constexpr stale_rules<W> rules(const x86_64::machine<W>& m) {
    return {.widening_faults = !m.amd,
            .widening_fault_lasts = truth<W>{false},
            .caches_invalid = truth<W>{false},
            .invalid_fault_lasts = truth<W>{false},
            .software_accessed_dirty = truth<W>{false},
            .fault_invalidates = truth<W>{true},
            .frame_needs_break = truth<W>{false},
            .memory_type_needs_break = truth<W>{false},
            .global_needs_break = truth<W>{false},
            .contiguous_needs_break = truth<W>{false},
            .contiguous_needs_flush = truth<W>{false},
            .write_gain_needs_break = truth<W>{false},
            .exec_loss_needs_break = truth<W>{false}};
  }
};

// Entries that fault on permission stay cached [arm] R_XCLRD; break-before-make [arm] R_WHZWS, R_DDMVT. Without hardware
// management AF = 0 faults and is not cached, and a clean page is read-only, which the rights say.
template <unsigned PageShift, bool Pa52>
struct cpu<arm64<PageShift, Pa52>> {
  template <word W>
  static constexpr stale_rules<W> rules(const typename arm64<PageShift, Pa52>::template machine<W>& m) {
    return {.widening_faults = truth<W>{true},
            .widening_fault_lasts = truth<W>{true},
            .caches_invalid = truth<W>{false},
            .invalid_fault_lasts = truth<W>{false},
            .software_accessed_dirty = truth<W>{false},
            .fault_invalidates = m.fault_invalidates,
            .frame_needs_break = truth<W>{true},
            .memory_type_needs_break = truth<W>{true},
            .global_needs_break = truth<W>{true},
            .contiguous_needs_break = !m.bbm_level1 && !m.bbm_level2,
            .contiguous_needs_flush = !m.bbm_level2,
            .write_gain_needs_break = truth<W>{false},
            .exec_loss_needs_break = m.erratum_2645198};
  }
};

// The MMU fetches an entry again before it reports that authority is lacking, the nest MMU of POWER9 does not [linux]
// radix_pgtable.c. That invalid entries are not cached is known second-hand only.
template <unsigned PageShift>
struct cpu<ppc64_radix<PageShift>> {
  template <word W>
  static constexpr stale_rules<W> rules(const typename ppc64_radix<PageShift>::template machine<W>& m) {
    return {.widening_faults = truth<W>{true},
            .widening_fault_lasts = truth<W>{false},
            .caches_invalid = truth<W>{false},
            .invalid_fault_lasts = truth<W>{false},
            .software_accessed_dirty = truth<W>{false},
            .fault_invalidates = truth<W>{true},
            .frame_needs_break = truth<W>{false},
            .memory_type_needs_break = truth<W>{false},
            .global_needs_break = truth<W>{false},
            .contiguous_needs_break = truth<W>{false},
            .contiguous_needs_flush = truth<W>{false},
            .write_gain_needs_break = m.nest_mmu,
            .exec_loss_needs_break = truth<W>{false}};
  }
};

// Any value since the last fence may be used, invalid ones too [riscv] SFENCE.VMA; Svvptc bounds how long for those.
template <>
struct cpu<riscv64> {
  template <word W>
  static constexpr stale_rules<W> rules(const riscv64::machine<W>& m) {
    return {.widening_faults = truth<W>{true},
            .widening_fault_lasts = truth<W>{true},
            .caches_invalid = truth<W>{true},
            .invalid_fault_lasts = !m.svvptc,
            .software_accessed_dirty = !m.svadu,
            .fault_invalidates = m.fault_invalidates,
            .frame_needs_break = truth<W>{false},
            .memory_type_needs_break = truth<W>{false},
            .global_needs_break = truth<W>{false},
            .contiguous_needs_break = truth<W>{false},
            .contiguous_needs_flush = truth<W>{true},
            .write_gain_needs_break = truth<W>{false},
            .exec_loss_needs_break = truth<W>{false}};
  }
};

// The rules for format F on machine m: those of its layout, or its own if it is not composed of two halves.
template <class F, word W>
constexpr stale_rules<W> rules_of(const machine<F, W>& m) {
  return cpu<layout_of<F>>::rules(m);
}

}  // namespace pte
