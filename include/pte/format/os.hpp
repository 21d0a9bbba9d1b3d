// The software half of a format: which operating system uses the bits that the MMU ignores.
#pragma once

#include <cstdint>

#include <pte/word/word.hpp>

namespace pte {

// The Linux releases whose entries differ: they place PROT_NONE, uffd-wp, devmap, saved-dirty and swap fields differently.
enum class linux_version : unsigned char { v6_1, v6_12, v7_3 };

template <linux_version Version>
struct linux_os {
  static constexpr linux_version version = Version;
  static constexpr const char* name = Version == linux_version::v6_1    ? "6.1"
                                      : Version == linux_version::v6_12 ? "6.12"
                                                                        : "7.3";
};
using linux_6_1 = linux_os<linux_version::v6_1>;
using linux_6_12 = linux_os<linux_version::v6_12>;
using linux_7_3 = linux_os<linux_version::v7_3>;

// No operating system: no bit beyond the manual's, except that write-protecting may need one to carry dirty along
// (arm64 takes bit 55, which the architecture reserves for software). An invalid entry that is not zero is parked, and
// what it holds is the user's own.
struct bare {
  static constexpr const char* name = "bare";
};

// What an invalid entry that is not empty holds.
enum class parked_kind : unsigned char {
  unknown,          // not one of the system's forms
  prot_none,        // a page that nobody may access (mprotect(PROT_NONE), NUMA hinting)
  present_invalid,  // a leaf that is being changed: present to the system, invalid to the MMU
  swap,             // a page in a swap file: swap type = which file, offset = where
  migration,        // a page on the move; offset = its pfn
  hwpoison,         // a page with a memory error; offset = its pfn
  device,           // a page in a device's private memory; offset = its pfn
  marker,           // no page, a note: offset bit 0 uffd-wp, bit 1 poisoned, bit 2 guard
};

// Which of the 32 swap types are not swap files. The kernel's configuration decides it (include/linux/swap.h): from the
// top down markers, device pages, migration, hwpoison take as many as are configured.
struct swap_types {
  unsigned hwpoison = 1;        // CONFIG_MEMORY_FAILURE: 0 or 1
  unsigned migration = 3;       // CONFIG_MIGRATION: 0 or 3 (read, read-exclusive, write)
  unsigned device = 0;          // CONFIG_DEVICE_PRIVATE: 0, or 4 up to 6.14, 3 since 6.15
  unsigned marker = 1;          // pte markers: 0 or 1
  unsigned swapin_error = 0;    // 6.1 only: 1, above the marker

  constexpr parked_kind kind(std::uint64_t type) const {
    std::uint64_t first = 32 - swapin_error;
    if (type >= first) return parked_kind::hwpoison;
    if (type >= (first -= marker)) return parked_kind::marker;
    if (type >= (first -= device)) return parked_kind::device;
    if (type >= (first -= migration)) return parked_kind::migration;
    if (type >= (first -= hwpoison)) return parked_kind::hwpoison;
    return parked_kind::swap;
  }
};

// The same numbers for a Debian kernel of that release: device pages off, all else on. But riscv64 has no
// `memory_failure`, and 6.1 has markers only where it has `uffd_wp`.
template <class Os>
constexpr swap_types debian_swap_types(bool memory_failure = true, bool uffd_wp = true) {
  swap_types types;
  types.hwpoison = memory_failure ? 1 : 0;
  if constexpr (requires { Os::version; }) {
    types.swapin_error = Os::version == linux_version::v6_1 ? 1 : 0;
    types.marker = Os::version == linux_version::v6_1 && !uffd_wp ? 0 : 1;
  }
  return types;
}

// A format is a hardware half, `Layout` (the architecture with its granule and address mode), and a software half, `Os`.
// software<Layout, Os> is the layout with the system's bits added; each architecture's header specialises it.
template <class Layout, class Os>
struct software;

template <class Layout, class Os>
struct format : software<Layout, Os> {
  using layout = Layout;
  using os = Os;
};

namespace detail {

template <class F>
struct layout_of {
  using type = F;
};
template <class Layout, class Os>
struct layout_of<format<Layout, Os>> {
  using type = Layout;
};

}  // namespace detail

// The hardware half of a format; a format that is not split into halves is its own.
template <class F>
using layout_of = typename detail::layout_of<F>::type;

// The name of a format's system; one that is not split into halves has its own.
template <class F>
constexpr const char* system_name() {
  if constexpr (requires { F::os::name; })
    return F::os::name;
  else
    return "own";
}

}  // namespace pte
