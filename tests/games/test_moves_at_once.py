"""Concurrent moves have the effect of some serial order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from core.commands import Command
from eventstore import store
from games import selectors, services, state
from games.models import GameRecord
from games.rules import Refused
from ledger.models import PlaySession
from ledger.selectors import transfers_of
from tests.concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

DRAW = {"type": "draw"}


def play(game: GameRecord, player: Player, move: Any, **more: Any) -> services.Played:
    return services.play(game_id=game.pk, player=player, move=move, now=game.created_at, **more)


def test_different_commands_each_take_effect_once(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    answers = at_once(*[lambda: play(game, player, DRAW)] * 8)
    assert sorted(answer.version for answer in answers) == list(range(4, 12))
    assert selectors.verification(game)["ok"]
    assert state.fold(store.read(game.pk)).view(0)["waste_count"] == 8


def test_the_same_command_takes_effect_once(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    command = Command("c" * 64, "1" * 64)
    answers = at_once(*[lambda: play(game, player, DRAW, command=command)] * 6)
    assert {(answer.version, answer.hash) for answer in answers} == {(4, store.head(game.pk).hash)}
    assert sum(not answer.replayed for answer in answers) == 1


def test_a_move_concurrent_with_the_end_comes_before_it_or_is_refused(
    player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    draw, collect = at_once(lambda: play(game, player, DRAW), lambda: play(game, player, {"type": "collect"}))
    assert collect.events[-1]["type"] == "finished"
    types = [event.type for event in store.read(game.pk)][3:]
    if isinstance(draw, Refused):
        assert draw.code == "game-over"
        assert types == ["collect", "finished"]
    else:
        assert types == ["draw", "collect", "finished"]
    assert selectors.verification(GameRecord.objects.get(pk=game.pk))["ok"]


def test_a_staked_game_pays_once(
    player: Player, staked: Callable[..., tuple[GameRecord, PlaySession]]
) -> None:
    game, _ = staked(player)
    answers = at_once(
        *[lambda: play(game, player, {"type": "collect"})] * 3,
        lambda: services.expire_game(game_id=game.pk, now=game.created_at),
        lambda: services.void_game(game_id=game.pk, reason="test", now=game.created_at),
    )
    assert sum(isinstance(answer, services.Played) for answer in answers) <= 1
    paths = [(transfer["debit"], transfer["credit"]) for transfer in transfers_of(f"game:{game.pk}")]
    assert len(paths) == len(set(paths)), "no leg was posted twice"
    report = selectors.verification(GameRecord.objects.get(pk=game.pk))
    assert report["ok"], report


def test_the_last_seat_is_given_once(player: Player, rival: Player) -> None:
    game = services.create_game(rules="racing-aces", config={}, seats=1, creator=None, now=player.date_joined)

    def sit(who: Player) -> int:
        return services.take_seat(game=game, player=who, client_seed="", now=player.date_joined).seat

    answers = at_once(lambda: sit(player), lambda: sit(rival))
    assert sum(answer == 0 for answer in answers) == 1
    assert [event.type for event in store.read(game.pk)] == ["created", "seated"]
    assert game.seatings.count() == 1


def test_two_starts_make_one_deal(
    player: Player, staked: Callable[..., tuple[GameRecord, PlaySession]], classic: Any, cashed_in: Any
) -> None:
    game = services.create_game(
        rules="vegas-solitaire",
        config={"draw": 1, "stake": 520},
        seats=1,
        creator=player,
        stake_table=classic,
        play_session=cashed_in(player),
        now=player.date_joined,
    )
    services.take_seat(game=game, player=player, client_seed="", now=player.date_joined)
    answers = at_once(*[lambda: services.start_game(game=game, actor=player, now=player.date_joined)] * 3)
    assert sum(isinstance(answer, GameRecord) for answer in answers) == 1
    assert [event.type for event in store.read(game.pk)] == ["created", "seated", "dealt"]
    assert len(transfers_of(f"game:{game.pk}")) == 1
