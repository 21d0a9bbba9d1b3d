// The changes of an entry that flush_matrix asks about, each as a pair of entries built for a format, a level and a
// machine by the library's own constructors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pte/pte.hpp>
#include <string_view>
#include <utility>

namespace pte::examples {

// What changes.
enum class change : unsigned char {
  same,
  none_rw,
  rw_none,
  r_rw_clean,
  r_rw_dirty,
  rw_r_clean,
  rw_r_dirty,
  r_rx,
  rx_r,
  rw_rx,
  empty_rw,
  swap_rw,
  rw_empty,
  frame,
  accessed_on,
  accessed_off,
  dirty_on,
  dirty_off,
  soft_dirty_on,
  soft_dirty_off,
  uffd_wp_r,
  uffd_wp_rw,
  uffd_wp_off,
  memory_type,
  global_on,
  global_off,
  contiguous_on,
  contiguous_off,
  key,
  shadow_on,
  shadow_off,
  shadow_rw,
  encryption,
};

struct transition {
  change what;
  std::string_view group;
  std::string_view id;     // on command lines and in JSON
  std::string_view title;  // at most 19 columns
};

inline constexpr auto transitions = std::to_array<transition>({
    {change::same, "protection", "same", "same again"},
    {change::none_rw, "protection", "none-rw", "NONE -> RW"},
    {change::rw_none, "protection", "rw-none", "RW -> NONE"},
    {change::r_rw_clean, "protection", "r-rw-clean", "R -> RW, clean"},
    {change::r_rw_dirty, "protection", "r-rw-dirty", "R -> RW, dirty"},
    {change::rw_r_clean, "protection", "rw-r-clean", "RW -> R, clean"},
    {change::rw_r_dirty, "protection", "rw-r-dirty", "RW -> R, dirty"},
    {change::r_rx, "protection", "r-rx", "R -> RX"},
    {change::rx_r, "protection", "rx-r", "RX -> R"},
    {change::rw_rx, "protection", "rw-rx", "RW -> RX"},
    {change::empty_rw, "mapping", "empty-rw", "empty -> RW"},
    {change::swap_rw, "mapping", "swap-rw", "swapped -> RW"},
    {change::rw_empty, "mapping", "rw-empty", "RW -> empty"},
    {change::frame, "mapping", "frame", "another page frame"},
    {change::accessed_on, "noted by hardware", "accessed-on", "accessed set"},
    {change::accessed_off, "noted by hardware", "accessed-off", "accessed cleared"},
    {change::dirty_on, "noted by hardware", "dirty-on", "dirty set on RW"},
    {change::dirty_off, "noted by hardware", "dirty-off", "dirty cleared on RW"},
    {change::soft_dirty_on, "software's bits", "soft-dirty-on", "soft-dirty set"},
    {change::soft_dirty_off, "software's bits", "soft-dirty-off", "soft-dirty cleared"},
    {change::uffd_wp_r, "software's bits", "uffd-wp-r", "uffd-wp set on R"},
    {change::uffd_wp_rw, "software's bits", "uffd-wp-rw", "uffd-wp set on RW"},
    {change::uffd_wp_off, "software's bits", "uffd-wp-off", "uffd-wp lifted on R"},
    {change::memory_type, "attributes", "memory-type", "becomes uncached"},
    {change::global_on, "attributes", "global-on", "global set"},
    {change::global_off, "attributes", "global-off", "global cleared"},
    {change::contiguous_on, "attributes", "contiguous-on", "contiguous set"},
    {change::contiguous_off, "attributes", "contiguous-off", "contiguous cleared"},
    {change::key, "attributes", "key", "protection key"},
    {change::encryption, "attributes", "encryption", "encryption flips"},
    {change::shadow_on, "shadow stacks", "shadow-on", "R -> shadow stack"},
    {change::shadow_off, "shadow stacks", "shadow-off", "shadow stack -> R"},
    {change::shadow_rw, "shadow stacks", "shadow-rw", "shadow stack -> RW"},
});

template <class F, level L>
using entry_pair = std::pair<entry<F, L>, entry<F, L>>;

namespace detail {

// `w` with the memory type of memory that no cache holds.
template <class F>
constexpr std::uint64_t uncached(std::uint64_t w) {
  if constexpr (requires { F::pcd; }) return F::pcd.set(w);
  if constexpr (requires { F::attr_index; }) return F::attr_index.clear(w) | F::attr_index.put(std::uint64_t{2});
  if constexpr (requires { F::att; }) return F::att.clear(w) | F::att.put(std::uint64_t{2});
  if constexpr (requires { F::pbmt; }) return F::pbmt.clear(w) | F::pbmt.put(std::uint64_t{1});
  return w;
}

// The entry as one that all address spaces share.
template <class F>
constexpr std::uint64_t made_global(std::uint64_t w) {
  if constexpr (requires { F::ng; })
    return F::ng.clear(w);
  else if constexpr (requires { F::global_bit; })
    return F::global_bit.set(w);
  else
    return F::g.set(w);
}

// The entry as one of a contiguous group, whose first it is.
template <class F, level L>
constexpr std::uint64_t made_contiguous(std::uint64_t w) {
  if constexpr (requires { F::cont; })
    return F::cont.set(w);
  else
    return F::n.set(w) | F::template at<L>::group_code;
}

template <class F>
constexpr std::uint64_t with_key(std::uint64_t w, std::uint64_t number) {
  if constexpr (requires { F::po_index; })
    return F::po_index.clear(w) | F::po_index.put(number);
  else
    return F::key.clear(w) | F::key.put(number);
}

template <class F, level L>
constexpr entry_pair<F, L> swapped(entry_pair<F, L> pair) {
  return {pair.second, pair.first};
}

}  // namespace detail

// The entries before and after `what`; nothing where the format has no such change on this machine.
template <class F, level L>
std::optional<entry_pair<F, L>> make_pair_of(change what, const machine<F>& m) {
  using E = entry<F, L>;
  using ops = typename F::template at<L>;
  using pair = entry_pair<F, L>;
  const std::uint64_t none = E::protection({}), r = E::protection({.read = true}),
                      rw = E::protection({.read = true, .write = true}),
                      rx = E::protection({.read = true, .exec = true});
  // A frame that is aligned for every size of page and of group.
  constexpr std::uint64_t pfn = 5 * (bit(30) >> F::page_shift);
  const auto user = [&](std::uint64_t protection) { return E::make_leaf(pfn, protection, m); };
  const auto as = [](auto present) { return E{present.raw}; };
  // What mprotect leaves: the page as `e` has it, under another protection.
  const auto protect = [&](E e, std::uint64_t protection) { return pair{e, e.as_present().modify(protection, m)}; };
  const E clean = user(rw), dirty = as(user(rw).as_leaf().mkdirty()), read = user(r);
  const E undirtied = as(dirty.as_leaf().mkclean());  // soft-dirty as in `dirty`, so that only dirty differs
  const E young = as(read.as_leaf().mkyoung()), old = as(read.as_leaf().mkold());

  switch (what) {
    case change::same:
      return protect(dirty, rw);
    case change::none_rw:
      return protect(protect(dirty, none).second, rw);
    case change::rw_none:
      return protect(dirty, none);
    case change::r_rw_clean:
      return protect(protect(clean, r).second, rw);
    case change::r_rw_dirty:
      return protect(protect(dirty, r).second, rw);
    case change::rw_r_clean:
      return protect(clean, r);
    case change::rw_r_dirty:
      return protect(dirty, r);
    case change::r_rx:
      return protect(read, rx);
    case change::rx_r:
      return protect(user(rx), r);
    case change::rw_rx:
      return protect(dirty, rx);
    case change::empty_rw:
      return pair{E{}, clean};
    case change::rw_empty:
      return pair{dirty, E{}};
    case change::swap_rw:
      if constexpr (has_swap<F>) return pair{E::make_swap(1, 0x55), clean};
      break;
    case change::frame:
      return pair{dirty, as(dirty.as_leaf().advance(bit(F::shift(L) - F::page_shift)))};
    case change::accessed_on:
      return pair{old, young};
    case change::accessed_off:
      return pair{young, old};
    case change::dirty_on:
      return pair{undirtied, dirty};
    case change::dirty_off:
      return pair{dirty, undirtied};
    case change::soft_dirty_on:
    case change::soft_dirty_off:
      if constexpr (has_soft_dirty<F>) {
        const pair set{as(read.as_leaf().clear_soft_dirty()), as(read.as_leaf().mksoft_dirty(m))};
        return what == change::soft_dirty_on ? set : detail::swapped(set);
      }
      break;
    case change::uffd_wp_r:
      if constexpr (has_uffd_wp<F>) return pair{read, as(read.as_leaf().mkuffd_wp(m))};
      break;
    case change::uffd_wp_rw:
      if constexpr (has_uffd_wp<F>) return pair{dirty, as(dirty.as_leaf().mkuffd_wp(m))};
      break;
    case change::uffd_wp_off:
      if constexpr (has_uffd_wp<F>) {
        const auto protected_page = read.as_leaf().mkuffd_wp(m);
        return pair{as(protected_page), as(protected_page.clear_uffd_wp())};
      }
      break;
    case change::memory_type:
      return pair{read, E{detail::uncached<F>(read.raw)}};
    case change::global_on:
    case change::global_off:
      if constexpr (has_global<F>) {
        const pair set{read, E{detail::made_global<F>(read.raw)}};
        return what == change::global_on ? set : detail::swapped(set);
      }
      break;
    case change::contiguous_on:
    case change::contiguous_off:
      if constexpr (has_contiguous<F>) {
        if constexpr (ops::group_entries > 1) {
          const pair set{read, E{detail::made_contiguous<F, L>(read.raw)}};
          return what == change::contiguous_on ? set : detail::swapped(set);
        }
      }
      break;
    case change::key:
      if constexpr (has_pkey<F>) return pair{read, E{detail::with_key<F>(read.raw, 5)}};
      break;
    case change::shadow_on:
    case change::shadow_off:
    case change::shadow_rw:
      if constexpr (requires {
                      requires F::has_saved_dirty;
                      ops::mkwrite_shadow_stack(read.raw);
                    }) {
        if (!m.shadow_stack) break;
        const E shadow{ops::mkwrite_shadow_stack(read.raw)};
        if (what == change::shadow_on) return pair{read, shadow};
        return pair{shadow, as(what == change::shadow_off ? shadow.as_leaf().wrprotect() : shadow.as_leaf().mkwrite())};
      }
      break;
    case change::encryption:
      if constexpr (requires { F::encryption_mask(m); })
        if (F::encryption_mask(m) != 0) return pair{read, E{read.raw ^ F::encryption_mask(m)}};
      break;
  }
  return std::nullopt;
}

}  // namespace pte::examples
