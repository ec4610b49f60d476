"""Standings now and as of any event."""

from __future__ import annotations

import pytest

from core.errors import NoSuchVersion
from eventstore import store
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, begin, enter, entrants, games_of, play, play_round, rich, standings
from tournaments import record
from tournaments.formats.history import fold
from tournaments.models import Tournament
from tournaments.rounds import selectors as round_selectors

pytestmark = pytest.mark.django_db


def version_of(tournament, type: str, nth: int = 0) -> int:
    return [event.version for event in store.read(tournament.pk) if event.type == type][nth]


def test_standings_as_of_each_round_are_those_of_that_time(published: Publish):
    tournament = begin(published, "cid", "dan", rounds=2)
    seen = {}
    for round in (1, 2):
        play_round(tournament, round)
        closed = version_of(tournament, "round-closed", round - 1)
        seen[closed] = round_selectors.standings(tournament, None, at=closed)
    first, second = seen.values()
    assert [each["games"] for each in first["standings"]] == [1, 1]
    assert [each["games"] for each in second["standings"]] == [2, 2]
    assert (first["rounds_closed"], second["rounds_closed"]) == (1, 2)
    assert first["status"] == "running"
    # Later events have not changed earlier standings.
    assert {version: round_selectors.standings(tournament, None, at=version) for version in seen} == seen


def test_standings_as_of_the_last_event_are_the_present_ones(pair: Tournament):
    tournament = pair
    play_round(tournament, 1)
    assert record.load(tournament.pk) == fold((event.type, event.data) for event in store.read(tournament.pk))
    events = store.read(tournament.pk)[-3]
    assert events.type == "standings"
    now = round_selectors.standings(tournament, None)
    assert [each["entry"] for each in now["standings"]] == [
        each["entry"] for each in events.data["standings"]
    ]
    assert now["version"] == store.head(tournament.pk).version


def test_a_running_round_shows_no_scores(pair: Tournament):
    tournament = pair
    play(games_of(tournament, 1)[0], entrants(pair)[0])
    run_due(NOW)
    assert [each["totals"] for each in standings(tournament)] == [[0, 0, 0]] * 2
    [table, _] = round_selectors.round_document(tournament, 1, None, now=NOW)["tables"]
    assert table["games"][0]["ended"] == "finished"
    assert table["games"][0]["scores"] is None


def test_standings_as_of_an_unknown_event_are_refused(pair: Tournament):
    for at in (999, 0):
        with pytest.raises(NoSuchVersion):
            round_selectors.standings(pair, None, at=at)


def test_an_entrant_who_entered_again_is_listed_once(published: Publish):
    from tournaments import services

    tournament = published()
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    before = store.head(tournament.pk).version
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    enter(tournament, cid)
    names = {each["entry"]: each["name"] for each in round_selectors.standings(tournament, cid)["standings"]}
    assert names == {2: "dan", 3: "cid"}
    earlier = {
        each["entry"]: each["player"]
        for each in round_selectors.standings(tournament, None, at=before)["standings"]
    }
    assert earlier == {1: str(cid.pk), 2: str(dan.pk)}
