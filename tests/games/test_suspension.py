"""A suspended game: nobody moves, no clock runs, bots and jobs wait; then it goes on as it stood."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from games import services, state, suspension
from games.errors import GameSuspended
from games.models import GameRecord
from tests.games.conftest import NOON
from tests.games.tables import CONFIGS, dealt, some_move

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
WHY = "the lights are out"


def stop(game: GameRecord, *, now: Any = NOON) -> None:
    suspension.suspend(game.pk, by=None, reason=WHY, now=now)


def go_on(game: GameRecord, *, now: Any = NOON) -> GameRecord:
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
def test_it_goes_on_as_it_stood(rules: str, player: Player, rival: Player) -> None:
    people = [player, rival] if rules == "ace-race" else [player]
    game = dealt(rules, people, now=NOON)
    stop(game)
    before = state.load(game.pk)
    assert go_on(game, now=NOON + HOUR) == game
    assert state.load(game.pk) == before
    who, move = some_move(game, people, random.Random(1))
    played = services.play(game_id=game.pk, player=who, move=move, now=NOON + HOUR)
    assert played.version == before[0].version + 1
