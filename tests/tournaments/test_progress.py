"""The progress of a running round: finished tables, moves a minute, and the estimated end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from games import services as games
from games import state
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, enter, games_of, later, play, rich, start
from tournaments import record, selectors
from tournaments.models import Tournament
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds.selectors import progress

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def running(published: Publish, people: int = 4):
    tournament = published(rounds=1)
    players = [rich(f"player-{number}-of-{people}") for number in range(1, people + 1)]
    enter(tournament, *players)
    start(tournament)
    return tournament, dict(zip(games_of(tournament, 1), players, strict=True))


def test_there_is_no_progress_before_the_first_round_and_after_the_last(published: Publish):
    assert progress(published(), now=NOW) is None
    tournament, _ = running(published)
    run_due(later(600))
    assert progress(tournament, now=later(600)) is None


def test_there_is_no_estimate_before_a_table_has_finished(published: Publish):
    tournament, _ = running(published)
    result = progress(tournament, now=later(60))
    assert result == {
        "round": 1,
        "games": 4,
        "dealt": 4,
        "ended": 0,
        "tables": 4,
        "tables_done": 0,
        "moves_per_minute": None,
        "estimated_end": None,
    }


def test_the_estimate_follows_the_pace_of_finished_tables(published: Publish):
    tournament, games = running(published)
    one, player = next(iter(games.items()))
    play(one, player, moves=5, now=later(90))
    run_due(later(90))
    result = progress(tournament, now=later(120))
    assert (result["tables"], result["tables_done"], result["ended"]) == (4, 1, 1)
    assert result["moves_per_minute"] is None, (
        "the number of others' moves would reveal the length of the deal"
    )
    assert result["estimated_end"] == later(120 + 3 * 120)
    shown = round_selectors.round_document(tournament, 1, None, now=later(120))
    assert shown["progress"] == result == selectors.document(tournament, None, now=later(120))["progress"]


def test_the_estimated_end_is_not_after_the_time_limit(published: Publish):
    tournament, games = running(published)
    one, player = next(iter(games.items()))
    play(one, player, moves=5, now=later(500))
    run_due(later(500))
    assert progress(tournament, now=later(500))["estimated_end"] == later(600)
    assert progress(tournament, now=later(700))["estimated_end"] == later(700)


def test_the_moves_of_the_last_minutes_are_counted_unless_tables_share_a_deal(published: Publish):
    tournament = published(format="swiss", rounds=1, fee=0, rules="ace-race", config={}, prizes=())
    people = {str(who.pk): who for who in (rich("cid"), rich("dan"))}
    enter(tournament, *people.values())
    start(tournament)
    assert progress(tournament, now=NOW)["moves_per_minute"] is None, "no time has gone by"
    [one] = games_of(tournament, 1)
    for made in (1, 2, 3):
        table = state.load(one.game)[1]
        [seat] = table.to_act()
        move = table.legal_moves(seat)[-1]
        games.play(game_id=one.game, player=people[table.seats[seat].player], move=move, now=later(10 * made))
    assert progress(tournament, now=later(120))["moves_per_minute"] == 1.5
    assert progress(tournament, now=NOW + timedelta(seconds=350))["moves_per_minute"] == 0


def queries(tournament: Tournament) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries_made:
        progress(tournament, now=later(60))
    return len(queries_made)


def test_a_larger_round_takes_no_more_queries(published: Publish):
    small, _ = running(published, 2)
    large, _ = running(published, 6)
    assert queries(small) == queries(large) == 3


def test_a_document_names_the_version_that_its_state_follows_from(
    published: Publish, organizer: Player, monkeypatch: pytest.MonkeyPatch
):
    """Another event is stored while a page loads the state. A newer version would say that the page has seen it."""
    tournament = published(rounds=1)
    enter(tournament, *(rich(f"early-{number}") for number in range(2)))
    load = record.load_with_head

    def interrupted(tournament_id: UUID) -> Any:
        head, state = load(tournament_id)
        monkeypatch.setattr(record, "load_with_head", load)
        enter(tournament, rich("late"))
        return head, state

    monkeypatch.setattr(record, "load_with_head", interrupted)
    shown = selectors.document(tournament, organizer, now=NOW)
    assert shown["version"] == record.head(tournament).version - 1
