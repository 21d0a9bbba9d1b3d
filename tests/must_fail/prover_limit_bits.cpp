// expect: too_many_free_bits
// Seven words with every bit free.
#include <pte/proof/prove.hpp>

constexpr auto claim = pte::proof::prove<7>([](auto... words) { return (... ^ words) == 0; });
