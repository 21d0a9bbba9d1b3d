// What an entry is to a TLB: the record of everything that a translation made from it may carry. Decisions about flushes
// are stated on two such records, not on bits; that no relevant bit is missing from the record is a theorem of proof/.
#pragma once

#include <cstdint>

#include <pte/format/access.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/entry.hpp>
#include <pte/word/word.hpp>

namespace pte {

template <word W>
struct translation {
  truth<W> valid{false};           // the MMU takes the entry for a leaf
  truth<W> reserved_fault{false};  // ... but faults on its reserved bits
  permissions<W> rights{};         // under the machine's control registers
  truth<W> shadow_stack{false};    // takes shadow-stack stores
  truth<W> accessed{false};
  truth<W> dirty{false};           // a write leaves no further mark
  truth<W> global{false};          // outlives a change of address space
  truth<W> guarded{false};         // indirect branches must land on a landing pad (arm64 BTI)
  truth<W> contiguous{false};      // may be held together with its group
  W phys{0};                       // of the page, in bytes
  W memory_type{0};                // F::at<L>::memory_attributes
  W shareability{0};
  W security{0};                   // the address space it names (arm64 NS)
  W encryption{0};                 // the encryption bit (x86 C-bit)
  W key{0};                        // protection key
  W size_shift{0};                 // log2 of the bytes mapped

  // Can a TLB hold it and use it?
  constexpr truth<W> usable() const { return valid && !reserved_fault; }
  // Does any access go through it, if it is usable?
  constexpr truth<W> some_right() const {
    return for_user() || rights.kernel_read || rights.kernel_write || rights.kernel_exec;
  }
  constexpr truth<W> writable() const { return rights.user_write || rights.kernel_write || shadow_stack; }
  constexpr truth<W> for_user() const { return rights.user_read || rights.user_write || rights.user_exec || shadow_stack; }
};

// The record that `e` decodes to on machine `m`. For an entry that is no leaf only `valid` is meaningful (false). What a
// format has no notion of keeps its default.
template <class F, level L, word W>
constexpr translation<W> translate(entry<F, L, W> e, const machine<F, W>& m) {
  using ops = typename F::template at<L>;
  const W w = e.raw;
  translation<W> t;
  t.valid = e.is_leaf();
  t.reserved_fault = ops::reserved_set(w, m);
  t.rights = ops::rights_of(w, m);
  t.accessed = ops::accessed(w);
  t.phys = ops::phys(w, m);
  t.memory_type = ops::memory_attributes(w, m);
  t.size_shift = W{F::shift(L)};
  if constexpr (requires { ops::hardware_dirty(w); })
    t.dirty = ops::hardware_dirty(w);
  else
    t.dirty = ops::dirty(w);
  if constexpr (requires { ops::shadow_stack(w, m); }) t.shadow_stack = ops::shadow_stack(w, m);
  if constexpr (has_global<F>) t.global = ops::global(w);
  if constexpr (has_pkey<F>) t.key = ops::pkey(w);
  if constexpr (has_contiguous<F>) {
    if constexpr (ops::group_entries > 1) t.contiguous = ops::contiguous(w);
    t.size_shift = ops::item_shift(w);
  }
  if constexpr (requires { ops::guarded(w); }) t.guarded = ops::guarded(w);
  if constexpr (requires { ops::shareability(w); }) t.shareability = ops::shareability(w);
  if constexpr (requires { ops::security(w); }) t.security = ops::security(w);
  if constexpr (requires { ops::encryption(w, m); }) t.encryption = ops::encryption(w, m);
  return t;
}

}  // namespace pte
