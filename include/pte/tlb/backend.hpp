// What carries out a flush.
#pragma once

#include <concepts>

#include <pte/tlb/gather.hpp>

namespace pte {

// A back end flushes the TLBs of the CPUs that may use one address space (which one is the back end's own knowledge).
template <class B, class Layout>
concept flush_backend = tlb_layout<Layout> && requires(B& backend, const flush_plan<Layout>& plan) {
  // From where on it prefers to flush everything: a flush_ceiling.
  { backend.ceiling() } -> flush_ceiling<Layout>;
  // Makes good on everything that flush_plan promises, and returns when that holds on every CPU that may use the
  // address space: stores to entries made before are seen by whatever walks afterwards, and accesses that used old
  // translations have completed. The extent is not nothing. It does not fail.
  { backend.flush(plan) } -> std::same_as<void>;
};

// There is no other CPU: a back end that asks others to flush has nobody to ask.
struct no_other_cpus {
  template <class Layout>
  constexpr void operator()(const flush_plan<Layout>&) const {}
};

}  // namespace pte
