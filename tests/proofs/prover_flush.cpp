// The prover on code like that it is made for: flush predicates of three architectures are proved sound for all pairs
// of entries, written as branches and as an expression, and fifteen wrong ones are refuted.
#include <cstddef>
#include <utility>

#include <pte/proof/count.hpp>
#include <pte/proof/counterexample.hpp>

#include "prover_subjects.hpp"

using namespace pte::proof;
using namespace subjects;

namespace {

template <class A>
inline constexpr auto branches = prove(words<2>.first(A::first), needed<A>, asked<A>);
static_assert(proved<branches<x86>>);
static_assert(proved<branches<arm>>);
static_assert(proved<branches<power>>);

template <class A>
inline constexpr auto expression = prove(words<2>.first(A::first), needed<A>, asked_as_expression<A>);
static_assert(proved<expression<x86>> && expression<x86>.cost.paths == 2);
static_assert(proved<expression<arm>> && expression<arm>.cost.paths == 2);
static_assert(proved<expression<power>> && expression<power>.cost.paths == 2);

// Each mutant is refuted, by a pair that the plain functions confirm.
template <class A, int M>
inline constexpr auto mutant = prove(words<2>.first(A::first), needed<A>, asked_wrongly<A, M>);
template <class A, int... M>
constexpr bool all_refuted(std::integer_sequence<int, M...>) {
  return (refuted<mutant<A, M>> && ...) && (A::hardware_needs(mutant<A, M>.words[0], mutant<A, M>.words[1]) && ...) &&
         !(A::template wrong<M>(mutant<A, M>.words[0], mutant<A, M>.words[1]) || ...);
}
static_assert(all_refuted<x86>(std::make_integer_sequence<int, x86::mutants>{}));
static_assert(all_refuted<arm>(std::make_integer_sequence<int, arm::mutants>{}));
static_assert(all_refuted<power>(std::make_integer_sequence<int, power::mutants>{}));

// None of the three flushes only where it must: a pair shows it.
template <class A>
inline constexpr auto against = compare(
    words<2>.first(A::first), [](auto, auto) { return true; }, needed<A>, asked<A>);
static_assert(sound<against<x86>> && !against<x86>.tight);
static_assert(sound<against<arm>> && !against<arm>.tight);
static_assert(sound<against<power>> && !against<power>.tight);
static_assert(asked<arm>(against<arm>.needless[0], against<arm>.needless[1]) &&
              !needed<arm>(against<arm>.needless[0], against<arm>.needless[1]));

// How often, exactly. The arm predicate asks for a flush unless the old entry is invalid (half of all pairs) or the two
// differ in no bit but the four of software (of the others, 2^4 pairs for each of 2^63 old entries do not).
template <class A>
inline constexpr auto counted = count_answers(
    words<2>.first(A::first), [](auto, auto) { return true; }, needed<A>, asked<A>);
static_assert(counted<arm>.missed == cardinal<2>());
static_assert(counted<arm>.needless == counted<arm>.answered - counted<arm>.needed);
static_assert(counted<x86>.missed == cardinal<2>() &&
              counted<x86>.needless == counted<x86>.answered - counted<x86>.needed);

}  // namespace
