// Flushing on riscv64: SFENCE.VMA, or the Svinval instructions. These work on the hart that executes them; how the
// others are made to do the same (an SBI call, an interrupt) is the user's to say.
//
// [priv]  RISC-V privileged architecture, "Supervisor Memory-Management Fence Instruction", "Svinval"
// [sbi]   RISC-V SBI, chapter 8 "RFENCE extension"
// [linux] arch/riscv/mm/tlbflush.c
#pragma once

#include <concepts>
#include <cstdint>

#include <pte/format/riscv64.hpp>
#include <pte/tlb/backend.hpp>

namespace pte {

// What one SFENCE.VMA orders and invalidates: its two registers, or x0.
//   rs1 = x0: entries of all levels. Otherwise only the leaves for that address: not enough if a table is freed.
//   rs2 = x0: all address spaces. Otherwise only that one, and no global mappings.
struct riscv64_fence {
  bool by_address = false;  // rs1 is not x0
  bool by_asid = false;     // rs2 is not x0
  std::uint64_t address = 0;
  std::uint64_t asid = 0;  // bits 15:0
  friend constexpr bool operator==(riscv64_fence, riscv64_fence) = default;
};

// Whose translations a flush is about, and what the harts can do.
struct riscv64_target {
  std::uint16_t asid = 0;
  bool asids = false;    // satp.ASID is in use; otherwise every fence is for all address spaces
  bool svinval = false;  // has SINVAL.VMA, which needs ordering once for many addresses
};

// The instructions of one hart: riscv64_instructions, or what records them.
template <class C>
concept riscv64_tlb_port = requires(C& hart, riscv64_fence fence) {
  hart.sfence_vma(fence);
  // Svinval: SFENCE.W.INVAL orders earlier stores before any number of SINVAL.VMA, SFENCE.INVAL.IR those before walks.
  hart.sfence_w_inval();
  hart.sinval_vma(fence);
  hart.sfence_inval_ir();
};

// The fence for a plan whose extent is not nothing: for the stride at `va`, or for all of the plan, if it is not by
// address.
constexpr riscv64_fence riscv64_fence_for(const flush_plan<riscv64>& plan, riscv64_target target, virt_addr va) {
  const bool by_address = plan.extent == flush_extent::range && !plan.walk_caches();
  const bool by_asid = target.asids && !plan.global;
  return {by_address, by_asid, by_address ? va.value : 0, by_asid ? std::uint64_t{target.asid} : 0};
}

// Carries out `plan` on one hart.
template <riscv64_tlb_port Hart>
constexpr void riscv64_flush(const flush_plan<riscv64>& plan, riscv64_target target, Hart&& hart) {
  if (plan.extent == flush_extent::nothing) return;
  const riscv64_fence first = riscv64_fence_for(plan, target, plan.range.first);
  const auto at = [first](virt_addr va) {
    riscv64_fence fence = first;
    fence.address = va.value;
    return fence;
  };
  if (!first.by_address) {
    hart.sfence_vma(first);
  } else if (target.svinval && plan.strides() > 1) {
    hart.sfence_w_inval();
    plan.for_each_stride(plan.stride_level(), [&hart, at](virt_addr va) { hart.sinval_vma(at(va)); });
    hart.sfence_inval_ir();
  } else {
    plan.for_each_stride(plan.stride_level(), [&hart, at](virt_addr va) { hart.sfence_vma(at(va)); });
  }
}

// Arguments of the SBI call that makes other harts do the same: REMOTE_SFENCE_VMA_ASID if by_asid, else
// REMOTE_SFENCE_VMA. Everything: start 0, all ones for the size. [sbi]
struct riscv64_remote_fence {
  bool by_asid = false;
  std::uint64_t start = 0;
  std::uint64_t size = ~std::uint64_t{0};
  std::uint64_t asid = 0;
  friend constexpr bool operator==(riscv64_remote_fence, riscv64_remote_fence) = default;
};

// For a plan whose extent is not nothing.
constexpr riscv64_remote_fence riscv64_remote_fence_for(const flush_plan<riscv64>& plan, riscv64_target target) {
  const riscv64_fence fence = riscv64_fence_for(plan, target, plan.range.first);
  riscv64_remote_fence remote{.by_asid = fence.by_asid, .asid = fence.asid};
  if (fence.by_address && plan.range.size() != 0) {
    remote.start = fence.address;
    remote.size = plan.range.size();
  }
  return remote;
}

#if defined(__riscv) && __riscv_xlen == 64
// The hart this runs on, in S-mode.
struct riscv64_instructions {
  static void sfence_vma(riscv64_fence f) {
    if (f.by_address && f.by_asid)
      asm volatile("sfence.vma %0, %1" : : "r"(f.address), "r"(f.asid) : "memory");
    else if (f.by_address)
      asm volatile("sfence.vma %0, x0" : : "r"(f.address) : "memory");
    else if (f.by_asid)
      asm volatile("sfence.vma x0, %0" : : "r"(f.asid) : "memory");
    else
      asm volatile("sfence.vma x0, x0" : : : "memory");
  }
  // Svinval's as numbers: assemblers know them with -march=..._svinval only. SINVAL.VMA differs from SFENCE.VMA, 9, in
  // funct7, 11.
  static void sfence_w_inval() { asm volatile(".4byte 0x18000073" : : : "memory"); }
  static void sinval_vma(riscv64_fence f) {
    if (f.by_address && f.by_asid)
      asm volatile(".insn r 0x73, 0, 11, x0, %0, %1" : : "r"(f.address), "r"(f.asid) : "memory");
    else if (f.by_address)
      asm volatile(".insn r 0x73, 0, 11, x0, %0, x0" : : "r"(f.address) : "memory");
    else if (f.by_asid)
      asm volatile(".insn r 0x73, 0, 11, x0, x0, %0" : : "r"(f.asid) : "memory");
    else
      asm volatile(".insn r 0x73, 0, 11, x0, x0, x0" : : : "memory");
  }
  static void sfence_inval_ir() { asm volatile(".4byte 0x18100073" : : : "memory"); }
};
#endif

// Carries out plans on this hart, by `Hart`, and on others: others(plan) makes each of them that may use the address
// space do the same (see riscv64_remote_fence_for, riscv64_flush) and returns when all have.
template <riscv64_tlb_port Hart, std::invocable<const flush_plan<riscv64>&> Others = no_other_cpus>
struct riscv64_backend {
  riscv64_target target{};
  [[no_unique_address]] Others others{};
  [[no_unique_address]] Hart hart{};
  riscv64_ceiling most{};

  constexpr riscv64_ceiling ceiling() const { return most; }
  constexpr void flush(const flush_plan<riscv64>& plan) {
    others(plan);
    riscv64_flush(plan, target, hart);
  }
};

}  // namespace pte
