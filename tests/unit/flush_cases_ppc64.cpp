// Public bug reports about flushes on powerpc64 with radix tables (tests/data/cases/flush.jsonl).
#include <array>
#include <cstdint>
#include <pte/tlb/backend_ppc64.hpp>
#include <pte/tlb/request.hpp>
#include <utility>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;
template <class Os>
using radix = pte::format<pte::ppc64_64k, Os>;
template <class Os>
using slot = pte::entry<radix<Os>, level::pte>;

template <class Os>
constexpr bool privileged(slot<Os> e) {
  return radix<Os>::privileged.in(e.raw);
}

// The rule as the commit states it.
bool rule(std::uint64_t old, std::uint64_t next) {
  constexpr std::uint64_t x = 1, w = 2, r = 4, dirty = 0x80, accessed = 0x100;
  const std::uint64_t delta = old ^ next, cleared = old & ~next;
  if ((delta & ~(r | w | x | dirty | accessed)) != 0) return true;
  return (cleared & (r | w | x | dirty)) != 0;
}

}  // namespace

TEST_CASE("B011: a PROT_NONE entry belongs to its program, privileged bit or not", "[B011]") {
  const auto check = []<class Os>(Os, bool sets_privileged) {
    INFO(Os::name);
    const pte::machine<radix<Os>> m{};
    const auto old = mkdirty(page<radix<Os>>(0x1230, read_write)), next = modify(old, nobody);
    CHECK((!privileged<Os>(old) && privileged<Os>(next) == sets_privileged));
    REQUIRE((next.is_leaf() && next.is_present()));
    // Not the kernel's, and open to nobody. (Linux's own test for PROT_NONE is not asked: without NUMA balancing it
    // is always false.)
    const auto means = next.as_leaf().means(m);
    CHECK((means.user && !means.read && !means.write && !means.exec));
    CHECK_FALSE(translate(next, m).some_right());
    CHECK(next.as_leaf().dirty());

    CHECK(need_of(old, next).flush);
    CHECK(exact_says(old, next));
    CHECK(cites(4, old, next));
    CHECK(cites(9, old, next));
    CHECK(pte::linux_rules<false>::needs_flush(old, next, m));
    CHECK(pte::linux_rules<true>::needs_flush(old, next, m));
    // And back: where the bit is set Linux's rule sees it change.
    CHECK_FALSE(need_of(next, old).flush);
    CHECK(linux_says(next, old) == sets_privileged);
  };
  check(pte::linux_6_1{}, true);
  check(pte::linux_6_12{}, false);
  check(pte::linux_7_3{}, false);
}

TEST_CASE("B012: the rule of powerpc, change by change", "[B012]") {
  // All pairs over the bits that the rule names, and those it calls any other: privileged, ATT, soft-dirty, special.
  constexpr std::array<unsigned, 10> named{0, 1, 2, 7, 8, 3, 5, 9, 10, 20};
  const auto entry_of = [&named](unsigned choice) {
    std::uint64_t w = 0xc000'0000'1234'0000;
    for (unsigned i = 0; i < named.size(); ++i)
      if ((choice >> i & 1) != 0) w ^= pte::bit(named[i]);
    return w;
  };
  const auto check = [&entry_of]<class Os>(Os) {
    unsigned wrong = 0, flushes = 0;
    for (unsigned i = 0; i < 1024; ++i)
      for (unsigned j = 0; j < 1024; ++j) {
        const slot<Os> old{entry_of(i)}, next{entry_of(j)};
        const bool flush = linux_says(old, next);
        flushes += flush;
        wrong += flush != rule(old.raw, next.raw);
        // Over-careful it may be, careless not.
        wrong += !flush && need_of(old, next).must_flush();
      }
    CHECK(wrong == 0);
    // Elided: five bits unchanged, four not cleared (3 of the 4 pairs each), one that may do as it likes.
    CHECK(flushes == 1024u * 1024u - 32u * 81u * 4u);
  };
  check(pte::linux_6_1{});
  check(pte::linux_7_3{});

  using now = slot<pte::linux_7_3>;
  const now e = page<radix<pte::linux_7_3>>(0x1230, read_write);
  CHECK(linux_says(e, flip(e, radix<pte::linux_7_3>::valid.mask | radix<pte::linux_7_3>::invalid_bit.mask)));
  CHECK(linux_says(now::make_swap(1, 2), e));
  CHECK(linux_says(e, now{}));
  // On the hash MMU it does not matter and is always yes.
  CHECK(pte::always::needs_flush(e, e, pte::machine<radix<pte::linux_7_3>>{}));
}

namespace {

// Two CPUs that remember one address, as TLBIE and TLBIEL find them.
struct two_cpus {
  using F = radix<pte::linux_7_3>;
  std::array<remembered<F>, 2> tlb{};
  std::array<bool, 2> erat_dropped{};
};
struct port {
  two_cpus* system;
  unsigned self;
  void ptesync() {}
  void tlbsync() {}
  void drop_erat() { system->erat_dropped[self] = true; }
  void tlbie(const pte::ppc64_tlbie&) {
    for (auto& t : system->tlb) t.drop();
  }
  void tlbiel(const pte::ppc64_tlbie&) { system->tlb[self].drop(); }
};

}  // namespace

TEST_CASE("B064: who is flushed must include all who may remember", "[B064]") {
  using F = two_cpus::F;
  const auto old = page<F>(0x1230, read_write), next = page<F>(0x4560, read_write);
  const auto change_on_cpu_0 = [](two_cpus& system, bool local) {
    pte::ppc64_backend<pte::ppc64_64k, port> backend{.target = {.pid = 7, .local = local}, .cpu = {&system, 0}};
    pte::flush_request<pte::ppc64_64k> request;
    request.gathered().add_entry({0x1'0000}, level::pte);
    CHECK(std::move(request).run(backend).frames().empty());
  };
  CHECK(exact_says(old, next));

  // CPU 1 went offline with what it remembers, the address space counts as CPU 0's own, and CPU 1 comes back.
  two_cpus system;
  for (auto& t : system.tlb) t.walk(old);
  change_on_cpu_0(system, true);
  CHECK((!system.tlb[0].harmful(next) && system.tlb[1].harmful(next)));

  // Had it flushed everything of its own before it left, the local flush would have been enough.
  system = {};
  for (auto& t : system.tlb) t.walk(old);
  pte::gather<pte::ppc64_64k> everything;
  everything.add_everything();
  pte::ppc64_flush(everything.plan(), {.pid = 7, .local = true}, port{&system, 1});
  CHECK(system.erat_dropped[1]);
  change_on_cpu_0(system, true);
  CHECK((!system.tlb[0].harmful(next) && !system.tlb[1].harmful(next)));

  // And a flush that is not local reaches it in any case.
  system = {};
  for (auto& t : system.tlb) t.walk(old);
  change_on_cpu_0(system, false);
  CHECK((!system.tlb[0].harmful(next) && !system.tlb[1].harmful(next)));
}
