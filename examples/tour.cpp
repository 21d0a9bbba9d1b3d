// The tour: for each of four architectures, page tables that a real Linux kernel wrote, decoded and walked. One screen
// each; what it prints is explained as it goes.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <pte/describe.hpp>
#include <pte/pte.hpp>
#include <pte/view/leaves.hpp>

#include "check.hpp"
#include "snapshot.hpp"
#include "snapshot_machine.hpp"
#include "tree_of.hpp"

namespace pte::examples {
namespace {

struct stop {
  const char* snapshot;                    // in tests/data/snapshots
  const char* region;                      // of the page to look at
  const char* story;                       // what the recorded program did there
  std::array<std::string_view, 5> fields;  // to be named
};

// tests/data/snapshots of the repository: the one that PTE_SOURCE names, or that this program was built in.
std::filesystem::path find_snapshots() {
  namespace fs = std::filesystem;
  const fs::path below = "tests/data/snapshots";
  if (const char* source = std::getenv("PTE_SOURCE")) return source / below;
  std::error_code error;
  for (const fs::path& start : {fs::read_symlink("/proc/self/exe", error), fs::current_path(error)})
    for (fs::path at = start; at.has_relative_path(); at = at.parent_path())
      if (fs::exists(at / below, error)) return at / below;
  throw input_error("tour", "tests/data/snapshots", "not found above this program; PTE_SOURCE can name the repository");
}

// The first page of a region that the program wrote, and that is still there.
virt_addr written_page(const region& r, unsigned page_shift) {
  for (const page_run& run : r.runs)
    if (run.word(0).present() && run.operations.starts_with('w')) return {r.start + (run.index << page_shift)};
  return {r.start};
}

// One entry, bit by bit.
template <class F>
void show_entry(const walk_result& w, const machine<F>& m, const stop& s, virt_addr va) {
  const description d = describe<F>(w.raw, w.at, m);
  fmt::print("{} For address {:#x} the {} entry is\n{}", s.story, va.value, d.level_name, ruler(d));
  for (const std::string_view name : s.fields)
    for (std::size_t i = 0; i != d.fields.size(); ++i)
      if (const described_field& f = d.fields[i]; f.name == name)
        fmt::print(" {} {:12} = {:#x}, {}\n", pte::detail::letter(i), f.name, f.value, f.meaning);
  fmt::print(" So: {}\n", pte::detail::wrapped(summary(d), 90, 5));
}

// The way there, one table after another.
template <class F, class G>
walk_result show_walk(const snapshot& s, virt_addr va, const machine<F>& m) {
  fmt::print("The walk: ");
  const walk_result w = walk<F, G>(s.tables, {s.truth.root_user}, va, m, [&]<level L>(entry<F, L> e, phys_addr slot) {
    fmt::print("{}[{}] at {:#x} is {:016x}{}", G::name(L), G::index(L, va), slot.value, e.raw,
               L == level::pte ? "" : "\n          ");
  });
  fmt::print("\n          physical address {:#x}\n", w.phys.value);
  return w;
}

// What the process maps in all.
template <class F, class G>
void show_totals(const snapshot& s, const machine<F>& m) {
  std::array<std::uint64_t, level_count> pages{}, groups{};
  std::uint64_t bytes_mapped = 0, prot_none = 0, other = 0;
  std::array<std::uint64_t, 8> parked{};
  for (const mapping& at : leaves<F, G>(s.tables, {s.truth.root_user}, G::range(va_half::user), m)) {
    if (at.state == entry_state::empty) continue;
    const row r = decode_any<F>(at, m);
    if (at.state == entry_state::leaf) {
      pages[depth(at.at)] += at.items;
      if (at.items > 1) ++groups[depth(at.at)];
      bytes_mapped += at.size;
      if (!r.rights.user_read && !r.rights.user_write && !r.rights.user_exec) ++prot_none;
    } else if (r.kind == parked_kind::prot_none) {
      ++prot_none;
    } else {
      ++parked[static_cast<std::size_t>(r.kind)];
      if (r.kind != parked_kind::swap && r.kind != parked_kind::marker) ++other;
    }
  }
  fmt::print("The process maps {} MiB:\n", bytes_mapped >> 20);
  for (unsigned d = 0; d != level_count; ++d) {
    if (pages[d] == 0) continue;
    fmt::print(" {:7} leaves of {}", pages[d], pte::size_text(bit(F::shift(static_cast<level>(d)))));
    if (groups[d] != 0) fmt::print(", among them {} contiguous groups", groups[d]);
    fmt::print("\n");
  }
  fmt::print("Besides: {} PROT_NONE entries, {} swapped out, {} markers, {} of bad memory or the like.\n", prot_none,
             parked[static_cast<std::size_t>(parked_kind::swap)], parked[static_cast<std::size_t>(parked_kind::marker)],
             other);
}

void show_check(const check_report& r) {
  std::uint64_t comparisons = 0;
  for (const comparison& c : r.of) comparisons += c.compared;
  fmt::print(
      "Compared with the kernel's own word on {} pages (pagemap, smaps, PAGEMAP_SCAN) and {}\n"
      "translations by QEMU: {} comparisons, {} mismatches.\n",
      r.pages, r.of[check_report::qemu].compared, comparisons, r.mismatches());
}

template <class F, class G>
bool show(const std::filesystem::path& folder, const stop& at) {
  const snapshot s = load_snapshot(folder / at.snapshot);
  const machine_facts facts = facts_of(s.truth);
  const std::unique_ptr<tree> t = tree_as<F, G>(s.tables, facts);
  check_roots(s, *t);
  const region* const r = s.truth.find_region(at.region);
  if (r == nullptr) throw input_error(s.truth.file, at.region, "no such region");
  const virt_addr va = written_page(*r, F::page_shift);
  const machine<F> m = make_machine<F>(facts);

  fmt::print("---- {}: {} levels, {}-bit addresses, {} KiB pages; Linux {}\n", F::arch, G::levels, G::va_bits,
             bit(F::page_shift) >> 10, s.truth.about("kernel_release"));
  const walk_result w = walk<F, G>(s.tables, {s.truth.root_user}, va, m);
  show_entry<F>(w, m, at, va);
  show_walk<F, G>(s, va + 0x123, m);
  show_totals<F, G>(s, m);
  const check_report report = check_snapshot(s, *t);
  show_check(report);
  fmt::print("\n");
  return report.mismatches() == 0;
}

template <class Layout>
using linux_tree = format<Layout, linux_6_12>;

bool run() {
  const std::filesystem::path folder = find_snapshots();
  bool good = true;
  fmt::print("Page tables that four Linux kernels wrote, each frozen with its own word for what it wrote.\n\n");
  good &= show<linux_tree<x86_64>, x86_64_4level>(folder, {"x86_64-4level-s1",
                                                           "ro_anon",
                                                           "Memory was written, then made read-only.",
                                                           {"XD", "SAVED_DIRTY", "U/S", "R/W", "P"}});
  good &= show<linux_tree<arm64_4k>, geometry<arm64_4k, 48>>(
      folder,
      {"arm64-4k-s1", "age_mthp64", "A folio of 64 KiB was written.", {"DIRTY", "Contiguous", "DBM", "AF", "AP[2]"}});
  good &= show<linux_tree<ppc64_radix<16>>, geometry<ppc64_radix<16>, 52>>(
      folder, {"ppc64-64k-s1", "rw_anon", "Memory was written.", {"V", "L", "RPN", "C", "write"}});
  good &= show<linux_tree<riscv64>, geometry<riscv64, 39>>(
      folder, {"riscv64-sv39-s1", "hugetlb_64k", "A huge page of 64 KiB was written.", {"N", "PPN", "D", "U", "V"}});
  fmt::print("Next: examples/run ptwalk tests/data/snapshots/arm64-4k-s1 | less,   examples/run ptedecode --help\n");
  return good;
}

}  // namespace
}  // namespace pte::examples

int main() {
  try {
    return pte::examples::run() ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "tour: {}\n", e.what());
    return 2;
  }
}
