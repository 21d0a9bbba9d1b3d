// Format, geometry and machine of a snapshot: from what it says of its kernel and CPU.
#pragma once

#include <charconv>
#include <optional>
#include <string>

#include "input_error.hpp"
#include "snapshot.hpp"
#include "tree.hpp"

namespace pte::examples {

// The software half for a Linux release such as "6.12.95+deb12-amd64": the newest that is not newer, except that the
// entries of 6.10 are already 6.12's, and those of 7.2 already 7.3's.
inline std::string software_half(std::string_view release) {
  unsigned major = 0, minor = 0;
  const char* const end = release.data() + release.size();
  const auto [dot, error] = std::from_chars(release.data(), end, major);
  if (error != std::errc{} || dot == end || *dot != '.' || std::from_chars(dot + 1, end, minor).ec != std::errc{})
    return "";
  const auto at_least = [&](unsigned a, unsigned b) { return major > a || (major == a && minor >= b); };
  return at_least(7, 2) ? "7.3" : at_least(6, 10) ? "6.12" : "6.1";
}

inline tree_spec spec_of(const truth& t) {
  const auto fail = [&](std::string_view rule) { throw input_error(t.file, "", rule); };
  tree_spec spec{.arch = std::string{t.about("arch")}, .page_shift = t.page_shift, .va_bits = t.va_bits};
  spec.os = software_half(t.about("kernel_release"));
  if (spec.os.empty())
    fail(fmt::format("kernel_release {} does not begin with a version", shown(t.about("kernel_release"))));
  if (spec.arch == "arm64") {
    spec.pa52 = t.reg("TCR_EL1") >> 59 & 1;  // DS
    if (const std::string_view lpa2 = t.about("lpa2"); !lpa2.empty() && (lpa2 == "1") != spec.pa52)
      fail(fmt::format("meta lpa2 {} contradicts TCR_EL1.DS", shown(lpa2)));
  }
  return spec;
}

inline machine_facts facts_of(const truth& t) {
  machine_facts facts;
  const auto bit_of = [&](std::string_view name, unsigned n) -> std::optional<bool> {
    const auto found = t.registers.find(name);
    if (found == t.registers.end()) return {};
    return (found->second >> n & 1) != 0;
  };
  if (t.about("arch") == "x86_64") {
    facts.wp = bit_of("CR0", 16);
    facts.smep = bit_of("CR4", 20);
    facts.smap = bit_of("CR4", 21);
    facts.shadow_stack = bit_of("CR4", 23);  // CET
    facts.nx = bit_of("EFER", 11);
  } else if (t.about("arch") == "arm64") {
    constexpr unsigned sizes[] = {32, 36, 40, 42, 44, 48, 52};
    if (const unsigned ips = t.reg("TCR_EL1") >> 32 & 7; t.registers.contains("TCR_EL1") && ips < std::size(sizes))
      facts.phys_bits = sizes[ips];
    if (t.registers.contains("MAIR_EL1")) facts.mair = t.reg("MAIR_EL1");
    facts.hw_access = bit_of("TCR_EL1", 39);
    facts.hw_dirty = bit_of("TCR_EL1", 40);
    facts.wxn = bit_of("SCTLR", 19);
    if (t.registers.contains("ID_AA64MMFR1_EL1")) facts.pan = (t.reg("ID_AA64MMFR1_EL1") >> 20 & 15) != 0;
  }
  return facts;
}

// Throws input_error if one of the snapshot's root tables is in neither of its files.
inline void check_roots(const snapshot& s, const tree& t) {
  for (const std::uint64_t root : {s.truth.root_user, s.truth.root_kernel})
    if (!t.holds_root({root}))
      throw input_error(s.truth.file, fmt::format("root {:#x}", root), "the root table is in neither file of tables");
}

}  // namespace pte::examples
