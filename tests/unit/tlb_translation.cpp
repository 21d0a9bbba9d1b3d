// The table of stale translations, row by row and CPU by CPU, against what its rows say: what a change needs, whether
// `exact` flushes for it, and whether explain() cites that row. (tlb_records.cpp has the records themselves.)
#include <cstdint>
#include <pte/format/example.hpp>
#include <pte/tlb/gather.hpp>
#include <string>
#include <vector>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;

using x86 = x86_linux;
using arm64 = arm64_linux;
using ppc64 = ppc64_linux;
using riscv64 = riscv64_linux;
template <class F>
using slot = pte::entry<F, level::pte>;

// The table's verdict on a change:
//   N        nothing                           S(auto)   one spurious fault, that the CPU mends
//   A        an access may go unnoted          S(flush)  faults, until software invalidates
//   D        a write may go unnoted            R, R+BBM  flush; between an invalid entry and the new one
std::string verdict(const pte::need<std::uint64_t>& n) {
  if (n.break_before_make) return n.flush ? "R+BBM" : "BBM";
  if (n.flush) return "R";
  if (n.dirty) return "D";
  if (n.lasting) return "S(flush)";
  if (n.spurious) return "S(auto)";
  return n.accessed ? "A" : "N";
}

// One cell of the table. Row 18 is the one on which nothing happens.
template <class F, level L>
void cell(unsigned row, const char* cpu, const pte::machine<F>& m, pte::entry<F, L> old, pte::entry<F, L> next,
          const std::string& expected) {
  INFO("row " << row << ", " << F::name << ", " << cpu << std::hex << ": " << old.raw << " to " << next.raw);
  REQUIRE(old != next);
  const pte::need<std::uint64_t> n = needed(old, next, m);
  CHECK(verdict(n) == expected);
  CHECK((!n.lasting || n.spurious));

  // exact: whatever the handler does not mend; a kernel access is not tried again.
  const bool faults_hurt = !translate(next, m).for_user(),
             handled = pte::rules_of<F, std::uint64_t>(m).fault_invalidates;
  const bool flush =
      n.flush || n.break_before_make || n.dirty || (n.lasting && !handled) || (n.spurious && faults_hurt);
  CHECK(pte::exact::needs_flush(old, next, m) == flush);

  const pte::explanation e = explain(old, next, m);
  CHECK(e.flush == flush);
  CHECK(says_no_flush(e) == !flush);
  for (const unsigned cited : rows_of(e)) CHECK((1 <= cited && cited <= 28));
  if (row == 18)
    CHECK(e.happening().empty());
  else
    CHECK(cites(row, old, next, m));
}

// The CPUs.
template <class M, class Fn>
M with(M m, Fn f) {
  f(m);
  return m;
}
const pte::machine<x86> intel{};
const pte::machine<x86> amd = with(intel, [](auto& m) { m.amd = true; });
const pte::machine<arm64> arm{};  // no hardware dirty state, level 0, the fault handler invalidates
const pte::machine<ppc64> power{};
const pte::machine<riscv64> riscv{};  // no Svvptc, no Svadu, the fault handler fences
const pte::machine<arm64> arm_dirty = with(arm, [](auto& m) { m.hw_access = m.hw_dirty = true; });
const pte::machine<arm64> arm_no_handler = with(arm, [](auto& m) { m.fault_invalidates = false; });
const pte::machine<ppc64> power9_nest = with(power, [](auto& m) { m.nest_mmu = true; });
const pte::machine<riscv64> riscv_svvptc = with(riscv, [](auto& m) { m.svvptc = true; });
const pte::machine<riscv64> riscv_svadu = with(riscv, [](auto& m) { m.svadu = true; });
const pte::machine<riscv64> riscv_no_handler = with(riscv, [](auto& m) { m.fault_invalidates = false; });

// The same cell on Intel and AMD.
void x86_cells(unsigned row, slot<x86> old, slot<x86> next, const std::string& on_intel, const std::string& on_amd) {
  cell(row, "Intel", intel, old, next, on_intel);
  cell(row, "AMD", amd, old, next, on_amd);
}

constexpr std::uint64_t pfn = 0x12340;

}  // namespace

TEST_CASE("row 1: invalid becomes valid") {
  for (const pte::rights r : {read_only, read_write, read_exec}) {
    for (const slot<x86> old : {slot<x86>{}, page<x86>(pfn, nobody), slot<x86>::make_swap(3, 77)})
      x86_cells(1, old, page<x86>(pfn, r), "N", "N");
    // A walk done early may report a fault for a moment: no invalidation helps against that.
    for (const slot<arm64> old : {slot<arm64>{}, page<arm64>(pfn, nobody), slot<arm64>::make_swap(3, 77)})
      cell(1, "any", arm, old, page<arm64>(pfn, r), "N");
    for (const slot<ppc64> old : {slot<ppc64>{}, slot<ppc64>::make_swap(3, 77)}) {
      cell(1, "any", power, old, page<ppc64>(pfn, r), "N");
      cell(1, "nest MMU", power9_nest, old, page<ppc64>(pfn, r), "N");
    }
    for (const slot<riscv64> old : {slot<riscv64>{}, page<riscv64>(pfn, nobody), slot<riscv64>::make_swap(3, 77)}) {
      cell(1, "no Svvptc", riscv, old, page<riscv64>(pfn, r), "S(flush)");
      cell(1, "no Svvptc, no handler", riscv_no_handler, old, page<riscv64>(pfn, r), "S(flush)");
      cell(1, "Svvptc", riscv_svvptc, old, page<riscv64>(pfn, r), "S(auto)");
      cell(1, "no Svvptc, kernel", riscv, old, page<riscv64>(pfn, for_kernel(r)), "S(flush)");
    }
  }
}

TEST_CASE("row 2: valid becomes invalid") {
  for (const pte::rights r : {read_only, read_write, read_exec, for_kernel(read_write)}) {
    for (const slot<x86> next : {slot<x86>{}, modify(page<x86>(pfn, r), nobody), slot<x86>::make_swap(3, 77)})
      x86_cells(2, page<x86>(pfn, r), next, "R", "R");
    for (const slot<arm64> next : {slot<arm64>{}, modify(page<arm64>(pfn, r), nobody), slot<arm64>::make_swap(3, 77)})
      cell(2, "any", arm, page<arm64>(pfn, r), next, "R");
    for (const slot<ppc64> next :
         {slot<ppc64>{}, flip(page<ppc64>(pfn, r), ppc64::valid.mask | ppc64::invalid_bit.mask),
          slot<ppc64>::make_swap(3, 77)})
      cell(2, "any", power, page<ppc64>(pfn, r), next, "R");
    for (const slot<riscv64> next :
         {slot<riscv64>{}, modify(page<riscv64>(pfn, r), nobody), slot<riscv64>::make_swap(3, 77)}) {
      cell(2, "any", riscv, page<riscv64>(pfn, r), next, "R");
      cell(2, "Svvptc", riscv_svvptc, page<riscv64>(pfn, r), next, "R");
    }
  }
}

TEST_CASE("row 2: what lets nobody in must not stay behind either") {
  // Were it elided, no step of this chain would flush, and the nest MMU would fault for ever on the last entry.
  const auto none = page<ppc64>(pfn, nobody), gone = slot<ppc64>{}, back = page<ppc64>(pfn, read_write);
  REQUIRE(none.is_leaf());
  cell(2, "nest MMU", power9_nest, none, gone, "R");
  cell(1, "nest MMU", power9_nest, gone, back, "N");
  cell(3, "nest MMU", power9_nest, none, back, "BBM");
}

TEST_CASE("row 3: writes are granted") {
  const auto x = page<x86>(pfn, read_only);
  x86_cells(3, x, mkwrite(x), "S(auto)", "N");
  x86_cells(3, page<x86>(pfn, for_kernel(read_only)), page<x86>(pfn, for_kernel(read_write)), "S(auto)", "N");

  // A dirty page becomes writable to the MMU at once, a clean one if the MMU keeps dirty state.
  const auto clean = page<arm64>(pfn, read_only), dirty = mkdirty(clean);
  cell(3, "no HD", arm, dirty, mkwrite(dirty), "S(flush)");
  cell(3, "HD", arm_dirty, clean, mkwrite(clean), "S(flush)");
  cell(3, "no handler", arm_no_handler, dirty, mkwrite(dirty), "S(flush)");
  cell(18, "no HD", arm, clean, mkwrite(clean), "N");
  // What user programs can write the kernel does not execute; with WXN, nobody executes what is writable.
  const auto kernel_code = flip(dirty, arm64::pxn.mask);
  cell(3, "kernel code", arm, kernel_code, mkwrite(kernel_code), "R");
  const auto code = mkdirty(page<arm64>(pfn, read_exec));
  cell(3, "code", arm, code, mkwrite(code), "S(flush)");
  cell(3, "WXN", with(arm, [](auto& m) { m.wxn = true; }), code, mkwrite(code), "R");

  const auto p = page<ppc64>(pfn, read_only);
  cell(3, "no nest MMU", power, p, mkwrite(p), "S(auto)");
  cell(3, "nest MMU", power9_nest, p, mkwrite(p), "BBM");
  CHECK(exact_says(p, mkwrite(p), power9_nest));

  for (const pte::rights r : {read_only, for_kernel(read_only)}) {
    const auto v = page<riscv64>(pfn, r);
    cell(3, "handler", riscv, v, mkwrite(v), "S(flush)");
    cell(3, "no handler", riscv_no_handler, v, mkwrite(v), "S(flush)");
    cell(3, "Svvptc", riscv_svvptc, v, mkwrite(v), "S(flush)");
  }
}

TEST_CASE("row 4: writes are withdrawn") {
  const auto check = []<class F>(const pte::machine<F>& m, slot<F> e) {
    cell(4, "any", m, e, wrprotect(e), "R");
    cell(4, "any, dirty", m, mkdirty(e), wrprotect(mkdirty(e)), "R");
  };
  for (const pte::rights r : {read_write, for_kernel(read_write)}) {
    check(intel, page<x86>(pfn, r));
    check(amd, page<x86>(pfn, r));
    check(arm_dirty, page<arm64>(pfn, r));
    check(power, page<ppc64>(pfn, r));
    check(power9_nest, page<ppc64>(pfn, r));
    check(riscv, page<riscv64>(pfn, r));
  }
  // Without hardware dirty state a clean page is read-only to the MMU as it is.
  const auto clean = page<arm64>(pfn, read_write);
  cell(18, "no HD", arm, clean, wrprotect(clean), "N");
  cell(4, "no HD", arm, mkdirty(clean), wrprotect(mkdirty(clean)), "R");
}

TEST_CASE("row 5: execution is granted") {
  x86_cells(5, page<x86>(pfn, read_only), page<x86>(pfn, read_exec), "S(auto)", "N");
  cell(5, "any", arm, page<arm64>(pfn, read_only), page<arm64>(pfn, read_exec), "S(flush)");
  cell(5, "no handler", arm_no_handler, page<arm64>(pfn, read_only), page<arm64>(pfn, read_exec), "S(flush)");
  cell(5, "any", power, page<ppc64>(pfn, read_only), page<ppc64>(pfn, read_exec), "S(auto)");
  cell(5, "any", riscv, page<riscv64>(pfn, read_only), page<riscv64>(pfn, read_exec), "S(flush)");
}

TEST_CASE("row 6: execution is withdrawn") {
  for (const bool user : {true, false}) {
    const pte::rights from = user ? read_exec : for_kernel(read_exec), to = user ? read_only : for_kernel(read_only);
    x86_cells(6, page<x86>(pfn, from), page<x86>(pfn, to), "R", "R");
    cell(6, "any", arm, page<arm64>(pfn, from), page<arm64>(pfn, to), "R");
    cell(6, "erratum", with(arm, [](auto& m) { m.erratum_2645198 = true; }), page<arm64>(pfn, from),
         page<arm64>(pfn, to), "R+BBM");
    cell(6, "any", power, page<ppc64>(pfn, from), page<ppc64>(pfn, to), "R");
    cell(6, "any", riscv, page<riscv64>(pfn, from), page<riscv64>(pfn, to), "R");
  }
}

TEST_CASE("row 7: becomes a user page") {
  // The kernel must be kept out from then on: SMAP, SMEP, PAN, KUAP, SUM. Where nothing does that, it is a widening.
  const auto x = flip(page<x86>(pfn, read_only), x86::user.mask), x_code = flip(x, x86::nx.mask);
  x86_cells(7, x, flip(x, x86::user.mask), "R", "R");
  const auto no_smap = with(intel, [](auto& m) { m.smap = false; });
  const auto neither = with(no_smap, [](auto& m) { m.smep = false; });
  cell(7, "no SMAP", no_smap, x, flip(x, x86::user.mask), "S(auto)");
  cell(7, "no SMAP", no_smap, x_code, flip(x_code, x86::user.mask), "R");
  cell(7, "no SMAP, no SMEP", neither, x_code, flip(x_code, x86::user.mask), "S(auto)");
  cell(7, "AMD", with(neither, [](auto& m) { m.amd = true; }), x_code, flip(x_code, x86::user.mask), "N");

  const auto no_pan = with(arm, [](auto& m) { m.pan = false; });
  const auto a = flip(mkdirty(page<arm64>(pfn, read_write)), arm64::ap1.mask), a_code = flip(a, arm64::pxn.mask);
  cell(7, "PAN", arm, a, flip(a, arm64::ap1.mask), "R");
  cell(7, "no PAN", no_pan, a, flip(a, arm64::ap1.mask), "S(flush)");
  cell(7, "no PAN, kernel code", no_pan, a_code, flip(a_code, arm64::ap1.mask), "R");

  const auto p = flip(page<ppc64>(pfn, read_write), ppc64::privileged.mask);
  cell(7, "KUAP", power, p, flip(p, ppc64::privileged.mask), "R");

  const auto v = flip(page<riscv64>(pfn, read_write), riscv64::u.mask), v_code = flip(v, riscv64::x.mask);
  const auto sum = with(riscv, [](auto& m) { m.sum = true; });
  cell(7, "SUM = 0", riscv, v, flip(v, riscv64::u.mask), "R");
  cell(7, "SUM = 1", sum, v, flip(v, riscv64::u.mask), "S(flush)");
  cell(7, "SUM = 1, code", sum, v_code, flip(v_code, riscv64::u.mask), "R");
}

TEST_CASE("row 8: is no longer a user page") {
  for (const pte::rights r : {read_only, read_write, read_write_exec}) {
    x86_cells(8, page<x86>(pfn, r), flip(page<x86>(pfn, r), x86::user.mask), "R", "R");
    cell(8, "no SMAP", with(intel, [](auto& m) { m.smap = false; }), page<x86>(pfn, r),
         flip(page<x86>(pfn, r), x86::user.mask), "R");
    cell(8, "any", arm, page<arm64>(pfn, r), flip(page<arm64>(pfn, r), arm64::ap1.mask), "R");
    cell(8, "any", power, page<ppc64>(pfn, r), flip(page<ppc64>(pfn, r), ppc64::privileged.mask), "R");
    cell(8, "any", riscv, page<riscv64>(pfn, r), flip(page<riscv64>(pfn, r), riscv64::u.mask), "R");
  }
}

TEST_CASE("row 9: reads are withdrawn or granted") {
  for (const bool user : {true, false}) {
    const pte::rights r = user ? read_only : for_kernel(read_only), x = user ? read_exec : for_kernel(read_exec);
    const auto p = page<ppc64>(pfn, r), p_none = flip(p, ppc64::read_bit.mask);
    cell(9, "any", power, p, p_none, "R");
    cell(9, "any", power, p_none, p, "S(auto)");
    const auto v = page<riscv64>(pfn, x), v_exec = flip(v, riscv64::r.mask);
    cell(9, "any", riscv, v, v_exec, "R");
    cell(9, "any", riscv, v_exec, v, "S(flush)");
    // With MXR what is executable is readable.
    cell(18, "MXR", with(riscv, [](auto& m) { m.mxr = true; }), v, v_exec, "N");
  }
  cell(9, "mprotect", power, page<ppc64>(pfn, read_write), modify(page<ppc64>(pfn, read_write), nobody), "R");
}

TEST_CASE("row 10: another page frame") {
  for (const pte::rights r : {read_only, read_write}) {
    x86_cells(10, page<x86>(pfn, r), page<x86>(pfn + 1, r), "R", "R");
    cell(10, "any", arm, page<arm64>(pfn, r), page<arm64>(pfn + 1, r), "R+BBM");
    cell(10, "level 2", with(arm, [](auto& m) { m.bbm_level2 = true; }), page<arm64>(pfn, r), page<arm64>(pfn + 1, r),
         "R+BBM");
    cell(10, "any", power, page<ppc64>(pfn, r), page<ppc64>(pfn + 1, r), "R");
    cell(10, "any", riscv, page<riscv64>(pfn, r), page<riscv64>(pfn + 1, r), "R");
  }
  cell(10, "another security space", arm, page<arm64>(pfn, read_only),
       flip(page<arm64>(pfn, read_only), arm64::ns.mask), "R+BBM");
  // Nobody gets anywhere through the old entry.
  cell(10, "PROT_NONE", power, page<ppc64>(pfn, nobody), page<ppc64>(pfn + 1, nobody), "N");
}

TEST_CASE("row 11: another memory type or shareability") {
  x86_cells(11, page<x86>(pfn, read_write), flip(page<x86>(pfn, read_write), x86::pwt.mask), "R", "R");
  // PAT chooses the same type with Linux's IA32_PAT as without.
  x86_cells(18, page<x86>(pfn, read_write), flip(page<x86>(pfn, read_write), x86::pat.mask), "N", "N");
  const auto a = page<arm64>(pfn, read_write);
  cell(11, "to Device-nGnRE", arm, a, flip(a, pte::bits(3, 2)), "R+BBM");
  cell(11, "to outer shareable", arm, a, flip(a, pte::bit(8)), "R+BBM");
  cell(11, "ATT", power, page<ppc64>(pfn, read_write), flip(page<ppc64>(pfn, read_write), pte::bit(4)), "R");
  cell(11, "PBMT", riscv, page<riscv64>(pfn, read_write), flip(page<riscv64>(pfn, read_write), pte::bit(61)), "R");
}

TEST_CASE("row 12: accessed is set") {
  x86_cells(12, mkold(page<x86>(pfn, read_only)), page<x86>(pfn, read_only), "N", "N");
  cell(12, "no HA", arm, mkold(page<arm64>(pfn, read_only)), page<arm64>(pfn, read_only), "N");
  cell(12, "HA", arm_dirty, mkold(page<arm64>(pfn, read_only)), page<arm64>(pfn, read_only), "N");
  cell(12, "any", power, mkold(page<ppc64>(pfn, read_only)), page<ppc64>(pfn, read_only), "N");
  cell(12, "Svade", riscv, mkold(page<riscv64>(pfn, read_only)), page<riscv64>(pfn, read_only), "S(flush)");
  cell(12, "Svadu", riscv_svadu, mkold(page<riscv64>(pfn, read_only)), page<riscv64>(pfn, read_only), "N");
}

TEST_CASE("row 13: accessed is cleared") {
  x86_cells(13, page<x86>(pfn, read_write), mkold(page<x86>(pfn, read_write)), "A", "A");
  cell(13, "any", arm, page<arm64>(pfn, read_write), mkold(page<arm64>(pfn, read_write)), "A");
  cell(13, "any", power, page<ppc64>(pfn, read_write), mkold(page<ppc64>(pfn, read_write)), "A");
  cell(13, "any", riscv, page<riscv64>(pfn, read_write), mkold(page<riscv64>(pfn, read_write)), "A");
}

TEST_CASE("row 14: dirty is set") {
  x86_cells(14, page<x86>(pfn, read_write), mkdirty(page<x86>(pfn, read_write)), "N", "N");
  const auto a = page<arm64>(pfn, read_write);
  cell(14, "HD", arm_dirty, a, mkdirty(a), "N");
  cell(14, "no HD", arm, a, mkdirty(a), "S(flush)");
  cell(14, "no HD, no handler", arm_no_handler, a, mkdirty(a), "S(flush)");
  cell(14, "any", power, page<ppc64>(pfn, read_write), mkdirty(page<ppc64>(pfn, read_write)), "N");
  for (const bool user : {true, false}) {
    const auto v = page<riscv64>(pfn, user ? read_write : for_kernel(read_write));
    cell(14, "Svade", riscv, v, mkdirty(v), "S(flush)");
    cell(14, "Svadu", riscv_svadu, v, mkdirty(v), "N");
    // Nobody writes to a read-only page, so nobody faults.
    const auto fixed = page<riscv64>(pfn, user ? read_only : for_kernel(read_only));
    cell(18, "Svade, read-only", riscv, fixed, mkdirty(fixed), "N");
  }
}

TEST_CASE("row 15: dirty is cleared") {
  const auto check = []<class F>(F, const pte::machine<F>& m) {
    const auto e = mkdirty(page<F>(pfn, read_write));
    cell(15, "any", m, e, mkclean(e), "D");
    // Of a read-only page: whoever writes has to make it writable first.
    const auto fixed = wrprotect(e);
    cell(18, "read-only", m, fixed, mkclean(fixed), "N");
  };
  check(x86{}, intel);
  check(x86{}, amd);
  check(arm64{}, arm_dirty);
  check(ppc64{}, power);
  check(riscv64{}, riscv);
  check(riscv64{}, riscv_svadu);
  // A shadow of another kind: D itself in a read-only entry, on a CPU without shadow stacks.
  const auto stray = flip(page<x86>(pfn, read_only), x86::dirty_bit.mask);
  x86_cells(18, stray, page<x86>(pfn, read_only), "N", "N");
  // Without hardware dirty state a clean page is read-only: that is row 4 besides.
  const auto a = mkdirty(page<arm64>(pfn, read_write));
  cell(15, "no HD", arm, a, mkclean(a), "R");
}

TEST_CASE("rows 16 and 17: global or not") {
  const auto x = page<x86>(pfn, read_only), x_global = flip(x, x86::global_bit.mask);
  x86_cells(16, x, x_global, "R", "R");
  x86_cells(17, x_global, x, "R", "R");
  const auto a = page<arm64>(pfn, read_only), a_global = flip(a, arm64::ng.mask);
  cell(16, "any", arm, a, a_global, "R+BBM");
  cell(17, "any", arm, a_global, a, "R");
  const auto v = page<riscv64>(pfn, read_only), v_global = flip(v, riscv64::g.mask);
  cell(16, "any", riscv, v, v_global, "R");
  cell(17, "any", riscv, v_global, v, "R");
  // An invalidation that spares global translations is not enough: the plan says so if it is told.
  pte::gather<pte::x86_64> g;
  g.add_entry({0x1000}, level::pte);
  CHECK(!g.plan().drops_leaf({0x1000}, level::pte, true));
  g.include_global();
  CHECK(g.plan().drops_leaf({0x1000}, level::pte, true));
}

TEST_CASE("row 18: software bits only") {
  const auto check = []<class F>(F, const pte::machine<F>& m, const std::vector<unsigned>& bits) {
    for (const auto& e :
         {page<F>(pfn, read_only), mkdirty(page<F>(pfn, read_write)), page<F>(pfn, for_kernel(read_exec))})
      for (const unsigned n : bits) cell(18, "any", m, e, flip(e, pte::bit(n)), "N");
  };
  check(x86{}, intel, {9, 10, 11, 52, 53, 54, 55, 56, 57, 58});
  check(x86{}, amd, {9, 10, 11, 52, 53, 54, 55, 56, 57, 58});
  check(arm64{}, arm, {55, 56, 57, 58, 59, 63});
  check(ppc64{}, power, {9, 10, 11, 61});
  check(riscv64{}, riscv, {8, 9, 59, 60});
  // Without Svrsw60t59b bit 59 makes the entry fault.
  const auto v = page<riscv64>(pfn, read_only);
  cell(2, "no Svrsw60t59b", with(riscv, [](auto& m) { m.svrsw60t59b = false; }), v, flip(v, pte::bit(59)), "R");
}

TEST_CASE("row 19: another protection key") {
  x86_cells(19, page<x86>(pfn, read_write), flip(page<x86>(pfn, read_write), std::uint64_t{5} << 59), "R", "R");
  cell(19, "POIndex", arm, page<arm64>(pfn, read_write), flip(page<arm64>(pfn, read_write), std::uint64_t{3} << 60),
       "R");
}

TEST_CASE("row 20: guarded pages") {
  const auto code = page<arm64>(pfn, read_exec), guarded = flip(code, arm64::gp.mask);
  cell(20, "code", arm, code, guarded, "R");
  cell(20, "code", arm, guarded, code, "S(flush)");
  cell(18, "data", arm, page<arm64>(pfn, read_only), flip(page<arm64>(pfn, read_only), arm64::gp.mask), "N");
}

TEST_CASE("row 21: the contiguous bit") {
  const auto a = page<arm64>(pfn, read_only), a_group = flip(a, arm64::cont.mask);
  const auto level1 = with(arm, [](auto& m) { m.bbm_level1 = true; });
  const auto level2 = with(arm, [](auto& m) { m.bbm_level2 = true; });
  for (const auto& [old, next] : {std::pair{a, a_group}, std::pair{a_group, a}}) {
    cell(21, "level 0", arm, old, next, "R+BBM");
    cell(21, "level 1", level1, old, next, "R");
    cell(21, "no conflict aborts", level2, old, next, "N");
  }
  // NAPOT: the first of 16 pages, on its own and in the group.
  const auto v = page<riscv64>(pfn, read_only);
  const auto v_group = flip(v, riscv64::n.mask | riscv64::at<level::pte>::group_code);
  cell(21, "any", riscv, v, v_group, "R");
  cell(21, "any", riscv, v_group, v, "R");
}

TEST_CASE("rows 22 and 23: sizes and tables change through the gather") {
  const auto check = []<class F>(F, const pte::machine<F>& m, const std::string& filled) {
    using large = pte::entry<F, level::pmd>;
    const auto leaf = large::make_leaf(0x40000, large::protection(read_write), m);
    const auto table = large::make_table(0x4000'0000, m), other = large::make_table(0x5000'0000, m);
    REQUIRE((leaf.is_leaf() && table.is_table()));
    // To a pair of leaves a table is an entry that maps nothing; of the pages below it the pair knows nothing.
    cell(2, "split", m, leaf, table, "R");
    cell(1, "merge", m, table, leaf, filled);
    CHECK(verdict(needed(table, other, m)) == "N");
    // So whoever changes a table entry says so to the gather: walk caches go, and the leaves' sizes do not matter.
    const std::uint64_t last = (std::uint64_t{1} << F::shift(level::pmd)) - 1;
    pte::gather<pte::layout_of<F>> g;
    g.add_table({{0}, {last}}, level::pmd);
    CHECK((g.plan().walk_caches() && g.plan().drops_walk({last}) && !g.plan().drops_leaf({0}, level::pte)));
    g.add({{0}, {last}}, level::pte);
    CHECK((g.plan().drops_walk({0}) && g.plan().drops_leaf({last}, level::pte)));
    CHECK(g.plan().stride_level() == level::pte);
  };
  check(x86{}, intel, "N");
  check(arm64{}, arm, "N");
  check(ppc64{}, power, "N");
  check(riscv64{}, riscv, "S(flush)");
}

TEST_CASE("rows 24, 25 and 28: shadow stacks") {
  const auto on = [](auto& m) { m.shadow_stack = true; };
  const auto intel_on = with(intel, on), amd_on = with(amd, on);
  const auto fixed = page<x86>(pfn, read_only);
  const auto stack = slot<x86>{x86::at<level::pte>::mkwrite_shadow_stack(fixed.raw)};
  const auto writable = flip(stack, x86::rw.mask);
  cell(24, "Intel", intel_on, fixed, stack, "S(auto)");
  cell(24, "AMD", amd_on, fixed, stack, "N");
  for (const auto& m : {intel_on, amd_on}) {
    cell(25, "any", m, stack, writable, "R");
    cell(28, "any", m, stack, fixed, "R");
    cell(2, "any", m, stack, slot<x86>{}, "R");
    cell(4, "any", m, writable, stack, "R");
  }
  // Switched off, D in a read-only entry has no effect.
  x86_cells(18, fixed, stack, "N", "N");
  x86_cells(18, stack, fixed, "N", "N");
  x86_cells(3, stack, writable, "S(auto)", "N");

  const auto riscv_on = with(riscv, on);
  const auto v_fixed = page<riscv64>(pfn, read_only), v_stack = flip(v_fixed, riscv64::r.mask | riscv64::w.mask);
  cell(24, "any", riscv_on, v_fixed, v_stack, "S(flush)");
  cell(25, "any", riscv_on, v_stack, flip(v_stack, riscv64::r.mask), "R");
  cell(28, "any", riscv_on, v_stack, v_fixed, "R");
  cell(1, "switched off: reserved", riscv, v_stack, v_fixed, "S(flush)");
}

TEST_CASE("row 26: encryption") {
  const auto m = x86::machine_with(46, pte::bit(51));
  const auto e = page<x86>(pfn, read_write), other = flip(e, pte::bit(51));
  cell(26, "C-bit", m, e, other, "R");
  cell(26, "C-bit", with(m, [](auto& its) { its.amd = true; }), e, other, "R");
  // Linux's rule does not see the bit, unless DEBUG_VM is on.
  CHECK(!pte::linux_rules<false>::needs_flush(e, other, m));
  CHECK(pte::linux_rules<true>::needs_flush(e, other, m));
  // Without encryption it is an address bit like others.
  cell(10, "no encryption", intel, e, other, "R");
  CHECK(linux_says(e, other, intel));
}

TEST_CASE("row 27: tagged memory") {
  const auto a = page<arm64>(pfn, read_write), tagged = flip(a, pte::bit(2));
  REQUIRE(a.as_leaf().memory_attributes(arm) == 0xff);
  REQUIRE(tagged.as_leaf().memory_attributes(arm) == 0xf0);
  cell(27, "any", arm, a, tagged, "R");
  cell(27, "any", arm, tagged, a, "R");
}

TEST_CASE("nothing is asked for where nothing changes") {
  for_each_linux([]<class F>() {
    for (const pte::rights r : {nobody, read_only, read_write, read_exec, for_kernel(read_write)}) {
      const auto e = page<F>(pfn, r);
      INFO(F::name << ", " << std::hex << e.raw);
      CHECK(verdict(need_of(e, e)) == "N");
      CHECK(!exact_says(e, e));
      CHECK(explain(e, e, pte::machine<F>{}).happening().empty());
      CHECK(pte::always::needs_flush(e, e, pte::machine<F>{}));
    }
  });
}

TEST_CASE("a format of the user's own is treated with the most care") {
  using own = pte::example;
  const auto before = pte::entry<own, level::pte>::make_leaf(1, pte::entry<own, level::pte>::protection(read_only), {});
  const auto after = pte::entry<own, level::pte>::make_leaf(1, pte::entry<own, level::pte>::protection(read_write), {});
  cell(3, "unknown", {}, before, after, "S(flush)");
  CHECK(exact_says(before, after));  // nobody promised that the fault handler invalidates
  cell(1, "unknown", {}, pte::entry<own, level::pte>{}, after, "S(flush)");
}
