// Memory that holds page tables. The byte order of the entries is known here and nowhere else: every word that goes in
// or out is in CPU order (powerpc's radix tables are big-endian in memory).
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <pte/word/address.hpp>

namespace pte {

// Reading one entry, eight bytes, at a physical address that is a multiple of 8 and lies in this memory.
template <class M>
concept entry_reader = requires(const M& memory, phys_addr at) {
  { memory.load(at) } -> std::same_as<std::uint64_t>;
};

// A reader that does not hold all addresses: walks ask it before they follow a table entry.
template <class M>
concept bounded_reader = entry_reader<M> && requires(const M& memory, phys_addr at) {
  // Can the `bytes` bytes from `at` on be read?
  { memory.contains(at, std::uint64_t{}) } -> std::same_as<bool>;
};

// Memory whose entries can be changed while other CPUs and the MMU use them. What to choose when is not its business.
//   store              a plain store, never torn
//   exchange           swaps in a new value and returns the old one, atomically
//   compare_exchange   stores `next` if the entry still equals `expected` (updated to what it is); true if it did
//   fence              makes earlier stores visible to the MMU before later accesses
template <class M>
concept entry_memory = entry_reader<M> && requires(M& memory, phys_addr at, std::uint64_t word, std::uint64_t& expected) {
  { memory.store(at, word) };
  { memory.exchange(at, word) } -> std::same_as<std::uint64_t>;
  { memory.compare_exchange(at, expected, word) } -> std::same_as<bool>;
  { memory.fence() };
};

// A word in CPU order out of one in memory order, and back.
template <std::endian Order>
constexpr std::uint64_t in_order(std::uint64_t word) {
  if constexpr (Order == std::endian::native)
    return word;
  else
    return __builtin_bswap64(word);
}

// Physical memory that is mapped linearly: physical address a is found at virtual address a + offset. `Order` is the
// byte order of the entries. Accesses are single, relaxed atomic ones.
template <std::endian Order = std::endian::little>
struct linear_memory {
  std::uintptr_t offset = 0;

  std::uint64_t load(phys_addr at) const { return in_order<Order>(__atomic_load_n(slot(at), __ATOMIC_RELAXED)); }
  void store(phys_addr at, std::uint64_t word) const { __atomic_store_n(slot(at), in_order<Order>(word), __ATOMIC_RELAXED); }
  std::uint64_t exchange(phys_addr at, std::uint64_t word) const {
    return in_order<Order>(__atomic_exchange_n(slot(at), in_order<Order>(word), __ATOMIC_ACQ_REL));
  }
  bool compare_exchange(phys_addr at, std::uint64_t& expected, std::uint64_t word) const {
    std::uint64_t seen = in_order<Order>(expected);
    const bool stored = __atomic_compare_exchange_n(slot(at), &seen, in_order<Order>(word), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    expected = in_order<Order>(seen);
    return stored;
  }
  void fence() const { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

 private:
  std::uint64_t* slot(phys_addr at) const {
    return reinterpret_cast<std::uint64_t*>(static_cast<std::uintptr_t>(at.value) + offset);
  }
};

// Tables in an array of words in CPU order, the first of which lies at physical address `base`. Usable in constant
// evaluation.
struct span_memory {
  phys_addr base;
  std::span<const std::uint64_t> words;

  constexpr bool contains(phys_addr at, std::uint64_t bytes) const {
    const std::uint64_t size = words.size_bytes();
    return at >= base && at.value - base.value <= size && bytes <= size - (at.value - base.value);
  }
  constexpr std::uint64_t load(phys_addr at) const { return words[static_cast<std::size_t>((at.value - base.value) / 8)]; }
};

}  // namespace pte
