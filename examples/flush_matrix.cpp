// flush_matrix: which change of a page-table entry needs a TLB flush, and who flushes?
//
//   flush_matrix                                   the table, as text
//   flush_matrix --html flush.html --svg flush.svg as a page, with the reason for each cell; as a picture
//   flush_matrix --explain r-rw-clean --arch x86_64
//
// No answer is written down here: the pairs of entries are built with the library's constructors, and its policies are
// asked about them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "flush_judgement.hpp"
#include "flush_matrix_html.hpp"
#include "flush_matrix_svg.hpp"
#include "flush_matrix_text.hpp"
#include "input_error.hpp"

namespace {

using namespace pte;
using namespace pte::examples;

const std::vector<std::string> known_archs{"x86_64", "ppc64", "arm64", "riscv64"};
const std::vector<std::string> known_kernels{"6.1", "6.12", "7.3"};

// The list that was asked for, in the order of `known`; all of it if nothing was.
std::vector<std::string> chosen(const std::vector<std::string>& asked, const std::vector<std::string>& known,
                                std::string_view option) {
  for (const std::string& one : asked)
    if (std::find(known.begin(), known.end(), one) == known.end())
      throw input_error(option, shown(one), fmt::format("it must be one of {}", fmt::join(known, ", ")));
  std::vector<std::string> list;
  for (const std::string& one : known)
    if (asked.empty() || std::find(asked.begin(), asked.end(), one) != asked.end()) list.push_back(one);
  return list;
}

unsigned number(std::string_view option, std::string_view text, unsigned least, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw input_error(option, shown(text), fmt::format("it must be a number from {} to {}", least, most));
  return value;
}

void write_file(std::string_view option, const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw input_error(option, shown(path), "cannot be written");
}

// What the option parser says, which may repeat what it was given.
std::string printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > 200 ? text.substr(0, 200) + "..." : text;
}

int run(int argc, char** argv) {
  CLI::App app{"Which change of a page-table entry needs a TLB flush, and who flushes?", "flush_matrix"};
  std::vector<std::string> archs, kernels;
  std::string svg, html, explain_id, bbm_level, encryption_bit;
  bool as_json = false;
  traits t;
  app.add_option("--arch", archs, "x86_64, ppc64 (radix), arm64, riscv64; default all")
      ->delimiter(',')
      ->type_name("ARCH,...");
  app.add_option("--kernel", kernels, "releases of Linux: 6.1, 6.12, 7.3; default all")
      ->delimiter(',')
      ->type_name("VERSION,...");
  const auto json = app.add_flag("--json", as_json, "every pair, level and release, instead of the table");
  app.add_option("--svg", svg, "write the table as a picture, too")->type_name("FILE");
  app.add_option("--html", html, "write it as a page with the reasons, too")->type_name("FILE");
  app.add_option("--explain", explain_id, "the reasons for one row, instead of the table")
      ->type_name("ROW")
      ->excludes(json);
  app.add_flag("--amd", t.amd, "x86: an AMD CPU, which walks again before it reports a fault");
  app.add_flag("--shadow-stack", t.shadow_stack, "x86: shadow stacks are enabled");
  app.add_option("--encryption-bit", encryption_bit, "x86: the C-bit of SME and SEV, or TDX's shared bit")
      ->type_name("N");
  app.add_flag("--debug-vm", t.debug_vm, "x86: Linux is built with DEBUG_VM");
  app.add_option("--bbm-level", bbm_level, "arm64: 0 to 2; 2 means that no conflict aborts either")->type_name("N");
  app.add_flag("--hw-dirty", t.hw_dirty, "arm64: hardware keeps accessed and dirty state (TCR.HA, HD)");
  app.add_flag("--erratum-2645198", t.erratum_2645198, "arm64: the CPU has this erratum");
  app.add_flag("--no-fault-invalidation", t.no_fault_invalidation,
               "arm64, riscv64: the fault handler does not invalidate the address");
  app.add_flag("--nest-mmu", t.nest_mmu, "ppc64: an accelerator of POWER9 uses the table");
  app.add_flag("--svvptc", t.svvptc, "riscv64: entries that become valid are seen in bounded time");
  app.add_flag("--svadu", t.svadu, "riscv64: hardware sets accessed and dirty");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw input_error("flush_matrix", "", fmt::format("{}; see --help", printable(error.what())));
  }
  archs = chosen(archs, known_archs, "--arch");
  kernels = chosen(kernels, known_kernels, "--kernel");
  for (const trait_option& option : trait_options)
    if (app.count(std::string(option.name)) != 0) check_trait(option.name, archs);
  if (app.count("--bbm-level") != 0) t.bbm_level = number("--bbm-level", bbm_level, 0, 2);
  if (app.count("--encryption-bit") != 0) t.encryption_bit = number("--encryption-bit", encryption_bit, 12, 51);
  const auto asked =
      std::find_if(transitions.begin(), transitions.end(), [&](const transition& one) { return one.id == explain_id; });
  if (app.count("--explain") != 0 && asked == transitions.end()) {
    std::vector<std::string_view> ids;
    for (const transition& one : transitions) ids.push_back(one.id);
    throw input_error("--explain", shown(explain_id), fmt::format("the rows are {}", fmt::join(ids, ", ")));
  }

  std::vector<architecture> judgements;
  for (const std::string& arch : archs)
    judgements.push_back(arch == "x86_64"  ? judge_architecture<x86_64>(t, kernels)
                         : arch == "ppc64" ? judge_architecture<ppc64_64k>(t, kernels)
                         : arch == "arm64" ? judge_architecture<arm64_4k>(t, kernels)
                                           : judge_architecture<riscv64>(t, kernels));
  const matrix m = make_matrix(std::move(judgements));
  if (app.count("--svg") != 0) write_file("--svg", svg, to_svg(m));
  if (app.count("--html") != 0) write_file("--html", html, to_html(m));
  if (as_json)
    fmt::print("{}", to_json_text(m));
  else if (app.count("--explain") != 0)
    fmt::print("{}", to_text_reasons(m, static_cast<std::size_t>(asked - transitions.begin())));
  else
    fmt::print("{}", to_text(m));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const input_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
