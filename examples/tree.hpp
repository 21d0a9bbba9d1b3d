// A page table whose format is known at run time only: walks with the answers decoded to plain records. make_tree.hpp
// makes one out of any format of the catalogue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <range/v3/view/facade.hpp>

#include <pte/format/access.hpp>
#include <pte/format/geometry.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/table/walk.hpp>
#include <pte/word/address.hpp>

namespace pte::examples {

// What a tree is to be read as.
struct tree_spec {
  std::string arch;  // x86_64, arm64, ppc64, riscv64
  unsigned page_shift = 12;
  unsigned va_bits = 0;    // 0: the usual ones
  bool pa52 = false;       // arm64: LPA or LPA2
  std::string os = "7.3";  // the Linux release whose software half to use, or bare
};

// What is known of the machine; what is not stays as the format assumes it.
struct machine_facts {
  std::optional<unsigned> phys_bits;
  std::optional<std::uint64_t> encryption_mask;          // x86
  std::optional<std::uint64_t> mair;                     // arm64
  std::optional<bool> hw_access, hw_dirty, pan, wxn;     // arm64
  std::optional<bool> nx, wp, smep, smap, shadow_stack;  // x86
};

// A mapping, decoded. What a format does not have is false or 0.
struct row {
  mapping m;  // accessed, dirty: gathered over a contiguous group; or what a migration entry says of its page
  bool hardware_valid = false, present = false;
  parked_kind kind = parked_kind::unknown;  // of a parked entry
  access<std::uint64_t> means{};            // of a present entry
  permissions<std::uint64_t> rights{};      // of a leaf: what the MMU permits, upper levels included
  bool soft_dirty = false, uffd_wp = false, special = false, contiguous = false, global = false, exclusive = false;
  bool reserved_set = false;
  std::uint64_t pkey = 0;
  std::uint64_t phys = 0;        // of a present entry, even if the MMU ignores it; of a table that was not read
  std::uint64_t attributes = 0;  // a present entry's memory type
  const char* memory_type = "";
  std::uint64_t swap_type = 0, swap_offset = 0;  // of an entry in swap form
  bool swap_form = false;
  std::optional<std::uint64_t> pfn{};  // that an entry in swap form holds
  std::string what{};                  // what its type stands for, but of pages in swap files
};

// One step of the walk of one address.
struct walk_step {
  level at = level::pte;
  const char* name = "";  // Linux's
  std::uint64_t index = 0;
  phys_addr slot{};
  std::uint64_t raw = 0;
  entry_state state = entry_state::empty;
  std::uint64_t next_table = 0;  // of a table entry
};

struct traced_walk {
  walk_result result;
  std::vector<walk_step> steps;
  std::optional<row> found;  // what the walk ended at, unless the address is not canonical
};

// Why a table was not read.
enum class table_problem : unsigned char {
  outside,   // the memory does not hold it
  loop,      // it is one of the tables above it
  too_many,  // with it the walk would read more bytes of tables than it may
};

struct refused_table {
  table_problem why = table_problem::outside;
  virt_addr va{};
  level at = level::pte;  // of the entry that points to it
  phys_addr slot{};       // of that entry
  phys_addr table{};
};

// Gives one row after another.
class row_source {
 public:
  virtual ~row_source() = default;
  // False at the end.
  virtual bool next(row& r) = 0;
  // Tables that were not read; the walk goes on behind them, except after the last too many.
  virtual const std::vector<refused_table>& refused() const = 0;
};

// The rows as a range-v3 view, of which one pass can be made.
class rows_view : public ranges::view_facade<rows_view, ranges::finite> {
 public:
  rows_view() = default;
  explicit rows_view(row_source& source) : source_(&source) {}

 private:
  friend ranges::range_access;
  struct cursor {
    row_source* source = nullptr;
    row current{};
    bool done = true;
    struct single_pass : std::true_type {};

    const row& read() const { return current; }
    void next() { done = !source->next(current); }
    bool equal(ranges::default_sentinel_t) const { return done; }
  };
  cursor begin_cursor() {
    cursor c{source_};
    c.next();
    return c;
  }
  ranges::default_sentinel_t end_cursor() const { return {}; }

  row_source* source_ = nullptr;
};

// How many bytes of tables a walk of memory of that size may read by default: all that it can hold, but no more than a
// walk of seconds reads, and some that are used more than once.
constexpr std::uint64_t usual_table_bytes(std::uint64_t memory_size) {
  constexpr std::uint64_t most = 256 << 20, shared = 16 << 20;
  return std::min(memory_size, most) + shared;
}

class tree {
 public:
  virtual ~tree() = default;

  // Everything that `range`, which lies in one half, maps. Of tables below the root at most
  // `most_bytes` bytes are read, those read twice counted twice.
  virtual std::unique_ptr<row_source> rows(phys_addr root, va_range range, std::uint64_t most_bytes) const = 0;
  virtual traced_walk walk(phys_addr root, virt_addr va) const = 0;
  // Does the memory hold the root table?
  virtual bool holds_root(phys_addr root) const = 0;

  // Facts of the format and geometry.
  const char* format_name = "";
  unsigned page_shift = 12;
  unsigned va_bits = 48;
  level root = level::p4d;
  std::uint64_t root_entries = 512;
  va_range user{}, kernel{};
  const char* level_names[level_count]{};
  unsigned shifts[level_count]{};
  bool has_soft_dirty = false, has_uffd_wp = false, has_special = false, has_contiguous = false, has_global = false,
       has_pkey = false;

  va_half half(virt_addr va) const {
    return user.contains(va) ? va_half::user : kernel.contains(va) ? va_half::kernel : va_half::neither;
  }
};

// Does `next` continue `whole`: adjacent, alike in everything that is shown, and what they map adjacent too? Then whole
// becomes both. For coalesce() of view/leaves.hpp.
struct joins_rows {
  bool operator()(row& whole, const row& next) const {
    if (whole.m.va + whole.m.size != next.m.va || whole.m.state != next.m.state) return false;
    if (whole.m.state == entry_state::table) return false;
    if (whole.m.state != entry_state::empty && !alike(whole, next)) return false;
    whole.m.size += next.m.size;
    return true;
  }

 private:
  static bool alike(const row& a, const row& b) {
    if (a.m.at != b.m.at || a.m.items != b.m.items || a.kind != b.kind || a.present != b.present) return false;
    if (a.m.accessed != b.m.accessed || a.m.dirty != b.m.dirty) return false;
    if (a.present && a.phys + a.m.size != b.phys) return false;
    const auto flags = [](const row& r) {
      return std::tuple(r.means.read, r.means.write, r.means.exec, r.means.user, r.rights.user_read,
                        r.rights.user_write, r.rights.user_exec, r.rights.kernel_read, r.rights.kernel_write,
                        r.rights.kernel_exec, r.soft_dirty, r.uffd_wp, r.special, r.contiguous, r.global, r.exclusive,
                        r.reserved_set, r.pkey, r.attributes, r.swap_type, r.swap_form);
    };
    if (flags(a) != flags(b)) return false;
    if (!a.swap_form) return a.present || a.m.raw == b.m.raw;
    // Markers are notes: equal ones continue one another. Others count up by a page an entry.
    if (a.kind == parked_kind::marker) return a.swap_offset == b.swap_offset;
    return a.swap_offset + a.m.size / b.m.size == b.swap_offset;
  }
};

}  // namespace pte::examples
