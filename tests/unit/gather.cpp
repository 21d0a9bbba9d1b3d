// Gathering on random sequences, against a plain list of what was added; requests that are dropped.
#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/proof/gather_laws.hpp>
#include <pte/tlb/backend_null.hpp>
#include <pte/tlb/backend_recording.hpp>
#include <pte/tlb/request.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../catch.hpp"

namespace {

using pte::level;

// One thing that was added.
struct item {
  pte::va_range pages;
  level at;
  bool is_table, is_global;
};

template <class Layout>
item random_item(std::mt19937_64& random) {
  const bool is_table = random() % 8 == 0;
  const level at = static_cast<level>(is_table ? 1 + random() % 2 : random() % 3);
  const std::uint64_t size = pte::bit(Layout::shift(at)), entries = random() % 40;
  std::uint64_t first = random() & ~(size - 1);
  // Often near each other, sometimes at either end of the address space, sometimes anywhere.
  if (random() % 4 != 0) first &= pte::bits(36, 0);
  if (random() % 16 == 0) first = 0;
  std::uint64_t last = first + entries * size + size - 1;
  if (last < first || random() % 16 == 0) {
    last = ~std::uint64_t{0};
    first = last - (entries + 1) * size + 1;
  }
  return {{{first}, {last}}, at, is_table, random() % 16 == 0};
}

template <class Layout>
pte::gather<Layout> gathered(const std::vector<item>& items) {
  pte::gather<Layout> g;
  for (const item& i : items) {
    if (i.is_table)
      g.add_table(i.pages, i.at);
    else
      g.add(i.pages, i.at);
    if (i.is_global) g.include_global();
  }
  return g;
}

// Is every item dropped by the plan, at its ends, in its middle, and by one of the strides in each of its entries?
template <class Layout>
void check_dropped(const pte::flush_plan<Layout>& plan, const std::vector<item>& items) {
  for (const item& i : items) {
    const std::uint64_t middle = i.pages.first.value + (i.pages.last.value - i.pages.first.value) / 2;
    for (const pte::virt_addr va : {i.pages.first, pte::virt_addr{middle}, i.pages.last})
      REQUIRE((i.is_table ? plan.drops_walk(va) : plan.drops_leaf(va, i.at, i.is_global)));
    if (plan.extent != pte::flush_extent::range) continue;
    REQUIRE(plan.stride_shift() <= Layout::shift(i.at));
    REQUIRE(plan.range.first.value % plan.stride() == 0);
    REQUIRE((plan.range.last.value + 1) % plan.stride() == 0);
  }
}

template <class Layout, class Ceiling>
void check_random(std::mt19937_64& random, const Ceiling& ceiling) {
  std::vector<item> items;
  for (std::uint64_t n = 1 + random() % 6; n != 0; --n) items.push_back(random_item<Layout>(random));
  const auto g = gathered<Layout>(items);

  // G1 and G3.
  check_dropped(g.plan(), items);
  check_dropped(g.plan(ceiling), items);
  for (const item& i : items) {
    REQUIRE(pte::proof::gather_plan_drops(g, ceiling, i.pages.last));
    REQUIRE(pte::proof::gather_ceiling_keeps(g, ceiling, i.pages.last));
    REQUIRE(pte::proof::gather_ceiling_keeps(g, ceiling, pte::virt_addr{random()}));
  }

  // G2: another order, some of it twice, in two parts that are merged.
  std::vector<item> other = items;
  other.push_back(items[random() % items.size()]);
  std::shuffle(other.begin(), other.end(), random);
  REQUIRE(gathered<Layout>(other) == g);
  const auto cut = other.begin() + static_cast<std::ptrdiff_t>(random() % (other.size() + 1));
  auto part = gathered<Layout>({other.begin(), cut});
  part.merge(gathered<Layout>({cut, other.end()}));
  REQUIRE(part == g);
  part.reset();
  REQUIRE(part == pte::gather<Layout>{});
  REQUIRE(part.plan(ceiling).extent == pte::flush_extent::nothing);
}

template <class Layout, class Ceiling>
void check_all(const Ceiling& ceiling) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) check_random<Layout>(random, ceiling);
}

}  // namespace

TEST_CASE("gathers of random sequences obey G1, G2 and G3") {
  check_all<pte::x86_64>(pte::x86_64_ceiling{});
  check_all<pte::arm64<12>>(pte::arm64_ceiling{});
  check_all<pte::arm64<12>>(pte::arm64_ceiling{true});
  check_all<pte::arm64<14, true>>(pte::arm64_ceiling{true});
  check_all<pte::arm64<16>>(pte::arm64_ceiling{});
  check_all<pte::ppc64_radix<12>>(pte::ppc64_ceiling{});
  check_all<pte::ppc64_radix<16>>(pte::ppc64_ceiling{true});
  check_all<pte::riscv64>(pte::riscv64_ceiling{});
}

TEST_CASE("the strides of a plan meet every entry of the range, once") {
  pte::gather<pte::x86_64> g;
  g.add({{0x7f'e000}, {0x80'2fff}}, level::pte);
  std::vector<std::uint64_t> seen;
  g.plan().for_each_stride(level::pte, [&](pte::virt_addr va) { seen.push_back(va.value); });
  CHECK(seen == std::vector<std::uint64_t>{0x7f'e000, 0x7f'f000, 0x80'0000, 0x80'1000, 0x80'2000});
  // At the top of the address space it ends too.
  g.reset();
  g.add_entry({~std::uint64_t{0}}, level::pte);
  seen.clear();
  g.plan().for_each_stride(level::pte, [&](pte::virt_addr va) { seen.push_back(va.value); });
  CHECK(seen == std::vector<std::uint64_t>{0xffff'ffff'ffff'f000});
}

namespace {

// Counts what would have been traps.
int dropped_requests = 0;
struct count_dropped {
  static void dropped() noexcept { ++dropped_requests; }
};
using counted = pte::flush_request<pte::x86_64, pte::frame_run, count_dropped>;

counted owing() {
  counted r;
  r.gathered().add_entry({0x1000}, level::pte);
  return r;
}

}  // namespace

TEST_CASE("a request that owes a flush must not be dropped") {
  pte::null_backend backend;
  dropped_requests = 0;
  {
    const counted r = owing();
    CHECK(r.owed());
  }
  CHECK(dropped_requests == 1);
  // Overwriting one drops it too.
  {
    counted r = owing();
    r = counted{};
    CHECK(dropped_requests == 2);
    CHECK_FALSE(r.owed());
  }
  CHECK(dropped_requests == 2);
  // Not so: run, moved from, taken over, or nothing gathered.
  {
    counted r = owing(), s = std::move(r), t;
    CHECK(t.absorb(s));
    CHECK(std::move(t).run(backend).frames().empty());
  }
  {
    const counted nothing;
    CHECK_FALSE(nothing.owed());
  }
  CHECK(dropped_requests == 2);
}

#ifndef NDEBUG
TEST_CASE("dropping a request that owes a flush is a trap in debug builds") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int trap : {SIGILL, SIGTRAP, SIGABRT}) std::signal(trap, SIG_DFL);
    {
      pte::flush_request<pte::x86_64> dropped;
      dropped.gathered().add_entry({0x1000}, level::pte);
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}
#endif

TEST_CASE("an operation stops when there is no room for frames, and goes on after the flush") {
  // Clears `pages` entries, two frames of room.
  constexpr std::uint64_t pages = 5;
  std::vector<std::uint64_t> freed;
  std::vector<pte::flush_plan<pte::x86_64>> plans(8);
  pte::recording_backend<pte::x86_64, pte::x86_64_ceiling> backend(plans);
  for (std::uint64_t next = 0; next < pages;) {
    pte::frame_run room[2];
    pte::flush_request<pte::x86_64> request(room);
    for (; next < pages && !request.full(); ++next) {
      const std::uint64_t va = next << 12;
      REQUIRE(request.retire({{va}, {va + 0xfff}}, level::pte, {100 + next, 1}));
    }
    const auto done = std::move(request).run(backend);
    for (const pte::frame_run& frames : done.frames()) freed.push_back(frames.pfn);
  }
  CHECK(freed == std::vector<std::uint64_t>{100, 101, 102, 103, 104});
  CHECK(backend.flushes() == 3);
  CHECK(backend.plans()[2].range == pte::va_range{{0x4000}, {0x4fff}});
}
