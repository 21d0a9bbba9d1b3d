// The theorems about the policy `exact`, over every record and all rules: S1, S2 (the part that records show), S3, S7. See
// proof/records.hpp.
#include <utility>

#include <pte/proof/records.hpp>

using namespace pte::proof;

namespace {

static_assert(proved<exact_is_sound<>>);
static_assert(proved<exact_asks_for_a_reason<>>);
static_assert(proved<exact_makes_progress<>>);
static_assert(proved<exact_is_reflexive<>>);

// After a usable record nothing is elided that leads to one that is not: those cases are vacuous, the others proved.
template <unsigned Case>
constexpr bool transitive() {
  constexpr bool x = Case & 1, y = Case & 2, z = Case & 4;
  if constexpr ((x && !y) || (y && !z))
    return exact_is_transitive<Case>.holds && exact_is_transitive<Case>.vacuous;
  else
    return proved<exact_is_transitive<Case>>;
}
template <unsigned... Case>
constexpr bool all_transitive(std::integer_sequence<unsigned, Case...>) {
  return (transitive<Case>() && ...);
}
static_assert(all_transitive(std::make_integer_sequence<unsigned, 64>{}));

}  // namespace
