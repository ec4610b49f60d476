"""Manual pairing: faults, warnings, and differences from the engine's pairing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats import history, pairing_review
from tournaments.formats.checker import before, check, check_all
from tournaments.formats.pairing_review import compare, layout
from tournaments.formats.protocol import Pairing, Table
from tournaments.formats.sizes import CannotBeSeated

SWISS = formats.get("swiss")
PLAYED = generate(SWISS, Plan(7, rounds=4), Random(2))
KNOWN = before(PLAYED, 3)
RIGHT = PLAYED.played[2]
SEATS = [list(table.seats) for table in RIGHT.tables]
[BYE] = RIGHT.byes


def wrong(tables, byes) -> list[str]:
    return list(pairing_review.faults(SWISS, KNOWN, layout(KNOWN, 3, tables, byes)))


def test_the_engines_pairing_is_accepted_as_a_manual_one():
    made = layout(KNOWN, 3, SEATS, [BYE])
    assert replace(made, by_hand=False) == RIGHT
    assert wrong(SEATS, [BYE]) == []
    assert pairing_review.cautions(KNOWN, made, RIGHT) == ()


@pytest.mark.parametrize(
    ("tables", "byes", "what"),
    [
        ([*SEATS, [BYE, SEATS[0][0]]], [], f"entry {SEATS[0][0]} is seated 2 times"),
        ([[SEATS[0][0], SEATS[0][0]], *SEATS[1:]], [BYE], f"entry {SEATS[0][0]} is seated 2 times"),
        (SEATS[1:], [BYE], f"entry {SEATS[0][0]} has no place"),
        ([[*SEATS[0], BYE], *SEATS[1:]], [], "table 1 has 3 seats"),
        ([*SEATS, []], [BYE], "table 4 has 0 seats"),
        (SEATS, [BYE, 77], "entry 77 does not play in this round"),
        ([], range(1, 8), "a table has no entries"),
    ],
)
def test_an_impossible_pairing_is_explained(tables, byes, what: str):
    assert what in wrong(tables, byes)


def test_an_entrant_who_has_left_may_not_be_seated():
    gone = replace(
        KNOWN, entrants=tuple(replace(one, last=2) if one.entry == 1 else one for one in KNOWN.entrants)
    )
    result = pairing_review.faults(SWISS, gone, layout(gone, 3, SEATS, [BYE]))
    assert result == ("entry 1 does not play in this round",)


def test_a_violated_constraint_is_a_warning():
    met = PLAYED.played[0].tables[0].seats
    others = [entry for entry in range(1, 8) if entry not in met]
    [sat_out] = PLAYED.played[1].byes
    others.remove(sat_out)
    apart, split = tuple(sorted(others[:2])), tuple(sorted((others[0], others[2])))
    known = replace(KNOWN, apart=frozenset({apart}), together=frozenset({split}))
    made = layout(known, 3, [list(met), others[:2], others[2:]], [sat_out])
    assert pairing_review.faults(SWISS, known, made) == ()
    result = {one.what: (one.entries, one.message) for one in pairing_review.cautions(known, made, RIGHT)}
    two = tuple(sorted(met))
    assert result["rematch"] == (two, f"entries {two[0]} and {two[1]} have met before, in round 1")
    assert result["apart"] == (apart, f"entries {apart[0]} and {apart[1]} are to be kept apart")
    assert result["bye-again"] == ((sat_out,), f"entry {sat_out} has had a bye before")
    assert result["split"] == (split, f"entries {split[0]} and {split[1]} were to meet")


def test_more_byes_than_necessary_are_a_warning():
    made = layout(KNOWN, 3, SEATS[1:], [*SEATS[0], BYE])
    assert pairing_review.faults(SWISS, KNOWN, made) == ()
    [caution] = [one for one in pairing_review.cautions(KNOWN, made, RIGHT) if one.what == "more-byes"]
    assert caution.entries == tuple(sorted([*SEATS[0], BYE]))


def test_differences_from_the_engines_pairing_are_listed():
    (one, two), (three, four), *rest = SEATS
    made = layout(KNOWN, 3, [[one, three], [two, four], *rest], [BYE])
    found = compare(made, RIGHT)
    assert found.same_tables == len(rest)
    assert found.pairs_only_manual == tuple(sorted((tuple(sorted((one, three))), tuple(sorted((two, four))))))
    assert found.pairs_only_engine == tuple(sorted((tuple(sorted((one, two))), tuple(sorted((three, four))))))
    assert (found.byes_only_manual, found.byes_only_engine) == ((), ())


@st.composite
def dealt(draw) -> tuple[Pairing, Pairing, list[list[int]]]:
    """Return any pairing of seven entrants, and the engine's."""
    entries = draw(st.lists(st.integers(1, 9), min_size=0, max_size=10))
    cuts = sorted(draw(st.lists(st.integers(0, len(entries)), max_size=4)))
    parts = [entries[one:two] for one, two in zip([0, *cuts], [*cuts, len(entries)], strict=True)]
    *tables, byes = parts
    return layout(KNOWN, 3, tables, byes), RIGHT, tables


@given(dealt())
def test_a_pairing_is_refused_unless_each_entrant_has_one_place(made):
    pairing, _, tables = made
    places = [entry for table in tables for entry in table] + list(pairing.byes)
    right = sorted(places) == list(range(1, 8)) and all(len(table) == 2 for table in tables) and bool(tables)
    assert (pairing_review.faults(SWISS, KNOWN, pairing) == ()) == right


@given(dealt())
def test_comparing_is_symmetric_and_empty_for_equal_pairings(made):
    pairing, engine, _ = made
    here, there = compare(pairing, engine), compare(engine, pairing)
    assert (here.pairs_only_manual, here.byes_only_manual) == (
        there.pairs_only_engine,
        there.byes_only_engine,
    )
    itself = compare(engine, engine)
    assert (itself.same_tables, itself.pairs_only_manual, itself.byes_only_manual) == (
        len(engine.tables),
        (),
        (),
    )


@given(st.permutations(range(1, 8)))
def test_the_checker_accepts_every_valid_manual_pairing(order):
    made = layout(KNOWN, 3, [order[:2], order[2:4], order[4:6]], order[6:])
    assert check(SWISS, KNOWN, made) == ()


def test_the_checker_checks_a_manual_pairing_without_pairing_it_again():
    (one, two), (three, four), *rest = SEATS
    made = layout(KNOWN, 3, [[one, three], [two, four], *rest], [BYE])
    assert check_all(SWISS, replace(KNOWN, played=(*KNOWN.played, made))) == ()
    as_the_engines = replace(made, by_hand=False)
    [fault] = check_all(SWISS, replace(KNOWN, played=(*KNOWN.played, as_the_engines)))
    assert fault.why == "the engine pairs it otherwise"
    silent = replace(made, tables=(Table(1, (one, two)), *made.tables[1:]))
    assert check_all(SWISS, replace(KNOWN, played=(*KNOWN.played, silent)))


def test_the_last_manual_pairing_applies_until_it_is_withdrawn():
    result = history.paired(layout(KNOWN, 3, SEATS, [BYE]))
    other = history.paired(layout(KNOWN, 3, SEATS[::-1], [BYE]))
    state = history.History(played=PLAYED.played[:2])
    for data in (result, other):
        state = history.evolve(state, "round-laid-out", data)
    assert [one.by_hand for one in state.played] == [False, False, True]
    assert state.played[2].tables[0].seats == tuple(SEATS[-1])
    assert history.evolve(state, "layout-dropped", {"round": 3}).played == PLAYED.played[:2]


def test_without_an_engine_pairing_there_is_no_comparison():
    class Stuck(type(SWISS)):
        def pair(self, snapshot, round):
            raise CannotBeSeated("so few fill no table")

    assert pairing_review.of_the_engine(Stuck(), KNOWN, 3) is None
    made = layout(KNOWN, 3, SEATS, [BYE])
    assert pairing_review.cautions(KNOWN, made, None) == ()
