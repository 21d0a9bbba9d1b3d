// The theorems about flushes for arm64, 64k: every layout, a page and a large page, all machines. See proof/flush.hpp
// for what they say. `exact` is proved once for all in records.cpp.
#include "flush_theorems.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

// arm64_64k. S0b: the record and the MMU know nothing of systems.
static_assert(table_is_the_mmu<format<arm64_64k, linux_7_3>, level::pte>());
static_assert(table_is_the_mmu<format<arm64_64k, linux_7_3>, level::pmd>());
// S1, S3, S5, S7 for Linux's rule.
static_assert(linux_rules_hold<format<arm64_64k, linux_7_3>, level::pte>());
static_assert(proved<flush_is_sound<linux_rules<>, format<arm64_64k, linux_7_3>, level::pte>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<arm64_64k, linux_7_3>, level::pte>, FAULTS_FOR_EVER>);
static_assert(linux_rules_hold<format<arm64_64k, linux_7_3>, level::pmd>());
static_assert(proved<flush_is_sound<linux_rules<>, format<arm64_64k, linux_7_3>, level::pmd>, MISSED_FLUSH>);
static_assert(proved<elision_makes_progress<linux_rules<>, format<arm64_64k, linux_7_3>, level::pmd>, FAULTS_FOR_EVER>);
// Before 6.19 arm64 has no rule.
static_assert(elides_nothing<linux_rules<>, format<arm64_64k, linux_6_12>, level::pte>);

// arm64_64k_lpa. S0b: the record and the MMU know nothing of systems.
static_assert(table_is_the_mmu<format<arm64_64k_lpa, linux_7_3>, level::pte>());
static_assert(table_is_the_mmu<format<arm64_64k_lpa, linux_7_3>, level::pmd>());
// S1, S3, S5, S7 for Linux's rule.
static_assert(linux_rules_hold<format<arm64_64k_lpa, linux_7_3>, level::pte>());
static_assert(proved<flush_is_sound<linux_rules<>, format<arm64_64k_lpa, linux_7_3>, level::pte>, MISSED_FLUSH>);
static_assert(
    proved<elision_makes_progress<linux_rules<>, format<arm64_64k_lpa, linux_7_3>, level::pte>, FAULTS_FOR_EVER>);
static_assert(linux_rules_hold<format<arm64_64k_lpa, linux_7_3>, level::pmd>());
static_assert(proved<flush_is_sound<linux_rules<>, format<arm64_64k_lpa, linux_7_3>, level::pmd>, MISSED_FLUSH>);
static_assert(
    proved<elision_makes_progress<linux_rules<>, format<arm64_64k_lpa, linux_7_3>, level::pmd>, FAULTS_FOR_EVER>);
// Before 6.19 arm64 has no rule.
static_assert(elides_nothing<linux_rules<>, format<arm64_64k_lpa, linux_6_12>, level::pte>);

}  // namespace
