// Small functions that flush with the real instructions; tests/programs/backends.py looks at what each compiler makes
// of them. Freestanding: it is compiled for architectures of which only a compiler is there.
#include <cstdint>

#if defined(__x86_64__)
#include <pte/tlb/backend_x86_64.hpp>
using layout = pte::x86_64;
#elif defined(__aarch64__)
#include <pte/tlb/backend_arm64.hpp>
using layout = pte::arm64<12>;
#elif defined(__powerpc64__)
#include <pte/tlb/backend_ppc64.hpp>
using layout = pte::ppc64_radix<16>;
#elif defined(__riscv)
#include <pte/tlb/backend_riscv64.hpp>
using layout = pte::riscv64;
#endif
#include <pte/tlb/request.hpp>

#include <utility>

namespace {

// One page, one table, everything.
pte::flush_plan<layout> page(std::uint64_t va, bool global = false) {
  return {.extent = pte::flush_extent::range,
          .range = {{va}, {va | (pte::bit(layout::page_shift) - 1)}},
          .leaves = {1},
          .global = global};
}
pte::flush_plan<layout> table(std::uint64_t va) {
  return {.extent = pte::flush_extent::range, .range = {{va}, {va}}, .tables = {2}};
}
pte::flush_plan<layout> everything(bool global) {
  return {.extent = pte::flush_extent::everything, .leaves = {7}, .tables = {6}, .global = global};
}

}  // namespace

#if defined(__x86_64__)
using backend = pte::x86_64_backend<pte::x86_64_instructions>;
using contexts = pte::x86_64_target::contexts;
static_assert(pte::flush_backend<backend, layout>);
static_assert(pte::x86_64_tlb_port<pte::x86_64_instructions>);

extern "C" [[gnu::flatten]] void flush_page(std::uint64_t va) { backend{}.flush(page(va)); }
extern "C" [[gnu::flatten]] void flush_table(std::uint64_t va) { backend{}.flush(table(va)); }
extern "C" [[gnu::flatten]] void flush_everything() { backend{}.flush(everything(false)); }
extern "C" [[gnu::flatten]] void flush_everything_global() { backend{}.flush(everything(true)); }
extern "C" [[gnu::flatten]] void flush_everything_invpcid() {
  backend{.target = {.invpcid = true}}.flush(everything(true));
}
extern "C" [[gnu::flatten]] void flush_page_of_context(std::uint64_t va, std::uint16_t pcid) {
  backend{.target = {.which = contexts::one, .pcid = pcid, .pcide = true, .invpcid = true}}.flush(page(va));
}
#elif defined(__aarch64__)
using backend = pte::arm64_backend<layout, pte::arm64_instructions>;
static_assert(pte::flush_backend<backend, layout>);

extern "C" [[gnu::flatten]] void flush_page(std::uint64_t va, std::uint16_t asid) {
  backend{.target = {.asid = asid}}.flush(page(va));
}
extern "C" [[gnu::flatten]] void flush_page_local(std::uint64_t va, std::uint16_t asid) {
  backend{.target = {.asid = asid, .scope = pte::arm64_scope::local}}.flush(page(va));
}
extern "C" [[gnu::flatten]] void flush_page_global(std::uint64_t va) { backend{}.flush(page(va, true)); }
extern "C" [[gnu::flatten]] void flush_table(std::uint64_t va, std::uint16_t asid) {
  backend{.target = {.asid = asid}}.flush(table(va));
}
extern "C" [[gnu::flatten]] void flush_everything(std::uint16_t asid) {
  backend{.target = {.asid = asid}}.flush(everything(false));
}
extern "C" [[gnu::flatten]] void flush_everything_global() { backend{}.flush(everything(true)); }
extern "C" [[gnu::flatten]] void flush_everything_local() {
  backend{.target = {.scope = pte::arm64_scope::local}}.flush(everything(true));
}
// Each operation by itself.
template <pte::arm64_tlbi... Op>
static void operations(pte::arm64_scope scope, std::uint64_t operand) {
  (pte::arm64_instructions::tlbi(Op, scope, operand), ...);
}
extern "C" [[gnu::flatten]] void every_operation(std::uint64_t operand) {
  using enum pte::arm64_tlbi;
  operations<vae1, aside1, vaae1, vale1, vaale1, rvae1, rvaae1, rvale1, rvaale1>(pte::arm64_scope::inner_shareable,
                                                                                 operand);
  operations<vae1, aside1, vaae1, vale1, vaale1, rvae1, rvaae1, rvale1, rvaale1>(pte::arm64_scope::local, operand);
}
#elif defined(__powerpc64__)
using backend = pte::ppc64_backend<layout, pte::ppc64_instructions>;
static_assert(pte::flush_backend<backend, layout>);

extern "C" [[gnu::flatten]] void flush_page(std::uint64_t va, std::uint32_t pid) {
  backend{.target = {.pid = pid}}.flush(page(va));
}
extern "C" [[gnu::flatten]] void flush_page_local(std::uint64_t va, std::uint32_t pid) {
  backend{.target = {.pid = pid, .local = true}}.flush(page(va));
}
extern "C" [[gnu::flatten]] void flush_table(std::uint64_t va, std::uint32_t pid) {
  backend{.target = {.pid = pid}}.flush(table(va));
}
extern "C" [[gnu::flatten]] void flush_everything(std::uint32_t pid) {
  backend{.target = {.pid = pid}}.flush(everything(false));
}
extern "C" [[gnu::flatten]] void flush_everything_local(std::uint32_t pid) {
  backend{.target = {.pid = pid, .local = true, .local_sets = 1}}.flush(everything(false));
}
#elif defined(__riscv)
using backend = pte::riscv64_backend<pte::riscv64_instructions>;
static_assert(pte::flush_backend<backend, layout>);

extern "C" [[gnu::flatten]] void flush_page(std::uint64_t va, std::uint16_t asid) {
  backend{.target = {.asid = asid, .asids = true}}.flush(page(va));
}
extern "C" [[gnu::flatten]] void flush_page_global(std::uint64_t va) {
  backend{.target = {.asids = true}}.flush(page(va, true));
}
extern "C" [[gnu::flatten]] void flush_table(std::uint64_t va, std::uint16_t asid) {
  backend{.target = {.asid = asid, .asids = true}}.flush(table(va));
}
extern "C" [[gnu::flatten]] void flush_everything() { backend{}.flush(everything(true)); }
extern "C" [[gnu::flatten]] void flush_many(std::uint64_t va, std::uint16_t asid) {
  pte::riscv64_instructions::sfence_w_inval();
  pte::riscv64_instructions::sinval_vma({.by_address = true, .by_asid = true, .address = va, .asid = asid});
  pte::riscv64_instructions::sinval_vma({.by_address = true, .address = va});
  pte::riscv64_instructions::sinval_vma({.by_asid = true, .asid = asid});
  pte::riscv64_instructions::sfence_inval_ir();
}
#endif

// Whatever a request holds: all of it has to assemble.
extern "C" [[gnu::flatten]] void run_request(pte::flush_request<layout>& request, backend& with,
                                             void (*release)(pte::frame_run)) {
  const auto done = std::move(request).run(with);
  for (const pte::frame_run& frames : done.frames()) release(frames);
}
