// expect: flush_backend
// A plan for one layout is no plan for another: the strides, and what walk caches hold, differ.
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/tlb/backend_recording.hpp>
#include <pte/tlb/request.hpp>

#include <utility>

using request = pte::flush_request<pte::x86_64>;

auto flush(request r, pte::recording_backend<pte::riscv64>& backend) { return std::move(r).run(backend); }
