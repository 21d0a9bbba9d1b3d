// expect: FAULTS_FOR_EVER
// expect: the policy elides a flush after which an access may fault and never succeed
// x86's rule for riscv: invalid entries may be cached, and without Svvptc stay cached.
#include <pte/proof/flush.hpp>
#include <pte/proof/wrong_policies.hpp>

using format_used = pte::format<pte::riscv64, pte::linux_7_3>;

static_assert(pte::proof::proved<pte::proof::elision_makes_progress<pte::proof::invalid_needs_none, format_used>,
                                 pte::proof::FAULTS_FOR_EVER>);
