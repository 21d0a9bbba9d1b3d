// The made-up format: fields and laws, at every level.
#include <pte/format/example.hpp>

#include "formats.hpp"

static_assert(pte::test::check_format<pte::example>());
