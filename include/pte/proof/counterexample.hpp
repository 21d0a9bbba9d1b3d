// How a failing proof reads. `static_assert(proved<v>)` instantiates, if v is no proof, a class template whose name
// says what is wrong and whose arguments are the words that show it, in hexadecimal:
//
//   error: static assertion failed: the claim is false for these words
//   ... COUNTEREXAMPLE<hex<text{"0x0000000000000001"}>, hex<text{"0x0000000000000003"}> >
//
// A theorem may bring a name of its own: `proved<v, MISSED_FLUSH>`, where MISSED_FLUSH is a class template over as many
// types as the claim has words, with a failing static_assert inside (holds_for<...>, below, is false).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <pte/proof/prove.hpp>

namespace pte::proof {

#if defined(__clang__) && __clang_major__ < 16
// This compiler prints an array of characters in a template argument as numbers: one argument a digit is readable.
template <char... Digits>
struct hex {};
namespace detail {
template <std::uint64_t Value, std::size_t... I>
hex<'0', 'x', "0123456789abcdef"[Value >> (60 - 4 * I) & 15]...> digits_of(std::index_sequence<I...>);
}  // namespace detail
// A type whose name shows Value.
template <std::uint64_t Value>
using shown = decltype(detail::digits_of<Value>(std::make_index_sequence<16>{}));
#else
struct text {
  char characters[19];
};
template <text Digits>
struct hex {};
namespace detail {
constexpr text digits_of(std::uint64_t value) {
  // Every element is assigned, the last one too: clang prints as a string what ends in a stored zero.
  text result{{'0', 'x'}};
  for (int i = 0; i < 16; ++i) result.characters[17 - i] = "0123456789abcdef"[value >> 4 * i & 15];
  result.characters[18] = 0;
  return result;
}
}  // namespace detail
// A type whose name shows Value.
template <std::uint64_t Value>
using shown = hex<detail::digits_of(Value)>;
#endif

// False, but only once the template around it is instantiated.
template <class... Words>
inline constexpr bool holds_for = false;

// The words meet the assumptions and not the claim.
template <class... Words>
struct COUNTEREXAMPLE {
  static_assert(holds_for<Words...>, "the claim is false for these words");
};
// The words are among those that the answer misses (or makes for nothing).
template <class... Words>
struct NEEDED_BUT_NOT_ANSWERED {
  static_assert(holds_for<Words...>, "unsound: needed for these words, and the function under proof says no");
};
template <class... Words>
struct ANSWERED_BUT_NOT_NEEDED {
  static_assert(holds_for<Words...>, "not tight: not needed for these words, and the function under proof says yes");
};
// The words get another answer from the plain instantiation than from the symbolic one.
template <class... Words>
struct PLAIN_AND_SYMBOLIC_DISAGREE {
  static_assert(holds_for<Words...>, "the function proved is not the function that ships: it differs on these words");
};
template <std::size_t Words>
struct VACUOUS_PROOF {
  static_assert(Words == 0, "no input meets the assumptions: nothing is proved");
};
template <std::size_t Words>
struct CONSTANT_SPECIFICATION {
  static_assert(Words == 0, "the specification says the same for every input: nothing is proved");
};
template <std::size_t Words>
struct NOT_REFUTED {
  static_assert(Words == 0, "the claim was expected to be false, and holds");
};

namespace detail {

// Types rather than functions from here on: compilers report a failing class in few lines, a failing constant
// evaluation in many.

// Name over the words' names. Asking for its size instantiates it; a template that has no failing assertion of its own
// still makes `value` false.
template <template <class...> class Name, auto Tuple, class Index = std::make_index_sequence<Tuple.size()>>
struct blame;
template <template <class...> class Name, auto Tuple, std::size_t... I>
struct blame<Name, Tuple, std::index_sequence<I...>> {
  static constexpr bool value = sizeof(Name<shown<Tuple[I]>...>) == 0;
};
template <template <std::size_t> class Name, std::size_t Words>
struct blame_all {
  static constexpr bool value = sizeof(Name<Words>) == 0;
};
struct fine {
  static constexpr bool value = true;
};

template <auto Verdict, template <class...> class Refuted>
constexpr auto judge_proved() {
  if constexpr (!Verdict.agrees) {
    return std::type_identity<blame<PLAIN_AND_SYMBOLIC_DISAGREE, Verdict.differing>>{};
  } else if constexpr (!Verdict.holds) {
    return std::type_identity<blame<Refuted, Verdict.words>>{};
  } else if constexpr (Verdict.vacuous) {
    return std::type_identity<blame_all<VACUOUS_PROOF, Verdict.words.size()>>{};
  } else {
    return std::type_identity<fine>{};
  }
}

template <auto Verdict>
constexpr auto judge_refuted() {
  if constexpr (!Verdict.agrees) {
    return std::type_identity<blame<PLAIN_AND_SYMBOLIC_DISAGREE, Verdict.differing>>{};
  } else if constexpr (Verdict.holds) {
    return std::type_identity<blame_all<NOT_REFUTED, Verdict.words.size()>>{};
  } else {
    return std::type_identity<fine>{};
  }
}

template <auto Comparison, bool Passes, auto Tuple, template <class...> class Name>
constexpr auto judge_comparison() {
  if constexpr (!Comparison.agrees) {
    return std::type_identity<blame<PLAIN_AND_SYMBOLIC_DISAGREE, Comparison.differing>>{};
  } else if constexpr (!Passes) {
    return std::type_identity<blame<Name, Tuple>>{};
  } else if constexpr (Comparison.constant) {
    return std::type_identity<blame_all<CONSTANT_SPECIFICATION, Tuple.size()>>{};
  } else {
    return std::type_identity<fine>{};
  }
}

}  // namespace detail

// True if the verdict of prove() is a proof: the claim holds, the assumptions can be met, and plain and symbolic
// instantiations agree. Else an error that names the reason and the words.
template <auto Verdict, template <class...> class Refuted = COUNTEREXAMPLE>
inline constexpr bool proved = decltype(detail::judge_proved<Verdict, Refuted>())::type::value;

// True if the verdict of prove() is a refutation with a counterexample that the plain instantiation confirms. Else an
// error.
template <auto Verdict>
inline constexpr bool refuted = decltype(detail::judge_refuted<Verdict>())::type::value;

// True if compare() found the answer to be given wherever it is needed, or only there. Else an error that shows an
// input for which it is not. (Whether a specification is constant, and whether the instantiations agree, is checked as
// well.)
template <auto Comparison, template <class...> class Missed = NEEDED_BUT_NOT_ANSWERED>
inline constexpr bool sound =
    decltype(detail::judge_comparison<Comparison, Comparison.sound, Comparison.missed, Missed>())::type::value;
template <auto Comparison, template <class...> class Needless = ANSWERED_BUT_NOT_NEEDED>
inline constexpr bool tight =
    decltype(detail::judge_comparison<Comparison, Comparison.tight, Comparison.needless, Needless>())::type::value;

}  // namespace pte::proof
