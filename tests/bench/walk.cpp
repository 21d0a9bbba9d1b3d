// The cost of walking one address, against walks written by hand for one architecture each, in the same program and over
// the same tables: 64 MiB of 4 KiB pages, with a 2 MiB leaf now and then. walk_ratio.py compares the medians.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include <pte/pte.hpp>

namespace {

using x86 = pte::format<pte::x86_64, pte::linux_7_3>;
using arm = pte::format<pte::arm64_4k, pte::linux_7_3>;

constexpr std::uint64_t first_va = 0x7f12'3400'0000;
constexpr std::uint64_t mapped = 64 << 20;

// Tables of 512 entries for F, at physical addresses that are their own addresses here.
template <class F, class G>
class tree {
 public:
  tree() : root_(new_table()) {
    for (std::uint64_t va = first_va; va < first_va + mapped;) {
      const bool huge = (va >> 21) % 16 == 7;
      map(root_, va, huge);
      va += huge ? 2 << 20 : 4 << 10;
    }
  }
  pte::phys_addr root() const { return {reinterpret_cast<std::uintptr_t>(root_)}; }

 private:
  struct alignas(4096) table {
    std::uint64_t entries[512];
  };
  table* new_table() {
    tables_.push_back(std::make_unique<table>());
    return tables_.back().get();
  }
  template <pte::level L = G::root>
  void map(table* t, std::uint64_t va, bool huge) {
    using entry = pte::entry<F, L>;
    std::uint64_t& slot = t->entries[G::index(L, {va})];
    if constexpr (L == pte::level::pte) {
      slot = entry::make_leaf(va >> 12 & 0xfffff, entry::protection({.read = true, .write = true}), {}).raw;
    } else {
      if (L == pte::level::pmd && huge) {
        slot = entry::make_leaf(va >> 12 & 0xffe00, entry::protection({.read = true, .write = true}), {}).raw;
        return;
      }
      if (slot == 0) slot = entry::make_table(reinterpret_cast<std::uintptr_t>(new_table()), {}).raw;
      map<pte::below(L)>(reinterpret_cast<table*>(entry{slot}.as_table().address({})), va, huge);
    }
  }

  std::vector<std::unique_ptr<table>> tables_;
  table* root_;
};

std::uint64_t load(std::uint64_t at) { return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_RELAXED); }

// The physical address that `va` translates to, or ~0: as one writes it by hand, level after level.
std::uint64_t walk_x86_by_hand(std::uint64_t root, std::uint64_t va) {
  constexpr std::uint64_t none = ~std::uint64_t{0}, address = 0x000ffffffffff000;
  const std::uint64_t top = va >> 47;
  if (top != 0 && top != 0x1ffff) return none;
  const std::uint64_t pgd = load(root + (va >> 39 & 511) * 8);
  if ((pgd & 1) == 0) return none;
  const std::uint64_t pud = load((pgd & address) + (va >> 30 & 511) * 8);
  if ((pud & 1) == 0) return none;
  if ((pud & 0x80) != 0) return (pud & 0x000fffffc0000000) + (va & 0x3fffffff);
  const std::uint64_t pmd = load((pud & address) + (va >> 21 & 511) * 8);
  if ((pmd & 1) == 0) return none;
  if ((pmd & 0x80) != 0) return (pmd & 0x000fffffffe00000) + (va & 0x1fffff);
  const std::uint64_t pte = load((pmd & address) + (va >> 12 & 511) * 8);
  if ((pte & 1) == 0) return none;
  return (pte & address) + (va & 0xfff);
}
std::uint64_t walk_arm64_by_hand(std::uint64_t root, std::uint64_t va) {
  constexpr std::uint64_t none = ~std::uint64_t{0}, address = 0x0000fffffffff000;
  const std::uint64_t top = va >> 48;
  if (top != 0 && top != 0xffff) return none;
  const std::uint64_t pgd = load(root + (va >> 39 & 511) * 8);
  if ((pgd & 3) != 3) return none;
  const std::uint64_t pud = load((pgd & address) + (va >> 30 & 511) * 8);
  if ((pud & 3) == 1) return (pud & 0x0000ffffc0000000) + (va & 0x3fffffff);
  if ((pud & 3) != 3) return none;
  const std::uint64_t pmd = load((pud & address) + (va >> 21 & 511) * 8);
  if ((pmd & 3) == 1) return (pmd & 0x0000ffffffe00000) + (va & 0x1fffff);
  if ((pmd & 3) != 3) return none;
  const std::uint64_t pte = load((pmd & address) + (va >> 12 & 511) * 8);
  if ((pte & 3) != 3) return none;
  return (pte & address) + (va & 0xfff);
}

template <class F, class G>
std::uint64_t walk_by_library(std::uint64_t root, std::uint64_t va, const pte::machine<F>& m) {
  const pte::walk_result r = pte::walk<F, G>(pte::linear_memory<>{}, {root}, {va}, m);
  return r ? r.phys.value : ~std::uint64_t{0};
}

std::vector<std::uint64_t> addresses() {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> list(4096);
  for (auto& va : list) va = first_va + random() % mapped;
  return list;
}

template <class F, class G, class Walk>
void walks(benchmark::State& state, Walk walk) {
  static const tree<F, G> tables;
  static const std::vector<std::uint64_t> list = addresses();
  for (auto _ : state)
    for (const std::uint64_t va : list) benchmark::DoNotOptimize(walk(tables.root().value, va));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list.size()));
}

using x86_tree = pte::geometry<pte::x86_64, 48>;
using arm_tree = pte::geometry<pte::arm64_4k, 48>;

void x86_64_by_hand(benchmark::State& state) { walks<x86, x86_tree>(state, walk_x86_by_hand); }
void x86_64_library(benchmark::State& state) {
  pte::machine<x86> m{};
  benchmark::DoNotOptimize(m);
  walks<x86, x86_tree>(state, [&](std::uint64_t root, std::uint64_t va) { return walk_by_library<x86, x86_tree>(root, va, m); });
}
void arm64_by_hand(benchmark::State& state) { walks<arm, arm_tree>(state, walk_arm64_by_hand); }
void arm64_library(benchmark::State& state) {
  pte::machine<arm> m{};
  benchmark::DoNotOptimize(m);
  walks<arm, arm_tree>(state, [&](std::uint64_t root, std::uint64_t va) { return walk_by_library<arm, arm_tree>(root, va, m); });
}
BENCHMARK(x86_64_by_hand);
BENCHMARK(x86_64_library);
BENCHMARK(arm64_by_hand);
BENCHMARK(arm64_library);

}  // namespace

int main(int argc, char** argv) {
  // A wrong walk is not worth timing.
  const tree<x86, x86_tree> x86_tables;
  const tree<arm, arm_tree> arm_tables;
  for (const std::uint64_t va : addresses())
    if (walk_by_library<x86, x86_tree>(x86_tables.root().value, va, {}) != walk_x86_by_hand(x86_tables.root().value, va) ||
        walk_by_library<arm, arm_tree>(arm_tables.root().value, va, {}) != walk_arm64_by_hand(arm_tables.root().value, va))
      std::abort();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
