// What a kernel said about its page tables: NAME.truth.txt of a snapshot, as data.
//
// tests/data/snapshots/README.md describes the file. Every line is checked: a reader of this data need not fear
// ranges that are empty, backwards or unaligned, pages outside their region, or more pages than can be looked at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pte::examples {

// One level of the tree, as the kernel has it; number 0 is the last.
struct truth_level {
  unsigned number = 0;
  std::string name;
  unsigned shift = 0;
  unsigned bits = 0;
};

// A line of /proc/PID/smaps, with its sums.
struct vma {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // the first byte after it
  bool read = false, write = false, exec = false, shared = false;
  std::uint64_t offset = 0;                                 // in the file, in bytes
  std::vector<std::string> flags;                           // VmFlags, the kernel's codes of two letters
  std::string path;                                         // "-": none
  std::map<std::string, std::uint64_t, std::less<>> smaps;  // bytes; sums of zero are left out

  bool has(std::string_view flag) const {
    for (const std::string& f : flags)
      if (f == flag) return true;
    return false;
  }
  std::uint64_t sum(std::string_view key) const {
    const auto found = smaps.find(key);
    return found == smaps.end() ? 0 : found->second;
  }
};

// A range that PAGEMAP_SCAN reported.
struct scan_range {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t categories = 0;

  enum : std::uint64_t {
    wpallowed = 1,
    written = 2,
    file = 4,
    present = 8,
    swapped = 0x10,
    pfnzero = 0x20,
    huge = 0x40,
    soft_dirty = 0x80
  };
};

// The bits of a word of /proc/PID/pagemap. (56, mapped exclusively, and 61, file page, are about the page, not the
// entry.)
struct pagemap_word {
  std::uint64_t word = 0;

  bool present() const { return word >> 63 & 1; }
  bool swapped() const { return word >> 62 & 1; }
  bool file() const { return word >> 61 & 1; }
  bool uffd_wp() const { return word >> 57 & 1; }
  bool exclusive() const { return word >> 56 & 1; }
  bool soft_dirty() const { return word >> 55 & 1; }
  bool none() const { return !present() && !swapped(); }
  std::uint64_t pfn() const { return word & ((std::uint64_t{1} << 55) - 1); }
  std::uint64_t swap_type() const { return word & 31; }
  std::uint64_t swap_offset() const { return pfn() >> 5; }
};

// Pages of a region one after another that differ in nothing, except that the PFNs of present pages count up.
struct page_run {
  std::uint64_t index = 0;  // of the first page, in the region
  std::uint64_t count = 0;
  std::uint64_t pagemap = 0;
  std::optional<std::uint64_t> flags;      // /proc/kpageflags, of present pages
  std::optional<std::uint64_t> map_count;  // /proc/kpagecount, of present pages
  std::string operations;                  // what the program did to these pages; "-": nothing

  enum : std::uint64_t {
    referenced = 1 << 2,
    dirty = 1 << 4,
    anon = 1 << 12,
    huge = 1 << 17,
    thp = 1 << 22,
    zero_page = 1 << 24
  };

  // The word of page index + i.
  pagemap_word word(std::uint64_t i) const {
    const pagemap_word first{pagemap};
    return first.present() ? pagemap_word{pagemap + i} : first;
  }
  bool has(std::uint64_t page_flag) const { return flags && (*flags & page_flag) != 0; }
};

// QEMU's translation of an address; nothing if it refused.
struct qemu_answer {
  std::uint64_t va = 0;
  std::optional<std::uint64_t> phys;
};

// A mapping that the recorded program made, or one of its own.
struct region {
  std::string name;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  bool stable = true;  // else accessed and dirty may have changed while it was recorded
  std::string description;
  std::vector<scan_range> scans;
  std::vector<page_run> runs;                           // ascending; together they are all pages of the region
  std::uint64_t present = 0, nonpresent = 0, none = 0;  // pages, counted by whoever took the snapshot
  std::vector<qemu_answer> qemu;
};

struct truth {
  std::string file;  // where it was read from, for messages
  std::map<std::string, std::string, std::less<>> meta;
  std::map<std::string, std::uint64_t, std::less<>> registers;
  std::vector<truth_level> levels;  // from the root down
  std::uint64_t root_user = 0, root_kernel = 0;
  std::vector<vma> vmas;  // ascending
  std::vector<region> regions;

  // The value of a meta line; "" if there is none.
  std::string_view about(std::string_view key) const {
    const auto found = meta.find(key);
    return found == meta.end() ? std::string_view{} : std::string_view{found->second};
  }
  // A register, or 0 if the snapshot does not have it.
  std::uint64_t reg(std::string_view name) const {
    const auto found = registers.find(name);
    return found == registers.end() ? 0 : found->second;
  }
  const region* find_region(std::string_view name) const {
    for (const region& r : regions)
      if (r.name == name) return &r;
    return nullptr;
  }
  // The VMA that holds `va`.
  const vma* find_vma(std::uint64_t va) const;

  unsigned page_shift = 0;  // of meta page_size
  unsigned va_bits = 0;     // of meta va_bits
};

inline const vma* truth::find_vma(std::uint64_t va) const {
  std::size_t low = 0, high = vmas.size();
  while (low != high) {
    const std::size_t middle = (low + high) / 2;
    if (vmas[middle].end <= va)
      low = middle + 1;
    else
      high = middle;
  }
  return low != vmas.size() && vmas[low].start <= va ? &vmas[low] : nullptr;
}

// Reads the text of a truth file; throws input_error. `file` is for messages.
truth parse_truth(std::string_view text, const std::string& file);

}  // namespace pte::examples

#include "snapshot_truth_parser.hpp"
