// The theorems about flushes for x86, 64: every layout, a page and a large page, all machines. See proof/flush.hpp for
// what they say. `exact` is proved once for all in records.cpp.
#include "flush_theorems.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

// Linux asks about pairs that agree in the encryption bit (row 26: it changes that bit with a flush of its own), and
// never makes a large page with reserved bits. With the debug rule neither needs to be assumed.
struct well_formed {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    const truth<W> same_encryption = ((old.raw ^ next.raw) & x86_64::encryption_mask(m)) == W{0};
    return same_encryption && !(next.is_leaf() && F::template at<L>::reserved_set(next.raw, m));
  }
};

// x86_64. S0b: the record and the MMU know nothing of systems.
static_assert(table_is_the_mmu<format<x86_64, linux_7_3>, level::pte>());
static_assert(table_is_the_mmu<format<x86_64, linux_7_3>, level::pmd>());
static_assert(table_is_the_mmu<format<x86_64, linux_7_3>, level::pud>());
// S1, S3, S5, S7 for Linux's rule.
static_assert(linux_rules_hold<format<x86_64, linux_7_3>, level::pte>());
static_assert(proved<flush_is_sound<linux_rules<true>, format<x86_64, linux_7_3>, level::pte>, MISSED_FLUSH>);
static_assert(proved<flush_is_sound<linux_rules<>, format<x86_64, linux_7_3>, level::pte, well_formed>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<x86_64, linux_7_3>, level::pte>, FAULTS_FOR_EVER>);
static_assert(linux_rules_hold<format<x86_64, linux_7_3>, level::pmd>());
static_assert(proved<flush_is_sound<linux_rules<true>, format<x86_64, linux_7_3>, level::pmd>, MISSED_FLUSH>);
static_assert(proved<flush_is_sound<linux_rules<>, format<x86_64, linux_7_3>, level::pmd, well_formed>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<x86_64, linux_7_3>, level::pmd>, FAULTS_FOR_EVER>);
static_assert(linux_rules_hold<format<x86_64, linux_6_1>, level::pte>());
static_assert(proved<flush_is_sound<linux_rules<true>, format<x86_64, linux_6_1>, level::pte>, MISSED_FLUSH>);
static_assert(proved<flush_is_sound<linux_rules<>, format<x86_64, linux_6_1>, level::pte, well_formed>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<x86_64, linux_6_1>, level::pte>, FAULTS_FOR_EVER>);

}  // namespace
