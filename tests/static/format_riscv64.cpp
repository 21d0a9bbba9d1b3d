// riscv64 with every software half: fields and laws, at every level.
#include <pte/format/riscv64.hpp>

#include "formats.hpp"

static_assert(pte::test::check_layout<pte::riscv64>());
