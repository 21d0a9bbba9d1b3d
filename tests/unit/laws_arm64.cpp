// The laws of arm64's formats. (To keep the build short without Linux 6.12, whose functions are those of 7.3.)
#include <pte/format/arm64.hpp>

#include "laws.hpp"

namespace {

template <class Layout>
void check_layout() {
  using pte::test::check_format;
  SECTION("bare") { check_format<pte::format<Layout, pte::bare>>(); }
  SECTION("Linux 6.1") { check_format<pte::format<Layout, pte::linux_6_1>>(); }
  SECTION("Linux 7.3") { check_format<pte::format<Layout, pte::linux_7_3>>(); }
}

}  // namespace

TEST_CASE("arm64 with 4K pages obeys the laws") { check_layout<pte::arm64_4k>(); }
TEST_CASE("arm64 with 4K pages and LPA2 obeys the laws") { check_layout<pte::arm64_4k_lpa2>(); }
TEST_CASE("arm64 with 16K pages obeys the laws") { check_layout<pte::arm64_16k>(); }
TEST_CASE("arm64 with 16K pages and LPA2 obeys the laws") { check_layout<pte::arm64_16k_lpa2>(); }
TEST_CASE("arm64 with 64K pages obeys the laws") { check_layout<pte::arm64_64k>(); }
TEST_CASE("arm64 with 64K pages and LPA obeys the laws") { check_layout<pte::arm64_64k_lpa>(); }
