// The readings that a word allows: the best first, then what it would be if a missing input were another.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decode_inputs.hpp"

namespace pte::examples {

// What the word is if `given` holds.
struct alternative {
  std::string given;  // "--kernel 6.1", or a condition in words
  std::string reading;
};

struct readings {
  description best;
  std::vector<std::string> assumed;  // options taken for granted
  std::vector<alternative> others;
};

namespace detail {

constexpr std::string_view linux_kernels[] = {"7.3", "6.12", "6.1"};

inline std::string page_size_option(unsigned shift) { return fmt::format("--page-size {}K", (1u << shift) / 1024); }

// How unlikely it is that somebody wrote this on purpose: 0, or more.
inline unsigned oddness(const description& d, const decode_inputs& in) {
  if (d.hardware_valid && d.reserved_set) return 2;
  if (d.kind == parked_kind::unknown && is_linux(d)) return 2;
  // Linux sets SH = 3 in every arm64 leaf, unless LPA2 puts address bits 51:50 there, which nobody's memory needs.
  if (d.arch == "arm64" && d.page_shift != 16 && d.state == entry_state::leaf && d.os != "6.1") {
    const std::uint64_t sh = d.word >> 8 & 3;
    if (in.pa52.value_or(false) && sh != 0) return 2;
    if (!in.pa52.value_or(false) && sh < 2 && is_linux(d)) return 1;
  }
  return 0;
}

// The bit of an x86 address that is likely to be the encryption bit: 47 or 51, and no other above 46 bits.
inline std::optional<unsigned> likely_encryption_bit(const description& d) {
  const std::uint64_t high = d.word & bits(51, 46);
  if (d.arch != "x86_64" || !d.hardware_valid || (high != bit(47) && high != bit(51))) return std::nullopt;
  return static_cast<unsigned>(std::countr_zero(high));
}

// The values worth trying for a missing input, the default one first; the given one alone.
template <class T>
std::vector<std::optional<T>> choices(const std::optional<T>& given, std::vector<std::optional<T>> all) {
  if (given) return {given};
  return all;
}

inline bool has_page_sizes(std::string_view arch) { return arch == "arm64" || arch == "ppc64"; }

inline std::optional<description> try_decode(const decode_inputs& in, std::uint64_t word) {
  try {
    return decode(in, word);
  } catch (const input_error&) {
    return std::nullopt;  // a combination that does not exist
  }
}

// The inputs, completed so that the word makes most sense. Ties go to the defaults.
inline decode_inputs complete(const decode_inputs& in, std::uint64_t word) {
  using name = std::optional<std::string>;
  const std::vector<std::optional<unsigned>> sizes =
      choices<unsigned>(in.page_shift, in.arch == "arm64"   ? std::vector<std::optional<unsigned>>{12, 14, 16}
                                       : in.arch == "ppc64" ? std::vector<std::optional<unsigned>>{16, 12}
                                                            : std::vector<std::optional<unsigned>>{std::nullopt});
  const std::vector<name> levels =
      choices<std::string>(in.level, {name("pte"), name("pmd"), name("pud"), name("p4d"), name("pgd")});
  const std::vector<std::optional<bool>> wide =
      choices<bool>(in.pa52, in.arch == "arm64" ? std::vector<std::optional<bool>>{false, true}
                                                : std::vector<std::optional<bool>>{std::nullopt});
  std::optional<decode_inputs> best;
  unsigned least = ~0u;
  for (const auto& size : sizes)
    for (const auto& l : levels)
      for (const auto& w : wide) {
        decode_inputs candidate = in;
        candidate.page_shift = size;
        candidate.level = l;
        candidate.pa52 = w;
        const std::optional<description> d = try_decode(candidate, word);
        if (!d || oddness(*d, candidate) >= least) continue;
        least = oddness(*d, candidate);
        best = candidate;
      }
  if (!best) {
    decode(in, word);  // throws: it says what is wrong
    return in;
  }
  if (!best->encryption_bit && !best->phys_bits) best->encryption_bit = likely_encryption_bit(decode(*best, word));
  return *best;
}

// The name of a bit of the word, the same for all releases that mean the same.
inline std::string bit_name(const description& d, unsigned n) {
  for (const described_field& f : d.fields)
    if (f.high >= n && n >= f.low)
      return f.name == "UFFD_WP" ? "UFFD" : f.name == "ignored" || f.name == "-" ? "unused" : f.name;
  return "";
}

// What `other` says that `base` does not, in words; empty if they agree.
inline std::string difference(const description& base, const description& other) {
  using pte::detail::append;
  if (other.hardware_valid && other.reserved_set && !base.reserved_set) return "faulting: reserved bits are set";
  if (base.state != other.state || base.kind != other.kind || base.size != other.size || base.what != other.what ||
      base.swap.has_value() != other.swap.has_value() || (base.swap && base.swap->offset != other.swap->offset))
    return summary(other);
  std::string text;
  const auto flag = [&](const std::optional<bool>& a, const std::optional<bool>& b, std::string_view name) {
    if (a.value_or(false) != b.value_or(false))
      text = append(text, (b.value_or(false) ? "" : "not ") + std::string(name));
  };
  if (base.phys != other.phys) text = append(text, other.phys ? "at " + hex(*other.phys) : "no page");
  if (base.pfn != other.pfn && other.pfn) text = append(text, "pfn " + hex(*other.pfn));
  if (base.read && other.read && pte::detail::meant_rights(base) != pte::detail::meant_rights(other))
    text = append(text, pte::detail::meant_rights(other));
  if (base.mmu && other.mmu && base.mmu->user_write != other.mmu->user_write)
    text = append(text, other.mmu->user_write ? "the MMU lets the user write" : "the MMU does not let the user write");
  if (base.memory_type != other.memory_type && other.memory_type) text = append(text, *other.memory_type);
  flag(base.accessed, other.accessed, "accessed");
  flag(base.dirty, other.dirty, "dirty");
  flag(base.soft_dirty, other.soft_dirty, "soft-dirty");
  flag(base.uffd_wp, other.uffd_wp, "uffd-wp");
  flag(base.special, other.special, "special");
  flag(base.exclusive, other.exclusive, "exclusive");
  if (base.reserved_set && !other.reserved_set) text = append(text, "not faulting: no reserved bits are set");
  for (unsigned n = 64; n-- > 0;)
    if ((base.word >> n & 1) != 0 && bit_name(base, n) != bit_name(other, n))
      text = append(text, fmt::format("bit {} is {}", n, bit_name(other, n)));
  return text;
}

}  // namespace detail

// All readings of `word`.
inline readings read_word(const decode_inputs& given, std::uint64_t word) {
  using namespace detail;
  const decode_inputs in = complete(given, word);
  readings all{decode(in, word), {}, {}};
  const description& best = all.best;

  // Adds the reading with `change` made to the inputs, if it differs.
  const auto add = [&](std::string condition, auto change) {
    decode_inputs changed = in;
    change(changed);
    const std::optional<description> other = try_decode(changed, word);
    if (!other) return;
    std::string text = difference(best, *other);
    if (text.empty()) return;
    if (oddness(*other, changed) >= 2 && oddness(best, in) < 2 && condition.starts_with("--"))
      text = other->reserved_set ? "no sense: reserved bits are set" : "no sense: invalid, in no known form";
    // One line for values of an option that agree with each other.
    const std::size_t option = condition.find(' ') + 1;
    if (option != 0 && !all.others.empty() && all.others.back().reading == text &&
        all.others.back().given.starts_with(condition.substr(0, option)))
      all.others.back().given += ", " + condition.substr(option);
    else
      all.others.push_back({std::move(condition), text});
  };
  const auto assume = [&](std::string option) { all.assumed.push_back(std::move(option)); };

  if (!given.kernel && given.arch != "example") {
    assume("--kernel " + std::string(best.os));
    for (const std::string_view kernel : linux_kernels)
      if (kernel != best.os) add("--kernel " + std::string(kernel), [&](decode_inputs& i) { i.kernel = kernel; });
  }
  if (!given.page_shift && has_page_sizes(given.arch)) {
    assume(page_size_option(best.page_shift));
    for (const unsigned shift : {12u, 14u, 16u})
      if (shift != best.page_shift)
        add(page_size_option(shift), [&](decode_inputs& i) { i.page_shift = shift, i.pa52 = false; });
  }
  if (!given.level) {
    assume("--level " + best.level_name);
    for (unsigned d = 0; d <= depth(tree_for(in).root); ++d)
      if (const std::string name{name_of(static_cast<level>(d))}; name != best.level_name && !best.swap)
        add("--level " + name, [&](decode_inputs& i) { i.level = name; });
  } else if (!given.va_bits && *given.level == "pgd") {
    for (const unsigned va_bits : {36u, 39u, 42u, 47u, 48u, 52u, 57u}) {
      decode_inputs other = in;
      other.va_bits = va_bits;
      const std::optional<description> d = try_decode(other, word);
      if (d && d->at_level != best.at_level && !best.swap)
        add(fmt::format("--va-bits {}", va_bits), [&](decode_inputs& i) { i.va_bits = va_bits; });
    }
  }
  if (!given.va_bits && (in.level == "pgd" || in.level == "p4d") && !best.swap)
    assume(fmt::format("--va-bits {}", tree_for(in).va_bits));
  if (!given.pa52 && given.arch == "arm64" && (best.state == entry_state::leaf || best.state == entry_state::table)) {
    const bool wide = in.pa52.value_or(false);
    const char* option = best.page_shift == 16 ? "--lpa" : "--lpa2";
    if (wide) assume(option);
    decode_inputs other = in;
    other.pa52 = !wide;
    const std::optional<description> d = try_decode(other, word);
    const std::string condition = wide ? "without " + std::string(option) : option;
    const std::uint64_t sh = word >> 8 & 3;
    const bool either = best.page_shift != 16 && best.state == entry_state::leaf && sh != 3;
    if (d && either && wide)
      all.others.push_back(
          {condition, fmt::format("bits 9:8 are SH, {} = {}", sh, sh == 0 ? "non-shareable" : "reserved")});
    else if (d && either)
      all.others.push_back({condition, "bits 9:8 are address bits 51:50: " + summary(*d)});
    else if (d && (wide || oddness(*d, other) <= oddness(best, in)))
      add(condition, [&](decode_inputs& i) { i.pa52 = !wide; });
  }
  if (given.arch == "riscv64" && best.hardware_valid) {
    if (!given.svnapot && (word & bit(63)) != 0) add("without Svnapot", [](decode_inputs& i) { i.svnapot = false; });
    if (!given.svpbmt && (word & bits(62, 61)) != 0) add("without Svpbmt", [](decode_inputs& i) { i.svpbmt = false; });
    if (!given.svrsw60t59b && (word & bits(60, 59)) != 0)
      add("without Svrsw60t59b", [](decode_inputs& i) { i.svrsw60t59b = false; });
    if (!given.shadow_stack) add("--shadow-stack", [](decode_inputs& i) { i.shadow_stack = true; });
  }
  if (given.arch == "arm64" && !given.hw_dirty && best.state == entry_state::leaf)
    add("--hw-dirty", [](decode_inputs& i) { i.hw_dirty = true; });
  if (given.arch == "x86_64" && best.hardware_valid) {
    const std::uint64_t high = word & bits(51, 46);
    if (in.encryption_bit && !given.encryption_bit) {
      assume(fmt::format("--encryption-bit {}", *in.encryption_bit));
      add("without memory encryption", [](decode_inputs& i) { i.encryption_bit.reset(); });
    } else if (!given.encryption_bit) {
      for (const unsigned n : {47u, 51u})
        if ((word & bit(n)) != 0)
          add(fmt::format("--encryption-bit {}", n), [&](decode_inputs& i) { i.encryption_bit = n; });
    }
    if (!given.phys_bits && high != 0 && !in.encryption_bit)
      all.others.push_back({fmt::format("--phys-bits {} or fewer", 63 - std::countl_zero(high)),
                            "reserved bits are set: a walk faults"});
    if (!given.shadow_stack && best.state == entry_state::leaf)
      add("--shadow-stack", [](decode_inputs& i) { i.shadow_stack = true; });
  }
  if (best.swap) {
    if (!given.device_private) add("--device-private", [](decode_inputs& i) { i.device_private = true; });
    if (!given.memory_failure) {
      const bool usual = given.arch != "riscv64";
      add(usual ? "--no-memory-failure" : "--memory-failure", [&](decode_inputs& i) { i.memory_failure = !usual; });
    }
    if (!given.physmem_bits && best.kind == parked_kind::migration)
      for (const unsigned physmem_bits : {46u, 48u, 51u, 52u, 56u})
        if (given.arch == "arm64" ? physmem_bits == 48 || physmem_bits == 52
                                  : given.arch == "x86_64" && (physmem_bits == 46 || physmem_bits == 52))
          add(fmt::format("--physmem-bits {}", physmem_bits), [&](decode_inputs& i) { i.physmem_bits = physmem_bits; });
    // Swap entries leave A and D alone; a page of the kernel's own map keeps them when it is made not present.
    if (best.unmapped_phys && (word & bits(6, 5)) != 0)
      all.others.push_back({"if the address is the kernel's",
                            fmt::format("its page was made not present: at {}, pfn {}", hex(*best.unmapped_phys),
                                        hex(*best.unmapped_phys >> best.page_shift))});
  }
  return all;
}

}  // namespace pte::examples
