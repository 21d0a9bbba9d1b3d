// expect: bdd_nodes_exhausted
// Half a product of two words: its diagrams grow exponentially.
#include <pte/proof/prove.hpp>
#include <pte/word/field.hpp>

constexpr auto claim = pte::proof::prove<2>([](auto x, auto y) {
  using W = decltype(x);
  W product{0};
  for (unsigned n = 0; n < 16; ++n) product += pte::select<W>(pte::any(y, pte::bit(n)), (x & 0xffff) << n, W{0});
  return product != 1;
});
