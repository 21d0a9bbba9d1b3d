// The symbolic word and the symbolic truth: instantiate a function over pte::word with `symbolic`, and one run of it is
// a run on all words at once.
//
// What a function under proof may do: everything pte::word offers, `if`, `?:`, `&&`, `||`, early returns, loops with
// constant bounds, arrays and records of words and truths. What it costs:
//   * `&& || ! == != & | ^` of truths and pte::select() compute with diagrams and do not branch (so `&&` and `||`
//     evaluate both sides);
//   * a truth that becomes a bool (`if`, `?:`, `return` from a function that returns bool) forks the run in two;
//   * a word that becomes an integer (static_cast, as for a `switch` or a table index) forks once per bit that is not
//     known, so it should be a narrow field.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <pte/proof/arena.hpp>
#include <pte/proof/limits.hpp>
#include <pte/proof/paths.hpp>
#include <pte/word/word.hpp>

namespace pte::proof {

class symbolic;

// A condition on symbolic words: for some inputs true, for the others false. By default false for all.
class symbolic_truth {
 public:
  constexpr symbolic_truth() = default;
  // The constant truth. Exactly bool, so that a pointer or a number is not taken for a condition by accident.
  template <std::same_as<bool> Bool>
  constexpr symbolic_truth(Bool known) : edge_(known) {}
  constexpr symbolic_truth(session* owner, edge e) : owner_(owner), edge_(e) {}

  // Which way does this run go? Forks where both are possible. Exactly bool, so that no arithmetic is done on it.
  template <std::same_as<bool> Bool>
  constexpr operator Bool() const {
    return edge_ <= always ? edge_ == always : owner_->decide(edge_);
  }

  constexpr session* owner() const { return owner_; }
  constexpr edge function() const { return edge_; }

  friend constexpr symbolic_truth operator!(symbolic_truth a) { return {a.owner_, a.edge_ ^ 1}; }
  friend constexpr symbolic_truth operator&(symbolic_truth a, symbolic_truth b) {
    // An edge below 2 is constant; constants may have no owner.
    if (a.edge_ <= always) return a.edge_ == always ? b : a;
    if (b.edge_ <= always) return b.edge_ == always ? a : b;
    return {a.owner_, a.owner_->both(a.edge_, b.edge_)};
  }
  friend constexpr symbolic_truth operator|(symbolic_truth a, symbolic_truth b) { return !((!a) & (!b)); }
  friend constexpr symbolic_truth operator^(symbolic_truth a, symbolic_truth b) {
    if (a.edge_ <= always) return {b.owner_, b.edge_ ^ a.edge_};
    if (b.edge_ <= always) return {a.owner_, a.edge_ ^ b.edge_};
    return {a.owner_, a.owner_->differ(a.edge_, b.edge_)};
  }
  friend constexpr symbolic_truth operator!=(symbolic_truth a, symbolic_truth b) { return a ^ b; }
  friend constexpr symbolic_truth operator==(symbolic_truth a, symbolic_truth b) { return !(a ^ b); }
  constexpr symbolic_truth& operator&=(symbolic_truth b) { return *this = *this & b; }
  constexpr symbolic_truth& operator|=(symbolic_truth b) { return *this = *this | b; }
  constexpr symbolic_truth& operator^=(symbolic_truth b) { return *this = *this ^ b; }

 private:
  session* owner_ = nullptr;
  edge edge_ = never;
};

// A 64-bit word of which some bits are known and the others are truths over the proof's inputs. By default 0.
//
// Bit i is known to be (ones >> i & 1), or, if (unknown >> i & 1), the truth in the session's pool at base + i, negated
// if (inverted >> i & 1). Masks, shifts and complements thus touch no node.
class symbolic {
 public:
  constexpr symbolic() = default;
  // The constant word, converted as for std::uint64_t: negative numbers are sign-extended.
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  constexpr symbolic(Int known) : ones_(static_cast<std::uint64_t>(known)) {}
  // 1 where the condition holds, else 0.
  template <class Truth>
    requires(std::same_as<Truth, bool> || std::same_as<Truth, symbolic_truth>)
  constexpr explicit symbolic(Truth condition) : symbolic(of_bit0(condition)) {}
  // The word whose bits in `unknown` are in the pool of `owner` from `base` on, the others those of `ones`.
  constexpr symbolic(session* owner, int base, std::uint64_t ones, std::uint64_t unknown, std::uint64_t inverted = 0)
      : owner_(unknown != 0 ? owner : nullptr),
        base_(base),
        ones_(ones & ~unknown),
        unknown_(unknown),
        inverted_(inverted & unknown) {}

  // The truth "bit i is 1". 0 <= i <= 63.
  constexpr edge bit_function(unsigned i) const {
    return (unknown_ >> i & 1) != 0 ? owner_->pool_[base_ + static_cast<int>(i)] ^ static_cast<edge>(inverted_ >> i & 1)
                                    : static_cast<edge>(ones_ >> i & 1);
  }

  friend constexpr symbolic operator~(symbolic a) { return {a.owner_, a.base_, ~a.ones_, a.unknown_, ~a.inverted_}; }
  friend constexpr symbolic operator&(symbolic a, symbolic b) {
    if (b.unknown_ == 0) return {a.owner_, a.base_, a.ones_ & b.ones_, a.unknown_ & b.ones_, a.inverted_};
    if (a.unknown_ == 0) return b & a;
    const std::uint64_t possible = (a.unknown_ | a.ones_) & (b.unknown_ | b.ones_);  // elsewhere one side is a known 0
    builder result(a.owner_, a.ones_ & b.ones_);
    for (std::uint64_t left = possible & ~result.ones; left != 0; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
      result.put(i, a.owner_->both(a.bit_function(i), b.bit_function(i)));
    }
    return result.word();
  }
  friend constexpr symbolic operator|(symbolic a, symbolic b) { return ~(~a & ~b); }
  friend constexpr symbolic operator^(symbolic a, symbolic b) {
    if (b.unknown_ == 0) return {a.owner_, a.base_, a.ones_ ^ b.ones_, a.unknown_, a.inverted_ ^ b.ones_};
    if (a.unknown_ == 0) return b ^ a;
    const std::uint64_t unknown = a.unknown_ | b.unknown_;
    builder result(a.owner_, (a.ones_ ^ b.ones_) & ~unknown);
    for (std::uint64_t left = unknown; left != 0; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
      result.put(i, a.owner_->differ(a.bit_function(i), b.bit_function(i)));
    }
    return result.word();
  }

  // Shifts by a known count. Error: limit::shift_count_outside_0_to_63.
  template <std::integral Count>
  friend constexpr symbolic operator<<(symbolic a, Count count) {
    const int n = checked_count(count);
    return {a.owner_, a.base_ - n, a.ones_ << n, a.unknown_ << n, a.inverted_ << n};
  }
  template <std::integral Count>
  friend constexpr symbolic operator>>(symbolic a, Count count) {
    const int n = checked_count(count);
    return {a.owner_, a.base_ + n, a.ones_ >> n, a.unknown_ >> n, a.inverted_ >> n};
  }

  // Modulo 2^64, as for std::uint64_t.
  friend constexpr symbolic operator+(symbolic a, symbolic b) { return add(a, b, never); }
  friend constexpr symbolic operator-(symbolic a, symbolic b) { return add(a, ~b, always); }
  friend constexpr symbolic operator-(symbolic a) { return symbolic(0) - a; }

  constexpr symbolic& operator&=(symbolic b) { return *this = *this & b; }
  constexpr symbolic& operator|=(symbolic b) { return *this = *this | b; }
  constexpr symbolic& operator^=(symbolic b) { return *this = *this ^ b; }
  constexpr symbolic& operator+=(symbolic b) { return *this = *this + b; }
  constexpr symbolic& operator-=(symbolic b) { return *this = *this - b; }
  template <std::integral Count>
  constexpr symbolic& operator<<=(Count count) {
    return *this = *this << count;
  }
  template <std::integral Count>
  constexpr symbolic& operator>>=(Count count) {
    return *this = *this >> count;
  }
  constexpr symbolic& operator++() { return *this += 1; }
  constexpr symbolic& operator--() { return *this -= 1; }

  friend constexpr symbolic_truth operator!=(symbolic a, symbolic b) {
    if (((a.ones_ ^ b.ones_) & ~(a.unknown_ | b.unknown_)) != 0) return true;
    return (a ^ b).nonzero();
  }
  friend constexpr symbolic_truth operator==(symbolic a, symbolic b) { return !(a != b); }
  friend constexpr symbolic_truth operator<(symbolic a, symbolic b) {
    const std::uint64_t unknown = a.unknown_ | b.unknown_;
    if (unknown == 0) return a.ones_ < b.ones_;
    session* const owner = a.owner_ != nullptr ? a.owner_ : b.owner_;
    // From the lowest bit up: the highest bit that differs decides. Bits that are known to be equal decide nothing.
    edge less = never;
    for (std::uint64_t left = unknown | (a.ones_ ^ b.ones_); left != 0; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
      const edge x = a.bit_function(i), y = b.bit_function(i);
      less = owner->choose(owner->differ(x, y), y, less);
    }
    return {owner, less};
  }
  friend constexpr symbolic_truth operator>(symbolic a, symbolic b) { return b < a; }
  friend constexpr symbolic_truth operator<=(symbolic a, symbolic b) { return !(b < a); }
  friend constexpr symbolic_truth operator>=(symbolic a, symbolic b) { return !(a < b); }

  // Is any bit 1?
  constexpr symbolic_truth nonzero() const {
    if (ones_ != 0) return true;
    edge some = never;
    for (std::uint64_t left = unknown_; left != 0; left &= left - 1) {
      some = owner_->either(some, bit_function(static_cast<unsigned>(__builtin_ctzll(left))));
    }
    return {owner_, some};
  }
  friend constexpr symbolic_truth operator!(symbolic a) { return !a.nonzero(); }

  // The word as an integer, an enumerator or (is it not 0?) a bool, on the path of the current run: forks on every
  // unknown bit that fits the type.
  template <class To>
    requires(std::integral<To> || std::is_enum_v<To>)
  constexpr explicit operator To() const {
    if constexpr (std::same_as<To, bool>) {
      return nonzero();
    } else {
      std::uint64_t value = ones_;
      for (std::uint64_t left = unknown_ & (~std::uint64_t{0} >> (64 - 8 * sizeof(To))); left != 0; left &= left - 1) {
        const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
        if (owner_->decide(bit_function(i))) value |= std::uint64_t{1} << i;
      }
      return static_cast<To>(value);
    }
  }

  // condition ? yes : no, bit by bit, without a fork.
  static constexpr symbolic select(symbolic_truth condition, symbolic yes, symbolic no) {
    const edge c = condition.function();
    if (c <= always) return c == always ? yes : no;
    const std::uint64_t unknown = yes.unknown_ | no.unknown_;
    session* const owner = condition.owner();
    builder result(owner, yes.ones_ & no.ones_);
    for (std::uint64_t left = unknown | (yes.ones_ ^ no.ones_); left != 0; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctzll(left));
      result.put(i, owner->choose(c, yes.bit_function(i), no.bit_function(i)));
    }
    return result.word();
  }

 private:
  // A word under construction, bit by bit.
  struct builder {
    constexpr builder(session* to, std::uint64_t known_ones) : owner(to), base(to->new_word()), ones(known_ones) {}
    constexpr void put(unsigned i, edge e) {
      // Constants are stored too, where nobody looks: that saves a branch.
      ones |= std::uint64_t{e == always} << i, unknown |= std::uint64_t{e > always} << i;
      owner->pool_[base + static_cast<int>(i)] = e;
    }
    constexpr symbolic word() const { return {owner, base, ones, unknown}; }

    session* owner;
    int base;
    std::uint64_t ones;
    std::uint64_t unknown = 0;
  };

  template <std::integral Count>
  static constexpr int checked_count(Count count) {
    if (count < Count{0} || count > Count{63}) limit::shift_count_outside_0_to_63();
    return static_cast<int>(count);
  }

  static constexpr symbolic of_bit0(symbolic_truth condition) {
    const edge e = condition.function();
    if (e <= always) return e;
    builder result(condition.owner(), 0);
    result.put(0, e);
    return result.word();
  }

  static constexpr symbolic add(symbolic a, symbolic b, edge carry) {
    if ((a.unknown_ | b.unknown_) == 0) return a.ones_ + b.ones_ + carry;
    session* const owner = a.owner_ != nullptr ? a.owner_ : b.owner_;
    builder result(owner, 0);
    for (unsigned i = 0; i < 64; ++i) {
      const edge x = a.bit_function(i), y = b.bit_function(i);
      if (y == carry) {  // x + 0 + 0 or x + 1 + 1: the bit stays as it is, and so does the carry
        result.put(i, x);
        continue;
      }
      const edge half = owner->differ(x, y);
      result.put(i, owner->differ(half, carry));
      carry = owner->either(owner->both(x, y), owner->both(half, carry));
    }
    return result.word();
  }

  session* owner_ = nullptr;
  int base_ = 0;
  std::uint64_t ones_ = 0, unknown_ = 0, inverted_ = 0;
};

// What `&&` and `||` are overloaded for: any two conditions (truths, words, bools) of which one at least is symbolic.
template <class T>
concept symbolic_condition = std::same_as<T, symbolic_truth> || std::same_as<T, symbolic>;
template <class A, class B>
concept symbolic_pair = (symbolic_condition<A> && (symbolic_condition<B> || std::same_as<B, bool>)) ||
                        (std::same_as<A, bool> && symbolic_condition<B>);

constexpr symbolic_truth as_truth(symbolic_truth a) { return a; }
constexpr symbolic_truth as_truth(symbolic a) { return a.nonzero(); }

// Both sides are evaluated, neither forks.
template <class A, class B>
  requires symbolic_pair<A, B>
constexpr symbolic_truth operator&&(const A& a, const B& b) {
  return as_truth(a) & as_truth(b);
}
template <class A, class B>
  requires symbolic_pair<A, B>
constexpr symbolic_truth operator||(const A& a, const B& b) {
  return as_truth(a) | as_truth(b);
}

}  // namespace pte::proof

template <>
struct pte::word_traits<pte::proof::symbolic> {
  using truth = proof::symbolic_truth;
  static constexpr proof::symbolic select(truth condition, proof::symbolic yes, proof::symbolic no) {
    return proof::symbolic::select(condition, yes, no);
  }
};

static_assert(pte::word<pte::proof::symbolic>);
