// expect: nodiscard
// expect: the frame was not taken
// There may be no room: then the frame is still the caller's.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/request.hpp>

using request = pte::flush_request<pte::x86_64>;

void unmap(request& r) { r.retire({{0x1000}, {0x1fff}}, pte::level::pte, {1, 1}); }
