// What manuals and Linux say of entries and no law follows from: a format that breaks it would still be a format.
#include <cstdint>
#include <pte/format/arm64.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>

namespace {

using namespace pte;

template <class Layout, level L = level::pte>
using in_linux = typename format<Layout, linux_7_3>::template at<L>;
template <class Layout, level L = level::pte>
using in_linux_6_1 = typename format<Layout, linux_6_1>::template at<L>;

// Hardware may leave accessed and dirty behind in an empty pte; above it, only x86's erratum does.
static_assert(in_linux<ppc64_64k>::empty(ppc64_64k::reference.mask | ppc64_64k::change.mask));
static_assert(!in_linux<ppc64_64k, level::pmd>::empty(ppc64_64k::reference.mask));
static_assert(in_linux<x86_64>::empty(bit(5) | bit(6)) && in_linux<x86_64, level::pmd>::empty(bit(6)));
static_assert(!in_linux<x86_64, level::pgd>::empty(bit(6)) && !in_linux<x86_64>::empty(bit(6) | bit(7)));

// The largest leaves.
static_assert(arm64_4k::leaf_allowed(level::pud) && !arm64_4k::leaf_allowed(level::p4d));
static_assert(arm64_4k_lpa2::leaf_allowed(level::p4d) && !arm64_4k_lpa2::leaf_allowed(level::pgd));
static_assert(arm64_16k::leaf_allowed(level::pmd) && !arm64_16k::leaf_allowed(level::pud));
static_assert(arm64_16k_lpa2::leaf_allowed(level::pud) && arm64_64k_lpa::leaf_allowed(level::pud));
static_assert(!arm64_64k::leaf_allowed(level::pud) && !arm64_16k_lpa2::leaf_allowed(level::p4d));
static_assert(x86_64::leaf_allowed(level::pud) && !x86_64::leaf_allowed(level::p4d));
static_assert(ppc64_4k::leaf_allowed(level::pud) && !ppc64_4k::leaf_allowed(level::p4d));
static_assert(riscv64::leaf_allowed(level::pgd));

// Groups of contiguous entries.
static_assert(in_linux<arm64_4k>::group_entries == 16 && in_linux<arm64_4k, level::pud>::group_entries == 16);
static_assert(in_linux<arm64_16k>::group_entries == 128 && in_linux<arm64_16k, level::pmd>::group_entries == 32);
static_assert(in_linux<arm64_64k>::group_entries == 32 && in_linux<arm64_64k, level::pmd>::group_entries == 32);
static_assert(in_linux<arm64_4k_lpa2, level::p4d>::group_entries == 1 && in_linux<riscv64>::group_entries == 16);

// arm64: each of PXN and UXN is about its own side only.
constexpr arm64_4k::machine<std::uint64_t> arm{};
static_assert(!in_linux<arm64_4k>::means(3 | arm64_4k::pxn.mask, arm).exec);
static_assert(in_linux<arm64_4k>::means(3 | arm64_4k::uxn.mask, arm).exec);
static_assert(!in_linux<arm64_4k>::means(3 | arm64_4k::ap1.mask | arm64_4k::uxn.mask, arm).exec);
static_assert(in_linux<arm64_4k>::means(3 | arm64_4k::ap1.mask | arm64_4k::pxn.mask, arm).exec);

// What is PROT_NONE gives no right to anybody.
static_assert(!in_linux<arm64_4k>::means(in_linux<arm64_4k>::protection({}) & ~arm64_4k::pxn.mask, arm).exec);
static_assert(!in_linux_6_1<arm64_4k>::means(in_linux_6_1<arm64_4k>::protection({}) & ~arm64_4k::pxn.mask, arm).exec);

// ppc64: a pte is present with L only, V or INVALID; a pud may be invalid and present since there are huge ones (6.6).
static_assert(!in_linux<ppc64_64k>::present(bit(61)) && !in_linux<ppc64_64k>::present(bit(63)));
static_assert(in_linux<ppc64_64k>::present(bit(62) | bit(61)) && in_linux<ppc64_64k>::present(bits(63, 62)));
static_assert(in_linux<ppc64_64k, level::pud>::present(bit(61)) &&
              !in_linux_6_1<ppc64_64k, level::pud>::present(bit(61)));
static_assert(in_linux_6_1<ppc64_64k, level::pmd>::present(bit(61)));

// ppc64: what a table entry must not hold.
constexpr ppc64_64k::machine<std::uint64_t> power{};
constexpr std::uint64_t table = in_linux<ppc64_64k, level::pud>::make_table(std::uint64_t{1} << 30, power);
constexpr bool refused(std::uint64_t w) { return in_linux<ppc64_64k, level::pud>::reserved_set(w, power); }
static_assert(!refused(table) && refused(table | bit(5)) && refused(table | bit(7)) && refused(table | bit(60)));
static_assert(!refused(table | bit(52)) && refused(table | bit(53)) && refused(table ^ 1));

// riscv64: write permission comes with read permission, since W alone is reserved.
static_assert(in_linux<riscv64>::mkwrite(std::uint64_t{1} | riscv64::x.mask) == (1 | riscv64::rwx_mask));

// riscv64: a huge PROT_NONE page keeps R, by which it is recognised as a page.
static_assert((in_linux<riscv64, level::pmd>::protection({}) & riscv64::rwx_mask) == riscv64::r.mask);

}  // namespace
