// arm64 with 4K pages and every software half: fields and laws, at every level.
#include <pte/format/arm64.hpp>

#include "formats.hpp"

static_assert(pte::test::check_layout<pte::arm64_4k>() && pte::test::check_layout<pte::arm64_4k_lpa2>());
