// What ptwalk prints, for programs. Words and addresses are "0x…" strings, counts and sizes numbers.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "ptwalk_text.hpp"
#include "tree.hpp"

namespace pte::examples {

using json = nlohmann::ordered_json;

inline std::string hex_text(std::uint64_t value) { return fmt::format("{:#x}", value); }

inline json row_json(const tree& t, const row& r) {
  json j;
  j["start"] = hex_text(r.m.va.value);
  j["end"] = r.m.va.value + r.m.size == 0 ? "0x10000000000000000" : hex_text(r.m.va.value + r.m.size);
  j["size"] = r.m.size;
  j["level"] = t.level_names[depth(r.m.at)];
  j["state"] = state_name(r.m.state);
  j["parked_kind"] = r.m.state == entry_state::parked ? json(kind_name(r.kind)) : json();
  j["word"] = fmt::format("{:#018x}", r.m.raw);
  j["hardware_valid"] = r.hardware_valid;
  j["present"] = r.present;
  j["phys"] = r.present || r.m.state == entry_state::table ? json(hex_text(r.phys)) : json();
  j["items"] = r.m.items;
  j["contiguous"] = r.contiguous;
  if (r.present) {
    j["read"] = r.means.read;
    j["write"] = r.means.write;
    j["exec"] = r.means.exec;
    j["user"] = r.means.user;
    j["accessed"] = r.m.accessed;
    j["dirty"] = r.m.dirty;
    j["global"] = r.global;
    j["special"] = r.special;
    j["pkey"] = r.pkey;
    j["memory_type"] = r.memory_type;
  }
  j["soft_dirty"] = r.soft_dirty;
  j["uffd_wp"] = r.uffd_wp;
  j["reserved_set"] = r.reserved_set;
  j["swap"] = r.swap_form ? json{{"type", r.swap_type}, {"offset", r.swap_offset}} : json();
  return j;
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
          {"found", w.found ? row_json(t, *w.found) : json()}};
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
