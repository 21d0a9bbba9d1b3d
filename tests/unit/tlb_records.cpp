// The records that decisions about flushes are stated on: what translate() makes of an entry.
#include <cstdint>

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

const pte::machine<x86> intel{};
const pte::machine<arm64> arm{};
const pte::machine<arm64> arm_dirty = [] {
  pte::machine<arm64> m{};
  m.hw_access = m.hw_dirty = true;
  return m;
}();
const pte::machine<ppc64> power{};
const pte::machine<riscv64> riscv{};

constexpr std::uint64_t pfn = 0x12340;

}  // namespace

TEST_CASE("records: x86-64") {
  auto e = mkdirty(page<x86>(pfn, read_write));
  auto t = translate(flip(e, x86::global_bit.mask | std::uint64_t{5} << 59 | x86::pcd.mask), intel);
  CHECK((t.valid && t.usable() && t.accessed && t.dirty && t.global && t.for_user() && t.writable()));
  CHECK((t.rights.user_read && t.rights.user_write && !t.rights.user_exec));
  CHECK((!t.rights.kernel_read && !t.rights.kernel_write && !t.rights.kernel_exec));  // SMAP, SMEP
  CHECK((t.key == 5 && t.memory_type == 7 && t.phys == pfn << 12 && t.size_shift == 12));
  CHECK((!t.contiguous && !t.guarded && !t.shadow_stack && t.encryption == 0));
  // What is dirty for software only is clean to the MMU.
  e = wrprotect(e);
  CHECK((e.as_leaf().dirty() && !translate(e, intel).dirty && !translate(e, intel).writable()));
  // Bits beyond the implemented address size.
  const auto m = x86::machine_with(40);
  CHECK((translate(page<x86>(std::uint64_t{1} << 30, read_only), m).reserved_fault));
  CHECK_FALSE(translate(page<x86>(std::uint64_t{1} << 30, read_only), m).usable());
  for (const auto& parked : {slot<x86>{}, page<x86>(pfn, nobody), slot<x86>::make_swap(1, 1)})
    CHECK_FALSE(translate(parked, intel).valid);
  using large = pte::entry<x86, level::pmd>;
  CHECK(translate(large::make_leaf(0x200, large::protection(read_only), intel), intel).size_shift == 21);
  CHECK_FALSE(translate(large::make_table(0x1000, intel), intel).valid);
}

TEST_CASE("records: arm64") {
  const auto clean = page<arm64>(pfn, read_write);
  CHECK((!translate(clean, arm).writable() && !translate(clean, arm).dirty));
  CHECK((translate(clean, arm_dirty).writable() && !translate(clean, arm_dirty).dirty));
  const auto t = translate(flip(mkdirty(clean), arm64::gp.mask | arm64::cont.mask | arm64::ns.mask), arm);
  CHECK((t.usable() && t.accessed && t.dirty && t.guarded && t.contiguous && !t.global));
  CHECK((t.rights.user_read && t.rights.user_write && !t.rights.user_exec && !t.rights.kernel_read));
  CHECK((t.phys == pfn << 12 && t.memory_type == 0xff && t.shareability == 3 && t.security == 1 && t.size_shift == 12));
  CHECK(translate(flip(clean, arm64::ng.mask), arm).global);
  CHECK(translate(flip(clean, std::uint64_t{3} << 60), arm).key == 3);
  CHECK_FALSE(translate(page<arm64>(pfn, nobody), arm).valid);
  CHECK(translate(page<arm64>(pfn, read_only), arm64::machine_with_phys_bits(28)).reserved_fault);
}

TEST_CASE("records: powerpc64") {
  const auto t = translate(mkdirty(page<ppc64>(pfn, read_write)), power);
  CHECK((t.usable() && t.accessed && t.dirty && t.rights.user_read && t.rights.user_write && !t.rights.user_exec));
  CHECK((!t.global && t.key == 0 && t.memory_type == 0 && t.phys == pfn << 16 && t.size_shift == 16));
  // PROT_NONE is valid, and lets nobody in.
  const auto none = translate(page<ppc64>(pfn, nobody), power);
  CHECK((none.usable() && !none.some_right()));
  CHECK(translate(flip(page<ppc64>(pfn, read_only), pte::bit(5)), power).memory_type == 2);
}

TEST_CASE("records: riscv64") {
  const auto t = translate(mkdirty(page<riscv64>(pfn, read_write)), riscv);
  CHECK((t.usable() && t.accessed && t.dirty && t.rights.user_read && t.rights.user_write && !t.rights.kernel_read));
  CHECK((!t.global && t.memory_type == 0 && t.phys == pfn << 12 && t.size_shift == 12 && !t.contiguous));
  // In a group the address is that of its first page, and the size that of all.
  const auto group = flip(page<riscv64>(pfn, read_only), riscv64::n.mask | riscv64::at<level::pte>::group_code);
  CHECK((translate(group, riscv).contiguous && translate(group, riscv).size_shift == 16));
  CHECK(translate(group, riscv).phys == pfn << 12);
  pte::machine<riscv64> no_svnapot{};
  no_svnapot.svnapot = false;
  CHECK(translate(group, no_svnapot).reserved_fault);
  CHECK(translate(page<riscv64>(pfn, for_kernel(read_only)), riscv).global);
  CHECK_FALSE(translate(page<riscv64>(pfn, nobody), riscv).valid);
}
