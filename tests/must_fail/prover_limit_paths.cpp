// expect: too_many_paths
// A word of eleven bits made an integer: two thousand paths.
#include <pte/proof/prove.hpp>

constexpr auto claim = pte::proof::prove<1>([](auto x) { return static_cast<unsigned>(x & 0x7ff) < 2048; });
