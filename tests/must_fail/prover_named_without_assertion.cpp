// expect-gcc: static assertion failed
// expect-clang: static assertion failed
// A name that has no failing assertion of its own does not turn a refuted claim into a proved one.
#include <pte/proof/counterexample.hpp>

template <class...>
struct HARMLESS {};

constexpr auto claim = pte::proof::prove<1>([](auto x) { return x != 5; });
static_assert(pte::proof::proved<claim, HARMLESS>);
