// ptedecode: what do these page-table entries mean?
//
//   ptedecode --arch arm64 --kernel 6.12 --page-size 4K --level pte 0x00e8000048423f43
//   ptedecode --arch x86_64 pgd=1e5c01067 pud=342f3d063 pmd=80000003518001e3     (as an oops prints them)
//
// Where an input is missing that matters, the best reading is printed and the others are named.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "decode_inputs.hpp"
#include "input_error.hpp"
#include "option_values.hpp"
#include "readings.hpp"

namespace {

using namespace pte;
using namespace pte::examples;
using nlohmann::ordered_json;

constexpr std::string_view level_names[] = {"pte", "pmd", "pud", "p4d", "pgd"};

void check_level(std::string_view what, std::string_view name) {
  for (const std::string_view known : level_names)
    if (name == known) return;
  throw input_error(what, shown(name), "it must be pte, pmd, pud, p4d or pgd");
}

// A word to decode, with the level if it says that itself: "pmd=1e5c01067".
struct request {
  std::optional<std::string> level;
  std::uint64_t word = 0;
};

request parse_word(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {std::nullopt, hexadecimal("word", text)};
  std::string_view name = text.substr(0, equals);
  if (name.starts_with('*')) name.remove_prefix(1);
  check_level("level of a word", name);
  return {std::string(name), hexadecimal(name, text.substr(equals + 1))};
}

// Null for what is not there.
template <class T>
ordered_json json(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json to_json(const readings& r) {
  const description& d = r.best;
  ordered_json j{
      {"arch", d.arch}, {"format", d.format}, {"kernel", d.os}, {"page_size", std::uint64_t{1} << d.page_shift}};
  j["level"] = d.level_name;
  j["word"] = hex(d.word, 16);
  j["state"] = name_of(d.state);
  j["parked_kind"] = d.kind ? ordered_json(name_of(*d.kind)) : ordered_json(nullptr);
  j["hardware_valid"] = d.hardware_valid;
  j["present"] = d.present;
  j["pfn"] = json(d.pfn);
  j["phys"] = d.phys ? ordered_json(hex(*d.phys)) : ordered_json(nullptr);
  j["size"] = json(d.size);
  j["group_size"] = json(d.group_size);
  j["read"] = json(d.read);
  j["write"] = json(d.write);
  j["exec"] = json(d.exec);
  j["user"] = json(d.user);
  j["mmu"] = nullptr;
  if (d.mmu)
    j["mmu"] = {{"user", pte::detail::rwx(d.mmu->user_read, d.mmu->user_write, d.mmu->user_exec)},
                {"kernel", pte::detail::rwx(d.mmu->kernel_read, d.mmu->kernel_write, d.mmu->kernel_exec)}};
  j["global"] = json(d.global);
  j["accessed"] = json(d.accessed);
  j["dirty"] = json(d.dirty);
  j["soft_dirty"] = json(d.soft_dirty);
  j["uffd_wp"] = json(d.uffd_wp);
  j["contiguous"] = json(d.contiguous);
  j["special"] = json(d.special);
  j["exclusive"] = json(d.exclusive);
  j["memory_type"] = json(d.memory_type);
  j["pkey"] = json(d.pkey);
  j["swap"] = nullptr;
  if (d.swap) j["swap"] = {{"type", d.swap->type}, {"offset", d.swap->offset}, {"what", d.what}};
  j["reserved_set"] = d.reserved_set;
  j["summary"] = summary(d);
  j["fields"] = ordered_json::array();
  for (const described_field& f : d.fields)
    j["fields"].push_back({{"name", f.name},
                           {"bits", f.high == f.low ? std::to_string(f.high) : fmt::format("{}:{}", f.high, f.low)},
                           {"value", f.value},
                           {"meaning", f.meaning}});
  j["assumed"] = r.assumed;
  j["alternatives"] = ordered_json::array();
  for (const alternative& a : r.others) j["alternatives"].push_back({{"given", a.given}, {"reading", a.reading}});
  return j;
}

std::string to_page(const readings& r) {
  std::string text = to_text(r.best);
  if (!r.assumed.empty()) {
    text += "\n assumed:";
    for (const std::string& option : r.assumed) text += " " + option;
    text += "\n";
  }
  if (r.others.empty()) return text;
  text += r.assumed.empty() ? "\n otherwise\n" : " otherwise\n";
  std::size_t width = 0;
  for (const alternative& a : r.others) width = std::max(width, a.given.size());
  for (const alternative& a : r.others)
    text += fmt::format("   {:<{}}  {}\n", a.given, width, pte::detail::wrapped(a.reading, 91 - width, width + 5));
  return text;
}

int run(int argc, char** argv) {
  CLI::App app{"Says what page-table entries mean, bit by bit.", "ptedecode"};
  app.footer(
      "A word is 1 to 16 hexadecimal digits, with or without 0x, or LEVEL=WORD as an oops prints it. Where an option\n"
      "is left out that matters, the best reading is printed and the others are named.\n"
      "\n"
      "JSON: state is empty, table, leaf or parked (not empty, but ignored by the MMU). Then parked_kind is swap,\n"
      "migration, hwpoison, device, marker; prot_none (a page that nobody may access); present_invalid (a page\n"
      "whose entry is being changed: present to the system, invalid to the MMU); or unknown (in no form that the\n"
      "system writes). null: the format or this kind of entry does not have it.");
  std::string arch, kernel, page_size, level, va_bits, phys_bits, encryption_bit, mair, pat, physmem_bits;
  bool lpa2 = false, lpa = false, as_json = false;
  bool shadow_stack = false, hw_dirty = false, svnapot = false, svpbmt = false, svrsw = false, device = false,
       failure = false;
  std::vector<std::string> words;
  app.add_option("words", words, "words to decode")->required()->type_name("WORD...");
  app.add_option("--arch", arch, "x86_64, arm64, ppc64 (radix), riscv64 or example")->required()->type_name("ARCH");
  app.add_option("--kernel", kernel, "software half: 6.1, 6.12, 7.3 (the default) or bare")->type_name("VERSION");
  app.add_option("--page-size", page_size, "4K, 16K or 64K; default 4K, on ppc64 64K")->type_name("SIZE");
  app.add_option("--level", level, "pte, pmd, pud, p4d or pgd, which is the root whatever its height")
      ->type_name("LEVEL");
  app.add_option("--va-bits", va_bits, "bits of a virtual address, which say how high the root is")->type_name("N");
  const CLI::Option* lpa2_option = app.add_flag("--lpa2,!--no-lpa2", lpa2, "arm64, 4K and 16K pages: 52-bit addresses");
  const CLI::Option* lpa_option = app.add_flag("--lpa,!--no-lpa", lpa, "arm64, 64K pages: 52-bit addresses");
  app.add_option("--phys-bits", phys_bits, "bits of a physical address; those above are reserved")->type_name("N");
  app.add_option("--encryption-bit", encryption_bit, "x86: the C-bit of SME and SEV, or TDX's shared bit")
      ->type_name("N");
  app.add_option("--mair", mair, "arm64: MAIR_EL1, the memory types")->type_name("HEX");
  app.add_option("--pat", pat, "x86: IA32_PAT, the memory types")->type_name("HEX");
  const CLI::Option* shadow_option =
      app.add_flag("--shadow-stack,!--no-shadow-stack", shadow_stack, "x86, riscv64: shadow stacks are enabled");
  const CLI::Option* dirty_option =
      app.add_flag("--hw-dirty,!--no-hw-dirty", hw_dirty, "arm64: hardware keeps dirty state (TCR.HD)");
  const CLI::Option* napot_option = app.add_flag("--svnapot,!--no-svnapot", svnapot, "riscv64: Svnapot defines bit 63");
  const CLI::Option* pbmt_option = app.add_flag("--svpbmt,!--no-svpbmt", svpbmt, "riscv64: Svpbmt defines bits 62:61");
  const CLI::Option* svrsw_option =
      app.add_flag("--svrsw60t59b,!--no-svrsw60t59b", svrsw, "riscv64: bits 60:59 are software's");
  const CLI::Option* device_option = app.add_flag("--device-private,!--no-device-private", device,
                                                  "the kernel has CONFIG_DEVICE_PRIVATE: other swap types");
  const CLI::Option* failure_option = app.add_flag("--memory-failure,!--no-memory-failure", failure,
                                                   "the kernel has CONFIG_MEMORY_FAILURE: the default, but on riscv64");
  app.add_option("--physmem-bits", physmem_bits, "the kernel's MAX_PHYSMEM_BITS, for migration entries")
      ->type_name("N");
  app.add_flag("--json", as_json, "an array of objects, one a word");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw input_error("ptedecode", "", fmt::format("{}; see --help", error.what()));
  }

  decode_inputs in;
  in.arch = arch;
  check_arch(arch);
  if (!kernel.empty() || app.count("--kernel") != 0) in.kernel = kernel;
  if (app.count("--page-size") != 0) in.page_shift = page_shift(page_size);
  if (app.count("--level") != 0) {
    check_level("--level", level);
    in.level = level;
  }
  const auto number = [](const char* option, std::string_view text, unsigned least, unsigned bound) {
    return static_cast<unsigned>(decimal(option, text, least, bound));
  };
  if (app.count("--va-bits") != 0) in.va_bits = number("--va-bits", va_bits, 36, 57);
  const unsigned shift = in.page_shift.value_or(default_page_shift(arch));
  const unsigned most = arch == "x86_64" || arch == "arm64" ? 52 : arch == "ppc64" ? 57 : arch == "riscv64" ? 56 : 48;
  if (app.count("--phys-bits") != 0) in.phys_bits = number("--phys-bits", phys_bits, 32, most);
  if (app.count("--physmem-bits") != 0) in.physmem_bits = number("--physmem-bits", physmem_bits, shift + 1, 57);
  if (app.count("--encryption-bit") != 0) in.encryption_bit = number("--encryption-bit", encryption_bit, 12, 51);
  if (app.count("--mair") != 0) in.mair = hexadecimal("--mair", mair);
  if (app.count("--pat") != 0) in.pat = hexadecimal("--pat", pat);
  const auto flag = [](const CLI::Option* option, bool value) {
    return option->count() != 0 ? std::optional<bool>(value) : std::nullopt;
  };
  in.shadow_stack = flag(shadow_option, shadow_stack);
  in.hw_dirty = flag(dirty_option, hw_dirty);
  in.svnapot = flag(napot_option, svnapot);
  in.svpbmt = flag(pbmt_option, svpbmt);
  in.svrsw60t59b = flag(svrsw_option, svrsw);
  in.device_private = flag(device_option, device);
  in.memory_failure = flag(failure_option, failure);
  if (lpa2_option->count() != 0 || lpa_option->count() != 0) {
    const bool wide64 = lpa_option->count() != 0;
    const char* const option = wide64 ? "--lpa" : "--lpa2";
    if (arch != "arm64") throw input_error(option, "", fmt::format("means nothing with --arch {}", arch));
    if (wide64 && !in.page_shift) in.page_shift = 16;
    if ((in.page_shift.value_or(12) == 16) != wide64 || (wide64 && lpa2_option->count() != 0))
      throw input_error(option, "", "--lpa goes with 64K pages, --lpa2 with 4K and 16K pages");
    in.pa52 = wide64 ? lpa : lpa2;
  }

  std::vector<request> requests;
  for (const std::string& word : words) requests.push_back(parse_word(word));
  ordered_json all = ordered_json::array();
  std::string text;
  for (const request& r : requests) {
    decode_inputs of_word = in;
    if (r.level) of_word.level = r.level;
    const readings found = read_word(of_word, r.word);
    if (as_json)
      all.push_back(to_json(found));
    else
      text += (text.empty() ? "" : "\n\n") + to_page(found);
  }
  fmt::print("{}", as_json ? all.dump(2) + "\n" : text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const input_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
