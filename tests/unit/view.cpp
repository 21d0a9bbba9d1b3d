// The range-v3 views: the entries of a table, the mappings of a range, and ranges joined out of them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <range/v3/algorithm/count_if.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/chunk_by.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <pte/pte.hpp>
#include <pte/view/entries.hpp>
#include <pte/view/leaves.hpp>

#include "../catch.hpp"

namespace {

using namespace pte;

constexpr phys_addr base{0x10000};
using words = std::array<std::uint64_t, 512>;

template <class F>
using one_table = geometry<typename F::layout, 21>;
template <class F>
using pte_of = entry<F, level::pte>;

// The whole table as ranges.
template <class F>
std::vector<mapping> joined(const words& w, joins_mapping<F> join = {}) {
  const span_memory memory{base, w};
  auto all = leaves<F, one_table<F>>(memory, base, {{0}, {0x1fffff}}, machine<F>{});
  return all | coalesce(join) | ranges::to<std::vector<mapping>>();
}

template <class F>
std::uint64_t rw() {
  return pte_of<F>::protection({.read = true, .write = true});
}

}  // namespace

TEST_CASE("the entries of a table are a random-access view") {
  using F = format<x86_64, linux_6_12>;
  words w{};
  w[3] = pte_of<F>::make_leaf(0x55, rw<F>(), {}).raw;
  w[500] = pte_of<F>::make_swap(0, 7).raw;
  const span_memory memory{base, w};
  const auto table = entries<F, geometry<x86_64, 48>, level::pte>(memory, base, {0x7f0000000000});
  static_assert(ranges::random_access_range<decltype(table)>);
  REQUIRE(ranges::size(table) == 512);
  CHECK(table[3].entry.is_leaf());
  CHECK(table[3].entry.raw == w[3]);
  CHECK(table[500].va.value == 0x7f0000000000 + 500 * 0x1000);
  CHECK(table[500].slot.value == base.value + 500 * 8);
  CHECK(ranges::count_if(table, [](const auto& e) { return e.entry.is_parked(); }) == 1);

  // A root table serves both halves.
  const auto root = entries<F, geometry<x86_64, 48>, level::p4d>(memory, base);
  CHECK(root[255].va.value == 0x7f8000000000);
  CHECK(root[256].va.value == 0xffff800000000000);
  CHECK(root[511].va.value == 0xffffff8000000000);
}

TEST_CASE("leaves see what a range walk sees, as often as they are asked") {
  using F = format<arm64_4k, linux_7_3>;
  using G = one_table<F>;
  words w{};
  for (unsigned i = 0; i < 16; ++i) w[32 + i] = pte_of<F>::make_leaf(0x200 + i, rw<F>(), {}).raw | bit(52);
  for (unsigned i = 60; i < 200; i += 3) w[i] = pte_of<F>::make_leaf(i, rw<F>(), {}).raw;
  const span_memory memory{base, w};
  const va_range range{{0x21000}, {0xfffff}};
  std::vector<mapping> expected;
  for_each_mapping<F, G>(memory, base, range, {}, [&](const mapping& m) { expected.push_back(m); });

  const auto view = leaves<F, G>(memory, base, range, machine<F>{});
  static_assert(ranges::forward_range<decltype(view)> && ranges::view_<leaves_view<F, G, span_memory>>);
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t i = 0;
    for (const mapping& m : view) {
      REQUIRE(i < expected.size());
      CHECK((m.va == expected[i].va && m.size == expected[i].size && m.raw == expected[i].raw &&
             m.items == expected[i].items));
      ++i;
    }
    CHECK(i == expected.size());
  }
  CHECK(expected.front().items == 16);
  CHECK(expected.front().va.value == 0x20000);

  // Any range-v3 adaptor will do.
  const auto is_leaf = [](const mapping& m) { return m.state == entry_state::leaf; };
  CHECK(ranges::count_if(view | ranges::views::filter(is_leaf), [](const mapping& m) { return m.items == 1; }) == 47);
  auto chunks =
      view | ranges::views::chunk_by([](const mapping& a, const mapping& b) { return a.state == b.state; });
  CHECK(ranges::distance(chunks | ranges::views::take(1)) == 1);
  std::size_t members = 0;
  for (auto&& chunk : chunks) members += static_cast<std::size_t>(ranges::distance(chunk));
  CHECK(members == expected.size());

  // A default-made view is empty.
  CHECK(ranges::distance(leaves_view<F, G, span_memory>{}) == 0);
}

TEST_CASE("adjacent pages of one kind are joined, in every format") {
  const auto check = []<class F>(F) {
    words w{};
    for (unsigned i = 0; i < 10; ++i) w[i] = pte_of<F>::make_leaf(0x100 + i, rw<F>(), {}).raw;
    for (unsigned i = 10; i < 20; ++i) w[i] = pte_of<F>::make_leaf(0x300 + i, rw<F>(), {}).raw;
    for (unsigned i = 20; i < 30; ++i)
      w[i] = pte_of<F>::make_leaf(0x300 + i, pte_of<F>::protection({.read = true}), {}).raw;
    for (unsigned i = 30; i < 40; ++i) w[i] = pte_of<F>::make_leaf(0x300 + i, pte_of<F>::protection({}), {}).raw;
    const std::vector<mapping> found = joined<F>(w);
    CAPTURE(F::name);
    REQUIRE(found.size() == 5);
    for (unsigned i = 0; i < 4; ++i) {
      CHECK(found[i].va.value == std::uint64_t{10 * i} << F::page_shift);
      CHECK(found[i].size == std::uint64_t{10} << F::page_shift);
    }
    CHECK(found[4].state == entry_state::empty);
    // An accessed page in the middle stands apart, unless that is to be ignored.
    w[4] = pte_of<F>{w[4]}.as_leaf().mkold().raw;
    CHECK(joined<F>(w).size() == 7);
    const std::vector<mapping> ignoring = joined<F>(w, {.ignore_ad = true});
    REQUIRE(ignoring.size() == 5);
    CHECK(ignoring[0].accessed);
  };
  check(format<x86_64, linux_6_12>{});
  check(format<arm64_4k, linux_6_1>{});
  check(format<arm64_4k, linux_7_3>{});
  check(format<riscv64, linux_7_3>{});
  check(format<ppc64_radix<12>, linux_6_12>{});
}

TEST_CASE("swap entries are joined where their offsets count up") {
  const auto check = []<class F>(F) {
    words w{};
    for (unsigned i = 0; i < 10; ++i) w[i] = pte_of<F>::make_swap(1, 50 + i).raw;
    for (unsigned i = 10; i < 20; ++i) w[i] = pte_of<F>::make_swap(2, 50 + i).raw;
    for (unsigned i = 20; i < 30; ++i) w[i] = pte_of<F>::make_swap(2, 150 + i).raw;
    const std::vector<mapping> found = joined<F>(w);
    CAPTURE(F::name);
    REQUIRE(found.size() == 4);
    CHECK((found[0].size == 10 << 12 && found[1].size == 10 << 12 && found[2].size == 10 << 12));
    CHECK(found[0].state == entry_state::parked);
  };
  check(format<x86_64, linux_6_12>{});
  check(format<arm64_4k, linux_7_3>{});
  check(format<riscv64, linux_7_3>{});
  check(format<ppc64_radix<12>, linux_6_12>{});
}

TEST_CASE("groups are joined with groups, and not with single entries") {
  using F = format<arm64_4k, linux_7_3>;
  words w{};
  for (unsigned i = 0; i < 64; ++i) w[i] = pte_of<F>::make_leaf(0x200 + i, rw<F>(), {}).raw | (i < 48 ? bit(52) : 0);
  std::vector<mapping> found = joined<F>(w);
  REQUIRE(found.size() == 3);
  CHECK((found[0].size == 48 << 12 && found[0].items == 16 && found[1].size == 16 << 12 && found[1].items == 1));

  using R = format<riscv64, linux_7_3>;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t group = 0x200 + i / 16 * 16;
    w[i] = pte_of<R>::make_leaf(i < 48 ? group + 8 : 0x200 + i, rw<R>(), {}).raw | (i < 48 ? bit(63) : 0);
  }
  found = joined<R>(w);
  REQUIRE(found.size() == 3);
  CHECK((found[0].size == 48 << 12 && found[0].items == 16 && found[1].size == 16 << 12 &&
         found[1].phys.value == 0x230000));
}
