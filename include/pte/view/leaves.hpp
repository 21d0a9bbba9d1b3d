// What a range maps, as a range-v3 view; and ranges out of entries, by joining those that continue one another.
//
//   for (const mapping& m : leaves<F, G>(memory, root, range, machine)) ...
//   leaves<F, G>(memory, root, range, machine) | coalesce(joins_mapping<F>{machine})
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>
#include <range/v3/view/all.hpp>
#include <range/v3/view/facade.hpp>
#include <range/v3/view/view.hpp>

#include <pte/format/concepts.hpp>
#include <pte/table/walk.hpp>

namespace pte {

// The mappings of a range, lazily: a forward view, each iterator of which holds a walk of its own. Several passes see
// the same only if nobody changes the tables meanwhile. See range_walk for what is reported, and for `enter`.
template <class F, class G, entry_reader M, class Enter = enter_all>
class leaves_view : public ranges::view_facade<leaves_view<F, G, M, Enter>, ranges::finite> {
 public:
  leaves_view() = default;
  leaves_view(const M& memory, phys_addr root, va_range range, const machine<F>& m, Enter enter = {})
      : first_(std::in_place, memory, root, range, m, std::move(enter)) {}

 private:
  friend ranges::range_access;

  class cursor {
   public:
    cursor() = default;
    explicit cursor(const std::optional<range_walk<F, G, M, Enter>>& walk) : walk_(walk) { next(); }

    const mapping& read() const { return walk_->get(); }
    void next() {
      if (walk_ && !walk_->next()) walk_.reset();
    }
    bool equal(ranges::default_sentinel_t) const { return !walk_; }
    bool equal(const cursor& other) const {
      return walk_.has_value() == other.walk_.has_value() && (!walk_ || read().va == other.read().va);
    }

   private:
    std::optional<range_walk<F, G, M, Enter>> walk_;  // nothing: at the end
  };

  cursor begin_cursor() const { return cursor(first_); }
  ranges::default_sentinel_t end_cursor() const { return {}; }

  std::optional<range_walk<F, G, M, Enter>> first_;  // has not taken a step yet
};

// `range` must lie in one half of the address space; `memory` must outlive the view.
template <class F, class G, entry_reader M, class Enter = enter_all>
leaves_view<F, G, M, Enter> leaves(const M& memory, phys_addr root, va_range range, const machine<F>& m,
                                   Enter enter = {}) {
  return {memory, root, range, m, std::move(enter)};
}

// Does the second mapping continue the first: adjacent addresses, the same level and attributes, and what they map
// adjacent too? Then it is added to the first. Accessed and dirty must agree as well, unless `ignore_ad`; then the
// whole has what any part has. Empty slots continue one another at any level.
template <class F>
struct joins_mapping {
  machine<F> on{};
  bool ignore_ad = false;

  bool operator()(mapping& whole, const mapping& next) const {
    if (whole.va + whole.size != next.va || whole.state != next.state) return false;
    if (whole.state == entry_state::table) return false;
    if (whole.state != entry_state::empty) {
      if (whole.at != next.at || (whole.items > 1) != (next.items > 1)) return false;
      if (!ignore_ad && (whole.accessed != next.accessed || whole.dirty != next.dirty)) return false;
      if (!with_level<F::top_level>(whole.at, [&]<level L>() { return this->template continues<L>(whole, next); }))
        return false;
    }
    whole.size += next.size;
    whole.accessed = whole.accessed || next.accessed;
    whole.dirty = whole.dirty || next.dirty;
    return true;
  }

 private:
  // Is next's word the whole's, moved on by the whole's size? Swap entries and the like must have consecutive offsets.
  template <level L>
  bool continues(const mapping& whole, const mapping& next) const {
    const entry<F, L> a{whole.raw}, b{next.raw};
    if constexpr (F::leaf_allowed(L)) {
      if (a.is_present() && b.is_present()) {
        const std::uint64_t pages = whole.size >> F::page_shift;
        return clean(a.as_present().advance(pages)).raw == clean(b.as_present()).raw;
      }
      if constexpr (has_swap<F>)
        if (a.is_parked() && b.is_parked() && a.as_parked().is_swap_form() && b.as_parked().is_swap_form()) {
          const auto sa = a.as_parked().as_swap(), sb = b.as_parked().as_swap();
          const entry<F, L> moved = entry<F, L>::make_swap(sa.type(), sa.offset() + (whole.size >> F::shift(L)));
          const entry<F, L> from = entry<F, L>::make_swap(sa.type(), sa.offset());
          return sa.type() == sb.type() && sb.offset() == sa.offset() + (whole.size >> F::shift(L)) &&
                 (a.raw ^ from.raw) == (b.raw ^ moved.raw);
        }
    }
    return false;
  }
  template <class Present>
  static Present clean(Present p) {
    return p.mkclean().mkold();
  }
};

// Adjacent elements joined: `join(whole, next)` adds next to whole and says true, or leaves whole as it is and says
// false. One pass over an input range, one element of look-ahead.
template <ranges::view_ Rng, class Join>
class coalesce_view : public ranges::view_facade<coalesce_view<Rng, Join>, ranges::finite> {
 public:
  coalesce_view() = default;
  coalesce_view(Rng rng, Join join) : rng_(std::move(rng)), join_(std::move(join)) {}

 private:
  friend ranges::range_access;
  using element = ranges::range_value_t<Rng>;

  class cursor {
   public:
    cursor() = default;
    explicit cursor(coalesce_view& view) : view_(&view), at_(ranges::begin(view.rng_)) { next(); }

    const element& read() const { return *whole_; }
    void next() {
      whole_.reset();
      const auto end = ranges::end(view_->rng_);
      if (at_ == end) return;
      whole_ = *at_;
      for (++at_; at_ != end && view_->join_(*whole_, *at_);) ++at_;
    }
    bool equal(ranges::default_sentinel_t) const { return !whole_; }

    // An input range has one position only.
    struct single_pass : std::true_type {};

   private:
    coalesce_view* view_ = nullptr;
    ranges::iterator_t<Rng> at_{};
    std::optional<element> whole_;  // nothing: at the end
  };

  cursor begin_cursor() { return cursor(*this); }
  ranges::default_sentinel_t end_cursor() const { return {}; }

  Rng rng_;
  Join join_;
};

// range | coalesce(join)
template <class Join>
auto coalesce(Join join) {
  return ranges::make_view_closure([join = std::move(join)]<ranges::viewable_range Rng>(Rng&& rng) {
    return coalesce_view<ranges::views::all_t<Rng>, Join>(ranges::views::all(std::forward<Rng>(rng)), join);
  });
}

}  // namespace pte
