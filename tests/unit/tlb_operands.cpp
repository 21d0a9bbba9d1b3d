// Operands and sequences of the real back ends, on every host: golden values worked out from the manuals' bit
// positions, and ports that write down what they are told.
#include <pte/tlb/backend_arm64.hpp>
#include <pte/tlb/backend_ppc64.hpp>
#include <pte/tlb/backend_riscv64.hpp>
#include <pte/tlb/backend_x86_64.hpp>
#include <pte/tlb/request.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../catch.hpp"

namespace {

using pte::level;
using pte::virt_addr;

std::string hex(std::uint64_t value) {
  std::string text;
  do text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  while ((value >>= 4) != 0);
  return text;
}

using script = std::vector<std::string>;

template <class Layout>
pte::flush_plan<Layout> plan(std::uint64_t first, std::uint64_t last, level l, bool tables = false,
                             bool global = false) {
  pte::gather<Layout> g;
  if (tables)
    g.add_table({{first}, {last}}, l);
  else
    g.add({{first}, {last}}, l);
  if (global) g.include_global();
  return g.plan();
}
template <class Layout>
pte::flush_plan<Layout> all(bool tables, bool global) {
  pte::flush_plan<Layout> p{.extent = pte::flush_extent::everything, .leaves = {1}, .global = global};
  if (tables) p.tables = {2};
  return p;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ x86-64

namespace {

struct x86_script {
  script* out;
  void invlpg(virt_addr va) { out->push_back("invlpg " + hex(va.value)); }
  void invpcid(pte::invpcid_type type, pte::invpcid_descriptor what) {
    out->push_back("invpcid " + hex(static_cast<std::uint64_t>(type)) + " pcid " + hex(what.pcid) + " at " +
                   hex(what.address));
  }
  void reload_cr3() { out->push_back("cr3"); }
  void toggle_pge() { out->push_back("pge"); }
};

script x86(const pte::flush_plan<pte::x86_64>& p, const pte::x86_64_target& target) {
  script out;
  pte::x86_64_flush(p, target, x86_script{&out});
  return out;
}

}  // namespace

TEST_CASE("x86-64: addresses of the current context are invalidated one by one, at the stride") {
  CHECK(x86({}, {}).empty());
  CHECK(x86(plan<pte::x86_64>(0x1000, 0x3fff, level::pte), {}) == script{"invlpg 1000", "invlpg 2000", "invlpg 3000"});
  CHECK(x86(plan<pte::x86_64>(0x20'0000, 0x5f'ffff, level::pmd), {}) == script{"invlpg 200000", "invlpg 400000"});
  CHECK(x86(plan<pte::x86_64>(0x4000'0000, 0x7fff'ffff, level::pud), {}) == script{"invlpg 40000000"});
  // INVLPG takes global translations, and the upper levels of this PCID, along.
  CHECK(x86(plan<pte::x86_64>(0x1000, 0x1fff, level::pte, false, true), {.pcide = true}) == script{"invlpg 1000"});
  CHECK(x86(plan<pte::x86_64>(0x20'0000, 0x3f'ffff, level::pmd, true), {.pcide = true}) == script{"invlpg 200000"});
}

TEST_CASE("x86-64: upper levels of global translations are in every context") {
  const auto p = plan<pte::x86_64>(0x20'0000, 0x3f'ffff, level::pmd, true, true);
  CHECK(x86(p, {}) == script{"invlpg 200000"});
  CHECK(x86(p, {.pcide = true}) == script{"pge"});
  CHECK(x86(p, {.pcide = true, .invpcid = true}) == script{"invpcid 2 pcid 0 at 0"});
}

TEST_CASE("x86-64: everything of the current context") {
  CHECK(x86(all<pte::x86_64>(false, false), {}) == script{"cr3"});
  CHECK(x86(all<pte::x86_64>(true, false), {.pcide = true, .invpcid = true}) == script{"cr3"});
  CHECK(x86(all<pte::x86_64>(false, true), {}) == script{"pge"});
  CHECK(x86(all<pte::x86_64>(false, true), {.pcide = true, .invpcid = true}) == script{"invpcid 2 pcid 0 at 0"});
}

TEST_CASE("x86-64: another context by its PCID, and all contexts") {
  using contexts = pte::x86_64_target::contexts;
  const pte::x86_64_target one{.which = contexts::one, .pcid = 0xabc, .pcide = true, .invpcid = true};
  const auto range = plan<pte::x86_64>(0x7fff'0000'1000, 0x7fff'0000'2fff, level::pte);
  CHECK(x86(range, one) == script{"invpcid 0 pcid abc at 7fff00001000", "invpcid 0 pcid abc at 7fff00002000"});
  CHECK(x86(all<pte::x86_64>(true, false), one) == script{"invpcid 1 pcid abc at 0"});
  // Types 0 and 1 spare global translations.
  CHECK(x86(plan<pte::x86_64>(0x1000, 0x1fff, level::pte, false, true), one) == script{"invpcid 2 pcid 0 at 0"});
  CHECK(x86(all<pte::x86_64>(true, true), one) == script{"invpcid 2 pcid 0 at 0"});
  // Without INVPCID only everything can be invalidated.
  CHECK(x86(range, {.which = contexts::one, .pcid = 0xabc, .pcide = true}) == script{"pge"});

  const pte::x86_64_target every{.which = contexts::all, .pcide = true, .invpcid = true};
  CHECK(x86(range, every) == script{"invpcid 3 pcid 0 at 0"});
  CHECK(x86(all<pte::x86_64>(false, true), every) == script{"invpcid 2 pcid 0 at 0"});
  CHECK(x86(range, {.which = contexts::all, .pcide = true}) == script{"pge"});
  // There is one context only.
  CHECK(x86(range, {.which = contexts::all, .invpcid = true}) == script{"invlpg 7fff00001000", "invlpg 7fff00002000"});
}

TEST_CASE("x86-64: the back end asks the other CPUs, and asks them for the same plan") {
  script here, there;
  const auto others = [&](const pte::flush_plan<pte::x86_64>& p) { there = x86(p, {}); };
  pte::x86_64_backend<x86_script, decltype(others)> backend{.others = others, .cpu = {&here}};
  pte::flush_request<pte::x86_64> request;
  request.gathered().add({{0x1000}, {0x1000 + 33 * 0x1000 - 1}}, level::pte);
  CHECK(std::move(request).run(backend).frames().empty());
  CHECK((here.size() == 33 && here == there));
  pte::flush_request<pte::x86_64> longer;
  longer.gathered().add({{0x1000}, {0x1000 + 34 * 0x1000 - 1}}, level::pte);
  here.clear();
  CHECK(std::move(longer).run(backend).frames().empty());
  CHECK((here == script{"cr3"} && here == there));
}

// ------------------------------------------------------------------------------------------------------------- arm64

namespace {

struct arm64_script {
  script* out;
  static const char* suffix(pte::arm64_scope scope) { return scope == pte::arm64_scope::local ? "" : "is"; }
  void dsb_stores(pte::arm64_scope scope) {
    out->push_back(scope == pte::arm64_scope::local ? "dsb nshst" : "dsb ishst");
  }
  void dsb(pte::arm64_scope scope) { out->push_back(scope == pte::arm64_scope::local ? "dsb nsh" : "dsb ish"); }
  void isb() { out->push_back("isb"); }
  void tlbi(pte::arm64_tlbi op, pte::arm64_scope scope, std::uint64_t operand) {
    const auto name = [&]() -> std::string {
      switch (op) {
        case pte::arm64_tlbi::vmalle1:
          return "vmalle1";
        case pte::arm64_tlbi::vae1:
          return "vae1";
        case pte::arm64_tlbi::aside1:
          return "aside1";
        case pte::arm64_tlbi::vaae1:
          return "vaae1";
        case pte::arm64_tlbi::vale1:
          return "vale1";
        case pte::arm64_tlbi::vaale1:
          return "vaale1";
        case pte::arm64_tlbi::rvae1:
          return "rvae1";
        case pte::arm64_tlbi::rvaae1:
          return "rvaae1";
        case pte::arm64_tlbi::rvale1:
          return "rvale1";
        case pte::arm64_tlbi::rvaale1:
          return "rvaale1";
      }
      return "?";
    }();
    out->push_back(name + suffix(scope) + " " + hex(operand));
  }
};

template <class Layout>
script arm64(const pte::flush_plan<Layout>& p, const pte::arm64_target& target) {
  script out;
  pte::arm64_flush(p, target, arm64_script{&out});
  return out;
}

}  // namespace

TEST_CASE("arm64: operands of single addresses") {
  using namespace pte;
  // VA[55:12], whatever the granule; ASID in 63:48.
  STATIC_REQUIRE(arm64_address_operand<arm64_4k>({0x7fff'1234'5000}, 0x42, 0) == 0x0042'0007'fff1'2345);
  STATIC_REQUIRE(arm64_address_operand<pte::arm64<16>>({0x7fff'1234'0000}, 0x42, 0) == 0x0042'0007'fff1'2340);
  STATIC_REQUIRE(arm64_address_operand<pte::arm64<14>>({0x7fff'1234'4000}, 0xffff, 0) == 0xffff'0007'fff1'2344);
  // Bits 63:56 of the address are not part of it, nor do they reach into the hint.
  STATIC_REQUIRE(arm64_address_operand<arm64_4k>({0xffff'8000'1000'0000}, 0, 0) == 0x0000'0ff8'0001'0000);
  // The hint: granule 1, 2, 3 in 47:46, level in 45:44.
  STATIC_REQUIRE(arm64_address_operand<arm64_4k>({0xffff'8000'1000'0000}, 0, 3) == 0x0000'7ff8'0001'0000);
  STATIC_REQUIRE(arm64_address_operand<arm64_4k>({0x20'0000}, 1, 2) == 0x0001'6000'0000'0200);
  STATIC_REQUIRE(arm64_address_operand<pte::arm64<14>>({0x4000}, 1, 3) == 0x0001'b000'0000'0004);
  STATIC_REQUIRE(arm64_address_operand<pte::arm64<16>>({0x2000'0000}, 1, 2) == 0x0001'e000'0002'0000);
  // Levels as the hint numbers them.
  STATIC_REQUIRE(arm64_level_hint<arm64_4k>(level::pte) == 3);
  STATIC_REQUIRE(arm64_level_hint<arm64_4k>(level::pud) == 1);
  STATIC_REQUIRE(arm64_level_hint<arm64_4k>(level::p4d) == 0);
  STATIC_REQUIRE(arm64_level_hint<pte::arm64<14>>(level::pud) == 0);
  STATIC_REQUIRE(arm64_level_hint<pte::arm64<14, true>>(level::pud) == 1);
  STATIC_REQUIRE(arm64_level_hint<pte::arm64<16>>(level::pmd) == 2);
}

TEST_CASE("arm64: operands of ranges") {
  using namespace pte;
  // Base 0x40000, TTL 3 << 37, NUM 4 << 39, TG 1 << 46, ASID 1 << 48.
  STATIC_REQUIRE(arm64_range_operand<arm64_4k>({0x4000'0000}, 1, 3, 4, 0) == 0x0001'4260'0004'0000);
  STATIC_REQUIRE(arm64_range_operand<arm64_4k>({0x4000'0000}, 1, 0, 31, 3) == 0x0001'7f80'0004'0000);
  // Counted in granules; with LPA2, in 64K. VA[48:12], [50:14], [52:16].
  STATIC_REQUIRE(arm64_range_operand<pte::arm64<14>>({0x4000'0000}, 0, 0, 0, 1) == 0x0000'9000'0001'0000);
  STATIC_REQUIRE(arm64_range_operand<pte::arm64<16>>({0x4000'0000}, 0, 2, 0, 0) == 0x0000'c040'0000'4000);
  STATIC_REQUIRE(arm64_range_operand<arm64_4k_lpa2>({0x4000'0000}, 0, 0, 0, 0) == 0x0000'4000'0000'4000);
  STATIC_REQUIRE(arm64_range_operand<arm64_4k>({0xffff'8000'0000'0000}, 0, 0, 0, 0) == 0x0000'4018'0000'0000);
  STATIC_REQUIRE(arm64_range_pages(31, 3) == 2'097'152);
  STATIC_REQUIRE(arm64_range_pages(0, 0) == 2);
}

TEST_CASE("arm64: barriers, and which operation") {
  using L = pte::arm64<12>;
  CHECK(arm64<L>({}, {}).empty());
  CHECK(arm64(plan<L>(0x1000, 0x1fff, level::pte), {.asid = 7}) ==
        script{"dsb ishst", "vale1is 7000000000001", "dsb ish", "isb"});
  CHECK(arm64(plan<L>(0x1000, 0x1fff, level::pte), {.asid = 7, .scope = pte::arm64_scope::local}) ==
        script{"dsb nshst", "vale1 7000000000001", "dsb nsh", "isb"});
  CHECK(arm64(plan<L>(0x1000, 0x1fff, level::pte), {.asid = 7, .level_hints = true}) ==
        script{"dsb ishst", "vale1is 7700000000001", "dsb ish", "isb"});
  // A table changed: walk caches too, and no hint.
  CHECK(arm64(plan<L>(0x20'0000, 0x5f'ffff, level::pmd, true), {.asid = 7, .level_hints = true}) ==
        script{"dsb ishst", "vae1is 7000000000200", "vae1is 7000000000400", "dsb ish", "isb"});
  // Global: all ASIDs.
  CHECK(arm64(plan<L>(0x1000, 0x1fff, level::pte, false, true), {.asid = 7}) ==
        script{"dsb ishst", "vaale1is 1", "dsb ish", "isb"});
  CHECK(arm64(plan<L>(0x20'0000, 0x3f'ffff, level::pmd, true, true), {.asid = 7}) ==
        script{"dsb ishst", "vaae1is 200", "dsb ish", "isb"});
  CHECK(arm64(all<L>(false, false), {.asid = 7}) == script{"dsb ishst", "aside1is 7000000000000", "dsb ish", "isb"});
  CHECK(arm64(all<L>(true, true), {.asid = 7}) == script{"dsb ishst", "vmalle1is 0", "dsb ish", "isb"});
  // Leaves of two levels, or a table that changed besides leaves: no hint.
  pte::gather<L> mixed;
  mixed.add_entry({0x20'0000}, level::pte);
  mixed.add_entry({0x20'0000}, level::pmd);
  const auto no_hint = arm64(mixed.plan(), {.level_hints = true});
  CHECK((no_hint.size() == 3 + 512 && no_hint[1] == "vale1is 200" && no_hint[512] == "vale1is 3ff"));
  pte::gather<L> emptied;
  emptied.add_entry({0x3f'f000}, level::pte);
  emptied.add_table({{0x20'0000}, {0x20'0000}}, level::pmd);
  CHECK(arm64(emptied.plan(), {.level_hints = true})[1] == "vae1is 200");
  // Ranges: 5 pages are 4 and one; 2 MiB pages are ranges of the base page with the hint of their level.
  CHECK(arm64(plan<L>(0x4000'0000, 0x4000'4fff, level::pte), {.asid = 1, .range_operations = true}) ==
        script{"dsb ishst", "rvale1is 1408000040000", "vale1is 1000000040004", "dsb ish", "isb"});
  CHECK(arm64(plan<L>(0x4000'0000, 0x407f'ffff, level::pmd),
              {.asid = 1, .range_operations = true, .level_hints = true}) ==
        script{"dsb ishst", "rvale1is 1604000040000", "dsb ish", "isb"});
}

namespace {

// Marks what operations cover, by reading their operands back.
template <class Layout>
struct arm64_coverage {
  pte::flush_plan<Layout> plan;
  std::uint64_t* next;  // operations come in ascending order: what is not yet covered
  unsigned* operations;

  void dsb_stores(pte::arm64_scope) {}
  void dsb(pte::arm64_scope) {}
  void isb() {}
  void tlbi(pte::arm64_tlbi op, pte::arm64_scope, std::uint64_t operand) {
    ++*operations;
    REQUIRE(operand >> 48 == 0x55);
    if (op == pte::arm64_tlbi::vale1) {
      REQUIRE((operand & pte::bits(43, 0)) == (*next >> 12 & pte::bits(43, 0)));
      const std::uint64_t ttl = operand >> 44 & 15;
      REQUIRE((ttl == 0 ||
               (ttl >> 2 == pte::arm64_granule(Layout::page_shift) && (ttl & 3) == 3 - depth(plan.stride_level()))));
      *next += plan.stride();
      return;
    }
    REQUIRE(op == pte::arm64_tlbi::rvale1);
    constexpr unsigned unit = Layout::lpa2 ? 16 : Layout::page_shift;
    const std::uint64_t num = operand >> 39 & 31, scale = operand >> 44 & 3, ttl = operand >> 37 & 3;
    REQUIRE((operand >> 46 & 3) == pte::arm64_granule(Layout::page_shift));
    // The base loses nothing, and where there is a hint it begins where an entry of that level does.
    REQUIRE((operand & pte::bits(36, 0)) == (*next >> unit & pte::bits(36, 0)));
    REQUIRE((*next & (pte::bit(unit) - 1)) == 0);
    if (ttl != 0) REQUIRE((ttl == 3 - depth(plan.stride_level()) && *next % plan.stride() == 0));
    *next += (num + 1) << (5 * scale + 1) << Layout::page_shift;
  }
};

template <class Layout>
void check_coverage(level l, bool range_operations, std::uint64_t most) {
  std::mt19937_64 random(depth(l));
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t size = pte::bit(Layout::shift(l)), count = 1 + random() % most;
    const std::uint64_t first = (random() & pte::bits(40, 0)) / size * size;
    const auto p = plan<Layout>(first, first + count * size - 1, l);
    std::uint64_t next = first;
    unsigned operations = 0;
    pte::arm64_flush(p, {.asid = 0x55, .range_operations = range_operations, .level_hints = true},
                     arm64_coverage<Layout>{p, &next, &operations});
    REQUIRE(next == first + count * size);
    // At most one operation a scale, an odd page, those that align it to 64K, and more of the largest than one.
    const std::uint64_t pages = count * size >> Layout::page_shift;
    if (range_operations && size >> Layout::page_shift <= pte::arm64_range_pages(31, 3))
      REQUIRE(operations <= 5 + (Layout::lpa2 ? 15 : 0) + pages / pte::arm64_range_pages(31, 3));
    else
      REQUIRE(operations == count);
  }
}

}  // namespace

TEST_CASE("arm64: operations on ranges cover the range, no more and no less") {
  check_coverage<pte::arm64<12>>(level::pte, true, 5'000'000);
  check_coverage<pte::arm64<12>>(level::pte, true, 70);
  check_coverage<pte::arm64<12>>(level::pte, false, 70);
  check_coverage<pte::arm64<12>>(level::pmd, true, 5000);
  check_coverage<pte::arm64<12>>(level::pud, true, 20);
  check_coverage<pte::arm64<12, true>>(level::pte, true, 5'000'000);
  check_coverage<pte::arm64<12, true>>(level::pte, true, 70);
  check_coverage<pte::arm64<12, true>>(level::p4d, true, 3);
  check_coverage<pte::arm64<14>>(level::pte, true, 100'000);
  check_coverage<pte::arm64<14, true>>(level::pte, true, 100'000);
  check_coverage<pte::arm64<14>>(level::pmd, true, 3000);
  check_coverage<pte::arm64<14, true>>(level::pud, true, 3);
  check_coverage<pte::arm64<16>>(level::pte, true, 100'000);
  check_coverage<pte::arm64<16>>(level::pmd, true, 1000);
  check_coverage<pte::arm64<16, true>>(level::pud, true, 3);
}

// --------------------------------------------------------------------------------------------------------- powerpc64

namespace {

struct ppc64_script {
  script* out;
  void ptesync() { out->push_back("ptesync"); }
  void tlbsync() { out->push_back("eieio; tlbsync; ptesync"); }
  void drop_erat() { out->push_back("slbia 3; isync"); }
  void issue(const char* name, const pte::ppc64_tlbie& w) {
    out->push_back(name + hex(w.rb) + "," + hex(w.rs) + "," + hex(static_cast<std::uint64_t>(w.ric)));
  }
  void tlbie(const pte::ppc64_tlbie& what) { issue("tlbie ", what); }
  void tlbiel(const pte::ppc64_tlbie& what) { issue("tlbiel ", what); }
};

template <class Layout>
script ppc64(const pte::flush_plan<Layout>& p, const pte::ppc64_target& target) {
  script out;
  pte::ppc64_flush(p, target, ppc64_script{&out});
  return out;
}

}  // namespace

TEST_CASE("powerpc64: operands") {
  using namespace pte;
  // EPN | AP << 5; PID in the upper half.
  STATIC_REQUIRE(ppc64_invalidate_address({0x7fff'1234'5678}, 5, 12) ==
                 ppc64_tlbie{0x7fff'1234'5000, 0x5'0000'0000, ppc64_ric::tlb});
  STATIC_REQUIRE(ppc64_invalidate_address({0x7fff'1234'0000}, 5, 16).rb == 0x7fff'1234'00a0);
  STATIC_REQUIRE(ppc64_invalidate_address({0x7fff'1220'0000}, 5, 21).rb == 0x7fff'1220'0020);
  STATIC_REQUIRE(ppc64_invalidate_address({0x7fff'0000'0000}, 5, 30).rb == 0x7fff'0000'0040);
  // IS = 1 in bits 52:53; a set in bits 40:51.
  STATIC_REQUIRE(ppc64_invalidate_pid(0xffff'ffff, ppc64_ric::all) ==
                 ppc64_tlbie{0x400, 0xffff'ffff'0000'0000, ppc64_ric::all});
  STATIC_REQUIRE(ppc64_invalidate_pid(1, ppc64_ric::tlb, 127).rb == 0x7'f400);
}

TEST_CASE("powerpc64: sequences") {
  using L = pte::ppc64_radix<16>;
  CHECK(ppc64<L>({}, {}).empty());
  CHECK(ppc64(plan<L>(0x1'0000, 0x2'ffff, level::pte), {.pid = 5}) ==
        script{"ptesync", "tlbie 100a0,500000000,0", "tlbie 200a0,500000000,0", "eieio; tlbsync; ptesync"});
  CHECK(ppc64(plan<L>(0x1'0000, 0x1'ffff, level::pte), {.pid = 5, .local = true}) ==
        script{"ptesync", "tlbiel 100a0,500000000,0", "ptesync"});
  // A table changed: the walk cache.
  CHECK(ppc64(plan<L>(0x20'0000, 0x3f'ffff, level::pmd, true), {.pid = 5}) ==
        script{"ptesync", "tlbie 400,500000000,1", "eieio; tlbsync; ptesync"});
  CHECK(ppc64(all<L>(false, false), {.pid = 5}) ==
        script{"ptesync", "tlbie 400,500000000,0", "eieio; tlbsync; ptesync"});
  CHECK(ppc64(all<L>(true, true), {.pid = 0}) == script{"ptesync", "tlbie 400,0,2", "eieio; tlbsync; ptesync"});
  CHECK(ppc64(all<L>(true, false), {.pid = 5, .local = true, .local_sets = 3}) ==
        script{"ptesync", "tlbiel 400,500000000,2", "tlbiel 1400,500000000,0", "tlbiel 2400,500000000,0", "ptesync",
               "slbia 3; isync"});
  // Two sizes: each by itself, over the whole range.
  pte::gather<pte::ppc64_radix<12>> g;
  g.add_entry({0x1f'f000}, level::pte);
  g.add_entry({0x20'0000}, level::pmd);
  const auto out = ppc64(g.plan(), {.pid = 1});
  REQUIRE(out.size() == 2 + 513 + 2);
  CHECK(out[1] == "tlbie 1ff000,100000000,0");
  CHECK(out[513] == "tlbie 3ff000,100000000,0");
  CHECK(out[514] == "tlbie 20,100000000,0");
  CHECK(out[515] == "tlbie 200020,100000000,0");
}

// ----------------------------------------------------------------------------------------------------------- riscv64

namespace {

struct riscv64_script {
  script* out;
  static std::string operands(pte::riscv64_fence f) {
    return (f.by_address ? hex(f.address) : "x0") + "," + (f.by_asid ? hex(f.asid) : "x0");
  }
  void sfence_vma(pte::riscv64_fence f) { out->push_back("sfence.vma " + operands(f)); }
  void sfence_w_inval() { out->push_back("sfence.w.inval"); }
  void sinval_vma(pte::riscv64_fence f) { out->push_back("sinval.vma " + operands(f)); }
  void sfence_inval_ir() { out->push_back("sfence.inval.ir"); }
};

script riscv64(const pte::flush_plan<pte::riscv64>& p, const pte::riscv64_target& target) {
  script out;
  pte::riscv64_flush(p, target, riscv64_script{&out});
  return out;
}

}  // namespace

TEST_CASE("riscv64: rs1 and rs2") {
  using L = pte::riscv64;
  const pte::riscv64_target asid{.asid = 9, .asids = true};
  CHECK(riscv64({}, asid).empty());
  CHECK(riscv64(plan<L>(0x1000, 0x2fff, level::pte), asid) == script{"sfence.vma 1000,9", "sfence.vma 2000,9"});
  CHECK(riscv64(plan<L>(0x1000, 0x1fff, level::pte), {}) == script{"sfence.vma 1000,x0"});
  // Global mappings: rs2 = x0. Tables: rs1 = x0.
  CHECK(riscv64(plan<L>(0x1000, 0x1fff, level::pte, false, true), asid) == script{"sfence.vma 1000,x0"});
  CHECK(riscv64(plan<L>(0x20'0000, 0x5f'ffff, level::pmd, true), asid) == script{"sfence.vma x0,9"});
  CHECK(riscv64(plan<L>(0x20'0000, 0x5f'ffff, level::pmd, true, true), asid) == script{"sfence.vma x0,x0"});
  CHECK(riscv64(all<L>(false, false), asid) == script{"sfence.vma x0,9"});
  CHECK(riscv64(all<L>(false, true), asid) == script{"sfence.vma x0,x0"});
  CHECK(riscv64(plan<L>(0x20'0000, 0x5f'ffff, level::pmd), {.asid = 9, .asids = true, .svinval = true}) ==
        script{"sfence.w.inval", "sinval.vma 200000,9", "sinval.vma 400000,9", "sfence.inval.ir"});
}

TEST_CASE("riscv64: what other harts are asked for") {
  using L = pte::riscv64;
  using remote = pte::riscv64_remote_fence;
  const pte::riscv64_target asid{.asid = 9, .asids = true};
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  CHECK(riscv64_remote_fence_for(plan<L>(0x1000, 0x2fff, level::pte), asid) == remote{true, 0x1000, 0x2000, 9});
  CHECK(riscv64_remote_fence_for(plan<L>(0x1000, 0x2fff, level::pte, false, true), asid) ==
        remote{false, 0x1000, 0x2000, 0});
  CHECK(riscv64_remote_fence_for(plan<L>(0x20'0000, 0x3f'ffff, level::pmd, true), asid) == remote{true, 0, ones, 9});
  CHECK(riscv64_remote_fence_for(plan<L>(0, ones, level::pte), {}) == remote{false, 0, ones, 0});
  CHECK(riscv64_remote_fence_for(all<L>(true, true), asid) == remote{false, 0, ones, 0});
}

// --------------------------------------------------------------------------------------------------------- constexpr

namespace {

struct count_only {
  unsigned* count;
  constexpr void dsb_stores(pte::arm64_scope) {}
  constexpr void dsb(pte::arm64_scope) {}
  constexpr void isb() {}
  constexpr void tlbi(pte::arm64_tlbi, pte::arm64_scope, std::uint64_t) { ++*count; }
};

constexpr unsigned operations_for_pages(std::uint64_t pages) {
  unsigned count = 0;
  pte::gather<pte::arm64<12>> g;
  g.add({{0}, {pages * 0x1000 - 1}}, level::pte);
  pte::arm64_backend<pte::arm64<12>, count_only> backend{.target = {.range_operations = true}, .cpu = {&count}};
  backend.flush(g.plan(backend.ceiling()));
  return count;
}
static_assert(operations_for_pages(1) == 1 && operations_for_pages(2) == 1 && operations_for_pages(3) == 2);
static_assert(operations_for_pages(2'097'152) == 1 && operations_for_pages(2'097'151) == 5);
static_assert(pte::flush_backend<pte::arm64_backend<pte::arm64<12>, count_only>, pte::arm64<12>>);
static_assert(!pte::flush_backend<pte::arm64_backend<pte::arm64<12>, count_only>, pte::arm64<14>>);

}  // namespace
