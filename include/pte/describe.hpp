// Text for humans: what a raw word means, as a record (description), as one line (summary), as a ruler of its 64 bits,
// and as a page (to_text). Only what depends on the format and the level is a template; the rest is written once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pte/format/access.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/level.hpp>
#include <pte/format/os.hpp>
#include <pte/word/field.hpp>

namespace pte {

// Adjacent bits of a word with one meaning, and their value, right-aligned.
struct described_field {
  std::string name;
  unsigned high = 63;
  unsigned low = 0;
  std::uint64_t value = 0;
  set_by by = set_by::ignored;
  std::string meaning;
};

struct swap_place {
  std::uint64_t type = 0;
  std::uint64_t offset = 0;
};

// What a word means. What its format or its state lacks is nullopt.
struct description {
  std::string_view arch, format, os;  // "arm64", "arm64-4k", "6.12"; without Linux "bare", or "own" (see system_name)
  unsigned page_shift = 12;
  level at_level = level::pte;
  std::string level_name;
  std::uint64_t word = 0;

  entry_state state = entry_state::empty;
  std::optional<parked_kind> kind;  // of a parked entry
  bool hardware_valid = false;      // to the MMU
  bool present = false;             // to the system
  bool reserved_set = false;        // valid, but a walk through it faults

  std::optional<std::uint64_t> phys, pfn;         // the page's, or the next table's; in bytes, in base pages
  std::optional<std::uint64_t> size;              // what the item maps by itself, in bytes
  std::optional<std::uint64_t> group_size;        // of the contiguous group that it is one of
  std::optional<bool> read, write, exec, user;    // what the system means
  std::optional<permissions<std::uint64_t>> mmu;  // what the MMU permits, upper levels permitting
  std::optional<bool> global, accessed, dirty, soft_dirty, uffd_wp, contiguous, special, exclusive;
  std::optional<std::string_view> memory_type;
  std::optional<unsigned> pkey;
  std::optional<swap_place> swap;  // of all entries that have the form of a swap entry
  std::string what;                // of those: what the type stands for, "migration (write)"
  // If the system stores addresses inverted: where the page would be if this were no swap entry, but an entry whose
  // present bit was cleared, as Linux does with pages of the kernel's own map.
  std::optional<std::uint64_t> unmapped_phys;

  std::vector<described_field> fields;  // from bit 63 down; every bit belongs to one
};

// What describe() must know beyond the machine.
struct describe_options {
  swap_types types;           // which swap types the kernel's configuration has set apart
  unsigned physmem_bits = 0;  // MAX_PHYSMEM_BITS: the accessed and dirty bits of migration entries lie above such a pfn
};

// What Debian's kernels and those of most distributions have. (On riscv64 they are built without memory failure.)
// `va_bits` is that of the tree: x86 with five levels allows for more memory.
template <class F>
constexpr describe_options usual_options(unsigned va_bits = 48) {
  constexpr std::string_view arch = F::arch;
  describe_options options;
  if constexpr (requires { typename F::os; })
    options.types = debian_swap_types<typename F::os>(arch != "riscv64", has_uffd_wp<F>);
  options.physmem_bits = arch == "x86_64"  ? (va_bits > 48 ? 52 : 46)
                         : arch == "arm64" ? 48
                         : arch == "ppc64" ? (F::page_shift == 16 ? 51 : 46)
                                           : 56;
  if constexpr (requires { requires F::lpa || F::lpa2; }) options.physmem_bits = 52;
  return options;
}

constexpr std::string_view name_of(entry_state state) {
  constexpr std::string_view names[] = {"empty", "table", "leaf", "parked"};
  return names[static_cast<unsigned>(state)];
}
constexpr std::string_view name_of(parked_kind kind) {
  constexpr std::string_view names[] = {"unknown",   "prot_none", "present_invalid", "swap",
                                        "migration", "hwpoison",  "device",          "marker"};
  return names[static_cast<unsigned>(kind)];
}
// A level's name by its distance from the last table; a tree's root has another name besides, see geometry::name().
constexpr std::string_view name_of(level l) {
  constexpr std::string_view names[] = {"pte", "pmd", "pud", "p4d", "pgd"};
  return names[depth(l)];
}

// "0x2f", without leading zeros; "0x000000000000002f".
inline std::string hex(std::uint64_t value, unsigned digits = 1) {
  std::string text;
  for (unsigned i = 16; i-- > 0;)
    if (i < digits || value >> (4 * i) != 0) text += "0123456789abcdef"[value >> (4 * i) & 15];
  return "0x" + text;
}
// "64 KiB"; sizes are powers of two.
inline std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(units) && bytes >= 1024; ++unit) bytes >>= 10;
  return std::to_string(bytes) + std::string(units[unit]);
}
// Has the format a Linux half?
inline bool is_linux(const description& d) { return d.os != "bare" && d.os != "own"; }
inline std::string system_text(const description& d) {
  return is_linux(d) ? "Linux " + std::string(d.os) : d.os == "own" ? "its own system" : "no system";
}

// What a swap type stands for.
inline std::string swap_type_text(std::uint64_t type, const swap_types& types) {
  const unsigned first_marker = 32 - types.swapin_error - types.marker, first_device = first_marker - types.device;
  const unsigned first_migration = first_device - types.migration;
  constexpr const char* migration[] = {"migration (read)", "migration (read, exclusive)", "migration (write)"};
  constexpr const char* device[] = {"device-private (write)", "device-private (read)", "device-exclusive (write)",
                                    "device-exclusive (read)"};
  switch (types.kind(type)) {
    case parked_kind::marker:
      return "marker";
    case parked_kind::device:
      return types.device == 3 && type - first_device == 2 ? "device-exclusive" : device[(type - first_device) & 3];
    case parked_kind::migration:
      return migration[(type - first_migration) % 3];
    case parked_kind::hwpoison:
      return type >= first_marker ? "swap-in error" : "hwpoison";
    default:
      return "swap file " + std::to_string(type);
  }
}

namespace detail {

// A list of fields that lives as long as the program.
template <class F, level L>
inline constexpr auto leaf_list = ops<F, L>::leaf_fields();
template <class F, level L>
inline constexpr auto table_list = ops<F, L>::table_fields();
template <class F, level L>
inline constexpr auto software_list = ops<F, L>::software_fields();
template <class F, level L>
inline constexpr auto table_software_list = [] {
  if constexpr (requires { ops<F, L>::table_software_fields(); })
    return ops<F, L>::table_software_fields();
  else
    return std::array<field, 0>{};
}();
template <class F, level L>
inline constexpr auto prot_none_list = [] {
  if constexpr (has_prot_none<F>)
    return ops<F, L>::prot_none_fields();
  else
    return ops<F, L>::leaf_fields();
}();
template <class F, level L>
inline constexpr auto swap_list = [] {
  if constexpr (has_swap<F>)
    return ops<F, L>::swap_fields();
  else
    return std::array<field, 0>{};
}();

// The fields of a word: where two lists name a bit, the upper one counts.
struct field_layers {
  std::span<const field> lower, upper;
};

// Where a swap entry keeps type and offset, and whether the offset is stored inverted.
struct swap_masks {
  std::uint64_t type = 0, offset = 0;
  bool inverted = false;
};

// What is known of a page that is present to the system, valid to the MMU or not.
template <class F, level L>
void describe_page(description& d, const machine<F>& m) {
  using ops = ops<F, L>;
  std::uint64_t w = d.word;
  // riscv64: without Svnapot and Svpbmt these bits are reserved and say nothing else.
  if constexpr (requires { m.svnapot, m.svpbmt; }) {
    if (!m.svnapot) w = F::n.clear(w);
    if (!m.svpbmt) w = F::pbmt.clear(w);
  }
  if constexpr (has_present_invalid<F>)
    d.phys = ops::present_phys(w, m);
  else
    d.phys = ops::phys(w, m);
  const bool nobody = d.kind == parked_kind::prot_none;
  const access<std::uint64_t> means = ops::means(w, m);
  d.read = means.read && !nobody;
  d.write = means.write && !nobody;
  d.exec = means.exec && !nobody;
  d.user = means.user && !nobody;
  d.accessed = ops::accessed(w);
  d.dirty = ops::dirty(w);
  d.memory_type = F::memory_type_name(ops::memory_attributes(w, m));
  if constexpr (has_soft_dirty<F>) d.soft_dirty = ops::soft_dirty(w);
  if constexpr (has_uffd_wp<F>) d.uffd_wp = ops::uffd_wp(w);
  if constexpr (has_special<F>) d.special = ops::special(w);
  if constexpr (has_pkey<F>) d.pkey = static_cast<unsigned>(ops::pkey(w));
  d.size = std::uint64_t{1} << F::shift(L);
  if constexpr (has_contiguous<F>) {
    d.contiguous = ops::contiguous(w);
    d.size = std::uint64_t{1} << ops::item_shift(w);
    if (*d.contiguous && ops::group_entries > 1) d.group_size = std::uint64_t{ops::group_entries} << F::shift(L);
  }
}

template <class F, level L>
swap_masks describe_swap(description& d, const machine<F>& m) {
  using ops = ops<F, L>;
  const std::uint64_t w = d.word, zero = ops::make_swap(std::uint64_t{0}, std::uint64_t{0});
  d.swap = swap_place{ops::swap_type(w), ops::swap_offset(w)};
  d.size = std::uint64_t{1} << F::shift(L);
  if constexpr (requires { ops::swap_exclusive(w); }) d.exclusive = ops::swap_exclusive(w);
  if constexpr (requires { ops::swap_soft_dirty(w); }) d.soft_dirty = ops::swap_soft_dirty(w);
  if constexpr (requires { ops::swap_uffd_wp(w); }) d.uffd_wp = ops::swap_uffd_wp(w);
  if constexpr (has_inverted_pfn<F>) d.unmapped_phys = ops::present_phys(w, m);
  const std::uint64_t offset = ops::make_swap(std::uint64_t{0}, ~std::uint64_t{0}) ^ zero;
  return {ops::make_swap(~std::uint64_t{0}, std::uint64_t{0}) ^ zero, offset, (zero & offset) != 0};
}

// Fills in all that depends on the format and the level.
template <class F, level L>
void describe_word(description& d, field_layers& layers, swap_masks& masks, const machine<F>& m,
                   const swap_types& types) {
  using ops = ops<F, L>;
  const entry<F, L> e{d.word};
  d.state = state_of(e);
  d.hardware_valid = e.hardware_valid();
  d.present = e.is_present();
  if (d.state == entry_state::table) {
    d.phys = ops::table_address(d.word, m);
    d.reserved_set = ops::reserved_set(d.word, m);
    layers = {table_list<F, L>, table_software_list<F, L>};
  } else if (d.state == entry_state::leaf) {
    describe_page<F, L>(d, m);
    d.reserved_set = ops::reserved_set(d.word, m);
    d.mmu = ops::rights_of(d.word, m);
    if constexpr (has_global<F>) d.global = ops::global(d.word);
    layers = {leaf_list<F, L>, software_list<F, L>};
  } else if (d.state == entry_state::parked) {
    d.kind = kind_of(e.as_parked(), types);
    if (d.kind == parked_kind::prot_none || d.kind == parked_kind::present_invalid) {
      describe_page<F, L>(d, m);
      layers = {prot_none_list<F, L>, software_list<F, L>};
    } else if (d.kind != parked_kind::unknown) {
      if constexpr (has_swap<F>) masks = describe_swap<F, L>(d, m);
      layers = {swap_list<F, L>, {}};
    } else if constexpr (F::leaf_allowed(L)) {
      layers = {leaf_list<F, L>, software_list<F, L>};
    } else {
      layers = {table_list<F, L>, table_software_list<F, L>};
    }
  }
}

inline std::string append(std::string list, std::string_view part) {
  return std::move(list.empty() ? list : list += ", ") + std::string(part);
}

// The parts of a swap entry's payload: `offset_bits` bits of the offset from `first` up, as a field of the word.
inline field payload(const char* name, unsigned high, unsigned low, const swap_masks& masks, const char* meaning) {
  const auto shift = static_cast<unsigned>(std::countr_zero(masks.offset));
  return {name, bits(high, low) << shift & masks.offset, set_by::software, meaning};
}

// What an entry in the form of a swap entry holds; gives the fields of its payload.
inline std::vector<field> describe_payload(description& d, const swap_masks& masks, const describe_options& options) {
  const std::uint64_t offset = d.swap->offset;
  const auto width = static_cast<unsigned>(std::popcount(masks.offset));
  const unsigned pfn_bits =
      options.physmem_bits > d.page_shift ? options.physmem_bits - d.page_shift : 64 - d.page_shift;
  d.what = swap_type_text(d.swap->type, options.types);
  std::vector<field> fields;
  if (d.kind == parked_kind::migration || d.kind == parked_kind::hwpoison || d.kind == parked_kind::device) {
    d.pfn = offset & bits(std::min(pfn_bits, width) - 1, 0);
    d.phys = *d.pfn << d.page_shift;
  }
  switch (*d.kind) {
    case parked_kind::migration:
      if (pfn_bits + 2 > width) break;
      d.accessed = (offset >> pfn_bits & 1) != 0;
      d.dirty = (offset >> (pfn_bits + 1) & 1) != 0;
      fields = {payload(masks.inverted ? "~offset: pfn" : "offset: pfn", pfn_bits - 1, 0, masks,
                        "page frame number of the moving page"),
                payload(masks.inverted ? "~A" : "A", pfn_bits, pfn_bits, masks, "the page was accessed"),
                payload(masks.inverted ? "~D" : "D", pfn_bits + 1, pfn_bits + 1, masks, "the page was dirty")};
      break;
    case parked_kind::marker: {
      constexpr const char* names[] = {"uffd-wp", "poisoned", "guard"};
      const unsigned count = d.os == "6.1" ? 1 : d.os == "6.12" ? 2 : 3;
      std::string notes;
      for (unsigned i = 0; i < count; ++i) {
        if ((offset >> i & 1) != 0) notes = append(notes, names[i]);
        fields.push_back(payload(names[i], i, i, masks, masks.inverted ? "note, stored inverted" : "note"));
      }
      d.what = "marker: " + (notes.empty() ? "none known" : notes);
      if ((offset & 1) != 0) d.uffd_wp = true;
      break;
    }
    default:
      break;
  }
  return fields;
}

// Splits the word into fields: those of `upper`, of `lower`, and what neither names.
inline void lay_out(description& d, std::span<const field> lower, std::span<const field> upper) {
  const auto owner = [&](unsigned n) -> const field* {
    for (const auto& list : {upper, lower})
      for (const field& f : list)
        if ((f.mask >> n & 1) != 0) return &f;
    return nullptr;
  };
  for (unsigned high = 64; high-- > 0;) {
    const field* const f = owner(high);
    unsigned low = high;
    while (low > 0 && owner(low - 1) == f) --low;
    described_field out{"-", high, low, (d.word & bits(high, low)) >> low, set_by::ignored, ""};
    if (f != nullptr) {
      out.name = f->name;
      out.by = f->by;
      out.meaning = f->meaning;
      if (out.value != 0 && f->by == set_by::ignored && d.state != entry_state::parked)
        out.meaning = "ignored by the MMU" + (is_linux(d) ? ", no name in " + system_text(d) : "");
    } else if (d.state == entry_state::empty) {
      out.meaning = d.word == 0 ? "empty" : "empty: no more than hardware may leave behind";
    } else {
      out.meaning = out.value == 0 ? "0 in this kind of entry" : "set, but 0 in this kind of entry";
    }
    d.fields.push_back(std::move(out));
    high = low;
  }
}

// Completes a description.
inline void finish(description& d, const field_layers& layers, const swap_masks& masks,
                   const describe_options& options) {
  std::vector<field> payload;
  if (d.swap) payload = describe_payload(d, masks, options);
  if (d.phys && !d.pfn) d.pfn = *d.phys >> d.page_shift;
  lay_out(d, layers.lower, d.swap ? std::span<const field>(payload) : layers.upper);
  for (described_field& f : d.fields)
    if (d.swap && f.by == set_by::software && bits(f.high, f.low) == masks.type)
      f.meaning += ": " + swap_type_text(d.swap->type, options.types);
}

}  // namespace detail

// Describes `word` as an entry of level L of format F.
template <class F, level L>
description describe(std::uint64_t word, const machine<F>& m = {},
                     const describe_options& options = usual_options<F>()) {
  description d;
  d.arch = F::arch;
  d.format = F::name;
  d.os = system_name<F>();
  d.page_shift = F::page_shift;
  d.at_level = L;
  d.level_name = name_of(L);
  d.word = word;
  detail::field_layers layers;
  detail::swap_masks masks;
  detail::describe_word<F, L>(d, layers, masks, m, options.types);
  detail::finish(d, layers, masks, options);
  return d;
}

// The same for a level known at run time, at most F::top_level.
template <class F>
description describe(std::uint64_t word, level l, const machine<F>& m = {},
                     const describe_options& options = usual_options<F>()) {
  switch (l) {
    case level::pte:
      break;
    case level::pmd:
      return describe<F, level::pmd>(word, m, options);
    case level::pud:
      if constexpr (F::top_level >= level::pud) return describe<F, level::pud>(word, m, options);
      break;
    case level::p4d:
      if constexpr (F::top_level >= level::p4d) return describe<F, level::p4d>(word, m, options);
      break;
    case level::pgd:
      if constexpr (F::top_level >= level::pgd) return describe<F, level::pgd>(word, m, options);
      break;
  }
  return describe<F, level::pte>(word, m, options);
}

namespace detail {

inline std::string rwx(bool read, bool write, bool exec) {
  return {read ? 'r' : '-', write ? 'w' : '-', exec ? 'x' : '-'};
}
inline std::string meant_rights(const description& d) {
  if (!*d.read && !*d.write && !*d.exec) return "none";
  return (*d.user ? "user " : "kernel ") + rwx(*d.read, *d.write, *d.exec);
}
inline std::string page_text(const description& d) {
  std::string text = size_text(*d.size) + " at " + hex(*d.phys) + ", pfn " + hex(*d.pfn);
  if (d.group_size && *d.group_size > *d.size) text += ", one of a contiguous group of " + size_text(*d.group_size);
  return text;
}
// "accessed, dirty" and so on; with `absent`, those that are false instead.
inline std::string flags_text(const description& d, bool absent = false) {
  std::string text;
  const auto add = [&](const std::optional<bool>& flag, std::string_view name) {
    if (flag && *flag != absent) text = append(text, name);
  };
  add(d.accessed, "accessed");
  add(d.dirty, "dirty");
  add(d.soft_dirty, "soft-dirty");
  add(d.uffd_wp, "uffd-wp");
  add(d.contiguous, "contiguous");
  add(d.special, "special");
  add(d.exclusive, "exclusive");
  add(d.global, "global");
  return text;
}

// The flags that a page has no bit for in this format.
inline std::string missing_text(const description& d) {
  std::string text;
  if (!d.soft_dirty) text = append(text, "soft-dirty");
  if (!d.uffd_wp) text = append(text, "uffd-wp");
  if (!d.contiguous) text = append(text, "contiguous");
  if (!d.special) text = append(text, "special");
  return text;
}

// `text` broken at spaces into lines of at most `width` columns, those after the first indented.
inline std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) end = width;
    out.append(text.substr(0, end)).append("\n").append(indent, ' ');
    text.remove_prefix(text[end] == ' ' ? end + 1 : end);
  }
  return out.append(text);
}

constexpr char letter(std::size_t i) { return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 52]; }

}  // namespace detail

// What the entry is, in one line.
inline std::string summary(const description& d) {
  using namespace detail;
  if (d.state == entry_state::empty) return "empty";
  std::string text;
  if (d.state == entry_state::table) {
    text = "table at " + hex(*d.phys);
  } else if (d.state == entry_state::leaf || d.kind == parked_kind::prot_none ||
             d.kind == parked_kind::present_invalid) {
    text = d.state == entry_state::leaf       ? "leaf, "
           : d.kind == parked_kind::prot_none ? "PROT_NONE, "
                                              : "being changed, ";
    text += page_text(d);
    if (d.kind != parked_kind::prot_none) text = append(text, meant_rights(d));
    text = append(text, *d.memory_type);
  } else if (d.swap) {
    text = d.what;
    if (d.pfn)
      text += ", pfn " + hex(*d.pfn);
    else if (d.kind == parked_kind::swap)
      text += ", offset " + hex(d.swap->offset);
  } else {
    return is_linux(d) ? "invalid, in no form that " + system_text(d) + " writes" : "invalid, the system's own";
  }
  if (const std::string flags = flags_text(d); !flags.empty()) text = append(text, flags);
  if (d.pkey.value_or(0) != 0) text += ", pkey " + std::to_string(*d.pkey);
  if (d.reserved_set) text += ", reserved bits set: a walk faults";
  return text;
}

// The 64 bits in groups of four, their numbers above, and below the letter of the field that each belongs to.
inline std::string ruler(const description& d) {
  std::string numbers, digits, letters;
  for (std::size_t i = 0; i < d.fields.size(); ++i) {
    for (unsigned n = d.fields[i].high + 1; n-- > d.fields[i].low;) {
      digits += (d.word >> n & 1) != 0 ? '1' : '0';
      letters += detail::letter(i);
      if (n % 4 == 3) numbers += std::to_string(n) + std::string(n > 9 ? 3 : 4, ' ');
      if (n % 4 == 0 && n != 0) digits += ' ', letters += ' ';
    }
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  return " " + numbers + "\n " + digits + "\n " + letters + "\n";
}

// One line a field: its letter in the ruler, bits, name, value, meaning.
inline std::string field_table(const description& d, std::size_t columns = 96) {
  std::size_t name_width = 1, value_width = 1;
  const auto value_text = [](std::uint64_t v) { return v < 10 ? std::to_string(v) : hex(v); };
  for (const described_field& f : d.fields) {
    name_width = std::max(name_width, f.name.size());
    value_width = std::max(value_width, value_text(f.value).size());
  }
  std::string text;
  for (std::size_t i = 0; i < d.fields.size(); ++i) {
    const described_field& f = d.fields[i];
    std::string bits = std::to_string(f.high);
    if (f.low != f.high) bits += ":" + std::to_string(f.low);
    const std::string value = value_text(f.value);
    std::string line = std::string(" ") + detail::letter(i) + "  " + bits + std::string(7 - bits.size(), ' ') + f.name +
                       std::string(name_width + 2 - f.name.size() + value_width - value.size(), ' ') + value + "  ";
    const std::size_t indent = line.size();
    text += line + detail::wrapped(f.meaning, columns - indent, indent) + "\n";
  }
  return text;
}

// The head of the page: state, page, permissions, memory type, flags.
inline std::string overview(const description& d) {
  using namespace detail;
  const bool page = d.state == entry_state::leaf || d.read.has_value();
  const std::string system = is_linux(d) ? "Linux" : "the system";
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += " " + std::string(name) + std::string(13 - name.size(), ' ') + wrapped(value, 82, 14) + "\n";
  };
  std::string state{name_of(d.state)};
  if (d.kind) state += d.swap ? ": " + d.what : ": " + std::string(name_of(*d.kind));
  if (d.state != entry_state::empty)
    state += std::string(d.hardware_valid ? "; valid to the MMU, " : "; invalid to the MMU, ") +
             (d.present ? "present to " : "not present to ") + system;
  line("state", state);
  if (d.reserved_set) line("", "reserved bits are set: a walk through this entry faults");
  if (d.state == entry_state::table) line("next table", hex(*d.phys));
  if (page) line("page", page_text(d));
  if (d.swap) {
    line("swap", "type " + std::to_string(d.swap->type) + ", offset " + hex(d.swap->offset));
    if (d.pfn) line("page", hex(*d.phys) + ", pfn " + hex(*d.pfn));
  }
  if (page) {
    std::string rights = meant_rights(d);
    if (d.mmu)
      rights += " (the MMU lets in: user " + rwx(d.mmu->user_read, d.mmu->user_write, d.mmu->user_exec) + ", kernel " +
                rwx(d.mmu->kernel_read, d.mmu->kernel_write, d.mmu->kernel_exec) + ")";
    line("permissions", rights);
    line("memory type", std::string(*d.memory_type));
    if (d.pkey) line("pkey", std::to_string(*d.pkey));
  }
  const std::string yes = flags_text(d), no = flags_text(d, true);
  if (!yes.empty()) line("is", yes);
  if (!no.empty()) line("is not", no);
  if (const std::string none = missing_text(d); page && !none.empty()) line("has no", none);
  return text;
}

// The whole page.
inline std::string to_text(const description& d) {
  return hex(d.word, 16) + "  " + std::string(d.format) + ", " + system_text(d) + ", " + d.level_name + "\n" +
         overview(d) + "\n" + ruler(d) + "\n" + field_table(d);
}

}  // namespace pte
