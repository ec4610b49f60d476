"""A concurrent move and suspension are ordered: no event follows a suspension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from games import selectors, services
from games.errors import GameSuspended, NotInPlay
from games.models import GameRecord, Suspension
from games.rules import Refused
from games.suspensions import services as suspension
from tests.games.test_moves_at_once import DRAW, at_once, play

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Vegas = Callable[..., GameRecord]
ROUNDS = 4
DEALT = 3
"""The version of a game whose cards have been dealt."""


def suspend(game: GameRecord) -> Suspension:
    return suspension.suspend(game.pk, by=None, reason="looked at", now=game.created_at)


def head_is_unchanged(game: GameRecord, player: Player, moves: Sequence[Any]) -> None:
    """Accepted moves come before the suspension, all others are refused, and none follow."""
    taken = [one for one in moves if isinstance(one, services.Played)]
    assert all(type(one) is GameSuspended for one in moves if one not in taken), moves
    [standing] = Suspension.objects.filter(game=game, lifted_at=None)
    head = store.head(game.pk)
    assert (standing.version, DEALT + len(taken)) == (head.version, head.version)
    assert sorted(one.version for one in taken) == list(range(DEALT + 1, head.version + 1))
    with pytest.raises(GameSuspended):
        play(game, player, DRAW)
    assert store.head(game.pk) == head
    assert selectors.verification(GameRecord.objects.get(pk=game.pk))["ok"]


def test_a_move_is_before_the_suspension_or_refused(player: Player, vegas: Vegas) -> None:
    for number in range(ROUNDS):
        game = vegas(player)
        jobs: list[Callable[[], Any]] = [lambda game=game: play(game, player, DRAW)] * (ROUNDS - 1)
        jobs.insert(number, lambda game=game: suspend(game))
        done = at_once(*jobs)
        assert isinstance(done.pop(number), Suspension)
        head_is_unchanged(game, player, done)


def test_a_game_ends_before_its_suspension_or_stays_open(player: Player, vegas: Vegas) -> None:
    for _ in range(ROUNDS):
        game = vegas(player)
        ended, suspended = at_once(
            lambda game=game: play(game, player, {"type": "collect"}), lambda game=game: suspend(game)
        )
        if isinstance(suspended, Suspension):
            assert type(ended) is GameSuspended
            head_is_unchanged(game, player, [])
            continue
        assert type(suspended) is NotInPlay
        assert ended.events[-1]["type"] == "finished"
        assert not Suspension.objects.filter(game=game).exists()
        with pytest.raises(Refused):
            play(game, player, DRAW)


def test_of_two_concurrent_suspensions_one_takes_effect(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    done = at_once(*[lambda: suspend(game)] * 4)
    assert [type(one) for one in done].count(Suspension) == 1
    assert [type(one) for one in done].count(GameSuspended) == 3
    head_is_unchanged(game, player, [])


def test_a_concurrent_expiry_does_not_end_a_suspended_game(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    done, suspended = at_once(
        lambda: services.expire_game(game_id=game.pk, now=game.created_at), lambda: suspend(game)
    )
    if isinstance(suspended, Suspension):
        head = store.head(game.pk)
        assert suspended.version == head.version == DEALT, done
    else:
        assert type(suspended) is NotInPlay


def test_a_move_is_after_the_resumption_or_refused(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    suspend(game)
    moved, resumed = at_once(
        lambda: play(game, player, DRAW),
        lambda: suspension.resume(game.pk, by=None, reason="looked at", now=game.created_at),
    )
    assert isinstance(resumed, GameRecord)
    assert isinstance(moved, services.Played) or type(moved) is GameSuspended
    assert store.head(game.pk).version == DEALT + isinstance(moved, services.Played)
    assert play(game, player, DRAW).version == store.head(game.pk).version
