// Public bug reports about flushes on any architecture (tests/data/cases/flush.jsonl): each as a pair of entries, or as
// a short sequence with what a TLB may still hold, and what the library says to it.
#include <cstdint>
#include <pte/tlb/backend_arm64.hpp>
#include <pte/tlb/backend_ppc64.hpp>
#include <pte/tlb/backend_recording.hpp>
#include <pte/tlb/backend_riscv64.hpp>
#include <pte/tlb/backend_x86_64.hpp>
#include <pte/tlb/request.hpp>
#include <utility>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;

constexpr pte::virt_addr address{0x7f00'1234'0000};
template <class F>
using slot = pte::entry<F, level::pte>;
template <class F>
using request_for = pte::flush_request<pte::layout_of<F>>;

}  // namespace

TEST_CASE("B001: clearing soft-dirty write-protects, and that must be flushed", "[B001]") {
  for_each_linux([]<class F>() {
    INFO(F::name << ", " << pte::system_name<F>());
    const pte::machine<F> m{};
    slot<F> old = mkdirty(page<F>(0x1230, read_write)), next = wrprotect(old);
    if constexpr (pte::has_soft_dirty<F>) {
      old = slot<F>{old.as_leaf().mksoft_dirty(m).raw};
      next = slot<F>{wrprotect(old).as_leaf().clear_soft_dirty().raw};
      CHECK((old.as_leaf().soft_dirty() && !next.as_leaf().soft_dirty()));
      // By itself the bit means nothing to the MMU.
      CHECK_FALSE(exact_says(old, slot<F>{old.as_leaf().clear_soft_dirty().raw}));
    }
    CHECK((old.as_leaf().means(m).write && !next.as_leaf().means(m).write));
    CHECK((old.as_leaf().dirty() && next.as_leaf().dirty()));

    CHECK(need_of(old, next).flush);
    CHECK(exact_says(old, next));
    CHECK(linux_says(old, next));
    CHECK(cites(4, old, next));
    // Through the stale translation a write neither faults nor leaves a mark: nobody would learn of it.
    CHECK((translate(old, m).writable() && translate(old, m).dirty && !translate(next, m).writable()));

    // The bug: no page was freed, so there seemed to be nothing to flush. A request owes a flush all the same.
    pte::flush_plan<pte::layout_of<F>> plans[1];
    pte::recording_backend<pte::layout_of<F>> backend(plans);
    request_for<F> request;
    request.gathered().add_entry(address, level::pte);
    CHECK((request.owed() && request.room() == 0));
    CHECK(std::move(request).run(backend).frames().empty());
    REQUIRE(backend.flushes() == 1);
    CHECK(plans[0].drops_leaf(address, level::pte));
  });
}

TEST_CASE("B002: ageing a page needs no flush", "[B002]") {
  for_each_linux([]<class F>() {
    INFO(F::name << ", " << pte::system_name<F>());
    for (const pte::rights r : {read_only, read_write}) {
      const slot<F> old = page<F>(0x1230, r), next = mkold(old);
      REQUIRE((old.as_leaf().accessed() && !next.as_leaf().accessed()));
      const auto n = need_of(old, next);
      CHECK_FALSE((n.must_flush() || n.spurious));
      // What is at stake is the mark itself: the stale translation may delay it.
      CHECK((n.accessed && n.bookkeeping()));
      CHECK_FALSE(exact_says(old, next));
      CHECK(says_no_flush(explain(old, next, pte::machine<F>{})));
      CHECK(cites(13, old, next));
    }
  });
  // Linux elides it for x86's small pages and on powerpc; for x86's large pages, arm64 and riscv64 it flushes,
  // needlessly.
  const auto linux_ages = []<class F, level L>(pte::entry<F, L> e) { return linux_says(e, mkold(e)); };
  CHECK_FALSE(linux_ages(page<x86_linux>(0x1230, read_write)));
  CHECK_FALSE(linux_ages(page<ppc64_linux>(0x1230, read_write)));
  CHECK(linux_ages(page<arm64_linux>(0x1230, read_write)));
  CHECK(linux_ages(page<riscv64_linux>(0x1230, read_write)));
  using large = pte::entry<x86_linux, level::pmd>;
  const auto huge = large::make_leaf(0x1200, large::protection(read_write), {});
  CHECK(linux_ages(huge));
  CHECK_FALSE(exact_says(huge, mkold(huge)));
}

TEST_CASE("B024: a writable clean page is legal", "[B024]") {
  for_each_linux([]<class F>() {
    INFO(F::name << ", " << pte::system_name<F>());
    const pte::machine<F> m{};
    const slot<F> e = page<F>(0x1230, read_write);
    CHECK(state_of(e) == pte::entry_state::leaf);
    CHECK((e.as_leaf().means(m).write && !e.as_leaf().dirty()));
    CHECK_FALSE(e.as_leaf().reserved_set(m));
    CHECK(translate(e, m).usable());
    // Neither that it is there, nor that it appears, nor that a write makes it dirty is anything to report.
    CHECK(explain(e, e, m).happening().empty());
    CHECK_FALSE(exact_says(e, e));
    CHECK_FALSE(exact_says(slot<F>{}, e));
    CHECK_FALSE(exact_says(e, mkdirty(e)));
    CHECK_FALSE(need_of(e, mkdirty(e)).must_flush());
  });
}

TEST_CASE("B045: an entry that is already clear may still be in use by others", "[B045]") {
  for_each_linux([]<class F>() {
    INFO(F::name << ", " << pte::system_name<F>());
    using layout = pte::layout_of<F>;
    const std::uint64_t size = std::uint64_t{1} << F::page_shift;
    const slot<F> mapped = mkdirty(page<F>(0x1230, read_write)), clear{};
    remembered<F> third_cpu;
    third_cpu.walk(mapped);

    // CPU A clears the entry; its flush is still to come.
    pte::frame_run room_of_a[1], room_of_b[2];
    request_for<F> a(room_of_a), b(room_of_b);
    CHECK(exact_says(mapped, clear));
    REQUIRE(a.retire({address, {address.value + size - 1}}, level::pte, {0x1230, 1}));

    // CPU B finds a clear entry. The pair that it sees asks for nothing; hypothesis H does not hold for it, though, as
    // long as A's request is owed: the page can still be reached.
    CHECK_FALSE(exact_says(clear, clear));
    CHECK(a.owed());
    CHECK(third_cpu.harmful(clear));
    // So B takes over what A owes, and the frame comes out of the flush only.
    REQUIRE(b.absorb(a));
    CHECK((!a.owed() && b.owed()));
    pte::flush_plan<layout> plans[1];
    pte::recording_backend<layout> backend(plans);
    const auto done = std::move(b).run(backend);
    REQUIRE(backend.flushes() == 1);
    REQUIRE(plans[0].drops_leaf(address, level::pte));
    third_cpu.drop();
    CHECK_FALSE(third_cpu.harmful(clear));
    REQUIRE(done.frames().size() == 1);
    CHECK(done.frames()[0] == pte::frame_run{0x1230, 1});
  });
}

namespace {

// Ports that count what reaches this CPU only and what reaches all.
struct counts {
  unsigned here = 0, everywhere = 0;
};
struct arm64_counter {
  counts* to;
  void dsb_stores(pte::arm64_scope) {}
  void dsb(pte::arm64_scope) {}
  void isb() {}
  void tlbi(pte::arm64_tlbi, pte::arm64_scope scope, std::uint64_t) {
    ++(scope == pte::arm64_scope::local ? to->here : to->everywhere);
  }
};
struct ppc64_counter {
  counts* to;
  void ptesync() {}
  void tlbsync() {}
  void drop_erat() {}
  void tlbie(const pte::ppc64_tlbie&) { ++to->everywhere; }
  void tlbiel(const pte::ppc64_tlbie&) { ++to->here; }
};
struct x86_counter {
  counts* to;
  void invlpg(pte::virt_addr) { ++to->here; }
  void invpcid(pte::invpcid_type, pte::invpcid_descriptor) { ++to->here; }
  void reload_cr3() { ++to->here; }
  void toggle_pge() { ++to->here; }
};
struct riscv64_counter {
  counts* to;
  void sfence_vma(pte::riscv64_fence) { ++to->here; }
  void sfence_w_inval() {}
  void sinval_vma(pte::riscv64_fence) { ++to->here; }
  void sfence_inval_ir() {}
};

template <class Layout>
pte::flush_request<Layout> owing() {
  pte::flush_request<Layout> request;
  request.gathered().add_entry(address, level::pte);
  return request;
}

}  // namespace

TEST_CASE("B050: copy on write changes the frame, not only the permission", "[B050]") {
  for_each_linux([]<class F>() {
    INFO(F::name << ", " << pte::system_name<F>());
    for (const bool dirty : {false, true}) {
      const slot<F> old = page<F>(0x1230, read_only);
      const slot<F> next = dirty ? mkdirty(page<F>(0x4560, read_write)) : page<F>(0x4560, read_write);
      CHECK(need_of(old, next).flush);
      CHECK(exact_says(old, next));
      CHECK(linux_says(old, next));
      CHECK(cites(10, old, next));
      // With the frame it had, it would be a widening that the fault handler can mend.
      CHECK_FALSE(need_of(old, page<F>(0x1230, read_write)).must_flush());
    }
  });
  CHECK(need_of(page<arm64_linux>(0x1230, read_only), page<arm64_linux>(0x4560, read_write)).break_before_make);

  // The threads on other CPUs are reached as well.
  counts x86, arm64, ppc64, riscv64;
  const auto count_x86 = [&](const pte::flush_plan<pte::x86_64>& p) {
    x86.everywhere += p.drops_leaf(address, level::pte);
  };
  pte::x86_64_backend<x86_counter, decltype(count_x86)> x86_backend{.others = count_x86, .cpu = {&x86}};
  CHECK(owing<pte::x86_64>().run(x86_backend).frames().empty());
  pte::arm64_backend<pte::arm64_4k, arm64_counter> arm64_backend{.cpu = {&arm64}};
  CHECK(owing<pte::arm64_4k>().run(arm64_backend).frames().empty());
  pte::ppc64_backend<pte::ppc64_64k, ppc64_counter> ppc64_backend{.cpu = {&ppc64}};
  CHECK(owing<pte::ppc64_64k>().run(ppc64_backend).frames().empty());
  const auto count_riscv64 = [&](const pte::flush_plan<pte::riscv64>& p) {
    riscv64.everywhere += p.drops_leaf(address, level::pte);
  };
  pte::riscv64_backend<riscv64_counter, decltype(count_riscv64)> riscv64_backend{.others = count_riscv64,
                                                                                 .hart = {&riscv64}};
  CHECK(owing<pte::riscv64>().run(riscv64_backend).frames().empty());
  CHECK((x86.here == 1 && x86.everywhere == 1));
  CHECK((arm64.here == 0 && arm64.everywhere == 1));
  CHECK((ppc64.here == 0 && ppc64.everywhere == 1));
  CHECK((riscv64.here == 1 && riscv64.everywhere == 1));
}

TEST_CASE("B068: unsharing many tables interrupts the other CPUs once", "[B068]") {
  counts x86;
  unsigned interrupts = 0;
  bool walk_caches = false;
  const auto others = [&](const pte::flush_plan<pte::x86_64>& p) {
    ++interrupts;
    walk_caches = p.walk_caches();
  };
  pte::x86_64_backend<x86_counter, decltype(others)> backend{.others = others, .cpu = {&x86}};
  for (const std::uint64_t tables : {1u, 30u, 1000u}) {
    // Entries of level pud that pointed to shared tables of pmd entries; nothing is freed by any but the last sharer.
    interrupts = 0;
    pte::flush_request<pte::x86_64> request;
    for (std::uint64_t i = 0; i < tables; ++i) {
      const std::uint64_t first = i << 30;
      request.gathered().add_table({{first}, {first + pte::bit(30) - 1}}, level::pud);
    }
    CHECK(std::move(request).run(backend).frames().empty());
    CHECK(interrupts == 1);
    CHECK(walk_caches);
  }
  // The last sharer retires the table, and gets it back from a flush that was carried out, never without one.
  interrupts = 0;
  pte::frame_run room[1];
  pte::flush_request<pte::x86_64> last(room);
  REQUIRE(last.retire_table({{0}, {pte::bit(30) - 1}}, level::pud, {0x77, 1}));
  const auto done = std::move(last).run(backend);
  CHECK((interrupts == 1 && done.frames().size() == 1));
}
