// The matrix of flush_matrix as text, and as JSON.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "flush_judgement.hpp"

namespace pte::examples {

namespace detail {

inline constexpr std::size_t label_width = 21, cell_width = 8;

// A cell goes below its heading; between architectures is some room.
inline std::string text_row(const matrix& m, std::string_view label, auto&& cell) {
  std::string line = fmt::format("{:<{}}", label, label_width);
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    const bool apart = i != 0 && m.columns[i].arch != m.columns[i - 1].arch;
    line += fmt::format("{}{:<{}}", apart ? " " : "", cell(i), cell_width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace detail

inline std::string to_text(const matrix& m) {
  std::string text = "Which change of a page-table entry needs a TLB flush, and who flushes?\n\n";
  for (const architecture& a : m.archs) text += fmt::format("  {:<9}{}\n", a.name, a.machine);
  text += "\n" + detail::text_row(m, "", [&](std::size_t i) {
            const bool first = i == 0 || m.columns[i].arch != m.columns[i - 1].arch;
            return first ? std::string_view(m.archs[m.columns[i].arch].name) : std::string_view();
          });
  for (std::size_t line = 0; line < 3; ++line) {
    const std::string heads =
        detail::text_row(m, "", [&](std::size_t i) { return std::string_view(m.columns[i].head[line]); });
    if (heads != "\n") text += heads;
  }
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const row& r = m.rows[i];
    if (begins_group(m, i)) text += fmt::format("{}\n", group_of(r));
    text += detail::text_row(m, fmt::format(" {}", transitions[r.transition].title), [&](std::size_t c) {
      const std::optional<outcome> o = m.cell(m.columns[c], r);
      return o ? words(*o).cell : std::string_view();
    });
  }
  text += "in all\n";
  std::string legend;
  for (std::size_t k = 0; k < outcome_count; ++k) {
    const auto o = static_cast<outcome>(k);
    std::size_t all = 0;
    for (const column& c : m.columns) all += m.count(c, o);
    if (all == 0) continue;
    legend += fmt::format("  {:<9}{}\n", words(o).cell, words(o).legend);
    if (o == outcome::quiet || o == outcome::fault || o == outcome::unnoted) continue;
    text += detail::text_row(m, fmt::format(" {}", words(o).cell),
                             [&](std::size_t c) { return fmt::format("{}", m.count(m.columns[c], o)); });
  }
  text += "\n" + legend + "  (empty)  there is no such change\n";
  for (const std::string_view note : notes) text += fmt::format("\n{}", pte::detail::wrapped(note, 112, 0));
  return text + "\n";
}

// What the policies say of one transition and why, for every architecture.
inline std::string to_text_reasons(const matrix& m, std::size_t transition) {
  std::string text = fmt::format("{}\n", transitions[transition].title);
  for (const architecture& a : m.archs)
    for (const release& r : a.releases)
      for (std::size_t depth = 0; depth < levels.size(); ++depth) {
        const std::optional<judged>& j = r.pairs[depth][transition];
        if (!j) continue;
        text += fmt::format("\n{}, Linux {}, {}: {}\n", a.name, r.kernel, name_of(levels[depth]), a.machine);
        text += fmt::format("  old  {:#018x}  {}\n  new  {:#018x}  {}\n", j->old, j->old_text, j->next, j->next_text);
        for (const auto& c : j->why.happening()) text += fmt::format("  row {:>2}: {}\n", c.row, c.text);
        text += fmt::format("  exact: {}\n", j->why.verdict);
        text += fmt::format("  Linux: {}: {}\n", j->linux_flushes ? "flush" : "no flush",
                            words(judge(j->why, j->linux_flushes)).legend);
      }
  return text;
}

namespace detail {

inline nlohmann::ordered_json to_json(const judged& j) {
  using nlohmann::ordered_json;
  ordered_json rows = ordered_json::array(), outcomes = ordered_json::object(), answers = ordered_json::object();
  for (const auto& c : j.why.happening()) rows.push_back({{"row", c.row}, {"text", c.text}});
  for (const policy p : {policy::linux_rules, policy::exact, policy::always}) {
    answers[std::string(policy_name(p))] = answer(j, p);
    outcomes[std::string(policy_name(p))] = words(judge(j.why, answer(j, p))).id;
  }
  const auto& asks = j.why.asks;
  return {{"old", fmt::format("{:#018x}", j.old)},
          {"new", fmt::format("{:#018x}", j.next)},
          {"old_text", j.old_text},
          {"new_text", j.next_text},
          {"flushes", answers},
          {"outcome", outcomes},
          {"needs",
           {{"spurious", asks.spurious},
            {"lasting", asks.lasting},
            {"accessed", asks.accessed},
            {"dirty", asks.dirty},
            {"flush", asks.flush},
            {"break_before_make", asks.break_before_make}}},
          {"verdict", j.why.verdict},
          {"rows", rows}};
}

}  // namespace detail

inline std::string to_json_text(const matrix& m) {
  using nlohmann::ordered_json;
  ordered_json machines = ordered_json::object(), list = ordered_json::array(), cells = ordered_json::array();
  for (const architecture& a : m.archs) machines[a.name] = a.machine;
  for (const transition& t : transitions) list.push_back({{"id", t.id}, {"group", t.group}, {"title", t.title}});
  for (const architecture& a : m.archs)
    for (const release& r : a.releases)
      for (std::size_t depth = 0; depth < levels.size(); ++depth)
        for (std::size_t i = 0; i < transitions.size(); ++i) {
          if (!r.pairs[depth][i]) continue;
          ordered_json cell{{"arch", a.name},
                            {"kernel", r.kernel},
                            {"level", name_of(levels[depth])},
                            {"transition", transitions[i].id}};
          cell.update(detail::to_json(*r.pairs[depth][i]));
          cells.push_back(std::move(cell));
        }
  return ordered_json{{"machines", machines}, {"transitions", list}, {"cells", cells}}.dump(1) + "\n";
}

}  // namespace pte::examples
