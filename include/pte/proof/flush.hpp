// The theorems about flushes, by name. Each is a verdict over all pairs (or triples) of entries and all machines of an
// architecture, computed when it is named; tests/proofs asserts them for every layout, level and system. For a policy of
// your own, the one to assert is flush_is_sound:
//
//   static_assert(pte::proof::proved<pte::proof::flush_is_sound<my_policy, my_format>, pte::proof::MISSED_FLUSH>);
//
// How soundness (S1, "Safety") hangs together. Let T be what a TLB may hold under hypothesis H (tlb/need.hpp): any
// translation that decodes from the replaced entry, with accessed free and dirty at most the entry's. Then
//   table_covers_mmu  where the table asks for nothing, any access through any t in T faults or does what the new entry
//                     does, and swallows no dirty mark: S0b, for every format, against the model of the MMU in access.hpp
//   flush_is_sound    where a policy elides the flush, the table asks for nothing
// and so any access after an elided flush is harmless. mmu_covers_table is the converse of the first: the table asks for
// nothing in vain. Entries are leaves, parked or empty: changes of tables are not a policy's matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pte/format/entry.hpp>
#include <pte/proof/access.hpp>
#include <pte/proof/counterexample.hpp>
#include <pte/proof/machines.hpp>
#include <pte/proof/prove.hpp>
#include <pte/tlb/policy.hpp>

namespace pte::proof {

// How an unsound policy is reported: the entry replaced, the new one, and the three words that make the machine.
template <class OldEntry, class NewEntry, class... Machine>
struct MISSED_FLUSH {
  static_assert(holds_for<OldEntry, NewEntry>, "the policy elides a flush that the table of stale translations demands");
};
// How a faulting loop is reported.
template <class OldEntry, class NewEntry, class... Machine>
struct FAULTS_FOR_EVER {
  static_assert(holds_for<OldEntry, NewEntry>, "the policy elides a flush after which an access may fault and never succeed");
};

// A precondition on a pair that asks for nothing. Others are written the same way.
struct any_entries {
  template <class F, level L, word W>
  static constexpr truth<W> holds(entry<F, L, W>, entry<F, L, W>, const machine<F, W>&) {
    return truth<W>{true};
  }
};

// The table, as a policy: flush if the old translation must not be used, or dirty could be lost.
struct table_itself {
  template <class F, level L, word W>
  static constexpr truth<W> needs_flush(entry<F, L, W> old, entry<F, L, W> next, const machine<F, W>& m) {
    return any_cause(translate(old, m), translate(next, m), rules_of<F, W>(m),
                     [](const need<W>& asks) { return asks.flush || asks.dirty; });
  }
};

namespace detail {

// The layout whose machines and MMU a format is proved with: its hardware half, or the format itself.
template <class F>
using hardware = layout_of<F>;

// One, two or three entries and any machine. Few samples: the functions are long.
template <class F, std::size_t Entries>
inline constexpr auto entries_and_machine = all_machines<hardware<F>>::with(words<Entries>).samples(8);
template <class F, word W>
constexpr machine<F, W> machine_of(W traits, W a, W b) {
  return all_machines<hardware<F>>::make(traits, a, b);
}
template <class F, level L, word W>
constexpr truth<W> no_table(W w) {
  return !entry<F, L, W>{w}.is_table();
}
template <class F, level L, word W>
constexpr outcome<W> through(W w, const attempt<W>& a, const machine<F, W>& m) {
  return mmu<hardware<F>>::template access<L>(w, a, m);
}

// A member of T: `old` with accessed as flag 0 of `choice` says, and with dirty cleared if flag 1 says so.
template <class F, level L, word W>
constexpr W stale(W old, W choice) {
  using ops = typename F::template at<L>;
  const W aged = select<W>(flag(choice, 0), ops::mkyoung(old), ops::mkold(old));
  return select<W>(flag(choice, 1), ops::mkclean(aged), aged);
}

}  // namespace detail

// The kinds of access. By `user` or kernel; a stray fetch is one by an indirect branch that finds no landing pad.
enum class access_kind : unsigned char { load, store, fetch, stray_fetch, shadow_store };

template <word W>
constexpr attempt<W> attempt_of(access_kind kind, bool user, truth<W> denies, W denied_key) {
  return {.user = truth<W>{user},
          .store = truth<W>{kind == access_kind::store},
          .fetch = truth<W>{kind == access_kind::fetch || kind == access_kind::stray_fetch},
          .shadow_store = truth<W>{kind == access_kind::shadow_store},
          .stray = truth<W>{kind == access_kind::stray_fetch},
          .denies = denies,
          .denied_key = denied_key};
}

// S0b, first half, for one kind of access: where the table asks neither for a flush nor for dirty, every member of T
// faults, or does what the new entry does and swallows no dirty mark.
template <class F, level L, access_kind Kind, bool User>
inline constexpr auto table_covers_mmu = prove(
    detail::entries_and_machine<F, 2>.flags(3).beside(1).word(bits(62, 59)).first(bits(62, 59)),
    [](auto old, auto next, auto traits, auto a, auto b, auto, auto) {
      using W = decltype(old);
      return detail::no_table<F, L>(old) && detail::no_table<F, L>(next) &&
             !table_itself::needs_flush(entry<F, L, W>{old}, entry<F, L, W>{next}, detail::machine_of<F>(traits, a, b));
    },
    [](auto old, auto next, auto traits, auto a, auto b, auto choice, auto key) {
      using W = decltype(old);
      const machine<F, W> m = detail::machine_of<F>(traits, a, b);
      const attempt<W> access = attempt_of<W>(Kind, User, flag(choice, 2), key >> 59 & W{15});
      return harmless(detail::through<F, L>(detail::stale<F, L>(old, choice), access, m),
                      detail::through<F, L>(next, access, m));
    });

namespace detail {

// Does an access exist that shows the difference between `old`, accessed, and `next`? All kinds are tried, with the new
// entry's key denied where that is another than the old one's. What place an entry leads to, and whether its address is
// bad, does not depend on the access.
template <class F, level L, word W>
constexpr truth<W> visible(W old, W next, const machine<F, W>& m) {
  const W held = F::template at<L>::mkyoung(old);
  truth<W> denies{false};
  W denied{0};
  if constexpr (has_pkey<F>) {
    denied = F::template at<L>::pkey(next);
    denies = F::template at<L>::pkey(old) != denied;
  }
  truth<W> goes_through{false}, differs{false};
  outcome<W> t{}, now{};
  for (unsigned i = 0; i < 10; ++i) {
    const attempt<W> a = attempt_of<W>(static_cast<access_kind>(i / 2), i % 2 != 0, denies, denied);
    t = through<F, L>(held, a, m);
    now = through<F, L>(next, a, m);
    goes_through = goes_through || !t.fault;
    differs = differs || (!t.fault && (now.fault || !same_but_for_place(t, now)));
  }
  return (differs || (goes_through && (now.bad_address || !same_place(t, now)))) && !t.bad_address;
}
// Do the entries differ in what no single access shows: global (a later flush may miss it), contiguous (its group)?
template <class F, level L, word W>
constexpr truth<W> differs_in_scope(W old, W next, const machine<F, W>& m) {
  const translation<W> o = translate(entry<F, L, W>{old}, m), n = translate(entry<F, L, W>{next}, m);
  return o.valid && n.valid && (o.global != n.global || o.contiguous != n.contiguous);
}

}  // namespace detail

// S0b, second half: where the table asks for a flush or for dirty, some access shows the difference. (Changes of global
// and contiguous apart: rows 16, 17 and 21. And row 2 for an entry that lets nobody in: that it stayed behind shows only
// when the next entry lets somebody in.)
template <class F, level L>
inline constexpr auto mmu_covers_table = prove(
    detail::entries_and_machine<F, 2>,
    [](auto old, auto next, auto traits, auto a, auto b) {
      using W = decltype(old);
      const machine<F, W> m = detail::machine_of<F>(traits, a, b);
      return detail::no_table<F, L>(old) && detail::no_table<F, L>(next) && !detail::differs_in_scope<F, L>(old, next, m) &&
             translate(entry<F, L, W>{old}, m).some_right() &&
             table_itself::needs_flush(entry<F, L, W>{old}, entry<F, L, W>{next}, m);
    },
    [](auto old, auto next, auto traits, auto a, auto b) {
      return detail::visible<F, L>(old, next, detail::machine_of<F>(traits, a, b));
    });

// S1, soundness of a policy: where it elides the flush, the table asks for none. `When` is what must hold of the pair.
template <class Policy, class F, level L = level::pte, class When = any_entries>
inline constexpr auto flush_is_sound = prove(
    detail::entries_and_machine<F, 2>,
    [](auto old, auto next, auto traits, auto a, auto b) {
      using W = decltype(old);
      const machine<F, W> m = detail::machine_of<F>(traits, a, b);
      const entry<F, L, W> o{old}, n{next};
      return detail::no_table<F, L>(old) && detail::no_table<F, L>(next) && When::holds(o, n, m) &&
             !Policy::needs_flush(o, n, m);
    },
    [](auto old, auto next, auto traits, auto a, auto b) {
      using W = decltype(old);
      return !table_itself::needs_flush(entry<F, L, W>{old}, entry<F, L, W>{next}, detail::machine_of<F>(traits, a, b));
    });

// S3: "no flush" is reflexive and transitive, so that any number of elided changes is as good as one. With S1 that is also
// S6: if every step of a sequence was elided, what a TLB holds is harmless at its end; and if one was gathered, the flush
// that completes drops all that came before it, and the steps after it are such a sequence.
template <class Policy, class F, level L = level::pte>
inline constexpr auto elision_is_reflexive = prove(
    detail::entries_and_machine<F, 1>, [](auto e, auto, auto, auto) { return detail::no_table<F, L>(e); },
    [](auto e, auto traits, auto a, auto b) {
      using W = decltype(e);
      return !Policy::needs_flush(entry<F, L, W>{e}, entry<F, L, W>{e}, detail::machine_of<F>(traits, a, b));
    });
template <class Policy, class F, level L = level::pte>
inline constexpr auto elision_is_transitive = prove(
    detail::entries_and_machine<F, 3>,
    [](auto x, auto y, auto, auto traits, auto a, auto b) {
      using W = decltype(x);
      return detail::no_table<F, L>(x) && detail::no_table<F, L>(y) &&
             !Policy::needs_flush(entry<F, L, W>{x}, entry<F, L, W>{y}, detail::machine_of<F>(traits, a, b));
    },
    [](auto, auto y, auto z, auto traits, auto a, auto b) {
      using W = decltype(y);
      return detail::no_table<F, L>(z) &&
             !Policy::needs_flush(entry<F, L, W>{y}, entry<F, L, W>{z}, detail::machine_of<F>(traits, a, b));
    },
    [](auto x, auto, auto z, auto traits, auto a, auto b) {
      using W = decltype(x);
      return !Policy::needs_flush(entry<F, L, W>{x}, entry<F, L, W>{z}, detail::machine_of<F>(traits, a, b));
    });

// S7, Progress: an elided change may leave a fault only where the fault handler ends it (or the CPU does), and only for
// user addresses, since a kernel access does not retry.
template <class Policy, class F, level L = level::pte, class When = any_entries>
inline constexpr auto elision_makes_progress = prove(
    detail::entries_and_machine<F, 2>,
    [](auto old, auto next, auto traits, auto a, auto b) {
      using W = decltype(old);
      const machine<F, W> m = detail::machine_of<F>(traits, a, b);
      const entry<F, L, W> o{old}, n{next};
      return detail::no_table<F, L>(old) && detail::no_table<F, L>(next) && When::holds(o, n, m) &&
             !Policy::needs_flush(o, n, m);
    },
    [](auto old, auto next, auto traits, auto a, auto b) {
      using W = decltype(old);
      const machine<F, W> m = detail::machine_of<F>(traits, a, b);
      const stale_rules<W> rules = rules_of<F, W>(m);
      const translation<W> n = translate(entry<F, L, W>{next}, m);
      return !any_cause(translate(entry<F, L, W>{old}, m), n, rules, [&](const need<W>& asks) {
        return (asks.lasting && !rules.fault_invalidates) || (asks.spurious && !n.for_user());
      });
    });

}  // namespace pte::proof
