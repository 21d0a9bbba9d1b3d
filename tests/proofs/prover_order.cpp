// The order in which the bits of a claim's words are tested.
#include <pte/proof/inputs.hpp>

#include <cstddef>
#include <cstdint>

#include <pte/word/field.hpp>

using namespace pte::proof;

namespace {

// The first levels test these bits, given as 64 * word + bit.
template <std::size_t Words, class... Bit>
constexpr bool begins(const inputs<Words>& in, Bit... bits) {
  const variable_order<Words> order(in);
  std::size_t level = 0;
  return ((order.variables()[level++] == bits) && ...);
}
constexpr int second = 64, third = 128;

// Every free bit has one level.
template <std::size_t Words>
constexpr bool complete(const inputs<Words>& in) {
  const variable_order<Words> order(in);
  std::uint64_t seen[Words] = {};
  for (unsigned level = 0; level < order.size(); ++level) {
    const unsigned v = order.variables()[level];
    if ((seen[v / 64] >> v % 64 & 1) != 0) return false;
    seen[v / 64] |= pte::bit(v % 64);
  }
  for (std::size_t k = 0; k < Words; ++k)
    if (seen[k] != in.free[k]) return false;
  return true;
}

// Interleaved, from the most significant bit down; what is to be first comes first, in the same manner.
static_assert(begins(words<2>, 63, second + 63, 62, second + 62));
static_assert(begins(words<2>.first(0x81), 7, second + 7, 0, second + 0, 63, second + 63));
static_assert(begins(words<2>.first(1).first(0x83), 0, second + 0, 7, second + 7, 1, second + 1, 63));
static_assert(begins(words<2>.flags(2), third + 1, third + 0, 63, second + 63));
static_assert(begins(words<2>.first(1).flags(2), third + 1, 0, second + 0, third + 0, 63));
static_assert(begins(words<1>.word(0xff, 0x100), 63, 62));
static_assert(begins(words<2>.only(0x90), 7, second + 7, 4, second + 4));
// Side by side: bit 39 of the second word with bit 51 of the first, whose own top bits come before.
static_assert(begins(words<1>.only(pte::bits(52, 12)).word(pte::bits(39, 0)).beside(12), 52, 51, second + 39, 50,
                     second + 38));
static_assert(begins(words<1>.only(1).word().beside(63), second + 63));

static_assert(complete(words<1>) && complete(words<4>) && complete(words<2>.first(0x81).first(0xf0).flags(3)));
static_assert(complete(words<2>.word(pte::bits(39, 0)).beside(12).first(1)) && complete(words<1>.word().beside(63)));
static_assert(complete(words<2>.only(0)) && complete(words<1>.word(0xff, 0x100).first(~std::uint64_t{0})));

}  // namespace
