// What the tests of flush decisions share: entries made by the library's constructors, and the library's answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <pte/format/arm64.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/ppc64_radix.hpp>
#include <pte/format/riscv64.hpp>
#include <pte/format/x86_64.hpp>
#include <pte/tlb/explain.hpp>
#include <pte/tlb/linux_rules.hpp>
#include <string>
#include <vector>

namespace pte::test {

using x86_linux = format<x86_64, linux_7_3>;
using arm64_linux = format<arm64_4k, linux_7_3>;
using ppc64_linux = format<ppc64_64k, linux_7_3>;
using riscv64_linux = format<riscv64, linux_7_3>;

inline constexpr rights read_only{.read = true};
inline constexpr rights read_write{.read = true, .write = true};
inline constexpr rights read_exec{.read = true, .exec = true};
inline constexpr rights read_write_exec{.read = true, .write = true, .exec = true};
inline constexpr rights nobody{};
constexpr rights for_kernel(rights r) { return {.read = r.read, .write = r.write, .exec = r.exec, .user = false}; }

// A base page; it is accessed and clean.
template <class F>
constexpr entry<F, level::pte> page(std::uint64_t pfn, rights r) {
  using slot = entry<F, level::pte>;
  return slot::make_leaf(pfn, slot::protection(r), machine<F>{});
}

// The entry after an operation on a present one.
template <class F, level L>
constexpr entry<F, L> wrprotect(entry<F, L> e) {
  return entry<F, L>{e.as_present().wrprotect().raw};
}
template <class F, level L>
constexpr entry<F, L> mkwrite(entry<F, L> e) {
  return entry<F, L>{e.as_present().mkwrite().raw};
}
template <class F, level L>
constexpr entry<F, L> mkdirty(entry<F, L> e) {
  return entry<F, L>{e.as_present().mkdirty().raw};
}
template <class F, level L>
constexpr entry<F, L> mkclean(entry<F, L> e) {
  return entry<F, L>{e.as_present().mkclean().raw};
}
template <class F, level L>
constexpr entry<F, L> mkold(entry<F, L> e) {
  return entry<F, L>{e.as_present().mkold().raw};
}
template <class F, level L>
constexpr entry<F, L> modify(entry<F, L> e, rights r) {
  return e.as_present().modify(entry<F, L>::protection(r), machine<F>{});
}
// With those bits inverted.
template <class F, level L>
constexpr entry<F, L> flip(entry<F, L> e, std::uint64_t mask) {
  return entry<F, L>{e.raw ^ mask};
}

// What the library says of a change.
template <class F, level L>
constexpr need<std::uint64_t> need_of(entry<F, L> old, entry<F, L> next, const machine<F>& m = machine<F>{}) {
  return needed(old, next, m);
}
template <class F, level L>
constexpr bool exact_says(entry<F, L> old, entry<F, L> next, const machine<F>& m = machine<F>{}) {
  return exact::needs_flush(old, next, m);
}
template <class F, level L>
constexpr bool linux_says(entry<F, L> old, entry<F, L> next, const machine<F>& m = machine<F>{}) {
  return linux_rules<>::needs_flush(old, next, m);
}
// The rows that explain() cites, each once, in ascending order.
inline std::vector<unsigned> rows_of(const explanation& e) {
  std::vector<unsigned> rows;
  for (const auto& c : e.happening()) rows.push_back(c.row);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}
template <class F, level L>
std::vector<unsigned> rows_of(entry<F, L> old, entry<F, L> next, const machine<F>& m = machine<F>{}) {
  return rows_of(explain(old, next, m));
}
template <class F, level L>
bool cites(unsigned row, entry<F, L> old, entry<F, L> next, const machine<F>& m = machine<F>{}) {
  const auto rows = rows_of(old, next, m);
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}
// The verdict's words agree with its answer.
inline bool says_no_flush(const explanation& e) { return std::string(e.verdict).compare(0, 9, "no flush:") == 0; }

// Calls f.template operator()<F>() with the Linux formats of a release, one an architecture.
template <class Os, class Fn>
void for_each_architecture(Fn f) {
  f.template operator()<format<x86_64, Os>>();
  f.template operator()<format<arm64_4k, Os>>();
  f.template operator()<format<ppc64_64k, Os>>();
  f.template operator()<format<riscv64, Os>>();
}
template <class Fn>
void for_each_linux(Fn f) {
  for_each_architecture<linux_6_1>(f);
  for_each_architecture<linux_6_12>(f);
  for_each_architecture<linux_7_3>(f);
}

// What one CPU remembers of one address: nothing, or the translation made from an entry as it was.
template <class F, level L = level::pte>
struct remembered {
  bool holds = false;
  entry<F, L> from{};

  // A walk, at any time, remembers the entry if it can be used.
  void walk(entry<F, L> now, const machine<F>& m = machine<F>{}) {
    if (!translate(now, m).usable()) return;
    holds = true;
    from = now;
  }
  void drop() { holds = false; }
  // Is what is remembered wrong now that the entry is `now`?
  bool harmful(entry<F, L> now, const machine<F>& m = machine<F>{}) const {
    return holds && need_of(from, now, m).must_flush();
  }
};

}  // namespace pte::test
