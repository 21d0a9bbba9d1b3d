// arm64 with 64K pages and every software half: fields and laws, at every level.
#include <pte/format/arm64.hpp>

#include "formats.hpp"

static_assert(pte::test::check_layout<pte::arm64_64k>() && pte::test::check_layout<pte::arm64_64k_lpa>());
