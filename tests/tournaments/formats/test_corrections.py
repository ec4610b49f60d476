"""Corrections: the effects match the preview, and paired rounds stay."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.tournaments.formats.fields import examples, played
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats import corrections, history
from tournaments.formats.checker import check_all
from tournaments.formats.corrected_results import EntrantScore
from tournaments.formats.corrections import (
    CorrectionAffectsPairings,
    Forfeited,
    Game,
    Impossible,
    NoSuchResult,
    NotAtTable,
    NotClosed,
    Scored,
    Swapped,
    Unchanged,
    Void,
    after,
    correction,
    effects,
)
from tournaments.formats.history import History
from tournaments.formats.protocol import Result, Snapshot, Standing
from tournaments.formats.scoring import game_scores

FORMATS = ("swiss", "round-robin", "knockout", "double-knockout")


def history_of(format: str, snapshot: Snapshot, **more: object) -> History:
    """Return the history into which the events of the tournament fold."""
    return History(
        **{
            "status": "running",
            "format": format,
            "rounds": snapshot.rounds,
            "games": snapshot.games,
            "measures": snapshot.measures,
            "sizes": snapshot.sizes,
            "preferred": snapshot.preferred,
            "through": snapshot.through,
            "columns": snapshot.columns,
            "ratings": {one.entry: one.rating for one in snapshot.entrants},
            "seeding": tuple(one.entry for one in sorted(snapshot.entrants, key=lambda one: one.seeding)),
            "played": snapshot.played,
            "lot_key": snapshot.lot,
            "entrants": tuple(
                history.Entrant(one.entry, f"p{one.entry}", one.first, one.last) for one in snapshot.entrants
            ),
            "closed": len(snapshot.played),
            "results": snapshot.results,
            "constraints": snapshot.constraints,
            **more,
        }
    )


def no_prizes(standings: object) -> dict[int, int]:
    return {}


def winner_takes_all(standings: tuple[Standing, ...]) -> dict[int, int]:
    first = [one.entry for one in standings if one.place == 1]
    return {one.entry: 100 // len(first) if one.entry in first else 0 for one in standings}


@st.composite
def corrected(draw: st.DrawFn) -> tuple[History, Game, corrections.Way]:
    """A tournament of some format, one of its games, and some way to correct it."""
    format = draw(st.sampled_from(FORMATS))
    state = history_of(format, draw(played(format, most=12)))
    tables = [(one.round, table) for one in state.played for table in one.tables]
    assume(tables)
    round, table = draw(st.sampled_from(tables))
    scores = st.tuples(st.integers(-20, 20), st.integers(0, 50))
    way = draw(
        st.one_of(
            st.builds(Scored, st.fixed_dictionaries(dict.fromkeys(table.seats, scores))),
            st.just(Void()),
            st.builds(Forfeited, st.lists(st.sampled_from(table.seats), min_size=1, max_size=1)),
            st.builds(Swapped, st.just(table.seats[:2])),
        )
    )
    return state, Game(round, table.number, draw(st.integers(1, state.games))), way


def back(made: corrections.Correction) -> corrections.Way:
    return lambda state, known: dict(made.was)


@pytest.mark.slow
@examples(few=4, many=60)
@given(corrected())
def test_a_correction_and_its_inverse_restore_the_standings(case):
    state, game, way = case
    form = formats.get(state.format)
    try:
        made = correction(state, game, way)
        effects(state, made, no_prizes)
    except (Unchanged, CorrectionAffectsPairings):
        assume(False)
    later = after(state, made)
    with pytest.raises(Unchanged):
        correction(later, game, lambda state, known: dict(made.now))
    again = after(later, correction(later, game, back(made)))
    assert form.standings(again.snapshot()) == form.standings(state.snapshot())
    assert (again.results, again.corrections) == (state.results, 2)
    assert check_all(form, again.snapshot()) == ()
    assert again.snapshot().fingerprint() == state.snapshot().fingerprint()


@pytest.mark.slow
@examples(few=4, many=60)
@given(corrected())
def test_the_preview_matches_the_effects_and_played_rounds_are_paired_the_same(case):
    state, game, way = case
    form = formats.get(state.format)
    try:
        made = correction(state, game, way)
        found = effects(state, made, no_prizes)
    except (Unchanged, CorrectionAffectsPairings):
        assume(False)
    later = after(state, made)
    before = {one.entry: one for one in form.standings(state.snapshot())}
    assert found.standings == form.standings(later.snapshot())
    assert {one.now.entry: (one.was, one.now) for one in found.moved} == {
        one.entry: (before[one.entry], one) for one in found.standings if before[one.entry] != one
    }
    assert check_all(form, later.snapshot()) == ()
    assert later.snapshot().original_results() == {
        (one.round, one.table, one.deal, one.entry): one
        for one in state.results
        if (one.round, one.table, one.deal) == (made.round, made.table, made.deal)
        and made.now[one.entry] != made.was[one.entry]
    }


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(4, 12))
def test_the_next_round_is_paired_from_the_corrected_result(seed, closed, entrants):
    """The tournament is then played to its end, and the checker pairs all rounds again."""
    form, chance = formats.get("swiss"), Random(seed)
    whole = generate(form, Plan(entrants, rounds=4), chance)
    cut = replace(
        whole,
        played=whole.played[:closed],
        results=tuple(one for one in whole.results if one.round <= closed),
    )
    state = history_of("swiss", cut)
    round = chance.randint(1, closed)
    table = whole.played[round - 1].tables[0]
    try:
        made = correction(state, Game(round, 1), Swapped(table.seats))
    except Unchanged:
        assume(False)
    state = after(state, made)
    for number in range(closed + 1, whole.rounds + 1):
        pairing = form.pair(state.snapshot(), number)
        results = tuple(
            Result(number, at.number, at.number, entry, "finished", (chance.randrange(20), 0))
            for at in pairing.tables
            for entry in at.seats
        )
        state = replace(
            state, played=(*state.played, pairing), results=(*state.results, *results), closed=number
        )
    assert check_all(form, state.snapshot()) == ()
    assert state.snapshot().results_before(closed + 1) == tuple(
        one for one in state.results if one.round <= closed
    )


SWISS = history_of("swiss", generate(formats.get("swiss"), Plan(5, rounds=3), Random(2)))
[ONE, OTHER] = SWISS.played[0].tables[0].seats
[BYE] = SWISS.played[0].byes


def scores(**changes: tuple[int, ...]) -> Scored:
    return Scored({ONE: (5, 1), OTHER: (4, 1), **{int(entry): score for entry, score in changes.items()}})


def test_an_impossible_correction_names_the_reason():
    for game, way, error, why in (
        (Game(9, 1), Void(), NoSuchResult, "no round 9"),
        (Game(1, 3), Void(), NoSuchResult, "2 tables"),
        (Game(1, 1, 2), Void(), NoSuchResult, "1 games"),
        (Game(1, 1), Scored({ONE: (5, 1)}), NotAtTable, f"Entry {OTHER} is missing"),
        (Game(1, 1), scores(**{"99": (1, 1)}), NotAtTable, "Entry 99"),
        (Game(1, 1), scores(**{str(BYE): (1, 1)}), NotAtTable, f"Entry {BYE} was not"),
        (Game(1, 1), Forfeited([BYE]), NotAtTable, f"Entry {BYE} was not"),
        (Game(1, 1), Forfeited([]), NotAtTable, "once"),
        (Game(1, 1), Swapped([ONE, ONE]), NotAtTable, "once"),
        (Game(1, 1), Swapped([ONE]), NotAtTable, "Name exactly two"),
        (Game(1, 1), scores(**{str(ONE): (1,)}), Impossible, "one number for each of"),
        (Game(1, 1), lambda state, known: dict(known), Unchanged, "already"),
    ):
        with pytest.raises(error, match=why):
            correction(SWISS, game, way)


def test_an_open_round_has_no_results_to_correct():
    with pytest.raises(NotClosed, match="Round 3"):
        correction(replace(SWISS, closed=2), Game(3, 1), Void())


@pytest.mark.parametrize(
    ("rules", "score", "why"),
    [
        ("vegas-solitaire", (53, 53, 9), "Points must be from 0 to 52, not 53."),
        ("vegas-solitaire", (5, 5, -1), "Moves"),
        ("idle-aces", (2, 9, 1), "Points"),
        ("idle-aces", (0, 7, 1), "Cards must be from 8 to 104, not 7"),
        ("ace-race", (1, 55), "Hand"),
        ("racing-demons", (83,), "Score must be from -13 to 82, not 83"),
    ],
)
def test_a_score_above_the_maximum_of_the_game_is_refused(rules, score, why):
    assert why in game_scores.impossible(rules, [score])
    measures = game_scores.get(rules).measures
    results = tuple(replace(one, score=score) for one in SWISS.results)
    state = replace(SWISS, rules=rules, measures=measures, results=results)
    with pytest.raises(Impossible):
        correction(state, Game(1, 1), Scored({ONE: score, OTHER: score}))


def knockout(entrants: int = 4, *, seed: int = 3) -> History:
    return history_of("knockout", generate(formats.get("knockout"), Plan(entrants, seats=2), Random(seed)))


def test_an_entrant_who_advanced_in_a_bracket_stays_advanced():
    state = knockout()
    table = state.played[0].tables[0]
    with pytest.raises(CorrectionAffectsPairings, match="Round 2"):
        effects(state, correction(state, Game(1, 1), Swapped(table.seats)), no_prizes)
    points = {one.entry: one.score for one in state.results if (one.round, one.table) == (1, 1)}
    best = max(points, key=lambda entry: points[entry])
    more = Scored({entry: (score[0] + (entry == best), score[1]) for entry, score in points.items()})
    found = effects(state, correction(state, Game(1, 1), more), no_prizes)
    assert found.pairings == ()


def test_a_corrected_final_changes_the_winner_and_the_prizes():
    state = replace(knockout(), status="finished")
    standings = formats.get("knockout").standings(state.snapshot())
    awards = winner_takes_all(standings)
    state = replace(state, awards=awards)
    final = state.played[-1].tables[0]
    found = effects(
        state, correction(state, Game(len(state.played), 1), Swapped(final.seats)), winner_takes_all
    )
    [winner], [other] = found.winners_were, found.winners
    assert {winner, other} == set(final.seats)
    assert [(one.entry, one.was, one.now) for one in found.prizes] == sorted(
        [(winner, 100, 0), (other, 0, 100)]
    )


def test_in_a_swiss_the_rounds_with_other_pairings_are_listed():
    for seed in range(40):
        state = history_of("swiss", generate(formats.get("swiss"), Plan(8, rounds=4), Random(seed)))
        table = state.played[0].tables[0]
        found = effects(state, correction(state, Game(1, 1), Swapped(table.seats)), no_prizes)
        if found.pairings:
            break
    [first, *_] = found.pairings
    assert first.was == state.played[first.was.round - 1]
    assert first.would_be is not None
    assert first.would_be != first.was


def test_a_forfeited_game_of_a_duplicate_scores_zero():
    plan = Plan(3, rounds=1, seats=1, sizes=(1,), columns=())
    state = history_of("duplicate", generate(formats.get("duplicate"), plan, Random(1)))
    made = correction(state, Game(1, 2), Forfeited([2]))
    assert made.now == {2: EntrantScore("forfeit", (0, 0))}
    assert effects(state, made, no_prizes).pairings == ()
