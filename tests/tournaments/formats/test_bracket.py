"""The drawn bracket shows the tables that were played and the way of each entrant, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import SIZES, examples, played
from tests.tournaments.formats.generator import SCORE, Plan, generate
from tournaments import formats
from tournaments.formats.bracket import Match, Source, drawn
from tournaments.formats.corrected_results import EntrantScore, corrected, replaced
from tournaments.formats.pairing.stages import first_rounds
from tournaments.formats.protocol import Result, Snapshot, Stage, by_entry_order

KNOCKOUTS = ("knockout", "double-knockout")


def field(format: str, entrants: int) -> Snapshot:
    snapshot = Snapshot(by_entry_order(range(1, entrants + 1)), 0, 1, (SCORE,), sizes=SIZES[2], preferred=2)
    form = formats.get(format)
    return replace(snapshot, rounds=form.rounds(entrants, asked=0, snapshot=snapshot))


def paired(format: str, snapshot: Snapshot, round: int) -> Snapshot:
    return replace(snapshot, played=(*snapshot.played, formats.get(format).pair(snapshot, round)))


def closed(snapshot: Snapshot, *losers: int) -> Snapshot:
    """The last round with its results: the better seed wins unless it is one of the losers."""
    last = snapshot.played[-1]
    results = tuple(
        Result(
            last.round, table.number, table.number, entry, "finished", (0 if entry in losers else 20 - entry,)
        )
        for table in last.tables
        for entry in table.seats
    )
    return replace(snapshot, results=(*snapshot.results, *results))


def entries(match: Match) -> tuple[int | None, int | None]:
    return match.slots[0].entry, match.slots[1].entry


def ways(match: Match) -> tuple[Source | None, Source | None]:
    return match.slots[0].source, match.slots[1].source


def rounds_of(snapshot: Snapshot) -> list[Snapshot]:
    """The tournament after each round was paired, and after each was closed."""
    stood = []
    for last in snapshot.played:
        rounds = tuple(one for one in snapshot.played if one.round <= last.round)
        for until in (last.round - 1, last.round):
            results = tuple(one for one in snapshot.results if one.round <= until)
            stood.append(replace(snapshot, played=rounds, results=results))
    return stood


def tables(matches: tuple[Match, ...]) -> set[tuple[int, int, tuple[int | None, ...]]]:
    return {(one.round, one.table, entries(one)) for one in matches if one.table is not None}


def assert_matches_the_tables(format: str, snapshot: Snapshot, *, first: int = 1) -> None:
    seated = {
        (one.round, table.number, table.seats)
        for one in snapshot.played
        if one.round >= first
        for table in one.tables
    }
    assert tables(drawn(format, snapshot)) == seated


@examples(few=8, many=100)
@given(played("knockout", seats=(2,)))
def test_a_knockout_is_drawn_as_it_was_played(snapshot: Snapshot) -> None:
    for stood in rounds_of(snapshot):
        assert_matches_the_tables("knockout", stood)


@examples(few=8, many=100)
@given(played("double-knockout", seats=(2,)))
def test_a_double_knockout_is_drawn_as_it_was_played(snapshot: Snapshot) -> None:
    for stood in rounds_of(snapshot):
        assert_matches_the_tables("double-knockout", stood)


@pytest.mark.parametrize("second", KNOCKOUTS)
def test_a_knockout_stage_is_drawn_when_the_first_stage_is_over(second: str) -> None:
    stages = (Stage("round-robin", groups=2, qualify=5), Stage(second))
    plan = Plan(8, seats=2, sizes=SIZES[2], leaving=5, stages=stages)
    snapshot = generate(formats.get("stages"), plan, Random(11))
    first = first_rounds(snapshot) + 1
    for stood in rounds_of(snapshot):
        assert_matches_the_tables("stages", stood, first=first)
        over = any(one.round == first - 1 for one in stood.results)
        assert bool(drawn("stages", stood)) == over
        assert all(one.round >= first for one in drawn("stages", stood))


@examples(few=3, many=40)
@given(played("knockout", seats=(2,)), played("double-knockout", seats=(2,)))
def test_lines_between_tables_never_change_and_entrants_advance_along_them(
    single: Snapshot, double: Snapshot
) -> None:
    for format, snapshot in (("knockout", single), ("double-knockout", double)):
        lines = None
        for stood in rounds_of(snapshot):
            matches = {one.number: one for one in drawn(format, stood)}
            assert list(matches) == list(range(1, len(matches) + 1))
            found = [
                (one.number, one.round, ways(one), one.winner_to, one.loser_to) for one in matches.values()
            ]
            assert lines in (None, found)
            lines = found
            for match in matches.values():
                for slot in match.slots:
                    if slot.source and slot.entry is not None and not match.table:
                        came = matches[slot.source.match]
                        assert slot.entry in entries(came)
                        assert (slot.entry == came.winner) == slot.source.won


@examples(few=4, many=60)
@given(played("knockout", seats=(2,)), played("double-knockout", seats=(2,)))
def test_at_the_end_no_match_is_open_and_the_winner_won_the_last(single: Snapshot, double: Snapshot) -> None:
    for format, snapshot in (("knockout", single), ("double-knockout", double)):
        matches = drawn(format, snapshot)
        assert {one.state for one in matches} <= {"decided", "bye", "empty", "not-needed"}
        if any(one.last is not None for one in snapshot.entrants):
            continue  # the standings decide if the finalists leave
        deciding = [one for one in matches if one.side != "third-place" and one.winner is not None][-1]
        first = [one.entry for one in formats.get(format).standings(snapshot) if one.place == 1]
        assert first == [deciding.winner]


@pytest.mark.parametrize("format", KNOCKOUTS)
def test_before_the_first_round_byes_are_known_and_other_slots_are_open(format: str) -> None:
    """Six entrants in eight slots: the two best have a bye, and are shown in the second round."""
    matches = drawn(format, field(format, 6))
    first = [one for one in matches if one.round == 1]
    assert [(entries(one), one.state, one.winner) for one in first] == [
        ((1, None), "bye", 1),
        ((4, 5), "waiting", None),
        ((2, None), "bye", 2),
        ((3, 6), "waiting", None),
    ]
    second = [one for one in matches if one.round == 2 and one.side == "winners"]
    assert [entries(one) for one in second] == [(1, None), (2, None)]
    assert ways(second[0]) == (Source(1, won=True), Source(2, won=True))


def test_the_losers_of_the_semifinals_play_for_the_third_place() -> None:
    matches = drawn("knockout", field("knockout", 4))
    assert [(one.number, one.side, one.winner_to, one.loser_to) for one in matches] == [
        (1, "winners", 3, 4),
        (2, "winners", 3, 4),
        (3, "winners", None, None),
        (4, "third-place", None, None),
    ]
    assert ways(matches[3]) == (Source(1, won=False), Source(2, won=False))


def test_a_loser_of_the_first_bracket_drops_into_the_second_and_then_is_out() -> None:
    matches = drawn("double-knockout", field("double-knockout", 4))
    assert [(one.number, one.round, one.side, one.winner_to, one.loser_to) for one in matches] == [
        (1, 1, "winners", 3, 4),
        (2, 1, "winners", 3, 4),
        (3, 2, "winners", 6, 5),
        (4, 2, "losers", 5, None),
        (5, 3, "losers", 6, None),
        (6, 4, "final", None, None),
        (7, 5, "decider", None, None),
    ]
    assert matches[6].state == "waiting"


def double_final(*losers: int) -> Snapshot:
    """A double knockout of two played up to its final, in which `losers` lose."""
    snapshot = closed(paired("double-knockout", field("double-knockout", 2), 1))
    return closed(paired("double-knockout", snapshot, 2), *losers)


def test_the_final_is_repeated_only_where_it_leaves_both_with_a_loss() -> None:
    assert drawn("double-knockout", double_final())[-1].state == "not-needed"
    again = drawn("double-knockout", double_final(1))[-1]
    assert (again.state, entries(again)) == ("waiting", (2, 1))


def test_an_entrant_who_has_left_is_skipped() -> None:
    """Entry 1 wins its first match and leaves: its next opponent advances."""
    snapshot = closed(paired("knockout", field("knockout", 4), 1))
    gone = tuple(replace(one, last=1) if one.entry == 1 else one for one in snapshot.entrants)
    final = drawn("knockout", replace(snapshot, entrants=gone))[2]
    assert (final.state, entries(final), final.winner) == ("bye", (1, 2), 2)


def test_scores_of_the_first_measure_appear_when_the_round_closes() -> None:
    next_round = paired("knockout", field("knockout", 4), 1)
    assert [slot.score for one in drawn("knockout", next_round) for slot in one.slots] == [None] * 8
    assert [slot.score for slot in drawn("knockout", closed(next_round))[0].slots] == [19, 16]


def test_a_correction_does_not_change_a_paired_round() -> None:
    before = closed(paired("knockout", field("knockout", 4), 1))
    seated = paired("knockout", before, 2)
    worth = {1: EntrantScore("finished", (0,)), 4: EntrantScore("finished", (9,))}
    was = replaced(seated.results, (1, 1, 1), worth, number=1, until=2)
    now = corrected(seated.results, (1, 1, 1), worth)
    matches = drawn("knockout", replace(seated, results=now, superseded=was))
    assert matches[0].winner == 4
    assert entries(matches[2]) == (1, 2)
    assert matches[2].table == 1


@pytest.mark.parametrize("format", ["swiss", "round-robin"])
def test_formats_without_elimination_have_no_bracket(format: str) -> None:
    assert drawn(format, replace(field("knockout", 4), rounds=3)) == ()
