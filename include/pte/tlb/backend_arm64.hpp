// Flushing on arm64: TLBI with its barriers, for stage 1 of the EL1&0 regime. The inner-shareable forms reach all CPUs.
//
// [arm]   Arm ARM DDI 0487, C5.5 "A64 system instructions for TLB maintenance", D8.17 "TLB maintenance instructions":
//         D8.17.5.2 "by range", D8.17.5.3 "TTL hint"
// [linux] arch/arm64/include/asm/tlbflush.h
#pragma once

#include <concepts>
#include <cstdint>

#include <pte/format/arm64.hpp>
#include <pte/tlb/backend.hpp>

namespace pte {

// The TLBI operations, without the suffix that says whom they reach. Bits 2:0 are op2 of the SYS instruction; bit 3
// tells those on ranges. `a`: for all ASIDs, `l`: last level only, which leaves walk caches alone. All of them
// invalidate matching global leaves too, except aside1.
enum class arm64_tlbi : unsigned char {
  vmalle1 = 0,  // everything; no operand
  aside1 = 2,   // an ASID
  vae1 = 1,     // an address in an ASID
  vaae1 = 3,
  vale1 = 5,
  vaale1 = 7,
  rvae1 = 9,  // a range in an ASID
  rvaae1 = 11,
  rvale1 = 13,
  rvaale1 = 15,
};

// Whom a TLBI reaches, and the barriers that go with it: this CPU, or all of the inner-shareable domain.
enum class arm64_scope : unsigned char { local, inner_shareable };

// The name of a granule in operands: 1, 2, 3 for 4K, 16K, 64K.
constexpr std::uint64_t arm64_granule(unsigned page_shift) { return page_shift / 2 - 5; }

// The number of a level as TTL hint gives it: 1, 2, 3 from the top; 0 where it cannot be told (level 0, and level 1 of
// the 16K granule without LPA2). A wrong hint makes an invalidation void.
template <class Layout>
constexpr std::uint64_t arm64_level_hint(level l) {
  if (depth(l) > 2 || (depth(l) == 2 && Layout::page_shift == 14 && !Layout::lpa2)) return 0;
  return 3 - depth(l);
}

// Operand of the operations on an address: VA[55:12] in bits 43:0 whatever the granule is, a TTL hint in 47:44 (the
// granule, then the level; 0 for any), ASID in 63:48. `hint`: what arm64_level_hint gave; must be 0 without FEAT_TTL.
template <class Layout>
constexpr std::uint64_t arm64_address_operand(virt_addr va, std::uint16_t asid, std::uint64_t hint) {
  const std::uint64_t ttl = hint == 0 ? 0 : arm64_granule(Layout::page_shift) << 2 | hint;
  return (va.value >> 12 & bits(43, 0)) | ttl << 44 | std::uint64_t{asid} << 48;
}

// How many pages an operation on a range covers: (num + 1) * 2^(5 * scale + 1), num up to 31, scale up to 3.
constexpr std::uint64_t arm64_range_pages(std::uint64_t num, unsigned scale) { return (num + 1) << (5 * scale + 1); }

// Operand of the operations on a range: base address in bits 36:0, counted in granules, or in 64K with LPA2; level hint
// in 38:37; NUM in 43:39; SCALE in 45:44; granule in 47:46; ASID in 63:48. `base` is a multiple of the granule, and of
// 64K with LPA2; of the size of the level's entries if there is a hint, or the range would be unpredictable.
template <class Layout>
constexpr std::uint64_t arm64_range_operand(virt_addr base, std::uint16_t asid, std::uint64_t hint, std::uint64_t num,
                                            unsigned scale) {
  constexpr unsigned unit = Layout::lpa2 ? 16 : Layout::page_shift;
  return (base.value >> unit & bits(36, 0)) | hint << 37 | num << 39 | std::uint64_t{scale} << 44 |
         arm64_granule(Layout::page_shift) << 46 | std::uint64_t{asid} << 48;
}

// Whose translations a flush is about, and what all CPUs that it reaches can do.
struct arm64_target {
  std::uint16_t asid = 0;  // of the address space; plans that are global are carried out for all ASIDs
  arm64_scope scope = arm64_scope::inner_shareable;  // local: only this CPU may use it, or only it has to forget
  bool range_operations = false;                     // FEAT_TLBIRANGE
  bool level_hints = false;                          // FEAT_TTL
};

// The instructions of one CPU: arm64_instructions, or what records them.
template <class C>
concept arm64_tlb_port = requires(C& cpu, arm64_scope scope, arm64_tlbi op, std::uint64_t operand) {
  // DSB ISHST or NSHST: earlier stores to entries are seen by walks before anything that follows.
  cpu.dsb_stores(scope);
  // vmalle1 ignores the operand.
  cpu.tlbi(op, scope, operand);
  // DSB ISH or NSH: the invalidations have completed, on all CPUs that they reach; it counts on the CPU that issued
  // them.
  cpu.dsb(scope);
  // What this CPU fetched and translated before is done again.
  cpu.isb();
};

// Carries out `plan`. (A kernel that gives user space an ASID of its own, KPTI, does so once for each of the two.)
template <unsigned PageShift, bool Pa52, arm64_tlb_port Cpu>
constexpr void arm64_flush(const flush_plan<arm64<PageShift, Pa52>>& plan, arm64_target target, Cpu&& cpu) {
  using layout = arm64<PageShift, Pa52>;
  if (plan.extent == flush_extent::nothing) return;
  const std::uint16_t asid = plan.global ? std::uint16_t{0} : target.asid;
  cpu.dsb_stores(target.scope);
  if (plan.extent == flush_extent::everything) {
    cpu.tlbi(plan.global ? arm64_tlbi::vmalle1 : arm64_tlbi::aside1, target.scope, std::uint64_t{asid} << 48);
  } else {
    // Operations by address invalidate matching global leaves with any ASID, but walk caches of their own ASID only.
    const bool last_level = !plan.walk_caches();
    const arm64_tlbi by_address = plan.global ? (last_level ? arm64_tlbi::vaale1 : arm64_tlbi::vaae1)
                                              : (last_level ? arm64_tlbi::vale1 : arm64_tlbi::vae1);
    const arm64_tlbi by_range = static_cast<arm64_tlbi>(static_cast<unsigned char>(by_address) | 8);
    const level stride = plan.stride_level();
    const std::uint64_t hint = last_level && plan.leaves.is_only(stride) ? arm64_level_hint<layout>(stride) : 0;

    // A range in operations on ranges begins at a multiple of 64K with LPA2; the last odd page is an operation by
    // itself. Going down in scale, each operation begins where entries of the hinted level do, except for levels larger
    // than all ranges: those are invalidated one by one, as everything is if there are no operations on ranges.
    const std::uint64_t per_stride = plan.stride() >> PageShift;
    const bool ranges = target.range_operations && per_stride <= arm64_range_pages(31, 3);
    std::uint64_t pages = plan.pages();
    virt_addr va = plan.range.first;
    const auto one = [&] {
      cpu.tlbi(by_address, target.scope, arm64_address_operand<layout>(va, asid, target.level_hints ? hint : 0));
      va.value += plan.stride();
      pages -= per_stride;
    };
    while (pages > per_stride && (!ranges || (layout::lpa2 && (va.value & bits(15, 0)) != 0))) one();
    for (unsigned scale = 3; pages > per_stride; --scale) {
      for (std::uint64_t unit = arm64_range_pages(0, scale); pages >= unit;) {
        const std::uint64_t units = pages / unit < 32 ? pages / unit : 32;
        cpu.tlbi(by_range, target.scope,
                 arm64_range_operand<layout>(va, asid, target.level_hints ? hint : 0, units - 1, scale));
        va.value += units * unit << PageShift;
        pages -= units * unit;
      }
    }
    if (pages != 0) one();
  }
  cpu.dsb(target.scope);
  cpu.isb();
}

#if defined(__aarch64__)
// The CPU this runs on, at EL1 (or at EL2 with HCR_EL2.{E2H, TGE} = {1, 1}, where they act on EL2&0).
struct arm64_instructions {
  static void dsb_stores(arm64_scope scope) {
    if (scope == arm64_scope::local)
      asm volatile("dsb nshst" : : : "memory");
    else
      asm volatile("dsb ishst" : : : "memory");
  }
  static void dsb(arm64_scope scope) {
    if (scope == arm64_scope::local)
      asm volatile("dsb nsh" : : : "memory");
    else
      asm volatile("dsb ish" : : : "memory");
  }
  static void isb() { asm volatile("isb" : : : "memory"); }

  static void tlbi(arm64_tlbi op, arm64_scope scope, std::uint64_t operand) {
    const bool local = scope == arm64_scope::local;
    switch (op) {
      case arm64_tlbi::vmalle1:
        if (local)
          asm volatile("tlbi vmalle1" : : : "memory");
        else
          asm volatile("tlbi vmalle1is" : : : "memory");
        break;
      case arm64_tlbi::vae1: issue<arm64_tlbi::vae1>(local, operand); break;
      case arm64_tlbi::aside1: issue<arm64_tlbi::aside1>(local, operand); break;
      case arm64_tlbi::vaae1: issue<arm64_tlbi::vaae1>(local, operand); break;
      case arm64_tlbi::vale1: issue<arm64_tlbi::vale1>(local, operand); break;
      case arm64_tlbi::vaale1: issue<arm64_tlbi::vaale1>(local, operand); break;
      case arm64_tlbi::rvae1: issue<arm64_tlbi::rvae1>(local, operand); break;
      case arm64_tlbi::rvaae1: issue<arm64_tlbi::rvaae1>(local, operand); break;
      case arm64_tlbi::rvale1: issue<arm64_tlbi::rvale1>(local, operand); break;
      case arm64_tlbi::rvaale1: issue<arm64_tlbi::rvaale1>(local, operand); break;
    }
  }

 private:
  // TLBI is SYS #0, C8, Cm, #op2: Cm is 3 and 2 for inner-shareable operations on an address and on a range, 7 and 6
  // for local ones. Written so, assemblers take those on ranges for any CPU.
  template <arm64_tlbi Op>
  static void issue(bool local, std::uint64_t operand) {
    constexpr unsigned op = static_cast<unsigned>(Op), range = op >> 3, op2 = op & 7;
    if (local)
      asm volatile("sys #0, c8, c%c0, #%c1, %2" : : "i"(7 - range), "i"(op2), "r"(operand) : "memory");
    else
      asm volatile("sys #0, c8, c%c0, #%c1, %2" : : "i"(3 - range), "i"(op2), "r"(operand) : "memory");
  }
};
#endif

// Carries out plans by `Cpu`; hardware takes them to the other CPUs.
template <class Layout, arm64_tlb_port Cpu>
struct arm64_backend {
  arm64_target target{};
  [[no_unique_address]] Cpu cpu{};

  constexpr arm64_ceiling ceiling() const { return {.range_operations = target.range_operations}; }
  constexpr void flush(const flush_plan<Layout>& plan) { arm64_flush(plan, target, cpu); }
};

}  // namespace pte
