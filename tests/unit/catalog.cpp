// The catalogue: complete, without duplicates, every format found by its key; and laws that hold of every format.
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pte/catalog.hpp>
#include <pte/format/entry.hpp>

#include "../catch.hpp"

using namespace pte;

namespace {

std::vector<std::uint64_t> sample_words() {
  std::vector<std::uint64_t> words = {0, ~std::uint64_t{0}};
  for (unsigned n = 0; n < 64; ++n) words.insert(words.end(), {bit(n), ~bit(n)});
  std::uint64_t w = 0x9e3779b97f4a7c15;
  for (unsigned i = 0; i < 500; ++i) {
    w ^= w << 13, w ^= w >> 7, w ^= w << 17;
    words.insert(words.end(), {w, w | 1, w | 3, w & ~std::uint64_t{0xff8}, w | bits(63, 62), w & 0xffff});
  }
  return words;
}
const std::vector<std::uint64_t>& words() {
  static const std::vector<std::uint64_t> list = sample_words();
  return list;
}

bool disjoint(const std::vector<field>& list) {
  std::uint64_t seen = 0;
  for (const field& f : list) {
    if (f.mask == 0 || (seen & f.mask) != 0 || f.width() != f.high() - f.low() + 1 || *f.name == 0 || *f.meaning == 0)
      return false;
    seen |= f.mask;
  }
  return true;
}

// The name of the format with that key; "" if there is none.
std::string found_by(const format_key& key) {
  std::string name;
  const bool found = with_format(key, [&](auto type) {
    using F = typename decltype(type)::type;
    name = std::string(F::name) + " " + system_name<F>();
  });
  return found == !name.empty() ? name : "contradiction";
}

// What an entry says of itself.
struct said {
  bool empty, table, leaf, parked, hardware_valid, present;
  bool accessed = false, dirty = false, write = false, mmu_write = false;  // of a leaf
  std::uint64_t phys = 0;
};

enum class change { wrprotect, mkwrite, mkyoung, mkold, mkdirty, mkclean };

// A level of a format without their types, so that the laws below are compiled once.
struct any_level {
  std::string name;
  bool has_tables, leaf_allowed;
  std::vector<field> leaf, table, software, swap;
  said (*read)(std::uint64_t);
  std::uint64_t (*apply)(change, std::uint64_t);
  bool (*advances)(rights);
};

template <std::size_t N>
std::vector<field> listed(const std::array<field, N>& fields) {
  return {fields.begin(), fields.end()};
}

template <class F, level L>
said read(std::uint64_t w) {
  const entry<F, L> e{w};
  said s{e.is_empty(), e.is_table(), e.is_leaf(), e.is_parked(), e.hardware_valid(), e.is_present()};
  if (!s.leaf) return s;
  const machine<F> m{};
  const permissions<std::uint64_t> rights = e.as_leaf().rights_of(m);
  s.accessed = e.as_leaf().accessed();
  s.dirty = e.as_leaf().dirty();
  s.write = e.as_leaf().means(m).write;
  s.mmu_write = rights.user_write || rights.kernel_write;
  s.phys = e.as_leaf().phys(m);
  return s;
}

template <class F, level L>
std::uint64_t apply(change c, std::uint64_t w) {
  const leaf<F, L> l{{w}};
  switch (c) {
    case change::wrprotect:
      return l.wrprotect().raw;
    case change::mkwrite:
      return l.mkwrite().raw;
    case change::mkyoung:
      return l.mkyoung().raw;
    case change::mkold:
      return l.mkold().raw;
    case change::mkdirty:
      return l.mkdirty().raw;
    default:
      return l.mkclean().raw;
  }
}

// Does advance() move the page and change nothing else? True of what is no present entry.
template <class F, level L>
bool advances(rights r) {
  if constexpr (!F::leaf_allowed(L)) {
    return true;
  } else {
    using e = entry<F, L>;
    const machine<F> m{};
    const std::uint64_t one = std::uint64_t{1} << (F::shift(L) - F::page_shift);
    const e first = e::make_leaf(4 * one, e::protection(r), m), next = e::make_leaf(5 * one, e::protection(r), m);
    if (!first.is_present()) return true;
    return first.as_present().advance(one).raw == next.raw && next.as_present().pfn(m) == 5 * one &&
           next.as_present().advance(std::uint64_t{0} - one).raw == first.raw;
  }
}

const std::vector<any_level>& all_levels() {
  static const std::vector<any_level> list = [] {
    std::vector<any_level> made;
    for_each_format([&](auto type) {
      using F = typename decltype(type)::type;
      for_each_level<F>([&](auto at) {
        constexpr level L = decltype(at)::value;
        const std::string name = std::string(F::name) + " " + system_name<F>() + " level " + std::to_string(depth(L));
        using ops = typename F::template at<L>;
        any_level made_here{name,
                            L != level::pte,
                            F::leaf_allowed(L),
                            listed(ops::leaf_fields()),
                            listed(ops::table_fields()),
                            listed(ops::software_fields()),
                            {},
                            read<F, L>,
                            apply<F, L>,
                            advances<F, L>};
        if constexpr (requires { ops::swap_fields(); }) made_here.swap = listed(ops::swap_fields());
        made.push_back(std::move(made_here));
      });
    });
    return made;
  }();
  return list;
}

}  // namespace

TEST_CASE("every layout with every system is there once") {
  using key = std::tuple<std::string, std::string, unsigned, bool>;
  std::set<key> keys;
  std::set<std::string> names;
  std::size_t count = 0;
  for_each_format([&](auto type) {
    using F = typename decltype(type)::type;
    static_assert(entry_format<F>);
    const format_key k = key_of<F>;
    keys.insert({std::string(k.arch), std::string(k.os), k.page_shift, k.pa52});
    names.insert(std::string(F::name) + " " + system_name<F>());
    ++count;
    CHECK(found_by(k) == std::string(F::name) + " " + system_name<F>());
  });
  CHECK(count == 41);
  CHECK(keys.size() == count);
  CHECK(names.size() == count);
  CHECK(keys.count({"arm64", "6.12", 16, true}) == 1);
  CHECK(keys.count({"riscv64", "bare", 12, false}) == 1);
}

TEST_CASE("what is not there is not found") {
  for (const format_key& key : {format_key{"x86_64", "7.3", 14, false}, format_key{"x86_64", "7.3", 12, true},
                                format_key{"x86_64", "6.13", 12, false}, format_key{"sparc64", "7.3", 13, false},
                                format_key{"example", "7.3", 14, false}, format_key{"", "", 0, false}})
    CHECK(found_by(key).empty());
  CHECK_FALSE(with_geometry<format<x86_64, bare>>(39, [](auto) { FAIL("called"); }));
}

TEST_CASE("geometries: the default first, each of them complete") {
  CHECK(shapes<format<x86_64, bare>>[0].va_bits == 48);
  CHECK(shapes<format<riscv64, linux_7_3>>[0].root == level::pud);
  CHECK(shapes<format<arm64_4k_lpa2, linux_7_3>>[0].root == level::pgd);
  hana::for_each(hana::append(layouts, hana::type_c<example>), [](auto type) {
    using F = typename decltype(type)::type;
    CHECK(shapes<F>.size() > 0);
    for (const tree_shape& shape : shapes<F>) {
      INFO(F::name << " " << shape.va_bits);
      CHECK(with_geometry<F>(shape.va_bits, [&](auto geometry_type) {
        using G = typename decltype(geometry_type)::type;
        bool good = G::root == shape.root && std::string(G::name(G::root)) == "pgd";
        // Every translated address bit belongs to the page or to one index.
        unsigned bits_used = F::page_shift;
        for (unsigned d = 0; d <= depth(G::root); ++d) {
          good = good && F::shift(static_cast<level>(d)) == bits_used;
          bits_used += G::index_bits(static_cast<level>(d));
        }
        CHECK((good && bits_used == shape.va_bits));
        CHECK(G::half(G::range(va_half::user).last) == va_half::user);
        CHECK(G::half(G::range(va_half::kernel).first) == va_half::kernel);
        CHECK(G::half({G::range(va_half::user).last.value + 1}) == va_half::neither);
      }));
    }
  });
}

TEST_CASE("fields are disjoint, named, and all of the word") {
  for (const any_level& at : all_levels()) {
    INFO(at.name);
    for (const auto* list : {&at.leaf, &at.table, &at.software, &at.swap}) CHECK(disjoint(*list));
    CHECK(mask_of(at.leaf) == (at.leaf_allowed ? ~std::uint64_t{0} : 0));
    CHECK(mask_of(at.table) == (at.has_tables ? ~std::uint64_t{0} : 0));
  }
}

TEST_CASE("an entry is in one state, and what is hardware-valid is a leaf or a table") {
  for (const any_level& at : all_levels()) {
    INFO(at.name);
    std::size_t wrong = 0;
    for (const std::uint64_t w : words()) {
      const said s = at.read(w);
      wrong += int{s.empty} + int{s.table} + int{s.leaf} + int{s.parked} != 1;
      wrong += s.hardware_valid != (s.leaf || s.table);
      wrong += (s.hardware_valid && !s.present) || (s.empty && s.present);
      wrong += s.leaf && !at.leaf_allowed;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("operations on leaves do what they say, may be repeated, and commute") {
  using enum change;
  for (const any_level& at : all_levels()) {
    INFO(at.name);
    std::size_t leaves = 0, wrong = 0;
    for (const std::uint64_t w : words()) {
      const said before = at.read(w);
      if (!before.leaf) continue;
      ++leaves;
      for (const change c : {wrprotect, mkwrite, mkyoung, mkold, mkdirty, mkclean}) {
        const std::uint64_t changed = at.apply(c, w);
        const said after = at.read(changed);
        wrong += !after.leaf || after.phys != before.phys || at.apply(c, changed) != changed;
        wrong += after.accessed != (c == mkyoung || (c != mkold && before.accessed));
        // What the MMU of an arm64 without hardware dirty state lets be written must be dirty: nobody would note a
        // write.
        const bool unmade = at.name.starts_with("arm64") && before.mmu_write && !before.dirty;
        if (!unmade) wrong += after.dirty != (c == mkdirty || (c != mkclean && before.dirty));
        if (c == mkwrite) wrong += !after.write;
        for (const change other : {wrprotect, mkold, mkclean})
          if (c == wrprotect || c == mkold || c == mkclean)
            wrong += at.apply(other, changed) != at.apply(c, at.apply(other, w));
      }
    }
    if (at.leaf_allowed) CHECK(leaves > 100);
    CHECK(wrong == 0);
  }
}

TEST_CASE("advance moves the page and nothing else") {
  for (const any_level& at : all_levels()) {
    INFO(at.name);
    for (const rights r : {rights{true, true, false, true}, rights{true, false, true, false}, rights{}})
      CHECK(at.advances(r));
  }
}
