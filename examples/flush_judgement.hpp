// What the policies answer for the pairs of flush_transitions.hpp, and what that is worth: plain data, which all that
// write it share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pte/describe.hpp>
#include <pte/pte.hpp>
#include <pte/tlb/explain.hpp>
#include <pte/tlb/linux_rules.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "flush_machines.hpp"
#include "flush_transitions.hpp"

namespace pte::examples {

// What a policy's answer to a pair is worth.
enum class outcome : unsigned char {
  quiet,     // no flush, and none is needed
  fault,     // no flush: at most a spurious fault
  unnoted,   // no flush: at most an access that goes unnoted
  flush,     // a flush, and it is needed
  breaking,  // a flush is needed, and before the new entry is written
  needless,  // a flush that is not needed
  missed,    // no flush, and one is needed
};
inline constexpr std::size_t outcome_count = 7;

struct outcome_words {
  std::string_view id, cell, label, legend;  // in JSON; in text; in pictures; in full
};
inline constexpr std::array<outcome_words, outcome_count> words_of{{
    {"none", ".", "·", "no flush, and none is needed"},
    {"spurious-fault", "fault", "fault", "no flush: an access may fault, and succeeds when it is tried again"},
    {"accessed-unnoted", "unseen", "unseen", "no flush: an access may go unnoted, which only heuristics rely on"},
    {"flush", "flush", "flush", "a flush, and it is needed"},
    {"break-before-make", "break", "break", "break before make: invalid entry, flush, only then the new entry"},
    {"needless", "(flush)", "needless", "a flush that is not needed"},
    {"missed", "MISSED", "missed", "no flush, though one is needed"},
}};
constexpr const outcome_words& words(outcome o) { return words_of[static_cast<std::size_t>(o)]; }

// What must be known to read the table.
inline constexpr std::array<std::string_view, 2> notes{
    "\"Linux\" is its rule for changes of protection (pte_needs_flush, huge_pmd_needs_flush) alone: what other "
    "changes, "
    "break before make or a nest MMU ask for, other code of it does.",
    "\"exact\" flushes if and only if the manuals demand it of this machine, provided that earlier flushes of the "
    "address "
    "are complete."};

// What it is worth that a policy answers so to a pair that is explained so.
constexpr outcome judge(const explanation& e, bool flushes) {
  if (e.flush && !flushes) return outcome::missed;
  if (e.flush) return e.asks.break_before_make ? outcome::breaking : outcome::flush;
  if (flushes) return outcome::needless;
  if (e.asks.spurious || e.asks.lasting) return outcome::fault;
  return e.asks.accessed ? outcome::unnoted : outcome::quiet;
}

// One pair under one release at one level.
struct judged {
  std::uint64_t old = 0, next = 0;
  std::string old_text, next_text;
  explanation why;
  bool linux_flushes = false, exact_flushes = false, always_flushes = false;
};

inline constexpr std::array levels{level::pte, level::pmd};

// All pairs of one release: by level, by transition; none where the format has no such change.
struct release {
  std::string kernel;
  std::array<std::array<std::optional<judged>, transitions.size()>, levels.size()> pairs;
};

struct architecture {
  std::string name, machine;
  std::vector<release> releases;  // oldest first
};

template <class F, level L>
std::optional<judged> judge_pair(change what, const machine<F>& m, bool debug_vm) {
  const auto pair = make_pair_of<F, L>(what, m);
  if (!pair) return std::nullopt;
  const auto& [old, next] = *pair;
  const auto text = [&](std::uint64_t word) { return summary(describe<F, L>(word, m)); };
  return judged{.old = old.raw,
                .next = next.raw,
                .old_text = text(old.raw),
                .next_text = text(next.raw),
                .why = explain(old, next, m),
                .linux_flushes =
                    debug_vm ? linux_rules<true>::needs_flush(old, next, m) : linux_rules<>::needs_flush(old, next, m),
                .exact_flushes = exact::needs_flush(old, next, m),
                .always_flushes = always::needs_flush(old, next, m)};
}

template <class F>
release judge_release(const machine<F>& m, bool debug_vm) {
  release r{.kernel = F::os::name, .pairs = {}};
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    r.pairs[0][i] = judge_pair<F, level::pte>(transitions[i].what, m, debug_vm);
    r.pairs[1][i] = judge_pair<F, level::pmd>(transitions[i].what, m, debug_vm);
  }
  return r;
}

template <class Layout>
architecture judge_architecture(const traits& t, const std::vector<std::string>& kernels) {
  const machine<Layout> m = make_machine<Layout>(t);
  architecture a{.name = Layout::arch, .machine = machine_text<Layout>(m), .releases = {}};
  const auto add = [&]<class Os>(std::type_identity<Os>) {
    for (const std::string& kernel : kernels)
      if (kernel == Os::name) a.releases.push_back(judge_release<format<Layout, Os>>(m, t.debug_vm));
  };
  add(std::type_identity<linux_6_1>{});
  add(std::type_identity<linux_6_12>{});
  add(std::type_identity<linux_7_3>{});
  return a;
}

// ---- The matrix: columns are policies, those that answer alike are one.

enum class policy : unsigned char { linux_rules, exact, always };
inline constexpr std::string_view policy_names[] = {"linux", "exact", "always"};
inline constexpr std::string_view policy_name(policy p) { return policy_names[static_cast<std::size_t>(p)]; }

constexpr bool answer(const judged& j, policy p) {
  return p == policy::linux_rules ? j.linux_flushes : p == policy::exact ? j.exact_flushes : j.always_flushes;
}

struct column {
  std::size_t arch;  // index of the architecture
  policy by;
  std::size_t first, last;          // of the releases that it stands for; shown are the words of the last
  bool also_always = false;         // the policy `always` answers alike
  std::array<std::string, 3> head;  // lines of heading
};

struct row {
  std::size_t transition;
  std::size_t depth;  // index into levels
};

struct matrix {
  std::vector<architecture> archs;
  std::vector<column> columns;
  std::vector<row> rows;

  const std::optional<judged>& pair(const column& c, const row& r) const {
    return archs[c.arch].releases[c.last].pairs[r.depth][r.transition];
  }
  std::optional<outcome> cell(const column& c, const row& r) const {
    const auto& j = pair(c, r);
    return j ? std::optional(judge(j->why, answer(*j, c.by))) : std::nullopt;
  }
  // How many cells of the column are `o`.
  std::size_t count(const column& c, outcome o) const {
    std::size_t n = 0;
    for (const row& r : rows) n += cell(c, r) == o;
    return n;
  }
};

namespace detail {

// Do the two columns say the same wherever both say anything?
inline bool alike(const architecture& a, const column& x, const column& y) {
  for (std::size_t depth = 0; depth < levels.size(); ++depth)
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      const auto &p = a.releases[x.last].pairs[depth][i], &q = a.releases[y.last].pairs[depth][i];
      if (p && q && judge(p->why, answer(*p, x.by)) != judge(q->why, answer(*q, y.by))) return false;
    }
  return true;
}

// The releases that a column stands for; fits a column of text.
inline std::string range_text(const architecture& a, const column& c) {
  const std::string &first = a.releases[c.first].kernel, &last = a.releases[c.last].kernel;
  if (c.first == c.last) return last;
  if (c.last + 1 != a.releases.size()) return "to " + last;
  return c.first == 0 ? first + "-" + last : first + " on";
}

inline std::vector<column> columns_of(const architecture& a, std::size_t index) {
  std::vector<column> found;
  for (std::size_t i = 0; i < a.releases.size(); ++i) {
    const column c{index, policy::linux_rules, i, i, false, {}};
    if (!found.empty() && alike(a, found.back(), c))
      found.back().last = i;
    else
      found.push_back(c);
  }
  const std::size_t newest = a.releases.size() - 1;
  const column always_column{index, policy::always, newest, newest, false, {"always", "", ""}};
  bool always_shown = false;
  for (column& c : found) {
    c.also_always = alike(a, c, always_column);
    always_shown = always_shown || c.also_always;
    c.head = {"Linux", range_text(a, c), c.also_always ? "=always" : ""};
  }
  found.push_back({index, policy::exact, newest, newest, false, {"exact", "", ""}});
  if (!always_shown) found.push_back(always_column);
  return found;
}

}  // namespace detail

// Rows of base pages for whatever any architecture has; and of huge pages (pmd) where a cell differs from the base
// page's.
inline matrix make_matrix(std::vector<architecture> archs) {
  matrix m{std::move(archs), {}, {}};
  for (std::size_t i = 0; i < m.archs.size(); ++i)
    for (column& c : detail::columns_of(m.archs[i], i)) m.columns.push_back(std::move(c));
  for (std::size_t depth = 0; depth < levels.size(); ++depth)
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      bool shown = false;
      for (const column& c : m.columns)
        shown = shown || (depth == 0 ? m.cell(c, {i, 0}).has_value()
                                     : m.cell(c, {i, depth}).has_value() && m.cell(c, {i, depth}) != m.cell(c, {i, 0}));
      if (shown) m.rows.push_back({i, depth});
    }
  return m;
}

// The heading above a row, if it begins a group.
inline std::string_view group_of(const row& r) {
  return r.depth == 0 ? transitions[r.transition].group : "huge page, where it differs";
}
inline bool begins_group(const matrix& m, std::size_t i) {
  return i == 0 || group_of(m.rows[i]) != group_of(m.rows[i - 1]);
}

}  // namespace pte::examples
