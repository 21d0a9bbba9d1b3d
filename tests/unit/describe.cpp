// Descriptions, for every format and level of the catalogue: their fields are the word, and they say what the entry
// says.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <pte/catalog.hpp>
#include <pte/describe.hpp>

#include "../catch.hpp"

using namespace pte;
using pte::test::ContainsSubstring;

namespace {

// Words that reach every state of every format, and some that nobody writes.
std::vector<std::uint64_t> sample_words() {
  std::vector<std::uint64_t> words = {0, ~std::uint64_t{0}};
  for (unsigned n = 0; n < 64; ++n) words.insert(words.end(), {bit(n), ~bit(n)});
  std::uint64_t w = 0x123456789abcdef1;
  for (unsigned i = 0; i < 200; ++i) {
    w ^= w << 13, w ^= w >> 7, w ^= w << 17;
    words.insert(words.end(),
                 {w, w & ~std::uint64_t{0xfff}, w | 3, (w & ~std::uint64_t{3}) | 1, w >> 16, w | bits(63, 62)});
  }
  return words;
}

// The bits of a description's fields, put together again; ~word if they overlap, leave gaps or are out of order.
std::uint64_t reassembled(const description& d) {
  std::uint64_t word = 0;
  unsigned next = 64;
  for (const described_field& f : d.fields) {
    if (f.high + 1 != next || f.low > f.high || f.name.empty() || f.meaning.empty()) return ~d.word;
    next = f.low;
    word |= f.value << f.low;
  }
  return next == 0 ? word : ~d.word;
}

// A format without its type, so that the checks below are compiled once.
struct any_format {
  std::string name;
  std::string_view os;
  unsigned page_shift;
  level top;
  bool soft_dirty, uffd_wp, contiguous, special, pkey, swap, global;
  describe_options options;
  unsigned (*shift)(level);
  bool (*leaf_allowed)(level);
  description (*describe)(std::uint64_t, level, const describe_options&);
  std::uint64_t (*make_leaf)(level, std::uint64_t pfn, rights);
  std::uint64_t (*make_table)(level, std::uint64_t phys);
  std::uint64_t (*make_swap)(level, std::uint64_t type, std::uint64_t offset);
};

// f.operator()<L>() for the level L that is known at run time only.
template <class F, class Fn>
std::uint64_t at_level(level l, Fn f) {
  std::uint64_t word = 0;
  for_each_level<F>([&](auto at) {
    if (decltype(at)::value == l) word = f.template operator()<decltype(at)::value>();
  });
  return word;
}

const std::vector<any_format>& all_formats() {
  static const std::vector<any_format> list = [] {
    std::vector<any_format> made;
    for_each_format([&](auto type) {
      using F = typename decltype(type)::type;
      any_format f{};
      f.name = std::string(F::name) + " " + system_name<F>();
      f.os = system_name<F>();
      f.page_shift = F::page_shift;
      f.top = F::top_level;
      f.soft_dirty = has_soft_dirty<F>, f.uffd_wp = has_uffd_wp<F>, f.contiguous = has_contiguous<F>;
      f.special = has_special<F>, f.pkey = has_pkey<F>, f.swap = has_swap<F>, f.global = has_global<F>;
      f.options = usual_options<F>();
      f.shift = F::shift;
      f.leaf_allowed = F::leaf_allowed;
      f.describe = [](std::uint64_t w, level l, const describe_options& options) {
        return describe<F>(w, l, {}, options);
      };
      f.make_leaf = [](level l, std::uint64_t pfn, rights r) {
        return at_level<F>(l,
                           [=]<level L>() { return entry<F, L>::make_leaf(pfn, entry<F, L>::protection(r), {}).raw; });
      };
      f.make_table = [](level l, std::uint64_t phys) {
        return at_level<F>(l, [=]<level L>() { return entry<F, L>::make_table(phys, {}).raw; });
      };
      if constexpr (has_swap<F>)
        f.make_swap = [](level l, std::uint64_t t, std::uint64_t offset) {
          return at_level<F>(l, [=]<level L>() { return entry<F, L>::make_swap(t, offset).raw; });
        };
      made.push_back(f);
    });
    return made;
  }();
  return list;
}

// Checks what `wrong` finds wrong with the description of every word, level and format: nothing.
void check_all(const std::function<bool(const any_format&, const description&)>& wrong) {
  const std::vector<std::uint64_t> words = sample_words();
  for (const any_format& f : all_formats()) {
    std::string first;
    for (unsigned l = 0; l <= depth(f.top) && first.empty(); ++l)
      for (const std::uint64_t w : words)
        if (const description d = f.describe(w, static_cast<level>(l), f.options); first.empty() && wrong(f, d))
          first = to_text(d);
    INFO(f.name);
    CHECK(first.empty());
  }
}

}  // namespace

TEST_CASE("every bit of every word belongs to one field") {
  check_all([](const any_format&, const description& d) { return reassembled(d) != d.word || d.fields.size() > 52; });
}

TEST_CASE("a description holds what its state calls for, and nothing else") {
  check_all([](const any_format& f, const description& d) {
    const bool page =
        d.state == entry_state::leaf || d.kind == parked_kind::prot_none || d.kind == parked_kind::present_invalid;
    const bool swap = d.kind && !page && d.kind != parked_kind::unknown;
    bool good = d.kind.has_value() == (d.state == entry_state::parked);
    good = good && d.hardware_valid == (d.state == entry_state::leaf || d.state == entry_state::table);
    good = good && d.read.has_value() == page && d.user.has_value() == page && d.memory_type.has_value() == page;
    good = good && d.swap.has_value() == swap && d.what.empty() == !swap && d.size.has_value() == (page || swap);
    good = good && d.mmu.has_value() == (d.state == entry_state::leaf) && (!d.reserved_set || d.hardware_valid);
    good = good && d.phys.has_value() == d.pfn.has_value() && (!d.phys || *d.pfn == *d.phys >> f.page_shift);
    good = good && (!page || (*d.phys & (*d.size - 1)) == 0);
    good = good && (f.swap || !swap) && d.pkey.has_value() == (page && f.pkey) &&
           d.special.has_value() == (page && f.special);
    good = good && d.contiguous.has_value() == (page && f.contiguous) && (!d.group_size || *d.contiguous);
    good = good && d.global.has_value() == (d.state == entry_state::leaf && f.global);
    good = good && (!page || (d.soft_dirty.has_value() == f.soft_dirty && d.uffd_wp.has_value() == f.uffd_wp));
    return !good;
  });
}

TEST_CASE("text says it all within 100 columns of ASCII") {
  check_all([](const any_format&, const description& d) {
    if (d.word % 7 != 1) return false;  // a seventh of them: text takes its time
    const std::string text = to_text(d);
    std::size_t column = 0;
    for (const char c : text) {
      column = c == '\n' ? 0 : column + 1;
      if (column > 100 || (c != '\n' && (c < ' ' || c > '~'))) return true;
    }
    return text.find(hex(d.word, 16)) != 0 || text.find(name_of(d.state)) == std::string::npos || summary(d).empty();
  });
}

TEST_CASE("what is built can be read in the description") {
  for (const any_format& f : all_formats()) {
    for (unsigned depth_of = 0; depth_of <= depth(f.top); ++depth_of) {
      const level l = static_cast<level>(depth_of);
      INFO(f.name << " " << name_of(l));
      const auto described = [&](std::uint64_t w) { return f.describe(w, l, f.options); };
      if (l != level::pte) {
        const description d = described(f.make_table(l, 0x123450000));
        CHECK((d.state == entry_state::table && d.phys == 0x123450000 && !d.reserved_set && !d.size));
        CHECK(summary(d) == "table at 0x123450000");
      }
      if (!f.leaf_allowed(l)) continue;
      const std::uint64_t size = std::uint64_t{1} << f.shift(l), pfn = (3 * size) >> f.page_shift;
      for (const rights r :
           {rights{true, true, false, true}, rights{true, false, true, true}, rights{true, false, false, false}}) {
        const description d = described(f.make_leaf(l, pfn, r));
        CHECK((d.state == entry_state::leaf && d.present && !d.reserved_set));
        CHECK((d.pfn == pfn && d.phys == 3 * size && d.size == size));
        CHECK((d.read == true && d.write == r.write && d.exec == r.exec && d.user == r.user));
      }
      // Without any right: present where the format says so, and nobody may do anything.
      const description none = described(f.make_leaf(l, pfn, {}));
      CHECK((!none.read || (!*none.read && !*none.write && !*none.exec)));
      if (none.kind == parked_kind::prot_none) CHECK((none.present && !none.hardware_valid && none.pfn == pfn));
      if (!f.swap) continue;
      const description d = described(f.make_swap(l, 5, 0x1234));
      CHECK((d.kind == parked_kind::swap && d.swap->type == 5 && d.swap->offset == 0x1234 && d.what == "swap file 5"));
      CHECK_THAT(to_text(d), ContainsSubstring("type 5, offset 0x1234"));
    }
  }
}

TEST_CASE("migration, hwpoison, device and marker entries") {
  for (const any_format& f : all_formats()) {
    if (!f.swap) continue;
    INFO(f.name);
    describe_options options = f.options;
    const auto made = [&](std::uint64_t t, std::uint64_t offset) {
      return f.describe(f.make_swap(level::pte, t, offset), level::pte, options);
    };
    const unsigned first =
        32 - options.types.swapin_error - options.types.marker;  // the lowest type that is none of these
    const unsigned pfn_bits = options.physmem_bits - f.page_shift;
    const description moving = made(first - 1, 0x1234 | bit(pfn_bits + 1));
    CHECK((moving.kind == parked_kind::migration && moving.pfn == 0x1234 && moving.what == "migration (write)"));
    CHECK((moving.accessed == false && moving.dirty == true));
    CHECK((made(first - 3, 0x1234 | bit(pfn_bits)).accessed == true && made(first - 3, 0).what == "migration (read)"));
    if (options.types.hwpoison == 1) {
      const description poisoned = made(first - 4, 0x1234);
      CHECK((poisoned.kind == parked_kind::hwpoison && poisoned.pfn == 0x1234));
    }
    CHECK(made(first - 5, 0).kind == parked_kind::swap);
    if (options.types.marker == 1) {
      CHECK((made(first, 1).what == "marker: uffd-wp" && made(first, 1).uffd_wp == true));
      CHECK(made(first, 0).what == "marker: none known");
      CHECK(made(first, 4).what == (f.os == "7.3" ? "marker: guard" : "marker: none known"));
    }
    if (options.types.swapin_error == 1) CHECK(made(31, 0).what == "swap-in error");
    options.types.device = 4;
    CHECK((made(first - 1, 7).kind == parked_kind::device && made(first - 1, 7).pfn == 7));
    CHECK((made(first - 4, 7).what == "device-private (write)" && made(first - 5, 7).kind == parked_kind::migration));
    options.types.device = 3;
    CHECK((made(first - 1, 7).what == "device-exclusive" && made(first - 4, 7).what == "migration (write)"));
  }
}

TEST_CASE("bits that nobody names are shown as such") {
  using F = format<x86_64, linux_7_3>;
  const std::string text = to_text(describe<F, level::pte>(0x8210000012345025));
  CHECK_THAT(text, ContainsSubstring("57:52  ignored         0x21  ignored by the MMU, no name in Linux 7.3"));
  CHECK_THAT(to_text(describe<F, level::pte>(0x60)), ContainsSubstring("no more than hardware may leave behind"));
  CHECK_THAT(to_text(describe<F, level::pte>(0x80)), ContainsSubstring("set, but 0 in this kind of entry"));
}

TEST_CASE("numbers") {
  CHECK(hex(0) == "0x0");
  CHECK(hex(0x48423000) == "0x48423000");
  CHECK(hex(0x2f, 16) == "0x000000000000002f");
  CHECK(hex(~std::uint64_t{0}) == "0xffffffffffffffff");
  CHECK(size_text(4096) == "4 KiB");
  CHECK(size_text(std::uint64_t{256} << 40) == "256 TiB");
}
