// Why a flush is needed, or not, in words: the run-time twin of the proofs, for people who look at one pair of entries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <pte/tlb/need.hpp>
#include <pte/tlb/policy.hpp>

namespace pte {

// What a change does and asks for.
struct explanation {
  need<std::uint64_t> asks;      // all of it together
  bool flush = false;            // what the policy `exact` answers
  const char* verdict = "";      // one sentence
  std::array<cause<std::uint64_t>, cause_count> list{};
  std::size_t count = 0;

  // What happens between the entries, with the rows of the table; empty if nothing does that a TLB could notice.
  constexpr std::span<const cause<std::uint64_t>> happening() const { return {list.data(), count}; }
};

namespace detail {

// The row to cite for a cause. Rights do not tell a change of the user bit from one of the read permission, nor row 25
// from 28; the other rights do: whoever may not read after a user bit changed, the other side may.
constexpr unsigned row_to_cite(const cause<std::uint64_t>& c, const translation<std::uint64_t>& o,
                               const translation<std::uint64_t>& n) {
  switch (c.row) {
    case 7: return n.rights.user_read ? 7 : 9;
    case 8: return n.rights.kernel_read ? 8 : 9;
    case 9: return o.rights.kernel_read ? 7 : o.rights.user_read ? 8 : 9;
    case 28: return n.rights.user_write || n.rights.kernel_write ? 25 : 28;
    default: return c.row;
  }
}

}  // namespace detail

// Explains the change of one address from `old` to `next` on machine m. Under hypothesis H (see need.hpp).
template <class F, level L>
constexpr explanation explain(entry<F, L> old, entry<F, L> next, const machine<F>& m) {
  const stale_rules<std::uint64_t> rules = rules_of<F, std::uint64_t>(m);
  const translation<std::uint64_t> o = translate(old, m), n = translate(next, m);
  explanation e;
  e.asks = needed(o, n, rules);
  e.flush = exact::needs_flush(old, next, m);
  for (const cause<std::uint64_t>& c : validity_causes(o, n, rules))
    if (c.happens) e.list[e.count++] = c;
  for (const cause<std::uint64_t>& c : causes(o, n, rules))
    if (c.happens && o.usable() && n.usable()) {
      e.list[e.count] = c;
      e.list[e.count++].row = detail::row_to_cite(c, o, n);
    }
  if (e.asks.break_before_make)
    e.verdict = "break before make: write an invalid entry, flush, and only then write the new one";
  else if (e.asks.flush)
    e.verdict = "flush: the old translation must not be used any more";
  else if (e.asks.dirty)
    e.verdict = "flush: a write through the old translation would leave the new entry clean, and data could be lost";
  else if (e.asks.lasting && !rules.fault_invalidates)
    e.verdict = "flush: an access could fault for ever, since nothing invalidates the old translation on the fault";
  else if (e.asks.spurious && !n.for_user())
    e.verdict = "flush: an access could fault once, and the kernel does not retry";
  else if (e.asks.lasting)
    e.verdict = "no flush: an access may fault, and the fault handler invalidates the address";
  else if (e.asks.spurious)
    e.verdict = "no flush: an access may fault once, and finds the new entry when it is tried again";
  else if (e.asks.accessed)
    e.verdict = "no flush: an access may go unnoted, which only heuristics rely on";
  else if (!o.usable())
    e.verdict = "no flush: the MMU could not use the old entry, so no TLB holds it";
  else
    e.verdict = "no flush: no access can tell the two entries apart";
  return e;
}

}  // namespace pte
