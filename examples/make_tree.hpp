// A tree (tree.hpp) for a format of the catalogue that is chosen at run time.
#pragma once

#include <memory>
#include <string>

#include <pte/catalog.hpp>

#include "input_error.hpp"
#include "option_values.hpp"
#include "segment_memory.hpp"
#include "tree.hpp"
#include "tree_of.hpp"

namespace pte::examples {

// Throws input_error, naming the option that is wrong, if there are no such trees.
inline void check_spec(const tree_spec& spec, const char* kernel_option) {
  const format_key key{spec.arch, spec.os, spec.page_shift, spec.pa52};
  const bool known = with_format(key, [&](auto type) {
    using F = typename decltype(type)::type;
    for (const tree_shape& tree : shapes<F>)
      if (spec.va_bits == 0 || spec.va_bits == tree.va_bits) return;
    refuse_va_bits<F>(spec.va_bits);
  });
  if (!known) refuse_format(key, kernel_option);
}

// The tree of that kind in `memory`, which must outlive it. Throws input_error with `what` as the file if there is
// none.
inline std::unique_ptr<tree> make_tree(const tree_spec& spec, const machine_facts& facts, const segment_memory& memory,
                                       const std::string& what) {
  std::unique_ptr<tree> made;
  const format_key key{spec.arch, spec.os, spec.page_shift, spec.pa52};
  const bool known = with_format(key, [&](auto format_type) {
    using F = typename decltype(format_type)::type;
    const unsigned va_bits = spec.va_bits != 0 ? spec.va_bits : shapes<F>[0].va_bits;
    with_geometry<F>(
        va_bits, [&](auto geometry_type) { made = tree_as<F, typename decltype(geometry_type)::type>(memory, facts); });
  });
  if (!known)
    throw input_error(what, "",
                      fmt::format("no format for arch {}, Linux {}, {}K pages{}", shown(spec.arch), shown(spec.os),
                                  (1u << spec.page_shift) / 1024, spec.pa52 ? ", 52-bit physical addresses" : ""));
  if (!made)
    throw input_error(what, "",
                      fmt::format("{} has no trees of {}-bit addresses with such pages", spec.arch, spec.va_bits));
  return made;
}

}  // namespace pte::examples
