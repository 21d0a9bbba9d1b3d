// The theorems about flushes, by name. Each is a verdict over all pairs (or triples) of entries and all machines of an
// architecture, computed when it is named; tests/proofs asserts them for every layout, level and system. For a policy
// of your own, the one to assert is flush_is_sound:
//
//   static_assert(pte::proof::proved<pte::proof::flush_is_sound<my_policy, my_format>, pte::proof::MISSED_FLUSH>);
//
// How soundness (S1, "Safety") hangs together. Let T be what a TLB may hold under hypothesis H (tlb/need.hpp): any
// translation that decodes from the replaced entry, with accessed free and dirty at most the entry's. Then
//   table_covers_mmu  where the table asks for nothing, any access through any t in T faults or does what the new entry
//                     does, and swallows no dirty mark: S0b, for every format, against the model of the MMU in
//                     access.hpp
//   flush_is_sound    where a policy elides the flush, the table asks for nothing
// and so any access after an elided flush is harmless. mmu_covers_table is the converse of the first: the table asks
// for nothing in vain. Entries are leaves, parked or empty: changes of tables are not a policy's matter.
//
// prove_NAME<...>() is the function that computes the verdict NAME<...>: for programs that want it at run time.
#pragma once

#include <array>
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
  static_assert(holds_for<OldEntry, NewEntry>,
                "the policy elides a flush that the table of stale translations demands");
};
// How a faulting loop is reported.
template <class OldEntry, class NewEntry, class... Machine>
struct FAULTS_FOR_EVER {
  static_assert(holds_for<OldEntry, NewEntry>,
                "the policy elides a flush after which an access may fault and never succeed");
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

// The machines and the MMU that a format is proved with are those of its layout. A format of your own needs none of
// them: then its machines are the one value that machine<F, W>{} is.
template <class F>
concept has_all_machines = requires {
  sizeof(all_machines<typename pte::detail::layout_of<F>::type>);
};

namespace detail {

template <class F>
using hardware = typename pte::detail::layout_of<F>::type;

// One, two or three entries and any machine. Few samples: the functions are long.
template <class F, level L, std::size_t Entries>
constexpr auto entries_and_machine() {
  if constexpr (has_all_machines<F>)
    return all_machines<hardware<F>>::template ordered<L>(all_machines<hardware<F>>::with(words<Entries>)).samples(4);
  else
    return words<Entries>.word(0).word(0).word(0).samples(4);
}
// The same for policies that compare words: the valid bits first, the rest in the order of the words.
template <class F, level L, std::size_t Entries>
constexpr auto words_and_machine() {
  if constexpr (has_all_machines<F>)
    return all_machines<hardware<F>>::with(words<Entries>).first(all_machines<hardware<F>>::valid).samples(4);
  else
    return entries_and_machine<F, L, Entries>();
}
template <class F, word W>
constexpr machine<F, W> machine_of(W traits, W a, W b) {
  if constexpr (has_all_machines<F>)
    return all_machines<hardware<F>>::make(traits, a, b);
  else
    return {};
}

// Two entries, any machine, an access: three truths, at bits with which they have to do, and a key, where entries have
// it.
template <class F, level L>
constexpr auto entries_machine_and_access() {
  std::uint64_t key = 0;
  if constexpr (has_pkey<F>) {
    for (const field& f : F::template at<level::pte>::leaf_fields())
      if (F::template at<level::pte>::pkey(f.mask) != 0) key |= f.mask;
  }
  return all_machines<hardware<F>>::template ordered<L>(
             all_machines<hardware<F>>::with(words<2>).word(bits(8, 6)).word(key))
      .samples(4);
}

template <class F, level L, word W>
constexpr truth<W> no_table(W w) {
  return !entry<F, L, W>{w}.is_table();
}
template <class F, level L, word W>
constexpr outcome<W> access(W w, const attempt<W>& a, const machine<F, W>& m) {
  return mmu<hardware<F>>::template access<L>(w, a, m);
}
template <class F, level L, word W>
constexpr destination<W> leads(W w, const machine<F, W>& m) {
  return mmu<hardware<F>>::template leads<L>(w, m);
}

// Two entries that are no tables, and meet When, between which a policy elides the flush.
template <class Policy, class F, level L, class When, word W>
constexpr truth<W> elided(W old, W next, const machine<F, W>& m) {
  const entry<F, L, W> o{old}, n{next};
  return no_table<F, L>(old) && no_table<F, L>(next) && When::holds(o, n, m) && !Policy::needs_flush(o, n, m);
}

// Does hardware set dirty by itself, so that a translation may be held from before it did? On arm64 without hardware
// dirty state the bit is write permission: then clear it is another right, not another state.
template <class F, word W>
constexpr truth<W> hardware_sets_dirty(const machine<F, W>& m) {
  if constexpr (requires { m.hw_dirty; })
    return m.hw_dirty;
  else
    return truth<W>{true};
}
// A member of T: `old` with accessed as flag 6 of `choice` says, and with dirty cleared if flag 7 says so.
template <class F, level L, word W>
constexpr W stale(W old, W choice, const machine<F, W>& m) {
  using ops = typename F::template at<L>;
  const W aged = select<W>(flag(choice, 6), ops::mkyoung(old), ops::mkold(old));
  return select<W>(flag(choice, 7) && hardware_sets_dirty<F>(m), ops::mkclean(aged), aged);
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
constexpr auto prove_table_covers_mmu() {
  return prove(
      detail::entries_machine_and_access<F, L>(),
      [](auto old, auto next, auto traits, auto a, auto b, auto, auto) {
        return detail::elided<table_itself, F, L, any_entries>(old, next, detail::machine_of<F>(traits, a, b));
      },
      [](auto old, auto next, auto traits, auto a, auto b, auto choice, auto key) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        W denied{0};
        if constexpr (has_pkey<F>) denied = F::template at<L>::pkey(key);
        const attempt<W> a_try = attempt_of<W>(Kind, User, flag(choice, 8), denied);
        const W held = detail::stale<F, L>(old, choice, m);
        const outcome<W> t = detail::access<F, L>(held, a_try, m), now = detail::access<F, L>(next, a_try, m);
        const destination<W> place = detail::leads<F, L>(held, m);
        return place.bad_address ||
               (allowed(t, now) && (t.fault || same_destination(place, detail::leads<F, L>(next, m))));
      });
}
template <class F, level L, access_kind Kind, bool User>
inline constexpr auto table_covers_mmu = prove_table_covers_mmu<F, L, Kind, User>();

// What becomes of the entry, to split a theorem: the new one is no leaf that the MMU can use, or is one.
enum class next_entry : unsigned char { unusable, usable };

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
  for (unsigned i = 0; i < 10; ++i) {
    const attempt<W> a = attempt_of<W>(static_cast<access_kind>(i / 2), i % 2 != 0, denies, denied);
    const outcome<W> t = access<F, L>(held, a, m);
    goes_through = goes_through || !t.fault;
    differs = differs || !allowed(t, access<F, L>(next, a, m));
  }
  const destination<W> place = leads<F, L>(held, m);
  return !place.bad_address && (differs || (goes_through && !same_destination(place, leads<F, L>(next, m))));
}
// Do the entries differ in what no single access shows: global (a later flush may miss it), contiguous (its group), or
// from a leaf that lets nobody in to none (which a later change must find dropped)?
template <class F, level L, word W>
constexpr truth<W> differs_in_scope(W old, W next, const machine<F, W>& m) {
  const translation<W> o = translate(entry<F, L, W>{old}, m), n = translate(entry<F, L, W>{next}, m);
  return (o.valid && n.valid && (o.global != n.global || o.contiguous != n.contiguous)) || !o.some_right();
}

}  // namespace detail

// S0b, second half: where the table asks for a flush or for dirty, some access shows the difference. (Rows 16, 17 and
// 21 apart, global and contiguous; and row 2 of a leaf that lets nobody in.)
template <class F, level L, next_entry Next>
constexpr auto prove_mmu_covers_table() {
  return prove(
      detail::entries_and_machine<F, L, 2>().samples(2),  // ten accesses are long
      [](auto old, auto next, auto traits, auto a, auto b) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        const truth<W> leaf = entry<F, L, W>{next}.is_leaf();
        return (Next == next_entry::usable ? leaf : !leaf) && detail::no_table<F, L>(old) &&
               detail::no_table<F, L>(next) && !detail::differs_in_scope<F, L>(old, next, m) &&
               table_itself::needs_flush(entry<F, L, W>{old}, entry<F, L, W>{next}, m);
      },
      [](auto old, auto next, auto traits, auto a, auto b) {
        return detail::visible<F, L>(old, next, detail::machine_of<F>(traits, a, b));
      });
}
template <class F, level L, next_entry Next>
inline constexpr auto mmu_covers_table = prove_mmu_covers_table<F, L, Next>();

// S1, soundness of a policy: where it elides the flush, the table asks for none. `When` is what must hold of the pair.
template <class Policy, class F, level L, class When>
constexpr auto prove_flush_is_sound() {
  return prove(
      detail::entries_and_machine<F, L, 2>(),
      [](auto old, auto next, auto traits, auto a, auto b) {
        return detail::elided<Policy, F, L, When>(old, next, detail::machine_of<F>(traits, a, b));
      },
      [](auto old, auto next, auto traits, auto a, auto b) {
        using W = decltype(old);
        return !table_itself::needs_flush(entry<F, L, W>{old}, entry<F, L, W>{next},
                                          detail::machine_of<F>(traits, a, b));
      });
}
template <class Policy, class F, level L = level::pte, class When = any_entries>
inline constexpr auto flush_is_sound = prove_flush_is_sound<Policy, F, L, When>();

// S3: "no flush" is reflexive and transitive, so that any number of elided changes is as good as one. With S1 that is
// also S6: if every step of a sequence was elided, what a TLB holds is harmless at its end; and if one was gathered,
// the flush that completes drops all that came before it, and the steps after it are such a sequence. (For all words,
// tables too.)
template <class Policy, class F, level L>
constexpr auto prove_elision_is_reflexive() {
  return prove(detail::words_and_machine<F, L, 1>(), [](auto e, auto traits, auto a, auto b) {
    using W = decltype(e);
    return !Policy::needs_flush(entry<F, L, W>{e}, entry<F, L, W>{e}, detail::machine_of<F>(traits, a, b));
  });
}
template <class Policy, class F, level L = level::pte>
inline constexpr auto elision_is_reflexive = prove_elision_is_reflexive<Policy, F, L>();

template <class Policy, class F, level L>
constexpr auto prove_elision_is_transitive() {
  return prove(
      detail::words_and_machine<F, L, 3>(),
      [](auto x, auto y, auto, auto traits, auto a, auto b) {
        using W = decltype(x);
        return !Policy::needs_flush(entry<F, L, W>{x}, entry<F, L, W>{y}, detail::machine_of<F>(traits, a, b));
      },
      [](auto, auto y, auto z, auto traits, auto a, auto b) {
        using W = decltype(y);
        return !Policy::needs_flush(entry<F, L, W>{y}, entry<F, L, W>{z}, detail::machine_of<F>(traits, a, b));
      },
      [](auto x, auto, auto z, auto traits, auto a, auto b) {
        using W = decltype(x);
        return !Policy::needs_flush(entry<F, L, W>{x}, entry<F, L, W>{z}, detail::machine_of<F>(traits, a, b));
      });
}
template <class Policy, class F, level L = level::pte>
inline constexpr auto elision_is_transitive = prove_elision_is_transitive<Policy, F, L>();

namespace detail {

// Does an access that the new entry permits fault for ever, or the kernel's once, without a flush? What asks for a
// break and no flush is about progress too: a nest MMU never looks at the new entry.
template <word W>
constexpr truth<W> faults_for_ever(const need<W>& asks, const translation<W>& next, const stale_rules<W>& rules) {
  return (asks.lasting && !rules.fault_invalidates) || (asks.spurious && !next.for_user()) ||
         (asks.break_before_make && !asks.flush);
}

}  // namespace detail

// S7, Progress: an elided change may leave a fault only where the fault handler ends it (or the CPU does), and only for
// user addresses, since a kernel access does not retry.
template <class Policy, class F, level L, class When>
constexpr auto prove_elision_makes_progress() {
  return prove(
      detail::entries_and_machine<F, L, 2>(),
      [](auto old, auto next, auto traits, auto a, auto b) {
        return detail::elided<Policy, F, L, When>(old, next, detail::machine_of<F>(traits, a, b));
      },
      [](auto old, auto next, auto traits, auto a, auto b) {
        using W = decltype(old);
        const machine<F, W> m = detail::machine_of<F>(traits, a, b);
        const stale_rules<W> rules = rules_of<F, W>(m);
        const translation<W> n = translate(entry<F, L, W>{next}, m);
        return !any_cause(translate(entry<F, L, W>{old}, m), n, rules,
                          [&](const need<W>& asks) { return detail::faults_for_ever(asks, n, rules); });
      });
}
template <class Policy, class F, level L = level::pte, class When = any_entries>
inline constexpr auto elision_makes_progress = prove_elision_makes_progress<Policy, F, L, When>();

}  // namespace pte::proof
