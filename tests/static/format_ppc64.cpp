// powerpc64 radix, 4K and 64K pages, with every software half: fields and laws, at every level.
#include <pte/format/ppc64_radix.hpp>

#include "formats.hpp"

static_assert(pte::test::check_layout<pte::ppc64_4k>() && pte::test::check_layout<pte::ppc64_64k>());
