// S5: what linux_rules answers is what Linux 7.3.4 answers (without DEBUG_VM) for these pairs, written down from its
// source before the policy was. And how often it flushes for nothing, exactly.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pte/proof/count.hpp>
#include <pte/proof/flush.hpp>
#include <pte/tlb/linux_rules.hpp>

using namespace pte;
using namespace pte::proof;

namespace {

struct vector {
  std::string_view arch, what;  // what begins with PMD: a large page
  std::uint64_t old, next;
  bool flush;
};

constexpr vector vectors[] = {
    {"x86", "RO->RW (widen W)", 0x8000000012345025, 0x8000000012345027, true},
    {"x86", "RW->RO clean", 0x8000000012345027, 0x8000000012345025, true},
    {"x86", "RW dirty->RO saved-dirty", 0x8000000012345067, 0x8400000012345025, true},
    {"x86", "RO saved-dirty->RW dirty", 0x8400000012345025, 0x8000000012345067, true},
    {"x86", "NX 1->0 (widen X)", 0x8000000012345025, 0x0000000012345025, true},
    {"x86", "NX 0->1", 0x0000000012345025, 0x8000000012345025, true},
    {"x86", "US 1->0", 0x8000000012345025, 0x8000000012345021, true},
    {"x86", "pkey 0->5", 0x8000000012345025, 0xa800000012345025, true},
    {"x86", "PWT 0->1 (WB->WC)", 0x8000000012345025, 0x800000001234502d, true},
    {"x86", "PAT 0->1", 0x8000000012345025, 0x80000000123450a5, true},
    {"x86", "G 0->1", 0x8000000012345025, 0x8000000012345125, true},
    {"x86", "D 0->1", 0x8000000012345027, 0x8000000012345067, false},
    {"x86", "D 1->0", 0x8000000012345067, 0x8000000012345027, true},
    {"x86", "A 1->0", 0x8000000012345025, 0x8000000012345005, false},
    {"x86", "A 0->1", 0x8000000012345005, 0x8000000012345025, false},
    {"x86", "uffd bit set on RO", 0x8000000012345025, 0x8000000012345425, false},
    {"x86", "uffd bit set + RW->RO", 0x8000000012345027, 0x8000000012345425, true},
    {"x86", "soft-dirty 1->0 only", 0x8000000012345825, 0x8000000012345025, false},
    {"x86", "SAVED_DIRTY 0->1 only", 0x8000000012345025, 0x8400000012345025, false},
    {"x86", "present->PROT_NONE", 0x8000000012345067, 0x040fffffedcba120, true},
    {"x86", "PROT_NONE->RW", 0x040fffffedcba120, 0x8000000012345067, false},
    {"x86", "none(0)->RW", 0x0000000000000000, 0x8000000012345027, false},
    {"x86", "RW->none(0)", 0x8000000012345027, 0x0000000000000000, true},
    {"x86", "PFN change", 0x8000000012345027, 0x8000000012346027, true},
    {"x86", "bit 52 (AVL) 0->1", 0x8000000012345025, 0x8010000012345025, false},
    {"x86", "SHSTK: W0D0->W0D1", 0x8000000012345025, 0x8000000012345065, false},
    {"x86", "SHSTK W0D1->W1D1", 0x8000000012345065, 0x8000000012345067, true},
    {"x86", "swap->present", 0x3fffffffffdb9600, 0x8000000012345027, false},
    {"x86", "PMD A 1->0", 0x80000000400000a5, 0x8000000040000085, true},
    {"x86", "PMD A 0->1", 0x8000000040000085, 0x80000000400000a5, false},
    {"x86", "PMD D 1->0", 0x80000000400000e7, 0x80000000400000a7, true},
    {"x86", "PMD PAT_LARGE 0->1", 0x80000000400000a5, 0x80000000400010a5, true},
    {"x86", "PMD mkinvalid", 0x80000000400000e7, 0x800fffffbfe000e6, true},
    {"arm64", "RO->writable-clean", 0x0060000012345fc3, 0x0068000012345fc3, true},
    {"arm64", "writable-clean->writable-dirty", 0x0068000012345fc3, 0x0068000012345f43, true},
    {"arm64", "writable-dirty->RO+swdirty", 0x0068000012345f43, 0x00e0000012345fc3, true},
    {"arm64", "writable-clean->RO", 0x0068000012345fc3, 0x0060000012345fc3, true},
    {"arm64", "UXN 1->0", 0x0060000012345fc3, 0x0020000012345fc3, true},
    {"arm64", "UXN 0->1", 0x0020000012345fc3, 0x0060000012345fc3, true},
    {"arm64", "AP[1] 1->0", 0x0060000012345fc3, 0x0060000012345f83, true},
    {"arm64", "AF 1->0", 0x0060000012345fc3, 0x0060000012345bc3, true},
    {"arm64", "AF 0->1", 0x0060000012345bc3, 0x0060000012345fc3, true},
    {"arm64", "sw PTE_DIRTY 0->1 on RO", 0x0060000012345fc3, 0x00e0000012345fc3, false},
    {"arm64", "uffd bit58 1->0", 0x0460000012345fc3, 0x0060000012345fc3, false},
    {"arm64", "special 56 0->1", 0x0060000012345fc3, 0x0160000012345fc3, false},
    {"arm64", "bit63 0->1", 0x0060000012345fc3, 0x8060000012345fc3, false},
    {"arm64", "POIndex 0->3", 0x0060000012345fc3, 0x3060000012345fc3, true},
    {"arm64", "AttrIndx 0->1 (Normal->Tagged)", 0x0060000012345fc3, 0x0060000012345fc7, true},
    {"arm64", "CONT 0->1", 0x0060000012345fc3, 0x0070000012345fc3, true},
    {"arm64", "nG 1->0", 0x0060000012345fc3, 0x00600000123457c3, true},
    {"arm64", "valid->PROT_NONE", 0x0068000012345f43, 0x00e0000012345f82, true},
    {"arm64", "PROT_NONE->writable", 0x00e0000012345f82, 0x0068000012345f43, false},
    {"arm64", "0->valid", 0x0000000000000000, 0x0068000012345f43, false},
    {"arm64", "valid->0", 0x0068000012345f43, 0x0000000000000000, true},
    {"arm64", "OA change", 0x0068000012345f43, 0x0068000012346f43, true},
    {"arm64", "GP 0->1", 0x0060000012345fc3, 0x0064000012345fc3, true},
    {"arm64", "no change", 0x0060000012345fc3, 0x0060000012345fc3, false},
    {"ppc", "R->RW", 0xc000000012340104, 0xc000000012340106, false},
    {"ppc", "RW->R", 0xc000000012340186, 0xc000000012340184, true},
    {"ppc", "R->RX", 0xc000000012340104, 0xc000000012340105, false},
    {"ppc", "RX->R", 0xc000000012340105, 0xc000000012340104, true},
    {"ppc", "C 0->1", 0xc000000012340106, 0xc000000012340186, false},
    {"ppc", "C 1->0", 0xc000000012340186, 0xc000000012340106, true},
    {"ppc", "R(ref) 1->0", 0xc000000012340104, 0xc000000012340004, false},
    {"ppc", "R(ref) 0->1", 0xc000000012340004, 0xc000000012340104, false},
    {"ppc", "RW->PROT_NONE", 0xc000000012340186, 0xc000000012340180, true},
    {"ppc", "PROT_NONE->RW", 0xc000000012340180, 0xc000000012340186, false},
    {"ppc", "PRIV 0->1", 0xc000000012340104, 0xc00000001234010c, true},
    {"ppc", "ATT 00->10 (NI)", 0xc000000012340104, 0xc000000012340124, true},
    {"ppc", "soft-dirty(SW3) 0->1", 0xc000000012340104, 0xc000000012340304, true},
    {"ppc", "special(SW2) 0->1", 0xc000000012340104, 0xc000000012340504, true},
    {"ppc", "RPN change", 0xc000000012340104, 0xc000000012350104, true},
    {"ppc", "invalid(swap)->valid", 0x4000000000055000, 0xc000000012340106, true},
    {"ppc", "valid->P0+INVALID", 0xc000000012340106, 0x6000000012340106, true},
    {"ppc", "W+X swap: RW->RX", 0xc000000012340106, 0xc000000012340105, true},
};

template <class Layout, level L, bool DebugVm = false>
constexpr bool answer(const vector& v) {
  using F = format<Layout, linux_7_3>;
  return linux_rules<DebugVm>::needs_flush(entry<F, L>{v.old}, entry<F, L>{v.next}, machine<F>{});
}
constexpr bool agrees(const vector& v) {
  if (v.arch == "arm64")
    return answer<arm64_4k, level::pte>(v) == v.flush && answer<arm64_64k, level::pte>(v) == v.flush;
  if (v.arch == "ppc") return answer<ppc64_64k, level::pte>(v) == v.flush && answer<ppc64_4k, level::pte>(v) == v.flush;
  if (v.what.starts_with("PMD")) return answer<x86_64, level::pmd>(v) == v.flush;
  return answer<x86_64, level::pte>(v) == v.flush;
}
// The index of the first vector on which they disagree, or their number.
constexpr std::size_t first_wrong() {
  std::size_t i = 0;
  while (i < std::size(vectors) && agrees(vectors[i])) ++i;
  return i;
}
static_assert(std::size(vectors) == 75);
static_assert(first_wrong() == 75);

// A bit that no list of x86's names: flushed with the debug rule only.
constexpr vector unlisted{"x86", "bit 52", 0x8000000012345025, 0x8010000012345025, true};
static_assert(answer<x86_64, level::pte, true>(unlisted) && !answer<x86_64, level::pte>(unlisted));

// Of the 2^128 pairs of words, on the machine of the defaults: how many does the rule flush, and how many of those for
// nothing, `exact` not flushing them? (An exact count: a number of 129 bits, shown by its odd part and power of two.)
template <class Layout>
constexpr auto counted() {
  using F = format<Layout, linux_7_3>;
  return count_answers(
      words<2>.first(all_machines<Layout>::valid).samples(0), [](auto, auto) { return true; },
      [](auto old, auto next) {
        using W = decltype(old);
        return exact::needs_flush(entry<F, level::pte, W>{old}, entry<F, level::pte, W>{next}, machine<F, W>{});
      },
      [](auto old, auto next) {
        using W = decltype(old);
        return linux_rules<>::needs_flush(entry<F, level::pte, W>{old}, entry<F, level::pte, W>{next}, machine<F, W>{});
      });
}
template <class Layout>
inline constexpr auto count_of = counted<Layout>();
constexpr bool is(const cardinal<2>& count, std::uint64_t high, std::uint64_t low) {
  cardinal<2> expected;
  expected.limb = {low, high, 0};
  return count == expected;
}
// 0xba0 * 2^64, a share of 2^-52.5: RO -> RW and its like are few among all pairs, of which most differ in the frame.
static_assert(count_of<x86_64>.missed == cardinal<2>() && is(count_of<x86_64>.needless, 0xba0, 0));
// 7/16: accessed, and pairs that break rules of the layout, which arm64's rule does not look at.
static_assert(count_of<arm64_4k>.missed == cardinal<2>());
static_assert(is(count_of<arm64_4k>.needless, 0x70000000000000c3, 0x4000000000000000));
// Nearly all: powerpc's rule flushes for what was invalid. (It misses none but widenings of kernel entries, about which it
// is not asked.)
static_assert(is(count_of<ppc64_64k>.needless, 0xfffe00005c7ffff5, 0xe10fe80000000000));
// riscv's flushes always.
static_assert(count_of<riscv64>.missed == cardinal<2>() && count_of<riscv64>.answered == cardinal<2>(1, 128));
static_assert(is(count_of<riscv64>.needless, 0xfe81ff0080000000, 0x5ad8000000000000));

}  // namespace
