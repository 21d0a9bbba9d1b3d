// The decision diagrams: canonical, and right about every assignment.
#include <cstdint>

#include <pte/proof/arena.hpp>

using pte::proof::always;
using pte::proof::arena;
using pte::proof::edge;

namespace {

constexpr edge no = pte::proof::never;

// Four bits, and functions of them: every operation's diagram has to be true where the operation's result is.
constexpr std::uint16_t variables[4] = {0, 1, 2, 3};

template <class Diagram, class Plain>
constexpr bool right_everywhere(Diagram diagram, Plain plain) {
  arena a;
  const edge v[4] = {a.variable(0), a.variable(1), a.variable(2), a.variable(3)};
  const edge e = diagram(a, v[0], v[1], v[2], v[3]);
  for (std::uint64_t bits = 0; bits < 16; ++bits) {
    const bool expected = plain((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
    if (a.evaluate(e, variables, &bits) != expected) return false;
  }
  return true;
}

static_assert(right_everywhere([](arena&, edge w, edge, edge, edge) { return w; },
                               [](bool w, bool, bool, bool) { return w; }));
static_assert(right_everywhere([](arena& a, edge w, edge x, edge y,
                                  edge z) { return a.both(a.both(w, x), a.both(y, z)); },
                               [](bool w, bool x, bool y, bool z) { return w && x && y && z; }));
static_assert(right_everywhere([](arena& a, edge w, edge x, edge y,
                                  edge z) { return a.both(a.either(w, y), a.either(x, z ^ 1)); },
                               [](bool w, bool x, bool y, bool z) { return (w || y) && (x || !z); }));
static_assert(right_everywhere([](arena& a, edge w, edge x, edge y,
                                  edge z) { return a.differ(a.differ(w, x), a.differ(y, z ^ 1)); },
                               [](bool w, bool x, bool y, bool z) { return (w != x) != (y != !z); }));
static_assert(right_everywhere([](arena& a, edge w, edge x, edge y,
                                  edge z) { return a.choose(a.both(z, x), a.differ(w, y), y ^ 1); },
                               [](bool w, bool x, bool y, bool z) { return z && x ? w != y : !y; }));

// Equal functions have equal edges, however they were made.
constexpr bool canonical() {
  arena a;
  const edge x = a.variable(0), y = a.variable(1), z = a.variable(2);
  const bool constants = a.both(x, always) == x && a.both(x, no) == no && a.either(x, no) == x &&
                         a.differ(x, no) == x && a.differ(x, always) == (x ^ 1) && a.both(always, always) == always &&
                         a.both(no, always) == no && a.differ(always, always) == no && a.differ(no, always) == always;
  const bool one = a.both(x, x) == x && a.both(x, x ^ 1) == no && a.either(x, x ^ 1) == always &&
                   a.differ(x, x) == no && a.differ(x, x ^ 1) == always && a.differ(x ^ 1, x ^ 1) == no &&
                   a.variable(0) == x;
  const bool two = a.both(x, y) == a.both(y, x) && a.differ(x, y) == a.differ(y, x) &&
                   (a.both(x, y) ^ 1) == a.either(x ^ 1, y ^ 1) && a.both(x, a.either(x, y)) == x &&
                   a.either(x, a.both(x, y)) == x && a.differ(x, y) == a.choose(x, y ^ 1, y) &&
                   a.differ(x ^ 1, y) == (a.differ(x, y) ^ 1) && a.differ(a.differ(x, y), y) == x;
  const bool three = a.both(a.both(x, y), z) == a.both(x, a.both(y, z)) &&
                     a.differ(a.differ(x, y), z) == a.differ(x, a.differ(y, z)) &&
                     a.both(x, a.either(y, z)) == a.either(a.both(x, y), a.both(x, z)) &&
                     a.both(x, a.differ(y, z)) == a.differ(a.both(x, y), a.both(x, z)) &&
                     a.choose(z, x, y) == a.choose(z ^ 1, y, x) && a.choose(z, x, x) == x;
  return constants && one && two && three;
}
static_assert(canonical());

// A question asked twice is answered from memory: no node is made anew.
constexpr bool shared() {
  arena a;
  const edge f = a.both(a.variable(0), a.differ(a.variable(1), a.variable(2)));
  const unsigned nodes = a.nodes();
  const edge g = a.both(a.differ(a.variable(1), a.variable(2)), a.variable(0));
  return f == g && a.nodes() == nodes;
}
static_assert(shared());

// satisfy() changes no bit that may stay.
constexpr bool satisfied() {
  arena a;
  const edge f = a.both(a.variable(0) ^ 1, a.either(a.variable(1), a.variable(3)));
  for (std::uint64_t start = 0; start < 16; ++start) {
    std::uint64_t bits = start;
    a.satisfy(f, variables, &bits);
    if (!a.evaluate(f, variables, &bits)) return false;
    if (a.evaluate(f, variables, &start) && bits != start) return false;
  }
  return true;
}
static_assert(satisfied());

// The level of a constant lies below every variable.
constexpr bool leveled() {
  arena a;
  const edge e = a.variable(5);
  return a.level(e) == 5 && a.high(e) == always && a.low(e) == no && a.high(e ^ 1) == no && a.level(always) > 60000;
}
static_assert(leveled());

}  // namespace
