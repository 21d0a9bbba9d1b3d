// S4: decisions about a batch by the join of its members' accessed and dirty. See proof/batches.hpp.
#include <pte/proof/batches.hpp>
#include <pte/tlb/linux_rules.hpp>

using namespace pte;
using namespace pte::proof;

namespace {

using x86 = format<x86_64, linux_7_3>;
using power = format<ppc64_64k, linux_7_3>;
using arm = format<arm64_4k, linux_7_3>;

struct same_encryption {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    return ((old.raw ^ next.raw) & F::encryption_mask(m)) == W{0};
  }
};
static_assert(proved<elision_is_monotone<linux_rules<>, x86>>);
static_assert(proved<elision_is_monotone<linux_rules<>, x86, level::pmd>>);
static_assert(proved<batch_is_sound<linux_rules<>, x86, level::pte, same_encryption>, MISSED_FLUSH>);
static_assert(proved<elision_is_monotone<linux_rules<>, power>>);
static_assert(proved<batch_is_sound<linux_rules<>, power>, MISSED_FLUSH>);

// arm64's rule: not monotone. A member that is clean is read-only to a CPU without hardware dirty state; that the new
// entry is not is a widening like others, unless the rights that go with write permission are fewer: under WXN, and for
// the kernel's fetches, unless PXN forbids them anyway, as it does in every user entry that Linux makes.
struct writable_is_not_executable {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W> old, entry<F, L, W>, const machine<F, W>& m) {
    return m.hw_dirty || (!m.wxn && any<W>(old.raw, F::pxn.mask));
  }
};
static_assert(refuted<elision_is_monotone<linux_rules<>, arm>>);
static_assert(refuted<batch_is_sound<linux_rules<>, arm>>);
static_assert(proved<batch_is_sound<linux_rules<>, arm, level::pte, writable_is_not_executable>, MISSED_FLUSH>);

}  // namespace
