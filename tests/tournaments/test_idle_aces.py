"""A duplicate tournament of Idle Aces: games won, then cards built, then fewer plays (RULEBOOK 4)."""

from __future__ import annotations

import pytest

from games import services as games
from games import state
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, begin, entrants, games_of, promotion, status_of
from tournaments.models import Status
from tournaments.rounds import selectors as round_selectors

pytestmark = pytest.mark.django_db


def test_a_person_and_bots_play_the_same_deals_and_prizes_are_paid(published: Publish):
    promotion()
    tournament = begin(published, "cid", rules="idle-aces", config={"redeals": 2}, fill_to=3, rounds=1)
    [person, *_] = entrants(tournament)
    [own] = [one for one in games_of(tournament, 1) if not state.load(one.game)[1].ended]
    games.play(game_id=own.game, player=person, move={"type": "resign"}, now=NOW)
    run_due(NOW)

    assert status_of(tournament) == Status.FINISHED
    found = round_selectors.standings(tournament, None)
    assert [measure["name"] for measure in found["measures"]] == ["points", "cards", "plays"]
    first, second, last = found["standings"]
    # on one deal, two steady bots build the same cards and share the place
    assert (first["place"], second["place"]) == (1, 1)
    assert first["totals"] == second["totals"] > last["totals"]
    assert last["player"] == str(person.pk)
    assert available(tournament.subject, "escrow") == 0
    assert len(games_of(tournament, 1)) == 3
