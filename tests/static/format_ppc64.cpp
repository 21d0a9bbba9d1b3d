// powerpc64 radix, 4K and 64K pages, with every software half: fields and laws, at every level.
#include <pte/format/ppc64_radix.hpp>

#include <pte/proof/check.hpp>

static_assert(pte::proof::check_layout<pte::ppc64_4k>() && pte::proof::check_layout<pte::ppc64_64k>());
