// Subjects to measure the prover by: flush predicates of three architectures in the style in which such code is written
// (early returns) and as one expression, what their hardware needs, written apart from them, and wrong variants. They
// are simplified on purpose and are not the library's formats.
#pragma once

#include <cstdint>

#include <pte/word/field.hpp>

namespace subjects {

using pte::any;
using pte::bit;
using pte::bits;
using pte::none;
using pte::truth;
using pte::word;
using u64 = std::uint64_t;

// What a leaf grants, as conditions.
template <word W>
struct grants {
  truth<W> read_kernel, write_kernel, execute_kernel, read_user, write_user, execute_user;

  constexpr truth<W> something() const {
    return read_kernel || write_kernel || execute_kernel || read_user || write_user || execute_user;
  }
  // Does `after` take away what this grants?
  constexpr truth<W> lost_in(const grants& after) const {
    return (read_kernel && !after.read_kernel) || (write_kernel && !after.write_kernel) ||
           (execute_kernel && !after.execute_kernel) || (read_user && !after.read_user) ||
           (write_user && !after.write_user) || (execute_user && !after.execute_user);
  }
};

struct x86 {
  static constexpr u64 present = bit(0), write = bit(1), user = bit(2), write_through = bit(3), no_cache = bit(4),
                       accessed = bit(5), dirty = bit(6), pat = bit(7), global = bit(8), frame = bits(51, 12),
                       ignored = bits(57, 52), key = bits(62, 59), no_execute = bit(63),
                       software = bits(11, 9) | bit(58);
  static constexpr u64 on_clear = present | dirty;
  static constexpr u64 on_change = write | user | write_through | no_cache | pat | global | key | no_execute;
  static constexpr u64 harmless = software | accessed | ignored | frame;
  static constexpr u64 first = present;

  template <word W>
  static constexpr bool needs_flush(W o, W n) {
    if (none(o, present)) return false;
    if ((o & W{frame}) != (n & W{frame})) return true;
    const W changed = (o ^ n) & W{~harmless};
    if (any<W>(changed & o, on_clear)) return true;
    if (any<W>(changed, on_change)) return true;
    if (any<W>(changed, ~(on_clear | on_change))) return true;
    return false;
  }
  template <word W>
  static constexpr truth<W> needs_flush_expression(W o, W n) {
    const W changed = (o ^ n) & W{~harmless};
    return any(o, present) &&
           ((o & W{frame}) != (n & W{frame}) || any<W>(changed & o, on_clear) || any(changed, ~on_clear));
  }
  template <word W>
  static constexpr grants<W> granted(W e) {  // SMEP and SMAP on
    const truth<W> p = any(e, present), u = any(e, user), w = any(e, write), x = none(e, no_execute);
    return {p && !u, p && w && !u, p && x && !u, p && u, p && w && u, p && x && u};
  }
  template <word W>
  static constexpr truth<W> hardware_needs(W o, W n) {
    const W was = o, is = n;
    const auto differs = [&](u64 mask) { return (was & W{mask}) != (is & W{mask}); };
    // Reset value of the PAT: bit 7 selects nothing new.
    const truth<W> moved = differs(frame) || differs(write_through | no_cache) || differs(key);
    const truth<W> unrecorded = any(o, dirty) && none(n, dirty);
    const truth<W> escapes = any(o, global) && none(n, global);
    return any(o, present) && (none(n, present) || granted(o).lost_in(granted(n)) || moved || unrecorded || escapes);
  }
  static constexpr int mutants = 5;
  template <int M, word W>
  static constexpr bool wrong(W o, W n) {
    if (none(o, M == 0 ? write : present)) return false;  // 0: the wrong bit for valid
    const u64 compared = M == 1 ? bits(50, 12) : frame;   // 1: loses the top frame bit
    if ((o & W{compared}) != (n & W{compared})) return true;
    const W changed = (o ^ n) & W{~(harmless | (M == 2 ? dirty : 0))};         // 2: dirty ignored
    if (any<W>(changed & (M == 3 ? n : o), on_clear)) return true;             // 3: set for clear
    if (any(changed, M == 4 ? on_change & ~bit(62) : on_change)) return true;  // 4: loses a key bit
    return false;
  }
};

struct arm {
  static constexpr u64 valid = bit(0), page = bit(1), attribute = bits(4, 2), not_secure = bit(5), user = bit(6),
                       read_only = bit(7), shareability = bits(9, 8), accessed = bit(10), not_global = bit(11),
                       frame = bits(47, 12), guarded = bit(50), dirty_managed = bit(51), contiguous = bit(52),
                       no_execute_kernel = bit(53), no_execute_user = bit(54), software = bits(58, 55);
  static constexpr u64 first = valid | page | accessed;

  template <word W>
  static constexpr bool needs_flush(W o, W n) {
    if (none(o, valid)) return false;
    const W changed = (o ^ n) & W{~software};
    return changed != W{0};
  }
  template <word W>
  static constexpr truth<W> needs_flush_expression(W o, W n) {
    return any(o, valid) && any<W>(o ^ n, ~software);
  }
  template <word W>
  static constexpr grants<W> granted(W e) {
    const truth<W> live = pte::all(e, valid | page | accessed), w = none(e, read_only) || any(e, dirty_managed);
    return {live,
            live && w,
            live && none(e, no_execute_kernel),
            live && any(e, user),
            live && any(e, user) && w,
            live && none(e, no_execute_user)};
  }
  template <word W>
  static constexpr truth<W> hardware_needs(W o, W n) {
    const W was = o, is = n;
    const auto differs = [&](u64 mask) { return (was & W{mask}) != (is & W{mask}); };
    const truth<W> moved = differs(frame) || differs(attribute) || differs(shareability) || differs(not_secure) ||
                           differs(guarded) || differs(contiguous) || (none(o, not_global) && any(n, not_global));
    return granted(o).read_kernel && (!pte::all(n, valid | page) || granted(o).lost_in(granted(n)) || moved);
  }
  static constexpr int mutants = 5;
  template <int M, word W>
  static constexpr bool wrong(W o, W n) {
    if (none(M == 0 ? n : o, valid)) return false;  // 0: tests the new entry
    u64 ignored = software;
    if (M == 1) ignored |= no_execute_user;         // 1: a mask one bit too wide
    if (M == 2) ignored = software << 3 | bit(47);  // 2: a shifted mask
    if (M == 3) ignored |= contiguous;              // 3: contiguous ignored
    const W changed = (o ^ n) & W{~ignored};
    if (M == 4) return (changed & o) != W{0};  // 4: cleared bits only, though some forbid when set
    return changed != W{0};
  }
};

struct power {
  static constexpr u64 execute = bit(0), write = bit(1), read = bit(2), privileged = bit(3), attribute = bits(5, 4),
                       changed_bit = bit(7), referenced = bit(8), frame = bits(56, 12), leaf = bit(62), valid = bit(63);
  static constexpr u64 access = read | write | execute;
  static constexpr u64 first = valid | leaf;

  template <word W>
  static constexpr bool needs_flush(W o, W n) {
    if (none(o, valid)) return false;
    if (none(o, access)) return false;
    const W changed = o ^ n;
    if (any(changed, frame | attribute | leaf | valid)) return true;
    if (any<W>(changed & n, privileged)) return true;
    if (any<W>(changed & o, privileged)) return true;
    if (any<W>(changed & o, access | changed_bit | referenced)) return true;
    return false;
  }
  template <word W>
  static constexpr truth<W> needs_flush_expression(W o, W n) {
    const W changed = o ^ n;
    return any(o, valid) && any(o, access) &&
           (any(changed, frame | attribute | leaf | valid | privileged) ||
            any<W>(changed & o, access | changed_bit | referenced));
  }
  template <word W>
  static constexpr grants<W> granted(W e) {
    const truth<W> live = pte::all(e, valid | leaf), p = any(e, privileged);
    const truth<W> r = live && any(e, read), w = live && any(e, write), x = live && any(e, execute);
    return {r && p, w && p, x && p, r && !p, w && !p, x && !p};
  }
  template <word W>
  static constexpr truth<W> hardware_needs(W o, W n) {
    const truth<W> moved =
        any<W>(o ^ n, frame) || any<W>(o ^ n, attribute) || (any(o, changed_bit) && none(n, changed_bit));
    return granted(o).something() && (!pte::all(n, valid | leaf) || granted(o).lost_in(granted(n)) || moved);
  }
  static constexpr int mutants = 5;
  template <int M, word W>
  static constexpr bool wrong(W o, W n) {
    if (none(o, valid)) return false;
    if (none(o, M == 0 ? read : access)) return false;  // 0: forgets pages that can only be executed
    const W changed = o ^ n;
    if (any(changed, (M == 1 ? bits(55, 12) : frame) | attribute | leaf | valid)) return true;  // 1: a frame bit lost
    if (M != 2 && any(changed, privileged)) return true;                                        // 2: privilege ignored
    const u64 narrowing = M == 4 ? read + write + read + changed_bit : access | changed_bit | referenced;  // 4: + for |
    return any<W>(changed & (M == 3 ? n : o), narrowing);  // 3: set for cleared
  }
};

// The same as things that can be handed to prove().
template <class A>
inline constexpr auto needed = [](auto o, auto n) { return A::hardware_needs(o, n); };
template <class A>
inline constexpr auto asked = [](auto o, auto n) { return A::needs_flush(o, n); };
template <class A>
inline constexpr auto asked_as_expression = [](auto o, auto n) { return A::needs_flush_expression(o, n); };
template <class A, int M>
inline constexpr auto asked_wrongly = [](auto o, auto n) { return A::template wrong<M>(o, n); };

}  // namespace subjects
