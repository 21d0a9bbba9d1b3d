// x86-64 with every software half: fields and laws, at every level.
#include <pte/format/x86_64.hpp>

#include "formats.hpp"

static_assert(pte::test::check_layout<pte::x86_64>());
