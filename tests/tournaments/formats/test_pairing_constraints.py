"""Pairing constraints: the rounds to which they apply, their fold, and their effect on the engines."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats import history
from tournaments.formats.checker import before, check, check_all
from tournaments.formats.constraints import APART, TOGETHER, Constraint, in_force, released
from tournaments.formats.history import History
from tournaments.formats.pairing.swiss_tables import brought_together
from tournaments.formats.protocol import Snapshot, by_entry_order
from tournaments.formats.sizes import CannotBeSeated

SWISS = formats.get("swiss")


def at_one_table(tables, two) -> bool:
    return any(set(two) <= set(table) for table in tables)


def test_a_constraint_applies_from_its_first_round_until_it_is_removed():
    said = (Constraint(APART, (1, 2), first=3),)
    assert [bool(in_force(said, APART, round)) for round in (2, 3, 9)] == [False, True, True]
    assert in_force(said, TOGETHER, 3) == frozenset()
    left = released(said, APART, (1, 2), first=5)
    assert [bool(in_force(left, APART, round)) for round in (3, 4, 5)] == [True, True, False]


def test_a_constraint_removed_before_its_first_round_never_applies():
    assert released((Constraint(APART, (1, 2), first=3),), APART, (1, 2), first=3) == ()


def test_removing_a_constraint_leaves_the_others():
    said = (Constraint(TOGETHER, (1, 2), 1, 1), Constraint(APART, (1, 2), 2), Constraint(APART, (1, 3), 2))
    assert released(said, APART, (1, 2), first=2) == (said[0], said[2])
    assert released(said, TOGETHER, (1, 2), first=2) == said, "its round is over"


PAIRED = {"tables": [[1, 2]], "byes": [], "relaxed": []}


def test_each_round_uses_the_constraints_set_before_its_pairing():
    state = History(format="swiss", sizes=(2,), preferred=2)
    state = history.evolve(state, "brought-together", {"entries": [1, 2], "round": 1})
    assert state.snapshot().together == {(1, 2)}
    state = history.evolve(state, "round-paired", {"round": 1, **PAIRED})
    state = history.evolve(state, "kept-apart", {"entries": [1, 2], "from": 3})
    assert (state.snapshot().together, state.snapshot().apart) == (frozenset(), frozenset())
    state = history.evolve(state, "round-paired", {"round": 2, **PAIRED})
    assert state.snapshot().apart == {(1, 2)}
    state = history.evolve(state, "pair-released", {"what": "apart", "entries": [1, 2], "from": 3})
    assert state.snapshot().apart == frozenset()
    assert before(state.snapshot(), 1).together == {(1, 2)}
    assert before(state.snapshot(), 2) == replace(
        state.snapshot(), played=state.played[:1], together=frozenset()
    )


def test_fingerprints_of_tournaments_without_constraints_do_not_change():
    known = Snapshot(by_entry_order(range(1, 5)), rounds=3, games=1, measures=(), sizes=(2,), preferred=2)
    played = replace(known, played=(SWISS.pair(known, 1),))
    assert known.fingerprint() == "db2959c7bef38a9585ad3a5924728d61459665b0667432e02374828521a16c59"
    assert played.fingerprint() == "03a4ae9bdb02187bccb0b7787947da7ec08dc513fc284e5ffe2dc1ca9e32a6dd"
    assert replace(played, constraints=(Constraint(APART, (1, 2), 9),)).fingerprint() == played.fingerprint()
    assert replace(played, apart=frozenset({(1, 2)})).fingerprint() != played.fingerprint()


@pytest.mark.parametrize("plan", [Plan(8, rounds=5), Plan(9, rounds=5, seats=3, sizes=(3,))])
def test_a_later_constraint_does_not_change_earlier_rounds(plan: Plan):
    whole = generate(SWISS, plan, Random(5))
    for two in combinations((1, 4, 6, 8), 2):
        said = replace(whole, constraints=(Constraint(APART, two, first=3),))
        known = before(said, 3)
        pairing = SWISS.pair(known, 3)
        assert not at_one_table([table.seats for table in pairing.tables], two)
        assert check(SWISS, known, pairing) == ()
        first_two = replace(said, played=said.played[:2])
        assert check_all(SWISS, first_two) == ()


@given(st.data())
def test_entrants_who_must_meet_do_at_tables_of_every_size(data):
    size = data.draw(st.sampled_from((2, 3, 4)))
    # Larger than the fields for which the engine looks ahead, which is slow and not tested here.
    entrants = data.draw(st.integers(25, 34))
    known = Snapshot(
        by_entry_order(range(1, entrants + 1)), rounds=1, games=1, measures=(), preferred=size,
        sizes={2: (2,), 3: (2, 3), 4: (2, 3, 4)}[size],
    )  # fmt: skip
    shuffled = data.draw(st.permutations(range(1, entrants + 1)))
    pairs = [tuple(sorted(shuffled[2 * number : 2 * number + 2])) for number in range(entrants // 4)]
    forced = replace(known, together=frozenset(pairs))
    pairing = SWISS.pair(forced, 1)
    assert all(at_one_table([table.seats for table in pairing.tables], two) for two in pairs)
    assert check(SWISS, forced, pairing) == ()


@given(st.lists(st.integers(2, 5), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_required_pairs_are_seated_up_to_the_room_and_one_more_is_refused(sizes, chance):
    """The largest set of pairs that fits is seated; a set with one pair more is refused."""
    entries = chance.sample(range(sum(sizes)), sum(sizes))
    room = sum(size // 2 for size in sizes)
    left = iter(entries)
    tables = [[next(left) for _ in range(size)] for size in sizes]
    chance.shuffle(entries)
    pairs = [tuple(sorted(entries[2 * number : 2 * number + 2])) for number in range(len(entries) // 2)]
    made = brought_together(tables, pairs[:room], lambda way: ())
    assert [len(table) for table in made] == sizes
    assert sorted(entry for table in made for entry in table) == sorted(entries)
    assert all(at_one_table(made, two) for two in pairs[:room])
    if len(pairs) > room:
        with pytest.raises(CannotBeSeated):
            brought_together(tables, pairs[: room + 1], lambda way: ())


def test_an_entrant_who_must_meet_another_has_no_bye():
    known = Snapshot(by_entry_order(range(1, 8)), rounds=3, games=1, measures=(), sizes=(3,), preferred=3)
    alone = SWISS.pair(known, 1).byes
    forced = replace(known, together=frozenset({(1, *alone)}))
    assert SWISS.pair(forced, 1).byes not in (alone, (1,))
    three = replace(forced, entrants=known.entrants[:4], together=frozenset({(1, 2), (3, 4)}))
    with pytest.raises(CannotBeSeated):
        SWISS.pair(three, 1)
