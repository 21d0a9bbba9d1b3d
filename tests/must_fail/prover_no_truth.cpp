// expect: a function under proof returns bool or pte::truth<W>
// A claim that answers with a number.
#include <pte/proof/prove.hpp>

constexpr auto claim = pte::proof::prove<1>([](auto x) { return x & 1; });
