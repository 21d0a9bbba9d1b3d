// What ptwalk prints, for programs. Words and addresses are "0x…" strings, counts and sizes numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "ptwalk_text.hpp"
#include "tree.hpp"

namespace pte::examples {

using json = nlohmann::ordered_json;

inline std::string hex_text(std::uint64_t value) { return fmt::format("{:#x}", value); }

// Text that a user or a file gave need not be UTF-8.
inline std::string dumped(const json& j, int indent = -1) {
  return j.dump(indent, ' ', false, json::error_handler_t::replace);
}

// The text of an object, key after key. (Rows come by the million; a json value of each doubles the time.)
class object_text {
 public:
  void add(std::string_view key, bool value) { put(key, value ? "true" : "false"); }
  void add(std::string_view key, std::uint64_t value) { put(key, fmt::format_int(value).c_str()); }
  void add(std::string_view key, std::nullptr_t) { put(key, "null"); }
  // The value must need no escapes; so do the names that this program gives.
  void add(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), R"({}"{}":"{}")", separator(), key, value);
  }
  void add(std::string_view key, const char* value) { add(key, std::string_view{value}); }
  void add(std::string_view key, const object_text& value) { put(key, value.text()); }
  template <class T>
  void add(std::string_view key, const T& value, bool known) {
    known ? add(key, value) : add(key, nullptr);
  }
  std::string text() const { return text_ + "}"; }

 private:
  char separator() const { return text_.empty() ? '{' : ','; }
  void put(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), R"({}"{}":{})", separator(), key, value);
  }

  std::string text_;
};

// Null for what the format does not have.
inline std::string row_text(const tree& t, const row& r) {
  object_text j;
  j.add("start", hex_text(r.m.va.value));
  j.add("end", r.m.va.value + r.m.size == 0 ? "0x10000000000000000" : hex_text(r.m.va.value + r.m.size));
  j.add("size", r.m.size);
  j.add("level", t.level_names[depth(r.m.at)]);
  j.add("state", state_name(r.m.state));
  j.add("parked_kind", kind_name(r.kind), r.m.state == entry_state::parked);
  j.add("word", fmt::format("{:#018x}", r.m.raw));
  j.add("hardware_valid", r.hardware_valid);
  j.add("present", r.present);
  j.add("phys", hex_text(r.phys), r.present || r.m.state == entry_state::table);
  j.add("pfn", r.present ? r.phys >> t.page_shift : r.pfn.value_or(0), r.present || r.pfn);
  j.add("items", std::uint64_t{r.m.items});
  j.add("contiguous", r.contiguous, t.has_contiguous);
  if (r.present) {
    j.add("read", r.means.read);
    j.add("write", r.means.write);
    j.add("exec", r.means.exec);
    j.add("user", r.means.user);
  }
  if (r.present || r.kind == parked_kind::migration) {
    j.add("accessed", r.m.accessed);
    j.add("dirty", r.m.dirty);
  }
  if (r.present) {
    j.add("global", r.global, t.has_global);
    j.add("special", r.special, t.has_special);
    j.add("pkey", r.pkey, t.has_pkey);
    j.add("memory_type", r.memory_type);
  }
  j.add("soft_dirty", r.soft_dirty, t.has_soft_dirty);
  j.add("uffd_wp", r.uffd_wp, t.has_uffd_wp || r.uffd_wp);  // markers know it everywhere
  j.add("reserved_set", r.reserved_set);
  if (r.swap_form) {
    object_text swap;
    swap.add("type", r.swap_type);
    swap.add("offset", r.swap_offset);
    swap.add("what", r.what, !r.what.empty());
    j.add("swap", swap);
  } else {
    j.add("swap", nullptr);
  }
  return j.text();
}

inline json tree_json(const tree& t, const std::string& os) {
  json levels = json::array();
  for (unsigned d = depth(t.root) + 1; d-- != 0;)
    levels.push_back({{"name", t.level_names[d]}, {"shift", t.shifts[d]}});
  return {{"format", t.format_name},
          {"os", os},
          {"page_size", std::uint64_t{1} << t.page_shift},
          {"va_bits", t.va_bits},
          {"levels", levels}};
}

inline json walk_json(const tree& t, virt_addr va, phys_addr root, const traced_walk& w) {
  json steps = json::array();
  for (const walk_step& s : w.steps)
    steps.push_back({{"level", s.name},
                     {"index", s.index},
                     {"slot", hex_text(s.slot.value)},
                     {"word", fmt::format("{:#018x}", s.raw)},
                     {"state", state_name(s.state)},
                     {"table", s.state == entry_state::table ? json(hex_text(s.next_table)) : json()}});
  return {{"va", hex_text(va.value)},
          {"root", hex_text(root.value)},
          {"end", end_of_walk(w.result.end)},
          {"phys", w.result ? json(hex_text(w.result.phys.value)) : json()},
          {"steps", steps},
          {"found", w.found ? json::parse(row_text(t, *w.found)) : json()}};
}

inline json check_json(const check_report& r) {
  json compared = json::object();
  for (std::size_t k = 0; k != r.of.size(); ++k)
    compared[check_report::names[k]] = {
        {"compared", r.of[k].compared}, {"mismatches", r.of[k].mismatches}, {"first", r.of[k].first}};
  return {{"pages", r.pages},
          {"mismatches", r.mismatches()},
          {"compared", compared},
          {"groups", r.group_sizes},
          {"apart", r.apart}};
}

}  // namespace pte::examples
