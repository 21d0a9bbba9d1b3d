// Catch2, version 2 or 3: the tests include this and not Catch2 itself.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace pte::test {

// A matcher for CHECK_THAT: the text contains `part`.
#if __has_include(<catch2/catch_all.hpp>)
using Catch::Matchers::ContainsSubstring;
#else
inline auto ContainsSubstring(const std::string& part) { return Catch::Matchers::Contains(part); }
#endif

}  // namespace pte::test
