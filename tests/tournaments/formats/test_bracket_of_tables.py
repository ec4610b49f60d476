"""The bracket at larger tables: paired rounds unchanged, later rounds as if all entrants stayed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import SIZES, examples, played
from tests.tournaments.formats.generator import SCORE
from tests.tournaments.formats.test_bracket import closed, rounds_of
from tournaments import formats
from tournaments.formats.bracket import Match, Source, drawn
from tournaments.formats.protocol import Snapshot, by_entry_order

LARGER = (3, 4, 6)


def field(entrants: int, *, seats: int = 4, through: int = 2, format: str = "knockout") -> Snapshot:
    snapshot = Snapshot(
        by_entry_order(range(1, entrants + 1)),
        0,
        1,
        (SCORE,),
        sizes=SIZES[seats],
        preferred=seats,
        through=through,
        lot="x",
    )
    return replace(snapshot, rounds=formats.get(format).rounds(entrants, asked=0, snapshot=snapshot))


def paired(snapshot: Snapshot, round: int, format: str = "knockout") -> Snapshot:
    return replace(snapshot, played=(*snapshot.played, formats.get(format).pair(snapshot, round)))


def shape(matches: tuple[Match, ...]) -> list[tuple[int, int]]:
    return [(one.round, len(one.slots)) for one in matches]


def places(match: Match) -> Counter[tuple[int | None, int | None]]:
    return Counter((slot.source.round, slot.source.place) for slot in match.slots if slot.source)


@examples(few=5, many=100)
@given(played("knockout", seats=LARGER))
def test_paired_rounds_are_drawn_with_the_origin_of_each_entrant(
    snapshot: Snapshot,
) -> None:
    for stood in rounds_of(snapshot):
        assert_matches_the_paired_rounds("knockout", stood)


@examples(few=5, many=100)
@given(played("double-knockout", seats=LARGER))
def test_a_double_knockout_is_drawn_with_the_origin_of_each_entrant(snapshot: Snapshot) -> None:
    for stood in rounds_of(snapshot):
        matches = drawn("double-knockout", stood)
        assert_matches_the_paired_rounds("double-knockout", stood)
        assert {one.state for one in matches} <= {"playing", "decided", "bye"}, "no later match is drawn"
        losses: Counter[int | None] = Counter()
        for one in matches:
            assert all(slot.lives == 2 - losses[slot.entry] for slot in one.slots)
            if one.state == "decided":
                losses.update(slot.entry for slot in one.slots if slot.entry not in one.advancing)


def assert_matches_the_paired_rounds(format: str, snapshot: Snapshot) -> None:
    matches = drawn(format, snapshot)
    assert [one.number for one in matches] == list(range(1, len(matches) + 1))
    seated = [
        (one.round, {slot.entry for slot in one.slots})
        for one in matches
        if one.round <= len(snapshot.played)
    ]
    assert seated == [
        (one.round, set(seats))
        for one in snapshot.played
        for seats in [*(table.seats for table in one.tables), *((entry,) for entry in one.byes)]
    ]
    last: dict[int, Match] = {}
    for round in sorted({one.round for one in matches}):
        here = [one for one in matches if one.round == round]
        for slot in (slot for one in here for slot in one.slots if slot.entry is not None):
            came = last.get(slot.entry)
            assert (slot.source and slot.source.match) == (came and came.number)
        last |= {slot.entry: one for one in here for slot in one.slots if slot.entry is not None}


@pytest.mark.parametrize(("seats", "through"), [(3, 1), (4, 2), (6, 3), (4, 1)])
@pytest.mark.parametrize("entrants", [5, 9, 16, 23, 37])
def test_later_rounds_have_their_final_size_and_are_filled_from_known_places(
    entrants: int, seats: int, through: int
) -> None:
    snapshot = field(entrants, seats=seats, through=through)
    whole = snapshot
    for round in range(1, snapshot.rounds + 1):
        whole = closed(paired(whole, round))
    end = drawn("knockout", whole)
    assert end[-1].state == "decided"
    assert end[-1].advancing == (1,), "the better seed wins every time"
    for stood in [snapshot, *rounds_of(whole)]:
        now = drawn("knockout", stood)
        assert shape(now) == shape(end)
        assert [one.through for one in now] == [one.through for one in end]
        for each, came in zip(now, end, strict=True):
            if each.round > len(stood.played) + 1:
                assert places(each) == places(came)
            for before, after in zip(each.slots, came.slots, strict=True):
                assert before.entry in (None, after.entry) or each.round > len(stood.played)
                if before.source and before.source.match and each.round <= len(stood.played):
                    assert before.source == after.source


def test_before_the_first_pairing_only_slots_of_the_first_round_have_entrants() -> None:
    first, second, final = (
        [one for one in drawn("knockout", field(16)) if one.round == round] for round in (1, 2, 3)
    )
    assert {slot.entry for one in first for slot in one.slots} == set(range(1, 17))
    assert [slot.source for slot in second[0].slots] == [
        Source(None, won=True, round=1, place=place) for place in (1, 1, 2, 2)
    ]
    assert [slot.source for slot in final[0].slots] == [
        Source(match, won=True, round=2, place=place) for place in (1, 2) for match in (5, 6)
    ]
    assert [one.through for one in (*first, *second, *final)] == [2] * 6 + [1]


def test_qualifiers_of_a_closed_round_appear_in_the_next_before_it_is_paired() -> None:
    snapshot = closed(paired(field(8), 1))
    *tables, final = drawn("knockout", snapshot)
    assert [one.advancing for one in tables] == [(1, 4), (2, 3)]
    assert [slot.place for slot in tables[0].slots] == [1, 2, 3, 4]
    assert sorted(slot.entry or 0 for slot in final.slots) == [1, 2, 3, 4]
    assert {slot.source.match for slot in final.slots if slot.source} == {1, 2}


def test_an_entrant_who_has_left_is_skipped() -> None:
    snapshot = closed(paired(field(8), 1))
    gone = tuple(replace(one, last=1) if one.entry == 1 else one for one in snapshot.entrants)
    final = drawn("knockout", replace(snapshot, entrants=gone))[-1]
    assert sorted(slot.entry or 0 for slot in final.slots) == [2, 3, 4]
