// S2: a pair for each kind of reason why `exact` flushes, on architectures that have it. That there is no other, and
// each has a witness, is asserted with S0b in flush_*.cpp and in records.cpp.
#include <pte/proof/tightness.hpp>

using namespace pte;
using namespace pte::proof;

namespace {

constexpr auto lost_dirty = [](const auto& asks, const auto&, const auto&) { return asks.dirty; };
constexpr auto access_goes_wrong = [](const auto& asks, const auto&, const auto&) { return asks.flush; };
constexpr auto break_alone = [](const auto& asks, const auto&, const auto&) {
  return asks.break_before_make && !asks.flush;
};
constexpr auto stuck = [](const auto& asks, const auto&, const auto& rules) {
  return asks.lasting && !rules.fault_invalidates;
};
constexpr auto kernel_faults_once = [](const auto& asks, const auto& next, const auto&) {
  return asks.spurious && !next.for_user();
};

template <class F, class Reason>
constexpr bool exists(Reason reason) {
  const auto found = find_flush_for<F, level::pte>(reason);
  return found.found && found.agrees;
}
constexpr bool x86_dirty = exists<format<x86_64, linux_7_3>>(lost_dirty);
static_assert(x86_dirty);
constexpr bool power_break = exists<format<ppc64_64k, linux_7_3>>(break_alone);  // a nest MMU
static_assert(power_break);
constexpr bool arm_stuck = exists<format<arm64_4k, linux_7_3>>(stuck);
static_assert(arm_stuck);
constexpr bool power_kernel = exists<format<ppc64_64k, linux_7_3>>(kernel_faults_once);
static_assert(power_kernel);
constexpr bool riscv_access = exists<format<riscv64, linux_7_3>>(access_goes_wrong);
static_assert(riscv_access);

}  // namespace
