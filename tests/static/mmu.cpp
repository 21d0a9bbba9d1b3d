// The MMUs of pte/proof/access.hpp by examples, one for each sentence of the manuals. (That they agree with what the
// formats say, for all words, is proved in proofs/flush_*.cpp; this says which sentence it is that is wrong.)
#include <cstdint>
#include <pte/proof/access.hpp>

namespace {

using namespace pte;
using namespace pte::proof;

using u64 = std::uint64_t;

enum class kind { load, store, fetch, stray_fetch, shadow_store };
using enum kind;

constexpr attempt<u64> by(bool user, kind k, u64 denied_key = ~u64{0}) {
  return {.user = user,
          .store = k == store,
          .fetch = k == fetch || k == stray_fetch,
          .shadow_store = k == shadow_store,
          .stray = k == stray_fetch,
          .denies = denied_key != ~u64{0},
          .denied_key = denied_key};
}

// Is an access of a program, or of the kernel, let through? What does it mark?
template <class Layout, level L = level::pte>
struct in {
  using machine = typename Layout::template machine<u64>;
  static constexpr bool user(u64 w, kind k, const machine& m = {}, u64 denied_key = ~u64{0}) {
    return !mmu<Layout>::template access<L>(w, by(true, k, denied_key), m).fault;
  }
  static constexpr bool kernel(u64 w, kind k, const machine& m = {}, u64 denied_key = ~u64{0}) {
    return !mmu<Layout>::template access<L>(w, by(false, k, denied_key), m).fault;
  }
  static constexpr bool marks(u64 w, kind k, const machine& m = {}) {
    return mmu<Layout>::template access<L>(w, by(true, k), m).marks_dirty;
  }
  static constexpr destination<u64> leads(u64 w, const machine& m = {}) { return mmu<Layout>::template leads<L>(w, m); }
};

// The destinations are the same but for what is unlike.
constexpr destination<u64> somewhere{false, 0x1000, 6, 3, 0, 0};
constexpr bool like(bool bad, u64 phys, u64 type, u64 share, u64 security, u64 encryption) {
  return same_destination(somewhere, destination<u64>{bad, phys, type, share, security, encryption});
}
static_assert(like(false, 0x1000, 6, 3, 0, 0) && !like(true, 0x1000, 6, 3, 0, 0) && !like(false, 0x2000, 6, 3, 0, 0));
static_assert(!like(false, 0x1000, 0, 3, 0, 0) && !like(false, 0x1000, 6, 2, 0, 0) && !like(false, 0x1000, 6, 3, 1, 0));
static_assert(!like(false, 0x1000, 6, 3, 0, 1));
constexpr outcome<u64> faults{true, false}, passes{false, false}, passes_and_marks{false, true};
static_assert(allowed(faults, faults) && allowed(faults, passes) && !allowed(passes, faults) &&
              allowed(passes, passes));
static_assert(allowed(passes_and_marks, passes) && !allowed(passes, passes_and_marks));

// x86-64.
namespace x86 {
using page = in<x86_64>;
using large = in<x86_64, level::pmd>;
constexpr u64 p = bit(0), rw = bit(1), us = bit(2), dirty = bit(6), ps = bit(7), xd = bit(63);
constexpr x86_64::machine<u64> plain{.smep = false, .smap = false}, no_wp{.wp = false, .smap = false},
    no_nx{.nx = false}, smep_only{.smap = false}, smap_only{.smep = false}, cet{.smap = false, .shadow_stack = true};

static_assert(page::user(p | us, load) && !page::user(us, load) && !page::user(p, load) && page::kernel(p, load));
static_assert(large::user(p | us | ps, load) && !large::user(p | us, load));
static_assert(!in<x86_64, level::p4d>::kernel(p | ps, load));
static_assert(!page::user(p | us, store) && page::user(p | us | rw, store));
static_assert(page::user(p | us, fetch) && !page::user(p | us | xd, fetch) && page::user(p | us | xd, load));
static_assert(!page::user(p | us | xd, load, no_nx));
static_assert(page::kernel(p | us, fetch, smap_only) && !page::kernel(p | us, load, smap_only));
static_assert(!page::kernel(p | us, fetch, smep_only) && page::kernel(p | us, load, smep_only));
static_assert(page::kernel(p | us, fetch, plain) && page::kernel(p | us, load, plain));
static_assert(!page::kernel(p, store) && page::kernel(p, store, no_wp) && !page::user(p | us, store, no_wp));
static_assert(page::user(p | us | dirty, shadow_store, cet) && !page::user(p | us | dirty, shadow_store));
static_assert(!page::user(p | us, shadow_store, cet) && !page::user(p | us | rw | dirty, shadow_store, cet));
static_assert(!page::user(p | us | bit(62), load, plain, 8) && page::user(p | us | bit(62), fetch, plain, 8));
static_assert(page::user(p | us | bit(62), load, plain, 0) && page::user(p | us, load, plain, 8));
static_assert(page::marks(p | us | rw, store) && !page::marks(p | us | rw | dirty, store) &&
              !page::marks(p | us, load));

constexpr x86_64::machine<u64> sme{.address_mask = bits(50, 12), .reserved_mask = bit(50), .pat = 0x0706050403020100};
static_assert(page::leads(p | bits(51, 12), sme).phys == bits(50, 12) &&
              large::leads(p | bits(51, 12), sme).phys == bits(50, 21));
static_assert(page::leads(bit(51), sme).encryption == bit(51) && !page::leads(bit(51), sme).bad_address);
static_assert(page::leads(bit(50), sme).bad_address && !page::leads(bits(20, 13), sme).bad_address);
static_assert(large::leads(bit(13), sme).bad_address && !large::leads(bit(12) | bit(21), sme).bad_address);
static_assert(!large::leads(bit(20), {.address_mask = bits(51, 12) & ~bit(20)}).bad_address);
static_assert(page::leads(bit(7) | bit(4) | bit(3), sme).memory_type == 7 && page::leads(bit(7), sme).memory_type == 4);
static_assert(large::leads(bit(12), sme).memory_type == 4 && page::leads(bit(4), sme).memory_type == 2);
static_assert(page::leads(bit(3), sme).memory_type == 1 && large::leads(bit(7), sme).memory_type == 0);
}  // namespace x86

// arm64.
namespace arm {
using page = in<arm64_4k>;
using block = in<arm64_4k, level::pmd>;
using pages_64k = in<arm64_64k_lpa>;
using pages_lpa2 = in<arm64_16k_lpa2>;
using machine = arm64_4k::machine<u64>;
constexpr u64 el0 = bit(6), read_only = bit(7), gp = bit(50), dbm = bit(51), pxn = bit(53), uxn = bit(54);
constexpr machine weak{.pan = false}, dirty_state{.hw_dirty = true, .pan = false}, wxn{.pan = false, .wxn = true},
    pan{};

static_assert(page::user(3 | el0, load) && !page::user(1 | el0, load) && !page::user(2 | el0, load) &&
              !page::user(3, load));
static_assert(block::user(1 | el0, load) && !block::user(3 | el0, load));
static_assert(!in<arm64_4k, level::p4d>::kernel(1, load) && in<arm64_4k_lpa2, level::p4d>::kernel(1, load));
static_assert(!in<arm64_64k, level::pud>::kernel(1, load) && in<arm64_64k_lpa, level::pud>::kernel(1, load));
static_assert(page::kernel(3 | el0, load, weak) && !page::kernel(3 | el0, load, pan) && page::kernel(3, load, pan));
static_assert(page::kernel(3 | el0 | read_only, fetch, pan));
static_assert(page::user(3 | el0, store) && !page::user(3 | el0 | read_only, store));
static_assert(!page::user(3 | el0 | read_only | dbm, store) &&
              page::user(3 | el0 | read_only | dbm, store, dirty_state));
static_assert(!page::user(3 | el0 | read_only, store, dirty_state));
static_assert(page::marks(3 | el0 | read_only | dbm, store, dirty_state) && !page::marks(3 | el0, store));
static_assert(page::user(3 | el0, fetch) && page::user(3, fetch) && !page::user(3 | uxn, fetch) &&
              page::user(3 | pxn, fetch));
static_assert(page::kernel(3, fetch) && !page::kernel(3 | pxn, fetch) && page::kernel(3 | uxn, fetch));
static_assert(!page::kernel(3 | el0, fetch, weak) && page::kernel(3 | el0 | read_only, fetch, weak));
static_assert(!page::user(3 | el0, fetch, wxn) && page::user(3 | el0 | read_only, fetch, wxn));
static_assert(!page::kernel(3, fetch, wxn) && page::kernel(3 | read_only, fetch, wxn));
static_assert(page::user(3 | el0 | gp, fetch) && !page::user(3 | el0 | gp, stray_fetch) &&
              page::user(3 | el0, stray_fetch));
static_assert(page::user(3 | el0 | dbm, stray_fetch) && !page::user(3 | el0, shadow_store));
static_assert(!page::user(3 | el0 | bit(62), load, weak, 4) && !page::user(3 | el0 | bit(62), fetch, weak, 4));
static_assert(page::user(3 | el0 | bit(62), load, weak, 0));

static_assert(page::leads(bits(47, 12)).phys == bits(47, 12) && block::leads(bits(47, 12)).phys == bits(47, 21));
static_assert(pages_lpa2::leads(bits(9, 8)).phys == bits(51, 50) &&
              pages_64k::leads(bits(15, 12)).phys == bits(51, 48));
static_assert(page::leads(bit(48)).bad_address && !page::leads(bit(16)).bad_address &&
              !pages_lpa2::leads(bit(48)).bad_address);
static_assert(block::leads(bit(12)).bad_address && block::leads(bit(17)).bad_address &&
              !block::leads(bit(16)).bad_address);
static_assert(in<arm64_64k>::leads(bit(12)).bad_address && !pages_64k::leads(bit(12)).bad_address);
static_assert(page::leads(bit(40), {.address_bits = bits(39, 12)}).bad_address &&
              !page::leads(bit(39), {.address_bits = bits(39, 12)}).bad_address);
constexpr machine types{.mair = 0xf7f6f5f4f3f2f1f0};
static_assert(page::leads(7 << 2, types).memory_type == 0xf7 && page::leads(1 << 2, types).memory_type == 0xf1);
static_assert(page::leads(4 << 2, types).memory_type == 0xf4 && page::leads(bit(5)).security == 1);
static_assert(page::leads(bits(9, 8)).shareability == 3 && pages_lpa2::leads(bits(9, 8)).shareability == 0);
}  // namespace arm

// powerpc64.
namespace power {
using page = in<ppc64_64k>;
constexpr u64 leaf = bits(63, 62), exec = 1, write = 2, read = 4, privileged = 8, guarded = bit(5), change = bit(7);
constexpr ppc64_64k::machine<u64> weak{.kuap = false, .kuep = false}, kuap{.kuep = false}, kuep{.kuap = false};

static_assert(page::user(leaf | read, load) && !page::user(bit(63) | read, load) && !page::user(bit(62) | read, load));
static_assert(!in<ppc64_64k, level::p4d>::user(leaf | read, load));
static_assert(!page::user(leaf | read | privileged, load) && page::kernel(leaf | read | privileged, load));
static_assert(!page::user(leaf | exec, load) && page::user(leaf | write, load));
static_assert(page::user(leaf | write, store) && !page::user(leaf | read, store));
static_assert(page::user(leaf | exec, fetch) && !page::user(leaf | read | write, fetch));
static_assert(!page::user(leaf | exec | guarded, fetch) && page::user(leaf | exec | guarded | bit(4), fetch));
static_assert(page::user(leaf | exec | bit(4), fetch) && !page::user(leaf | write, shadow_store));
static_assert(page::kernel(leaf | read, load, weak) && page::kernel(leaf | exec, fetch, weak));
static_assert(!page::kernel(leaf | read, load, kuap) && page::kernel(leaf | exec, fetch, kuap));
static_assert(page::kernel(leaf | read, load, kuep) && !page::kernel(leaf | exec, fetch, kuep));
static_assert(page::marks(leaf | write, store) && !page::marks(leaf | write | change, store) &&
              !page::marks(leaf | read, load));
static_assert(page::leads(leaf | bits(52, 12)).phys == bits(52, 16));
static_assert(in<ppc64_4k>::leads(leaf | bits(52, 12)).phys == bits(52, 12));
static_assert(in<ppc64_64k, level::pmd>::leads(leaf | bits(52, 12)).phys == bits(52, 21));
static_assert(page::leads(bit(12)).bad_address && !page::leads(bit(16)).bad_address && page::leads(bit(6)).bad_address);
static_assert(page::leads(bit(57)).bad_address && page::leads(bit(60)).bad_address && page::leads(bit(53)).bad_address);
static_assert(page::leads(bits(5, 4)).memory_type == 3 && page::leads(guarded).memory_type == 2);
}  // namespace power

// riscv64.
namespace riscv {
using page = in<riscv64>;
using large = in<riscv64, level::pmd>;
using machine = riscv64::machine<u64>;
constexpr u64 v = 1, r = 2, w = 4, x = 8, u = 16, dirty = 0x80, n = bit(63), group = n | bit(13);
constexpr machine bare_bones{.svnapot = false, .svpbmt = false, .svrsw60t59b = false}, sum{.sum = true},
    mxr{.mxr = true}, zicfiss{.shadow_stack = true};

static_assert(page::user(v | r | u, load) && !page::user(r | u, load) && !page::user(v | u, load) &&
              !page::user(v | r, load));
static_assert(!page::kernel(v | r | u, load) && page::kernel(v | r | u, load, sum) &&
              !page::kernel(v | x | u, fetch, sum));
static_assert(page::kernel(v | r, load) && page::kernel(v | x, fetch));
static_assert(page::user(v | r | w | u, store) && !page::user(v | r | u, store) && !page::user(v | w | u, store));
static_assert(!page::user(v | w | x | u, fetch) && page::user(v | x | u, fetch) && !page::user(v | r | u, fetch));
static_assert(!page::user(v | x | u, load) && page::user(v | x | u, load, mxr) && page::user(v | x | r | u, load));
static_assert(page::user(v | w | u, load, zicfiss) && page::user(v | w | u, shadow_store, zicfiss));
static_assert(!page::user(v | w | u, store, zicfiss) && !page::user(v | r | w | u, shadow_store, zicfiss));
static_assert(!page::user(v | w | x | u, shadow_store, zicfiss) && !page::user(v | w | u, shadow_store));
static_assert(page::marks(v | r | w | u, store) && page::marks(v | w | u, shadow_store, zicfiss));
static_assert(!page::marks(v | r | w | u | dirty, store) && !page::marks(v | r | u, load));

static_assert(page::leads(bits(53, 10)).phys == bits(55, 12) && page::leads(bit(53) | group).phys == bit(55));
static_assert(!page::leads(group).bad_address && page::leads(group, bare_bones).bad_address &&
              page::leads(n).bad_address);
static_assert(page::leads(n | bits(13, 12)).bad_address && large::leads(n).bad_address &&
              large::leads(group).bad_address);
static_assert(large::leads(bit(10)).bad_address && large::leads(bit(18)).bad_address &&
              !large::leads(bit(19)).bad_address);
static_assert(page::leads(bit(54)).bad_address && page::leads(bit(58)).bad_address);
static_assert(!page::leads(bits(60, 59)).bad_address && page::leads(bit(59), bare_bones).bad_address);
static_assert(!page::leads(bit(61)).bad_address && page::leads(bits(62, 61)).bad_address &&
              page::leads(bit(61), bare_bones).bad_address);
static_assert(page::leads(bit(30), {.address_bits = bits(31, 12)}).bad_address &&
              !page::leads(bit(29), {.address_bits = bits(31, 12)}).bad_address);
static_assert(page::leads(bit(62)).memory_type == 2 && page::leads(bit(61)).memory_type == 1);
}  // namespace riscv

}  // namespace
