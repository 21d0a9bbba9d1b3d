// The laws of the x86_64 formats, over all words. (Large pages differ from 4K pages in the same way under each system.)
#include "format_laws.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

static_assert(laws_hold<format<x86_64, bare>, level::pte>());
static_assert(laws_hold<format<x86_64, linux_7_3>, level::pte>());
static_assert(laws_hold<format<x86_64, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<x86_64, linux_6_12>, level::pte>());
static_assert(laws_hold<format<x86_64, linux_6_1>, level::pte>());

static_assert(advances<format<x86_64, linux_7_3>, level::pte>());
static_assert(advances<format<x86_64, linux_7_3>, level::pmd>());
static_assert(advances<format<x86_64, linux_6_1>, level::pte>());

}  // namespace
