// One proof in progress over K words: runs functions symbolically and plainly, picks inputs out of a truth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <pte/proof/arena.hpp>
#include <pte/proof/inputs.hpp>
#include <pte/proof/paths.hpp>
#include <pte/proof/symbolic.hpp>

namespace pte::proof {

// What a proof cost.
struct statistics {
  unsigned nodes = 0;  // diagram nodes made
  unsigned steps = 0;  // steps of AND and XOR
  unsigned paths = 0;  // paths run, over all functions of the proof
  unsigned forks = 0;  // branches at which both sides were feasible
};

// Concrete inputs of a claim, one number a word.
template <std::size_t Words>
using tuple = std::array<std::uint64_t, Words>;

template <std::size_t Words>
class trial {
 public:
  // Error: limit::too_many_free_bits.
  constexpr explicit trial(const inputs<Words>& in) : in_(in), order_(in) {
    int base[Words] = {};
    for (int& position : base) position = session_.new_word();
    for (unsigned level = 0; level < order_.size(); ++level) {
      const unsigned v = order_.variables()[level];
      session_.set_bit(base[v / 64] + static_cast<int>(v % 64), session_.variable(level));
    }
    for (std::size_t k = 0; k < Words; ++k) words_[k] = symbolic(&session_, base[k], in.fixed[k], in.free[k]);
  }

  // The diagrams, to combine what where() returns.
  constexpr arena& diagrams() { return session_; }
  constexpr const inputs<Words>& about() const { return in_; }
  constexpr unsigned free_bits() const { return order_.size(); }

  // The truth "base holds, and f is true of the words". f takes `Words` words and returns bool or truth<W>.
  template <class Function>
  constexpr edge where(edge base, const Function& f) {
    return session_.over_all_paths(base, [&] { return call(f, words_).function(); });
  }

  // Is f true of these plain words?
  template <class Function>
  static constexpr bool plainly(const Function& f, const tuple<Words>& plain) {
    return call(f, plain);
  }

  // Does the truth e hold of these plain words?
  constexpr bool holds(edge e, const tuple<Words>& plain) const {
    return session_.evaluate(e, order_.variables(), plain.data());
  }

  // The inputs that meet e (not `never`) with as few ones as possible among the bits tested first.
  constexpr tuple<Words> example(edge e) const { return nearest(e, in_.fixed); }

  // Inputs that meet e (not `never`): those of `start`, changed where e demands it.
  constexpr tuple<Words> nearest(edge e, const tuple<Words>& start) const {
    tuple<Words> result = start;
    session_.satisfy(e, order_.variables(), result.data());
    return result;
  }

  // Flip the free bit of this level. level < free_bits().
  constexpr void flip(tuple<Words>& plain, unsigned level) const {
    const unsigned v = order_.variables()[level];
    plain[v / 64] ^= std::uint64_t{1} << v % 64;
  }

  constexpr statistics cost() const { return {session_.nodes(), session_.steps(), session_.paths(), session_.forks()}; }

 private:
  // f of the words, as a condition. (Plain bools joined by `&` are an int; for symbolic words that is no answer.)
  template <class Function, class W>
  static constexpr truth<W> call(const Function& f, const std::array<W, Words>& args) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using answer = std::remove_cvref_t<decltype(f(args[I]...))>;
      static_assert(std::is_same_v<answer, bool> || std::is_same_v<answer, truth<W>> ||
                        (std::is_same_v<answer, int> && std::is_same_v<truth<W>, bool>),
                    "a function under proof returns bool or pte::truth<W>");
      return truth<W>(f(args[I]...));
    }(std::make_index_sequence<Words>{});
  }

  inputs<Words> in_;
  variable_order<Words> order_;
  session session_;
  std::array<symbolic, Words> words_{};
};

}  // namespace pte::proof
