// Flushing on powerpc Book3S with radix tables: TLBIE, which reaches all CPUs, and TLBIEL, which is for this one.
//
// [isa]   Power ISA 3.0 and 3.1, Book III, "TLB Invalidate Entry", "TLB Invalidate Entry Local", "Page Table Update
//         Synchronization Requirements"
// [linux] arch/powerpc/mm/book3s64/radix_tlb.c
#pragma once

#include <concepts>
#include <cstdint>

#include <pte/format/ppc64_radix.hpp>
#include <pte/tlb/backend.hpp>

namespace pte {

// The RIC operand: radix invalidation control.
enum class ppc64_ric : unsigned char {
  tlb = 0,         // translations only
  walk_cache = 1,  // the page walk cache only
  all = 2,         // both, and cached process and partition table entries
};

// The registers of TLBIE and TLBIEL. Bit 0 of the manual is the most significant one.
struct ppc64_tlbie {
  std::uint64_t rb = 0;  // the effective address or set, IS, and AP
  std::uint64_t rs = 0;  // PID in bits 0:31; LPID in bits 32:63
  ppc64_ric ric = ppc64_ric::tlb;
  friend constexpr bool operator==(ppc64_tlbie, ppc64_tlbie) = default;
};

// AP, the encoding of an actual page size; 2^shift bytes is 4K, 64K, 2M or 1G. (What the firmware says of POWER9 and 10
// in ibm,processor-radix-AP-encodings.) Translations of other sizes are not invalidated.
constexpr std::uint64_t ppc64_page_size(unsigned shift) {
  return shift == 12 ? 0 : shift == 16 ? 5 : shift == 21 ? 1 : 2;
}

// One address, pages of 2^shift bytes: EPN in bits 0:51, IS = 0 in 52:53, AP in 56:58.
constexpr ppc64_tlbie ppc64_invalidate_address(virt_addr va, std::uint32_t pid, unsigned shift) {
  return {(va.value & bits(63, 12)) | ppc64_page_size(shift) << 5, std::uint64_t{pid} << 32, ppc64_ric::tlb};
}

// All of one PID: IS = 1. `set`, in bits 40:51, is for TLBIEL on CPUs before ISA 3.1, which clears one set at a time.
constexpr ppc64_tlbie ppc64_invalidate_pid(std::uint32_t pid, ppc64_ric ric, unsigned set = 0) {
  return {std::uint64_t{set} << 12 | std::uint64_t{1} << 10, std::uint64_t{pid} << 32, ric};
}

// Whose translations a flush is about, and where. They belong to the partition in LPIDR. Radix tables have no global
// translations: the kernel's have PID 0.
struct ppc64_target {
  std::uint32_t pid = 0;
  bool local = false;         // TLBIEL: only this CPU may use the address space, and no accelerator
  unsigned local_sets = 128;  // sets that TLBIEL has to go through for a whole PID: 128 on POWER9, 1 from ISA 3.1 on
};

// The instructions of one CPU: ppc64_instructions, or what records them.
template <class C>
concept ppc64_tlb_port = requires(C& cpu, const ppc64_tlbie& what) {
  cpu.ptesync();
  // PRS = 1 (process-scoped), R = 1 (radix).
  cpu.tlbie(what);
  cpu.tlbiel(what);
  // EIEIO; TLBSYNC; PTESYNC: what was invalidated by TLBIE is no longer used by any CPU.
  cpu.tlbsync();
  // SLBIA with IH = 3, ISYNC: this CPU forgets effective-to-real translations, which it caches apart, of user programs.
  cpu.drop_erat();
};

// Carries out `plan`. Does not work around errata of POWER9 (TLBIE and stores in flight, TLBIE and ERAT): a user of
// such CPUs has to wrap `Cpu`, to repeat the last TLBIE after a PTESYNC.
template <unsigned PageShift, ppc64_tlb_port Cpu>
constexpr void ppc64_flush(const flush_plan<ppc64_radix<PageShift>>& plan, ppc64_target target, Cpu&& cpu) {
  using layout = ppc64_radix<PageShift>;
  if (plan.extent == flush_extent::nothing) return;
  const auto issue = [&cpu, local = target.local](const ppc64_tlbie& what) {
    if (local)
      cpu.tlbiel(what);
    else
      cpu.tlbie(what);
  };
  const bool everything = plan.extent == flush_extent::everything;
  cpu.ptesync();
  if (everything) {
    issue(ppc64_invalidate_pid(target.pid, plan.walk_caches() ? ppc64_ric::all : ppc64_ric::tlb));
    if (target.local)
      for (unsigned set = 1; set < target.local_sets; ++set)
        issue(ppc64_invalidate_pid(target.pid, ppc64_ric::tlb, set));
  } else {
    // The walk cache goes as a whole, and before the translations. An address is invalidated for each page size apart.
    if (plan.walk_caches()) issue(ppc64_invalidate_pid(target.pid, ppc64_ric::walk_cache));
    for (level l = level::pte; l <= level::pud; l = static_cast<level>(depth(l) + 1))
      if (plan.leaves.contains(l))
        plan.for_each_stride(l, [issue, pid = target.pid, shift = layout::shift(l)](virt_addr va) {
          issue(ppc64_invalidate_address(va, pid, shift));
        });
  }
  if (!target.local) {
    cpu.tlbsync();
  } else {
    cpu.ptesync();
    if (everything) cpu.drop_erat();
  }
}

#if defined(__powerpc64__)
// The CPU this runs on: POWER9 or later, privileged (TLBIE: hypervisor, or a guest allowed to).
struct ppc64_instructions {
  static void ptesync() { asm volatile("ptesync" : : : "memory"); }
  static void tlbsync() { asm volatile("eieio\n\ttlbsync\n\tptesync" : : : "memory"); }
  static void drop_erat() { asm volatile(".long 0x7c6003e4\n\tisync" : : : "memory"); }
  static void tlbie(const ppc64_tlbie& what) {
    switch (what.ric) {
      case ppc64_ric::tlb: issue<306, ppc64_ric::tlb>(what); break;
      case ppc64_ric::walk_cache: issue<306, ppc64_ric::walk_cache>(what); break;
      case ppc64_ric::all: issue<306, ppc64_ric::all>(what); break;
    }
  }
  static void tlbiel(const ppc64_tlbie& what) {
    switch (what.ric) {
      case ppc64_ric::tlb: issue<274, ppc64_ric::tlb>(what); break;
      case ppc64_ric::walk_cache: issue<274, ppc64_ric::walk_cache>(what); break;
      case ppc64_ric::all: issue<274, ppc64_ric::all>(what); break;
    }
  }

 private:
  // As a number, since assemblers know five operands only with -mcpu=power9, clang's never: opcode 31, RS, RIC, PRS, R,
  // RB, extended opcode.
  template <unsigned Xo, ppc64_ric Ric>
  static void issue(const ppc64_tlbie& what) {
    constexpr unsigned fixed = 31u << 26 | static_cast<unsigned>(Ric) << 18 | 1u << 17 | 1u << 16 | Xo << 1;
    asm volatile(".long %c0 | %2 << 21 | %1 << 11" : : "i"(fixed), "r"(what.rb), "r"(what.rs) : "memory");
  }
};
#endif

// Carries out plans by `Cpu`; hardware takes TLBIE to the other CPUs.
template <class Layout, ppc64_tlb_port Cpu>
struct ppc64_backend {
  ppc64_target target{};
  [[no_unique_address]] Cpu cpu{};

  constexpr ppc64_ceiling ceiling() const { return ppc64_ceiling{target.local}; }
  constexpr void flush(const flush_plan<Layout>& plan) { ppc64_flush(plan, target, cpu); }
};

}  // namespace pte
