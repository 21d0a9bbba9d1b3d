// What ptedecode is told about a word, and the description it gives: formats chosen at run time out of the catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <pte/catalog.hpp>
#include <pte/describe.hpp>

#include "input_error.hpp"
#include "option_values.hpp"

namespace pte::examples {

// All that can change a word's meaning. What is not known is nullopt, and the usual is taken for it.
struct decode_inputs {
  std::string arch;
  std::optional<std::string> kernel, level;
  std::optional<unsigned> page_shift, va_bits;
  std::optional<bool> pa52;  // arm64: LPA2, or LPA with 64K pages
  std::optional<unsigned> phys_bits, encryption_bit, physmem_bits;
  std::optional<std::uint64_t> mair, pat;
  std::optional<bool> shadow_stack, hw_dirty, svnapot, svpbmt, svrsw60t59b, device_private, memory_failure;
};

inline format_key key_of_inputs(const decode_inputs& in) {
  return {in.arch,
          in.kernel              ? std::string_view(*in.kernel)
          : in.arch == "example" ? "own"
                                 : "7.3",
          in.page_shift.value_or(default_page_shift(in.arch)), in.pa52.value_or(false)};
}

// The level that Linux calls so in a tree; nullopt if the tree is not that high.
inline std::optional<level> level_in(const tree_shape& tree, std::string_view name) {
  if (name == "pgd") return tree.root;
  for (unsigned d = 0; d <= depth(tree.root); ++d)
    if (name == name_of(static_cast<level>(d))) return static_cast<level>(d);
  return std::nullopt;
}

namespace detail {

template <class T, class Known>
void fill(T& value, const Known& known) {
  if (known) value = *known;
}

// Sets what a format's machine has; an input that it has not is refused, as it would silently mean nothing.
template <class F>
machine<F> make_machine(const decode_inputs& in) {
  machine<F> m{};
  const auto refuse = [&](const char* option) {
    throw input_error(option, "", fmt::format("means nothing with --arch {}", in.arch));
  };
  if constexpr (requires { F::machine_with(52u, std::uint64_t{0}); }) {
    if (in.encryption_bit && (*in.encryption_bit < 12 || *in.encryption_bit > 51))
      throw input_error("--encryption-bit", std::to_string(*in.encryption_bit), "it must be one of the bits 12 to 51");
    m = F::machine_with(in.phys_bits.value_or(52), in.encryption_bit ? bit(*in.encryption_bit) : 0);
  } else {
    if (in.encryption_bit) refuse("--encryption-bit");
    if (in.phys_bits) {
      if constexpr (requires { F::machine_with_phys_bits(52u); })
        m = F::machine_with_phys_bits(*in.phys_bits);
      else
        m.address_bits &= bits(*in.phys_bits - 1, 0);
    }
  }
  if constexpr (requires { m.mair; })
    fill(m.mair, in.mair);
  else if (in.mair)
    refuse("--mair");
  if constexpr (requires { m.pat; })
    fill(m.pat, in.pat);
  else if (in.pat)
    refuse("--pat");
  if constexpr (requires { m.hw_dirty; })
    fill(m.hw_dirty, in.hw_dirty);
  else if (in.hw_dirty)
    refuse("--hw-dirty");
  if constexpr (requires { m.shadow_stack; })
    fill(m.shadow_stack, in.shadow_stack);
  else if (in.shadow_stack)
    refuse("--shadow-stack");
  if constexpr (requires { m.svnapot; }) {
    fill(m.svnapot, in.svnapot);
    fill(m.svpbmt, in.svpbmt);
    fill(m.svrsw60t59b, in.svrsw60t59b);
  } else if (in.svnapot || in.svpbmt || in.svrsw60t59b) {
    refuse(in.svnapot ? "--svnapot" : in.svpbmt ? "--svpbmt" : "--svrsw60t59b");
  }
  return m;
}

template <class F>
describe_options make_options(const decode_inputs& in, const tree_shape& tree) {
  describe_options options = usual_options<F>(tree.va_bits);
  if constexpr (!has_swap<F>) {
    const char* const option = in.device_private   ? "--device-private"
                               : in.memory_failure ? "--memory-failure"
                               : in.physmem_bits   ? "--physmem-bits"
                                                   : nullptr;
    if (option != nullptr)
      throw input_error(option, "",
                        fmt::format("means nothing with {}: only Linux has swap entries",
                                    in.arch == "example" ? "--arch example" : "--kernel bare"));
  }
  fill(options.physmem_bits, in.physmem_bits);
  if (in.memory_failure) options.types.hwpoison = *in.memory_failure ? 1 : 0;
  if (in.device_private.value_or(false)) options.types.device = std::string_view(system_name<F>()) == "7.3" ? 3 : 4;
  return options;
}

// The tree that the inputs mean: of the given width, else the first that has the level.
template <class F>
tree_shape choose_tree(const decode_inputs& in) {
  for (const tree_shape& tree : shapes<F>)
    if (in.va_bits ? *in.va_bits == tree.va_bits : level_in(tree, in.level.value_or("pte")).has_value()) return tree;
  if (in.va_bits) refuse_va_bits<F>(*in.va_bits);
  return shapes<F>[0];
}

}  // namespace detail

// The tree that the inputs mean; the format must exist.
inline tree_shape tree_for(const decode_inputs& in) {
  tree_shape tree{};
  with_format(key_of_inputs(in), [&](auto type) { tree = detail::choose_tree<typename decltype(type)::type>(in); });
  return tree;
}

// Describes `word`. Throws input_error if the inputs contradict each other.
inline description decode(const decode_inputs& in, std::uint64_t word) {
  std::optional<description> d;
  const format_key key = key_of_inputs(in);
  with_format(key, [&](auto type) {
    using F = typename decltype(type)::type;
    const tree_shape tree = detail::choose_tree<F>(in);
    const std::string name = in.level.value_or("pte");
    const std::optional<level> l = level_in(tree, name);
    if (!l)
      throw input_error("--level", shown(name),
                        fmt::format("with addresses of {} bits a tree of {} has the levels pgd ({}) to pte only",
                                    tree.va_bits, F::name, name_of(tree.root)));
    d = describe<F>(word, *l, detail::make_machine<layout_of<F>>(in), detail::make_options<F>(in, tree));
    d->level_name = name;
  });
  if (d) return *d;

  refuse_format(key, "--kernel");
}

}  // namespace pte::examples
