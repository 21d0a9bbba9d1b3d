// The theorems about flushes for ppc64: every layout, a page and a large page, all machines. See proof/flush.hpp for
// what they say. `exact` is proved once for all in records.cpp.
#include "flush_theorems.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

// Linux asks about user entries. Widening needs more where a nest MMU of POWER9 uses the tables.
struct user_entries_without_nest_mmu {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W>, entry<F, L, W> next, const machine<F, W>& m) {
    return none<W>(next.raw, F::privileged.mask) && !m.nest_mmu;
  }
};

// ppc64_4k. S0b: the record and the MMU know nothing of systems.
static_assert(table_is_the_mmu<format<ppc64_4k, linux_7_3>, level::pte>());
static_assert(table_is_the_mmu<format<ppc64_4k, linux_7_3>, level::pmd>());
// S1, S3, S5, S7 for Linux's rule.
static_assert(linux_rules_hold<format<ppc64_4k, linux_7_3>, level::pte>());
static_assert(proved<flush_is_sound<linux_rules<>, format<ppc64_4k, linux_7_3>, level::pte>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<ppc64_4k, linux_7_3>, level::pte,
                                            user_entries_without_nest_mmu>,
                     FAULTS_FOR_EVER>);
static_assert(linux_rules_hold<format<ppc64_4k, linux_7_3>, level::pmd>());
static_assert(proved<flush_is_sound<linux_rules<>, format<ppc64_4k, linux_7_3>, level::pmd>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<ppc64_4k, linux_7_3>, level::pmd,
                                            user_entries_without_nest_mmu>,
                     FAULTS_FOR_EVER>);

// ppc64_64k. S0b: the record and the MMU know nothing of systems.
static_assert(table_is_the_mmu<format<ppc64_64k, linux_7_3>, level::pte>());
static_assert(table_is_the_mmu<format<ppc64_64k, linux_7_3>, level::pmd>());
// S1, S3, S5, S7 for Linux's rule.
static_assert(linux_rules_hold<format<ppc64_64k, linux_7_3>, level::pte>());
static_assert(proved<flush_is_sound<linux_rules<>, format<ppc64_64k, linux_7_3>, level::pte>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<ppc64_64k, linux_7_3>, level::pte,
                                            user_entries_without_nest_mmu>,
                     FAULTS_FOR_EVER>);
static_assert(linux_rules_hold<format<ppc64_64k, linux_7_3>, level::pmd>());
static_assert(proved<flush_is_sound<linux_rules<>, format<ppc64_64k, linux_7_3>, level::pmd>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<ppc64_64k, linux_7_3>, level::pmd,
                                            user_entries_without_nest_mmu>,
                     FAULTS_FOR_EVER>);

}  // namespace
