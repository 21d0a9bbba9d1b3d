// The laws of gathering on samples, in constant evaluation; plans and ceilings; requests and recording back ends.
#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/proof/gather_laws.hpp>
#include <pte/tlb/backend_null.hpp>
#include <pte/tlb/backend_recording.hpp>
#include <pte/tlb/request.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

using namespace pte;
using namespace pte::proof;

namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

// Gathers of every kind: none, one entry, a range, a table, both ends of the address space, everything, global ones.
template <class Layout>
constexpr auto samples() {
  std::array<gather<Layout>, 11> s{};
  const std::uint64_t page = bit(Layout::page_shift), middle = bit(Layout::shift(level::pud)) * 3;
  s[1].add_entry({0}, level::pte);
  s[2].add_entry({ones}, level::pte);
  s[3].add({{middle}, {middle + 32 * page - 1}}, level::pte);
  s[4].add({{middle}, {middle + 33 * page - 1}}, level::pte);
  s[5].add_entry({middle + page}, level::pmd);
  s[6].add_table({{middle}, {middle}}, level::pmd);
  s[7].add({{middle}, {middle + 3 * bit(Layout::shift(level::pmd)) - 1}}, level::pmd);
  s[7].include_global();
  s[8].add_table({{middle}, {middle}}, level::pud);
  s[8].add_entry({middle + page}, level::pte);
  s[9].add({{0}, {ones}}, level::pte);
  s[10].add_everything();
  return s;
}

// The laws of sample number I with all others: one constant evaluation each, far below the limit of any compiler.
template <class Layout, std::size_t I>
constexpr bool laws_hold_of = [] {
  constexpr auto all = samples<Layout>();
  const std::uint64_t middle = bit(Layout::shift(level::pud)) * 3;
  const auto& g = all[I];
  if (!gather_repeats(g) || !gather_has_neutral(g)) return false;
  for (const auto& h : all) {
    const auto both = merged(g, h);
    if (!gather_commutes(g, h)) return false;
    for (const auto& i : all)
      if (!gather_associates(g, h, i)) return false;
    for (const std::uint64_t va : {std::uint64_t{0}, middle, middle + 0x2345678, ones}) {
      if (!gather_merge_contains(g, h, va)) return false;
      for (const std::uint64_t most : {1u, 33u})
        if (!gather_plan_drops(both, stride_ceiling{most}, {va}) ||
            !gather_ceiling_keeps(both, stride_ceiling{most}, {va}))
          return false;
    }
  }
  return true;
}();
template <class Layout>
constexpr bool laws_hold() {
  return gather_strides_divide<Layout>()&&[]<std::size_t... I>(std::index_sequence<I...>) {
    return (... && laws_hold_of<Layout, I>);
  }
  (std::make_index_sequence<samples<Layout>().size()>());
}
static_assert(laws_hold<x86_64>());
static_assert(laws_hold<arm64<14>>() && laws_hold<arm64<16, true>>());
static_assert(laws_hold<ppc64_radix<16>>());

// What is planned.
constexpr auto gathered = [](auto add) {
  gather<x86_64> g;
  add(g);
  return g;
};
static_assert(gather<x86_64>{}.plan() == flush_plan<x86_64>{});
static_assert(gathered([](auto& g) { g.include_global(); }).plan().extent == flush_extent::nothing);

constexpr auto two = gathered([](auto& g) {
                       g.add({{0x5000}, {0x5fff}}, level::pte);
                       g.add({{0x1000}, {0x2fff}}, level::pte);
                     }).plan(x86_64_ceiling{});
static_assert(two.extent == flush_extent::range && two.range == va_range{{0x1000}, {0x5fff}} && two.strides() == 5);
static_assert(two.leaves == level_set{1} && !two.walk_caches() && !two.global);
static_assert(two.drops_leaf({0x3000}, level::pte) && !two.drops_leaf({0x6000}, level::pte));
static_assert(!two.drops_leaf({0x3000}, level::pmd) && !two.drops_leaf({0x3000}, level::pte, true) &&
              !two.drops_walk({0x3000}));

constexpr auto huge = gathered([](auto& g) { g.add_entry({0x40'0123}, level::pmd); }).plan();
static_assert(huge.range == va_range{{0x40'0000}, {0x5f'ffff}} && huge.strides() == 1 && huge.stride() == 0x20'0000);
static_assert(huge.stride_level() == level::pmd && huge.pages() == 512);

constexpr auto mixed = gathered([](auto& g) {
                         g.add_entry({0x40'0000}, level::pmd);
                         g.add_entry({0x60'0000}, level::pte);
                       }).plan();
static_assert(mixed.stride_level() == level::pte && mixed.strides() == 513 && mixed.leaves == level_set{3});

constexpr auto freed = gathered([](auto& g) {
                         g.add_table({{0x40'0000}, {0x40'0000}}, level::pmd);
                         g.include_global();
                       }).plan();
static_assert(freed.walk_caches() && freed.leaves.empty() && freed.stride_level() == level::pmd && freed.global);
static_assert(freed.drops_walk({0x41'0000}) && !freed.drops_leaf({0x41'0000}, level::pte));

// The top of the address space, and all of it.
static_assert(gathered([](auto& g) { g.add_entry({ones}, level::pte); }).plan().range ==
              va_range{{ones - 0xfff}, {ones}});
static_assert(gathered([](auto& g) { g.add({{0}, {ones}}, level::pte); }).plan().strides() == bit(52));

// Strides of a higher level meet entries that the range only touches.
constexpr bool strides_of_levels() {
  std::uint64_t seen[4] = {};
  unsigned count = 0;
  mixed.for_each_stride(level::pmd, [&](virt_addr va) { seen[count++] = va.value; });
  return count == 2 && seen[0] == 0x40'0000 && seen[1] == 0x60'0000;
}
static_assert(strides_of_levels());

// Ceilings, at their edges.
template <class Layout>
constexpr bool full(std::uint64_t entries, level l, auto ceiling) {
  gather<Layout> g;
  g.add({{0}, {entries * bit(Layout::shift(l)) - 1}}, l);
  return g.plan(ceiling).extent == flush_extent::everything;
}
static_assert(!full<x86_64>(33, level::pte, x86_64_ceiling{}) && full<x86_64>(34, level::pte, x86_64_ceiling{}));
static_assert(!full<x86_64>(33, level::pmd, x86_64_ceiling{}) && full<x86_64>(34, level::pmd, x86_64_ceiling{}));
static_assert(!full<x86_64>(100, level::pte, x86_64_ceiling{100}) &&
              full<x86_64>(101, level::pte, x86_64_ceiling{100}));
static_assert(!full<riscv64>(64, level::pte, riscv64_ceiling{}) && full<riscv64>(65, level::pte, riscv64_ceiling{}));
static_assert(!full<ppc64_radix<16>>(33, level::pte, ppc64_ceiling{}) &&
              full<ppc64_radix<16>>(34, level::pte, ppc64_ceiling{}));
static_assert(!full<ppc64_radix<16>>(256, level::pte, ppc64_ceiling{true}) &&
              full<ppc64_radix<16>>(257, level::pte, ppc64_ceiling{true}));
static_assert(!full<arm64<12>>(511, level::pte, arm64_ceiling{}) && full<arm64<12>>(512, level::pte, arm64_ceiling{}));
static_assert(!full<arm64<14>>(2047, level::pte, arm64_ceiling{}) &&
              full<arm64<14>>(2048, level::pte, arm64_ceiling{}));
static_assert(!full<arm64<16>>(8191, level::pte, arm64_ceiling{}) &&
              full<arm64<16>>(8192, level::pte, arm64_ceiling{}));
static_assert(!full<arm64<12>>(511, level::pmd, arm64_ceiling{}) && full<arm64<12>>(512, level::pmd, arm64_ceiling{}));
static_assert(!full<arm64<12>>(2'097'152, level::pte, arm64_ceiling{true}) &&
              full<arm64<12>>(2'097'153, level::pte, arm64_ceiling{true}));
static_assert(!full<arm64<12>>(8, level::pud, arm64_ceiling{true}) &&
              full<arm64<12>>(9, level::pud, arm64_ceiling{true}));
static_assert(!full<x86_64>(1'000'000, level::pte, no_ceiling{}));
// Without range operations the number of pages counts too: 8 GiB in 1 GiB pages are ranged, 9 are not.
static_assert(!full<arm64<12>>(8, level::pud, arm64_ceiling{}) && full<arm64<12>>(9, level::pud, arm64_ceiling{}));

// Back ends.
static_assert(flush_backend<null_backend, x86_64> && flush_backend<recording_backend<x86_64, x86_64_ceiling>, x86_64>);
static_assert(!flush_backend<recording_backend<riscv64>, x86_64>);

// Requests.
using request = flush_request<x86_64>;
static_assert(!std::is_copy_constructible_v<request> && !std::is_copy_assignable_v<request>);
static_assert(std::is_nothrow_move_constructible_v<request> && std::is_nothrow_move_assignable_v<request>);
static_assert(!std::is_copy_constructible_v<completed_flush<>> && !std::is_default_constructible_v<completed_flush<>>);
static_assert(!std::is_constructible_v<completed_flush<>, std::span<frame_run>>);

// The frames come back after the flush, in their order; the flush is what was gathered.
constexpr bool frames_come_back() {
  frame_run room[2] = {};
  flush_plan<x86_64> plans[2] = {};
  recording_backend<x86_64, x86_64_ceiling> backend(plans);
  request r(room);
  if (r.owed() || r.room() != 2) return false;
  if (!r.retire({{0x1000}, {0x1fff}}, level::pte, {7, 1}) ||
      !r.retire_table({{0x20'0000}, {0x3f'ffff}}, level::pmd, {9, 1}))
    return false;
  // Full: nothing is taken, nothing is changed.
  const auto before = r.gathered();
  if (!r.full() || r.retire({{0x9000}, {0x9fff}}, level::pte, {8, 1}) || !(before == r.gathered())) return false;
  request moved = std::move(r);
  if (r.owed() || !moved.owed() || r.room() != 0) return false;
  const auto done = std::move(moved).run(backend);
  return !moved.owed() && done.frames().size() == 2 && done.frames()[0] == frame_run{7, 1} &&
         done.frames()[1] == frame_run{9, 1} && backend.flushes() == 1 &&
         backend.plans()[0] == before.plan(x86_64_ceiling{});
}
static_assert(frames_come_back());

// Nothing gathered: no flush, and the request may be dropped.
constexpr bool nothing_to_do() {
  flush_plan<x86_64> plans[1] = {};
  recording_backend<x86_64> backend(plans);
  {
    request dropped;
    if (dropped.owed()) return false;
  }
  request run;
  return std::move(run).run(backend).frames().empty() && backend.flushes() == 0 && backend.all_kept();
}
static_assert(nothing_to_do());

// One request takes over another's debts, if there is room.
constexpr bool takes_over() {
  frame_run a_room[3] = {}, b_room[2] = {};
  request a(a_room), b(b_room);
  if (!a.retire({{0x1000}, {0x1fff}}, level::pte, {1, 1}) || !b.retire({{0x2000}, {0x2fff}}, level::pte, {2, 1}) ||
      !b.retire({{0x3000}, {0x3fff}}, level::pte, {3, 1}))
    return false;
  if (b.absorb(a) || !a.owed()) return false;
  if (!a.absorb(b) || b.owed() || b.room() != 2 || !a.full()) return false;
  if (a.plan().range != va_range{{0x1000}, {0x3fff}}) return false;
  null_backend backend;
  return std::move(a).run(backend).frames().back() == frame_run{3, 1};
}
static_assert(takes_over());

// A recording back end without room still counts.
constexpr bool counts_without_room() {
  recording_backend<x86_64> backend({});
  for (int i = 0; i < 2; ++i) {
    request r;
    r.gathered().add_entry({0x1000}, level::pte);
    if (!std::move(r).run(backend).frames().empty()) return false;
  }
  return backend.flushes() == 2 && !backend.all_kept() && backend.plans().empty();
}
static_assert(counts_without_room());

}  // namespace
