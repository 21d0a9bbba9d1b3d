// expect: PLAIN_AND_SYMBOLIC_DISAGREE
// expect: the function proved is not the function that ships
// A function that is correct on symbolic words only.
#include <concepts>
#include <cstdint>

#include <pte/proof/counterexample.hpp>

template <pte::word W>
constexpr pte::truth<W> changed(W o, W n) {
  if constexpr (std::same_as<W, std::uint64_t>)
    return ((o ^ n) & 0xffff) != 0;
  else
    return o != n;
}

constexpr auto claim =
    pte::proof::prove<2>([](auto o, auto n) { return o != n; }, [](auto o, auto n) { return changed(o, n); });
static_assert(pte::proof::proved<claim>);
