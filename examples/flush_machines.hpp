// The machines that flush_matrix asks about: the library's usual one of each architecture, with the traits that the
// command line names.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <pte/pte.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "input_error.hpp"

namespace pte::examples {

struct traits {
  bool amd = false, shadow_stack = false, debug_vm = false;
  std::optional<unsigned> encryption_bit;
  bool hw_dirty = false, erratum_2645198 = false;
  unsigned bbm_level = 0;
  bool nest_mmu = false;
  bool svvptc = false, svadu = false;
  bool no_fault_invalidation = false;
};

// Which architectures an option is about.
struct trait_option {
  std::string_view name;
  std::string_view archs;
};
inline constexpr auto trait_options = std::to_array<trait_option>({
    {"--amd", "x86_64"},
    {"--shadow-stack", "x86_64"},
    {"--encryption-bit", "x86_64"},
    {"--debug-vm", "x86_64"},
    {"--bbm-level", "arm64"},
    {"--hw-dirty", "arm64"},
    {"--erratum-2645198", "arm64"},
    {"--no-fault-invalidation", "arm64 riscv64"},
    {"--nest-mmu", "ppc64"},
    {"--svvptc", "riscv64"},
    {"--svadu", "riscv64"},
});

// Refuses an option that would silently mean nothing.
inline void check_trait(std::string_view option, const std::vector<std::string>& archs) {
  for (const trait_option& known : trait_options) {
    if (known.name != option) continue;
    for (const std::string& arch : archs)
      if (known.archs.find(arch) != std::string_view::npos) return;
    throw input_error(option, "", fmt::format("means nothing with --arch {}", fmt::join(archs, ",")));
  }
}

template <class Layout>
machine<Layout> make_machine(const traits& t) {
  machine<Layout> m{};
  if constexpr (requires { Layout::machine_with(52u, std::uint64_t{0}); })
    m = Layout::machine_with(52, t.encryption_bit ? bit(*t.encryption_bit) : 0);
  if constexpr (requires { m.amd; }) {
    m.amd = t.amd;
    m.shadow_stack = t.shadow_stack;
  }
  if constexpr (requires { m.bbm_level1; }) {
    m.hw_dirty = m.hw_access = t.hw_dirty;  // TCR.HD needs TCR.HA
    m.bbm_level1 = t.bbm_level == 1;
    m.bbm_level2 = t.bbm_level == 2;
    m.erratum_2645198 = t.erratum_2645198;
  }
  if constexpr (requires { m.nest_mmu; }) m.nest_mmu = t.nest_mmu;
  if constexpr (requires { m.svvptc; }) {
    m.svvptc = t.svvptc;
    m.svadu = t.svadu;
  }
  if constexpr (requires { m.fault_invalidates; }) m.fault_invalidates = !t.no_fault_invalidation;
  return m;
}

// The machine in a few words.
template <class Layout>
std::string machine_text(const machine<Layout>& m) {
  if constexpr (requires { m.amd; }) {
    std::string text = m.amd ? "AMD" : "Intel";
    if (m.shadow_stack) text += ", shadow stacks";
    if (const std::uint64_t mask = Layout::encryption_mask(m); mask != 0)
      text += fmt::format(", encryption bit {}", std::countr_zero(mask));
    return text;
  } else {
    std::string text = fmt::format("{}K pages", (1u << Layout::page_shift) / 1024);
    if constexpr (requires { m.bbm_level1; }) {
      text += fmt::format(", BBM level {}", m.bbm_level2 ? 2 : m.bbm_level1 ? 1 : 0);
      text += m.hw_dirty ? ", hardware dirty state" : ", software dirty state";
      if (m.erratum_2645198) text += ", erratum 2645198";
    }
    if constexpr (requires { m.nest_mmu; }) text += m.nest_mmu ? ", radix, nest MMU" : ", radix";
    if constexpr (requires { m.svvptc; }) {
      text += m.svadu ? ", Svadu" : ", no Svadu";
      text += m.svvptc ? ", Svvptc" : ", no Svvptc";
    }
    if constexpr (requires { m.fault_invalidates; })
      if (!m.fault_invalidates) text += ", faults invalidate nothing";
    return text;
  }
}

}  // namespace pte::examples
