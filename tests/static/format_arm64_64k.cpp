// arm64 with 64K pages and every software half: fields and laws, at every level.
#include <pte/format/arm64.hpp>

#include <pte/proof/check.hpp>

static_assert(pte::proof::check_layout<pte::arm64_64k>() && pte::proof::check_layout<pte::arm64_64k_lpa>());
