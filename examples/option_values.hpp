// The values of the programs' options: numbers, page sizes, formats. What is wrong is an input_error that names the
// option, the value and the rule.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <pte/catalog.hpp>

#include "input_error.hpp"

namespace pte::examples {

// The number that the whole text is.
inline std::optional<std::uint64_t> parse(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

inline std::uint64_t hexadecimal(std::string_view what, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const std::optional<std::uint64_t> value = parse(digits, 16);
  if (!value || digits.size() > 16)
    throw input_error(what, shown(text), "it must be 1 to 16 hexadecimal digits, with or without 0x");
  return *value;
}

inline std::uint64_t decimal(std::string_view what, std::string_view text, std::uint64_t least, std::uint64_t most) {
  const std::optional<std::uint64_t> value = parse(text, 10);
  if (!value || *value < least || *value > most)
    throw input_error(what, shown(text), fmt::format("it must be a number from {} to {}", least, most));
  return *value;
}

// log2 of a page size: "4K", "64k", "4096".
inline unsigned page_shift(std::string_view text) {
  std::string_view digits = text;
  const bool kilo = digits.ends_with('K') || digits.ends_with('k');
  if (kilo) digits.remove_suffix(1);
  const std::optional<std::uint64_t> number = parse(digits, 10);
  for (const unsigned shift : {12u, 14u, 16u})
    if (number && *number == std::uint64_t{1} << (kilo ? shift - 10 : shift)) return shift;
  throw input_error("--page-size", shown(text), "it must be 4K, 16K or 64K");
}

inline bool is_known_arch(std::string_view arch) {
  bool known = false;
  for_each_format([&](auto type) { known = known || arch == decltype(type)::type::arch; });
  return known;
}
inline bool is_known_kernel(std::string_view kernel) {
  bool known = false;
  hana::for_each(systems, [&](auto type) { known = known || kernel == decltype(type)::type::name; });
  return known;
}

inline unsigned default_page_shift(std::string_view arch) { return arch == "ppc64" ? 16 : arch == "example" ? 14 : 12; }

inline void check_arch(std::string_view arch) {
  if (!is_known_arch(arch))
    throw input_error("--arch", shown(arch), "it must be x86_64, arm64, ppc64, riscv64 or example");
}

// Says why the catalogue has no format with this key. `kernel_option` is what the program calls the system's option.
[[noreturn]] inline void refuse_format(const format_key& key, const char* kernel_option) {
  check_arch(key.arch);
  if (key.arch == "example" ? key.os != "own" : !is_known_kernel(key.os))
    throw input_error(kernel_option, shown(key.os),
                      key.arch == "example" ? "the example format has no Linux half"
                                            : "the software halves are 6.1, 6.12, 7.3 and bare; take the nearest");
  if (key.pa52 && key.arch != "arm64")
    throw input_error(key.page_shift == 16 ? "--lpa" : "--lpa2", "",
                      fmt::format("means nothing with --arch {}", key.arch));
  std::string sizes;
  for_each_format([&](auto type) {
    using F = typename decltype(type)::type;
    const std::string size = " " + std::to_string((1u << F::page_shift) / 1024) + "K";
    if (key.arch == F::arch && sizes.find(size) == std::string::npos) sizes += (sizes.empty() ? "" : ",") + size;
  });
  throw input_error("--page-size", fmt::format("{}K", (1u << key.page_shift) / 1024),
                    fmt::format("{} has base pages of{}", key.arch, sizes));
}

// Format F has no trees of addresses that wide.
template <class F>
[[noreturn]] void refuse_va_bits(unsigned va_bits) {
  std::string widths;
  for (const tree_shape& tree : shapes<F>) widths += (widths.empty() ? "" : ", ") + std::to_string(tree.va_bits);
  throw input_error("--va-bits", std::to_string(va_bits), fmt::format("{} has addresses of {} bits", F::name, widths));
}

}  // namespace pte::examples
