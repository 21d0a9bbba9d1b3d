// expect: CONSTANT_SPECIFICATION
// expect: the specification says the same for every input
// A specification that never needs anything makes every predicate sound.
#include <pte/proof/counterexample.hpp>

constexpr auto found = pte::proof::compare(
    pte::proof::words<1>, [](auto x) { return x != 0; }, [](auto x) { return x == 0; }, [](auto x) { return x == 5; });
static_assert(pte::proof::sound<found>);
