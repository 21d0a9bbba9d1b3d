// An independent judge: a word that is a Z3 bit-vector, on which the same templates run, and a prover with prove()'s
// interface that asks Z3. Run time only. Nothing is shared with pte/proof but the description of the inputs and the
// shape of the verdict.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <z3++.h>

#include <pte/proof/prove.hpp>
#include <pte/word/word.hpp>

namespace pte::test {

inline z3::context& z3_context() {
  static z3::context context;
  return context;
}

// The paths of the function that runs: as in pte/proof/paths.hpp, with a solver to say what is feasible.
class z3_paths {
 public:
  // The truth "base, and `function` (which returns a z3::expr) answers true", over all feasible paths.
  template <class Function>
  static z3::expr over_all(const z3::expr& base, const Function& function) {
    z3_paths run(base);
    z3_paths* const outer = std::exchange(current(), &run);
    z3::expr total = z3_context().bool_val(false);
    if (run.feasible(z3_context().bool_val(true))) {
      do {
        run.position_ = 0;
        run.path_ = z3_context().bool_val(true);
        const z3::expr answer = function();
        total = total || (run.path_ && answer);
      } while (run.next());
    }
    current() = outer;
    return base && total;
  }

  // Which way does the current run go?
  static bool decide(const z3::expr& condition) {
    const z3::expr simple = condition.simplify();
    if (simple.is_true() || simple.is_false()) return simple.is_true();
    if (current() == nullptr) throw std::logic_error("a branch on a Z3 word outside of a proof");
    return current()->take(simple);
  }

 private:
  struct decision {
    bool direction;
    bool other_side_open;
  };

  explicit z3_paths(const z3::expr& base) : solver_(z3_context()), path_(z3_context().bool_val(true)) {
    solver_.add(base);
  }

  static z3_paths*& current() {
    static z3_paths* run = nullptr;
    return run;
  }

  bool feasible(const z3::expr& condition) {
    solver_.push();
    solver_.add(path_ && condition);
    const z3::check_result result = solver_.check();
    solver_.pop();
    if (result == z3::unknown) throw std::runtime_error("Z3 does not know");
    return result == z3::sat;
  }
  bool take(const z3::expr& condition) {
    if (position_ == trail_.size()) {
      const bool yes = feasible(condition), no = feasible(!condition);
      trail_.push_back({yes, yes && no});
    }
    const bool direction = trail_[position_++].direction;
    path_ = path_ && (direction ? condition : !condition);
    return direction;
  }
  bool next() {
    while (!trail_.empty() && !trail_.back().other_side_open) trail_.pop_back();
    if (trail_.empty()) return false;
    trail_.back() = {false, false};
    return true;
  }

  z3::solver solver_;
  std::vector<decision> trail_;
  std::size_t position_ = 0;
  z3::expr path_;
};

class z3_truth {
 public:
  z3_truth() : z3_truth(false) {}
  template <std::same_as<bool> Bool>
  z3_truth(Bool known) : expr(z3_context().bool_val(known)) {}
  explicit z3_truth(const z3::expr& e) : expr(e) {}

  template <std::same_as<bool> Bool>
  operator Bool() const {
    return z3_paths::decide(expr);
  }

  friend z3_truth operator!(const z3_truth& a) { return z3_truth(!a.expr); }
  friend z3_truth operator&(const z3_truth& a, const z3_truth& b) { return z3_truth(a.expr && b.expr); }
  friend z3_truth operator|(const z3_truth& a, const z3_truth& b) { return z3_truth(a.expr || b.expr); }
  friend z3_truth operator^(const z3_truth& a, const z3_truth& b) { return z3_truth(a.expr != b.expr); }
  friend z3_truth operator==(const z3_truth& a, const z3_truth& b) { return z3_truth(a.expr == b.expr); }
  friend z3_truth operator!=(const z3_truth& a, const z3_truth& b) { return z3_truth(a.expr != b.expr); }
  z3_truth& operator&=(const z3_truth& b) { return *this = *this & b; }
  z3_truth& operator|=(const z3_truth& b) { return *this = *this | b; }
  z3_truth& operator^=(const z3_truth& b) { return *this = *this ^ b; }

  z3::expr expr;
};

class z3_word {
 public:
  z3_word() : z3_word(0) {}
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  z3_word(Int known) : expr(z3_context().bv_val(static_cast<std::uint64_t>(known), 64)) {}
  template <class Truth>
    requires(std::same_as<Truth, bool> || std::same_as<Truth, z3_truth>)
  explicit z3_word(const Truth& condition) : z3_word(select(condition, 1, 0)) {}
  explicit z3_word(const z3::expr& e) : expr(e) {}

  friend z3_word operator~(const z3_word& a) { return z3_word(~a.expr); }
  friend z3_word operator&(const z3_word& a, const z3_word& b) { return z3_word(a.expr & b.expr); }
  friend z3_word operator|(const z3_word& a, const z3_word& b) { return z3_word(a.expr | b.expr); }
  friend z3_word operator^(const z3_word& a, const z3_word& b) { return z3_word(a.expr ^ b.expr); }
  friend z3_word operator+(const z3_word& a, const z3_word& b) { return z3_word(a.expr + b.expr); }
  friend z3_word operator-(const z3_word& a, const z3_word& b) { return z3_word(a.expr - b.expr); }
  friend z3_word operator-(const z3_word& a) { return z3_word(-a.expr); }
  template <std::integral Count>
  friend z3_word operator<<(const z3_word& a, Count n) {
    return z3_word(z3::shl(a.expr, static_cast<int>(n)));
  }
  template <std::integral Count>
  friend z3_word operator>>(const z3_word& a, Count n) {
    return z3_word(z3::lshr(a.expr, static_cast<int>(n)));
  }
  z3_word& operator&=(const z3_word& b) { return *this = *this & b; }
  z3_word& operator|=(const z3_word& b) { return *this = *this | b; }
  z3_word& operator^=(const z3_word& b) { return *this = *this ^ b; }
  z3_word& operator+=(const z3_word& b) { return *this = *this + b; }
  z3_word& operator-=(const z3_word& b) { return *this = *this - b; }
  template <std::integral Count>
  z3_word& operator<<=(Count n) {
    return *this = *this << n;
  }
  template <std::integral Count>
  z3_word& operator>>=(Count n) {
    return *this = *this >> n;
  }
  z3_word& operator++() { return *this += 1; }
  z3_word& operator--() { return *this -= 1; }

  friend z3_truth operator==(const z3_word& a, const z3_word& b) { return z3_truth(a.expr == b.expr); }
  friend z3_truth operator!=(const z3_word& a, const z3_word& b) { return z3_truth(a.expr != b.expr); }
  friend z3_truth operator<(const z3_word& a, const z3_word& b) { return z3_truth(z3::ult(a.expr, b.expr)); }
  friend z3_truth operator>(const z3_word& a, const z3_word& b) { return z3_truth(z3::ugt(a.expr, b.expr)); }
  friend z3_truth operator<=(const z3_word& a, const z3_word& b) { return z3_truth(z3::ule(a.expr, b.expr)); }
  friend z3_truth operator>=(const z3_word& a, const z3_word& b) { return z3_truth(z3::uge(a.expr, b.expr)); }
  friend z3_truth operator!(const z3_word& a) { return a == z3_word(0); }

  template <class To>
    requires(std::integral<To> || std::is_enum_v<To>)
  explicit operator To() const {
    if constexpr (std::same_as<To, bool>) {
      return *this != z3_word(0);
    } else {
      std::uint64_t value = 0;
      for (unsigned n = 0; n < 8 * sizeof(To); ++n) {
        if (z3_paths::decide(expr.extract(n, n) == z3_context().bv_val(1, 1))) value |= std::uint64_t{1} << n;
      }
      return static_cast<To>(value);
    }
  }

  static z3_word select(const z3_truth& condition, const z3_word& yes, const z3_word& no) {
    return z3_word(z3::ite(condition.expr, yes.expr, no.expr));
  }

  z3::expr expr;
};

template <class T>
concept z3_condition = std::same_as<T, z3_truth> || std::same_as<T, z3_word>;
template <class A, class B>
concept z3_pair = (z3_condition<A> && (z3_condition<B> || std::same_as<B, bool>)) ||
                  (std::same_as<A, bool> && z3_condition<B>);

inline z3_truth as_truth(const z3_truth& a) { return a; }
inline z3_truth as_truth(const z3_word& a) { return a != z3_word(0); }

template <class A, class B>
  requires z3_pair<A, B>
z3_truth operator&&(const A& a, const B& b) {
  return as_truth(a) & as_truth(b);
}
template <class A, class B>
  requires z3_pair<A, B>
z3_truth operator||(const A& a, const B& b) {
  return as_truth(a) | as_truth(b);
}

}  // namespace pte::test

template <>
struct pte::word_traits<pte::test::z3_word> {
  using truth = test::z3_truth;
  static test::z3_word select(const truth& condition, const test::z3_word& yes, const test::z3_word& no) {
    return test::z3_word::select(condition, yes, no);
  }
};

static_assert(pte::word<pte::test::z3_word>);

namespace pte::test {

// As pte::proof::prove(), by Z3. `agrees` says whether the plain functions confirm the example or counterexample.
template <std::size_t Words, class... AssumptionsAndClaim>
proof::verdict<Words> z3_prove(const proof::inputs<Words>& in, const AssumptionsAndClaim&... functions) {
  constexpr std::size_t last = sizeof...(functions);
  std::vector<z3_word> words;
  for (std::size_t k = 0; k < Words; ++k) {
    const z3_word free(z3_context().bv_const(("w" + std::to_string(k)).c_str(), 64));
    words.push_back((free & in.free[k]) | in.fixed[k]);
  }
  const auto call = [](const auto& f, const auto& arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return f(arguments[I]...); }
    (std::make_index_sequence<Words>{});
  };
  std::vector<z3::expr> after{z3_context().bool_val(true)};
  (after.push_back(z3_paths::over_all(after.back(), [&] { return z3_truth(call(functions, words)).expr; })), ...);

  proof::verdict<Words> result;
  const auto satisfiable = [&](const z3::expr& condition) {
    z3::solver solver(z3_context());
    solver.add(condition);
    if (solver.check() == z3::unsat) return false;
    const z3::model model = solver.get_model();
    for (std::size_t k = 0; k < Words; ++k) result.words[k] = model.eval(words[k].expr, true).get_numeral_uint64();
    return true;
  };
  result.vacuous = !satisfiable(after[last - 1]);
  result.holds = !satisfiable(after[last - 1] && !after[last]);
  result.agrees = true;
  if (!result.vacuous) {
    std::size_t i = 0;
    result.agrees =
        ((++i < last ? call(functions, result.words) : call(functions, result.words) == result.holds) && ...);
  }
  return result;
}

}  // namespace pte::test
