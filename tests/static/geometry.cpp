// Geometries: how the bits of a virtual address find their way through the levels.
#include <pte/format/arm64.hpp>
#include <pte/format/example.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>

namespace {

using pte::bit;
using pte::depth;
using pte::level;
using pte::va_half;
using pte::virt_addr;

constexpr level nth_level(unsigned n) { return static_cast<level>(n); }

// Every translated bit selects one byte of a page or one entry of one table; the bits above select none.
template <class G>
constexpr bool every_bit_is_decoded_once() {
  using layout = typename G::layout;
  for (unsigned b = 0; b < 64; ++b) {
    unsigned times = b < layout::page_shift ? 1 : 0;
    for (unsigned l = 0; l < G::levels; ++l) {
      // With other bits 0 and with other bits 1.
      const bool low = G::index(nth_level(l), {bit(b)}) != G::index(nth_level(l), {0});
      const bool high = G::index(nth_level(l), {~bit(b)}) != G::index(nth_level(l), {~std::uint64_t{0}});
      if (low != high) return false;
      times += low ? 1 : 0;
    }
    if (times != (b < G::va_bits ? 1 : 0)) return false;
  }
  return true;
}

// An entry maps as much as the full table below it; the tables of a tree reach all translated bits.
template <class G>
constexpr bool sizes_add_up() {
  using layout = typename G::layout;
  if (layout::shift(level::pte) != layout::page_shift) return false;
  unsigned reach = layout::page_shift;
  for (unsigned l = 0; l < G::levels; ++l) {
    if (layout::shift(nth_level(l)) != reach) return false;
    if (nth_level(l) != G::root && G::index_bits(nth_level(l)) != layout::index_bits(nth_level(l))) return false;
    if (G::entries(nth_level(l)) != bit(G::index_bits(nth_level(l)))) return false;
    reach += G::index_bits(nth_level(l));
  }
  return reach == G::va_bits && depth(G::root) + 1 == G::levels && G::root <= layout::top_level;
}

// Both halves are aligned, as large as each other, apart, and translated: no two addresses of a half have the same
// translated bits, so a half is no larger than the tree's reach.
template <class G>
constexpr bool halves_are_sound() {
  constexpr pte::va_range user = G::range(va_half::user), kernel = G::range(va_half::kernel);
  if (user.size() != kernel.size() || user.size() > bit(G::va_bits) || user.size() < bit(G::va_bits - 1)) return false;
  if (user.first.value != 0 || user.last >= kernel.first) return false;
  if (G::half(user.first) != va_half::user || G::half(user.last) != va_half::user) return false;
  if (G::half(kernel.first) != va_half::kernel || G::half(kernel.last) != va_half::kernel) return false;
  if (G::half(user.last + 1) != va_half::neither || G::half({kernel.first.value - 1}) != va_half::neither) return false;
  return kernel.last.value == ~std::uint64_t{0} || G::half(kernel.last + 1) == va_half::neither;
}

template <class G>
constexpr bool sound() {
  return every_bit_is_decoded_once<G>() && sizes_add_up<G>() && halves_are_sound<G>();
}

// ---- Each geometry, with its levels and the size of its root table as the manuals have them.

template <class G, unsigned Levels, std::uint64_t RootEntries>
constexpr bool is() {
  return sound<G>() && G::levels == Levels && G::entries(G::root) == RootEntries;
}
template <unsigned Va>
using x86 = pte::geometry<pte::x86_64, Va>;
static_assert(is<x86<48>, 4, 512>() && is<x86<57>, 5, 512>());

template <unsigned Va>
using a4 = pte::geometry<pte::arm64_4k, Va>;
template <unsigned Va>
using a4x = pte::geometry<pte::arm64_4k_lpa2, Va>;
static_assert(is<a4<39>, 3, 512>() && is<a4<48>, 4, 512>());
static_assert(is<a4x<39>, 3, 512>() && is<a4x<48>, 4, 512>() && is<a4x<52>, 5, 16>());

template <unsigned Va>
using a16 = pte::geometry<pte::arm64_16k, Va>;
template <unsigned Va>
using a16x = pte::geometry<pte::arm64_16k_lpa2, Va>;
static_assert(is<a16<36>, 2, 2048>() && is<a16<47>, 3, 2048>() && is<a16<48>, 4, 2>());
static_assert(is<a16x<36>, 2, 2048>() && is<a16x<47>, 3, 2048>() && is<a16x<48>, 4, 2>() && is<a16x<52>, 4, 32>());

template <unsigned Va>
using a64 = pte::geometry<pte::arm64_64k, Va>;
template <unsigned Va>
using a64x = pte::geometry<pte::arm64_64k_lpa, Va>;
static_assert(is<a64<42>, 2, 8192>() && is<a64<48>, 3, 64>() && is<a64<52>, 3, 1024>());
static_assert(is<a64x<42>, 2, 8192>() && is<a64x<48>, 3, 64>() && is<a64x<52>, 3, 1024>());

static_assert(is<pte::riscv64_sv39, 3, 512>() && is<pte::riscv64_sv48, 4, 512>() && is<pte::riscv64_sv57, 5, 512>());
static_assert(is<pte::ppc64_4k_52, 4, 8192>() && is<pte::ppc64_64k_52, 4, 8192>());
static_assert(pte::ppc64_4k_52::entries(level::pte) == 512 && pte::ppc64_64k_52::entries(level::pte) == 32);
static_assert(is<pte::example_47, 3, 2048>());

// ---- Addresses at the edges.

template <class G>
constexpr bool splits_at(std::uint64_t user_end, std::uint64_t kernel_start,
                         std::uint64_t kernel_end = ~std::uint64_t{0}) {
  return G::range(va_half::user) == pte::va_range{{0}, {user_end - 1}} &&
         G::range(va_half::kernel) == pte::va_range{{kernel_start}, {kernel_end}};
}
static_assert(splits_at<x86<48>>(0x0000'8000'0000'0000, 0xffff'8000'0000'0000));
static_assert(splits_at<x86<57>>(0x0100'0000'0000'0000, 0xff00'0000'0000'0000));
static_assert(splits_at<a4<48>>(0x0001'0000'0000'0000, 0xffff'0000'0000'0000));
static_assert(splits_at<a4x<52>>(0x0010'0000'0000'0000, 0xfff0'0000'0000'0000));
static_assert(splits_at<a4<39>>(0x0000'0080'0000'0000, 0xffff'ff80'0000'0000));
static_assert(splits_at<pte::riscv64_sv39>(0x0000'0040'0000'0000, 0xffff'ffc0'0000'0000));
static_assert(splits_at<pte::ppc64_4k_52>(0x0010'0000'0000'0000, 0xc000'0000'0000'0000, 0xc00f'ffff'ffff'ffff));

// ---- Indexes and names of one address, by hand: 0x123456789000.

static_assert(x86<48>::index(level::p4d, {0x1234'5678'9000}) == 0x24 &&
              x86<48>::index(level::pud, {0x1234'5678'9000}) == 0xd1);
static_assert(x86<48>::index(level::pmd, {0x1234'5678'9000}) == 0xb3 &&
              x86<48>::index(level::pte, {0x1234'5678'9000}) == 0x189);
static_assert(pte::ppc64_64k_52::index(level::p4d, {0xc000'1234'5678'0000}) == 0x24);
static_assert(pte::ppc64_64k_52::index(level::pte, {0xc000'1234'5678'0000}) == 0x18);
static_assert(x86<48>::name(level::p4d)[1] == 'g' && x86<57>::name(level::p4d)[1] == '4');

}  // namespace
