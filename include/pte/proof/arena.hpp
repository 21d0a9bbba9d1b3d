// Binary decision diagrams (Bryant) in constant evaluation: the canonical form of a truth over many bits. Two truths
// are the same function if and only if their edges are equal, so "for all 2^128 pairs" is one comparison.
//
// Vocabulary: a node tests one bit (its level; 0 is tested first) and leads on by its high edge where the bit is 1, by
// its low edge where it is 0. An edge is a node and whether the node's function is meant negated; negation is thus
// free, and AND and XOR are the only operations that do work.
#pragma once

#include <cstdint>

#include <pte/proof/limits.hpp>

namespace pte::proof {

// A truth over the proof's bits: node number times 2, plus 1 if negated. Negate with `e ^ 1`.
using edge = std::uint32_t;

// The two constant truths: the terminal node, as it is and negated.
inline constexpr edge never = 0;
inline constexpr edge always = 1;

// All nodes of one proof. Lives inside one constant evaluation (or on the stack: about 500 KB); nothing is ever freed.
//
// Compilers bound the steps of a constant evaluation, clang by the statement: hence the few, long expressions below.
class arena {
 public:
  constexpr arena() { nodes_[0] = std::uint64_t{terminal_level} << 32; }
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  // The truth "the bit of this level is 1". level < 65535. Error: limit::bdd_nodes_exhausted.
  constexpr edge variable(unsigned level) { return make(level, always, never); }

  // f AND g, f OR g, f XOR g. Error: limit::bdd_nodes_exhausted.
  constexpr edge both(edge f, edge g) { return combine(false, f, g); }
  constexpr edge either(edge f, edge g) { return combine(false, f ^ 1, g ^ 1) ^ 1; }
  constexpr edge differ(edge f, edge g) { return combine(true, f, g); }

  // c ? f : g. Error: limit::bdd_nodes_exhausted.
  constexpr edge choose(edge c, edge f, edge g) {
    return f == g ? f : either(combine(false, c, f), combine(false, c ^ 1, g));
  }

  // What a non-constant edge tests, and where it leads. level() of a constant is larger than any variable's.
  constexpr unsigned level(edge e) const { return static_cast<unsigned>(nodes_[e >> 1] >> 32) & 0xffff; }
  constexpr edge high(edge e) const { return (static_cast<edge>(nodes_[e >> 1] >> 16) & 0xffff) ^ (e & 1); }
  constexpr edge low(edge e) const { return (static_cast<edge>(nodes_[e >> 1]) & 0xffff) ^ (e & 1); }

  // Is e true where the bit of a level is bit v % 64 of values[v / 64], v = variables[level]?
  constexpr bool evaluate(edge e, const std::uint16_t* variables, const std::uint64_t* values) const {
    while (e > always) {
      const std::uint64_t n = nodes_[e >> 1], v = variables[n >> 32 & 0xffff], is = values[v / 64] >> v % 64 & 1;
      e = (static_cast<edge>(n >> is * 16) & 0xffff) ^ (e & 1);
    }
    return e == always;
  }

  // Change `values` so that e (not `never`) is true of them; only bits that e leaves no choice about are changed.
  constexpr void satisfy(edge e, const std::uint16_t* variables, std::uint64_t* values) const {
    while (e > always) {
      const std::uint64_t n = nodes_[e >> 1], v = variables[n >> 32 & 0xffff], was = values[v / 64] >> v % 64 & 1;
      const edge kept = (static_cast<edge>(n >> was * 16) & 0xffff) ^ (e & 1),
                 turned = (static_cast<edge>(n >> (was ^ 1) * 16) & 0xffff) ^ (e & 1);
      e = kept != never ? kept : (values[v / 64] ^= std::uint64_t{1} << v % 64, turned);
    }
  }

  // Cost so far: nodes made, and steps of AND and XOR that were not trivial.
  constexpr unsigned nodes() const { return used_; }
  constexpr unsigned steps() const { return steps_; }

 private:
  static constexpr unsigned terminal_level = 0xffff;
  static constexpr std::uint64_t scatter = 0xd6e8feb86659fd93;  // any large odd factor spreads the bits of a key

  // The node "level ? high : low", made if it does not exist.
  //
  // A node is one number, since constant evaluators pay per element touched: the next node of its hash bucket (16
  // bits), level (16), high edge (16), low edge (16). The low edge is never negated: that makes the form canonical.
  constexpr edge make(std::uint64_t level, edge high, edge low) {
    if (high == low) return high;
    const edge negated = low & 1;
    const std::uint64_t function = level << 32 | std::uint64_t{high ^ negated} << 16 | std::uint64_t{low ^ negated};
    std::uint16_t& bucket = buckets_[(function * scatter >> 44) % capacity::buckets];
    for (std::uint64_t n = bucket; n != 0; n = nodes_[n] >> 48)
      if ((nodes_[n] ^ function) << 16 == 0) return static_cast<edge>(n) << 1 | negated;
    if (used_ == capacity::nodes) limit::bdd_nodes_exhausted();
    nodes_[used_] = function | std::uint64_t{bucket} << 48, bucket = static_cast<std::uint16_t>(used_);
    return used_++ << 1 | negated;
  }

  // f AND g or, if `exclusive`, f XOR g. Calls itself once a level: compilers bound the depth of calls too.
  constexpr edge combine(bool exclusive, edge f, edge g) {
    if (f <= always || g <= always || (f ^ g) <= 1)  // a constant, equal, or opposite
      return exclusive ? f ^ g : f == always || f == g ? g : g == always ? f : never;
    // XOR of negated functions is XOR of the functions, perhaps negated: four questions share one remembered answer.
    const edge strip = ~edge{exclusive}, negated = (f ^ g) & ~strip;
    const edge a = (f < g ? f : g) & strip, b = (f < g ? g : f) & strip;
    const std::uint64_t question = std::uint64_t{exclusive} << 32 | std::uint64_t{a} << 16 | b;
    std::uint64_t& answer = computed_[(question * scatter >> 44) % capacity::computed];
    ++steps_;
    if (answer >> 16 == question) return (static_cast<edge>(answer) & 0xffff) ^ negated;
    // Where a side does not test the upper level, both its branches are the side itself.
    const std::uint64_t na = nodes_[a >> 1], nb = nodes_[b >> 1], la = na >> 32 & 0xffff, lb = nb >> 32 & 0xffff;
    const edge a1 = la <= lb ? (static_cast<edge>(na >> 16) & 0xffff) ^ (a & 1) : a,
               b1 = lb <= la ? (static_cast<edge>(nb >> 16) & 0xffff) ^ (b & 1) : b,
               a0 = la <= lb ? (static_cast<edge>(na) & 0xffff) ^ (a & 1) : a,
               b0 = lb <= la ? (static_cast<edge>(nb) & 0xffff) ^ (b & 1) : b;
    const edge high = combine(exclusive, a1, b1), low = combine(exclusive, a0, b0);
    const edge result = make(la < lb ? la : lb, high, low);
    answer = question << 16 | result;
    return result ^ negated;
  }

  std::uint64_t nodes_[capacity::nodes]{};
  std::uint64_t computed_[capacity::computed]{};  // question (33 bits), answer (16 bits); 0 is no question
  std::uint16_t buckets_[capacity::buckets]{};    // 0 is the end: the terminal is in no bucket
  unsigned used_ = 1;
  unsigned steps_ = 0;
};

static_assert(capacity::nodes <= 32768, "an edge is stored in 16 bits");

}  // namespace pte::proof
