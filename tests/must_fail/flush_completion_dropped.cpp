// expect: nodiscard
// expect: it holds the frames that are to be freed
// Whoever runs a request has to do something about the frames.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/backend_null.hpp>
#include <pte/tlb/request.hpp>

#include <utility>

using request = pte::flush_request<pte::x86_64>;

void leak(request r) {
  pte::null_backend backend;
  std::move(r).run(backend);
}
