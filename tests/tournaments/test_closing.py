"""The end of a round: by its last game or its time limit, and the scores of unfinished games."""

from __future__ import annotations

import pytest

from eventstore import store
from games import services as games
from games import state
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, begin, entrants, games_of, later, play, play_round, status_of
from tournaments.models import Ended, RoundState, Status, Tournament
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def draws(one, player, count: int) -> None:
    for _ in range(count):
        games.play(game_id=one.game, player=player, move={"type": "draw"}, now=NOW)


def test_at_the_time_limit_the_server_collects_and_the_game_is_scored(pair: Tournament):
    tournament, [cid, dan] = pair, entrants(pair)
    played, late = games_of(tournament, 1)
    play(played, cid)
    draws(late, dan, 3)
    run_due(later(599))
    assert tournament.played_rounds.get().state == RoundState.OPEN
    run_due(later(600))

    late.refresh_from_db()
    assert late.ended == Ended.EXPIRED
    assert state.load(late.game)[1].outcome["result"] == "collected"
    # Three draws, and the collection by the server.
    assert late.scores.get().measures[2] == 4
    assert status_of(tournament) == Status.FINISHED
    assert [one.ended for one in games_of(tournament, 1)] == [Ended.FINISHED, Ended.EXPIRED]


def test_an_absent_player_scores_the_deal_without_a_move(pair: Tournament):
    tournament = pair
    run_due(later(600))
    standings = round_selectors.standings(tournament, None)["standings"]
    assert [(each["place"], each["totals"]) for each in standings] == [(1, [0, 0, 1]), (1, [0, 0, 1])]


def test_the_round_closes_when_all_games_are_over(pair: Tournament):
    tournament = pair
    play_round(tournament, 1, now=later(5))
    round = tournament.played_rounds.get()
    assert (round.state, round.closed_at) == (RoundState.CLOSED, later(5))
    # The job of the time limit runs later and has no effect.
    before = store.head(tournament.pk)
    run_due(later(600))
    assert store.head(tournament.pk) == before


def test_a_round_with_a_running_game_stays_open_until_its_time_limit(pair: Tournament):
    tournament = pair
    assert rounds.close_round(tournament_id=tournament.pk, number=1, now=later(599)) is False
    assert tournament.played_rounds.get().state == RoundState.OPEN
    assert not state.load(games_of(tournament, 1)[0].game)[1].ended


def test_many_unfinished_games_are_ended_in_batches(published: Publish, monkeypatch):
    monkeypatch.setattr(rounds, "CHUNK", 2)
    tournament = begin(published, "cid", "dan", "eva", "flo", "gus", rounds=1, fee=0)
    answers = [rounds.close_round(tournament_id=tournament.pk, number=1, now=later(600)) for _ in range(3)]
    assert answers == [True, True, False]
    assert tournament.played_rounds.get().state == RoundState.CLOSED


def test_a_void_game_scores_zero(pair: Tournament):
    tournament, [_, dan] = pair, entrants(pair)
    first, second = games_of(tournament, 1)
    games.void_game(game_id=first.game, reason="spilt tea", now=NOW)
    play(second, dan, moves=3)
    run_due(NOW)
    assert [one.ended for one in games_of(tournament, 1)] == [Ended.VOID, Ended.FINISHED]
    assert first.scores.get().measures == [0, 0, 0]


def test_a_move_after_the_close_is_refused(pair: Tournament):
    from games.rules import Refused

    tournament, [cid, _] = pair, entrants(pair)
    first, _ = games_of(tournament, 1)
    run_due(later(600))
    with pytest.raises(Refused, match="game-over"):
        games.play(game_id=first.game, player=cid, move={"type": "draw"}, now=later(601))
