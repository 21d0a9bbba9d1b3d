// The matrix of flush_matrix as one picture, and what the page shares with it: colours, and text made safe for XML.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "flush_judgement.hpp"

namespace pte::examples {

// Correct answers are blue, the darker the more they cost; needless ones amber, wrong ones red. The words in the cells
// say the same, for those who see no colours.
struct paint {
  std::string_view fill, ink;
};
inline constexpr std::array<paint, outcome_count> paints{{{"#f0f2f4", "#98a1aa"},
                                                          {"#d5e4f1", "#265a86"},
                                                          {"#e4e0ec", "#574a78"},
                                                          {"#3b78a8", "#ffffff"},
                                                          {"#1b3a57", "#ffffff"},
                                                          {"#f2cc72", "#5a4300"},
                                                          {"#c3323b", "#ffffff"}}};
inline constexpr std::string_view fonts =
    "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif";
inline constexpr std::string_view headline = "Which change of a page-table entry needs a TLB flush, and who flushes?";

// Text for XML, with arrows as a printer sets them.
inline std::string xml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("->"))
      out += "→", ++i;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// "Linux 6.1-6.12 = always"
inline std::string head_text(const column& c) {
  std::string text = c.head[0];
  for (std::size_t i = 1; i < c.head.size(); ++i)
    if (!c.head[i].empty()) text += " " + c.head[i];
  return text;
}

// What a cell shows in a few lines, for whoever points at it.
inline std::string hint(const matrix& m, const column& c, const row& r) {
  const judged& j = *m.pair(c, r);
  std::string text = fmt::format("{}, {}: {}\n{}\n", m.archs[c.arch].name, head_text(c),
                                 transitions[r.transition].title, words(*m.cell(c, r)).legend);
  for (const auto& cause : j.why.happening()) text += fmt::format("row {}: {}\n", cause.row, cause.text);
  return text + fmt::format("exact: {}\n{:#018x}\n{:#018x}", j.why.verdict, j.old, j.next);
}

namespace detail {

// Collects the shapes of a picture.
struct drawing {
  std::string body;

  void text(double x, double y, std::string_view style, std::string_view words) {
    body += fmt::format("<text x=\"{:g}\" y=\"{:g}\" class=\"{}\">{}</text>\n", x, y, style, xml(words));
  }
  void box(double x, double y, double width, double height, std::string_view style) {
    body += fmt::format("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" rx=\"3\" class=\"{}\"/>\n", x, y,
                        width, height, style);
  }
  void rule(double x1, double x2, double y, std::string_view style) {
    body += fmt::format("<line x1=\"{:g}\" x2=\"{:g}\" y1=\"{:g}\" y2=\"{:g}\" class=\"{}\"/>\n", x1, x2, y, y, style);
  }
};

}  // namespace detail

inline std::string to_svg(const matrix& m) {
  constexpr double margin = 28, group_width = 112, label_width = 142, cell_width = 74, cell_height = 20,
                   row_height = 23, apart = 18, group_gap = 9, grid_top = 164, legend_height = 22, least_legend = 370,
                   least_width = 800;
  const auto class_of = [](outcome o) { return static_cast<char>('a' + static_cast<int>(o)); };
  detail::drawing d;

  std::vector<double> left;
  double x = margin + group_width + label_width;
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    if (i != 0 && m.columns[i].arch != m.columns[i - 1].arch) x += apart;
    left.push_back(x);
    x += cell_width;
  }
  const double width = std::max(x + margin, least_width);

  d.text(margin, 46, "title", headline);
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    const column& c = m.columns[i];
    const double middle = left[i] + cell_width / 2;
    if (i == 0 || m.columns[i - 1].arch != c.arch) {
      std::size_t last = i;
      while (last + 1 < m.columns.size() && m.columns[last + 1].arch == c.arch) ++last;
      const double right = left[last] + cell_width;
      d.text(left[i] + 2, 82, "arch", m.archs[c.arch].name);
      // Under its architecture's name, in lines that are as wide as its columns.
      std::string_view rest = m.archs[c.arch].machine;
      const auto fits = static_cast<std::size_t>((right - left[i]) / 5.6);
      for (double y = 96; !rest.empty() && y < 110; y += 12) {
        std::size_t end = rest.size() <= fits ? rest.size() : rest.rfind(", ", fits);
        if (end == std::string_view::npos || y > 100) end = rest.size();
        d.text(left[i] + 2, y, "machine", rest.substr(0, end));
        rest.remove_prefix(std::min(rest.size(), end + 2));
      }
      d.rule(left[i] + 2, right - 2, 114, "strong");
    }
    d.text(middle, 130, "head", c.head[0]);
    d.text(middle, 143, "subhead", c.head[1]);
    if (c.also_always) d.text(middle, 155, "subhead", "= always");
  }

  double y = grid_top;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const row& r = m.rows[i];
    if (begins_group(m, i)) {
      if (i != 0) {
        d.rule(margin, x, y + group_gap / 2 - 1.5, "faint");
        y += group_gap;
      }
      const std::string_view name = group_of(r);
      const std::size_t comma = name.find(", ");
      d.text(margin, y + 14, "group", name.substr(0, comma));
      if (comma != std::string_view::npos) d.text(margin, y + 26, "group", name.substr(comma + 2));
    }
    d.text(margin + group_width, y + 14, "label", transitions[r.transition].title);
    for (std::size_t k = 0; k < m.columns.size(); ++k) {
      const std::optional<outcome> o = m.cell(m.columns[k], r);
      if (!o) continue;
      d.body += fmt::format("<g><title>{}</title>\n", xml(hint(m, m.columns[k], r)));
      d.box(left[k] + 2, y, cell_width - 4, cell_height, fmt::format("{}", class_of(*o)));
      d.text(left[k] + cell_width / 2, y + 14, fmt::format("cell {}t", class_of(*o)), words(*o).label);
      d.body += "</g>\n";
    }
    y += row_height;
  }
  if (begins_group(m, m.rows.size() - 1)) y += 8;  // its name may take two lines

  // How often, for what costs something without need, or is wrong.
  d.rule(margin, x, y + 4, "strong");
  y += 12;
  for (const outcome o : {outcome::needless, outcome::missed}) {
    std::size_t all = 0;
    for (const column& c : m.columns) all += m.count(c, o);
    if (o == outcome::missed && all == 0) continue;
    d.text(margin + group_width, y + 12, "label", o == outcome::needless ? "flushes without need" : "flushes missed");
    for (std::size_t k = 0; k < m.columns.size(); ++k)
      d.text(left[k] + cell_width / 2, y + 12, "count", fmt::format("{}", m.count(m.columns[k], o)));
    y += 20;
  }
  y += 14;
  const auto legend_columns = static_cast<std::size_t>((width - 2 * margin) / least_legend);
  const double legend_width = (width - 2 * margin) / static_cast<double>(legend_columns);
  std::size_t shown = 0;
  for (std::size_t k = 0; k < outcome_count; ++k) {
    const auto o = static_cast<outcome>(k);
    std::size_t all = 0;
    for (const column& c : m.columns) all += m.count(c, o);
    if (all == 0) continue;
    const double at = margin + legend_width * static_cast<double>(shown % legend_columns),
                 down = y + legend_height * static_cast<double>(shown / legend_columns);
    d.box(at, down, 56, 17, fmt::format("{}", class_of(o)));
    d.text(at + 28, down + 12.5, fmt::format("cell {}t", class_of(o)), words(o).label);
    d.text(at + 64, down + 12.5, "legend", words(o).legend);
    ++shown;
  }
  y += legend_height * static_cast<double>((shown + legend_columns - 1) / legend_columns) + 14;
  for (const std::string_view note : notes) {
    const std::string lines = pte::detail::wrapped(note, static_cast<std::size_t>((width - 2 * margin) / 5), 0);
    for (std::size_t from = 0; from < lines.size(); from = lines.find('\n', from) + 1) {
      d.text(margin, y, "note", std::string_view(lines).substr(from, lines.find('\n', from) - from));
      y += 14;
      if (lines.find('\n', from) == std::string::npos) break;
    }
  }
  const double height = y + 8;

  std::string style = fmt::format(
      "text {{ font-family: {}; fill: #22303c }}\n.title {{ font-size: 21px; font-weight: 600 }}\n"
      ".arch {{ font-size: 15px; font-weight: 600 }}\n.machine {{ font-size: 10px; fill: #6b7780 }}\n"
      ".head {{ font-size: 12px; font-weight: 600; text-anchor: middle }}\n"
      ".subhead {{ font-size: 10px; fill: #6b7780; text-anchor: middle }}\n"
      ".group {{ font-size: 11px; fill: #6b7780 }}\n.label {{ font-size: 12.5px }}\n"
      ".count {{ font-size: 12px; text-anchor: middle; fill: #44525e }}\n"
      ".cell {{ font-size: 11px; text-anchor: middle }}\n.legend {{ font-size: 10.5px; fill: #44525e }}\n"
      ".note {{ font-size: 10.5px; fill: #6b7780 }}\n"
      ".strong {{ stroke: #8b96a0; stroke-width: 1 }}\n.faint {{ stroke: #dde2e6; stroke-width: 1 }}\n",
      fonts);
  for (std::size_t k = 0; k < outcome_count; ++k)
    style += fmt::format(".{0} {{ fill: {1} }}\n.{0}t {{ fill: {2} }}\n", class_of(static_cast<outcome>(k)),
                         paints[k].fill, paints[k].ink);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "role=\"img\" aria-label=\"{2}\">\n<style>\n{3}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n"
      "{4}</svg>\n",
      width, height, xml(headline), style, d.body);
}

}  // namespace pte::examples
