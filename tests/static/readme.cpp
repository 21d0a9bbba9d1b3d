// The code of README.md, so that it stays true.
#include <cstdint>

#include <pte/pte.hpp>

namespace {

using fmt = pte::format<pte::x86_64, pte::linux_6_12>;
constexpr pte::machine<fmt> m = pte::x86_64::machine_with(46);

constexpr pte::entry<fmt, pte::level::pte> e{0x8000000003521867};
static_assert(e.is_leaf() && e.as_leaf().pfn(m) == 0x3521);
static_assert(e.as_leaf().dirty() && e.as_leaf().means(m).write && !e.as_leaf().means(m).exec);

constexpr auto none = e.as_leaf().modify(e.protection({}), m);
static_assert(!none.hardware_valid() && none.is_present());
static_assert(none.as_parked().as_prot_none().pfn(m) == 0x3521 && none.as_parked().as_prot_none().dirty());

using tree = pte::geometry<pte::x86_64, 48>;

[[maybe_unused]] std::uint64_t walked(std::uintptr_t offset, std::uint64_t cr3, std::uint64_t va) {
  pte::linear_memory<> physical{offset};
  const pte::walk_result r = pte::walk<fmt, tree>(physical, {cr3}, {va}, m);
  std::uint64_t pages = 0;
  pte::for_each_mapping<fmt, tree>(physical, {cr3}, tree::range(pte::va_half::user), m,
                                   [&](const pte::mapping& x) { pages += x.state == pte::entry_state::leaf; });
  return r.phys.value + pages;
}

constexpr pte::entry<fmt, pte::level::pte> old{0x8000000012345067}, next{0x8000000012345065};
static_assert(pte::exact::needs_flush(old, next, m));
static_assert(pte::linux_rules<>::needs_flush(old, next, m));
constexpr pte::explanation why = pte::explain(old, next, m);
static_assert(why.asks.flush && why.flush && why.happening().size() == 1 && why.happening()[0].row == 4);

}  // namespace
