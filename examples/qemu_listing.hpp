// QEMU's own listing of the leaves of a guest: "info tlb" on x86-64 (user half), "info mem" on riscv64 (all of it).
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input_error.hpp"

namespace pte::examples {

// One leaf, or adjacent leaves that QEMU joined.
struct listed_leaves {
  std::uint64_t va = 0;
  std::uint64_t phys = 0;
  std::uint64_t size = 0;  // 0: not said, one leaf
  bool read = false, write = false, exec = false, user = false, global = false, accessed = false, dirty = false,
       large = false;

  std::uint64_t last() const { return size == 0 ? va : va + (size - 1); }
};

namespace detail {

inline std::uint64_t hex_word(std::string_view w, const auto& fail) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value, 16);
  if (w.empty() || error != std::errc{} || end != w.data() + w.size())
    fail(fmt::format("{} is no hexadecimal number of 64 bits", shown(w)));
  return value;
}

}  // namespace detail

// VA: PHYS FLAGS       flags as in X-PDA--UW: not executable, global, large, dirty, accessed, PCD, PWT, user, writable
// VA PHYS SIZE FLAGS   flags as in rwxugad, after a heading of two lines
// Throws input_error; `file` is for messages. The leaves ascend.
inline std::vector<listed_leaves> parse_listing(std::string_view text, const std::string& file) {
  std::vector<listed_leaves> all;
  std::size_t number = 0;
  const auto fail = [&](std::string_view rule) { throw input_error(file, fmt::format("line {}", number), rule); };
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    const auto word = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \r"), line.size()));
      const std::string_view w = line.substr(0, line.find_first_of(" \r"));
      line.remove_prefix(w.size());
      return w;
    };
    std::string_view first = word();
    if (first == "vaddr" || first.starts_with("---") || first.empty()) continue;
    listed_leaves l;
    const bool x86 = first.ends_with(':');
    if (x86) first.remove_suffix(1);
    l.va = detail::hex_word(first, fail);
    l.phys = detail::hex_word(word(), fail);
    if (!x86) {
      l.size = detail::hex_word(word(), fail);
      l.phys &= (std::uint64_t{1} << 56) - 1;  // QEMU 7.2 leaves the memory type of Svpbmt above the address
    }
    const std::string_view flags = word();
    const auto is = [&](std::size_t i, char c) {
      if (flags[i] != c && flags[i] != '-')
        fail(fmt::format("flags {}: no '{}' can stand there", shown(flags), flags[i]));
      return flags[i] == c;
    };
    if (flags.size() != (x86 ? 9u : 7u) || !word().empty()) fail("not of the form ADDRESS PHYSICAL [SIZE] FLAGS");
    if (x86) {
      l.read = true;
      l.exec = !is(0, 'X');
      l.global = is(1, 'G');
      l.large = is(2, 'P');
      l.dirty = is(3, 'D');
      l.accessed = is(4, 'A');
      l.user = is(7, 'U');
      l.write = is(8, 'W');
    } else {
      l.read = is(0, 'r');
      l.write = is(1, 'w');
      l.exec = is(2, 'x');
      l.user = is(3, 'u');
      l.global = is(4, 'g');
      l.accessed = is(5, 'a');
      l.dirty = is(6, 'd');
      if (l.size == 0 || l.last() < l.va) fail("the range is empty, or wraps around");
    }
    if (!all.empty() && l.va <= all.back().last()) fail("addresses must ascend");
    all.push_back(l);
  }
  return all;
}

}  // namespace pte::examples
