// ptwalk: what page tables map.
//
//   ptwalk tests/data/snapshots/arm64-4k-s1            the ranges that a recorded process maps
//   ptwalk tests/data/snapshots/arm64-4k-s1 --check    its tables against what its kernel said about them
//   ptwalk --image core --root 0x4062000 --arch x86_64 the tables in a memory image or core file
//
// Exit status: 0; 1 if a check finds a mismatch; 2 if the input is bad.

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <pte/view/leaves.hpp>

#include "check.hpp"
#include "image.hpp"
#include "input_error.hpp"
#include "make_tree.hpp"
#include "ptwalk_json.hpp"
#include "ptwalk_text.hpp"
#include "snapshot.hpp"
#include "snapshot_tree.hpp"

namespace pte::examples {
namespace {

struct options {
  std::string prefix, va, image, root, base, arch, page_size, kernel_version = "7.3";
  unsigned va_bits = 0;
  std::uint64_t max_tables = 0;  // 0: what the memory can hold, and a few that are shared
  bool kernel = false, json = false, check = false, lpa2 = false, lpa = false;
};

std::uint64_t hexadecimal(const std::string& option, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    throw input_error(option, "", fmt::format("{} is no hexadecimal number of 64 bits", shown(text)));
  return value;
}

// What is to be walked.
struct input {
  std::string name;  // for messages
  std::string os;
  std::unique_ptr<tree> what;
  phys_addr user_root{}, kernel_root{};
  std::uint64_t memory_size = 0;

  std::uint64_t most_tables(const options& o) const {
    constexpr std::uint64_t shared = 4096;  // more than once in the tree
    return o.max_tables != 0 ? o.max_tables : memory_size / what->smallest_table + shared;
  }
};

// Prints everything that one half maps. Status 2 if a table could not be read.
int print_ranges(const input& in, const options& o) {
  const tree& t = *in.what;
  const phys_addr root = o.kernel ? in.kernel_root : in.user_root;
  const std::unique_ptr<row_source> rows = t.rows(root, o.kernel ? t.kernel : t.user, in.most_tables(o));
  nlohmann::ordered_json ranges = nlohmann::ordered_json::array();
  if (!o.json) fmt::print("{}: {}\n{}\n\n{}", in.name, tree_text(t, in.os), notes_legend, range_header());
  for (const row& r : rows_view(*rows) | coalesce(joins_rows{})) {
    if (r.m.state == entry_state::empty) continue;
    if (o.json)
      ranges.push_back(row_json(t, r));
    else
      fmt::print("{}", range_text(t, r));
  }

  nlohmann::ordered_json problems = nlohmann::ordered_json::array();
  std::string messages;
  for (const refused_table& p : rows->refused()) {
    const char* const rule = p.why == table_problem::outside ? "its table lies outside the memory"
                             : p.why == table_problem::loop
                                 ? "its table is one of those above it: a loop"
                                 : "more tables than the memory can hold, or --max-tables allows";
    const std::string text = fmt::format("{}: address {:#x}: the {} entry at {:#x} points to {:#x}: {}", in.name,
                                         p.va.value, t.level_names[depth(p.at)], p.slot.value, p.table.value, rule);
    if (problems.size() < 10) messages += text + "\n";
    problems.push_back(text);
  }
  if (o.json) {
    nlohmann::ordered_json j = {{"input", in.name},
                                {"tree", tree_json(t, in.os)},
                                {"root", hex_text(root.value)},
                                {"half", o.kernel ? "kernel" : "user"}};
    j["ranges"] = std::move(ranges);
    j["problems"] = problems;
    fmt::print("{}\n", j.dump(1));
  }
  if (problems.empty()) return 0;
  std::fflush(stdout);
  fmt::print(stderr, "{}", messages);
  if (problems.size() > 10)
    fmt::print(stderr, "{}: {} tables were not read in all, or more\n", in.name, problems.size());
  return 2;
}

int print_walk(const input& in, const options& o) {
  const virt_addr va{hexadecimal("--va", o.va)};
  const phys_addr root = o.kernel || in.what->half(va) == va_half::kernel ? in.kernel_root : in.user_root;
  const traced_walk w = in.what->walk(root, va);
  if (o.json)
    fmt::print("{}\n", walk_json(*in.what, va, root, w).dump(1));
  else
    fmt::print("{}: {}\n{}", in.name, tree_text(*in.what, in.os), walk_text(*in.what, va, root, w));
  if (w.result.end != walk_end::outside) return 0;
  std::fflush(stdout);
  fmt::print(stderr, "{}: address {:#x}: the entry at {:#x} points to {:#x}: its table lies outside the memory\n",
             in.name, va.value, w.result.slot.value, w.result.phys.value);
  return 2;
}

int print_check(const input& in, const snapshot& s, const options& o) {
  const check_report report = check_snapshot(s, *in.what);
  if (o.json)
    fmt::print("{}\n", check_json(report).dump(1));
  else
    fmt::print("{}: {}\nfrom Linux {}\n\n{}", in.name, tree_text(*in.what, in.os), s.truth.about("kernel_release"),
               check_text(report));
  return report.mismatches() == 0 ? 0 : 1;
}

int walk_snapshot(const options& o) {
  const snapshot s = load_snapshot(o.prefix);
  const input in{o.prefix,       spec_of(s.truth).os, tree_of_snapshot(s), {s.truth.root_user}, {s.truth.root_kernel},
                 s.tables.size()};
  if (o.check) return print_check(in, s, o);
  return o.va.empty() ? print_ranges(in, o) : print_walk(in, o);
}

unsigned page_shift_of(const options& o) {
  const std::string& size = o.page_size;
  if (size == "4K" || size == "4096") return 12;
  if (size == "16K" || size == "16384") return 14;
  if (size == "64K" || size == "65536") return 16;
  if (size.empty()) return o.arch == "ppc64" ? 16 : 12;
  throw input_error("--page-size", "", fmt::format("{} is not 4K, 16K or 64K", shown(size)));
}

int walk_image(const options& o) {
  tree_spec spec{.arch = o.arch,
                 .page_shift = page_shift_of(o),
                 .va_bits = o.va_bits,
                 .pa52 = o.lpa || o.lpa2,
                 .os = o.kernel_version};
  if ((o.lpa || o.lpa2) && o.arch != "arm64") throw input_error(o.lpa ? "--lpa" : "--lpa2", "", "arm64 only");
  if (o.lpa && spec.page_shift != 16) throw input_error("--lpa", "", "for 64K pages only; 4K and 16K have LPA2");
  if (o.lpa2 && spec.page_shift == 16) throw input_error("--lpa2", "", "for 4K and 16K pages only; 64K have LPA");
  const phys_addr root{hexadecimal("--root", o.root)};
  const std::uint64_t base = o.base.empty() ? 0 : hexadecimal("--base", o.base);

  const mapped_file file(o.image);
  const segment_memory memory =
      image_memory(file.data(), base, o.arch == "ppc64" ? std::endian::big : std::endian::little, o.image);
  const input in{o.image, o.kernel_version, make_tree(spec, {}, memory, "--arch"), root, root, memory.size()};
  if (root.value % 8 != 0) throw input_error(o.image, fmt::format("root {:#x}", root.value), "not a multiple of 8");
  if (!in.what->holds_root(root))
    throw input_error(o.image, fmt::format("root {:#x}", root.value),
                      fmt::format("the root table, {} bytes, lies outside the memory", in.what->root_entries * 8));
  return o.va.empty() ? print_ranges(in, o) : print_walk(in, o);
}

int run(int argc, char** argv) {
  options o;
  CLI::App app("Prints what page tables map: those of a snapshot, or of a memory image.");
  app.add_option("snapshot", o.prefix, "prefix of a snapshot's files, as in tests/data/snapshots/arm64-4k-s1");
  app.add_option("--va", o.va, "walk this one address (hexadecimal), level by level");
  app.add_flag("--kernel", o.kernel, "the kernel's half of the address space, from the kernel's root table");
  app.add_flag("--json", o.json, "print JSON");
  auto* const check =
      app.add_flag("--check", o.check, "compare a snapshot with what its kernel said; status 1 if anything differs");
  auto* const image =
      app.add_option("--image", o.image, "a memory image: an ELF core file (dump-guest-memory), or the memory itself");
  app.add_option("--root", o.root, "physical address of the image's root table (hexadecimal)")->needs(image);
  app.add_option("--arch", o.arch, "x86_64, arm64, ppc64 or riscv64")->needs(image);
  app.add_option("--page-size", o.page_size, "4K, 16K or 64K; usually 4K, for ppc64 64K")->needs(image);
  app.add_option("--va-bits", o.va_bits, "bits of a virtual address; usually 48, for ppc64 52, for riscv64 39")
      ->needs(image);
  app.add_flag("--lpa2", o.lpa2, "arm64, 4K and 16K pages: 52-bit physical addresses")->needs(image);
  app.add_flag("--lpa", o.lpa, "arm64, 64K pages: 52-bit physical addresses")->needs(image);
  app.add_option("--kernel-version", o.kernel_version, "whose software bits: 7.3 (default), 6.12, 6.1 or bare")
      ->needs(image);
  app.add_option("--base", o.base, "physical address of a flat image's first byte (hexadecimal)")->needs(image);
  app.add_option("--max-tables", o.max_tables, "give up after so many tables; usually as many as the memory can hold");
  check->excludes("--image");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;  // 0: --help
  }

  if (o.prefix.empty() == o.image.empty())
    throw input_error("ptwalk", "", "name a snapshot, or an image with --image; --help says more");
  if (!o.image.empty() && (o.root.empty() || o.arch.empty()))
    throw input_error("--image", "", "needs --root and --arch");
  return o.image.empty() ? walk_snapshot(o) : walk_image(o);
}

}  // namespace
}  // namespace pte::examples

int main(int argc, char** argv) {
  try {
    return pte::examples::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "ptwalk: {}\n", e.what());
  }
  return 2;
}
