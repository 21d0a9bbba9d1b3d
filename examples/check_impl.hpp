// How check.hpp compares.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "check.hpp"

namespace pte::examples {

class snapshot_check {
 public:
  snapshot_check(const snapshot& s, const tree& t)
      : s_(s),
        t_(t),
        page_(std::uint64_t{1} << t.page_shift),
        most_bytes_(usual_table_bytes(s.tables.size())),
        arch_(s.truth.about("arch")),
        sums_(s.truth.vmas.size()) {}

  check_report run() {
    check_levels();
    for (const region& r : s_.truth.regions) {
      check_pages(r);
      check_qemu(r);
    }
    check_linear_map();
    if (!s_.listing.empty()) {
      check_listing(s_.truth.root_user, t_.user);
      if (arch_ == "riscv64") check_listing(s_.truth.root_kernel, t_.kernel);
      compare(kind::listing, next_listed_ == s_.listing.size(), [&] { return std::string("QEMU lists more leaves"); });
    }
    for (std::size_t i = 0; i != sums_.size(); ++i) check_sums(s_.truth.vmas[i], sums_[i]);
    return std::move(report_);
  }

 private:
  using kind = check_report::kind;

  // What a VMA's pages add up to, in bytes; but for those of hugetlb in the places that smaps counts them.
  struct vma_sums {
    std::uint64_t walked = 0, young = 0, dirty = 0, resident = 0, hugetlb = 0, swap = 0, huge = 0, poisoned = 0;
    bool stable = true;
  };
  struct page_counts {
    std::uint64_t present = 0, nonpresent = 0, none = 0;
  };

  template <class Text>
  void compare(kind k, bool same, Text&& text, std::uint64_t n = 1) {
    comparison& c = report_.of[k];
    c.compared += n;
    if (same) return;
    c.mismatches += n;
    if (c.first.size() < 5) c.first.push_back(text());
  }
  void apart(const char* reason, std::uint64_t n = 1) { report_.apart[reason] += n; }

  void check_levels() {
    const std::vector<truth_level>& levels = s_.truth.levels;
    compare(kind::levels, levels.size() == depth(t_.root) + 1,
            [&] { return fmt::format("{} levels, {} here", levels.size(), depth(t_.root) + 1); });
    for (const truth_level& l : levels) {
      if (l.number > depth(t_.root)) continue;
      const unsigned end =
          l.number == depth(t_.root) ? t_.shifts[l.number] + log2(t_.root_entries) : t_.shifts[l.number + 1];
      compare(kind::levels,
              l.name == t_.level_names[l.number] && l.shift == t_.shifts[l.number] && l.shift + l.bits == end, [&] {
                return fmt::format("level {} is {} with shift {} and {} bits, here {} with shift {}", l.number,
                                   shown(l.name), l.shift, l.bits, t_.level_names[l.number], t_.shifts[l.number]);
              });
    }
  }
  static unsigned log2(std::uint64_t n) { return 63u - static_cast<unsigned>(std::countl_zero(n)); }

  // Walks the region, its runs and its scanned ranges side by side, one page after another.
  void check_pages(const region& r) {
    const std::unique_ptr<row_source> rows = t_.rows({s_.truth.root_user}, {{r.start}, {r.end - 1}}, most_bytes_);
    row now{};
    bool have = false;
    page_counts counts;
    std::size_t scan = 0;
    for (const page_run& run : r.runs) {
      for (std::uint64_t i = 0; i != run.count; ++i) {
        const std::uint64_t va = r.start + (run.index + i) * page_;
        if (!have || now.m.va.value + (now.m.size - 1) < va) {
          have = rows->next(now);
          if (!have || now.m.state == entry_state::table)
            throw input_error(s_.prefix, fmt::format("address {:#x}", va),
                              "a table of this region is not in the snapshot, or part of a loop");
          count_groups(now);
        }
        while (scan != r.scans.size() && r.scans[scan].end <= va) ++scan;
        const bool scanned = scan != r.scans.size() && r.scans[scan].start <= va;
        check_page(r, run, i, va, now, scanned ? r.scans[scan].categories : 0, counts);
      }
    }
    compare(kind::counts, counts.present == r.present && counts.nonpresent == r.nonpresent && counts.none == r.none,
            [&] {
              return fmt::format("{}: {} present, {} nonpresent, {} none; here {}, {}, {}", r.name, r.present,
                                 r.nonpresent, r.none, counts.present, counts.nonpresent, counts.none);
            });
  }

  // A row that is a hardware-valid entry with the contiguous bit, once each.
  void count_groups(const row& now) {
    if (!now.contiguous || now.m.state != entry_state::leaf) return;
    compare(kind::groups, now.m.items > 1,
            [&] { return fmt::format("{:#x}: {:016x} is in no well-formed group", now.m.va.value, now.m.raw); });
    if (now.m.items > 1)
      ++report_.group_sizes[fmt::format("{} {} entries", now.m.items, t_.level_names[depth(now.m.at)])];
  }

  void check_page(const region& r, const page_run& run, std::uint64_t i, std::uint64_t va, const row& now,
                  std::uint64_t scanned, page_counts& counts) {
    const pagemap_word kernel = run.word(i);
    const vma* const v = s_.truth.find_vma(va);
    const std::uint64_t phys = now.phys + (va - now.m.va.value);
    const auto differs = [&, this](const char* what) {
      return [&, this, what] {
        return fmt::format("{} {:#x}: {} {:016x} ({}) and pagemap {:016x}", r.name, va, t_.level_names[depth(now.m.at)],
                           now.m.raw, what, kernel.word);
      };
    };
    if (now.present)
      ++counts.present;
    else if (now.m.state == entry_state::empty)
      ++counts.none;
    else
      ++counts.nonpresent;
    if (now.m.state != entry_state::empty) ++report_.pages;

    const bool device = v != nullptr && v->has("pf");
    if (device) {
      // pagemap has no word for pages without a struct page. The file offset of /dev/mem is the physical address.
      apart("VM_PFNMAP: pagemap calls its pages none");
      compare(kind::none, kernel.none(), differs("VM_PFNMAP"));
      if (v->path == "/dev/mem")
        compare(kind::pfnmap, now.present && phys == v->offset + (va - v->start), differs("physical address"));
    } else if (kernel.present() || now.present) {
      compare(kind::pfn, kernel.present() && now.present && phys >> t_.page_shift == kernel.pfn(),
              differs("present, PFN"));
    } else if (kernel.swapped() || now.swap_form) {
      compare(kind::swap,
              kernel.swapped() && now.swap_form && now.swap_type == kernel.swap_type() &&
                  now.swap_offset == kernel.swap_offset(),
              differs("swap type, offset"));
      if (now.kind == parked_kind::marker) apart("pte markers: compared as swap entries of their type");
    } else {
      compare(kind::none, now.m.state == entry_state::empty, differs("none"));
    }

    if (v != nullptr && v->has("sd")) {
      apart("VmFlag sd: pagemap calls every page soft-dirty");
      if (!kernel.soft_dirty()) compare(kind::soft_dirty, false, differs("VmFlag sd, not soft-dirty"));
    } else if (!device) {
      compare(kind::soft_dirty, kernel.soft_dirty() == now.soft_dirty, differs("soft-dirty"));
    }
    const bool noted = now.kind == parked_kind::marker && (now.swap_offset & 1) != 0;
    const bool wp = now.uffd_wp || noted;
    if (!device) compare(kind::uffd_wp, kernel.uffd_wp() == wp, differs("uffd-wp"));
    if (now.present && v != nullptr) check_access(*v, now, device, differs);
    if (!device) check_scan(v, now, wp, scanned, differs);
    if (v != nullptr) add_to_sums(sums_[static_cast<std::size_t>(v - s_.truth.vmas.data())], r, *v, run, now, device);
  }

  template <class Differs>
  void check_access(const vma& v, const row& now, bool device, const Differs& differs) {
    const permissions<std::uint64_t>& mmu = now.rights;
    if (!v.read && !v.write && !v.exec) {
      compare(kind::access, !mmu.user_read && !mmu.user_write && !mmu.user_exec, differs("accessible, VMA ---"));
      return;
    }
    // Never more than the VMA allows; less only for writing. Execute-only is readable on x86 but for the protection
    // key, and on arm64 without FEAT_PAN3.
    bool same = now.m.state == entry_state::leaf && now.means.user && mmu.user_exec == v.exec &&
                (v.write || (!mmu.user_write && !now.means.write));
    if (v.read || v.write)
      same = same && mmu.user_read;
    else if (mmu.user_read && arch_ == "x86_64")
      same = same && now.pkey != 0;
    else if (mmu.user_read)
      same = same && arch_ == "arm64";
    if (!v.read && !v.write && mmu.user_read) apart("execute-only VMAs whose pages can be read, but for a key");
    if (v.write && !now.means.write)
      apart("write-protected in a writable VMA: copy-on-write, clean, uffd-wp, soft-clean");
    compare(kind::access, same, differs("permissions"));
    if (s_.truth.meta.contains("pkeys"))
      compare(kind::protection_key, now.pkey == v.sum("ProtectionKey"), differs("protection key"));
    if (!device) {
      const std::string_view type = now.memory_type;
      const bool tagged = v.has("mt");
      compare(kind::memory_type,
              tagged ? type == "Normal-Tagged" : type == "WB" || type == "Normal" || type == "PMA" || type == "normal",
              differs(now.memory_type));
    }
  }

  // Which categories PAGEMAP_SCAN gave the page, but for those that are facts of the file or of the registration.
  template <class Differs>
  void check_scan(const vma* v, const row& now, bool wp, std::uint64_t scanned, const Differs& differs) {
    std::uint64_t ours = 0;
    if (now.present || now.swap_form) {
      ours |= now.present ? scan_range::present : scan_range::swapped;
      if (!wp) ours |= scan_range::written;
      if (now.soft_dirty) ours |= scan_range::soft_dirty;
      if (now.present && now.m.at != level::pte) ours |= scan_range::huge;
    }
    if (v != nullptr && v->has("ht")) ours |= scan_range::huge;
    if (v != nullptr && v->has("sd")) ours |= scan_range::soft_dirty;
    std::uint64_t other = scan_range::wpallowed | scan_range::file | scan_range::pfnzero;
    if (now.m.state == entry_state::empty) {
      // Later 6.12 kernels call empty entries written, but not where there is no table; and powerpc64 finds no huge
      // page where it is not yet there.
      other |= scan_range::written | scan_range::huge;
      apart("PAGEMAP_SCAN of empty entries: written and huge depend on the release");
    }
    compare(kind::scan, (ours & ~other) == (scanned & ~other),
            [&] { return fmt::format("scan {:x}, here {:x}: {}", scanned, ours, differs("PAGEMAP_SCAN")()); });
  }

  // What task_mmu.c adds up: pages with a struct page that is no zero page.
  void add_to_sums(vma_sums& sums, const region& r, const vma& v, const page_run& run, const row& now, bool device) {
    sums.walked += page_;
    sums.stable = sums.stable && r.stable;
    if (device) return;
    if (now.kind == parked_kind::hwpoison) {
      sums.poisoned += page_;
      sums.resident += page_;
    } else if (now.kind == parked_kind::swap && now.swap_form) {
      sums.swap += page_;
    }
    if (!now.present || now.special || run.has(page_run::zero_page)) return;
    if (v.has("ht")) {
      sums.hugetlb += page_;
      return;
    }
    sums.resident += page_;
    if (now.m.accessed || run.has(page_run::referenced)) sums.young += page_;
    if (now.m.dirty || run.has(page_run::dirty)) sums.dirty += page_;
    if (now.m.at == level::pmd && run.has(page_run::anon)) sums.huge += page_;
  }

  void check_sums(const vma& v, const vma_sums& sums) {
    if (sums.walked != v.end - v.start) {
      apart("VMAs that are in no region: no page flags");
      return;
    }
    const auto same = [&](kind k, std::uint64_t ours, std::uint64_t kernel) {
      compare(k, ours == kernel, [&] {
        return fmt::format("VMA {:#x} {}: {} kB, here {} kB", v.start, v.path, kernel / 1024, ours / 1024);
      });
    };
    same(kind::resident, sums.resident, v.sum("Rss"));
    same(kind::hugetlb, sums.hugetlb, v.sum("Private_Hugetlb") + v.sum("Shared_Hugetlb"));
    same(kind::huge, sums.huge, v.sum("AnonHugePages"));
    // What shared memory swapped out leaves no entry behind, but smaps asks the file.
    if (v.has("sh"))
      apart("VMAs of shared memory: Swap is the file's");
    else
      same(kind::swapped, sums.swap, v.sum("Swap"));
    if (!sums.stable) {
      apart("VMAs that are volatile: young and dirty");
    } else if (sums.poisoned != 0) {
      apart("VMAs with hwpoison entries: young and dirty are the page's");
    } else {
      same(kind::young, sums.young, v.sum("Referenced"));
      same(kind::dirty, sums.dirty, v.sum("Shared_Dirty") + v.sum("Private_Dirty"));
    }
  }

  void check_qemu(const region& r) {
    for (const qemu_answer& q : r.qemu) {
      const traced_walk w = t_.walk({s_.truth.root_user}, {q.va});
      const bool mapped = w.result.end == walk_end::leaf;
      const auto text = [&] {
        return fmt::format("{} {:#x}: QEMU {}, here {}", r.name, q.va,
                           q.phys ? fmt::format("{:#x}", *q.phys) : "refuses",
                           mapped ? fmt::format("{:#x}", w.result.phys.value) : "nothing");
      };
      if (!q.phys && mapped && w.found && !w.found->rights.user_read) {
        apart("QEMU refuses what user mode cannot read");
        continue;
      }
      compare(kind::qemu, q.phys ? mapped && w.result.phys.value == *q.phys : !mapped, text);
    }
  }

  // Where the kernel maps all RAM, page after page; nothing if that is random.
  std::optional<std::uint64_t> linear_map() const {
    const bool fixed = s_.truth.about("cmdline").find("nokaslr") != std::string_view::npos;
    const std::uint64_t half = ~std::uint64_t{0} << (t_.va_bits - 1);
    if (arch_ == "x86_64" && fixed) return t_.va_bits == 57 ? 0xff11000000000000 : 0xffff888000000000;
    if (arch_ == "arm64" && fixed) return half << 1;
    if (arch_ == "ppc64") return 0xc000000000000000;
    if (arch_ == "riscv64")
      return t_.va_bits == 57 ? 0xff60000000000000 : t_.va_bits == 48 ? 0xffffaf8000000000 : 0xffffffd600000000;
    return {};
  }

  // Its pages must be those of RAM, in order. What the kernel has unmapped is left out.
  void check_linear_map() {
    const std::string_view ram = s_.truth.about("ram");
    const std::optional<std::uint64_t> start = linear_map();
    std::uint64_t base = 0, size = 0;
    const auto [space, error] = std::from_chars(ram.data(), ram.data() + ram.size(), base, 16);
    if (error != std::errc{} || space == ram.data() + ram.size()) return;
    if (std::from_chars(space + 1, ram.data() + ram.size(), size, 16).ec != std::errc{} || size == 0) return;
    if (!start) {
      apart("the kernel's linear map: its place is random");
      return;
    }
    if (*start + (size - 1) < *start || t_.half({*start}) != va_half::kernel) return;
    const std::unique_ptr<row_source> rows =
        t_.rows({s_.truth.root_kernel}, {{*start}, {*start + (size - 1)}}, most_bytes_);
    for (row now; rows->next(now);) {
      if (now.m.state != entry_state::leaf) continue;
      compare(
          kind::linear_map, now.phys == base + (now.m.va.value - *start) && !now.means.user && now.means.read,
          [&] { return fmt::format("{:#x}: {:016x} maps {:#x}", now.m.va.value, now.m.raw, now.phys); },
          now.m.size / page_);
    }
  }

  // Every leaf of one half against QEMU's listing, which must have each and no other.
  void check_listing(std::uint64_t root, va_range half) {
    const std::unique_ptr<row_source> rows = t_.rows({root}, half, most_bytes_);
    for (row now; rows->next(now);) {
      if (now.m.state != entry_state::leaf) continue;
      const std::uint64_t va = now.m.va.value, end = va + (now.m.size - 1);
      if (now.m.items > 1) {
        // QEMU 7.2 lists its pages one by one, each with the address as it stands in the entry.
        apart("QEMU's listing of NAPOT groups: the size is left in the address");
        while (next_listed_ != s_.listing.size() && s_.listing[next_listed_].va <= end) ++next_listed_;
        continue;
      }
      const bool listed = next_listed_ != s_.listing.size() && s_.listing[next_listed_].va <= va;
      const listed_leaves l = listed ? s_.listing[next_listed_] : listed_leaves{};
      const auto text = [&] {
        return fmt::format("{:#x}: {} {:016x}, QEMU lists {:#x} at {:#x}", va, t_.level_names[depth(now.m.at)],
                           now.m.raw, l.phys, l.va);
      };
      const bool user = half == t_.user;
      const permissions<std::uint64_t>& mmu = now.rights;
      bool same = listed && now.phys == l.phys + (va - l.va) && (l.size != 0 ? end <= l.last() : va == l.va) &&
                  l.user == user && l.global == now.global && l.write == now.means.write && l.read == now.means.read;
      if (user) same = same && l.exec == mmu.user_exec && l.write == mmu.user_write;
      // On x86-64 dirty may have moved to a bit that QEMU does not list; on riscv64 QEMU's own translations, asked for
      // before, set accessed bits.
      if (arch_ == "riscv64")
        same = same && (l.accessed || !now.m.accessed) && l.dirty == now.m.dirty;
      else
        same = same && l.accessed == now.m.accessed && (now.m.dirty || !l.dirty) && l.large == (now.m.at != level::pte);
      compare(kind::listing, same, text);
      if (listed && (l.size == 0 || l.last() <= end)) ++next_listed_;
    }
  }

  const snapshot& s_;
  const tree& t_;
  const std::uint64_t page_;
  const std::uint64_t most_bytes_;  // of tables in one walk
  const std::string_view arch_;
  std::vector<vma_sums> sums_;
  std::size_t next_listed_ = 0;  // of the listing
  check_report report_;
};

inline check_report check_snapshot(const snapshot& s, const tree& t) { return snapshot_check(s, t).run(); }

}  // namespace pte::examples
