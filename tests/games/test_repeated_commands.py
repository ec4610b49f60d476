"""A repeated move takes effect once. A move decided on an old version is refused or decided again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Player
from core.commands import Command
from core.errors import KeyReused
from eventstore import store
from games import services, state
from games.errors import StaleVersion
from games.models import GameRecord
from games.rules import Refused
from rest.problems import status_of

pytestmark = pytest.mark.django_db
Vegas = Callable[..., GameRecord]

DRAW = {"type": "draw"}
FIRST = Command("a" * 64, "1" * 64)


def play(game: GameRecord, player: Player, move: Any, **more: Any) -> services.Played:
    return services.play(game_id=game.pk, player=player, move=move, now=game.created_at, **more)


def test_a_repeated_command_has_the_first_response(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    first = play(game, player, DRAW, command=FIRST)
    for _ in range(4):
        play(game, player, DRAW)
    again = play(game, player, DRAW, command=FIRST)
    assert again.replayed
    assert not first.replayed
    for name in ("version", "hash", "events", "view", "legal_moves"):
        assert getattr(again, name) == getattr(first, name)
    assert store.head(game.pk).version == 8


def test_a_repeated_command_that_ended_the_game_has_the_first_response(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    first = play(game, player, {"type": "collect"}, command=FIRST)
    again = play(game, player, {"type": "collect"}, command=FIRST)
    assert [event["type"] for event in again.events] == ["collect", "finished"]
    assert (again.version, again.hash) == (first.version, first.hash)
    with pytest.raises(Refused, match="game-over"):
        play(game, player, {"type": "collect"}, command=Command("b" * 64, "1" * 64))


def test_a_repeated_command_is_recognised_before_the_state_refuses_it(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    for _ in range(23):
        play(game, player, DRAW)
    last = play(game, player, DRAW, command=FIRST)
    with pytest.raises(Refused, match="no-passes-left"):
        play(game, player, DRAW)
    assert play(game, player, DRAW, command=FIRST).hash == last.hash


def test_the_same_key_with_another_move_is_an_error(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    play(game, player, DRAW, command=FIRST)
    with pytest.raises(KeyReused):
        play(game, player, {"type": "collect"}, command=Command(FIRST.id, "2" * 64))
    with pytest.raises(KeyReused):
        play(game, player, {"type": "recycle"}, command=Command(FIRST.id, "2" * 64))
    assert store.head(game.pk).version == 4


def test_if_match_refuses_a_move_meant_for_an_older_version(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    play(game, player, DRAW, if_match=3)
    with pytest.raises(StaleVersion) as stale:
        play(game, player, DRAW, if_match=3)
    assert status_of(stale.value) == 412
    assert stale.value.extra["version"] == 4
    assert [event["type"] for event in stale.value.extra["events"]] == ["draw"]
    with pytest.raises(StaleVersion):
        play(game, player, DRAW, if_match=9)
    assert play(game, player, DRAW, if_match=4, command=FIRST).version == 5
    assert play(game, player, DRAW, if_match=4, command=FIRST).version == 5


def test_a_process_with_a_stale_state_decides_again(player: Player, vegas: Vegas) -> None:
    """Another process has made moves, so the cached state of this one is stale."""
    game = vegas(player)
    remembered = state.load(game.pk)
    for _ in range(3):
        play(game, player, DRAW)
    state.cache.clear()
    state.cache.put(game.pk, *remembered)
    assert play(game, player, DRAW).version == 7

    state.cache.clear()
    state.cache.put(game.pk, *remembered)
    undone = play(game, player, {"type": "undo"})
    assert undone.version == 8, "refused by what is remembered, allowed by what is"


def test_times_of_events_never_decrease_with_a_slow_clock(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move=DRAW, now=game.created_at - timedelta(days=1))
    times = [event.at for event in store.read(game.pk)]
    assert times == sorted(times)


def test_the_cached_state_equals_the_fold_of_the_events(player: Player, vegas: Vegas) -> None:
    game = vegas(player, draw=3)
    for _ in range(60):
        _, table = state.load(game.pk)
        moves = [move for move in table.legal_moves(0) if move["type"] != "collect"]
        if not moves:
            break
        play(game, player, moves[len(moves) // 2])
        assert state.fold(store.read(game.pk)) == state.load(game.pk)[1]
