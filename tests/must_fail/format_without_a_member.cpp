// expect: mkold
// A format that lacks a member is told which.
#include <pte/format/example.hpp>

namespace {

struct forgetful : pte::example {
  template <pte::level L>
  struct at : pte::example::at<L> {
    void mkold() = delete;
  };
};
static_assert(pte::entry_format<forgetful>);

}  // namespace
