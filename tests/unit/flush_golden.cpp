// Golden vectors: what Linux 7.3.4 answers, without DEBUG_VM, when it asks whether a changed entry must be flushed; and
// the rows of the table that explain() must cite for each, no more and no less.
#include <cstdint>
#include <vector>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;

struct vector {
  const char* change;
  std::uint64_t old, next;
  bool flush;                  // Linux's answer
  std::vector<unsigned> rows;  // none: only bits of software differ (row 18), or nothing that this machine uses
};

const std::vector<vector> x86_pte = {
    {"read-only to writable", 0x8000000012345025, 0x8000000012345027, true, {3}},
    {"writable, clean, to read-only", 0x8000000012345027, 0x8000000012345025, true, {4}},
    {"writable, dirty, to read-only, D saved", 0x8000000012345067, 0x8400000012345025, true, {4, 15}},
    {"read-only, D saved, to writable, dirty", 0x8400000012345025, 0x8000000012345067, true, {3, 14}},
    {"XD cleared", 0x8000000012345025, 0x0000000012345025, true, {5}},
    {"XD set", 0x0000000012345025, 0x8000000012345025, true, {6}},
    {"U/S cleared", 0x8000000012345025, 0x8000000012345021, true, {8}},
    {"key 0 to 5", 0x8000000012345025, 0xa800000012345025, true, {19}},
    {"PWT set", 0x8000000012345025, 0x800000001234502d, true, {11}},
    {"PAT set", 0x8000000012345025, 0x80000000123450a5, true, {11}},
    {"G set", 0x8000000012345025, 0x8000000012345125, true, {16}},
    {"D set", 0x8000000012345027, 0x8000000012345067, false, {14}},
    {"D cleared", 0x8000000012345067, 0x8000000012345027, true, {15}},
    {"A cleared", 0x8000000012345025, 0x8000000012345005, false, {13}},
    {"A set", 0x8000000012345005, 0x8000000012345025, false, {12}},
    {"uffd set, read-only before", 0x8000000012345025, 0x8000000012345425, false, {}},
    {"uffd set, writable before", 0x8000000012345027, 0x8000000012345425, true, {4}},
    {"soft-dirty cleared, nothing else", 0x8000000012345825, 0x8000000012345025, false, {}},
    {"SAVED_DIRTY set, nothing else", 0x8000000012345025, 0x8400000012345025, false, {}},
    {"present to PROT_NONE", 0x8000000012345067, 0x040fffffedcba120, true, {2}},
    {"PROT_NONE to writable", 0x040fffffedcba120, 0x8000000012345067, false, {1}},
    {"nothing to writable", 0x0000000000000000, 0x8000000012345027, false, {1}},
    {"writable to nothing", 0x8000000012345027, 0x0000000000000000, true, {2}},
    {"another frame", 0x8000000012345027, 0x8000000012346027, true, {10}},
    {"bit 52 set", 0x8000000012345025, 0x8010000012345025, false, {}},
    {"becomes a shadow stack", 0x8000000012345025, 0x8000000012345065, false, {14, 24}},
    {"shadow stack to writable", 0x8000000012345065, 0x8000000012345067, true, {3, 25}},
    {"swapped out to present", 0x3fffffffffdb9600, 0x8000000012345027, false, {1}},
};
const std::vector<vector> x86_pmd = {
    {"A cleared", 0x80000000400000a5, 0x8000000040000085, true, {13}},
    {"A set", 0x8000000040000085, 0x80000000400000a5, false, {12}},
    {"D cleared", 0x80000000400000e7, 0x80000000400000a7, true, {15}},
    {"PAT, at bit 12, set", 0x80000000400000a5, 0x80000000400010a5, true, {11}},
    {"made invalid, to be split", 0x80000000400000e7, 0x800fffffbfe000e6, true, {2}},
};
const std::vector<vector> arm64_pte = {
    {"read-only to writable, clean", 0x0060000012345fc3, 0x0068000012345fc3, true, {3}},
    {"writable, clean to dirty", 0x0068000012345fc3, 0x0068000012345f43, true, {14}},
    {"writable, dirty, to read-only, dirty noted", 0x0068000012345f43, 0x00e0000012345fc3, true, {4, 15}},
    {"writable, clean, to read-only", 0x0068000012345fc3, 0x0060000012345fc3, true, {4}},
    {"UXN cleared", 0x0060000012345fc3, 0x0020000012345fc3, true, {5}},
    {"UXN set", 0x0020000012345fc3, 0x0060000012345fc3, true, {6}},
    {"AP[1] cleared", 0x0060000012345fc3, 0x0060000012345f83, true, {8}},
    {"AF cleared", 0x0060000012345fc3, 0x0060000012345bc3, true, {13}},
    {"AF set", 0x0060000012345bc3, 0x0060000012345fc3, true, {12}},
    {"dirty noted in a read-only entry", 0x0060000012345fc3, 0x00e0000012345fc3, false, {}},
    {"uffd cleared", 0x0460000012345fc3, 0x0060000012345fc3, false, {}},
    {"special set", 0x0060000012345fc3, 0x0160000012345fc3, false, {}},
    {"bit 63 set", 0x0060000012345fc3, 0x8060000012345fc3, false, {}},
    {"POIndex 0 to 3", 0x0060000012345fc3, 0x3060000012345fc3, true, {19}},
    {"Normal to Normal-Tagged", 0x0060000012345fc3, 0x0060000012345fc7, true, {27}},
    {"Contiguous set", 0x0060000012345fc3, 0x0070000012345fc3, true, {21}},
    {"nG cleared", 0x0060000012345fc3, 0x00600000123457c3, true, {16}},
    {"valid to PROT_NONE", 0x0068000012345f43, 0x00e0000012345f82, true, {2}},
    {"PROT_NONE to writable", 0x00e0000012345f82, 0x0068000012345f43, false, {1}},
    {"nothing to valid", 0x0000000000000000, 0x0068000012345f43, false, {1}},
    {"valid to nothing", 0x0068000012345f43, 0x0000000000000000, true, {2}},
    {"another address", 0x0068000012345f43, 0x0068000012346f43, true, {10}},
    // Row 20 is about code; this page is not executable.
    {"GP set", 0x0060000012345fc3, 0x0064000012345fc3, true, {}},
    {"no change", 0x0060000012345fc3, 0x0060000012345fc3, false, {}},
};
const std::vector<vector> ppc64_pte = {
    {"read-only to writable", 0xc000000012340104, 0xc000000012340106, false, {3}},
    {"writable to read-only", 0xc000000012340186, 0xc000000012340184, true, {4}},
    {"read-only to executable", 0xc000000012340104, 0xc000000012340105, false, {5}},
    {"executable to read-only", 0xc000000012340105, 0xc000000012340104, true, {6}},
    {"C set", 0xc000000012340106, 0xc000000012340186, false, {14}},
    {"C cleared", 0xc000000012340186, 0xc000000012340106, true, {15}},
    {"R cleared", 0xc000000012340104, 0xc000000012340004, false, {13}},
    {"R set", 0xc000000012340004, 0xc000000012340104, false, {12}},
    {"writable to PROT_NONE", 0xc000000012340186, 0xc000000012340180, true, {4, 9}},
    {"PROT_NONE to writable", 0xc000000012340180, 0xc000000012340186, false, {3, 9}},
    {"privileged set", 0xc000000012340104, 0xc00000001234010c, true, {8}},
    {"ATT 00 to 10", 0xc000000012340104, 0xc000000012340124, true, {11}},
    {"soft-dirty set", 0xc000000012340104, 0xc000000012340304, true, {}},
    {"special set", 0xc000000012340104, 0xc000000012340504, true, {}},
    {"another frame", 0xc000000012340104, 0xc000000012350104, true, {10}},
    {"swapped out to valid", 0x4000000000055000, 0xc000000012340106, true, {1}},
    {"valid to invalid, still present", 0xc000000012340106, 0x6000000012340106, true, {2}},
    {"writable to executable", 0xc000000012340106, 0xc000000012340105, true, {4, 5}},
};

// The machine on which most changes are visible.
template <class F>
pte::machine<F> telling_machine() {
  pte::machine<F> m{};
  if constexpr (requires { m.pat; }) {
    m.pat = 0x0407050500070106;  // as Linux sets it up, but PAT = 1 chooses another type than PAT = 0
    m.shadow_stack = true;
  }
  if constexpr (requires { m.hw_dirty; }) m.hw_access = m.hw_dirty = true;
  return m;
}

bool same(const pte::need<std::uint64_t>& a, const pte::need<std::uint64_t>& b) {
  return a.spurious == b.spurious && a.lasting == b.lasting && a.accessed == b.accessed && a.dirty == b.dirty &&
         a.flush == b.flush && a.break_before_make == b.break_before_make;
}

template <class F, level L>
void check_rules(const std::vector<vector>& vectors) {
  for (const vector& v : vectors) {
    INFO(F::name << ", " << pte::system_name<F>() << ", " << v.change);
    const pte::entry<F, L> old{v.old}, next{v.next};
    for (const pte::machine<F>& m : {pte::machine<F>{}, telling_machine<F>()}) {
      CHECK(pte::linux_rules<>::needs_flush(old, next, m) == v.flush);
      // DEBUG_VM adds a flush where a bit that no list names has changed.
      const bool unclassified = ((v.old ^ v.next) & pte::bit(52)) != 0 && old.hardware_valid() && next.hardware_valid();
      CHECK(pte::linux_rules<true>::needs_flush(old, next, m) == (v.flush || (F::arch[0] == 'x' && unclassified)));
    }
  }
}

template <class F, level L>
void check_explanations(const std::vector<vector>& vectors) {
  for (const vector& v : vectors) {
    INFO(F::name << ", " << v.change);
    const pte::entry<F, L> old{v.old}, next{v.next};
    CHECK(rows_of(old, next, telling_machine<F>()) == v.rows);
    for (const pte::machine<F>& m : {pte::machine<F>{}, telling_machine<F>()}) {
      const pte::explanation e = explain(old, next, m);
      CHECK(same(e.asks, needed(old, next, m)));
      CHECK(e.flush == pte::exact::needs_flush(old, next, m));
      CHECK((!e.asks.must_flush() || e.flush));
      CHECK(says_no_flush(e) == !e.flush);
      // What is cited asks for all that is asked for.
      pte::need<std::uint64_t> all;
      for (const auto& c : e.happening()) all = all | c.asks;
      CHECK(same(all, e.asks));
      // Linux elides nothing that the table demands.
      CHECK((v.flush || !e.asks.must_flush()));
    }
  }
}

}  // namespace

TEST_CASE("Linux's answers: x86-64") {
  CHECK(x86_pte.size() + x86_pmd.size() + arm64_pte.size() + ppc64_pte.size() == 75);
  check_rules<pte::format<pte::x86_64, pte::linux_7_3>, level::pte>(x86_pte);
  check_rules<pte::format<pte::x86_64, pte::linux_6_12>, level::pte>(x86_pte);
  check_rules<pte::format<pte::x86_64, pte::linux_6_1>, level::pte>(x86_pte);
  check_rules<pte::format<pte::x86_64, pte::linux_7_3>, level::pmd>(x86_pmd);
  check_rules<pte::format<pte::x86_64, pte::linux_6_1>, level::pmd>(x86_pmd);
  // The software bits that Linux knows are elided with DEBUG_VM as well.
  const auto e = page<x86_linux>(0x12345, read_only);
  for (const unsigned n : {9u, 10u, 11u, 57u, 58u})
    CHECK_FALSE(pte::linux_rules<true>::needs_flush(e, flip(e, pte::bit(n)), {}));
}

TEST_CASE("Linux's answers: arm64") {
  check_rules<pte::format<pte::arm64_4k, pte::linux_7_3>, level::pte>(arm64_pte);
  // Until 6.18 it always flushed.
  for (const vector& v : arm64_pte) {
    using old_linux = pte::format<pte::arm64_4k, pte::linux_6_12>;
    CHECK(linux_says(pte::entry<old_linux, level::pte>{v.old}, pte::entry<old_linux, level::pte>{v.next}));
  }
}

TEST_CASE("Linux's answers: powerpc64") {
  check_rules<pte::format<pte::ppc64_64k, pte::linux_7_3>, level::pte>(ppc64_pte);
  check_rules<pte::format<pte::ppc64_64k, pte::linux_6_1>, level::pte>(ppc64_pte);
  check_rules<pte::format<pte::ppc64_4k, pte::linux_6_12>, level::pte>(ppc64_pte);
}

TEST_CASE("Linux's answers: riscv64 always flushes") {
  for (const std::uint64_t w : {std::uint64_t{0}, std::uint64_t{0x200000d7}}) {
    const pte::entry<riscv64_linux, level::pte> e{w};
    CHECK(linux_says(e, e));
  }
}

TEST_CASE("explanations cite the table's rows and agree with the policies") {
  check_explanations<x86_linux, level::pte>(x86_pte);
  check_explanations<x86_linux, level::pmd>(x86_pmd);
  check_explanations<arm64_linux, level::pte>(arm64_pte);
  check_explanations<ppc64_linux, level::pte>(ppc64_pte);
  check_explanations<pte::format<pte::ppc64_4k, pte::linux_7_3>, level::pte>(ppc64_pte);
}
