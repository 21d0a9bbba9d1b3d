// The laws of pte/proof/laws.hpp on samples: each format's own entries, with all other bits random, and words made up.
// In constant evaluation a few of them (static tests), at run time many (unit/laws.cpp).
#pragma once

#include <cstdint>
#include <pte/format/concepts.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/proof/counterexample.hpp>
#include <pte/proof/laws.hpp>
#include <pte/word/address.hpp>
#include <pte/word/field.hpp>

namespace pte::proof {

// Which law a sample broke. (An enumeration, since compilers print its names when a static test fails.)
enum class law : unsigned char {
  none_broken,
  states_exclude_each_other,
  hardware_valid_is_leaf_or_table,
  valid_is_present_and_empty_is_not,
  prot_none_is_present_and_invalid,
  addresses_are_aligned,
  leaf_reads_back,
  mmu_gives_no_more_than_meant,
  table_reads_back,
  swap_reads_back,
  raw_word_goes_through,
  advance_by_nothing_changes_nothing,
  advances_add_up,
  advance_goes_back,
  advance_moves_the_address_only,
  normalising_twice_is_once,
  normalisers_commute,
  normaliser_commutes_with_advance,
  normaliser_takes_one_thing,
  mkyoung_sets_accessed_only,
  mkdirty_sets_dirty_only,
  mkwrite_gives_write,
  mkuffd_wp_protects,
  mksoft_dirty_sets_one_bit,
  mkspecial_sets_special,
  modify_keeps_the_page,
  modify_gives_the_rights,
  modify_agrees_with_make_leaf,
  modify_depends_on_what_it_keeps,
};

// The law that is broken, and by which words: an entry, and up to two further words (counts, a pfn, other bits).
struct broken {
  law which = law::none_broken;
  std::uint64_t entry = 0, first = 0, second = 0;
  unsigned detail = 0;  // number of the rights or of the normaliser
};

// Its instantiation is an error if a law is broken; the compiler's message then has the law's name, the entry and up to
// two further words. Detail is the number of the rights (1 read, 2 write, 4 exec, 8 kernel) or of the normaliser.
template <law Which, class Entry, class First, class Second, unsigned Detail>
struct BROKEN_LAW {
  static_assert(Which == law::none_broken, "the format breaks the law that BROKEN_LAW<...> names");
  static constexpr bool none = true;
};

// No law was found broken.
template <broken Found>
inline constexpr bool holds = BROKEN_LAW<Found.which, shown<Found.entry>, shown<Found.first>, shown<Found.second>, Found.detail>::none;

// A good mixture of bits for the n-th word (Steele, Lea and Flood: SplitMix64).
constexpr std::uint64_t random_word(std::uint64_t n) {
  std::uint64_t z = n * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// The n-th set of rights, 0 <= n < 16; 0 and 8 are none at all.
constexpr rights nth_rights(unsigned n) {
  return {.read = (n & 1) != 0, .write = (n & 2) != 0, .exec = (n & 4) != 0, .user = (n & 8) == 0};
}

// Two machines to check each law with: the default, and one that lacks or has what the default has or lacks.
template <class F>
constexpr machine<F> sample_machine(unsigned n) {
  machine<F> m{};
  if (n % 2 == 0) return m;
  if constexpr (requires { F::machine_with(46, bit(47)); })
    m = F::machine_with(46, bit(47));
  else if constexpr (requires { F::machine_with_phys_bits(44); })
    m = F::machine_with_phys_bits(44);
  if constexpr (requires { m.shadow_stack; }) m.shadow_stack = true;
  if constexpr (requires { m.svrsw60t59b; }) m.svnapot = m.svpbmt = m.svrsw60t59b = false;
  if constexpr (requires { m.hw_dirty; }) m.hw_access = m.hw_dirty = m.wxn = true;
  if constexpr (requires { m.kuap; }) m.kuap = m.kuep = false;
  return m;
}

// The n-th sample for level L of F: an entry as the format makes them, or a word made up.
template <class F, level L>
constexpr std::uint64_t sample_entry(unsigned n) {
  using ops = typename F::template at<L>;
  const machine<F> m = sample_machine<F>(n);
  const std::uint64_t r = random_word(n), protection = ops::protection(nth_rights(static_cast<unsigned>(r >> 7) % 16));
  switch (n % 8) {
    case 0: return r;
    case 1: return ops::make_leaf(r >> F::page_shift, protection, m);
    case 2: return ops::make_leaf(std::uint64_t{0}, protection, m) | r;
    case 3: return ops::modify(r, protection, m);
    case 4: return ops::modify(r, ops::protection({}), m);  // PROT_NONE
    case 5: return bit(n / 8 % 64) | bit(static_cast<unsigned>(r % 64));
    case 6:
      if constexpr (has_swap<F>) return ops::make_swap(r >> 59, r);
      return ops::make_table(r, m);
    default:
      return n / 8 % 2 == 0 ? ops::mkdirty(ops::modify(r, protection, m)) : ops::mkclean(ops::modify(r, protection, m));
  }
}

namespace detail {

template <class F, level L>
constexpr broken check_normaliser(std::uint64_t w, std::uint64_t a, const machine<F>& m, auto n) {
  using all = laws<F, L>;
  using proof::normaliser;
  constexpr normaliser N = decltype(n)::value;
  constexpr unsigned number = static_cast<unsigned>(N);
  if (!all::template normalising_twice_is_once<N>(w)) return {law::normalising_twice_is_once, w, 0, 0, number};
  const bool commute = all::template normalisers_commute<N, normaliser::old>(w) &&
                       all::template normalisers_commute<N, normaliser::clean>(w) &&
                       all::template normalisers_commute<N, normaliser::write_protected>(w) &&
                       all::template normalisers_commute<N, normaliser::soft_clean>(w) &&
                       all::template normalisers_commute<N, normaliser::uffd_clear>(w);
  if (!commute) return {law::normalisers_commute, w, 0, 0, number};
  if (!all::template normaliser_commutes_with_advance<N>(w, a, m))
    return {law::normaliser_commutes_with_advance, w, a, 0, number};
  if (!all::template normaliser_takes_one_thing<N>(w, m)) return {law::normaliser_takes_one_thing, w, 0, 0, number};
  return {};
}

template <proof::normaliser N>
struct constant {
  static constexpr proof::normaliser value = N;
};

// The laws about pages, for a level that has them.
template <class F, level L>
constexpr broken check_page(std::uint64_t w, std::uint64_t other, unsigned n, const machine<F>& m) {
  using all = laws<F, L>;
  using ops = typename F::template at<L>;
  using proof::normaliser;
  constexpr unsigned pages_shift = F::shift(L) - F::page_shift;
  const std::uint64_t frames = all::template address_bits<std::uint64_t>(m) >> F::page_shift;
  // Counts: often a few of what the entry maps, or of its groups; sometimes anything.
  std::uint64_t unit = 1;
  if constexpr (has_contiguous<F>) unit = ops::group_entries;
  const std::uint64_t a = n % 5 == 0 ? other & frames : ((other & 31) * (n % 3 == 0 ? 1 : unit)) << pages_shift;
  const std::uint64_t b = n % 7 == 0 ? other >> 5 & frames : ((other >> 5 & 31) * unit) << pages_shift;
  const std::uint64_t pfn = n % 4 == 0 ? other & 0xfffff & frames : other & frames;
  const unsigned i = n / 2 % 16, j = static_cast<unsigned>(other % 16);
  const rights r = nth_rights(i);

  if (!all::leaf_reads_back(pfn, r, m)) return {law::leaf_reads_back, 0, pfn, 0, i};
  if (!all::mmu_gives_no_more_than_meant(pfn, r, m)) return {law::mmu_gives_no_more_than_meant, 0, pfn, 0, i};
  if (!all::swap_reads_back(other >> 59, other >> n % 32))
    return {law::swap_reads_back, 0, other >> 59, other >> n % 32};
  if (!all::advance_by_nothing_changes_nothing(w)) return {law::advance_by_nothing_changes_nothing, w};
  if (!all::advances_add_up(w, a, b, m)) return {law::advances_add_up, w, a, b};
  if (!all::advance_goes_back(w, a, m)) return {law::advance_goes_back, w, a};
  if (!all::advance_moves_the_address_only(w, a, m)) return {law::advance_moves_the_address_only, w, a};

  broken found = check_normaliser<F, L>(w, a, m, constant<normaliser::old>{});
  if (found.which == law::none_broken) found = check_normaliser<F, L>(w, a, m, constant<normaliser::clean>{});
  if (found.which == law::none_broken) found = check_normaliser<F, L>(w, a, m, constant<normaliser::write_protected>{});
  if (found.which == law::none_broken) found = check_normaliser<F, L>(w, a, m, constant<normaliser::soft_clean>{});
  if (found.which == law::none_broken) found = check_normaliser<F, L>(w, a, m, constant<normaliser::uffd_clear>{});
  if (found.which != law::none_broken) return found;

  if (!all::mkyoung_sets_accessed_only(w)) return {law::mkyoung_sets_accessed_only, w};
  if (!all::mkdirty_sets_dirty_only(w, m)) return {law::mkdirty_sets_dirty_only, w};
  if (!all::mkwrite_gives_write(w, m)) return {law::mkwrite_gives_write, w};
  if (!all::mkuffd_wp_protects(w, m)) return {law::mkuffd_wp_protects, w};
  if (!all::mksoft_dirty_sets_one_bit(w, m)) return {law::mksoft_dirty_sets_one_bit, w};
  if (!all::mkspecial_sets_special(w, m)) return {law::mkspecial_sets_special, w};

  if (!all::modify_keeps_the_page(w, r, m)) return {law::modify_keeps_the_page, w, 0, 0, i};
  if (!all::modify_gives_the_rights(w, r, m)) return {law::modify_gives_the_rights, w, 0, 0, i};
  if (!all::modify_agrees_with_make_leaf(pfn, r, nth_rights(j), m))
    return {law::modify_agrees_with_make_leaf, 0, pfn, j, i};
  if (!all::modify_depends_on_what_it_keeps(w, other, r, m))
    return {law::modify_depends_on_what_it_keeps, w, other, 0, i};
  return {};
}

}  // namespace detail

// Check every law of F at level L with the n-th sample.
template <class F, level L>
constexpr broken check_laws(unsigned n) {
  using all = laws<F, L>;
  const machine<F> m = sample_machine<F>(n);
  const std::uint64_t w = sample_entry<F, L>(n), other = random_word(n + 0x10000);
  if (!all::states_exclude_each_other(w)) return {law::states_exclude_each_other, w};
  if (!all::hardware_valid_is_leaf_or_table(w)) return {law::hardware_valid_is_leaf_or_table, w};
  if (!all::valid_is_present_and_empty_is_not(w)) return {law::valid_is_present_and_empty_is_not, w};
  if (!all::prot_none_is_present_and_invalid(w)) return {law::prot_none_is_present_and_invalid, w};
  if (!all::addresses_are_aligned(w, m)) return {law::addresses_are_aligned, w};
  if (entry<F, L>(w).raw != w) return {law::raw_word_goes_through, w};
  const std::uint64_t table = align_down(n % 2 == 0 ? other : other >> 16, F::page_shift);
  if (!all::table_reads_back(table, m)) return {law::table_reads_back, 0, table};
  if constexpr (F::leaf_allowed(L)) return detail::check_page<F, L>(w, other, n, m);
  return {};
}

// The first law that samples `first` up to `last` - 1 break.
template <class F, level L>
constexpr broken check_samples(unsigned first, unsigned last) {
  for (unsigned n = first; n != last; ++n) {
    const broken found = check_laws<F, L>(n);
    if (found.which != law::none_broken) return found;
  }
  return {};
}

}  // namespace pte::proof
