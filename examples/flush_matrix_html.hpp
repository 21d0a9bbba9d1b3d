// The matrix of flush_matrix as one page that needs nothing else: a click on a cell shows the reason, by links and CSS.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flush_judgement.hpp"
#include "flush_matrix_svg.hpp"

namespace pte::examples {

namespace detail {

inline constexpr std::string_view page_style = R"(
body { margin: 0 auto; padding: 24px 28px; color: #22303c; background: #fff; max-width: 1240px; }
h1 { font-size: 22px; margin: 0 0 4px; }
p { margin: 4px 0 12px; color: #55626d; font-size: 14px; }
p.note { margin: 2px 0; font-size: 12.5px; }
table.matrix { table-layout: fixed; width: 0; border-collapse: separate; border-spacing: 3px 2px; font-size: 13px; }
.matrix th { font-weight: 600; padding: 0 4px; }
.matrix th.arch { text-align: left; font-size: 16px; border-bottom: 1px solid #8b96a0; padding: 0 0 4px 2px;
  vertical-align: top; }
.matrix th.arch small { display: block; font-size: 11px; font-weight: 400; color: #6b7780; text-wrap: balance; }
.part { white-space: nowrap; }
.matrix th.head { font-size: 12px; vertical-align: top; }
.matrix th.head small { display: block; font-size: 10.5px; font-weight: 400; color: #6b7780; white-space: nowrap; }
.matrix th.label { text-align: left; font-weight: 400; white-space: nowrap; padding-right: 12px; }
.matrix th.group { text-align: left; color: #6b7780; font-size: 12px; font-weight: 600; padding-top: 7px; }
.matrix td { padding: 0; }
.matrix td.apart, .matrix th.apart { padding-left: 12px; }
.matrix .total td { text-align: center; color: #55626d; font-variant-numeric: tabular-nums; }
a.cell, .chip { display: block; height: 20px; line-height: 20px; border-radius: 3px; text-align: center;
  font-size: 11.5px; text-decoration: none; }
a.cell:hover, a.cell:focus { outline: 2px solid #22303c; outline-offset: 1px; }
.chip { display: inline-block; padding: 0 6px; min-width: 52px; }
.legend { display: grid; grid-template-columns: repeat(auto-fill, minmax(370px, 1fr)); gap: 6px 18px; font-size: 13px;
  margin: 16px 0; padding: 0; list-style: none; }
.legend li { display: flex; gap: 8px; }
.legend .chip { flex: none; }
.why { display: none; }
.why:target { display: block; position: fixed; left: 0; right: 0; bottom: 0; max-height: 52vh; overflow: auto;
  background: #fff; border-top: 2px solid #22303c; box-shadow: 0 -6px 24px #22303c33; padding: 14px 28px 18px;
  font-size: 13.5px; }
.why h2 { font-size: 17px; margin: 0 0 2px; }
.why h2 small { font-weight: 400; color: #6b7780; font-size: 13px; }
.why .close { float: right; color: #22303c; text-decoration: none; font-size: 20px; line-height: 1; }
.why .pair { border-top: 1px solid #dde2e6; margin-top: 8px; padding-top: 6px; display: grid;
  grid-template-columns: minmax(0, 1fr) 350px; gap: 4px 28px; }
.why code { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 13px; }
.why dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 10px; margin: 0; }
.why dt { color: #6b7780; }
.why dd { margin: 0; }
.why .answers { align-content: start; grid-template-columns: max-content max-content 1fr; }
body:has(.why:target) { padding-bottom: 55vh; }
)";

inline std::string chip(outcome o) {
  return fmt::format("<span class=\"chip {}\">{}</span>", words(o).id, words(o).label);
}

// The machine's traits, none of which is broken over lines.
inline std::string machine_parts(std::string_view machine) {
  std::string parts;
  for (std::size_t end = 0; end != std::string_view::npos; machine.remove_prefix(end == machine.npos ? 0 : end + 2)) {
    end = machine.find(", ");
    parts += fmt::format("{}<span class=\"part\">{}</span>", parts.empty() ? "" : ", ", xml(machine.substr(0, end)));
  }
  return parts;
}

inline std::string anchor(const matrix& m, std::size_t arch, const row& r) {
  return fmt::format("{}-{}-{}", m.archs[arch].name, transitions[r.transition].id, name_of(levels[r.depth]));
}

// One panel: a change on one architecture. Releases that write the same words and answer alike are told once.
inline std::string panel(const matrix& m, std::size_t index, const row& r) {
  const architecture& a = m.archs[index];
  std::string pairs;
  for (std::size_t i = a.releases.size(); i-- > 0;) {
    const auto at = [&](std::size_t n) -> const std::optional<judged>& {
      return a.releases[n].pairs[r.depth][r.transition];
    };
    const std::optional<judged>& j = at(i);
    if (!j) continue;
    std::string kernels = a.releases[i].kernel;
    while (i > 0 && at(i - 1) && at(i - 1)->old == j->old && at(i - 1)->next == j->next &&
           at(i - 1)->linux_flushes == j->linux_flushes)
      kernels = a.releases[--i].kernel + ", " + kernels;
    pairs += fmt::format("<div class=\"pair\"><dl><dt>old</dt><dd><code>{:#018x}</code> {}</dd>\n", j->old,
                         xml(j->old_text));
    pairs += fmt::format("<dt>new</dt><dd><code>{:#018x}</code> {}</dd>\n", j->next, xml(j->next_text));
    for (const auto& cause : j->why.happening())
      pairs += fmt::format("<dt>row {}</dt><dd>{}</dd>\n", cause.row, xml(cause.text));
    pairs += fmt::format("<dt>so</dt><dd><strong>{}</strong></dd></dl>\n<dl class=\"answers\">", xml(j->why.verdict));
    const auto says = [&](std::string_view who, policy p) {
      const bool flushes = answer(*j, p);
      pairs += fmt::format("<dt>{}</dt><dd>{}</dd><dd>{}</dd>\n", xml(who), flushes ? "flush" : "no flush",
                           chip(judge(j->why, flushes)));
    };
    says("Linux " + kernels, policy::linux_rules);
    says("exact", policy::exact);
    says("always", policy::always);
    pairs += "</dl></div>\n";
  }
  if (pairs.empty()) return "";
  return fmt::format(
      "<section class=\"why\" id=\"{}\"><a class=\"close\" href=\"#matrix\" title=\"close\">×</a>\n"
      "<h2>{} on {} <small>{}{}</small></h2>\n{}</section>\n",
      anchor(m, index, r), xml(transitions[r.transition].title), a.name, xml(a.machine),
      r.depth == 0 ? "" : ", huge page (pmd)", pairs);
}

}  // namespace detail

inline std::string to_html(const matrix& m) {
  using detail::chip;
  const auto apart = [&](std::size_t k) { return k != 0 && m.columns[k].arch != m.columns[k - 1].arch; };
  std::string widths = "<col style=\"width: 142px\"/>", head = "<tr><th></th>", subhead = "<tr><th></th>";
  for (std::size_t k = 0; k < m.columns.size(); ++k) {
    const column& c = m.columns[k];
    if (k == 0 || apart(k)) {
      std::size_t n = 0;
      for (const column& other : m.columns) n += other.arch == c.arch;
      head += fmt::format("<th class=\"arch{}\" colspan=\"{}\">{}<small>{}</small></th>", apart(k) ? " apart" : "", n,
                          m.archs[c.arch].name, detail::machine_parts(m.archs[c.arch].machine));
    }
    widths += fmt::format("<col style=\"width: {}px\"/>", apart(k) ? 78 : 66);
    subhead += fmt::format("<th class=\"head{}\">{}<small>{}</small></th>", apart(k) ? " apart" : "", c.head[0],
                           xml(c.head[1]) + (c.also_always ? "<br/>= always" : ""));
  }
  std::string body, panels;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const row& r = m.rows[i];
    if (begins_group(m, i))
      body +=
          fmt::format("<tr><th class=\"group\" colspan=\"{}\">{}</th></tr>\n", m.columns.size() + 1, xml(group_of(r)));
    body += fmt::format("<tr><th class=\"label\" scope=\"row\">{}</th>", xml(transitions[r.transition].title));
    for (std::size_t k = 0; k < m.columns.size(); ++k) {
      const column& c = m.columns[k];
      body += apart(k) ? "<td class=\"apart\">" : "<td>";
      if (const std::optional<outcome> o = m.cell(c, r))
        body += fmt::format("<a class=\"cell {}\" href=\"#{}\" title=\"{}\">{}</a>", words(*o).id,
                            detail::anchor(m, c.arch, r), xml(hint(m, c, r)), words(*o).label);
      body += "</td>";
    }
    body += "</tr>\n";
    for (std::size_t k = 0; k < m.archs.size(); ++k) panels += detail::panel(m, k, r);
  }
  std::string totals, legend, style, small_print;
  for (const std::string_view note : notes) small_print += fmt::format("<p class=\"note\">{}</p>\n", xml(note));
  for (std::size_t k = 0; k < outcome_count; ++k) {
    const auto o = static_cast<outcome>(k);
    std::string cells;
    std::size_t all = 0;
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
      const std::size_t n = m.count(m.columns[i], o);
      cells += fmt::format("<td{}>{}</td>", apart(i) ? " class=\"apart\"" : "", n);
      all += n;
    }
    style += fmt::format(".{} {{ background: {}; color: {}; }}\n", words(o).id, paints[k].fill, paints[k].ink);
    if (all == 0) continue;
    legend += fmt::format("<li>{} {}</li>\n", chip(o), xml(words(o).legend));
    if (o >= outcome::flush)
      totals += fmt::format("<tr class=\"total\"><th class=\"label\">{}</th>{}</tr>\n", words(o).label, cells);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>{0}</title>\n"
      "<style>\nbody {{ font-family: {1}; }}{2}{3}</style></head>\n<body>\n<h1>{0}</h1>\n"
      "<p>Down: what changes in an entry. Across: who decides. A click on a cell shows the words and the reason.</p>\n"
      "<table class=\"matrix\" id=\"matrix\">\n<colgroup>{12}</colgroup><thead>{4}</tr>\n{5}</tr></thead>\n<tbody>\n{6}"
      "<tr><th class=\"group\" colspan=\"{7}\">in all</th></tr>\n{8}</tbody></table>\n<ul "
      "class=\"legend\">\n{9}</ul>\n{10}{11}"
      "</body></html>\n",
      xml(headline), fonts, detail::page_style, style, head, subhead, body, m.columns.size() + 1, totals, legend,
      small_print, panels, widths);
}

}  // namespace pte::examples
