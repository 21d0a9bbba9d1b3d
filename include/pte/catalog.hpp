// The list of all formats, for tests and programs that go through all of them or take one by name.
//
// `formats` is a Boost.Hana tuple of types: every layout with every software half, the newest Linux first. What a
// program knows only at run time, a format_key, with_format() turns into the type.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/hana/append.hpp>
#include <boost/hana/cartesian_product.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/transform.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <pte/format/arm64.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/example.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>

namespace pte {

namespace hana = boost::hana;

// The geometries of a layout, the usual one first: a Hana tuple of types.
template <class Layout>
inline constexpr auto geometries = hana::tuple_t<>;
template <>
inline constexpr auto geometries<x86_64> = hana::tuple_t<geometry<x86_64, 48>, geometry<x86_64, 57>>;
template <>
inline constexpr auto geometries<arm64_4k> = hana::tuple_t<geometry<arm64_4k, 48>, geometry<arm64_4k, 39>>;
template <>
inline constexpr auto geometries<arm64_4k_lpa2> =
    hana::tuple_t<geometry<arm64_4k_lpa2, 52>, geometry<arm64_4k_lpa2, 48>, geometry<arm64_4k_lpa2, 39>>;
template <>
inline constexpr auto geometries<arm64_16k> =
    hana::tuple_t<geometry<arm64_16k, 47>, geometry<arm64_16k, 48>, geometry<arm64_16k, 36>>;
template <>
inline constexpr auto geometries<arm64_16k_lpa2> =
    hana::tuple_t<geometry<arm64_16k_lpa2, 52>, geometry<arm64_16k_lpa2, 48>, geometry<arm64_16k_lpa2, 47>,
                  geometry<arm64_16k_lpa2, 36>>;
template <>
inline constexpr auto geometries<arm64_64k> =
    hana::tuple_t<geometry<arm64_64k, 48>, geometry<arm64_64k, 42>, geometry<arm64_64k, 52>>;
template <>
inline constexpr auto geometries<arm64_64k_lpa> =
    hana::tuple_t<geometry<arm64_64k_lpa, 52>, geometry<arm64_64k_lpa, 48>, geometry<arm64_64k_lpa, 42>>;
template <>
inline constexpr auto geometries<ppc64_4k> = hana::tuple_t<geometry<ppc64_4k, 52>>;
template <>
inline constexpr auto geometries<ppc64_64k> = hana::tuple_t<geometry<ppc64_64k, 52>>;
template <>
inline constexpr auto geometries<riscv64> =
    hana::tuple_t<geometry<riscv64, 39>, geometry<riscv64, 48>, geometry<riscv64, 57>>;
template <>
inline constexpr auto geometries<example> = hana::tuple_t<geometry<example, 47>>;

// All layouts and all software halves; and all formats, as types. Of the layouts of one architecture the usual one is
// first.
inline constexpr auto layouts = hana::tuple_t<x86_64, arm64_4k, arm64_4k_lpa2, arm64_16k, arm64_16k_lpa2, arm64_64k,
                                              arm64_64k_lpa, ppc64_64k, ppc64_4k, riscv64>;
inline constexpr auto systems = hana::tuple_t<linux_7_3, linux_6_12, linux_6_1, bare>;
inline constexpr auto formats = hana::append(
    hana::transform(hana::cartesian_product(hana::make_tuple(layouts, systems)),
                    [](auto pair) {
                      return hana::unpack(pair, [](auto layout, auto os) {
                        return hana::type_c<format<typename decltype(layout)::type, typename decltype(os)::type>>;
                      });
                    }),
    hana::type_c<example>);

// What selects a format.
struct format_key {
  std::string_view arch;
  std::string_view os;       // "7.3", "6.12", "6.1", "bare"; "own" of a format that is not split into halves
  unsigned page_shift = 12;  // log2 of the base page
  bool pa52 = false;         // arm64: 52-bit addresses (LPA2; LPA with 64K pages)
  friend constexpr bool operator==(const format_key&, const format_key&) = default;
};

template <class Layout>
inline constexpr bool has_pa52 = false;
template <unsigned PageShift, bool Pa52>
inline constexpr bool has_pa52<arm64<PageShift, Pa52>> = Pa52;

template <class F>
inline constexpr format_key key_of{F::arch, system_name<F>(), F::page_shift, has_pa52<layout_of<F>>};

// A geometry as data: the width of its addresses and the level of its root table.
struct tree_shape {
  unsigned va_bits;
  level root;
};

// The geometries of a format as data, in the same order.
template <class F>
inline constexpr auto shapes = hana::unpack(geometries<layout_of<F>>, [](auto... g) {
  return std::array<tree_shape, sizeof...(g)>{tree_shape{decltype(g)::type::va_bits, decltype(g)::type::root}...};
});

// Calls f(hana::type_c<F>) for every format F of the catalogue.
template <class Fn>
constexpr void for_each_format(Fn&& f) {
  hana::for_each(formats, f);
}

// Calls f(hana::type_c<F>) for the format with this key. False if there is none.
template <class Fn>
constexpr bool with_format(const format_key& key, Fn&& f) {
  bool found = false;
  for_each_format([&](auto type) {
    if (found || key_of<typename decltype(type)::type> != key) return;
    found = true;
    f(type);
  });
  return found;
}

// Calls f(hana::type_c<G>) for the geometry of format F with this many address bits. False if it has none.
template <class F, class Fn>
constexpr bool with_geometry(unsigned va_bits, Fn&& f) {
  bool found = false;
  hana::for_each(geometries<layout_of<F>>, [&](auto type) {
    if (found || decltype(type)::type::va_bits != va_bits) return;
    found = true;
    f(type);
  });
  return found;
}

// Calls f(std::integral_constant<level, L>) for every level L of format F, from pte up.
template <class F, class Fn>
constexpr void for_each_level(Fn&& f) {
  [&]<std::size_t... D>(std::index_sequence<D...>) { (f(std::integral_constant<level, static_cast<level>(D)>{}), ...); }
  (std::make_index_sequence<depth(F::top_level) + 1>{});
}

}  // namespace pte
