// expect: NEEDED_BUT_NOT_ANSWERED
// expect: 0x0000000000000008
// A predicate that misses one of four bits.
#include <pte/proof/counterexample.hpp>
#include <pte/word/field.hpp>

constexpr auto found = pte::proof::compare(
    pte::proof::words<1>, [](auto) { return true; }, [](auto x) { return pte::any(x, 0xf); },
    [](auto x) { return pte::any(x, 7); });
static_assert(pte::proof::sound<found>);
