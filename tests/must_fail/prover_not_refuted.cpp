// expect: NOT_REFUTED
// expect: the claim was expected to be false
// A refutation that fails, since the claim is true.
#include <pte/proof/counterexample.hpp>

constexpr auto claim = pte::proof::prove<2>([](auto x, auto y) { return (x ^ y) == (y ^ x); });
static_assert(pte::proof::refuted<claim>);
