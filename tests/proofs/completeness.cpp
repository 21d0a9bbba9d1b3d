// S0a for every layout, level kind and system: the record of a leaf forgets no bit that matters.
#include <pte/proof/completeness.hpp>

using namespace pte;
using namespace pte::proof;

namespace {

template <class Layout, class Os>
constexpr bool complete = proved<record_is_complete<format<Layout, Os>, level::pte>>&&
    proved<record_is_complete<format<Layout, Os>, level::pmd>>;

// Systems differ in the names of software's bits only.
static_assert(complete<x86_64, bare> && complete<x86_64, linux_7_3>);
static_assert(proved<record_is_complete<format<x86_64, linux_6_1>, level::pud>>);
static_assert(complete<arm64_4k, linux_7_3> && complete<arm64_4k_lpa2, linux_7_3>);
static_assert(complete<arm64_16k, linux_7_3> && complete<arm64_16k_lpa2, linux_7_3>);
static_assert(complete<arm64_64k, linux_7_3> && complete<arm64_64k_lpa, linux_7_3>);
static_assert(proved<record_is_complete<format<arm64_4k, linux_7_3>, level::pud>>);
static_assert(complete<ppc64_4k, linux_7_3> && complete<ppc64_64k, linux_7_3>);
static_assert(complete<riscv64, bare> && complete<riscv64, linux_7_3>);

}  // namespace
