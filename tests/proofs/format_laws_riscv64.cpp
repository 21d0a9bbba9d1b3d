// The laws of the riscv64 formats, over all words.
#include "format_laws.hpp"

using namespace pte;
using namespace pte::proof;

namespace {

static_assert(laws_hold<format<riscv64, bare>, level::pte>());
static_assert(laws_hold<format<riscv64, linux_7_3>, level::pte>());
static_assert(laws_hold<format<riscv64, linux_7_3>, level::pmd>());
static_assert(laws_hold<format<riscv64, linux_6_12>, level::pte>());
static_assert(laws_hold<format<riscv64, linux_6_12>, level::pmd>());
static_assert(laws_hold<format<riscv64, linux_6_1>, level::pte>());
static_assert(laws_hold<format<riscv64, linux_6_1>, level::pmd>());

}  // namespace
