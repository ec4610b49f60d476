"""Several games of Ace Race at a table are a match: each is dealt when the one before has ended, the dealer moves on,
and the winner is carried over (RULEBOOK 5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from audit.services import audit_tournament
from eventstore import store
from games import services, state
from games.models import GameRecord
from games.models import Seat as GameSeat
from games.suspensions import continuation
from games.suspensions import services as suspension
from tests.concurrency import at_once
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    NOW,
    begin,
    games_of,
    later,
    score,
    standings,
    status_of,
)
from tests.tournaments.playing import play as play_single
from tests.tournaments.test_api import Api, at
from tests.tournaments.test_run_from_a_file import held, rechained, stream
from tournaments import record
from tournaments import services as tournaments
from tournaments.formats.replay import replay
from tournaments.models import Ended, RoundState, Score, Seat, Status, TableGame, Tournament
from tournaments.report import proofs

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

MATCH: dict[str, Any] = {
    "format": "swiss",
    "rules": "ace-race",
    "config": {},
    "rounds": 1,
    "games": 2,
    "prizes": (10_000,),
}
ROUND = 600
MINUTE = 60


begun = partial(begin, **MATCH)


def dealt(tournament: Tournament) -> list[TableGame]:
    return [one for one in games_of(tournament, 1) if one.dealt_at is not None]


def config(one: TableGame) -> dict[str, Any]:
    """Return the config with which the stream of the game begins."""
    found: dict[str, Any] = store.read(one.game, until=1)[0].data["config"]
    return found


def carried(one: TableGame) -> tuple[int, int | None]:
    data = config(one)
    return data["dealer"], data["previous_winner"]


def move(one: TableGame, *, now: int = 0) -> None:
    """Make the first legal move of the seat that the game waits for."""
    table = state.load(one.game)[1]
    [seat] = table.to_act()
    player = Seat.objects.get(table=one.table, index=seat).entry.player
    services.play(game_id=one.game, player=player, move=first(table.legal_moves(seat)), now=later(now))


def play(one: TableGame, *, now: int = 0) -> list[int]:
    """Play the game to its end, and return the winners."""
    while not state.load(one.game)[1].ended:
        move(one, now=now)
    run_due(later(now))
    winners: list[int] = state.load(one.game)[1].outcome["winners"]
    return winners


def first(legal: list[dict[str, Any]]) -> dict[str, Any]:
    """Choose a move that ends the game soon: play or give away as many cards as possible."""
    return max(
        legal, key=lambda move: len(move.get("cards", move.get("gifts", ()))) if move["type"] != "bid" else 0
    )


def next_dealer(dealer: int, winners: list[int]) -> tuple[int, int | None]:
    return (dealer + 1) % 2, winners[0] if len(winners) == 1 else None


def assert_proven(tournament: Tournament) -> None:
    """Check that the tournament has finished, its replay has no fault, and its games verify."""
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0
    assert replay(str(tournament.pk), stream(tournament)).difference is None
    assert {proof.fault for proof in proofs(tournament)} == {""}
    assert audit_tournament(tournament.pk).faults == []


def running_scores(api: Api, tournament: Tournament) -> list[int | None]:
    [table] = api(None).get(at(tournament, "rounds", 1)).json()["tables"]
    return [seat["running_score"] for seat in table["seats"]]


# --- games in a row --------------------------------------------------------------------------------------


def test_the_deal_passes_and_the_winner_may_give_cards_away(api: Api, published: Publish):
    tournament = begun(published)
    [one] = dealt(tournament)
    seated = api(Seat.objects.get(table=one.table, index=0).entry.player)

    def games() -> list[dict[str, Any]]:
        [data] = api(None).get(at(tournament, "rounds", 1)).json()["tables"]
        found: list[dict[str, Any]] = data["games"]
        return found

    def shown(one: TableGame) -> dict[str, Any]:
        found: dict[str, Any] = seated.get(f"/api/v1/games/{one.game}/").json()
        return found

    assert [(one["number"], one["deal"], one["game"] is None) for one in games()] == [
        (1, 1, False),
        (2, 2, True),
    ]
    assert (shown(one)["view"]["dealer"], shown(one)["view"]["to_act"]) == (0, 1)
    [winner] = play(one)

    assert [one["ended"] for one in games()] == ["finished", None]
    running = running_scores(api, tournament)
    assert None not in running
    second = dealt(tournament)[1]
    opened = shown(second)
    assert (opened["config"]["dealer"], opened["config"]["previous_winner"]) == (1, winner)
    assert (opened["view"]["dealer"], opened["view"]["to_act"]) == (1, 0)
    while (giving := shown(second))["view"]["phase"] in ("bidding", "rule"):
        move(second)
    assert (giving["view"]["phase"], giving["view"]["to_act"]) == ("giveaway", winner)
    play(second)
    assert_proven(tournament)
    assert running_scores(api, tournament) == [None, None]
    assert running == [score[0] for score in games()[0]["scores"]]


def test_at_every_table_each_game_continues_from_the_one_before(published: Publish):
    tournament = begun(published, "cid", "dan", "eva", "flo")
    assert [(one.table.number, one.number) for one in dealt(tournament)] == [(1, 1), (2, 1)]
    due = {1: (0, None), 2: (0, None)}
    for number in (1, 2):
        for one in (one for one in dealt(tournament) if one.number == number):
            assert carried(one) == due[one.table.number]
            due[one.table.number] = next_dealer(carried(one)[0], play(one))
    assert [one.deal for one in games_of(tournament, 1)] == [1, 3, 2, 4]
    assert_proven(tournament)


def test_no_score_shows_while_another_table_plays_the_same_deal(api: Api, published: Publish):
    tournament = begin(published, "cid", "dan")
    one = games_of(tournament, 1)[0]
    play_single(one, one.table.seats.get().entry.player)
    run_due(NOW)
    tables = api(None).get(at(tournament, "rounds", 1)).json()["tables"]
    assert [table["games"][0]["ended"] for table in tables] == ["finished", None]
    assert [table["seats"][0]["running_score"] for table in tables] == [None, None]


def test_games_that_do_not_depend_on_each_other_are_dealt_together(published: Publish):
    demons = {"rules": "racing-demons", "config": {"pace": "turns"}}
    tournament = begun(published, **demons)
    assert len(dealt(tournament)) == 2
    [event] = [event for event in store.read(tournament.pk) if event.type == "games-dealt"]
    assert all("config" not in data for data in event.data["games"])


@pytest.mark.django_db(transaction=True)
def test_the_end_of_a_game_reported_twice_at_once_deals_one_game(published: Publish):
    tournament = begun(published, fee=0, games=3)
    [one] = dealt(tournament)
    services.void_game(game_id=one.game, reason="a card was missing", now=NOW)

    def end() -> None:
        with transaction.atomic():
            score(one.game, NOW)

    assert at_once(end, end, end) == [None] * 3
    assert [one.number for one in dealt(tournament)] == [1, 2]
    assert Score.objects.count() == 2
    assert GameRecord.objects.count() == 2


# --- void games and redeals ----------------------------------------------------------------------------------


def test_after_a_void_game_the_same_dealer_deals_again(published: Publish):
    tournament = begun(published, games=3)
    due = next_dealer(0, play(dealt(tournament)[0]))
    second = dealt(tournament)[1]
    services.void_game(game_id=second.game, reason="a card was missing", now=NOW)
    run_due(NOW)
    third = dealt(tournament)[2]
    assert carried(second) == carried(third) == due
    run_due(later(ROUND))
    assert_proven(tournament)
    scores = Score.objects.filter(table_game=second).values_list("measures", flat=True)
    assert list(scores) == [[0, 0], [0, 0]]


def test_a_redeal_has_the_dealer_of_the_game_that_it_replaces(published: Publish):
    tournament = begun(published, games=3)
    one = dealt(tournament)[0]
    services.void_game(game_id=one.game, reason="a card was missing", now=NOW)
    run_due(NOW)
    continuation.redeal(one.game, reason="play it again", now=later(MINUTE))
    again, second = dealt(tournament)
    assert (again.deal, carried(again), carried(second)) == (4, (0, None), (0, None))
    winners = play(second, now=MINUTE)
    assert len(dealt(tournament)) == 2, "the third waits for the new deal too"
    services.void_game(game_id=again.game, reason="missing again", now=later(MINUTE))
    run_due(later(MINUTE))
    third = dealt(tournament)[2]
    assert carried(third) == next_dealer(0, winners)
    run_due(later(ROUND + MINUTE))
    assert_proven(tournament)


def test_the_next_game_follows_a_redeal_made_before_it(published: Publish):
    tournament = begun(published)
    [one] = dealt(tournament)
    services.void_game(game_id=one.game, reason="a card was missing", now=NOW)
    continuation.redeal(one.game, reason="play it again", now=NOW)
    run_due(NOW)
    [again] = dealt(tournament)
    winners = play(again)
    second = dealt(tournament)[1]
    assert carried(second) == next_dealer(0, winners)
    run_due(later(ROUND))
    assert_proven(tournament)


def test_the_next_game_is_dealt_when_a_continued_game_has_ended(published: Publish):
    tournament = begun(published)
    [one] = dealt(tournament)
    suspension.suspend(one.game, by=None, reason="the lights are out", now=NOW)
    continuation.continue_from(one.game, version=4, reason="the lights are on", now=later(MINUTE))
    run_due(later(MINUTE))
    [child] = dealt(tournament)
    assert child.game != one.game
    winners = play(child, now=MINUTE)
    second = dealt(tournament)[1]
    assert carried(second) == next_dealer(0, winners)
    run_due(later(ROUND + MINUTE))
    assert_proven(tournament)


# --- time, absence, the end ----------------------------------------------------------------------------------


def test_at_the_time_limit_the_server_plays_the_rest_of_the_match(published: Publish):
    tournament = begun(published, games=3)
    due = next_dealer(0, play(dealt(tournament)[0]))
    run_due(later(ROUND))
    games = dealt(tournament)
    assert [one.ended for one in games] == [Ended.FINISHED, Ended.EXPIRED, Ended.EXPIRED]
    assert carried(games[1]) == due
    assert carried(games[2])[0] == 0
    assert_proven(tournament)


def test_time_lost_in_one_game_is_added_to_the_match(published: Publish):
    tournament = begun(published)
    [one] = dealt(tournament)
    suspension.suspend(one.game, by=None, reason="the lights are out", now=later(MINUTE))
    run_due(later(ROUND))
    assert [one.number for one in dealt(tournament)] == [1]
    suspension.resume(one.game, by=None, reason="the lights are on", now=later(MINUTE + ROUND))
    play(one, now=2 * ROUND - MINUTE)
    second = dealt(tournament)[1]
    suspension.suspend(second.game, by=None, reason="and out again", now=later(2 * ROUND - MINUTE))
    suspension.resume(second.game, by=None, reason="and on again", now=later(2 * ROUND))
    run_due(later(2 * ROUND + MINUTE - 1))
    second.refresh_from_db()
    assert second.ended == ""
    run_due(later(2 * ROUND + MINUTE))
    second.refresh_from_db()
    assert second.ended == Ended.EXPIRED
    assert_proven(tournament)


def test_an_absent_player_forfeits_every_game_of_the_match(published: Publish):
    tournament = begun(published, games=3, no_show_seconds=MINUTE)
    [one] = dealt(tournament)
    [here] = state.load(one.game)[1].to_act()
    player = Seat.objects.get(table=one.table, index=here).entry.player
    services.play(game_id=one.game, player=player, move={"type": "bid", "cards": 0}, now=NOW)
    for second in range(MINUTE, MINUTE + 10):
        run_due(later(second))
    assert [one.ended for one in dealt(tournament)] == [Ended.VOID] * 3
    forfeited = GameSeat.objects.filter(game__tournament=tournament.pk, forfeited=True)
    assert set(forfeited.values_list("seat", flat=True)) == {1 - here}
    assert forfeited.count() == 3
    assert_proven(tournament)
    [first, last] = standings(tournament)
    assert (first["player"], first["place"], last["place"]) == (str(player.pk), 1, 2)


def test_a_cancelled_tournament_deals_no_more_games(published: Publish):
    tournament = begun(published)
    tournaments.cancel(tournament_id=tournament.pk, actor=None, reason="rain", now=NOW)
    run_due(NOW)
    [one] = dealt(tournament)
    assert one.ended == Ended.VOID
    assert tournament.played_rounds.get().state == RoundState.OPEN
    assert replay(str(tournament.pk), stream(tournament)).status == "cancelled"
    assert audit_tournament(tournament.pk).faults == []


def test_a_game_that_ends_during_a_cancellation_deals_no_more_games(
    published: Publish, monkeypatch: pytest.MonkeyPatch
):
    """The end of the game waits for the cancellation, which holds the lock of the tournament."""
    tournament = begun(published)
    [one] = dealt(tournament)
    services.void_game(game_id=one.game, reason="a card was missing", now=NOW)
    locked = record.locked

    def overtaken(tournament_id: UUID) -> Tournament:
        monkeypatch.setattr(record, "locked", locked)
        tournaments.cancel(tournament_id=tournament.pk, actor=None, reason="rain", now=NOW)
        return locked(tournament_id)

    monkeypatch.setattr(record, "locked", overtaken)
    with transaction.atomic():
        score(one.game, NOW)
    assert [game.number for game in dealt(tournament)] == [1]


# --- proof ---------------------------------------------------------------------------------------------------

BOTS = """
seed = "a match"
[tournament]
name = "A match"
format = "swiss"
rules = "ace-race"
rounds = 1
games = 2
[[bots]]
count = 2
"""


def second_deal(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the event that deals the second game."""
    return [event for event in events if event["type"] == "games-dealt"][1]


def test_a_replay_finds_a_game_that_does_not_continue_from_the_one_before(subtests: pytest.Subtests):
    tournament = held(BOTS)
    assert_proven(tournament)
    whole, id = stream(tournament), str(tournament.pk)

    def win(data: dict[str, Any]) -> None:
        """Change the winner, and carry the change over correctly."""
        [loser] = {0, 1} - set(data["after"]["outcome"]["winners"])
        data["after"]["outcome"]["winners"] = [loser]
        data["config"]["previous_winner"] = loser

    def begin(data: dict[str, Any]) -> None:
        data["number"] = 1
        data["deal"] = 1

    forgeries: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
        "dealer": ("the config of game 2", lambda data: data["config"].update(dealer=0)),
        "winner": ("the config of game 2", lambda data: data["config"].update(previous_winner=None)),
        "before": ("the game before it of game 2", lambda data: data["after"].update(game=data["game"])),
        "missing": ("the event cannot be replayed: 'after'", lambda data: data.pop("after")),
        "first": ("what the config follows from of game 1", begin),
        "outcome": ("the score of entry", win),
    }
    for name, (what, forge) in forgeries.items():
        with subtests.test(name):
            events = json.loads(json.dumps(whole))
            forge(second_deal(events)["data"]["games"][0])
            found = replay(id, rechained(id, events)).difference
            assert found is not None
            assert found.what.startswith(what), found
