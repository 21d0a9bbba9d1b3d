// ptwalk: what page tables map.
//
//   ptwalk tests/data/snapshots/arm64-4k-s1            the ranges that a recorded process maps
//   ptwalk tests/data/snapshots/arm64-4k-s1 --check    its tables against what its kernel said about them
//   ptwalk --image core --root 0x4062000 --arch x86_64 the tables in a memory image or core file
//
// Exit status: 0; 1 if a check finds a mismatch; 2 if the input is bad.

#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <pte/view/leaves.hpp>

#include "check.hpp"
#include "image.hpp"
#include "input_error.hpp"
#include "make_tree.hpp"
#include "option_values.hpp"
#include "ptwalk_json.hpp"
#include "ptwalk_text.hpp"
#include "snapshot.hpp"
#include "snapshot_tree.hpp"

namespace pte::examples {
namespace {

struct options {
  std::string prefix, va, image, root, base, arch, page_size, kernel_version, va_bits, max_table_bytes;
  bool kernel = false, json = false, check = false, lpa2 = false, lpa = false;
};

// What is to be walked.
struct input {
  std::string name;  // for messages
  std::string os;
  std::unique_ptr<tree> what;
  phys_addr user_root{}, kernel_root{};
  std::uint64_t memory_size = 0;

  std::uint64_t most_bytes(const options& o) const {
    return o.max_table_bytes.empty() ? usual_table_bytes(memory_size)
                                     : decimal("--max-table-bytes", o.max_table_bytes, 1, ~std::uint64_t{0});
  }
};

// Prints everything that one half maps. Status 2 if a table could not be read.
int print_ranges(const input& in, const options& o) {
  const tree& t = *in.what;
  const phys_addr root = o.kernel ? in.kernel_root : in.user_root;
  const std::uint64_t most_bytes = in.most_bytes(o);
  const std::unique_ptr<row_source> rows = t.rows(root, o.kernel ? t.kernel : t.user, most_bytes);
  if (o.json) {
    const std::string head = dumped({{"input", in.name},
                                     {"tree", tree_json(t, in.os)},
                                     {"root", hex_text(root.value)},
                                     {"half", o.kernel ? "kernel" : "user"}},
                                    1);
    fmt::print("{},\n \"ranges\": [", head.substr(0, head.size() - 2));  // without "\n}"; there may be many ranges
  } else {
    fmt::print("{}: {}\n{}\n\n{}", in.name, tree_text(t, in.os), notes_legend, range_header());
  }
  const char* separator = "";
  for (const row& r : rows_view(*rows) | coalesce(joins_rows{})) {
    if (r.m.state == entry_state::empty) continue;
    if (o.json)
      fmt::print("{}\n  {}", std::exchange(separator, ","), row_text(t, r));
    else
      fmt::print("{}", range_text(t, r));
  }

  nlohmann::ordered_json problems = nlohmann::ordered_json::array();
  std::string messages;
  for (const refused_table& p : rows->refused()) {
    const std::string rule =
        p.why == table_problem::outside ? "its table lies outside the memory"
        : p.why == table_problem::loop
            ? "its table is one of those above it: a loop"
            : fmt::format("more tables than {} bytes; --max-table-bytes sets how many are read", most_bytes);
    const std::string text = fmt::format("{}: address {:#x}: the {} entry at {:#x} points to {:#x}: {}", in.name,
                                         p.va.value, t.level_names[depth(p.at)], p.slot.value, p.table.value, rule);
    if (problems.size() < 10) messages += text + "\n";
    problems.push_back(text);
  }
  if (o.json) fmt::print("\n ],\n \"problems\": {}\n}}\n", dumped(problems));
  if (problems.empty()) return 0;
  std::fflush(stdout);
  fmt::print(stderr, "{}", messages);
  if (problems.size() > 10)
    fmt::print(stderr, "{}: {} tables were not read in all, or more\n", in.name, problems.size());
  return 2;
}

int print_walk(const input& in, const options& o) {
  const virt_addr va{hexadecimal("--va", o.va)};
  const va_half half = in.what->half(va);
  if (o.kernel && half == va_half::user)  // the kernel's root need not be the one that translates it
    throw input_error(
        "--kernel", fmt::format("--va {:#x}", va.value),
        fmt::format("the address lies in the user's half; the kernel's begins at {:#x}", in.what->kernel.first.value));
  const phys_addr root = o.kernel || half == va_half::kernel ? in.kernel_root : in.user_root;
  const traced_walk w = in.what->walk(root, va);
  if (o.json)
    fmt::print("{}\n", dumped(walk_json(*in.what, va, root, w), 1));
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
    fmt::print("{}\n", dumped(check_json(report), 1));
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

int walk_image(const options& o) {
  tree_spec spec{.arch = o.arch,
                 .page_shift = o.page_size.empty() ? default_page_shift(o.arch) : page_shift(o.page_size),
                 .va_bits = o.va_bits.empty() ? 0 : static_cast<unsigned>(decimal("--va-bits", o.va_bits, 36, 57)),
                 .pa52 = o.lpa || o.lpa2,
                 .os = !o.kernel_version.empty() ? o.kernel_version
                       : o.arch == "example"     ? "own"
                                                 : "7.3"};
  check_arch(o.arch);
  if ((o.lpa || o.lpa2) && o.arch != "arm64") throw input_error(o.lpa ? "--lpa" : "--lpa2", "", "arm64 only");
  if (o.lpa && spec.page_shift != 16) throw input_error("--lpa", "", "for 64K pages only; 4K and 16K have LPA2");
  if (o.lpa2 && spec.page_shift == 16) throw input_error("--lpa2", "", "for 4K and 16K pages only; 64K have LPA");
  check_spec(spec, "--kernel-version");
  const phys_addr root{hexadecimal("--root", o.root)};
  const std::uint64_t base = o.base.empty() ? 0 : hexadecimal("--base", o.base);

  const mapped_file file(o.image);
  const segment_memory memory =
      image_memory(file.data(), base, o.arch == "ppc64" ? std::endian::big : std::endian::little, o.image);
  const input in{o.image, spec.os, make_tree(spec, {}, memory, o.image), root, root, memory.size()};
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
  app.add_option("--arch", o.arch, "x86_64, arm64, ppc64 (radix), riscv64 or example")->needs(image);
  app.add_option("--page-size", o.page_size, "4K, 16K or 64K; usually 4K, for ppc64 64K")->needs(image);
  app.add_option("--va-bits", o.va_bits, "bits of a virtual address; usually 48, for ppc64 52, for riscv64 39")
      ->needs(image);
  app.add_flag("--lpa2", o.lpa2, "arm64, 4K and 16K pages: 52-bit physical addresses")->needs(image);
  app.add_flag("--lpa", o.lpa, "arm64, 64K pages: 52-bit physical addresses")->needs(image);
  app.add_option("--kernel-version", o.kernel_version, "whose software bits: 7.3 (default), 6.12, 6.1 or bare")
      ->needs(image);
  app.add_option("--base", o.base, "physical address of a flat image's first byte (hexadecimal)")->needs(image);
  app.add_option("--max-table-bytes", o.max_table_bytes,
                 "give up after so many bytes of tables; usually as many as the memory can hold, at most 272 MiB")
      ->excludes("--va");
  for (const char* option : {"--image", "--kernel", "--va", "--max-table-bytes"}) check->excludes(option);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;  // 0: --help
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw input_error(option->get_name(), "''", "the value is empty");

  if (o.prefix.empty() == o.image.empty())
    throw input_error("arguments", "", "name a snapshot, or an image with --image; --help says more");
  if (!o.image.empty() && (o.root.empty() || o.arch.empty()))
    throw input_error("--image", "", "needs --root and --arch");
  try {
    return o.image.empty() ? walk_snapshot(o) : walk_image(o);
  } catch (const std::bad_alloc&) {
    throw input_error(o.image.empty() ? o.prefix : o.image, "", "there is not enough memory to walk it");
  }
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
