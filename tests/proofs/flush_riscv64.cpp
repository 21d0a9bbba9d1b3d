// The theorems about flushes for riscv64: every layout, a page and a large page, all machines. See proof/flush.hpp for
// what they say. `exact` is proved once for all in records.cpp.
#include "flush_theorems.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

// riscv64. S0b: the record and the MMU know nothing of systems.
static_assert(table_is_the_mmu<format<riscv64, linux_7_3>, level::pte>());
static_assert(table_is_the_mmu<format<riscv64, linux_7_3>, level::pmd>());
// Linux has no rule of its own: it always flushes (S5).
static_assert(proved<linux_rules_are_linuxs<format<riscv64, linux_7_3>, level::pte>>);
static_assert(elides_nothing<linux_rules<>, format<riscv64, linux_7_3>, level::pte>);
static_assert(elides_nothing<pte::always, format<riscv64, linux_7_3>, level::pmd>);

}  // namespace
