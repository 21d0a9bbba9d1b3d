// expect-gcc: discards qualifiers
// expect-clang: rvalue
// Running a request uses it up, which std::move() says.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/backend_null.hpp>
#include <pte/tlb/request.hpp>

#include <utility>

using request = pte::flush_request<pte::x86_64>;

void twice(request& r) {
  pte::null_backend backend;
  static_cast<void>(r.run(backend));
}
