// The levels of a page table, named as in Linux and counted from the bottom.
#pragma once

namespace pte {

// A level is the distance from the last table, because that is what the meaning of an entry's bits depends on: pte maps
// base pages, pmd is one above, and so on. The manuals' numbers differ (arm64 counts from the top; x86 says PTE, PDE,
// PDPTE, PML4E, PML5E). Linux calls the top table pgd however many levels there are; geometry::name() gives that name.
enum class level : unsigned char { pte, pmd, pud, p4d, pgd };

inline constexpr unsigned level_count = 5;

// 0 for pte up to 4 for pgd.
constexpr unsigned depth(level l) { return static_cast<unsigned>(l); }

// The level of the tables that entries of level l point to; l is not pte.
constexpr level below(level l) { return static_cast<level>(depth(l) - 1); }

}  // namespace pte
