// expect: normaliser_takes_one_thing
// Write-protecting must keep dirty: the static tests name the law that a format breaks, and with which words.
#include <pte/format/example.hpp>
#include <pte/proof/check.hpp>

namespace {

struct careless : pte::example {
  template <pte::level L>
  struct at : pte::example::at<L> {
    template <pte::word W>
    static constexpr W wrprotect(W w) {
      return w & W{~(pte::example::write.mask | pte::example::d.mask)};
    }
  };
};
static_assert(pte::proof::check_format<careless>());

}  // namespace
