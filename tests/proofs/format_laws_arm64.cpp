// The laws of the arm64 formats, over all words.
#include "format_laws.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

static_assert(laws_hold<format<arm64_4k, bare>, level::pte>());
static_assert(laws_hold<format<arm64_4k, linux_7_3>, level::pte>());
static_assert(laws_hold<format<arm64_4k, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<arm64_4k, linux_6_1>, level::pte>());
static_assert(laws_hold<format<arm64_4k, linux_6_1>, level::pmd>());
static_assert(laws_hold<format<arm64_4k_lpa2, linux_7_3>, level::pte>());
static_assert(laws_hold<format<arm64_4k_lpa2, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<arm64_16k, linux_7_3>, level::pte>());
static_assert(laws_hold<format<arm64_16k, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<arm64_16k_lpa2, linux_7_3>, level::pte>());
static_assert(laws_hold<format<arm64_16k_lpa2, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<arm64_64k, linux_7_3>, level::pte>());
static_assert(laws_hold<format<arm64_64k, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<arm64_64k_lpa, linux_6_12>, level::pte>());
static_assert(laws_hold<format<arm64_64k_lpa, linux_6_12>, level::pmd>());

}  // namespace
