// expect: too_many_branches_on_one_path
// More than a thousand branches on conditions, one after the other.
#include <pte/proof/prove.hpp>
#include <pte/word/field.hpp>

constexpr auto claim = pte::proof::prove<2>([](auto x, auto y) {
  unsigned ones = 0;
  for (unsigned round = 0; round < 20; ++round) {
    for (unsigned n = 0; n < 64; ++n) {
      if (pte::any(round % 2 == 0 ? x : y, pte::bit(n))) ++ones;
    }
  }
  return ones <= 1280;
});
