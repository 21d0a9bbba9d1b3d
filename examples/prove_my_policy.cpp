// A flush policy of your own, for a format of your own, proved before it runs. (pte/format/example.hpp stands for
// yours.) The first attempt was `differs` alone, in needs_flush: everything but accessed, dirty and what the MMU
// ignores. The compiler's answer:
//
//   error: static assertion failed: the policy elides a flush that the table of stale translations demands
//   ... MISSED_FLUSH<hex<text{"0x0000000000000047"}>, hex<text{"0x0000000000000007"}>, ...>
//
// 0x47 is a writable page that is dirty, 0x07 the same page, clean: a TLB that still holds the first writes to it, and
// the write is not noted, so that the page is dropped instead of saved. Hence the second condition.

#include <cstdint>
#include <cstdio>
#include <pte/format/example.hpp>
#include <pte/proof/flush.hpp>
#include <pte/pte.hpp>
#include <pte/tlb/explain.hpp>

// How its CPUs treat stale translations: they set accessed and dirty themselves, and drop an entry on the fault it
// causes.
template <>
struct pte::cpu<pte::example> {
  template <pte::word W>
  static constexpr stale_rules<W> rules(const example::machine<W>&) {
    return {.widening_fault_lasts = false,
            .caches_invalid = false,
            .software_accessed_dirty = false,
            .fault_invalidates = true};
  }
};

struct my_policy {
  template <class F, pte::level L, pte::word W>
  static constexpr pte::truth<W> needs_flush(pte::entry<F, L, W> old, pte::entry<F, L, W> next,
                                             const pte::machine<F, W>&) {
    constexpr std::uint64_t unseen = F::a.mask | F::d.mask | F::ignored_7.mask | F::ignored_high.mask;
    const W differs = old.raw ^ next.raw;
    return old.is_leaf() && (pte::any<W>(differs, ~unseen) || pte::any<W>(differs & old.raw, F::d.mask));
  }
};

// For all 2^128 pairs of entries, and both levels at which there are pages.
using namespace pte::proof;
static_assert(proved<flush_is_sound<my_policy, pte::example, pte::level::pte>, MISSED_FLUSH>);
static_assert(proved<flush_is_sound<my_policy, pte::example, pte::level::pmd>, MISSED_FLUSH>);

static void show(const char* change, std::uint64_t old, std::uint64_t next) {
  using entry = pte::entry<pte::example, pte::level::pte>;
  const pte::machine<pte::example> machine{};
  std::printf("%-20s %-9s %s\n", change,
              my_policy::needs_flush(entry{old}, entry{next}, machine) ? "flush" : "no flush",
              pte::explain(entry{old}, entry{next}, machine).verdict);
}

int main() {
  show("dirty is cleared", 0x4047, 0x4007);
  show("dirty is set", 0x4007, 0x4047);
  show("a mark of software's", 0x4007, 0x4087);
  show("writes withdrawn", 0x4007, 0x4003);
}
