// Flushing on x86-64: INVLPG, INVPCID, reloading CR3, toggling CR4.PGE. These work on the CPU that executes them; how
// the others are made to do the same (an interrupt) is the user's to say.
//
// [sdm]   Intel SDM vol. 3, 4.10.4.1 "operations that invalidate TLBs and paging-structure caches"; vol. 2A, INVLPG and
//         INVPCID
// [linux] arch/x86/mm/tlb.c, arch/x86/include/asm/invpcid.h
#pragma once

#include <concepts>
#include <cstdint>

#include <pte/format/x86_64.hpp>
#include <pte/tlb/backend.hpp>

namespace pte {

// What INVPCID invalidates [sdm]. It always takes the paging-structure caches of the contexts it names along.
enum class invpcid_type : std::uint64_t {
  address = 0,         // one address in one PCID; not global translations
  context = 1,         // one PCID; not global translations
  all_and_global = 2,  // everything
  all = 3,             // every PCID; not global translations
};

// INVPCID's 16 bytes in memory: PCID in bits 11:0, bits 63:12 zero; the linear address (canonical, used by type
// address).
struct invpcid_descriptor {
  std::uint64_t pcid = 0;
  std::uint64_t address = 0;
  friend constexpr bool operator==(invpcid_descriptor, invpcid_descriptor) = default;
};

// Which translations a flush is about, and what the CPU can do for that.
struct x86_64_target {
  // The address space's PCIDs. `all`: tables that every address space uses, the kernel's (unless their entries are all
  // global and none points to a table that changed).
  enum class contexts : unsigned char { current, one, all };

  contexts which = contexts::current;  // current: CR3 holds it on every CPU that flushes
  std::uint16_t pcid = 0;              // which == one: that one; below 4096
  bool pcide = false;                  // CR4.PCIDE: there are PCIDs other than 0
  bool invpcid = false;                // the CPU has INVPCID; without, contexts that are not current take a full flush
};

// The instructions of one CPU: x86_64_instructions, or what records them.
template <class C>
concept x86_64_tlb_port = requires(C& cpu, virt_addr va, invpcid_type type, invpcid_descriptor what) {
  // That address in the current PCID, with global translations; all paging-structure caches of the current PCID.
  cpu.invlpg(va);
  cpu.invpcid(type, what);
  // The current PCID, without global translations: CR3 is written with what it holds, bit 63 zero.
  cpu.reload_cr3();
  // Everything: CR4.PGE is inverted and put back. Interrupts are off.
  cpu.toggle_pge();
};

// Carries out `plan` on one CPU.
template <x86_64_tlb_port Cpu>
constexpr void x86_64_flush(const flush_plan<x86_64>& plan, x86_64_target target, Cpu&& cpu) {
  using contexts = x86_64_target::contexts;
  if (plan.extent == flush_extent::nothing) return;
  const bool range = plan.extent == flush_extent::range;
  const auto flush_all = [&cpu, invpcid = target.invpcid](bool global) {
    if (invpcid)
      cpu.invpcid(global ? invpcid_type::all_and_global : invpcid_type::all, {});
    else
      cpu.toggle_pge();
  };
  // INVLPG drops a global translation whatever PCID it was made in, but upper-level entries of the current PCID only.
  const bool every_context = target.pcide && (target.which == contexts::all || (plan.global && plan.walk_caches()));
  const bool other_context = target.pcide && target.which == contexts::one;
  if (every_context)
    flush_all(plan.global);
  else if (other_context && (plan.global || !target.invpcid))
    flush_all(true);
  else if (other_context && !range)
    cpu.invpcid(invpcid_type::context, {target.pcid, 0});
  else if (other_context)
    plan.for_each_stride(plan.stride_level(), [&cpu, pcid = target.pcid](virt_addr va) {
      cpu.invpcid(invpcid_type::address, {pcid, va.value});
    });
  else if (range)
    plan.for_each_stride(plan.stride_level(), [&cpu](virt_addr va) { cpu.invlpg(va); });
  else if (plan.global)
    flush_all(true);
  else
    cpu.reload_cr3();
}

#if defined(__x86_64__)
// The CPU this runs on, in ring 0.
struct x86_64_instructions {
  static void invlpg(virt_addr va) { asm volatile("invlpg (%0)" : : "r"(va.value) : "memory"); }
  static void invpcid(invpcid_type type, invpcid_descriptor what) {
    asm volatile("invpcid %0, %1" : : "m"(what), "r"(static_cast<std::uint64_t>(type)) : "memory");
  }
  static void reload_cr3() {
    std::uint64_t cr3;
    asm volatile("mov %%cr3, %0\n\tmov %0, %%cr3" : "=r"(cr3) : : "memory");
  }
  static void toggle_pge() {
    std::uint64_t cr4, other;
    asm volatile("mov %%cr4, %0\n\tmov %0, %1\n\txor $0x80, %1\n\tmov %1, %%cr4\n\tmov %0, %%cr4"
                 : "=&r"(cr4), "=&r"(other)
                 :
                 : "memory", "cc");
  }
};
#endif

// Carries out plans on this CPU, by `Cpu`, and on others: others(plan) makes each of them that may use the address
// space call x86_64_flush and returns when all have done so.
template <x86_64_tlb_port Cpu, std::invocable<const flush_plan<x86_64>&> Others = no_other_cpus>
struct x86_64_backend {
  x86_64_target target{};
  [[no_unique_address]] Others others{};
  [[no_unique_address]] Cpu cpu{};
  x86_64_ceiling most{};

  constexpr x86_64_ceiling ceiling() const { return most; }
  constexpr void flush(const flush_plan<x86_64>& plan) {
    others(plan);
    x86_64_flush(plan, target, cpu);
  }
};

}  // namespace pte
