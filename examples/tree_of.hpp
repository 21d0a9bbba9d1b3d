// A tree (tree.hpp) of one format and geometry.
//
// What a walk finds is decided by the hardware half of a format alone; the system's half says what it means. So there
// is one walk for each layout and geometry, tree_of, and decoding, decode(), for each format.
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <utility>

#include <pte/describe.hpp>
#include <pte/format/concepts.hpp>
#include <pte/format/entry.hpp>
#include <pte/format/os.hpp>
#include <pte/table/walk.hpp>
#include <pte/view/leaves.hpp>

#include "segment_memory.hpp"
#include "tree.hpp"

namespace pte::examples {

// The format's machine, with what is known filled in.
template <class F>
machine<F> make_machine(const machine_facts& facts) {
  machine<F> m{};
  if constexpr (requires { F::machine_with(52u, std::uint64_t{0}); })
    m = F::machine_with(facts.phys_bits.value_or(52), facts.encryption_mask.value_or(0));
  else if constexpr (requires { F::machine_with_phys_bits(48u); })
    m = facts.phys_bits ? F::machine_with_phys_bits(*facts.phys_bits) : m;
  const auto fill = [](auto& value, const auto& known) {
    if (known) value = *known;
  };
  if constexpr (requires { m.mair; }) {
    fill(m.mair, facts.mair);
    fill(m.hw_access, facts.hw_access);
    fill(m.hw_dirty, facts.hw_dirty);
    fill(m.pan, facts.pan);
    fill(m.wxn, facts.wxn);
  }
  if constexpr (requires { m.smep; }) {
    fill(m.nx, facts.nx);
    fill(m.wp, facts.wp);
    fill(m.smep, facts.smep);
    fill(m.smap, facts.smap);
    fill(m.shadow_stack, facts.shadow_stack);
  }
  return m;
}

// Fills in what a present entry says.
template <class F, class Present>
void decode_present(row& r, const Present& p, const machine<F>& m) {
  r.means = p.means(m);
  r.phys = p.phys(m);
  r.attributes = p.memory_attributes(m);
  r.memory_type = F::memory_type_name(r.attributes);
  if constexpr (has_soft_dirty<F>) r.soft_dirty = p.soft_dirty();
  if constexpr (has_uffd_wp<F>) r.uffd_wp = p.uffd_wp();
  if constexpr (has_special<F>) r.special = p.special();
  if constexpr (has_contiguous<F>) r.contiguous = p.contiguous();
  if constexpr (has_pkey<F>) r.pkey = p.pkey();
}

// Fills in what an entry in swap form says.
template <class F, level L>
void decode_swap(row& r, const machine<F>& m, const describe_options& options) {
  description d;
  d.os = system_name<F>();
  d.page_shift = F::page_shift;
  d.word = r.m.raw;
  d.kind = r.kind;
  const pte::detail::swap_masks masks = pte::detail::describe_swap<F, L>(d, m);
  if (r.kind != parked_kind::swap) {
    pte::detail::describe_payload(d, masks, options);
    r.what = d.what;
    r.pfn = d.pfn;
    r.m.accessed = d.accessed.value_or(false);
    r.m.dirty = d.dirty.value_or(false);
  }
  r.swap_form = true;
  r.swap_type = d.swap->type;
  r.swap_offset = d.swap->offset;
  r.soft_dirty = d.soft_dirty.value_or(false);
  r.uffd_wp = d.uffd_wp.value_or(false);
  r.exclusive = d.exclusive.value_or(false);
}

// Takes accessed and dirty of a contiguous group from the mapping, whose format may know less of the system than F.
template <class F, level L>
[[gnu::noinline]] row decode(const mapping& found, const machine<F>& m, const describe_options& options) {
  row r{.m = found};
  const entry<F, L> e{found.raw};
  r.m.state = state_of(e);
  if (e.is_present()) {
    r.m.accessed = found.accessed || e.as_present().accessed();
    r.m.dirty = found.dirty || e.as_present().dirty();
  }
  r.hardware_valid = e.hardware_valid();
  r.present = e.is_present();
  if (r.m.state == entry_state::table) r.phys = found.phys.value;
  if constexpr (F::leaf_allowed(L)) {
    if (r.m.state == entry_state::leaf) {
      decode_present<F>(r, leaf<F, L>{{found.limited}}, m);
      r.rights = leaf<F, L>{{found.limited}}.rights_of(m);
      r.phys = found.phys.value;
      r.reserved_set = e.as_leaf().reserved_set(m);
      if constexpr (has_global<F>) r.global = e.as_leaf().global();
    } else if (r.m.state == entry_state::parked) {
      r.kind = kind_of(e.as_parked(), options.types);
      if (r.present) {
        decode_present<F>(r, e.as_present(), m);
        if constexpr (has_contiguous<F>)  // one of a group of PROT_NONE entries has the group's address
          r.phys += found.va.value & (bit(static_cast<unsigned>(F::template at<L>::item_shift(e.raw))) - 1);
      }
      if constexpr (has_swap<F>)
        if (e.as_parked().is_swap_form()) decode_swap<F, L>(r, m, options);
    }
  }
  return r;
}

// Keeps a walk through tables that nobody vouches for from going on and on: a table that is one of those above it is
// not entered, and no more than a given number of bytes are: what takes time are the entries, and few tables can be
// used many times. Lives in the walk and is copied with it.
template <class G>
struct table_guard {
  std::uint64_t* left = nullptr;              // bytes that may still be entered
  std::array<phys_addr, level_count> path{};  // the tables that are being walked, by level

  bool is_above(level l, phys_addr table) const {
    for (unsigned up = depth(l) + 1; up <= depth(G::root); ++up)
      if (path[up] == table) return true;
    return false;
  }
  bool operator()(level l, phys_addr table) {
    const std::uint64_t size = G::entries(l) * 8;
    if (*left < size || is_above(l, table)) return false;
    *left -= size;
    path[depth(l)] = table;
    return true;
  }
};

// The same for a level known at run time.
template <class F>
row decode_any(const mapping& found, const machine<F>& m, const describe_options& options = usual_options<F>()) {
  return with_level<F::top_level>(found.at, [&]<level L>() { return decode<F, L>(found, m, options); });
}

// The format whose entries mean nothing but what the MMU takes them for.
template <class F>
struct hardware_half {
  using type = F;
};
template <class Layout, class Os>
struct hardware_half<format<Layout, Os>> {
  using type = format<Layout, bare>;
};

// A tree of geometry G, walked as hardware half H; `decode` gives the meaning of what is found.
template <class H, class G>
class tree_of final : public tree {
 public:
  using decoder = row (*)(const mapping&, const machine<H>&, const describe_options&);

  tree_of(const segment_memory& memory, const machine<H>& m, decoder decode, const describe_options& options)
      : memory_(&memory), machine_(m), decode_(decode), options_(options) {
    format_name = H::name;
    page_shift = H::page_shift;
    va_bits = G::va_bits;
    root = G::root;
    root_entries = G::entries(G::root);
    user = G::range(va_half::user);
    kernel = G::range(va_half::kernel);
    for (unsigned d = 0; d <= depth(G::root); ++d) {
      level_names[d] = G::name(static_cast<level>(d));
      shifts[d] = H::shift(static_cast<level>(d));
    }
  }

  std::unique_ptr<row_source> rows(phys_addr root_table, va_range range, std::uint64_t most_bytes) const override {
    return std::make_unique<source>(*this, root_table, range, most_bytes);
  }

  traced_walk walk(phys_addr root_table, virt_addr va) const override {
    traced_walk w;
    w.result = pte::walk<H, G>(*memory_, root_table, va, machine_, [&]<level L>(entry<H, L> e, phys_addr slot) {
      std::uint64_t next_table = 0;
      if constexpr (L != level::pte)
        if (e.is_table()) next_table = e.as_table().address(machine_);
      add_step(w, {L, G::name(L), G::index(L, va), slot, e.raw, {}, next_table});
    });
    for (walk_step& s : w.steps) s.state = decoded({.at = s.at, .raw = s.raw}).m.state;
    if (w.result.end != walk_end::not_canonical) {
      source around(*this, root_table, {va, va}, ~std::uint64_t{0});
      if (row r; around.next(r)) w.found = r;
    }
    if (w.result.end == walk_end::parked && w.steps.back().state == entry_state::empty) w.result.end = walk_end::empty;
    return w;
  }

  bool holds_root(phys_addr root_table) const override {
    return root_table.value % 8 == 0 && memory_->contains(root_table, G::entries(G::root) * 8);
  }

 private:
  [[gnu::noinline]] static void add_step(traced_walk& w, const walk_step& step) { w.steps.push_back(step); }

  class source final : public row_source {
   public:
    source(const tree_of& tree, phys_addr root, va_range range, std::uint64_t most)
        : tree_(tree), left_(most), guard_{&left_}, root_(root) {
      guard_.path[depth(G::root)] = root;
      view_ = leaves<H, G>(*tree.memory_, root, range, tree.machine_, guard_);
      at_ = ranges::begin(view_);
    }

    bool next(row& r) override {
      if (ended_ || at_ == ranges::end(view_)) return false;
      const mapping& m = *at_;
      r = tree_.decoded(m);
      if (m.state == entry_state::table) refuse(m);
      if (!ended_) ++at_;
      return true;
    }
    const std::vector<refused_table>& refused() const override { return refused_; }

   private:
    void refuse(const mapping& m) {
      constexpr std::size_t most = 1000;  // messages; one is enough to know that something is wrong
      const level next = below(m.at);
      table_problem why = table_problem::outside;
      const std::uint64_t size = G::entries(next) * 8;
      if (tree_.memory_->contains(m.phys, size)) {
        ended_ = left_ < size;
        why = ended_ ? table_problem::too_many : table_problem::loop;
      }
      if (refused_.size() < most) refused_.push_back({why, m.va, m.at, m.slot, m.phys});
    }

    using view = leaves_view<H, G, segment_memory, table_guard<G>>;
    const tree_of& tree_;
    std::uint64_t left_;
    table_guard<G> guard_;
    phys_addr root_;
    view view_;
    ranges::iterator_t<view> at_;
    bool ended_ = false;
    std::vector<refused_table> refused_;
  };

  row decoded(const mapping& m) const { return decode_(m, machine_, options_); }

  const segment_memory* memory_;
  machine<H> machine_;
  decoder decode_;
  describe_options options_;
};

// The tree of format F and geometry G in `memory`, which must outlive it.
template <class F, class G>
std::unique_ptr<tree> tree_as(const segment_memory& memory, const machine_facts& facts) {
  using H = typename hardware_half<F>::type;
  static_assert(std::same_as<machine<F>, machine<H>>);
  std::unique_ptr<tree> t =
      std::make_unique<tree_of<H, G>>(memory, make_machine<F>(facts), &decode_any<F>, usual_options<F>(G::va_bits));
  t->has_soft_dirty = has_soft_dirty<F>;
  t->has_uffd_wp = has_uffd_wp<F>;
  t->has_special = has_special<F>;
  t->has_contiguous = has_contiguous<F>;
  t->has_global = has_global<F>;
  t->has_pkey = has_pkey<F>;
  return t;
}

}  // namespace pte::examples
