// A flush that is owed. An operation that changes entries returns a flush_request; its caller runs it, and only then
// gets the frames that the changed entries mapped, to free them. Forgetting it is a compile-time warning, and a trap in
// debug builds.
//
//   pte::frame_run room[64];
//   auto request = unmap(tables, range, room);                           // some operation
//   for (const auto& frames : std::move(request).run(backend).frames())  // flushes, then yields
//     release(frames);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <pte/tlb/backend.hpp>
#include <pte/tlb/gather.hpp>

namespace pte {

// Adjacent page frames that nobody maps any more: `count` base pages from frame number `pfn` on.
struct frame_run {
  std::uint64_t pfn = 0;
  std::uint64_t count = 0;
  friend constexpr bool operator==(frame_run, frame_run) = default;
};

// What happens when a request that owes a flush is destroyed without having been run: a trap, unless NDEBUG is defined;
// in constant evaluation, which cannot call this, always an error. Users may give flush_request a type of their own.
struct trap_when_dropped {
  static void dropped() noexcept {
#ifndef NDEBUG
    __builtin_trap();
#endif
  }
};

template <tlb_layout Layout, class Frame, class OnDrop>
class flush_request;

// The proof that a flush has completed on every CPU, with the frames that are free for that reason.
template <class Frame = frame_run>
class [[nodiscard("it holds the frames that are to be freed")]] completed_flush {
 public:
  completed_flush(const completed_flush&) = delete;
  completed_flush& operator=(const completed_flush&) = delete;
  constexpr completed_flush(completed_flush && other) noexcept : frames_(std::exchange(other.frames_, {})) {}
  constexpr completed_flush& operator=(completed_flush&& other) noexcept {
    frames_ = std::exchange(other.frames_, {});
    return *this;
  }
  ~completed_flush() = default;

  // The frames, in the order in which they were retired. They lie in the span that was lent to the request.
  constexpr std::span<Frame> frames() const { return frames_; }

 private:
  template <tlb_layout, class, class>
  friend class flush_request;
  constexpr explicit completed_flush(std::span<Frame> frames) : frames_(frames) {}

  std::span<Frame> frames_;
};

// What was changed and has to be flushed, and the frames that must not be used for anything else before. Move-only. The
// frames wait in a span that the caller lends: it outlives the request, and nobody else writes to it meanwhile.
template <tlb_layout Layout, class Frame = frame_run, class OnDrop = trap_when_dropped>
class [[nodiscard(
    "run() this flush request: what it changed may still be in use")]] [[gnu::warn_unused]] flush_request {
 public:
  // A request without room for frames, as operations need it that free none; one with room for lent.size() frames.
  constexpr flush_request() = default;
  constexpr explicit flush_request(std::span<Frame> lent) : lent_(lent) {}

  flush_request(const flush_request&) = delete;
  flush_request& operator=(const flush_request&) = delete;
  constexpr flush_request(flush_request && other) noexcept
      : gathered_(std::exchange(other.gathered_, {})),
        lent_(std::exchange(other.lent_, {})),
        used_(std::exchange(other.used_, 0)) {}
  // What it replaces must not owe anything.
  constexpr flush_request& operator=(flush_request&& other) noexcept {
    if (this == &other) return *this;
    if (owed()) OnDrop::dropped();
    gathered_ = std::exchange(other.gathered_, {});
    lent_ = std::exchange(other.lent_, {});
    used_ = std::exchange(other.used_, 0);
    return *this;
  }
  constexpr ~flush_request() {
    if (owed()) OnDrop::dropped();
  }

  // What was gathered so far; to add to it. Merely changed entries are added so, frames to be freed by retire().
  constexpr gather<Layout>& gathered() { return gathered_; }
  constexpr const gather<Layout>& gathered() const { return gathered_; }

  // Is there anything to be flushed? If not, the request may be dropped.
  constexpr bool owed() const { return used_ != 0 || !gathered_.empty(); }

  // How many more frames there is room for. An operation asks before it clears an entry whose frame it has to retire;
  // at 0 it stops and tells its caller to run the request and then go on from there with a new one.
  constexpr std::size_t room() const { return lent_.size() - used_; }
  constexpr bool full() const { return room() == 0; }

  // The leaves of level l for the addresses in `pages` were cleared, and `frame` is no longer mapped there: it is to be
  // freed, but not before the flush. False, and nothing is changed, if there is no room.
  [[nodiscard("if there is no room, the frame was not taken")]] constexpr bool retire(va_range pages, level l,
                                                                                      Frame frame) {
    if (full()) return false;
    gathered_.add(pages, l);
    lent_[used_++] = std::move(frame);
    return true;
  }
  // The same for the table that entries of level l, above pte, pointed to for the addresses in `pages`.
  [[nodiscard("if there is no room, the frame was not taken")]] constexpr bool retire_table(va_range pages, level l,
                                                                                            Frame frame) {
    if (full()) return false;
    gathered_.add_table(pages, l);
    lent_[used_++] = std::move(frame);
    return true;
  }

  // Takes over what `other` owes, which then owes nothing. False, and nothing is changed, if its frames do not fit.
  [[nodiscard("if there is no room, nothing was taken over")]] constexpr bool absorb(flush_request & other) {
    if (this == &other) return true;
    if (other.used_ > room()) return false;
    gathered_.merge(other.gathered_);
    for (std::size_t i = 0; i < other.used_; ++i) lent_[used_++] = std::move(other.lent_[i]);
    other.gathered_.reset();
    other.used_ = 0;
    return true;
  }

  // What a back end with that ceiling will be asked to do.
  template <flush_ceiling<Layout> C = no_ceiling>
  constexpr flush_plan<Layout> plan(const C& ceiling = {}) const {
    return gathered_.plan(ceiling);
  }

  // Flushes by means of `backend`, unless nothing was gathered, and yields the frames. The request owes nothing then
  // and has no room any more.
  template <flush_backend<Layout> B>
  constexpr completed_flush<Frame> run(B && backend)&& {
    const flush_plan<Layout> todo = gathered_.plan(backend.ceiling());
    if (todo.extent != flush_extent::nothing) backend.flush(todo);
    gathered_.reset();
    return completed_flush<Frame>(std::exchange(lent_, {}).first(std::exchange(used_, 0)));
  }

 private:
  gather<Layout> gathered_{};
  std::span<Frame> lent_{};  // the first used_ of them wait for the flush
  std::size_t used_ = 0;
};

}  // namespace pte
