// expect: MISSED_FLUSH
// expect: the hardware may go on using the old entry
// expect: 0x0000000000000003
// expect: 0x0000000000000001
// A theorem that gives its counterexamples a name of its own.
#include <pte/proof/counterexample.hpp>
#include <pte/word/field.hpp>

template <class Old, class New>
struct MISSED_FLUSH {
  static_assert(pte::proof::holds_for<Old, New>, "the hardware may go on using the old entry");
};

// Valid, writable before and not after; the predicate looks at the valid bit only.
constexpr auto sound = pte::proof::prove<2>([](auto o, auto n) { return pte::all(o, 3) && pte::none(n, 2); },
                                            [](auto o, auto n) { return pte::any(o, 1) && pte::none(n, 1); });
static_assert(pte::proof::proved<sound, MISSED_FLUSH>);
