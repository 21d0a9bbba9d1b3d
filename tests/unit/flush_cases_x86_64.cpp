// Public bug reports about flushes on x86-64 (tests/data/cases/flush.jsonl), as pairs of entries and short sequences.
#include <cstdint>
#include <pte/tlb/backend_recording.hpp>
#include <pte/tlb/backend_x86_64.hpp>
#include <pte/tlb/request.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../catch.hpp"
#include "flush_support.hpp"

namespace {

using namespace pte::test;
using pte::level;
using F = x86_linux;
using slot = pte::entry<F, level::pte>;
using plan = pte::flush_plan<pte::x86_64>;

constexpr pte::virt_addr address{0x7f00'1234'0000};
constexpr pte::va_range four_kib{address, {address.value + 0xfff}};

// What one CPU was told.
struct log_port {
  std::vector<std::string>* out;
  void invlpg(pte::virt_addr) { out->push_back("invlpg"); }
  void invpcid(pte::invpcid_type, pte::invpcid_descriptor) { out->push_back("invpcid"); }
  void reload_cr3() { out->push_back("cr3"); }
  void toggle_pge() { out->push_back("pge"); }
};

// A guest writes: through what is remembered, which sets D in the entry only if it was clear there; or after a walk.
// False if that faults.
bool store(remembered<F>& tlb, slot& entry) {
  if (!tlb.holds) tlb.walk(entry);
  if (!tlb.holds || !translate(tlb.from, {}).writable()) return false;
  if (translate(tlb.from, {}).dirty) return true;
  entry = slot{entry.raw | F::dirty_bit.mask};
  tlb.walk(entry);
  return true;
}

}  // namespace

TEST_CASE("B003: shadow entries that lose W, D or A", "[B003]") {
  // The entries of a shadow page table are ordinary ones; nobody's software bits matter.
  using bare = pte::format<pte::x86_64, pte::bare>;
  const auto dirty = mkdirty(page<bare>(0x1230, read_write));
  CHECK(exact_says(dirty, wrprotect(dirty)));
  CHECK(need_of(dirty, wrprotect(dirty)).flush);
  CHECK(cites(4, dirty, wrprotect(dirty)));
  CHECK(exact_says(mkclean(dirty), wrprotect(mkclean(dirty))));
  // D of an entry that stays writable: the flush is for the log that depends on it.
  CHECK(need_of(dirty, mkclean(dirty)).dirty);
  CHECK_FALSE(need_of(dirty, mkclean(dirty)).flush);
  CHECK(exact_says(dirty, mkclean(dirty)));
  // A: no flush.
  CHECK_FALSE(exact_says(dirty, mkold(dirty)));

  // The flush is a remote one.
  std::vector<std::string> here;
  unsigned remote = 0;
  const auto others = [&](const plan& p) { remote += p.drops_leaf(address, level::pte); };
  pte::x86_64_backend<log_port, decltype(others)> backend{.others = others, .cpu = {&here}};
  pte::flush_request<pte::x86_64> request;
  request.gathered().add_entry(address, level::pte);
  CHECK(std::move(request).run(backend).frames().empty());
  CHECK((remote == 1 && here == std::vector<std::string>{"invlpg"}));
}

TEST_CASE("B004: the dirty log is trusted only after the flush", "[B004]") {
  slot entry = mkdirty(page<F>(0x1230, read_write));
  remembered<F> guest;
  guest.walk(entry);

  const slot logged = entry;
  entry = mkclean(entry);
  CHECK(exact_says(logged, entry));
  CHECK(linux_says(logged, entry));
  CHECK_THAT(explain(logged, entry, {}).verdict, ContainsSubstring("data could be lost"));
  CHECK(guest.harmful(entry));
  // Harvested before the flush, the log misses this write.
  CHECK(store(guest, entry));
  CHECK_FALSE(entry.as_leaf().dirty());

  // After it, none is missed, nor is the translation that is remembered then harmful.
  pte::flush_request<pte::x86_64> request;
  request.gathered().add_entry(address, level::pte);
  plan plans[1];
  pte::recording_backend<pte::x86_64> backend(plans);
  CHECK(std::move(request).run(backend).frames().empty());
  REQUIRE(plans[0].drops_leaf(address, level::pte));
  guest.drop();
  CHECK(store(guest, entry));
  CHECK(entry.as_leaf().dirty());
  CHECK_FALSE(guest.harmful(entry));
}

TEST_CASE("B005: a page table that is taken out leaves walk caches behind", "[B005]") {
  using large = pte::entry<F, level::pmd>;
  const auto table = large::make_table(0x5000'0000, {});
  REQUIRE(table.is_table());
  REQUIRE(large{}.is_empty());
  const pte::va_range two_mib{{0x20'0000}, {0x3f'ffff}};

  // The leaves below alone: what the kernel asked for. The table, through caches of upper levels, stays in use.
  pte::gather<pte::x86_64> leaves_only;
  leaves_only.add(two_mib, level::pte);
  CHECK_FALSE(leaves_only.plan().walk_caches());
  CHECK_FALSE(leaves_only.plan().drops_walk({0x20'0000}));

  // Retiring the table is what says that it is freed; other CPUs, those that idle with these tables too, learn of it.
  std::vector<std::string> here;
  plan asked{};
  const auto others = [&](const plan& p) { asked = p; };
  pte::x86_64_backend<log_port, decltype(others)> backend{.others = others, .cpu = {&here}};
  pte::frame_run room[1];
  pte::flush_request<pte::x86_64> request(room);
  request.gathered().add(two_mib, level::pte);
  REQUIRE(request.retire_table(two_mib, level::pmd, {0x50000, 1}));
  const auto done = std::move(request).run(backend);
  CHECK(asked.walk_caches());
  CHECK(asked.drops_walk({0x3f'ffff}));
  CHECK(asked.drops_leaf({0x3f'f000}, level::pte));
  // 512 strides are more than 33: everything goes. And INVLPG takes the caches of this context along.
  CHECK(here == std::vector<std::string>{"cr3"});
  REQUIRE(done.frames().size() == 1);
  CHECK(done.frames()[0] == pte::frame_run{0x50000, 1});
}

TEST_CASE("B017: dirty and write permission go in one step", "[B017]") {
  pte::machine<F> m{};
  m.shadow_stack = true;
  // Whatever the flags of a page are, taking write permission away never gives a shadow stack, and keeps dirty.
  for (std::uint64_t flags = 0; flags < 512; ++flags) {
    const slot old{0x12345000 | (flags & 255) | 1 | (flags & 256) << 50};
    const bool shadow = (old.raw & (F::rw.mask | F::dirty_bit.mask)) == F::dirty_bit.mask;
    const slot next = wrprotect(old), changed = modify(old, read_only);
    CHECK_FALSE(translate(next, m).shadow_stack);
    CHECK(translate(changed, m).shadow_stack == shadow);
    CHECK((!old.as_leaf().dirty() || next.as_leaf().dirty()));
    CHECK((!old.as_leaf().dirty() || changed.as_leaf().dirty()));
  }

  const slot old = mkdirty(page<F>(0x1230, read_write)), next = wrprotect(old);
  CHECK((old.raw & (F::rw.mask | F::dirty_bit.mask)) == (F::rw.mask | F::dirty_bit.mask));
  CHECK((next.raw & (F::rw.mask | F::dirty_bit.mask | F::saved_dirty.mask)) == F::saved_dirty.mask);
  // In two steps there would be a shadow stack in between: row 24 or 28 says so of either step.
  const slot between{old.raw & ~F::rw.mask};
  CHECK(translate(between, m).shadow_stack);
  CHECK(cites(24, old, between, m));
  CHECK(cites(28, between, next, m));
  CHECK(exact_says(between, next, m));

  // In one step there is one flush, that of row 4. With shadow stacks no CPU sets D after it saw W = 0, so that there
  // is nothing to flush a second time; without, a D that comes late changes nothing.
  CHECK(exact_says(old, next, m));
  CHECK_FALSE(cites(28, old, next, m));
  CHECK_FALSE(exact_says(next, next, m));
  const slot late{next.raw | F::dirty_bit.mask};
  CHECK_FALSE(exact_says(next, late));
  CHECK_FALSE(exact_says(late, next));
  CHECK_FALSE(linux_says(next, late));
}

TEST_CASE("B052: the decision looks at the entry that was replaced", "[B052]") {
  const slot old = mkdirty(page<F>(0x1230, read_write)), clear{};
  // As the exchange returned it.
  CHECK(exact_says(old, clear));
  CHECK(linux_says(old, clear));
  CHECK(cites(2, old, clear));
  // Read again after it was cleared, it says nothing.
  CHECK_FALSE(exact_says(clear, clear));
  CHECK_FALSE(linux_says(clear, clear));
  remembered<F> other;
  other.walk(old);
  CHECK(other.harmful(clear));
}

TEST_CASE("B053: a slot for temporary mappings is flushed on all CPUs", "[B053]") {
  const slot first = page<F>(0x1230, for_kernel(read_write)), second = page<F>(0x4560, for_kernel(read_write));
  remembered<F> a, b;
  a.walk(first);
  b.walk(first);
  CHECK(exact_says(first, second));
  CHECK(cites(10, first, second));

  // CPU B maps another page there. A flush of its own TLB leaves A with the old one.
  std::vector<std::string> here;
  const auto run = [&](auto others) {
    pte::x86_64_backend<log_port, decltype(others)> backend{.others = others, .cpu = {&here}};
    pte::flush_request<pte::x86_64> request;
    request.gathered().add_entry(address, level::pte);
    request.gathered().include_global();
    CHECK(std::move(request).run(backend).frames().empty());
    b.drop();
  };
  run(pte::no_other_cpus{});
  CHECK((a.harmful(second) && !b.harmful(second)));
  run([&](const plan& p) {
    if (p.drops_leaf(address, level::pte, true)) a.drop();
  });
  CHECK((!a.harmful(second) && !b.harmful(second)));
  // Or each CPU has a slot of its own: then nobody else ever walks there, and the change is local.
  remembered<F> mine, never_walks;
  mine.walk(first);
  CHECK((mine.harmful(second) && !never_walks.harmful(second)));
}

TEST_CASE("B055: other cores are told with and without PCID", "[B055]") {
  const slot mapped = page<F>(0x1230, read_write), clear{};
  CHECK(exact_says(mapped, clear));
  for (const bool pcide : {false, true})
    for (const bool invpcid : {false, true}) {
      remembered<F> other;
      other.walk(mapped);
      CHECK(other.harmful(clear));
      std::vector<std::string> here;
      const auto others = [&](const plan& p) {
        if (p.drops_leaf(address, level::pte)) other.drop();
      };
      pte::x86_64_backend<log_port, decltype(others)> backend{
          .target = {.pcide = pcide, .invpcid = invpcid}, .others = others, .cpu = {&here}};
      pte::frame_run room[1];
      pte::flush_request<pte::x86_64> request(room);
      REQUIRE(request.retire(four_kib, level::pte, {0x1230, 1}));
      const auto done = std::move(request).run(backend);
      CHECK_FALSE(other.harmful(clear));
      CHECK(here.size() == 1);
      CHECK(done.frames().size() == 1);
    }
}
