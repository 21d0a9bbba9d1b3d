// expect: no member named
// expect: frames
// A request has no way to its frames but running it.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/request.hpp>

using request = pte::flush_request<pte::x86_64>;

auto early(request& r) { return r.frames(); }
