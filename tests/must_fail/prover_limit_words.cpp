// expect: word_pool_exhausted
// More intermediate words on one path than the pool holds.
#include <pte/proof/prove.hpp>

constexpr auto claim = pte::proof::prove<2>([](auto x, auto y) {
  auto z = x & 1;
  for (unsigned n = 0; n < 600; ++n) z = (z ^ (y & 1)) & 1;
  return z < 2;
});
