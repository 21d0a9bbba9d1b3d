// Public bug reports about flushes on arm64 (tests/data/cases/flush.jsonl): what the back end is told, and tells the
// CPU.
#include <algorithm>
#include <cstdint>
#include <pte/tlb/backend_arm64.hpp>
#include <pte/tlb/request.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;
using F = arm64_linux;
using slot = pte::entry<F, level::pte>;

// What one CPU was told, in order.
struct instruction {
  std::string name;
  pte::arm64_tlbi op{};
  std::uint64_t operand = 0;

  std::uint64_t level_hint() const { return operand >> 44 & 15; }  // of operations by address
  // Operations on the last level only leave walk caches alone: op2 of 5 and 7.
  bool last_level() const { return (static_cast<unsigned>(op) & 5) == 5; }
};
struct log_port {
  std::vector<instruction>* out;
  void dsb_stores(pte::arm64_scope) { out->push_back({"dsb ishst", {}, 0}); }
  void dsb(pte::arm64_scope) { out->push_back({"dsb ish", {}, 0}); }
  void isb() { out->push_back({"isb", {}, 0}); }
  void tlbi(pte::arm64_tlbi op, pte::arm64_scope, std::uint64_t operand) { out->push_back({"tlbi", op, operand}); }
};
template <class Layout>
std::vector<instruction> flushed(const pte::flush_plan<Layout>& plan) {
  std::vector<instruction> out;
  pte::arm64_flush(plan, {.asid = 1, .level_hints = true}, log_port{&out});
  return out;
}
template <class Pred>
bool all_tlbi(const std::vector<instruction>& code, Pred pred) {
  return std::all_of(code.begin(), code.end(), [&](const instruction& i) { return i.name != "tlbi" || pred(i); });
}

constexpr pte::va_range two_mib{{0x20'0000}, {0x3f'ffff}};

}  // namespace

TEST_CASE("B008: no level hint when a table was freed", "[B008]") {
  // A pmd that pointed to a table; with and without leaves of that level cleared besides.
  for (const bool leaves : {false, true}) {
    pte::gather<pte::arm64_4k> g;
    g.add_table(two_mib, level::pmd);
    if (leaves) g.add(two_mib, level::pmd);
    const auto code = flushed(g.plan());
    REQUIRE(code.size() == 4);
    CHECK(all_tlbi(code, [](const instruction& i) { return i.level_hint() == 0 && !i.last_level(); }));
  }
  // Only leaves: there the hint is right.
  pte::gather<pte::arm64_4k> g;
  g.add(two_mib, level::pmd);
  CHECK(all_tlbi(flushed(g.plan()), [](const instruction& i) { return (i.level_hint() & 3) == 2 && i.last_level(); }));
}

TEST_CASE("B010: two flushes of one region that overlap", "[B010]") {
  const slot valid = page<F>(0x1230, read_write), clear{};
  // CPU A clears some entries of a table; CPU B clears the rest and frees the table.
  pte::flush_request<pte::arm64_4k> a;
  a.gathered().add({{0x20'0000}, {0x20'ffff}}, level::pte);
  pte::frame_run room[1];
  pte::flush_request<pte::arm64_4k> b(room);
  b.gathered().add({{0x21'0000}, {0x3f'ffff}}, level::pte);
  REQUIRE(b.retire_table(two_mib, level::pmd, {0x50000, 1}));
  // From the entries as they are now neither can tell what the other owes.
  CHECK_FALSE(exact_says(clear, clear));
  CHECK(exact_says(valid, clear));

  // Whoever flushes for both flushes the whole range, walk caches included, with no hint.
  REQUIRE(b.absorb(a));
  const auto plan = b.plan();
  CHECK(plan.range == two_mib);
  CHECK((plan.walk_caches() && plan.leaves.contains(level::pte)));
  for (const std::uint64_t va : {0x20'0000u, 0x20'f000u, 0x21'0000u, 0x3f'f000u})
    CHECK((plan.drops_leaf({va}, level::pte) && plan.drops_walk({va})));
  CHECK(all_tlbi(flushed(plan), [](const instruction& i) { return i.level_hint() == 0 && !i.last_level(); }));
  std::vector<instruction> code;
  pte::arm64_backend<pte::arm64_4k, log_port> backend{.target = {.level_hints = true}, .cpu = {&code}};
  CHECK(std::move(b).run(backend).frames().size() == 1);
  CHECK(all_tlbi(code, [](const instruction& i) { return i.level_hint() == 0 && !i.last_level(); }));

  // The entry that the fault showed is valid and permits the access; what is wrong is what was remembered.
  const auto t = translate(mkdirty(valid), pte::machine<F>{});
  CHECK((t.usable() && t.rights.user_read && t.rights.user_write));
  CHECK(explain(valid, valid, {}).happening().empty());
}

TEST_CASE("B058: the operand of TLBI counts in 4 KiB, whatever the granule", "[B058]") {
  const std::uint64_t va = 0x0000'7fff'1234'0000;
  const auto check = [va]<class Layout>(Layout) {
    pte::gather<Layout> g;
    g.add_entry({va}, level::pte);
    const auto code = flushed(g.plan());
    REQUIRE(code.size() == 4);
    CHECK((code[1].operand & pte::bits(43, 0)) == va >> 12);
    CHECK(pte::arm64_address_operand<Layout>({va}, 0, 0) == va >> 12);
    CHECK(pte::arm64_address_operand<Layout>({~std::uint64_t{0}}, 0, 0) == pte::bits(43, 0));
  };
  check(pte::arm64<12>{});
  check(pte::arm64<14>{});
  check(pte::arm64<16>{});
  check(pte::arm64<12, true>{});
  check(pte::arm64<14, true>{});
  check(pte::arm64<16, true>{});
}

TEST_CASE("B063: every invalidation ends with DSB and ISB", "[B063]") {
  std::vector<pte::gather<pte::arm64_4k>> gathers(3);
  gathers[0].add_entry({0x1000}, level::pte);
  gathers[1].add_table(two_mib, level::pmd);
  gathers[2].add_everything();
  for (const auto& g : gathers) {
    const auto code = flushed(g.plan());
    REQUIRE(code.size() >= 4);
    // The store is seen by walks before the first TLBI; the last has completed before what follows is translated.
    CHECK(code[0].name == "dsb ishst");
    CHECK(code[code.size() - 3].name == "tlbi");
    CHECK(code[code.size() - 2].name == "dsb ish");
    CHECK(code[code.size() - 1].name == "isb");
  }
}
