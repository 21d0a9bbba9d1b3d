// Proofs over all inputs. A claim is a generic function of one to eight words that returns a bool or a truth<W>; so are
// the assumptions under which it is claimed.
//
//   constexpr auto same_frame = pte::proof::prove(
//       pte::proof::words<2>.first(PRESENT),
//       [](auto e, auto prot) { return (e & PRESENT) != 0; },                              // assuming this,
//       [](auto e, auto prot) { return ((change(e, prot) ^ e) & FRAME) == 0; });           // this is claimed
//   static_assert(pte::proof::proved<same_frame>);                                          // (counterexample.hpp)
//
// A function is run apart from the others, so that the paths through each add up: write "what is needed" as an
// assumption and "what is answered" as the claim, rather than both in one function. A later function is asked only
// about inputs that meet the earlier ones.
//
// Errors of everything here: a limit (limits.hpp) that is exceeded, or whatever a function may not do in a constant
// expression, ends the constant evaluation with a diagnostic.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pte/proof/agreement.hpp>
#include <pte/proof/arena.hpp>
#include <pte/proof/inputs.hpp>
#include <pte/proof/trial.hpp>

namespace pte::proof {

// What prove() found. A structural type: it can be a template argument.
template <std::size_t Words>
struct verdict {
  bool holds = false;        // no input meets the assumptions and not the claim
  bool vacuous = false;      // no input meets the assumptions: nothing was claimed
  bool agrees = false;       // plain and symbolic answers were equal on all samples, the counterexample included
  tuple<Words> words{};      // a counterexample if !holds, else an input that meets the assumptions (if there is one)
  tuple<Words> differing{};  // if !agrees: an input on which they were not equal
  statistics cost;

  // Is the claim proved, and worth something? Is it refuted, by a real counterexample?
  constexpr bool proved() const { return holds && !vacuous && agrees; }
  constexpr bool refuted() const { return !holds && agrees; }
};

// What find() found.
template <std::size_t Words>
struct witness {
  bool found = false;
  bool agrees = false;  // as in verdict
  tuple<Words> words{};
  tuple<Words> differing{};
  statistics cost;
};

// What compare() found about an answer (what a function says) against a need (what it ought to say).
template <std::size_t Words>
struct comparison {
  bool sound = false;        // answered wherever needed
  bool tight = false;        // answered only where needed
  bool constant = false;     // the need is the same for every input that meets the assumption: nothing was specified
  bool agrees = false;       // as in verdict, for all three functions
  tuple<Words> missed{};     // if !sound: needed and not answered
  tuple<Words> needless{};   // if !tight: answered and not needed
  tuple<Words> differing{};  // if !agrees
  statistics cost;

  constexpr bool exact() const { return sound && tight; }
};

namespace detail {

// Functions that are run one after the other, each within what the earlier ones left.
template <std::size_t Words, std::size_t Functions>
struct chain {
  edge after[Functions + 1] = {always};  // after[i]: the first i functions are true
  agreement<Words> plain;

  template <class... F>
  constexpr chain(trial<Words>& run, const F&... f) {
    std::size_t i = 0;
    ((after[i + 1] = run.where(after[i], f), ++i), ...);
    i = 0;
    ((plain.agrees ? void(plain = compare_with_plain(run, after[i], after[i + 1], f)) : void(), ++i), ...);
  }
};

template <class T>
inline constexpr bool is_inputs = false;
template <std::size_t Words>
inline constexpr bool is_inputs<inputs<Words>> = true;

}  // namespace detail

// Does the last function, the claim, follow from the others, the assumptions, for all inputs?
template <std::size_t Words, class... AssumptionsAndClaim>
  requires(sizeof...(AssumptionsAndClaim) >= 1)
constexpr verdict<Words> prove(const inputs<Words>& in, const AssumptionsAndClaim&... functions) {
  constexpr std::size_t last = sizeof...(functions);
  trial<Words> run(in);
  const detail::chain<Words, last> found(run, functions...);
  const edge assumed = found.after[last - 1];
  const edge refuted = run.diagrams().both(assumed, found.after[last] ^ 1);
  verdict<Words> result;
  result.holds = refuted == never;
  result.vacuous = assumed == never;
  result.agrees = found.plain.agrees;
  result.differing = found.plain.differing;
  if (refuted != never) {
    result.words = run.example(refuted);
    // All assumptions and not the claim, in the code that ships?
    std::size_t i = 0;
    const bool real = ((run.plainly(functions, result.words) == (++i < last)) && ...);
    if (!real && result.agrees) {
      result.agrees = false;
      result.differing = result.words;
    }
  } else if (assumed != never) {
    result.words = run.example(assumed);
  }
  result.cost = run.cost();
  return result;
}

// The same over words of which every bit is free: prove<2>(assumption, claim).
template <std::size_t Words, class... AssumptionsAndClaim>
  requires(sizeof...(AssumptionsAndClaim) >= 1 && !(detail::is_inputs<AssumptionsAndClaim> || ...))
constexpr verdict<Words> prove(const AssumptionsAndClaim&... functions) {
  return prove(words<Words>, functions...);
}

// An input that meets every condition, if there is one.
template <std::size_t Words, class... Conditions>
  requires(sizeof...(Conditions) >= 1)
constexpr witness<Words> find(const inputs<Words>& in, const Conditions&... conditions) {
  trial<Words> run(in);
  const detail::chain<Words, sizeof...(conditions)> met(run, conditions...);
  const edge all = met.after[sizeof...(conditions)];
  witness<Words> result;
  result.found = all != never;
  result.agrees = met.plain.agrees;
  result.differing = met.plain.differing;
  if (result.found) {
    result.words = run.example(all);
    if (result.agrees && !(run.plainly(conditions, result.words) && ...)) {
      result.agrees = false;
      result.differing = result.words;
    }
  }
  result.cost = run.cost();
  return result;
}

// Where the assumption holds: is `answer` true wherever `need` is, and only there?
template <std::size_t Words, class Assumption, class Need, class Answer>
constexpr comparison<Words> compare(const inputs<Words>& in, const Assumption& assumption, const Need& need,
                                    const Answer& answer) {
  trial<Words> run(in);
  const edge base = run.where(always, assumption);
  const edge needed = run.where(base, need), answered = run.where(base, answer);
  const edge missed = run.diagrams().both(needed, answered ^ 1), needless = run.diagrams().both(answered, needed ^ 1);
  agreement<Words> plain = compare_with_plain(run, always, base, assumption);
  if (plain.agrees) plain = compare_with_plain(run, base, needed, need);
  if (plain.agrees) plain = compare_with_plain(run, base, answered, answer);
  comparison<Words> result;
  result.sound = missed == never;
  result.tight = needless == never;
  result.constant = needed == never || needed == base;
  result.agrees = plain.agrees;
  result.differing = plain.differing;
  if (!result.sound) result.missed = run.example(missed);
  if (!result.tight) result.needless = run.example(needless);
  result.cost = run.cost();
  return result;
}

}  // namespace pte::proof
