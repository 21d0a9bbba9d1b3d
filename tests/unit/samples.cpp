// Golden words: entries that real kernels wrote (tests/data/samples.txt), each against what the kernel said of the
// page.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <pte/format/arm64.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../catch.hpp"

namespace {

using pte::entry_state;
using pte::level;
using pte::parked_kind;

// One line of the file.
struct row {
  std::string snapshot, kind, level_name, permissions, flags;
  std::uint64_t word = 0, pagemap = 0;

  bool of(const std::string& start) const { return kind.compare(0, start.size(), start) == 0; }
  bool in(const std::string& part) const { return kind.find(part) != std::string::npos; }
  bool allows(char right) const { return permissions.find(right) != std::string::npos; }
  // The words of /proc/PID/pagemap.
  bool present() const { return (pagemap >> 63 & 1) != 0; }
  bool swapped() const { return (pagemap >> 62 & 1) != 0; }
  bool uffd_wp() const { return (pagemap >> 57 & 1) != 0; }
  bool soft_dirty() const { return (pagemap >> 55 & 1) != 0; }
  std::uint64_t pfn() const { return pagemap & pte::bits(54, 0); }
  std::uint64_t swap_type() const { return pagemap & 31; }
  std::uint64_t swap_offset() const { return pagemap >> 5 & pte::bits(49, 0); }
};

std::vector<row> rows_of(const std::string& snapshot) {
  const char* source = std::getenv("PTE_SOURCE");
  const std::string path = std::string(source != nullptr ? source : ".") + "/tests/data/samples.txt";
  std::ifstream file(path);
  INFO("reading " << path);
  REQUIRE(file.is_open());
  std::vector<row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    row r;
    std::string word, pagemap;
    std::getline(in, r.snapshot, '|');
    std::getline(in, r.kind, '|');
    std::getline(in, r.level_name, '|');
    std::getline(in, word, '|');
    std::getline(in, pagemap, '|');
    std::getline(in, r.permissions, '|');
    std::getline(in, r.flags, '|');
    r.word = std::stoull(word, nullptr, 16);
    r.pagemap = std::stoull(pagemap, nullptr, 16);
    if (r.snapshot == snapshot) rows.push_back(r);
  }
  return rows;
}

// What the kind of a row says of its entry, where it says anything.
struct expected {
  std::optional<bool> write, accessed, dirty, special;
};

expected expected_of(const row& r) {
  if (r.of("anon rw, written") || r.of("PMD THP written")) return {true, true, true, false};
  if (r.of("anon rw, only read")) return {false, true, false, true};
  if (r.of("written, then mprotect R") || r.of("THP split by mprotect")) return {false, {}, true, {}};
  if (r.of("rw->R->rw")) return {true, {}, true, {}};
  if (r.of("written, clear_refs 1")) return {{}, false, true, {}};
  if (r.of("same, reread: young")) return {{}, true, true, {}};
  if (r.of("same, rewritten: soft-dirty")) return {true, {}, true, {}};
  if (r.of("COW after fork, shared") || r.of("PMD THP, shared")) return {false, {}, {}, {}};
  if (r.of("COW after fork, parent")) return {true, true, true, {}};
  if (r.of("R+X") || r.of("X only")) return {false, true, {}, {}};
  if (r.of("RWX written") || r.of("mlocked") || r.of("memfd_secret")) return {true, true, true, {}};
  if (r.of("shared anon, read")) return {true, true, false, {}};
  if (r.of("shared anon, written")) return {true, true, true, {}};
  if (r.of("tmpfs")) return {false, true, false, {}};
  if (r.of("MADV_FREE then")) return {true, true, true, {}};
  if (r.of("MADV_FREE") || r.in("whole block MADV_FREE")) return {true, {}, false, {}};
  if (r.of("uffd-wp lifted")) return {true, true, true, {}};
  if (r.of("uffd-wp, present") || r.of("uffd-wp on shmem") || r.of("PMD THP, uffd-wp")) return {false, {}, {}, {}};
  if (r.of("uffd-wp, zero page")) return {false, {}, false, true};
  if (r.of("huge zero page")) return {false, true, false, {}};
  if (r.of("PMD THP, mprotect R")) return {false, {}, {}, {}};
  if (r.of("PMD THP, old")) return {{}, false, {}, {}};
  if (r.of("... one page R")) return {false, {}, true, {}};
  if (r.of("mTHP shmem") || r.of("contiguous-size mTHP: intact") || r.of("pkey (")) return {true, true, true, {}};
  if (r.of("mTHP 64K old")) return {{}, {}, true, {}};
  if (r.of("hugetlb") && r.in("PROT_NONE")) return {};
  if (r.of("hugetlb") && r.in("read")) return {false, true, false, {}};
  if (r.of("hugetlb")) return {true, true, true, {}};
  if (r.of("/dev/mem")) return {true, {}, {}, true};
  if (r.of("MTE")) return {true, true, true, {}};
  return {};
}

std::uint64_t hugetlb_size(const row& r) {
  for (const auto& [text, size] : {std::pair{"64K", 64u << 10}, {"2M", 2u << 20}, {"32M", 32u << 20}, {"1G", 1u << 30}})
    if (r.of(std::string("hugetlb ") + text)) return size;
  return 0;
}

// The size of the page that the entry belongs to, the other entries of its group included.
template <class F, level L>
std::uint64_t mapped_size(const pte::entry<F, L>& e) {
  using ops = typename F::template at<L>;
  if constexpr (pte::has_contiguous<F>)
    if (ops::contiguous(e.raw)) return pte::bit(F::shift(L)) * ops::group_entries;
  return pte::bit(F::shift(L));
}

template <class F, level L>
void check_present(const row& r, pte::entry<F, L> e) {
  using ops = typename F::template at<L>;
  const pte::machine<F> m{};
  const auto page = e.as_present();
  const auto means = page.means(m);
  CHECK(e.is_present());
  CHECK_FALSE(e.is_empty());
  CHECK_FALSE(e.is_table());
  if (r.present()) {
    // pagemap counts pages up; the entry has the first of what it maps.
    std::uint64_t pages = pte::bit(F::shift(L) - F::page_shift);
    if constexpr (pte::has_contiguous<F>)
      pages = pte::bit(static_cast<unsigned>(ops::item_shift(e.raw)) - F::page_shift);
    CHECK(page.pfn(m) <= r.pfn());
    CHECK(r.pfn() - page.pfn(m) < pages);
    CHECK(page.phys(m) == page.pfn(m) << F::page_shift);
  }
  // An entry never means more than its mapping allows.
  CHECK((!means.write || r.allows('w')));
  if (means.user) CHECK((!means.exec || r.allows('x')));

  // PROT_NONE: invalid to the MMU, but for powerpc, and for contiguous hugetlb entries of arm64, which 6.12 makes
  // valid.
  const bool prot_none = r.permissions.compare(0, 3, "---") == 0;
  bool valid_prot_none = false;
  if constexpr (!pte::has_prot_none<F>) valid_prot_none = prot_none;
  if constexpr (pte::has_contiguous<F>)
    valid_prot_none = valid_prot_none || (prot_none && F::arch[0] == 'a' && L == level::pte && page.contiguous());
  if (prot_none && !valid_prot_none) {
    CHECK(state_of(e) == entry_state::parked);
    CHECK_FALSE(e.hardware_valid());
    CHECK(e.as_parked().is_prot_none());
    CHECK_FALSE(e.as_parked().is_swap_form());
    CHECK(kind_of(e.as_parked(), pte::debian_swap_types<pte::linux_6_12>()) == parked_kind::prot_none);
    CHECK_FALSE((means.read || means.write || means.exec));
  } else {
    CHECK(state_of(e) == entry_state::leaf);
    CHECK(e.hardware_valid());
    CHECK_FALSE(e.as_leaf().reserved_set(m));
    const auto mmu = e.as_leaf().rights_of(m);
    CHECK(mmu.user_read == (!prot_none && r.kind.compare(0, 6, "X only") != 0 ? true : mmu.user_read));
    if (prot_none) CHECK_FALSE((mmu.user_read || mmu.user_write || mmu.user_exec));
    CHECK((!mmu.user_write || means.write));
    CHECK(mmu.user_exec == (r.allows('x') && !prot_none));
    if (!prot_none) CHECK(means.user);
    // Written by hand or by Linux: taking the entry apart and building it again gives the same address bits.
    const std::uint64_t pfn = e.as_leaf().phys(m) >> F::page_shift;
    const auto again = pte::entry<F, L>::make_leaf(pfn, pte::entry<F, L>::protection({.read = true}), m);
    CHECK(again.as_leaf().phys(m) == e.as_leaf().phys(m));
  }

  const expected x = expected_of(r);
  if (x.write) CHECK(means.write == *x.write);
  if (x.accessed) CHECK(page.accessed() == *x.accessed);
  if (x.dirty) CHECK(page.dirty() == *x.dirty);
  if constexpr (pte::has_special<F>)
    if (x.special) CHECK(page.special() == *x.special);
  if constexpr (pte::has_soft_dirty<F>) {
    // A VMA may be soft-dirty as a whole; then pagemap says so of pages that are not.
    CHECK((!page.soft_dirty() || r.soft_dirty()));
    if (r.in("soft-clean")) CHECK_FALSE(page.soft_dirty());
    if (r.in("soft-dirty")) CHECK(page.soft_dirty());
  }
  if constexpr (pte::has_uffd_wp<F>) CHECK(page.uffd_wp() == r.uffd_wp());
  if constexpr (pte::has_pkey<F>) {
    if (r.of("pkey (k1=2")) CHECK(page.pkey() == 2);
    if (r.of("pkey, PROT_NONE")) CHECK(page.pkey() == 3);
  }
  if constexpr (pte::has_contiguous<F>) {
    // What Linux gathers into groups: on arm64 any page of that size, on riscv hugetlb of 64 KiB.
    const bool arm = F::arch[0] == 'a';
    if (r.of("contiguous-size mTHP: intact")) CHECK(page.contiguous() == arm);
    if (r.of("hugetlb 64K")) CHECK(page.contiguous());
    if (r.of("anon rw, written") || r.of("hugetlb 1G")) CHECK_FALSE(page.contiguous());
  }
  if (const std::uint64_t size = hugetlb_size(r); size != 0) CHECK(mapped_size(e) == size);

  const std::string memory = F::memory_type_name(page.memory_attributes(m));
  if (r.of("/dev/mem")) {
    const bool x86 = F::arch[0] == 'x', arm = F::arch[0] == 'a';
    CHECK(memory == (x86 ? "UC-" : arm ? "Device-nGnRnE" : "IO"));
    CHECK(page.phys(m) == (x86 ? 0xfed00000u : arm ? 0x09010000u : 0x00101000u));
  } else if (r.of("MTE") && r.snapshot == "arm64-4k-max") {
    CHECK(memory == "Normal-Tagged");
  } else {
    CHECK((memory == "WB" || memory == "Normal" || memory == "normal" || memory == "PMA"));
  }
}

template <class F, level L>
void check_swapped(const row& r, pte::entry<F, L> e) {
  CHECK(state_of(e) == entry_state::parked);
  CHECK_FALSE(e.is_present());
  CHECK_FALSE(e.hardware_valid());
  REQUIRE(e.as_parked().is_swap_form());
  CHECK_FALSE(e.as_parked().is_prot_none());
  CHECK_FALSE(e.as_parked().is_present_invalid());
  const auto swap = e.as_parked().as_swap();
  CHECK(swap.type() == r.swap_type());
  CHECK(swap.offset() == r.swap_offset());

  const parked_kind kind = kind_of(e.as_parked(), pte::debian_swap_types<pte::linux_6_12>());
  if (r.in("swapped out")) CHECK(kind == parked_kind::swap);
  if (r.in("marker")) CHECK(kind == parked_kind::marker);
  if (r.in("hwpoison")) CHECK(kind == parked_kind::hwpoison);
  if (r.of("UFFDIO_POISON")) CHECK(swap.offset() == 2);

  // The flags, and nothing else, are what type and offset leave.
  std::uint64_t flags = 0;
  if constexpr (requires { swap.exclusive(); }) {
    CHECK(swap.exclusive() == r.in("swapped out"));
    flags |= swap.exclusive() ? F::swap_exclusive_bit.mask : 0;
  }
  if constexpr (requires { swap.uffd_wp(); }) {
    const bool marker = kind == parked_kind::marker && (swap.offset() & 1) != 0;
    CHECK((swap.uffd_wp() || marker) == r.uffd_wp());
    flags |= swap.uffd_wp() ? F::swap_uffd_bit.mask : 0;
  }
  if constexpr (requires { swap.soft_dirty(); }) {
    CHECK((!swap.soft_dirty() || r.soft_dirty()));
    if constexpr (requires { F::swap_soft_dirty_bit; })
      flags |= swap.soft_dirty() ? F::swap_soft_dirty_bit.mask : 0;
    else
      flags |= swap.soft_dirty() ? F::soft_dirty_bit.mask : 0;
  }
  CHECK((pte::entry<F, L>::make_swap(swap.type(), swap.offset()).raw | flags) == e.raw);
}

template <class F, level L>
void check_row(const row& r) {
  const pte::entry<F, L> e{r.word};
  CHECK(e.raw == r.word);
  // A device page is a leaf; pagemap calls it a hole.
  if (r.present() || !r.swapped())
    check_present<F, L>(r, e);
  else
    check_swapped<F, L>(r, e);
}

// Every row of a snapshot; its root table is at level `Root`, which the rows call pgd.
template <class Layout, level Root>
void check_snapshot(const std::string& name, std::size_t count) {
  using F = pte::format<Layout, pte::linux_6_12>;
  const std::vector<row> rows = rows_of(name);
  CHECK(rows.size() == count);
  for (const row& r : rows) {
    INFO(r.snapshot << ": " << r.kind << ", " << r.level_name << " 0x" << std::hex << r.word << ", pagemap 0x"
                    << r.pagemap << std::dec << ", " << r.permissions);
    if (r.level_name == "pte")
      check_row<F, level::pte>(r);
    else if (r.level_name == "pmd")
      check_row<F, level::pmd>(r);
    else if (r.level_name == "pud")
      check_row<F, level::pud>(r);
    else
      check_row<F, Root>(r);
  }
}

}  // namespace

TEST_CASE("entries of a real x86-64 kernel") { check_snapshot<pte::x86_64, level::p4d>("x86_64-4level", 57); }
TEST_CASE("entries of a real arm64 kernel, 4K pages") { check_snapshot<pte::arm64_4k, level::p4d>("arm64-4k", 61); }
TEST_CASE("entries of a real arm64 kernel, 4K pages, LPA2") {
  check_snapshot<pte::arm64_4k_lpa2, level::pgd>("arm64-4k-max", 62);
}
TEST_CASE("entries of a real arm64 kernel, 16K pages") { check_snapshot<pte::arm64_16k, level::pud>("arm64-16k", 58); }
TEST_CASE("entries of a real ppc64 kernel, 64K pages") { check_snapshot<pte::ppc64_64k, level::p4d>("ppc64-64k", 38); }
TEST_CASE("entries of a real ppc64 kernel, 4K pages") { check_snapshot<pte::ppc64_4k, level::p4d>("ppc64-4k", 46); }
TEST_CASE("entries of a real riscv64 kernel, Sv39") { check_snapshot<pte::riscv64, level::pud>("riscv64-sv39", 50); }
