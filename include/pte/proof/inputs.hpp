// What a claim is about: how many words, which of their bits are free, and in which order the diagrams test them.
//
//   words<2>                          two words, every bit free: all 2^128 pairs
//   words<2>.first(P)                 the same; the bits of P of either word are tested first
//   words<2>.flags(5)                 a third word of 5 free bits: a machine's traits, read with flag(w, n)
//   words<2>.only(mask)               two words of which only the bits of mask are free, the others 0
//   words<1>.word(mask, value)        a second word, free where mask has a 1, else as `value` has it
//   words<1>.word().beside(12)        a second word, whose bit n is tested along with bit n + 12 of the first
//
// The order decides cost, never the verdict. Bits on which everything else depends (an entry's valid bit) belong first;
// the rest is interleaved over the words from the most significant bit down, so that carries run towards the root. Bits
// that are compared with each other belong side by side: a page number that is compared with the address bits of an
// entry costs a node a bit where it is tested beside them, and twice as many with every bit where it is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <pte/proof/limits.hpp>
#include <pte/word/field.hpp>

namespace pte::proof {

template <std::size_t Words>
struct inputs {
  static_assert(Words >= 1 && Words <= capacity::words, "a claim is about one to capacity::words words");

  std::array<std::uint64_t, Words> free{};   // the bits that range over 0 and 1
  std::array<std::uint64_t, Words> fixed{};  // the value of those that do not
  // The order of tests: stage 0, stage 1 ..., and what is in no stage last.
  static constexpr unsigned stages = 4;
  std::array<std::array<std::uint64_t, Words>, stages> stage{};
  unsigned staged = 0;
  std::array<unsigned, Words> tested_beside{};  // bit n has its turn where bit n + tested_beside of a word without has
  unsigned sampled = 32;  // tuples on which each function is compared with its plain instantiation

  // The same words, with the bits of `mask` of each of them tested before all others, but after those of an earlier
  // first(). Four of them at most. Error: limit::too_many_stages_of_the_order.
  constexpr inputs first(std::uint64_t mask) const {
    if (staged == stages) limit::too_many_stages_of_the_order();
    inputs result = *this;
    for (std::size_t k = 0; k < Words; ++k) {
      std::uint64_t earlier = 0;
      for (const auto& words_of : stage) earlier |= words_of[k];
      result.stage[staged][k] = mask & ~earlier;
    }
    ++result.staged;
    return result;
  }
  // The same words, of which only the bits of `mask` are free; the others are 0.
  constexpr inputs only(std::uint64_t mask) const {
    inputs result = *this;
    for (std::uint64_t& m : result.free) m &= mask;
    for (std::uint64_t& m : result.fixed) m &= mask;
    return result;
  }
  // The same words, with another number of samples; 0 turns the comparison off.
  constexpr inputs samples(unsigned count) const {
    inputs result = *this;
    result.sampled = count;
    return result;
  }
  // One more word, after the others: free where `free_bits` has a 1, elsewhere as `fixed_bits`.
  constexpr inputs<Words + 1> word(std::uint64_t free_bits = ~std::uint64_t{0}, std::uint64_t fixed_bits = 0) const {
    inputs<Words + 1> result{};
    for (std::size_t k = 0; k < Words; ++k) {
      result.free[k] = free[k];
      result.fixed[k] = fixed[k];
      for (unsigned i = 0; i < stages; ++i) result.stage[i][k] = stage[i][k];
      result.tested_beside[k] = tested_beside[k];
    }
    result.free[Words] = free_bits;
    result.fixed[Words] = fixed_bits & ~free_bits;
    result.staged = staged;
    result.sampled = sampled;
    return result;
  }
  // One more word that packs `count` free truths, tested with the first. 1 <= count <= 64. Read them with flag().
  constexpr inputs<Words + 1> flags(unsigned count) const {
    inputs<Words + 1> result = word(bits(count - 1, 0));
    result.stage[0][Words] = bits(count - 1, 0);
    if (result.staged == 0) result.staged = 1;
    return result;
  }

  // The same words, with bit n of the last one tested along with bit n + `by` of the others. by <= 63.
  constexpr inputs beside(unsigned by) const {
    inputs result = *this;
    result.tested_beside[Words - 1] = by;
    return result;
  }

  constexpr unsigned free_bits() const {
    unsigned count = 0;
    for (const std::uint64_t mask : free) count += static_cast<unsigned>(__builtin_popcountll(mask));
    return count;
  }
};

namespace detail {

template <std::size_t Words>
constexpr inputs<Words> all_free() {
  inputs<Words> result{};
  for (std::uint64_t& mask : result.free) mask = ~std::uint64_t{0};
  return result;
}

}  // namespace detail

// `Words` words with every bit free.
template <std::size_t Words>
inline constexpr inputs<Words> words = detail::all_free<Words>();

// The n-th truth packed in a word by inputs::flags().
template <pte::word W>
constexpr truth<W> flag(W packed, unsigned n) {
  return any<W>(packed, bit(n));
}

// Which bit each level of the diagrams tests, as 64 * word + bit.
template <std::size_t Words>
class variable_order {
 public:
  // Error: limit::too_many_free_bits.
  constexpr explicit variable_order(const inputs<Words>& in) {
    if (in.free_bits() > capacity::free_bits) limit::too_many_free_bits();
    unsigned top = 0;
    for (const unsigned by : in.tested_beside) top = by > top ? by : top;
    std::array<std::uint64_t, Words> left = in.free;
    for (unsigned stage = 0; stage <= in.stages; ++stage) {
      std::array<std::uint64_t, Words> now = left;
      std::uint64_t some = 0;
      for (std::size_t k = 0; k < Words; ++k) {
        if (stage < in.stages) now[k] &= in.stage[stage][k];
        left[k] &= ~now[k], some |= now[k];
      }
      if (some != 0) append(in, now, some, top);
    }
  }

  constexpr unsigned size() const { return size_; }
  constexpr const std::uint16_t* variables() const { return variables_.data(); }

 private:
  // The bits of a stage, from the most significant down. `some` is their union over the words, not 0.
  constexpr void append(const inputs<Words>& in, const std::array<std::uint64_t, Words>& stage, std::uint64_t some,
                        unsigned top) {
    const unsigned last = static_cast<unsigned>(__builtin_ctzll(some));
    for (unsigned turn = 64 - static_cast<unsigned>(__builtin_clzll(some)) + top; turn-- > last;)
      for (std::size_t k = 0; k < Words; ++k) {
        const unsigned n = turn - in.tested_beside[k];  // wraps to a large number where word k has no such bit
        if (n < 64 && (stage[k] >> n & 1) != 0) variables_[size_++] = static_cast<std::uint16_t>(64 * k + n);
      }
  }

  std::array<std::uint16_t, 64 * Words> variables_{};
  unsigned size_ = 0;
};

}  // namespace pte::proof
