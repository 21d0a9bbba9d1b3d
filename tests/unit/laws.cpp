// The laws of every format but arm64's.
#include "laws.hpp"

#include <pte/format/example.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>

namespace {

template <class Layout>
void check_layout() {
  using pte::test::check_format;
  SECTION("bare") { check_format<pte::format<Layout, pte::bare>>(); }
  SECTION("Linux 6.1") { check_format<pte::format<Layout, pte::linux_6_1>>(); }
  SECTION("Linux 6.12") { check_format<pte::format<Layout, pte::linux_6_12>>(); }
  SECTION("Linux 7.3") { check_format<pte::format<Layout, pte::linux_7_3>>(); }
}

}  // namespace

TEST_CASE("the made-up format obeys the laws") { pte::test::check_format<pte::example>(); }
TEST_CASE("x86-64 obeys the laws") { check_layout<pte::x86_64>(); }
TEST_CASE("riscv64 obeys the laws") { check_layout<pte::riscv64>(); }
TEST_CASE("ppc64 with 4K pages obeys the laws") { check_layout<pte::ppc64_4k>(); }
TEST_CASE("ppc64 with 64K pages obeys the laws") { check_layout<pte::ppc64_64k>(); }
