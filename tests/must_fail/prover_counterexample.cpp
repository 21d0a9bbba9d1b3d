// expect: COUNTEREXAMPLE
// expect: the claim is false for these words
// expect: 0x0000000000000041
// expect: 0x00000000000000c1
// A claim that is false for one pair of words: the message names them.
#include <pte/proof/counterexample.hpp>

constexpr auto claim = pte::proof::prove<2>([](auto x, auto y) { return x != 0x41 || y != 0xc1; });
static_assert(pte::proof::proved<claim>);
