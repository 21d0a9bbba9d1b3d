// S0a, completeness: no bit that matters is missing from the record. Two leaves with equal records differ only in bits
// that the format lists as ignored, as software's or as accessed. A record forgets what its machine does not look at
// (R/W of a kernel page without CR0.WP), so that equality is asked of the records on several machines, between which
// every bit shows; what shows on none of them is listed below, as exactly as it can be said.
#pragma once

#include <cstdint>
#include <pte/format/arm64.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/proof/counterexample.hpp>
#include <pte/proof/flush.hpp>
#include <pte/proof/prove.hpp>
#include <pte/tlb/translation.hpp>

namespace pte::proof {

// machines<W>(i), i < count: the machines; unseen<L>(w): the bits of a leaf w that have no effect on any.
template <class Layout>
struct telling;

// Every machine shows every bit that one shows: R/W binds the kernel, PAT has eight types.
template <>
struct telling<x86_64> {
  static constexpr unsigned count = 1;
  template <word W>
  static constexpr x86_64::machine<W> machines(unsigned) {
    x86_64::machine<W> m{};
    m.pat = W{0x0706050403020100};
    return m;
  }
  template <level L, word W>
  static constexpr W unseen(W) {
    return W{0};
  }
};

// Without hardware dirty state read-only shows in the rights, with it DBM does.
template <unsigned PageShift, bool Pa52>
struct telling<arm64<PageShift, Pa52>> {
  using layout = arm64<PageShift, Pa52>;
  static constexpr unsigned count = 2;
  template <word W>
  static constexpr typename layout::template machine<W> machines(unsigned i) {
    typename layout::template machine<W> m{};
    m.mair = W{0x0cbb08040044f0ff};
    m.hw_dirty = truth<W>{i == 1};
    return m;
  }
  // DBM says nothing of what is not read-only [arm] D8.5; PXN nothing of what EL0 may write on both machines, which is
  // never executed at EL1 [arm] D8.4.1. nT is of a block that is being replaced (a TLB may refuse to hold it, and need
  // not), and contiguous means nothing where there are no groups.
  template <level L, word W>
  static constexpr W unseen(W w) {
    const truth<W> writable = none<W>(w, layout::rdonly.mask), user = any<W>(w, layout::ap1.mask);
    constexpr std::uint64_t nothing =
        (L == level::pte ? 0 : layout::nt.mask) | (layout::template at<L>::group_entries > 1 ? 0 : layout::cont.mask);
    return W{nothing} | select<W>(writable, W{layout::dbm.mask}, W{0}) |
           select<W>(writable && user, W{layout::pxn.mask}, W{0});
  }
};

// With and without KUAP and KUEP, so that both sides' rights show.
template <unsigned PageShift>
struct telling<ppc64_radix<PageShift>> {
  using layout = ppc64_radix<PageShift>;
  static constexpr unsigned count = 2;
  template <word W>
  static constexpr typename layout::template machine<W> machines(unsigned i) {
    typename layout::template machine<W> m{};
    m.address_bits = W{bits(56, PageShift)};
    m.kuap = m.kuep = truth<W>{i == 0};
    return m;
  }
  // Read permission is part of write permission; nothing is executed from non-idempotent storage; and of a page that
  // lets nobody in it does not matter whose it is.
  template <level L, word W>
  static constexpr W unseen(W w) {
    const truth<W> write = any<W>(w, layout::write_bit.mask), device = (w & W{layout::att.mask}) == W{bit(5)};
    const truth<W> nobody =
        none<W>(w, layout::read_bit.mask | layout::write_bit.mask) && (device || none<W>(w, layout::exec_bit.mask));
    return select<W>(write, W{layout::read_bit.mask}, W{0}) | select<W>(device, W{layout::exec_bit.mask}, W{0}) |
           select<W>(nobody, W{layout::privileged.mask}, W{0});
  }
};

template <>
struct telling<riscv64> {
  static constexpr unsigned count = 1;
  template <word W>
  static constexpr riscv64::machine<W> machines(unsigned) {
    riscv64::machine<W> m{};
    m.shadow_stack = truth<W>{true};
    return m;
  }
  template <level L, word W>
  static constexpr W unseen(W) {
    return W{0};
  }
};

namespace detail {

// The bits of a leaf that are nobody's or software's, and accessed.
template <class F, level L>
constexpr std::uint64_t unrecorded_bits() {
  using ops = typename F::template at<L>;
  std::uint64_t mask = mask_of(ops::software_fields());
  for (const field& f : ops::leaf_fields())
    if (f.by == set_by::ignored || ops::accessed(f.mask) != ops::accessed(std::uint64_t{0})) mask |= f.mask;
  return mask;
}

// Are two records the same, accessed apart?
template <word W>
constexpr truth<W> same_record(const translation<W>& a, const translation<W>& b) {
  const permissions<W>&p = a.rights, &q = b.rights;
  const truth<W> rights = p.user_read == q.user_read && p.user_write == q.user_write && p.user_exec == q.user_exec &&
                          p.kernel_read == q.kernel_read && p.kernel_write == q.kernel_write &&
                          p.kernel_exec == q.kernel_exec && a.shadow_stack == b.shadow_stack;
  const truth<W> rest = a.dirty == b.dirty && a.global == b.global && a.guarded == b.guarded &&
                        a.contiguous == b.contiguous && a.memory_type == b.memory_type &&
                        a.shareability == b.shareability && a.security == b.security && a.key == b.key;
  return rights && rest && a.phys == b.phys && a.encryption == b.encryption && a.size_shift == b.size_shift;
}

}  // namespace detail

// S0a for the usable leaves of a level.
template <class F, level L>
constexpr auto prove_record_is_complete() {
  using t = telling<detail::hardware<F>>;
  return prove(
      detail::words_and_machine<F, L, 2>(),
      [](auto x, auto y, auto, auto, auto) {
        using W = decltype(x);
        truth<W> alike{true};
        for (unsigned i = 0; i < t::count; ++i) {
          const machine<F, W> m = t::template machines<W>(i);
          const translation<W> a = translate(entry<F, L, W>{x}, m), b = translate(entry<F, L, W>{y}, m);
          alike = alike && a.usable() && b.usable() && detail::same_record(a, b);
        }
        return alike;
      },
      [](auto x, auto y, auto, auto, auto) {
        using W = decltype(x);
        const W unseen = W{detail::unrecorded_bits<F, L>()} | (t::template unseen<L>(x) & t::template unseen<L>(y));
        return ((x ^ y) & ~unseen) == W{0};
      });
}
template <class F, level L = level::pte>
inline constexpr auto record_is_complete = prove_record_is_complete<F, L>();

}  // namespace pte::proof
