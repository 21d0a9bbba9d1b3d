// expect: unused variable
// Nor is it enough to give it a name.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/request.hpp>

using request = pte::flush_request<pte::x86_64>;

request operation();
void caller() { auto flush = operation(); }
