// A snapshot's tables against everything that its kernel said about them: ptwalk --check.
//
// Nothing here knows a format: it compares decoded rows with what the kernel printed. What cannot be compared is
// counted apart, with the reason; nothing that can be is left out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "snapshot.hpp"
#include "tree.hpp"

namespace pte::examples {

// One kind of comparison.
struct comparison {
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  std::vector<std::string> first;  // a few mismatches, in words
};

struct check_report {
  enum kind : unsigned {
    levels,
    pfn,
    swap,
    none,
    soft_dirty,
    uffd_wp,
    access,
    protection_key,
    memory_type,
    pfnmap,
    scan,
    counts,
    young,
    dirty,
    resident,
    hugetlb,
    swapped,
    huge,
    qemu,
    listing,
    linear_map,
    groups,
    kinds
  };
  static constexpr std::array<const char*, kinds> names{
      "levels: name, shift, index bits",
      "pages: present, PFN",
      "pages: swap type and offset",
      "pages: none",
      "pages: soft-dirty",
      "pages: uffd-wp",
      "pages: permissions and the VMA's",
      "pages: protection key and the VMA's",
      "pages: memory type of RAM",
      "pages: address of device memory",
      "pages: PAGEMAP_SCAN categories",
      "regions: present, nonpresent, none",
      "VMAs: young, smaps Referenced",
      "VMAs: dirty, smaps *_Dirty",
      "VMAs: mapped, smaps Rss",
      "VMAs: hugetlb, smaps *_Hugetlb",
      "VMAs: swapped out, smaps Swap",
      "VMAs: huge leaves, smaps AnonHugePages",
      "QEMU's translations",
      "QEMU's listing of all leaves",
      "kernel pages: its linear map of RAM",
      "contiguous entries: in whole groups",
  };
  std::array<comparison, kinds> of{};
  std::map<std::string, std::uint64_t> apart;        // what was not compared, by reason
  std::uint64_t pages = 0;                           // pages with an entry, none left out
  std::map<std::string, std::uint64_t> group_sizes;  // well-formed contiguous groups

  std::uint64_t mismatches() const {
    std::uint64_t sum = 0;
    for (const comparison& c : of) sum += c.mismatches;
    return sum;
  }
};

check_report check_snapshot(const snapshot& s, const tree& t);

}  // namespace pte::examples

#include "check_impl.hpp"
