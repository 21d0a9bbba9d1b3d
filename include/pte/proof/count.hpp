// Counting the inputs that meet a condition, exactly.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <pte/proof/arena.hpp>
#include <pte/proof/trial.hpp>

namespace pte::proof {

// A number of inputs, 0 to 2^(64 * Words): a whole number in Words + 1 limbs, the least significant first.
template <std::size_t Words>
struct cardinal {
  std::array<std::uint64_t, Words + 1> limb{};

  constexpr cardinal() = default;
  // odd * 2^exponent; bits beyond the last limb are lost. 0 <= exponent < 64 * (Words + 1).
  constexpr explicit cardinal(std::uint64_t odd, unsigned exponent = 0) {
    const unsigned at = exponent / 64, by = exponent % 64;
    limb[at] = odd << by;
    if (by != 0 && at < Words) limb[at + 1] = odd >> (64 - by);
  }

  friend constexpr bool operator==(const cardinal&, const cardinal&) = default;
  friend constexpr std::strong_ordering operator<=>(const cardinal& a, const cardinal& b) {
    for (std::size_t i = Words + 1; i-- > 0;) {
      if (a.limb[i] != b.limb[i]) return a.limb[i] <=> b.limb[i];
    }
    return std::strong_ordering::equal;
  }
  // Sum and difference, modulo 2^(64 * (Words + 1)).
  friend constexpr cardinal operator+(const cardinal& a, const cardinal& b) { return plus(a, b, 0); }
  friend constexpr cardinal operator-(const cardinal& a, const cardinal& b) { return plus(a, b, ~std::uint64_t{0}); }
  // Divided by 2^n, rounded down. 0 <= n < 64 * (Words + 1).
  friend constexpr cardinal operator>>(const cardinal& a, unsigned n) {
    cardinal result;
    const unsigned by = n % 64;
    for (std::size_t i = 0; i + n / 64 <= Words; ++i) {
      const std::size_t from = i + n / 64;
      result.limb[i] = a.limb[from] >> by;
      if (by != 0 && from < Words) result.limb[i] |= a.limb[from + 1] << (64 - by);
    }
    return result;
  }

  // The largest e for which the number is a multiple of 2^e; 0 for 0.
  constexpr unsigned exponent() const {
    for (std::size_t i = 0; i <= Words; ++i) {
      if (limb[i] != 0) return static_cast<unsigned>(64 * i) + static_cast<unsigned>(__builtin_ctzll(limb[i]));
    }
    return 0;
  }
  // The number divided by 2^exponent(): its odd part, if that fits 64 bits (is_short()), else the low 64 bits of it.
  constexpr std::uint64_t odd() const { return (*this >> exponent()).limb[0]; }
  constexpr bool is_short() const { return cardinal(odd(), exponent()) == *this; }

  // a + (b ^ flip), plus 1 if flip is all ones: the sum, or by two's complement the difference.
  static constexpr cardinal plus(const cardinal& a, const cardinal& b, std::uint64_t flip) {
    cardinal result;
    std::uint64_t carry = flip & 1;
    for (std::size_t i = 0; i <= Words; ++i) {
      const std::uint64_t partial = a.limb[i] + (b.limb[i] ^ flip), sum = partial + carry;
      carry = (partial < a.limb[i]) | (sum < partial);
      result.limb[i] = sum;
    }
    return result;
  }
};

namespace detail {

// How often the truths at `roots`, and all below them, are true.
//
// Each node's share of 2^(64 * Words) is the mean of its children's, whatever levels are skipped: a whole number, since
// a diagram halves at most once a free bit, and below 2^(64 * Words), since a node's function (unlike an edge's, which
// may be negated) is false where all bits are 0. Children have smaller numbers than their parents, so that one pass
// down marks what is needed and one pass up computes it.
template <std::size_t Words>
class counter {
 public:
  template <std::size_t Roots>
  constexpr counter(const arena& diagrams, const edge (&roots)[Roots], unsigned free_bits)
      : surplus_(64 * static_cast<unsigned>(Words) - free_bits) {
    edge last = 0;
    for (const edge root : roots) last = root >> 1 > last ? root >> 1 : last, needed_[root >> 1] = true;
    for (edge n = last; n != 0; --n)
      if (needed_[n]) needed_[diagrams.high(n << 1) >> 1] = needed_[diagrams.low(n << 1) >> 1] = true;
    for (edge n = 1; n <= last; ++n)
      if (needed_[n]) set_mean(n, diagrams.low(n << 1), diagrams.high(n << 1), std::make_index_sequence<Words>{});
  }

  // The number of inputs that meet e, one of the roots.
  constexpr cardinal<Words> operator()(edge e) const {
    cardinal<Words> share;
    for (std::size_t i = 0; i < Words; ++i) share.limb[i] = share_[e >> 1][i];
    return ((e & 1) != 0 ? cardinal<Words>(1, 64 * Words) - share : share) >> surplus_;
  }

 private:
  template <std::size_t... I>
  constexpr void set_mean(edge n, edge low, edge high, std::index_sequence<I...>) {
    // Only the high edge may be negated: 2^(64 * Words) minus what it leads to, of which a carry out is the upper half.
    const std::uint64_t flip = ~std::uint64_t{high & 1} + 1;
    const std::uint64_t* const a = share_[low >> 1];
    const std::uint64_t* const b = share_[high >> 1];
    std::uint64_t partial = 0, carry = flip & 1, sum[Words + 1] = {};
    ((partial = a[I] + (b[I] ^ flip), sum[I] = partial + carry, carry = (partial < a[I]) | (sum[I] < partial)), ...);
    sum[Words] = carry;
    ((share_[n][I] = sum[I] >> 1 | sum[I + 1] << 63), ...);
  }

  bool needed_[capacity::nodes]{};
  std::uint64_t share_[capacity::nodes][Words]{};
  unsigned surplus_;  // bits that are not free: each doubles all shares
};

}  // namespace detail

// How many of the 2^(free bits) inputs meet every condition? Each takes `Words` words and returns bool or truth<W>; a
// later one is asked only about inputs that meet the earlier ones. Errors: as for prove(), in prove.hpp.
template <std::size_t Words, class... Conditions>
constexpr cardinal<Words> count(const inputs<Words>& in, const Conditions&... conditions) {
  trial<Words> run(in);
  edge all = always;
  ((all = run.where(all, conditions)), ...);
  return detail::counter<Words>(run.diagrams(), {all}, run.free_bits())(all);
}

// How often compare() (prove.hpp) would find what it finds.
template <std::size_t Words>
struct tally {
  cardinal<Words> assumed;  // inputs that meet the assumption; the others count those among them
  cardinal<Words> needed;
  cardinal<Words> answered;
  cardinal<Words> missed;    // needed and not answered
  cardinal<Words> needless;  // answered and not needed
};

// Count, among the inputs that meet the assumption, those for which `need` and `answer` are true. Errors: as for
// prove().
template <std::size_t Words, class Assumption, class Need, class Answer>
constexpr tally<Words> count_answers(const inputs<Words>& in, const Assumption& assumption, const Need& need,
                                     const Answer& answer) {
  trial<Words> run(in);
  const edge base = run.where(always, assumption);
  const edge needed = run.where(base, need), answered = run.where(base, answer);
  const edge missed = run.diagrams().both(needed, answered ^ 1), needless = run.diagrams().both(answered, needed ^ 1);
  const detail::counter<Words> size(run.diagrams(), {base, needed, answered, missed, needless}, run.free_bits());
  return {size(base), size(needed), size(answered), size(missed), size(needless)};
}

}  // namespace pte::proof
