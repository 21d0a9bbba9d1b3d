// What stops a proof. A proof that outgrows the prover is an error, never a pass: each limit is a function that
// constant evaluation may not call, so that the compiler's message names the limit that was hit.
#pragma once

#include <cstdint>

namespace pte::proof {

// How much one proof may use. In constant evaluation, parts of an array that are never touched cost nothing. The number
// of nodes is what fits into clang's default step limit, so that a proof that is too large hits this limit before that
// one; a proof should stay below a quarter of it.
struct capacity {
  static constexpr unsigned nodes = 16384;      // decision-diagram nodes
  static constexpr unsigned computed = 8192;    // remembered results of AND and XOR; a lost one costs time only
  static constexpr unsigned buckets = 4096;     // hash buckets over the nodes
  static constexpr unsigned word_bits = 32768;  // bits of intermediate words on one path
  static constexpr unsigned branches = 1024;    // decisions on one path
  static constexpr unsigned paths = 1024;       // paths through one function
  static constexpr unsigned words = 8;          // words a claim is about
  static constexpr unsigned free_bits = 400;    // free bits of all those words together: bounds the recursion depth
};

namespace limit {

// None of these is constexpr. In constant evaluation the call is the diagnostic; at run time it stops the program.
[[noreturn]] inline void stop() { __builtin_trap(); }

// The decision diagrams need more than capacity::nodes nodes.
[[noreturn]] inline void bdd_nodes_exhausted() { stop(); }
// One path computes more intermediate words than capacity::word_bits holds.
[[noreturn]] inline void word_pool_exhausted() { stop(); }
// One path takes more than capacity::branches decisions on symbolic conditions.
[[noreturn]] inline void too_many_branches_on_one_path() { stop(); }
// One function has more than capacity::paths feasible paths: keep conditions in truth<W> instead of branching on them.
[[noreturn]] inline void too_many_paths() { stop(); }
// The words of a claim have more than capacity::free_bits free bits.
[[noreturn]] inline void too_many_free_bits() { stop(); }
// More calls of inputs::first() than inputs::stages.
[[noreturn]] inline void too_many_stages_of_the_order() { stop(); }
// A shift by 64 or more, or by a negative count: undefined for a plain word, hence an error for a symbolic one.
[[noreturn]] inline void shift_count_outside_0_to_63() { stop(); }
// A function under proof took a different path when it was run again: it is not a pure function of its words.
[[noreturn]] inline void function_is_not_deterministic() { stop(); }

}  // namespace limit

}  // namespace pte::proof
