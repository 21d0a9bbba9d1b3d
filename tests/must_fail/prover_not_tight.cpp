// expect: ANSWERED_BUT_NOT_NEEDED
// expect: 0x0000000000000010
// A predicate that asks for one bit more than is needed.
#include <pte/proof/counterexample.hpp>
#include <pte/word/field.hpp>

constexpr auto found = pte::proof::compare(
    pte::proof::words<1>, [](auto) { return true; }, [](auto x) { return pte::any(x, 0xf); },
    [](auto x) { return pte::any(x, 0x1f); });
static_assert(pte::proof::tight<found>);
