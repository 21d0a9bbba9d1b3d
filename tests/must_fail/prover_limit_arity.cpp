// expect: a claim is about one to capacity::words words
#include <pte/proof/prove.hpp>

constexpr auto claim = pte::proof::prove<9>([](auto... words) { return (... ^ words) == 0; });
