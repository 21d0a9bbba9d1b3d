// live_flush: does the running Linux flush when linux_rules says so?
//
// Changes the protection of a few pages with mprotect and counts the TLB flushes that the kernel makes for it, by
// perf's tracepoint tlb:tlb_flush. Next to that stands what the library predicts: it builds the entries before and
// after, asks the policy for each, gathers, and plans under x86's ceiling. x86-64 only, as root; ends with 77 where
// that is not possible, with 1 if a prediction is wrong.

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <pte/pte.hpp>
#include <pte/tlb/gather.hpp>
#include <pte/tlb/linux_rules.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "input_error.hpp"
#include "tlb_flush_trace.hpp"

namespace {

using namespace pte;
using namespace pte::examples;

// The number of flushes of one system call, and of pages in them.
struct flushes {
  std::size_t count = 0;
  std::uint64_t pages = 0;

  friend auto operator<=>(const flushes&, const flushes&) = default;
};

std::string text(const flushes& f) {
  if (f.count == 0) return "no flush";
  return fmt::format("{} flush{} of {}", f.count, f.count == 1 ? "" : "es",
                     f.pages == all_pages ? "everything"
                     : f.pages == 1       ? "1 page"
                                          : fmt::format("{} pages", f.pages));
}

// A protection that the pages go through.
struct protection {
  std::string_view name;
  rights of;
};
constexpr protection no_access{"NONE", {}}, r{"R", {.read = true}}, rw{"RW", {.read = true, .write = true}},
    rx{"RX", {.read = true, .exec = true}}, w{"W", {.write = true}};  // W: other flags of the area, the same entries

int prot_of(rights of) { return (of.read ? PROT_READ : 0) | (of.write ? PROT_WRITE : 0) | (of.exec ? PROT_EXEC : 0); }

// Pages that begin as RW, and the protections that they get one after the other.
struct scenario {
  std::string_view pages;  // "dirty": private, written; "clean": shared, only read
  std::vector<protection> then;
};
const std::vector<scenario> scenarios{{"dirty", {r, rw, w, rw, no_access, rw, no_access, r, rx, r}},
                                      {"clean", {r, rw, w, rw, no_access, rw}}};

// What Linux should do, from the entries alone.
template <class F>
std::vector<flushes> predict(const scenario& s, virt_addr first, std::size_t pages) {
  using E = entry<F, level::pte>;
  const machine<F> m{};
  std::vector<E> entries;
  for (std::size_t i = 0; i < pages; ++i) {
    const E clean = E::make_leaf(0x12345 + i, E::protection(rw.of), m);
    entries.push_back(s.pages == "dirty" ? E{clean.as_leaf().mkdirty().raw} : clean);
  }
  std::vector<flushes> all;
  for (const protection& p : s.then) {
    gather<layout_of<F>> g;
    for (std::size_t i = 0; i < pages; ++i) {
      const E next = entries[i].as_present().modify(E::protection(p.of), m);
      if (linux_rules<>::needs_flush(entries[i], next, m))
        g.add_entry({first.value + (i << F::page_shift)}, level::pte);
      entries[i] = next;
    }
    const auto plan = g.plan(x86_64_ceiling{});
    all.push_back(plan.extent == flush_extent::nothing ? flushes{}
                  : plan.extent == flush_extent::range ? flushes{1, plan.pages()}
                                                       : flushes{1, all_pages});
  }
  return all;
}

[[noreturn]] void failed(std::string_view call) {
  throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

// What Linux does. The area lies at a fixed address that begins a page table, so that no call reaches into another.
std::vector<flushes> measure(const scenario& s, virt_addr first, std::size_t pages, tlb_flush_trace& trace) {
  const std::size_t page = 4096, size = pages * page;
  const int kind = s.pages == "dirty" ? MAP_PRIVATE : MAP_SHARED;
  void* const area = mmap(reinterpret_cast<void*>(first.value), size, prot_of(rw.of),
                          kind | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (area == MAP_FAILED) failed("mmap");
  static_cast<void>(madvise(area, size, MADV_NOHUGEPAGE));
  for (std::size_t i = 0; i < pages; ++i) {
    volatile char* const at = static_cast<volatile char*>(area) + i * page;
    if (s.pages == "dirty")
      *at = 1;
    else
      static_cast<void>(*at);
  }
  std::vector<flushes> all;
  for (const protection& p : s.then) {
    int result = 0;
    const std::vector<traced_flush> seen = trace.during([&] { result = mprotect(area, size, prot_of(p.of)); });
    if (result != 0) failed("mprotect");
    flushes f;
    for (const traced_flush& one : seen) {
      ++f.count;
      f.pages = one.pages == all_pages || f.pages == all_pages ? all_pages : f.pages + one.pages;
    }
    all.push_back(f);
  }
  munmap(area, size);
  return all;
}

// 6.18 as 6 * 1000 + 18.
unsigned release_of(std::string_view text) {
  unsigned major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, major);
  if (error != std::errc{} || dot == end || std::from_chars(dot + 1, end, minor).ec != std::errc{}) return 0;
  return major * 1000 + minor;
}

int run(int argc, char** argv) {
  CLI::App app{"Does the running Linux flush when linux_rules says so? (x86-64, root)", "live_flush"};
  unsigned repeat = 20;
  app.add_option("--repeat", repeat, "how often each change is measured")->check(CLI::Range(1u, 1000u));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw input_error("live_flush", "", fmt::format("{}; see --help", error.what()));
  }
#if !defined(__x86_64__)
  throw not_possible("the predictions are for x86-64");
#endif
  utsname kernel{};
  uname(&kernel);
  const unsigned release = release_of(kernel.release);
  if (release < 6001)
    throw not_possible(fmt::format("Linux {} is older than the rules, which are those of 6.1 on", kernel.release));
  const auto predicted_by = release < 6012   ? &predict<format<x86_64, linux_6_1>>
                            : release < 7003 ? &predict<format<x86_64, linux_6_12>>
                                             : &predict<format<x86_64, linux_7_3>>;

  // On one CPU: else the kernel may have to flush for a CPU that this thread has left.
  const int cpu = sched_getcpu();
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(cpu), &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0) throw not_possible("this thread cannot be bound to one CPU");
  tlb_flush_trace trace;

  fmt::print("Linux {} on CPU {}, {} runs: the flushes of one mprotect\n\n", kernel.release, cpu, repeat);
  fmt::print("{:<7}{:<14}{:>5}  {:<24}{}\n", "pages", "change", "many", "predicted", "measured");
  std::size_t wrong = 0;
  for (const scenario& s : scenarios)
    for (const std::size_t pages : {1u, 33u, 34u}) {
      const virt_addr first{std::uint64_t{1} << 45};  // used by nobody, not even by the address sanitizer
      const std::vector<flushes> predicted = predicted_by(s, first, pages);
      std::vector<std::map<flushes, unsigned>> measured(s.then.size());
      for (unsigned n = 0; n < repeat; ++n) {
        const std::vector<flushes> found = measure(s, first, pages, trace);
        for (std::size_t i = 0; i < found.size(); ++i) ++measured[i][found[i]];
      }
      for (std::size_t i = 0; i < s.then.size(); ++i) {
        std::string found;
        for (const auto& [what, times] : measured[i])
          found += fmt::format("{}{}, {} of {}", found.empty() ? "" : "; ", text(what), times, repeat);
        const bool right = measured[i].size() == 1 && measured[i].contains(predicted[i]);
        wrong += !right;
        fmt::print("{:<7}{:<14}{:>5}  {:<24}{}{}\n", s.pages,
                   fmt::format("{} -> {}", i == 0 ? rw.name : s.then[i - 1].name, s.then[i].name), pages,
                   text(predicted[i]), found, right ? "" : "   WRONG");
      }
    }
  fmt::print("\n{}\n", wrong == 0 ? "all as predicted" : fmt::format("{} not as predicted", wrong));
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const input_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const not_possible& reason) {
    fmt::print(stderr, "live_flush: not possible here: {}\n", reason.what());
    return 77;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "live_flush: {}\n", error.what());
    return 1;
  }
}
