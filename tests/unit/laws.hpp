// The laws of a format, at every level, at run time on many samples. (Static tests take a few; proofs take all words.)
#pragma once

#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/proof/check_laws.hpp>

#include "../catch.hpp"

namespace pte::test {

// A variable, lest the compiler runs all samples itself.
inline volatile unsigned first_sample = 0;
inline constexpr unsigned samples = 20000;

template <class F, level L>
void check_level() {
  if constexpr (L <= F::top_level) {
    const unsigned first = first_sample;
    const proof::broken found = proof::check_samples<F, L>(first, first + samples);
    INFO("format " << F::name << ", level " << depth(L));
    INFO("words 0x" << std::hex << found.entry << " 0x" << found.first << " 0x" << found.second << ", number "
                    << found.detail);
    CHECK(static_cast<unsigned>(found.which) == 0);  // the number of the law in pte::proof::law
  }
}

template <class F>
void check_format() {
  check_level<F, level::pte>();
  check_level<F, level::pmd>();
  check_level<F, level::pud>();
  check_level<F, level::p4d>();
  check_level<F, level::pgd>();
}

}  // namespace pte::test
