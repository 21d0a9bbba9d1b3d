// expect: deleted
// One request, one flush, one owner of the frames.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/request.hpp>

using request = pte::flush_request<pte::x86_64>;

request copy(const request& other) { return other; }
