// The entries of one table as a range-v3 view.
#pragma once

#include <cstdint>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>

#include <pte/format/entry.hpp>
#include <pte/format/geometry.hpp>
#include <pte/table/memory.hpp>
#include <pte/word/address.hpp>

namespace pte {

// One slot of a table, with its place.
template <class F, level L>
struct table_entry {
  std::uint64_t index = 0;
  virt_addr va{};    // the first address that it translates
  phys_addr slot{};  // where it lies
  pte::entry<F, L> entry{};
};

// All entries of the table of level L at `table`, which begins to translate at `first`: a random-access view that reads
// an entry when it is asked for. The root's entries of the kernel half get that half's addresses. `memory` must hold
// the table and outlive the view.
template <class F, class G, level L, entry_reader M>
auto entries(const M& memory, phys_addr table, virt_addr first = {}) {
  static_assert(L <= G::root, "this geometry has no such level");
  return ranges::views::iota(std::uint64_t{0}, G::entries(L)) |
         ranges::views::transform([&memory, table, first](std::uint64_t index) {
           virt_addr va = first + (index << F::shift(L));
           if (G::half(va) == va_half::neither) va.value |= G::range(va_half::kernel).first.value;
           const phys_addr slot = table + index * 8;
           return table_entry<F, L>{index, va, slot, pte::entry<F, L>{memory.load(slot)}};
         });
}

}  // namespace pte
