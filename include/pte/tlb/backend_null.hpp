// A back end that does nothing: for tables that no MMU uses, or not yet.
#pragma once

#include <pte/tlb/backend.hpp>

namespace pte {

// No CPU may use the address space (it is being built, or is a model): nothing is remembered of it.
struct null_backend {
  static constexpr no_ceiling ceiling() { return {}; }
  template <class Layout>
  static constexpr void flush(const flush_plan<Layout>&) {}
};

}  // namespace pte
