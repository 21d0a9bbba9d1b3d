// Edges: where they lead, negated or not; and words that are partly known.
#include <cstdint>
#include <pte/proof/arena.hpp>

namespace {

using pte::proof::always;
using pte::proof::arena;
using pte::proof::edge;
using pte::proof::never;

// A negated edge leads to what is negated.
constexpr bool edges_lead_to_cofactors() {
  arena a;
  const edge x = a.variable(0), y = a.variable(1), z = a.variable(2);
  const edge f = a.choose(x, y, z);
  return a.level(f) == 0 && a.high(f) == y && a.low(f) == z && a.level(f ^ 1) == 0 && a.high(f ^ 1) == (y ^ 1) &&
         a.low(f ^ 1) == (z ^ 1) && a.high(x) == always && a.low(x) == never && a.high(x ^ 1) == never &&
         a.low(x ^ 1) == always;
}
static_assert(edges_lead_to_cofactors());

}  // namespace
