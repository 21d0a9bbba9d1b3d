// What is wrong with an input: always a file, a place in it and the rule that it breaks.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pte::examples {

// Thrown for bad input only. The programs print what() and end with status 2.
class input_error : public std::runtime_error {
 public:
  input_error(std::string_view file, std::string_view where, std::string_view rule)
      : std::runtime_error(where.empty() ? fmt::format("{}: {}", file, rule)
                                         : fmt::format("{}: {}: {}", file, where, rule)) {}
};

// A piece of untrusted text as it may be shown to people: cut short, and without control characters.
inline std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out = "'";
  for (const char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > most ? "...'" : "'");
}

}  // namespace pte::examples
