"""The checker finds the faults of a wrong pairing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.checker import before, check, check_all
from tournaments.formats.protocol import Pairing, Relaxed, Table

SWISS = formats.get("swiss")
PLAYED = generate(SWISS, Plan(6, rounds=3), Random(1))
KNOWN = before(PLAYED, 3)
RIGHT = PLAYED.played[2]
ONE, OTHER = RIGHT.tables[0].seats
THIRD = RIGHT.tables[1].seats[0]


def with_tables(*tables: Table) -> Pairing:
    return replace(RIGHT, tables=tables)


WRONG = [
    (replace(RIGHT, byes=(ONE,)), f"entry {ONE} is seated 2 times"),
    (with_tables(*RIGHT.tables[1:]), "the tables are not numbered"),
    (with_tables(Table(1, (ONE, OTHER, THIRD)), *RIGHT.tables[1:]), "table 1 has 3 seats"),
    (with_tables(Table(1, (ONE, 77)), *RIGHT.tables[1:]), "entry 77 does not play in this round"),
    (with_tables(Table(1, (ONE, 77)), *RIGHT.tables[1:]), f"entry {OTHER} has no place"),
    (replace(RIGHT, relaxed=(Relaxed("rematch", (ONE, OTHER)),)), "is recorded but does not occur"),
    (PLAYED.played[1].__class__(3, PLAYED.played[1].tables), "is not recorded"),
]


def test_a_correct_pairing_has_no_fault():
    assert check(SWISS, KNOWN, RIGHT) == ()
    assert check_all(SWISS, PLAYED) == ()


@pytest.mark.parametrize(("pairing", "what"), WRONG, ids=[what for _, what in WRONG])
def test_a_wrong_pairing_has_the_expected_faults(pairing, what):
    assert any(what in fault.why for fault in check(SWISS, KNOWN, pairing)), check(SWISS, KNOWN, pairing)


def test_an_entrant_who_has_left_may_not_be_placed():
    left = replace(
        KNOWN,
        entrants=tuple(replace(one, last=2) if one.entry == ONE else one for one in KNOWN.entrants),
    )
    assert any("does not play" in fault.why for fault in check(SWISS, left, RIGHT))


def test_a_pairing_that_separates_entrants_who_must_meet_has_a_fault():
    forced = replace(KNOWN, together=frozenset({(min(ONE, THIRD), max(ONE, THIRD))}))
    assert any("must meet" in fault.why for fault in check(SWISS, forced, RIGHT))


def test_a_pairing_that_differs_from_the_engines_is_a_fault():
    turned = with_tables(*(replace(table, seats=table.seats[::-1]) for table in RIGHT.tables))
    tampered = replace(PLAYED, played=(*PLAYED.played[:2], turned))
    assert [fault.why for fault in check_all(SWISS, tampered)] == ["the engine pairs it otherwise"]
