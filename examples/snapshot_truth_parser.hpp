// The parser of truth files (included by snapshot_truth.hpp).
#pragma once

#include <bit>
#include <charconv>
#include <set>
#include <utility>

#include "input_error.hpp"
#include "snapshot_truth.hpp"

namespace pte::examples {

class truth_parser {
 public:
  // Bounds that no real snapshot comes near, and that keep a forged one from costing minutes or gigabytes.
  static constexpr std::uint64_t most_pages = std::uint64_t{1} << 24;
  static constexpr std::size_t most_regions = 4096;

  truth_parser(std::string_view text, const std::string& file) : text_(text) { t_.file = file; }

  truth parse() {
    if (!next_line() || word() != "ptsnap" || word() != "1") fail("not a truth file: its first line is not 'ptsnap 1'");
    no_more();
    bool ended = false;
    while (!ended && next_line()) ended = parse_line(word());
    if (!ended) fail("cut short: there is no 'end' line");
    if (next_line()) fail("more lines after 'end'");
    check_whole();
    return std::move(t_);
  }

 private:
  [[noreturn]] void fail(std::string_view rule) const {
    throw input_error(t_.file, fmt::format("line {}", line_number_), rule);
  }

  bool next_line() {
    if (text_.empty()) return false;
    const std::size_t end = text_.find('\n');
    if (end == std::string_view::npos) {
      ++line_number_;
      fail("cut short: the last line has no end");
    }
    line_ = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    ++line_number_;
    return true;
  }

  // The next word of the line, "" at its end.
  std::string_view word() {
    line_.remove_prefix(std::min(line_.find_first_not_of(' '), line_.size()));
    const std::string_view w = line_.substr(0, line_.find(' '));
    line_.remove_prefix(w.size());
    return w;
  }
  std::string_view rest() {
    line_.remove_prefix(std::min(line_.find_first_not_of(' '), line_.size()));
    return std::exchange(line_, {});
  }
  void no_more() {
    if (const std::string_view more = rest(); !more.empty()) fail(fmt::format("unexpected {} at the end", shown(more)));
  }

  std::uint64_t number(std::string_view w, std::string_view what, int base = 16) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value, base);
    if (w.empty() || error != std::errc{} || end != w.data() + w.size())
      fail(fmt::format("{}: {} is no {} number of 64 bits", what, shown(w), base == 16 ? "hexadecimal" : "decimal"));
    return value;
  }
  std::uint64_t hex(std::string_view what) { return number(word(), what); }
  unsigned small_decimal(std::string_view w, std::string_view what, unsigned most) const {
    const std::uint64_t value = number(w, what, 10);
    if (value > most) fail(fmt::format("{}: {} is more than {}", what, value, most));
    return static_cast<unsigned>(value);
  }
  void expect(std::string_view literal) {
    if (const std::string_view w = word(); w != literal) fail(fmt::format("{} where '{}' belongs", shown(w), literal));
  }

  std::uint64_t page_size() const {
    if (t_.page_shift == 0) fail("a range before 'meta page_size'");
    return std::uint64_t{1} << t_.page_shift;
  }
  // START END, both multiples of the page size, in ascending order.
  std::pair<std::uint64_t, std::uint64_t> range() {
    const std::uint64_t start = hex("start"), end = hex("end");
    if (start >= end) fail(fmt::format("the range {:x} to {:x} is empty or backwards", start, end));
    if (((start | end) & (page_size() - 1)) != 0)
      fail(fmt::format("the range {:x} to {:x} is not aligned to pages", start, end));
    return {start, end};
  }
  region& current_region() {
    if (t_.regions.empty()) fail("belongs to a region, and there is none yet");
    return t_.regions.back();
  }

  // True for the last line.
  bool parse_line(std::string_view kind) {
    if (kind == "meta")
      parse_meta();
    else if (kind == "reg")
      parse_register();
    else if (kind == "root")
      parse_root();
    else if (kind == "level")
      parse_level();
    else if (kind == "vma")
      parse_vma();
    else if (kind == "smaps")
      parse_smaps();
    else if (kind == "region")
      parse_region();
    else if (kind == "scan")
      parse_scan();
    else if (kind == "run")
      parse_run();
    else if (kind == "count")
      parse_count();
    else if (kind == "qemu")
      parse_qemu();
    else if (kind == "end")
      return no_more(), true;
    else
      fail(fmt::format("unknown kind of line {}", shown(kind)));
    return false;
  }

  void parse_meta() {
    const std::string key{word()};
    if (key.empty()) fail("meta without a key");
    const std::string value{rest()};
    if (!t_.meta.emplace(key, value).second) fail(fmt::format("a second 'meta {}'", shown(key)));
    if (key == "page_size") {
      const std::uint64_t size = number(value, key, 10);
      if (!std::has_single_bit(size) || size < 4096 || size > 65536)
        fail(fmt::format("page_size {} is no power of two from 4096 to 65536", size));
      t_.page_shift = static_cast<unsigned>(std::countr_zero(size));
    } else if (key == "va_bits") {
      t_.va_bits = small_decimal(value, key, 64);
    }
  }
  void parse_register() {
    const std::string name{word()};
    if (name.empty()) fail("reg without a name");
    if (!t_.registers.emplace(name, hex(name)).second) fail(fmt::format("a second register {}", shown(name)));
    no_more();
  }
  void parse_root() {
    const std::string_view which = word();
    if (which != "user" && which != "kernel") fail(fmt::format("root of {}: neither user nor kernel", shown(which)));
    bool& seen = which == "user" ? has_root_user_ : has_root_kernel_;
    if (std::exchange(seen, true)) fail("a second root of this kind");
    (which == "user" ? t_.root_user : t_.root_kernel) = hex("root");
    no_more();
  }
  void parse_level() {
    truth_level l;
    l.number = small_decimal(word(), "level", 4);
    l.name = word();
    expect("shift");
    l.shift = small_decimal(word(), "shift", 63);
    expect("bits");
    l.bits = small_decimal(word(), "bits", 16);
    no_more();
    if (!t_.levels.empty() && l.number + 1 != t_.levels.back().number) fail("levels must be counted down to 0");
    if (!t_.levels.empty() && l.shift + l.bits != t_.levels.back().shift)
      fail(fmt::format("shift {} + bits {} is not the next level's shift {}", l.shift, l.bits, t_.levels.back().shift));
    t_.levels.push_back(std::move(l));
  }

  void parse_vma() {
    vma v;
    std::tie(v.start, v.end) = range();
    if (!t_.vmas.empty() && v.start < t_.vmas.back().end) fail("VMAs must ascend and not overlap");
    const std::string_view perms = word();
    if (perms.size() != 4 || (perms[0] != 'r' && perms[0] != '-') || (perms[1] != 'w' && perms[1] != '-') ||
        (perms[2] != 'x' && perms[2] != '-') || (perms[3] != 's' && perms[3] != 'p'))
      fail(fmt::format("permissions {} are not of the form rwxp", shown(perms)));
    v.read = perms[0] == 'r';
    v.write = perms[1] == 'w';
    v.exec = perms[2] == 'x';
    v.shared = perms[3] == 's';
    v.offset = hex("offset");
    for (std::string_view flags = word(); !flags.empty();) {
      const std::string_view flag = flags.substr(0, flags.find(','));
      if (flag.size() != 2) fail(fmt::format("VmFlag {} is not two letters", shown(flag)));
      v.flags.emplace_back(flag);
      flags.remove_prefix(std::min(flag.size() + 1, flags.size()));
    }
    v.path = rest();
    t_.vmas.push_back(std::move(v));
  }
  void parse_smaps() {
    if (t_.vmas.empty()) fail("smaps before any VMA");
    for (std::string_view pair = word(); !pair.empty(); pair = word()) {
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) fail(fmt::format("{} is not KEY=KB", shown(pair)));
      const std::string_view key = pair.substr(0, equals);
      const std::uint64_t kib = number(pair.substr(equals + 1), key, 10);
      if (kib > UINT64_MAX / 1024) fail(fmt::format("{}: {} kB is more than 2^64 bytes", shown(key), kib));
      const bool memory = key != "THPeligible" && key != "ProtectionKey";
      if (!t_.vmas.back().smaps.emplace(key, memory ? kib * 1024 : kib).second)
        fail(fmt::format("{} twice", shown(key)));
    }
  }

  void parse_region() {
    if (t_.regions.size() == most_regions) fail(fmt::format("more than {} regions", most_regions));
    region r;
    r.name = word();
    std::tie(r.start, r.end) = range();
    const std::uint64_t pages = (r.end - r.start) >> t_.page_shift;
    if (pages > most_pages || (pages_ += pages) > most_pages)
      fail(fmt::format("more than {} pages in the regions", most_pages));
    const std::string_view kind = word();
    if (kind != "stable" && kind != "volatile")
      fail(fmt::format("region {}: neither stable nor volatile", shown(kind)));
    r.stable = kind == "stable";
    r.description = rest();
    t_.regions.push_back(std::move(r));
  }
  void parse_scan() {
    region& r = current_region();
    scan_range s;
    std::tie(s.start, s.end) = range();
    s.categories = hex("categories");
    no_more();
    if (s.start < r.start || s.end > r.end) fail("the scanned range is not in its region");
    if (!r.scans.empty() && s.start < r.scans.back().end) fail("scanned ranges must ascend and not overlap");
    r.scans.push_back(s);
  }
  void parse_run() {
    region& r = current_region();
    page_run run;
    run.index = hex("index");
    run.count = hex("count");
    run.pagemap = hex("pagemap");
    const std::string_view flags = word(), map_count = word();
    if (flags != "-") run.flags = number(flags, "kpageflags");
    if (map_count != "-") run.map_count = number(map_count, "kpagecount");
    run.operations = word();
    no_more();
    const std::uint64_t pages = (r.end - r.start) >> t_.page_shift;
    const std::uint64_t next = r.runs.empty() ? 0 : r.runs.back().index + r.runs.back().count;
    if (run.index != next)
      fail(fmt::format("the run begins at page {:x}, the one before ended at {:x}", run.index, next));
    if (run.count == 0 || run.count > pages - run.index) fail("the run is empty, or leaves its region");
    if (run.word(0).present() && run.word(0).pfn() + run.count > std::uint64_t{1} << 55) fail("PFNs beyond 55 bits");
    r.runs.push_back(std::move(run));
  }
  void parse_count() {
    region& r = current_region();
    for (std::string_view pair = word(); !pair.empty(); pair = word()) {
      const std::size_t equals = pair.find('=');
      const std::string_view key = pair.substr(0, equals);
      if (equals == std::string_view::npos || (key != "present" && key != "nonpresent" && key != "none"))
        fail(fmt::format("{} is not present=, nonpresent= or none= and a number", shown(pair)));
      (key == "present" ? r.present : key == "none" ? r.none : r.nonpresent) = number(pair.substr(equals + 1), key, 10);
    }
  }
  void parse_qemu() {
    region& r = current_region();
    qemu_answer q;
    q.va = hex("address");
    const std::string_view phys = word();
    if (phys != "-") q.phys = number(phys, "physical address");
    no_more();
    if (q.va < r.start || q.va >= r.end) fail("the address is not in its region");
    r.qemu.push_back(q);
  }

  // What no single line shows.
  void check_whole() const {
    for (const char* key : {"arch", "page_size", "va_bits", "kernel_release"})
      if (t_.about(key).empty()) fail(fmt::format("there is no 'meta {}'", key));
    if (!has_root_user_ || !has_root_kernel_) fail("there is no 'root user' or no 'root kernel'");
    if (t_.levels.empty() || t_.levels.back().number != 0) fail("the 'level' lines do not go down to 0");
    for (const region& r : t_.regions) {
      const std::uint64_t seen = r.runs.empty() ? 0 : r.runs.back().index + r.runs.back().count;
      if (seen != (r.end - r.start) >> t_.page_shift)
        fail(fmt::format("region {}: its runs are not all of its pages", shown(r.name)));
    }
  }

  std::string_view text_, line_;
  std::size_t line_number_ = 0;
  std::uint64_t pages_ = 0;
  bool has_root_user_ = false, has_root_kernel_ = false;
  truth t_;
};

inline truth parse_truth(std::string_view text, const std::string& file) { return truth_parser(text, file).parse(); }

}  // namespace pte::examples
