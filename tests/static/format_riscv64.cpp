// riscv64 with every software half: fields and laws, at every level.
#include <pte/format/riscv64.hpp>

#include <pte/proof/check.hpp>

static_assert(pte::proof::check_layout<pte::riscv64>());
