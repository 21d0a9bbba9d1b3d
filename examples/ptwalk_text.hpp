// What ptwalk prints, for people: ranges, the walk of one address, the outcome of a check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "check.hpp"
#include "tree.hpp"

namespace pte::examples {

// 604K, 2M, 1G: exact, in the largest unit that divides it.
inline std::string size_text(std::uint64_t size) {
  constexpr std::string_view units[] = {"", "K", "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  while (unit + 1 != std::size(units) && size != 0 && size % 1024 == 0) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", size, units[unit]);
}

// The address after the last one; the top of the address space does not fit into 64 bits.
inline std::string end_text(std::uint64_t start, std::uint64_t size) {
  return start + size == 0 ? "10000000000000000" : fmt::format("{:016x}", start + size);
}

inline std::string_view state_name(entry_state s) {
  constexpr std::string_view names[] = {"empty", "table", "leaf", "parked"};
  return names[static_cast<unsigned>(s)];
}
inline std::string_view kind_name(parked_kind k) {
  constexpr std::string_view names[] = {"unknown",   "prot_none", "present_invalid", "swap",
                                        "migration", "hwpoison",  "device",          "marker"};
  return names[static_cast<unsigned>(k)];
}

// rwxu: what the system means; u for user programs, k for the kernel alone. Then what is noted of the page.
inline std::string access_text(const row& r) {
  std::string text = "----";
  if (r.present) {
    text[0] = r.means.read ? 'r' : '-';
    text[1] = r.means.write ? 'w' : '-';
    text[2] = r.means.exec ? 'x' : '-';
    text[3] = r.means.user ? 'u' : 'k';
    if (r.kind == parked_kind::prot_none) text = "----";
  }
  return text;
}
inline std::string notes_text(const row& r) {
  std::string text;
  const auto note = [&](bool set, char c) { text += set ? c : '-'; };
  note(r.m.accessed, 'A');
  note(r.m.dirty, 'D');
  note(r.soft_dirty, 'S');
  note(r.uffd_wp, 'U');
  note(r.global, 'G');
  note(r.special, 'P');
  return text;
}
inline constexpr std::string_view notes_legend =
    "rwx means: the system lets it be read, written, executed, by u = user programs or k = the kernel only. A "
    "accessed,\n"
    "D dirty, S soft-dirty, U uffd-wp, G global, P special (no struct page). x16: 16 contiguous entries seen as one.";

// Memory type, or what a parked entry holds.
inline std::string type_text(const row& r) {
  std::string text;
  switch (r.m.state) {
    case entry_state::table:
      return fmt::format("a table at {:#x} that was not read", r.phys);
    case entry_state::empty:
      return "empty";
    case entry_state::leaf:
      text = r.memory_type;
      break;
    case entry_state::parked:
      switch (r.kind) {
        case parked_kind::prot_none:
          text = fmt::format("PROT_NONE, {}", r.memory_type);
          break;
        case parked_kind::present_invalid:
          text = fmt::format("being changed, {}", r.memory_type);
          break;
        case parked_kind::swap:
          text = fmt::format("swap {}, offset {:#x}", r.swap_type, r.swap_offset);
          break;
        case parked_kind::marker:
          text = r.what;
          break;
        case parked_kind::unknown:
          text = fmt::format("unknown, {:016x}", r.m.raw);
          break;
        default:
          text = fmt::format("{}, PFN {:#x}", r.what, r.pfn.value_or(r.swap_offset));
          break;
      }
      break;
  }
  if (r.pkey != 0) text += fmt::format(", key {}", r.pkey);
  if (r.exclusive) text += ", exclusive";
  if (r.reserved_set) text += ", reserved bits set";
  return text;
}

inline std::string level_text(const tree& t, const row& r) {
  std::string text = t.level_names[depth(r.m.at)];
  if (r.m.items > 1)
    text += fmt::format(" x{}", r.m.items);
  else if (r.contiguous)
    text += " cont";
  return text;
}

inline std::string range_header() {
  return fmt::format("{:16} {:16} {:>6}  {:>13}  {:8} {:4} {:6}  {}\n", "start", "end", "size", "physical", "level",
                     "rwx", "notes", "type");
}
inline std::string range_text(const tree& t, const row& r) {
  const std::string phys = r.present ? fmt::format("{:13x}", r.phys) : fmt::format("{:>13}", "-");
  return fmt::format("{:016x} {} {:>6}  {}  {:8} {} {}  {}\n", r.m.va.value, end_text(r.m.va.value, r.m.size),
                     size_text(r.m.size), phys, level_text(t, r), access_text(r), notes_text(r), type_text(r));
}

inline std::string tree_text(const tree& t, std::string_view os) {
  const bool is_linux = os != "bare" && os != "own";
  return fmt::format("{}, {} levels, {}-bit addresses, {}", t.format_name, depth(t.root) + 1, t.va_bits,
                     is_linux ? fmt::format("Linux {} entries", os) : std::string{"no operating system"});
}

inline std::string_view end_of_walk(walk_end end) {
  switch (end) {
    case walk_end::leaf:
      return "leaf";
    case walk_end::parked:
      return "parked";
    case walk_end::empty:
      return "empty";
    case walk_end::not_canonical:
      return "not_canonical";
    case walk_end::outside:
      return "outside";
  }
  return "";
}

inline std::string walk_text(const tree& t, virt_addr va, phys_addr root, const traced_walk& w) {
  std::string text = fmt::format("walk of {:#x}, root table at {:#x}\n", va.value, root.value);
  for (const walk_step& s : w.steps) {
    std::string what;
    if (s.state == entry_state::table)
      what = fmt::format("table at {:#x}", s.next_table);
    else
      what = s.state == entry_state::parked && w.found ? kind_name(w.found->kind) : state_name(s.state);
    text += fmt::format("  {:3} index {:>4}  at {:#14x}  {:016x}  {}\n", s.name, s.index, s.slot.value, s.raw, what);
  }
  switch (w.result.end) {
    case walk_end::leaf:
      text += fmt::format("  physical address {:#x}\n", w.result.phys.value);
      break;
    case walk_end::not_canonical:
      text += "  not canonical: an access faults without a walk\n";
      break;
    case walk_end::outside:
      text += "  the next table is not in the memory\n";
      break;
    default:
      text += "  no translation: an access faults\n";
      break;
  }
  if (w.found && w.found->m.state != entry_state::table) text += "\n" + range_header() + range_text(t, *w.found);
  return text;
}

inline std::string check_text(const check_report& r) {
  std::string text = fmt::format("{:42} {:>9}  {}\n", "", "compared", "mismatches");
  for (std::size_t k = 0; k != r.of.size(); ++k) {
    const comparison& c = r.of[k];
    if (c.compared == 0) continue;
    text += fmt::format("{:42} {:9}  {}\n", check_report::names[k], c.compared, c.mismatches);
    for (const std::string& m : c.first) text += fmt::format("    {}\n", m);
  }
  for (const auto& [what, n] : r.group_sizes)
    text += fmt::format("{:42} {:9}\n", fmt::format("contiguous groups of {}", what), n);
  if (!r.apart.empty()) text += "\ncounted apart\n";
  for (const auto& [reason, n] : r.apart) text += fmt::format("{:>10}  {}\n", n, reason);
  return text + fmt::format("\n{} pages with an entry, {} mismatches\n", r.pages, r.mismatches());
}

}  // namespace pte::examples
