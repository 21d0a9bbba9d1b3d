// The laws of the ppc64 formats, over all words.
#include "format_laws.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

static_assert(laws_hold<format<ppc64_64k, bare>, level::pte>());
static_assert(laws_hold<format<ppc64_4k, linux_7_3>, level::pte>());
static_assert(laws_hold<format<ppc64_4k, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<ppc64_64k, linux_7_3>, level::pte>());
static_assert(laws_hold<format<ppc64_64k, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<ppc64_64k, linux_6_1>, level::pte>());
static_assert(laws_hold<format<ppc64_64k, linux_6_1>, level::pmd>());

static_assert(advances<format<ppc64_4k, linux_7_3>, level::pte>());
static_assert(advances<format<ppc64_4k, linux_7_3>, level::pmd>());
static_assert(advances<format<ppc64_64k, linux_7_3>, level::pte>());
static_assert(advances<format<ppc64_64k, linux_7_3>, level::pmd>());
static_assert(advances<format<ppc64_64k, linux_6_1>, level::pte>());
static_assert(advances<format<ppc64_64k, linux_6_1>, level::pmd>());

}  // namespace
