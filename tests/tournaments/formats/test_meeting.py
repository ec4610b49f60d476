"""A meeting: one race for all in each round, a constant sum of banks, and standings by bank."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.fields import assert_sound
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats import meeting
from tournaments.formats.checker import check
from tournaments.formats.protocol import Pairing, Result, Snapshot, Table, by_entry_order

MEETING = formats.get("meeting")


@st.composite
def held(draw: st.DrawFn) -> Snapshot:
    plan = Plan(
        entrants=draw(st.integers(2, 12)),
        rounds=draw(st.integers(1, 6)),
        seats=1,
        sizes=(1,),
        bank=draw(st.integers(1, 2000)),
        leaving=draw(st.sampled_from((0, 20))),
    )
    return generate(MEETING, plan, Random(draw(st.integers(0, 10**6))))


@given(held())
def test_the_sum_of_all_banks_never_changes(snapshot: Snapshot):
    for round in range(snapshot.rounds + 1):
        so_far = replace(
            snapshot, results=tuple(result for result in snapshot.results if result.round <= round)
        )
        left = meeting.banks(so_far)
        assert sum(left.values()) == snapshot.bank * len(snapshot.entrants)
        assert min(left.values()) >= 0


@given(held())
def test_the_largest_bank_is_first_and_each_is_listed_by_race(snapshot: Snapshot):
    assert_sound("meeting", snapshot)
    standings, left = MEETING.standings(snapshot), meeting.banks(snapshot)
    assert [one.totals[0] for one in standings] == sorted(left.values(), reverse=True)
    for one in standings:
        breakdown = MEETING.arithmetic(snapshot)[one.entry]
        assert tuple(breakdown[column.name].value for column in meeting.COLUMNS) == one.totals
        assert sum(part.amount for part in breakdown["bank"].parts) == left[one.entry]
        assert breakdown["bank"].parts[0].amount == snapshot.bank


@given(held())
def test_the_banks_of_a_round_follow_from_its_results(snapshot: Snapshot):
    for round in range(1, snapshot.rounds + 1):
        before = replace(snapshot, results=tuple(one for one in snapshot.results if one.round < round))
        through = replace(snapshot, results=tuple(one for one in snapshot.results if one.round <= round))
        rows = [
            {"entry": one.entry, "score": list(one.score)} for one in snapshot.results if one.round == round
        ]
        counted = meeting.counted(before, rows)
        assert meeting.faults(counted) == []
        after = meeting.banks(through)
        assert {row["entry"]: row["after"] for row in counted} == {
            row["entry"]: after[row["entry"]] for row in counted
        }


def _results(*scores: tuple[int, int]) -> Snapshot:
    """Return entrants with one race each, from the amounts returned and staked."""
    return Snapshot(
        entrants=by_entry_order(range(1, len(scores) + 1)),
        rounds=1,
        games=1,
        measures=(),
        bank=100,
        results=tuple(
            Result(1, 1, 1, entry, "finished", score) for entry, score in enumerate(scores, start=1)
        ),
    )


def test_play_money_from_nowhere_and_stakes_beyond_the_bank_are_faults():
    rows = [{"entry": 1, "score": [0, 101]}, {"entry": 2, "score": [102, 0]}]
    found = meeting.faults(meeting.counted(_results(*[(0, 0)] * 2), rows))
    assert found == ["entry 1 staked more than it had", "101 pence were staked and 102 came back"]


def test_an_entrant_with_an_empty_bank_is_ranked_and_equal_entrants_share_a_place():
    standings = MEETING.standings(_results((0, 100), (160, 60), (0, 0), (0, 0)))
    assert [(one.place, one.entry, one.totals) for one in standings] == [
        (1, 2, (200, 1, 100)),
        (2, 3, (100, 0, 0)),
        (2, 4, (100, 0, 0)),
        (4, 1, (0, 0, 0)),
    ]


def test_equal_banks_are_ordered_by_how_often_they_were_ahead():
    one, other = _results((0, 0)), _results((0, 0))
    results = (
        Result(1, 1, 1, 1, "finished", (50, 0)),
        Result(1, 1, 1, 2, "finished", (25, 0)),
        Result(2, 1, 1, 1, "finished", (0, 0)),
        Result(2, 1, 1, 2, "finished", (25, 0)),
    )
    snapshot = replace(one, entrants=by_entry_order((1, 2)), rounds=2, results=results)
    assert other.bank == snapshot.bank
    assert [standing.entry for standing in MEETING.standings(snapshot)] == [2, 1]


def test_all_entrants_are_at_the_one_race_of_a_round():
    field = _results(*[(0, 0)] * 3)
    assert MEETING.pair(field, 1) == Pairing(1, (Table(1, (1, 2, 3)),))
    split = Pairing(1, (Table(1, (1, 2)), Table(2, (3,))))
    assert [fault.why for fault in check(MEETING, field, split)] == ["not all entrants are at one race"]
    short = Pairing(1, (Table(1, (1, 2)),))
    assert [fault.why for fault in check(MEETING, field, short)] == ["entry 3 has no place"]
    gone = replace(field, entrants=tuple(replace(one, last=0) for one in field.entrants))
    assert MEETING.pair(gone, 1) == Pairing(1, ())


@given(
    st.sampled_from(meeting.names()),
    st.integers(1, 10**9),
    st.lists(st.integers(0, 10**6), min_size=4, max_size=4),
    st.integers(1, 50),
    st.integers(0, 10**6),
)
def test_a_bot_bets_no_more_than_its_bank(name: str, bank: int, staked: list[int], races: int, chance: int):
    board = meeting.Board(bank, dict(zip("CDHS", staked, strict=True)), races)
    bets = meeting.get(name).bets(board, Random(chance))
    assert set(bets) <= set("CDHS")
    assert all(stake >= 1 for stake in bets.values())
    assert 1 <= sum(bets.values()) <= bank
    assert bets == meeting.get(name).bets(board, Random(chance)), "the same chance, the same bets"


def test_a_bot_with_an_unknown_strategy_does_not_bet():
    with pytest.raises(meeting.UnknownBettingBot, match="steady"):
        meeting.get("psychic")
