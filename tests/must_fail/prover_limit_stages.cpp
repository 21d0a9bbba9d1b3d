// expect: too_many_stages_of_the_order
// Five groups of bits that are to be tested before the others.
#include <pte/proof/inputs.hpp>

constexpr auto five = pte::proof::words<1>.first(1).first(2).first(4).first(8).first(16);
