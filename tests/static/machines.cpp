// The machines that a theorem about all machines is about are all there: no fact that a machine value holds is fixed,
// or tied to another. (A theorem about fewer machines would hold all the same.)
#include <array>
#include <cstddef>
#include <cstdint>
#include <pte/proof/machines.hpp>

namespace {

using namespace pte;
using namespace pte::proof;

// How many of the 2^n combinations of the facts occur, as the bits of the machine's first word vary?
template <class Layout, class... Facts>
constexpr unsigned combinations(Facts... facts) {
  const auto in = all_machines<Layout>::with(words<1>);
  std::array<bool, std::size_t{1} << sizeof...(Facts)> seen{};
  unsigned count = 0;
  std::uint64_t traits = 0;
  do {
    const auto m = all_machines<Layout>::make(traits, in.fixed[2], in.fixed[3]);
    std::size_t index = 0;
    ((index = index * 2 + (facts(m) ? 1 : 0)), ...);
    if (!seen[index]) ++count, seen[index] = true;
    traits = (traits - in.free[1]) & in.free[1];  // the next subset of the free bits
  } while (traits != 0);
  return count;
}

// A shadow stack comes with CR0.WP: a quarter of the combinations does not exist.
static_assert(combinations<x86_64>([](auto m) { return m.nx; }, [](auto m) { return m.wp; },
                                   [](auto m) { return m.smep; }, [](auto m) { return m.smap; },
                                   [](auto m) { return m.shadow_stack; }, [](auto m) { return m.amd; }) == 48);

template <class Layout>
constexpr unsigned arm64_combinations = combinations<Layout>(
    [](auto m) { return m.hw_access; }, [](auto m) { return m.hw_dirty; }, [](auto m) { return m.pan; },
    [](auto m) { return m.wxn; }, [](auto m) { return m.bbm_level1; }, [](auto m) { return m.bbm_level2; },
    [](auto m) { return m.erratum_2645198; }, [](auto m) { return m.fault_invalidates; });
static_assert(arm64_combinations<arm64_4k> == 256 && arm64_combinations<arm64_64k_lpa> == 256);

static_assert(combinations<ppc64_64k>([](auto m) { return m.kuap; }, [](auto m) { return m.kuep; },
                                      [](auto m) { return m.nest_mmu; }) == 8);

static_assert(combinations<riscv64>([](auto m) { return m.svnapot; }, [](auto m) { return m.svpbmt; },
                                    [](auto m) { return m.svrsw60t59b; }, [](auto m) { return m.svadu; },
                                    [](auto m) { return m.svvptc; }, [](auto m) { return m.fault_invalidates; },
                                    [](auto m) { return m.sum; }, [](auto m) { return m.mxr; },
                                    [](auto m) { return m.shadow_stack; }) == 512);

// The machine with the most or the fewest address bits.
template <class Layout>
constexpr std::uint64_t address_bits(bool most) {
  const auto in = all_machines<Layout>::with(words<1>);
  return all_machines<Layout>::make(std::uint64_t{0}, in.fixed[2] | (most ? in.free[2] : 0), in.fixed[3]).address_bits;
}
template <class Layout>
constexpr bool addresses_vary(unsigned high) {
  return address_bits<Layout>(true) == bits(high, Layout::page_shift) &&
         (address_bits<Layout>(false) & ~bits(31, Layout::page_shift)) == 0;
}
static_assert(addresses_vary<arm64_4k>(51) && addresses_vary<arm64_16k>(51) && addresses_vary<arm64_64k>(51));
static_assert(addresses_vary<arm64_4k_lpa2>(51) && addresses_vary<arm64_16k_lpa2>(51) &&
              addresses_vary<arm64_64k_lpa>(51));
static_assert(addresses_vary<ppc64_4k>(56) && addresses_vary<ppc64_64k>(56) && addresses_vary<riscv64>(55));

// x86-64: any high address bit may be the encryption bit, or else reserved.
constexpr bool encryption_and_reserved_vary() {
  const auto in = all_machines<x86_64>::with(words<1>);
  for (unsigned n = 32; n < 52; ++n) {
    if ((in.free[2] & in.free[3] & bit(n)) == 0) return false;
    const auto encrypted = all_machines<x86_64>::make(std::uint64_t{0}, bit(n), bit(n));
    const auto reserved = all_machines<x86_64>::make(std::uint64_t{0}, std::uint64_t{0}, bit(n));
    if (encrypted.address_mask != (bits(51, 12) & ~bit(n)) || encrypted.reserved_mask != 0) return false;
    if (reserved.address_mask != bits(51, 12) || reserved.reserved_mask != bit(n)) return false;
  }
  return true;
}
static_assert(encryption_and_reserved_vary());

// Memory types: eight that are told apart; on arm64 Normal and Normal-Tagged among them.
constexpr bool distinct(std::uint64_t types) {
  for (unsigned i = 0; i < 64; i += 8)
    for (unsigned j = 0; j < i; j += 8)
      if ((types >> i & 0xff) == (types >> j & 0xff)) return false;
  return true;
}
constexpr bool has_type(std::uint64_t types, std::uint64_t type) {
  for (unsigned i = 0; i < 64; i += 8)
    if ((types >> i & 0xff) == type) return true;
  return false;
}
constexpr std::uint64_t mair = all_machines<arm64_4k>::make(std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}).mair;
static_assert(distinct(mair) && has_type(mair, 0xff) && has_type(mair, 0xf0));
static_assert(distinct(all_machines<x86_64>::make(std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}).pat));

}  // namespace
