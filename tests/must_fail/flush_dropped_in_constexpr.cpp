// expect: dropped
// In constant evaluation too, a flush must not be forgotten.
#include <pte/format/x86_64.hpp>
#include <pte/tlb/request.hpp>

using request = pte::flush_request<pte::x86_64>;

constexpr bool forgets() {
  request r;
  r.gathered().add_entry({0x1000}, pte::level::pte);
  return true;
}
static_assert(forgets());
