// expect: VACUOUS_PROOF
// expect: no input meets the assumptions
// Assumptions that exclude each other prove nothing.
#include <pte/proof/counterexample.hpp>

constexpr auto claim = pte::proof::prove<2>([](auto x, auto y) { return x < y; }, [](auto x, auto y) { return y < x; },
                                            [](auto x, auto y) { return x == y; });
static_assert(pte::proof::proved<claim>);
