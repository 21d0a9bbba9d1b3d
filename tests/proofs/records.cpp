// The theorems about the policy `exact`, over every record and all rules: S1, S2 (the part that records show), S3, S7.
// See proof/records.hpp.
#include <pte/proof/records.hpp>
#include <utility>

using namespace pte::proof;

namespace {

static_assert(proved<exact_is_sound<>>);
static_assert(proved<exact_asks_for_a_reason<>>);
static_assert(proved<exact_makes_progress<>>);
static_assert(proved<exact_is_reflexive<>>);

static_assert(proved<exact_drops_what_becomes_unusable<>>);
static_assert(proved<exact_knows_one_unusable_record<>>);
template <unsigned... Rules>
constexpr bool transitive(std::integer_sequence<unsigned, Rules...>) {
  return (proved<exact_is_transitive<Rules, true>> && ...) && (proved<exact_is_transitive<Rules, false>> && ...);
}
static_assert(transitive(std::make_integer_sequence<unsigned, 16>{}));

}  // namespace
