"""A suspended game: moves are refused, clocks stop, bots and jobs wait; it continues unchanged."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Player
from core.commands import Command
from eventstore import store
from games import selectors, services, state
from games.errors import GameSuspended, NotInPlay, NotSuspended
from games.models import GameRecord, Lifted
from games.rules.bundles.verification import verify
from games.suspensions import services as suspension
from games.suspensions.records import stream_of
from tests.due_jobs import run_due
from tests.games.conftest import NOON, SEED
from tests.games.tables import CONFIGS, dealt, some_move

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
WHY = "the lights are out"


def stop(game: GameRecord, *, now: Any = NOON) -> None:
    suspension.suspend(game.pk, by=None, reason=WHY, now=now)


def resume(game: GameRecord, *, now: Any = NOON) -> GameRecord:
    return suspension.resume(game.pk, by=None, reason="they are on again", now=now)


@pytest.mark.parametrize("rules", CONFIGS)
def test_no_seat_moves_in_a_suspended_game(rules: str, player: Player, rival: Player) -> None:
    people = [player, rival] if rules in ("ace-race", "racing-demons") else [player]
    game = dealt(rules, people, now=NOON)
    who, move = some_move(game, people, random.Random(1))
    stop(game)
    before = store.head(game.pk)
    with pytest.raises(GameSuspended):
        services.play(game_id=game.pk, player=who, move=move, now=NOON)
    with pytest.raises(GameSuspended):
        services.play(game_id=game.pk, player=who, move={"type": "collect"}, now=NOON)
    assert store.head(game.pk) == before


@pytest.mark.parametrize("rules", [rules for rules in CONFIGS if rules != "racing-demons"])
def test_a_resumed_game_is_unchanged(rules: str, player: Player, rival: Player) -> None:
    people = [player, rival] if rules == "ace-race" else [player]
    game = dealt(rules, people, now=NOON)
    stop(game)
    before = state.load(game.pk)
    assert resume(game, now=NOON + HOUR) == game
    assert state.load(game.pk) == before
    who, move = some_move(game, people, random.Random(1))
    played = services.play(game_id=game.pk, player=who, move=move, now=NOON + HOUR)
    assert played.version == before[0].version + 1


# --- clocks ----------------------------------------------------------------------------------------------


def vegas(player: Player, **more: Any) -> GameRecord:
    return dealt("vegas-solitaire", [player], now=NOON, **more)


def test_the_seat_to_act_has_the_full_time_limit_after_the_resumption(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], now=NOON, move_limit=60)
    stop(game, now=NOON + timedelta(seconds=50))
    run_due(NOON + HOUR)
    assert state.load(game.pk)[0] == store.head(game.pk)
    resume(game, now=NOON + HOUR)
    before = store.head(game.pk).version
    run_due(NOON + HOUR + timedelta(seconds=59))
    assert store.head(game.pk).version == before
    run_due(NOON + HOUR + timedelta(seconds=60))
    assert store.head(game.pk).version == before + 1


def test_a_move_after_the_resumption_is_accepted_beyond_the_original_limit(
    player: Player, rival: Player
) -> None:
    game = dealt("ace-race", [player, rival], now=NOON, move_limit=60)
    people = [player, rival]
    who, move = some_move(game, people, random.Random(1))
    services.play(game_id=game.pk, player=who, move=move, now=NOON)  # its clock is cached from now on
    stop(game)
    resume(game, now=NOON + HOUR)
    who, move = some_move(game, people, random.Random(1))
    services.play(game_id=game.pk, player=who, move=move, now=NOON + HOUR + timedelta(seconds=30))
    assert store.read(game.pk)[-1].type != "expired"


def test_the_time_limit_of_the_game_is_extended_by_the_suspension(player: Player) -> None:
    game = vegas(player, game_limit=600)
    stop(game, now=NOON + timedelta(seconds=60))
    shown = selectors.envelope(GameRecord.objects.get(pk=game.pk), player, now=NOON + HOUR)
    assert shown["clock"]["ends_at"] is None
    resume(game, now=NOON + HOUR)
    run_due(NOON + HOUR + timedelta(seconds=539))
    assert state.load(game.pk)[1].status == "active"
    run_due(NOON + HOUR + timedelta(seconds=540))
    assert state.load(game.pk)[1].status == "finished"


def test_a_suspended_table_does_not_expire(player: Player) -> None:
    game = vegas(player)
    stop(game, now=NOON + HOUR)
    run_due(NOON + timedelta(days=3))
    resume(game, now=NOON + timedelta(days=3))
    run_due(NOON + timedelta(days=4) - timedelta(seconds=1))
    assert state.load(game.pk)[1].status == "active"
    run_due(NOON + timedelta(days=5))
    assert state.load(game.pk)[1].status == "finished"


# --- bots and jobs ---------------------------------------------------------------------------------------


def test_bots_wait_during_a_suspension_and_continue(player: Player) -> None:
    bots = [services.BotSeat(0, "steady")]
    game = services.create_game(
        rules="ace-race", config={}, seats=2, creator=player, bots=bots, server_seed=SEED, now=NOON
    )
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    services.start_game(game=game, actor=player, now=NOON)
    run_due(NOON)
    who, move = some_move(game, [player, player], random.Random(1))
    services.play(game_id=game.pk, player=who, move=move, now=NOON)
    waits_for_bot = state.load(game.pk)[1].to_act() == [0]
    assert waits_for_bot
    stop(game)
    before = store.head(game.pk)
    run_due(NOON)
    assert store.head(game.pk) == before
    resume(game, now=NOON + HOUR)
    run_due(NOON + HOUR)
    assert store.head(game.pk).version > before.version


def test_the_server_draws_no_card_during_a_suspension_and_then_one_at_a_time(player: Player) -> None:
    race = dealt("racing-aces", [player], now=NOON, draw_every=10, server_seed=SEED)
    run_due(NOON + timedelta(seconds=10))
    stop(race, now=NOON + timedelta(seconds=15))
    before = store.head(race.pk).version
    run_due(NOON + HOUR)
    assert store.head(race.pk).version == before
    resume(race, now=NOON + HOUR)
    run_due(NOON + HOUR + timedelta(seconds=9))
    assert store.head(race.pk).version == before
    run_due(NOON + HOUR + timedelta(seconds=10))
    assert store.head(race.pk).version == before + 1


# --- repeated requests and events ------------------------------------------------------------------------


def test_a_repeated_move_has_the_first_response_during_a_suspension(player: Player) -> None:
    game, command = vegas(player), Command("c" * 64, "f" * 64)
    first = services.play(game_id=game.pk, player=player, move={"type": "draw"}, command=command, now=NOON)
    stop(game)
    again = services.play(game_id=game.pk, player=player, move={"type": "draw"}, command=command, now=NOON)
    assert again.replayed
    assert again.version == first.version


def test_only_a_running_game_can_be_suspended_and_only_once(player: Player) -> None:
    game = services.create_game(
        rules="vegas-solitaire", config={"draw": 1, "stake": 0}, seats=1, creator=player, now=NOON
    )
    with pytest.raises(NotInPlay):
        stop(game)
    assert store.suspended_at(game.pk) is None
    other = vegas(player)
    stop(other)
    with pytest.raises(GameSuspended):
        stop(other)
    resume(other)
    with pytest.raises(NotSuspended):
        resume(other)
    services.play(game_id=other.pk, player=player, move={"type": "collect"}, now=NOON)
    with pytest.raises(NotInPlay):
        stop(other)


def test_a_separate_stream_records_the_suspension(player: Player, auditor: Player) -> None:
    game = vegas(player)
    head = store.head(game.pk)
    suspension.suspend(game.pk, by=auditor, reason=WHY, now=NOON)
    resume(game, now=NOON + HOUR)
    stop(game, now=NOON + HOUR)
    services.void_game(game_id=game.pk, reason="no one came back", by=auditor, now=NOON + HOUR)
    result = store.read(stream_of(game.pk))
    assert [event.type for event in result] == ["suspended", "resumed", "suspended", "void"]
    assert result[0].data == {
        "game": str(game.pk),
        "version": head.version,
        "hash": head.hash,
        "by": str(auditor.pk),
        "reason": WHY,
    }
    assert [one.lifted for one in game.suspensions.all()] == [Lifted.RESUMED, Lifted.VOID]


def test_a_seat_sees_that_its_game_is_suspended(player: Player) -> None:
    game = vegas(player)
    stop(game)
    shown = selectors.envelope(GameRecord.objects.get(pk=game.pk), player, now=NOON)
    assert shown["suspension"] == {"since": "2026-03-01T12:00:00.000000Z", "reason": WHY}
    assert (shown["status"], shown["legal_moves"]) == ("active", [])
    resume(game)
    shown = selectors.envelope(GameRecord.objects.get(pk=game.pk), player, now=NOON)
    assert shown["suspension"] is None
    assert shown["legal_moves"]


def test_the_bundle_of_a_game_that_was_suspended_verifies(player: Player, auditor: Player) -> None:
    game = vegas(player)
    stop(game)
    resume(game, now=NOON + HOUR)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON + HOUR)
    report = verify(selectors.bundle(GameRecord.objects.get(pk=game.pk), auditor))
    assert report.ok
    assert "not-run" not in report.checks.values()
