// Walks against a reference that looks at every page by itself, on small trees in every format of the four
// architectures.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pte/format/example.hpp>
#include <pte/pte.hpp>

#include "../catch.hpp"

namespace {

using namespace pte;

// Physical memory of a test: tables of one size one after another, from `base` on.
template <class G>
struct tables {
  static constexpr std::uint64_t base = 0x100000;
  std::vector<std::uint64_t> words;

  static constexpr std::uint64_t table_words = [] {
    std::uint64_t most = 0;
    for (unsigned d = 0; d <= depth(G::root); ++d) most = std::max(most, G::entries(static_cast<level>(d)));
    return std::max(most, std::uint64_t{512});  // 4 KiB at least, so that addresses fit every entry
  }();

  phys_addr add_table() {
    words.resize(words.size() + static_cast<std::size_t>(table_words));
    return {base + (words.size() - table_words) * 8};
  }
  std::uint64_t& at(phys_addr slot) { return words[static_cast<std::size_t>((slot.value - base) / 8)]; }
  span_memory memory() const { return {{base}, words}; }
};

// What one address maps, found without any of the code under test but the entry's own: the reference.
struct page {
  entry_state state = entry_state::empty;
  level at = level::pte;
  std::uint64_t phys = 0;  // of the byte
  std::uint64_t raw = 0;
};

template <class F, class G, level L>
page look(const span_memory& memory, phys_addr table, std::uint64_t va, const machine<F>& m) {
  const std::uint64_t entries = std::uint64_t{1} << G::index_bits(L);
  const entry<F, L> e{memory.load(table + (va >> F::shift(L)) % entries * 8)};
  if (e.is_leaf()) {
    std::uint64_t size = std::uint64_t{1} << F::shift(L);
    if constexpr (has_contiguous<F>)
      if (e.as_leaf().contiguous()) size = std::uint64_t{1} << F::template at<L>::item_shift(e.raw);
    return {entry_state::leaf, L, e.as_leaf().phys(m) + va % size, e.raw};
  }
  if constexpr (L != level::pte)
    if (e.is_table()) return look<F, G, below(L)>(memory, {e.as_table().address(m)}, va, m);
  return {e.is_empty() ? entry_state::empty : entry_state::parked, L, 0, e.raw};
}

struct random_numbers {
  std::uint64_t state;
  std::uint64_t operator()(std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  }
};

// Fills `table` with leaves, swap entries, PROT_NONE entries, groups and holes; below pud by tables too.
template <class F, class G, level L>
void fill(tables<G>& t, phys_addr table, const machine<F>& m, random_numbers& random) {
  using E = entry<F, L>;
  const std::uint64_t n = G::entries(L);
  constexpr std::uint64_t leaf_pages = std::uint64_t{1} << (F::shift(L) - F::page_shift);
  for (std::uint64_t i = 0; i < n; ++i) {
    const phys_addr slot = table + i * 8;
    const std::uint64_t pfn = random(1 << 8) * leaf_pages;
    const std::uint64_t rw = E::protection({.read = true, .write = true});
    // Tables are few, and near the ends, where the carry from one table to the next is.
    if constexpr (L != level::pte) {
      if (i < 2 || i + 2 > n || random(64) == 0) {
        if (t.words.size() < 40 * tables<G>::table_words) {
          const phys_addr next = t.add_table();
          t.at(slot) = E::make_table(next.value, m).raw;
          fill<F, G, below(L)>(t, next, m, random);
        }
        continue;
      }
    }
    if constexpr (F::leaf_allowed(L)) {
      switch (random(6)) {
        case 0:
          break;
        case 1:
          if constexpr (has_swap<F>) t.at(slot) = E::make_swap(random(20), random(1000) + 1).raw;
          break;
        case 2:
          t.at(slot) = E::make_leaf(pfn, E::protection({}), m).raw;
          break;
        default: {
          E e = E::make_leaf(pfn, rw, m);
          if (random(2)) e = E{e.as_leaf().mkold().raw};
          if (random(2)) e = E{e.as_leaf().mkdirty().raw};
          t.at(slot) = e.raw;
        }
      }
    }
  }
}

// Every page of a range, as the mappings of a range walk have it, against the reference.
template <class F, class G>
void check_range(const tables<G>& t, phys_addr root, va_range range, const machine<F>& m) {
  const span_memory memory = t.memory();
  range_walk<F, G, span_memory> walk(memory, root, range, m);
  std::uint64_t va = range.first.value;
  bool first = true;
  while (walk.next()) {
    const mapping& found = walk.get();
    if (first)
      REQUIRE((found.va <= range.first && range.first.value - found.va.value < found.size));
    else
      REQUIRE(found.va.value == va);
    first = false;
    REQUIRE(found.size != 0);
    for (va = found.va.value; va - found.va.value < found.size; va += std::uint64_t{1} << F::page_shift) {
      const page expected = look<F, G, G::root>(memory, root, va, m);
      if (expected.state != found.state || expected.at != found.at ||
          (found.state == entry_state::leaf && expected.phys != found.phys.value + (va - found.va.value)) ||
          (found.items == 1 && expected.raw != found.raw)) {
        CAPTURE(F::name, va, found.va.value, found.size, found.raw, expected.raw, static_cast<int>(found.state));
        FAIL("the range walk and the reference differ");
      }
      const walk_result one = pte::walk<F, G>(memory, root, {va + 5}, m);
      if ((one.end == walk_end::leaf) != (expected.state == entry_state::leaf) ||
          (one.end == walk_end::leaf && one.phys.value != expected.phys + 5)) {
        CAPTURE(F::name, va, one.raw, expected.raw);
        FAIL("the walk and the reference differ");
      }
    }
    va = found.va.value + found.size;
  }
  REQUIRE((va > range.last.value || va == 0));
}

// A tree small enough to look at every page of it.
template <class F, class G>
void check_tree(std::uint64_t seed) {
  const machine<F> m{};
  tables<G> t;
  random_numbers random{seed};
  const phys_addr root = t.add_table();
  fill<F, G, G::root>(t, root, m, random);
  const va_range all = G::range(va_half::user);
  check_range<F, G>(t, root, all, m);
  // Ranges that begin and end anywhere, in the middle of large leaves and of groups.
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t a = all.first.value + random(all.size()), b = all.first.value + random(all.size());
    check_range<F, G>(t, root, {{std::min(a, b)}, {std::max(a, b)}}, m);
  }
  check_range<F, G>(t, root, {all.last, all.last}, m);
}

}  // namespace

TEST_CASE("range walks and walks see what every page's own entries say") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    check_tree<format<x86_64, linux_6_12>, geometry<x86_64, 24>>(seed);
    check_tree<format<x86_64, bare>, geometry<x86_64, 24>>(seed);
    check_tree<format<arm64_4k, linux_7_3>, geometry<arm64_4k, 23>>(seed);
    check_tree<format<arm64_4k, linux_6_1>, geometry<arm64_4k, 23>>(seed);
    check_tree<format<arm64_16k_lpa2, linux_6_12>, geometry<arm64_16k_lpa2, 27>>(seed);
    check_tree<format<ppc64_radix<12>, linux_6_12>, geometry<ppc64_radix<12>, 23>>(seed);
    check_tree<format<ppc64_radix<16>, linux_7_3>, geometry<ppc64_radix<16>, 24>>(seed);
    check_tree<format<riscv64, linux_7_3>, geometry<riscv64, 24>>(seed);
    check_tree<example, geometry<example, 27>>(seed);
  }
}

TEST_CASE("a tree of three levels, with leaves on the two lower ones") {
  check_tree<format<x86_64, linux_6_12>, geometry<x86_64, 32>>(7);
  check_tree<format<riscv64, linux_6_12>, geometry<riscv64, 32>>(7);
}
