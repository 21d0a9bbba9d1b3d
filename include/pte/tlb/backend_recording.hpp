// A back end that writes down what it was asked for: for tests, counts and simulations; works in constant evaluation.
#pragma once

#include <cstddef>
#include <span>

#include <pte/tlb/backend.hpp>

namespace pte {

// Keeps the first plans that it is given in an array that the caller lends, and counts all of them.
template <tlb_layout Layout, flush_ceiling<Layout> Ceiling = no_ceiling>
class recording_backend {
 public:
  constexpr explicit recording_backend(std::span<flush_plan<Layout>> lent, const Ceiling& ceiling = Ceiling{})
      : lent_(lent), ceiling_(ceiling) {}

  constexpr const Ceiling& ceiling() const { return ceiling_; }
  constexpr void flush(const flush_plan<Layout>& plan) {
    if (flushes_ < lent_.size()) lent_[flushes_] = plan;
    ++flushes_;
  }

  // How many flushes there were; the plans of as many of them as there was room for, oldest first.
  constexpr std::size_t flushes() const { return flushes_; }
  constexpr bool all_kept() const { return flushes_ <= lent_.size(); }
  constexpr std::span<const flush_plan<Layout>> plans() const {
    return lent_.first(all_kept() ? flushes_ : lent_.size());
  }

 private:
  std::span<flush_plan<Layout>> lent_;
  Ceiling ceiling_;
  std::size_t flushes_ = 0;
};

}  // namespace pte
