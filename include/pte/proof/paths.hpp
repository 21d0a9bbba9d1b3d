// Running a function on every path through it. A symbolic condition that meets an `if` asks which way to go; the run is
// repeated, replaying the decisions taken so far, until every feasible combination has been seen. What a path computes
// counts for the inputs that lead down it and for no others, so paths add up and never mix.
#pragma once

#include <cstdint>

#include <pte/proof/arena.hpp>
#include <pte/proof/limits.hpp>

namespace pte::proof {

class symbolic;

// One proof in progress: the nodes, the bits of symbolic words, and the path the current run is on. Every symbolic word
// and truth that is not constant points to its session.
class session : public arena {
 public:
  // Run `function` (which returns an edge) once per feasible path within `base`; the truth "base holds, and the
  // function answers true". Words made by earlier calls stay valid, those made by `function` do not. Error:
  // limit::too_many_paths, and whatever the run itself exhausts.
  template <class Function>
  constexpr edge over_all_paths(edge base, Function&& function) {
    const unsigned pool_before = pool_used_;
    edge total = never;
    unsigned paths = 0;
    length_ = 0;
    for (bool more = base != never; more; more = next_path()) {
      if (++paths > capacity::paths) limit::too_many_paths();
      position_ = 0;
      path_ = base;
      pool_used_ = pool_before;
      const edge answer = function();
      if (position_ < length_) limit::function_is_not_deterministic();
      total = either(total, both(path_, answer));
    }
    paths_ += paths;
    pool_used_ = pool_before;
    return total;
  }

  // Which way does the current run go at a branch on `f`? A side that no input reaches is never taken.
  // Error: limit::too_many_branches_on_one_path.
  constexpr bool decide(edge f) {
    if (f <= always) return f == always;
    if (position_ == length_) take_first(f);
    const std::uint64_t decision = trail_[position_++];
    path_ = static_cast<edge>(decision & 0xffff);
    return (decision >> 32 & 1) != 0;
  }

  // Room for the 64 bits of one more symbolic word; the position of its bit 0. Error: limit::word_pool_exhausted.
  constexpr int new_word() {
    if (pool_used_ + 64 > capacity::word_bits) limit::word_pool_exhausted();
    pool_used_ += 64;
    return static_cast<int>(pool_used_ - 64);
  }
  constexpr void set_bit(int position, edge value) { pool_[position] = value; }

  // Cost so far: paths run, and branches at which both sides were feasible.
  constexpr unsigned paths() const { return paths_; }
  constexpr unsigned forks() const { return forks_; }

 private:
  friend class symbolic;  // reads and writes the pool

  // A decision: the inputs that go this way (edge, 16 bits), those that go the other way and are still to be run (16),
  // the direction (1). A branch with one feasible side is noted too, so that a replay need not find that out again.
  static constexpr std::uint64_t decision(bool direction, edge here, edge elsewhere) {
    return std::uint64_t{direction} << 32 | std::uint64_t{elsewhere} << 16 | here;
  }
  constexpr void take_first(edge f) {
    if (length_ == capacity::branches) limit::too_many_branches_on_one_path();
    const edge yes = both(path_, f);
    const edge no = yes == never ? path_ : yes == path_ ? never : both(path_, f ^ 1);
    if (yes != never && no != never) ++forks_;
    trail_[length_++] = yes != never ? decision(true, yes, no) : decision(false, no, never);
  }
  // Turn the last decision that has another side; false when none has.
  constexpr bool next_path() {
    while (length_ != 0 && (trail_[length_ - 1] >> 16 & 0xffff) == never) --length_;
    if (length_ == 0) return false;
    trail_[length_ - 1] = decision(false, static_cast<edge>(trail_[length_ - 1] >> 16 & 0xffff), never);
    return true;
  }

  edge pool_[capacity::word_bits]{};
  std::uint64_t trail_[capacity::branches]{};
  unsigned pool_used_ = 0, length_ = 0, position_ = 0;
  unsigned paths_ = 0, forks_ = 0;
  edge path_ = always;
};

}  // namespace pte::proof
