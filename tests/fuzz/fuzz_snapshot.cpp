// Snapshots from nobody knows where: the readers and the check must refuse them or finish, whatever the bytes are.
//
// Input: a byte that chooses the format and whether the parts are gzip data; then four parts, each a length of three
// bytes and its bytes: truth, tables, ktables, QEMU's listing.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <pte/pte.hpp>

#include "../../examples/check.hpp"
#include "../../examples/snapshot.hpp"
#include "../../examples/snapshot_machine.hpp"
#include "../../examples/tree_of.hpp"

namespace {

using namespace pte;
using namespace pte::examples;

std::span<const std::uint8_t> take_part(std::span<const std::uint8_t>& input) {
  std::size_t length = 0;
  for (int i = 0; i < 3 && !input.empty(); ++i) {
    length = length << 8 | input.front();
    input = input.subspan(1);
  }
  const std::span<const std::uint8_t> part = input.first(std::min(length, input.size()));
  input = input.subspan(part.size());
  return part;
}

bytes as_bytes(std::span<const std::uint8_t> part, bool packed) {
  const auto* const first = reinterpret_cast<const std::byte*>(part.data());
  bytes data(first, first + part.size());
  return packed ? gunzip("part", data, std::size_t{1} << 20) : data;
}

template <class Layout, unsigned VaBits>
std::unique_ptr<tree> kind_of_tree(const snapshot& s) {
  return tree_as<format<Layout, linux_6_12>, geometry<Layout, VaBits>>(s.tables, facts_of(s.truth));
}

std::unique_ptr<tree> choose(unsigned kind, const snapshot& s) {
  switch (kind % 6) {
    case 0:
      return kind_of_tree<x86_64, 48>(s);
    case 1:
      return kind_of_tree<arm64<12>, 48>(s);
    case 2:
      return kind_of_tree<arm64<14, true>, 52>(s);
    case 3:
      return kind_of_tree<ppc64_radix<16>, 52>(s);
    case 4:
      return kind_of_tree<riscv64, 39>(s);
    default:
      return kind_of_tree<arm64<12, true>, 52>(s);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  std::span<const std::uint8_t> input(data + 1, size - 1);
  try {
    const bool packed = (choice & 0x80) != 0;
    const bytes text = as_bytes(take_part(input), packed);
    bytes user = as_bytes(take_part(input), packed);
    snapshot s = make_snapshot("fuzz", {reinterpret_cast<const char*>(text.data()), text.size()}, std::move(user),
                               as_bytes(take_part(input), packed));
    const std::span<const std::uint8_t> listing = take_part(input);
    s.listing = parse_listing({reinterpret_cast<const char*>(listing.data()), listing.size()}, "fuzz");
    (void)spec_of(s.truth);
    const std::unique_ptr<tree> t = choose(choice & 0x7f, s);
    check_roots(s, *t);
    // Regions of a few million pages are allowed; here there is no time for them.
    std::uint64_t pages = 0;
    for (const region& r : s.truth.regions) pages += (r.end - r.start) >> s.truth.page_shift;
    if (pages < 20000 && s.truth.page_shift == t->page_shift) (void)check_snapshot(s, *t);
    for (const va_range half : {t->user, t->kernel}) {
      const std::unique_ptr<row_source> rows = t->rows({s.truth.root_user}, half, 12 * 4096);
      for (row r; rows->next(r);) {
      }
    }
  } catch (const input_error&) {
    // As it should be.
  }
  return 0;
}
