"""Concurrent moves, suspensions, and openings of tables have the effect of some serial order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from core.commands import Command
from eventstore import store
from games import selectors, services, state
from games.errors import GameSuspended, NotInPlay
from games.models import GameRecord, Suspension
from games.rules import Refused
from games.suspensions import services as suspension
from ledger.models import PlaySession
from ledger.selectors import transfers_of
from tests.concurrency import at_once
from tests.games.conftest import at_stake_table

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
    game = at_stake_table(player, classic, cashed_in(player), now=player.date_joined)
    answers = at_once(*[lambda: services.start_game(game=game, actor=player, now=player.date_joined)] * 3)
    assert sum(isinstance(answer, GameRecord) for answer in answers) == 1
    assert [event.type for event in store.read(game.pk)] == ["created", "seated", "dealt"]
    assert len(transfers_of(f"game:{game.pk}")) == 1


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


def test_concurrently_opened_tables_are_counted_one_after_the_other(
    api: Any, player: Player, settings: Any
) -> None:
    settings.OPEN_TABLES_PER_PLAYER = most = 3
    clients = [api(player) for _ in range(8)]
    answers = at_once(
        *(partial(client.post, "/api/v1/games/", {"rules": "racing-aces"}) for client in clients)
    )
    assert sorted(answer.status_code for answer in answers) == [201] * most + [429] * (8 - most)
    assert GameRecord.objects.filter(creator=player).count() == most
