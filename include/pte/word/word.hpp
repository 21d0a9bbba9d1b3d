// The word: what every bit of this library is computed on.
//
// A word is std::uint64_t at run time and in constant evaluation, and a symbolic word (all 2^64 values at once, see
// proof/) in a proof. Code written over a word never asks which of the two it runs on, and never stores a condition in
// a plain bool: it uses truth<W>, so that one and the same function ships and is proved.
#pragma once

#include <concepts>
#include <cstdint>

namespace pte {

// What a kind of word has to say about itself. Specialised for std::uint64_t here and for symbolic words in proof/.
//   truth                the type of a condition on such words
//   select(c, a, b)      c ? a : b, with neither side having an effect
template <class W>
struct word_traits;

template <>
struct word_traits<std::uint64_t> {
  using truth = bool;
  static constexpr std::uint64_t select(bool condition, std::uint64_t yes, std::uint64_t no) {
    return condition ? yes : no;
  }
};

// A condition on words: bool for std::uint64_t. `&&`, `||`, `!`, `==` and `!=` combine truths; on symbolic words they do
// not short-circuit, so both sides must be harmless. `&` and `|` do the same without a branch at run time; on bool they
// give an int, so write truth<W>(a & b) where the context does not convert it.
template <class W>
using truth = typename word_traits<W>::truth;

// A 64-bit word: built from a std::uint64_t, with the bit operations, shifts by a known count, addition and subtraction
// modulo 2^64, and comparisons that give a truth<W>.
template <class W>
concept word = std::copyable<W> && std::constructible_from<W, std::uint64_t> && requires(const W a, const W b, unsigned count) {
  typename word_traits<W>::truth;
  { a & b } -> std::convertible_to<W>;
  { a | b } -> std::convertible_to<W>;
  { a ^ b } -> std::convertible_to<W>;
  { ~a } -> std::convertible_to<W>;
  { a << count } -> std::convertible_to<W>;
  { a >> count } -> std::convertible_to<W>;
  { a + b } -> std::convertible_to<W>;
  { a - b } -> std::convertible_to<W>;
  { a == b } -> std::convertible_to<truth<W>>;
  { a != b } -> std::convertible_to<truth<W>>;
};

// condition ? yes : no, as data: the run does not branch on a symbolic condition.
template <word W>
constexpr W select(truth<W> condition, W yes, W no) {
  return word_traits<W>::select(condition, yes, no);
}

// Is any bit of `mask` set in `w`?
template <word W>
constexpr truth<W> any(W w, std::uint64_t mask) {
  return (w & W{mask}) != W{0};
}

// Are all bits of `mask` set in `w`?
template <word W>
constexpr truth<W> all(W w, std::uint64_t mask) {
  return (w & W{mask}) == W{mask};
}

// Is no bit of `mask` set in `w`?
template <word W>
constexpr truth<W> none(W w, std::uint64_t mask) {
  return (w & W{mask}) == W{0};
}

// `w` with the bits of `mask` set if `condition`, cleared otherwise.
template <word W>
constexpr W assign(W w, std::uint64_t mask, truth<W> condition) {
  return select<W>(condition, w | W{mask}, w & W{~mask});
}

}  // namespace pte
