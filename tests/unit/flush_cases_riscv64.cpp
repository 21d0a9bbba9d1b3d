// Public bug reports about flushes on riscv64 (tests/data/cases/flush.jsonl), on a hart that remembers translations.
#include <algorithm>
#include <cstdint>
#include <pte/tlb/backend_riscv64.hpp>
#include <pte/tlb/request.hpp>
#include <utility>
#include <vector>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;
using F = riscv64_linux;
using slot = pte::entry<F, level::pte>;
using plan = pte::flush_plan<pte::riscv64>;

constexpr pte::virt_addr address{0x10'1234'5000};

// A hart: satp's ASID, and what it remembers; what SFENCE.VMA says is dropped is dropped, and no more.
struct hart {
  struct known {
    std::uint64_t va, asid;
    slot from;
  };
  std::uint64_t asid = 0;
  std::vector<known> tlb{};

  void walk(pte::virt_addr va, slot now) {
    if (translate(now, {}).usable()) tlb.push_back({va.value & ~std::uint64_t{0xfff}, asid, now});
  }
  // Would any translation that the hart may use for `va` be wrong, if the entry is `now`?
  bool harmful(pte::virt_addr va, slot now) const {
    return std::any_of(tlb.begin(), tlb.end(), [&](const known& k) {
      return k.va == (va.value & ~std::uint64_t{0xfff}) && (k.asid == asid || k.from.as_leaf().global()) &&
             need_of(k.from, now).must_flush();
    });
  }
  void sfence(pte::riscv64_fence f) {
    std::erase_if(tlb, [f](const known& k) {
      return (!f.by_address || k.va == (f.address & ~std::uint64_t{0xfff})) &&
             (!f.by_asid || (k.asid == f.asid && !k.from.as_leaf().global()));
    });
  }
};
struct port {
  hart* to;
  void sfence_vma(pte::riscv64_fence f) { to->sfence(f); }
  void sfence_w_inval() {}
  void sinval_vma(pte::riscv64_fence f) { to->sfence(f); }
  void sfence_inval_ir() {}
};

plan everything() {
  pte::gather<pte::riscv64> g;
  g.add_everything();
  return g.plan();
}

// The leaf that two address spaces have for one address.
const slot before = page<F>(0x1230, read_write), after = page<F>(0x4560, read_write);

}  // namespace

TEST_CASE("B037: an ASID that is used again is fenced after satp is written", "[B037]") {
  // To a hart without ASIDs a switch of tables changes the entry of every address.
  CHECK(exact_says(before, after));
  hart h;
  h.walk(address, before);
  // Fence, then satp: between the two the hart may walk the old tables once more.
  riscv64_flush(everything(), {}, port{&h});
  CHECK(h.tlb.empty());
  h.walk(address, before);
  CHECK(h.harmful(address, after));
  // satp, then fence.
  riscv64_flush(everything(), {}, port{&h});
  CHECK_FALSE(h.harmful(address, after));
  // Without ASIDs the fence is for all address spaces: rs1 and rs2 are x0.
  CHECK(riscv64_fence_for(everything(), {}, {}) == pte::riscv64_fence{});
}

TEST_CASE("B038: a switch of tables without a fence", "[B038]") {
  hart h;
  h.walk(address, before);
  // satp names the new tables, with the same ASID.
  CHECK(h.harmful(address, after));
  riscv64_flush(everything(), {}, port{&h});
  CHECK_FALSE(h.harmful(address, after));
  // With an ASID of its own the other address space's translations are not used.
  h.walk(address, before);
  h.asid = 1;
  CHECK_FALSE(h.harmful(address, after));
  h.asid = 0;
  CHECK(h.harmful(address, after));
}

TEST_CASE("B039: a new kernel mapping may fault until it is fenced", "[B039]") {
  const slot invalid{}, mapped = page<F>(0x1230, for_kernel(read_write));
  const auto n = need_of(invalid, mapped);
  // Nothing wrong can be read; but a hart may remember that there was nothing, and the kernel does not try again.
  CHECK((n.spurious && n.lasting && !n.must_flush()));
  CHECK(exact_says(invalid, mapped));
  CHECK(linux_says(invalid, mapped));
  CHECK(cites(1, invalid, mapped));
  CHECK_THAT(explain(invalid, mapped, {}).verdict, ContainsSubstring("the kernel does not retry"));
  // Either all harts are fenced ...
  unsigned remote = 0;
  hart here;
  const auto others = [&](const plan& p) { remote += p.drops_leaf(address, level::pte, true); };
  pte::riscv64_backend<port, decltype(others)> backend{.others = others, .hart = {&here}};
  pte::flush_request<pte::riscv64> request;
  request.gathered().add_entry(address, level::pte);
  request.gathered().include_global();
  CHECK(std::move(request).run(backend).frames().empty());
  CHECK(remote == 1);
  // ... or the fault is tried again, as it is for programs: then there is no need.
  CHECK_FALSE(exact_says(invalid, page<F>(0x1230, read_write)));
  pte::machine<F> m{};
  m.fault_invalidates = false;
  CHECK(exact_says(invalid, page<F>(0x1230, read_write), m));
  // Svvptc bounds how long it lasts, not whether it happens.
  m.svvptc = true;
  CHECK_FALSE(exact_says(invalid, page<F>(0x1230, read_write), m));
  CHECK(need_of(invalid, mapped, m).spurious);
  CHECK_FALSE(need_of(invalid, mapped, m).lasting);
}

TEST_CASE("B040: an object that is unprotected on one hart faults on others", "[B040]") {
  const slot open = page<F>(0x1230, for_kernel(read_write)), closed{open.raw & ~F::valid.mask};
  REQUIRE((open.hardware_valid() && !closed.hardware_valid()));
  // V = 0 to 1: a fault that the library calls spurious, and that lasts until that hart fences.
  const auto n = need_of(closed, open);
  CHECK((n.spurious && n.lasting && !n.flush));
  CHECK(exact_says(closed, open));

  // V = 1 to 0 with the other harts not fenced: the object can still be used there, so that errors go unseen. The
  // table asks for a flush; whoever accepts that says so in a policy.
  CHECK(need_of(open, closed).flush);
  CHECK(exact_says(open, closed));
  hart other;
  other.walk(address, open);
  CHECK(other.harmful(address, closed));
  struct accepts_false_negatives {
    static bool needs_flush(slot old, slot next) { return next.hardware_valid() && exact_says(old, next); }
  };
  CHECK_FALSE(accepts_false_negatives::needs_flush(open, closed));
  CHECK(accepts_false_negatives::needs_flush(closed, open));
}

TEST_CASE("B041: a fence for one ASID leaves global mappings alone", "[B041]") {
  const slot mine = page<F>(0x1230, read_write), global = page<F>(0x4560, for_kernel(read_write));
  REQUIRE(global.as_leaf().global());
  constexpr pte::virt_addr kernel_address{0xffff'ffc0'0000'1000};
  const pte::riscv64_target target{.asid = 5, .asids = true};
  hart h{.asid = 5};
  h.walk(address, mine);
  h.walk(kernel_address, global);

  const pte::riscv64_fence fence = riscv64_fence_for(everything(), target, {});
  CHECK((fence.by_asid && fence.asid == 5 && !fence.by_address));
  riscv64_flush(everything(), target, port{&h});
  CHECK_FALSE(h.harmful(address, slot{}));
  CHECK(h.harmful(kernel_address, slot{}));
  CHECK_FALSE(everything().drops_leaf(kernel_address, level::pte, true));

  // Told that global ones are meant too, it uses rs2 = x0.
  pte::gather<pte::riscv64> g;
  g.add_entry(kernel_address, level::pte);
  g.include_global();
  CHECK_FALSE(riscv64_fence_for(g.plan(), target, kernel_address).by_asid);
  riscv64_flush(g.plan(), target, port{&h});
  CHECK_FALSE(h.harmful(kernel_address, slot{}));
}

TEST_CASE("B042: a fence for any address of a large page is for all of it", "[B042]") {
  using large = pte::entry<F, level::pmd>;
  const auto old = large::make_leaf(0x1200, large::protection(read_write), {});
  const auto next = large::make_leaf(0x4600, large::protection(read_write), {});
  CHECK(exact_says(old, next));
  // Whatever address in the page is named, the plan is for all of its addresses.
  for (const std::uint64_t va : {0x4020'0000u, 0x4020'1000u, 0x402a'b000u, 0x403f'f000u}) {
    pte::gather<pte::riscv64> g;
    g.add_entry({va}, level::pmd);
    CHECK(g.plan().range == pte::va_range{{0x4020'0000}, {0x403f'ffff}});
    for (std::uint64_t piece = 0x4020'0000u; piece <= 0x403f'f000; piece += 0x1000)
      CHECK(g.plan().drops_leaf({piece}, level::pmd));
    CHECK(g.plan().strides() == 1);
    // One fence does it; a CPU may hold the page in pieces, and has to drop them all.
    CHECK(riscv64_fence_for(g.plan(), {}, g.plan().range.first) == pte::riscv64_fence{true, false, 0x4020'0000, 0});
  }
}
