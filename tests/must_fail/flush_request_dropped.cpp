// expect: nodiscard
// expect: run() this flush request
// A request that nobody takes is a flush that nobody does.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/request.hpp>

using request = pte::flush_request<pte::x86_64>;

request operation();
void caller() { operation(); }
