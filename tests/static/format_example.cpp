// The made-up format: fields and laws, at every level.
#include <pte/format/example.hpp>

#include <pte/proof/check.hpp>

static_assert(pte::proof::check_format<pte::example>());
