// Do the symbolic and the plain instantiation of a function answer alike? A proof is about the symbolic one, and the
// plain one ships; code that tells them apart (`if constexpr` on the word's type, say) would make the proof worthless.
// Compared on sampled inputs: not a proof, but samples on either side of the function's boundary, where mistakes are.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pte/proof/arena.hpp>
#include <pte/proof/trial.hpp>

namespace pte::proof {

template <std::size_t Words>
struct agreement {
  bool agrees = true;
  tuple<Words> differing{};  // inputs on which the two answer differently, if !agrees
};

namespace detail {

// Pseudo-random numbers (xorshift64): the same in every compiler.
class noise {
 public:
  constexpr std::uint64_t next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_ = 0x9f3a'6c52'e81b'47d1;
};

}  // namespace detail

// Compare f with `answer`, the truth "base holds, and f" that trial::where() returned for it, on inputs within base (f
// may mean nothing elsewhere).
template <std::size_t Words, class Function>
constexpr agreement<Words> compare_with_plain(trial<Words>& run, edge base, edge answer, const Function& f) {
  if (base == never) return {};
  const inputs<Words>& in = run.about();
  const edge refused = run.diagrams().both(base, answer ^ 1);
  const edge target[4] = {answer != never ? answer : refused, refused != never ? refused : answer, base, base};
  detail::noise random;
  tuple<Words> at{};
  for (unsigned i = 0; i < in.sampled; ++i) {
    // In turn: random inputs moved to where f holds, to where it does not, a neighbour of that, and, since much of what
    // we prove is about words that hardly differ, words alike but for a bit.
    const std::uint64_t r = random.next();
    if (i % 4 < 2) {
      for (std::size_t k = 0; k < Words; ++k) at[k] = (random.next() & in.free[k]) | in.fixed[k];
    } else if (i % 4 == 3) {
      for (std::size_t k = 1; k < Words; ++k) at[k] = (at[0] & in.free[k]) | in.fixed[k];
    }
    if (i % 4 == 2 && run.free_bits() != 0) run.flip(at, static_cast<unsigned>(r % run.free_bits()));
    if (i % 4 == 3 && run.free_bits() != 0) run.flip(at, i / 4 * 37 % run.free_bits());  // spread over all bits
    at = run.nearest(target[i % 4], at);
    const bool expected = i % 4 < 2 ? target[i % 4] == answer : run.holds(answer, at);
    if (run.plainly(f, at) != expected) return {false, at};
  }
  return {};
}

}  // namespace pte::proof
