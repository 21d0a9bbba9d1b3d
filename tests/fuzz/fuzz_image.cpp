// Memory images from nobody knows where: ELF headers, tables that point anywhere, and loops.
//
// Input: a byte that chooses the format; two bytes of the root's place; then the image.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pte/pte.hpp>
#include <pte/view/leaves.hpp>

#include "../../examples/image.hpp"
#include "../../examples/input_error.hpp"
#include "../../examples/ptwalk_text.hpp"
#include "../../examples/tree_of.hpp"

namespace {

using namespace pte;
using namespace pte::examples;

template <class Layout, unsigned VaBits, class Os>
std::unique_ptr<tree> kind_of_tree(const segment_memory& memory) {
  return tree_as<format<Layout, Os>, geometry<Layout, VaBits>>(memory, {});
}

std::unique_ptr<tree> choose(unsigned kind, const segment_memory& memory) {
  switch (kind % 8) {
    case 0:
      return kind_of_tree<x86_64, 48, linux_7_3>(memory);
    case 1:
      return kind_of_tree<x86_64, 57, bare>(memory);
    case 2:
      return kind_of_tree<arm64<12>, 39, linux_6_1>(memory);
    case 3:
      return kind_of_tree<arm64<14, true>, 52, linux_7_3>(memory);
    case 4:
      return kind_of_tree<arm64<16, true>, 52, linux_6_12>(memory);
    case 5:
      return kind_of_tree<ppc64_radix<12>, 52, linux_7_3>(memory);
    case 6:
      return kind_of_tree<riscv64, 39, linux_7_3>(memory);
    default:
      return kind_of_tree<riscv64, 57, linux_6_1>(memory);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const unsigned choice = data[0];
  const phys_addr root{(data[1] | std::uint64_t{data[2]} << 8) * 8};
  const auto* const first = reinterpret_cast<const std::byte*>(data) + 3;
  const std::vector<std::byte> image(first, first + size - 3);  // aligned, as a mapped file is
  try {
    const std::uint64_t base = (choice & 0x80) != 0 ? 0x1000 : 0;
    const segment_memory memory =
        image_memory(image, base, choice % 8 == 5 ? std::endian::big : std::endian::little, "fuzz");
    const std::unique_ptr<tree> t = choose(choice & 0x7f, memory);
    if (!t->holds_root(root)) return 0;
    for (const va_range half : {t->user, t->kernel}) {
      const std::unique_ptr<row_source> rows = t->rows(root, half, 12 * 4096);
      std::uint64_t last = half.first.value;
      bool any = false;
      for (const row& r : rows_view(*rows) | coalesce(joins_rows{})) {
        // Rows ascend and do not overlap, whatever the tables hold.
        if (any && r.m.va.value < last) __builtin_trap();
        last = r.m.va.value + (r.m.size - 1);
        any = true;
        if ((r.m.va.value >> 20) % 64 == 0) (void)range_text(*t, r);
      }
      for (const std::uint64_t va : {half.first.value, half.last.value, half.first.value + 0x40201000}) {
        const traced_walk w = t->walk(root, {va});
        (void)walk_text(*t, {va}, root, w);
      }
    }
  } catch (const input_error&) {
    // As it should be.
  }
  return 0;
}
