// Physical memory in pieces, as snapshots, memory images and core files have it: an entry_reader for the walks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <pte/table/memory.hpp>
#include <pte/word/address.hpp>

namespace pte::examples {

// Adjacent bytes of physical memory, in memory order. Whoever owns the bytes must outlive this.
struct segment {
  phys_addr first;
  std::span<const std::byte> data;

  // The last byte's address; there must be one.
  phys_addr last() const { return first + (data.size() - 1); }
};

class segment_memory {
 public:
  segment_memory() = default;

  // The segments, in any order. They must not be empty or wrap around; where two overlap, the one that begins first
  // counts. `order` is the byte order of the entries.
  segment_memory(std::vector<segment> segments, std::endian order) : order_(order) {
    std::ranges::stable_sort(segments, {}, &segment::first);
    for (segment s : segments) {
      if (!segments_.empty() && s.first <= segments_.back().last()) {
        if (s.last() <= segments_.back().last()) continue;
        const std::uint64_t known = segments_.back().last().value - s.first.value + 1;
        s = {s.first + known, s.data.subspan(static_cast<std::size_t>(known))};
      }
      segments_.push_back(s);
    }
    stretches_.resize(segments_.size());
    for (std::size_t i = segments_.size(); i-- != 0;) {
      const phys_addr last = segments_[i].last();
      const bool goes_on = i + 1 != segments_.size() && segments_[i + 1].first == last + 1;
      stretches_[i] = goes_on ? stretches_[i + 1] : last;
    }
  }

  std::span<const segment> segments() const { return segments_; }

  // Of all segments.
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const segment& s : segments_) sum += s.data.size();
    return sum;
  }

  // Not inlined, nor is load(): programs that walk a hundred kinds of trees would hold thousands of copies.
  // `size` bytes, at least one, from `at` on; they may lie in several segments.
  [[gnu::noinline]] bool contains(phys_addr at, std::uint64_t size) const {
    const segment* s = find(at);
    return s != nullptr && size - 1 <= stretches_[static_cast<std::size_t>(s - segments_.data())].value - at.value;
  }

  // The entry at `at`, in CPU order. A walk asks contains() first; elsewhere everything is empty.
  [[gnu::noinline]] std::uint64_t load(phys_addr at) const {
    const segment* s = find(at);
    if (s == nullptr) return 0;
    std::uint64_t word = 0;
    if (s->data.size() - (at.value - s->first.value) >= sizeof word)
      std::memcpy(&word, s->data.data() + (at.value - s->first.value), sizeof word);
    else if (contains(at, sizeof word))
      word = load_pieces(at);
    return order_ == std::endian::native ? word : __builtin_bswap64(word);
  }

 private:
  // An entry, in memory order, that begins in one segment and ends in another.
  std::uint64_t load_pieces(phys_addr at) const {
    std::byte pieces[8];
    for (std::uint64_t i = 0; i != sizeof pieces; ++i) {
      const segment* const s = find(at + i);
      pieces[i] = s->data[static_cast<std::size_t>(at.value + i - s->first.value)];
    }
    return std::bit_cast<std::uint64_t>(pieces);
  }

  // The segment that holds the byte at `at`.
  const segment* find(phys_addr at) const {
    const auto after = std::ranges::upper_bound(segments_, at, {}, &segment::first);
    if (after == segments_.begin()) return nullptr;
    const segment& s = *std::prev(after);
    return at <= s.last() ? &s : nullptr;
  }

  std::vector<segment> segments_;     // ascending, without overlap
  std::vector<phys_addr> stretches_;  // for each segment the last byte of it and of those that adjoin it
  std::endian order_ = std::endian::little;
};

static_assert(bounded_reader<segment_memory>);

}  // namespace pte::examples
