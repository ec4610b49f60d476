"""Players on turn are notified once until they move, after a delay, and not while they watch."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from accounts.models import Player
from accounts.services import create_bot
from eventstore.feed import Reader
from games import presence, services, turns
from games.models import GameRecord, Seat, Status, TurnCheck
from games.suspensions import services as suspensions
from jobs import services as jobs
from notifications import kinds, watching
from notifications.models import Notification, Watch
from tests.concurrency import at_once
from tests.conftest import NOW
from tests.due_jobs import run_due
from tests.games.tables import dealt, next_to_act, some_move
from tests.notifications.conftest import Follow, announced
from tests.waiting import wait_until_final

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    watching._recorded.clear()


def play(game: GameRecord, people: list[Player], now=NOW) -> None:
    who, move = some_move(game, people, random.Random(1))
    services.play(game_id=game.pk, player=who, move=move, now=now)


def looked(now=NOW + MINUTE) -> list[str]:
    """Look for turns, and return the notifications of that moment."""
    known = set(Notification.objects.values_list("pk", flat=True))
    turns.look(now=now)
    return announced(known)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_player_on_turn_is_notified_once_until_they_move(
    follow: Follow, player: Player, rival: Player
) -> None:
    people = [player, rival]
    game = dealt("ace-race", people, now=NOW)
    assert follow() == []
    first = next_to_act(game, people)
    assert looked(NOW + MINUTE - timedelta(seconds=1)) == []
    assert looked() == [f"{first.username}: Your turn: Ace Race"]
    assert looked(NOW + 10 * MINUTE) == []
    [row] = Notification.objects.all()
    kind = kinds.find("turn")
    assert kind is not None
    assert (kind.link(row.values), kind.is_current(first.pk, row.values)) == (f"/games/{game.pk}/", True)
    while next_to_act(game, people) == first:
        play(game, people, NOW + 11 * MINUTE)
    assert not kind.is_current(first.pk, row.values)
    second = next_to_act(game, people)
    follow(NOW + 11 * MINUTE)
    assert looked(NOW + 12 * MINUTE) == [f"{second.username}: Your turn: Ace Race"]


def test_a_move_of_another_or_of_the_server_is_no_reason_to_notify_again(
    follow: Follow, player: Player, rival: Player
) -> None:
    people = [player, rival]
    game = dealt("ace-race", people, now=NOW)
    follow()
    first = next_to_act(game, people)
    assert len(looked()) == 1
    while next_to_act(game, people) == first:
        services.expire_game(game_id=game.pk, now=NOW + timedelta(days=3))
        if GameRecord.objects.get(pk=game.pk).status != Status.ACTIVE:
            break
    follow(NOW + timedelta(days=3))
    later = looked(NOW + timedelta(days=3) + MINUTE)
    assert f"{first.username}: Your turn: Ace Race" not in later


def test_who_watches_the_game_is_notified_only_after_leaving_it(
    follow: Follow, player: Player, rival: Player, stranger: Player
) -> None:
    people = [player, rival]
    game = dealt("ace-race", people, now=NOW)
    follow()
    first = next_to_act(game, people)
    readers = [Reader(who.pk, game.pk) for who in (first, stranger)]
    presence.record_presence(readers, now=NOW + MINUTE)
    assert [row.player_id for row in Watch.objects.all()] == [first.pk]
    assert looked() == []
    assert looked(NOW + 4 * MINUTE) == [f"{first.username}: Your turn: Ace Race"]


def test_heartbeats_seldom_write(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], now=NOW)
    presence.record_presence([Reader(player.pk, game.pk)], now=NOW)
    presence.record_presence([Reader(player.pk, game.pk)], now=NOW + MINUTE)
    assert Watch.objects.get().seen_at == NOW
    watching._recorded.clear()
    presence.record_presence([Reader(player.pk, game.pk)], now=NOW + MINUTE)
    assert Watch.objects.get().seen_at == NOW + MINUTE
    watching.prune(now=NOW + timedelta(hours=2))
    assert not Watch.objects.exists()


def test_solitaires_bots_and_games_in_real_time_announce_no_turn(follow: Follow, player: Player) -> None:
    dealt("vegas-solitaire", [player], now=NOW)
    bots = [create_bot(name=name) for name in ("one", "two")]
    dealt("ace-race", bots, now=NOW)
    follow()
    assert not TurnCheck.objects.exists()
    race = dealt("racing-demons", [player, bots[0]], now=NOW, config={"pace": "race"})
    follow()
    assert TurnCheck.objects.get().game == race
    assert looked() == []
    assert not TurnCheck.objects.exists()


def test_forfeited_seats_and_suspended_and_ended_games_are_passed_over(
    follow: Follow, player: Player, rival: Player, auditor: Player
) -> None:
    people = [player, rival]
    forfeited, suspended, ended = (dealt("ace-race", people, now=NOW) for _ in range(3))
    Seat.objects.filter(game=forfeited).update(forfeited=True)
    suspensions.suspend(game_id=suspended.pk, by=auditor, reason="a claim", now=NOW)
    follow()
    services.void_game(game_id=ended.pk, reason="broken", now=NOW)
    assert looked() == []
    assert TurnCheck.objects.get().game == suspended
    suspensions.resume(game_id=suspended.pk, by=auditor, reason="done", now=NOW + MINUTE)
    assert len(looked(NOW + timedelta(hours=2))) == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_notify_once(follow: Follow, player: Player, rival: Player) -> None:
    dealt("ace-race", [player, rival], now=NOW)
    follow()
    at_once(*[lambda: turns.look(now=NOW + MINUTE)] * 2)
    assert Notification.objects.count() == 1


def test_the_recurring_jobs_follow_look_and_prune(follow: Follow, player: Player, rival: Player) -> None:
    for kind in ("notifications.follow", "games.turns", "notifications.prune"):
        jobs.schedule(kind=kind, key=f"every:{kind}", payload={}, due=NOW)
    dealt("ace-race", [player, rival], now=NOW)
    wait_until_final()
    run_due(NOW)
    assert TurnCheck.objects.count() == 1
    run_due(NOW + MINUTE)
    assert Notification.objects.get().kind == "turn"
    run_due(NOW + timedelta(days=100))
    assert not Notification.objects.exists()
