// A snapshot: the page tables of a real process and its kernel, and what the kernel said about them.
//
//   const snapshot s = load_snapshot("tests/data/snapshots/arm64-4k-s1");
//   s.tables is memory for walks, s.truth what to compare them with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "file_bytes.hpp"
#include "input_error.hpp"
#include "qemu_listing.hpp"
#include "segment_memory.hpp"
#include "snapshot_truth.hpp"

namespace pte::examples {

// One table as a tables.bin file records it.
struct table_record {
  phys_addr at;
  unsigned level = 0;               // 0 is the last
  std::span<const std::byte> data;  // as it lies in the guest's memory
};

struct snapshot {
  std::string prefix;  // what it was loaded from
  pte::examples::truth truth;
  std::vector<table_record> records;  // of both files, as they come
  segment_memory tables;              // the same, as memory

  std::vector<listed_leaves> listing;  // QEMU's, where there is one

  // Owns what `records` and `tables` point to.
  bytes user_bytes, kernel_bytes;

  snapshot() = default;
  snapshot(snapshot&&) = default;  // moving a vector leaves its elements where they are
  snapshot& operator=(snapshot&&) = default;
};

namespace detail {

// The number at `offset`, little-endian as all of the file's own numbers are.
inline std::uint64_t little_endian(std::span<const std::byte> data, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- != 0;) value = value << 8 | std::to_integer<std::uint64_t>(data[offset + i]);
  return value;
}

}  // namespace detail

// Reads an unpacked tables.bin: the magic, the number of records, the page size, then records of address, length, level
// and the table's bytes. Throws input_error; `file` is for messages.
inline std::vector<table_record> parse_tables(std::span<const std::byte> data, unsigned page_shift,
                                              const std::string& file) {
  constexpr std::size_t header = 16, record_header = 16;
  constexpr std::string_view magic = "PTSNAP01";
  std::size_t at = 0;
  const auto fail = [&](std::string_view rule) {
    throw input_error(file, fmt::format("byte {} of the unpacked data", at), rule);
  };

  if (data.size() < header) fail("cut short: there is no whole header");
  if (std::memcmp(data.data(), magic.data(), magic.size()) != 0)
    fail("not a file of tables: it does not begin with PTSNAP01");
  const std::uint64_t count = detail::little_endian(data, 8, 4), page_size = detail::little_endian(data, 12, 4);
  at = 8;
  if (count > (data.size() - header) / record_header)
    fail(fmt::format("{} records do not fit into {} bytes", count, data.size()));
  at = 12;
  if (page_size != std::uint64_t{1} << page_shift)
    fail(fmt::format("page size {} is not the truth file's {}", page_size, std::uint64_t{1} << page_shift));

  std::vector<table_record> records;
  at = header;
  for (std::uint64_t i = 0; i != count; ++i) {
    if (data.size() - at < record_header) fail(fmt::format("cut short in record {} of {}", i + 1, count));
    const std::uint64_t phys = detail::little_endian(data, at, 8), length = detail::little_endian(data, at + 8, 4);
    const std::uint64_t level = detail::little_endian(data, at + 12, 4);
    if (length == 0 || length % 8 != 0 || phys % 8 != 0)
      fail(fmt::format("the table at {:#x} has {} bytes: both must be multiples of 8, and there must be some", phys,
                       length));
    if (phys + length < phys) fail(fmt::format("the table at {:#x} with {} bytes wraps around", phys, length));
    if (level > 4) fail(fmt::format("level {}; there are levels 0 to 4", level));
    if (length > data.size() - at - record_header)
      fail(fmt::format("the table at {:#x} with {} bytes is cut short", phys, length));
    records.push_back(
        {{phys}, static_cast<unsigned>(level), data.subspan(at + record_header, static_cast<std::size_t>(length))});
    at += record_header + static_cast<std::size_t>(length);
  }
  if (at != data.size()) fail("more bytes after the last record");
  return records;
}

// A snapshot out of its three parts, unpacked. Throws input_error.
inline snapshot make_snapshot(std::string prefix, std::string_view truth_text, bytes user, bytes kernel) {
  snapshot s;
  s.truth = parse_truth(truth_text, prefix + ".truth.txt");
  s.user_bytes = std::move(user);
  s.kernel_bytes = std::move(kernel);
  s.records = parse_tables(s.user_bytes, s.truth.page_shift, prefix + ".tables.bin");
  const std::vector<table_record> more = parse_tables(s.kernel_bytes, s.truth.page_shift, prefix + ".ktables.bin");
  s.records.insert(s.records.end(), more.begin(), more.end());

  const std::string_view endian = s.truth.about("endian");
  if (endian != "little" && endian != "big")
    throw input_error(s.truth.file, "meta endian", fmt::format("{} is neither little nor big", shown(endian)));
  std::vector<segment> segments;
  for (const table_record& r : s.records) segments.push_back({r.at, r.data});
  s.tables = segment_memory(std::move(segments), endian == "big" ? std::endian::big : std::endian::little);
  s.prefix = std::move(prefix);
  return s;
}

// PREFIX.tables.bin.gz, PREFIX.ktables.bin.gz and PREFIX.truth.txt.gz, and QEMU's listing if there is one. Throws
// input_error.
inline snapshot load_snapshot(const std::string& prefix) {
  constexpr std::size_t most = std::size_t{1} << 26;  // packed or unpacked; real ones have 6 MB
  const auto part = [&](const char* suffix) { return gunzip(prefix + suffix, read_file(prefix + suffix, most), most); };
  const auto text_of = [](const bytes& data) {
    return std::string_view(reinterpret_cast<const char*>(data.data()), data.size());
  };
  const bytes truth = part(".truth.txt.gz");
  snapshot s = make_snapshot(prefix, text_of(truth), part(".tables.bin.gz"), part(".ktables.bin.gz"));
  for (const char* suffix : {".info-tlb-user.txt.gz", ".info-mem.txt.gz"})
    if (::access((prefix + suffix).c_str(), F_OK) == 0)
      s.listing = parse_listing(text_of(part(suffix)), prefix + suffix);
  return s;
}

}  // namespace pte::examples
