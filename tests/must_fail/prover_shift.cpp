// expect: shift_count_outside_0_to_63
// A shift that is undefined for a plain word is an error for a symbolic one.
#include <pte/proof/prove.hpp>

constexpr auto claim = pte::proof::prove<1>([](auto x) {
  unsigned count = 60;
  while (count < 64) ++count;
  return (x >> count) == 0;
});
