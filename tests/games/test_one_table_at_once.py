"""Eight concurrent players at one table: every accepted move is stored once, and refusals leave no trace."""

from __future__ import annotations

import multiprocessing
import random
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from django.db import connections, transaction
from django.utils import timezone

from accounts.models import Player
from core.commands import Command
from eventstore import store
from games import bots, selectors, services, state
from games.models import GameRecord
from games.rules import Refused
from tests.concurrency import at_once
from tests.conftest import person
from tests.games.tables import dealt

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SEATS = 8
DEALING = 2 + SEATS
"""Events before the first move."""
TURN = {"type": "turn"}


class Attempt(NamedTuple):
    """A command with its result: the events that it made, or the code of its refusal."""

    command: Command
    versions: tuple[int, ...]
    code: str | None


def a_command() -> Command:
    return Command(secrets.token_hex(32), "f" * 64)


def attempt(game: UUID, player: Player, move: Any) -> Attempt:
    command = a_command()
    try:
        played = services.play(game_id=game, player=player, move=move, command=command, now=timezone.now())
    except Refused as refused:
        return Attempt(command, (), refused.code)
    return Attempt(command, tuple(event["version"] for event in played.events), None)


def moves_of(game: UUID, seat: int, player: Player, count: int, until: float | None = None) -> list[Attempt]:
    """Make moves of a seat until the game is over: mostly turns, and some that were legal in its last view."""
    chance, made = random.Random(seat), []
    for _ in range(count):
        legal = state.load(game)[1].legal_moves(seat)
        plays = [move for move in legal if move["type"] == "move"]
        bold = chance.random() < 0.1 and plays
        made.append(attempt(game, player, chance.choice(plays) if bold else TURN))
        if made[-1].code == "game-over" or (until is not None and time.monotonic() > until):
            break
    return made


def as_threads(jobs: list[Callable[[], Any]]) -> list[Any]:
    return at_once(*jobs)


def as_processes(jobs: list[Callable[[], Any]]) -> list[Any]:
    connections.close_all()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def run(index: int) -> None:
        try:
            answers.put((index, jobs[index]()))
        except Exception as error:
            answers.put((index, error))
        finally:
            connections.close_all()

    processes = [context.Process(target=run, args=(index,)) for index in range(len(jobs))]
    for process in processes:
        process.start()
    found = dict(answers.get(timeout=250) for _ in processes)
    for process in processes:
        process.join()
    return [found[index] for index in range(len(jobs))]


@pytest.fixture
def racers() -> list[Player]:
    return [person(f"racer{seat}") for seat in range(SEATS)]


def is_stored_once(game: GameRecord, attempts: list[Attempt]) -> Counter[str]:
    """Compare the stream with all responses, and return the refusals by code."""
    events = store.read(game.pk)
    accepted = [attempt for attempt in attempts if attempt.code is None]
    result = sorted(version for attempt in accepted for version in attempt.versions)
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    assert result == list(range(DEALING + 1, len(events) + 1)), "none is lost, none stands twice"
    assert len([event for event in events if "move" in event.data]) == len(accepted)
    for each in accepted:
        known = store.find_command(game.pk, each.command.id)
        assert known is not None
        assert tuple(range(known.first, known.last + 1)) == each.versions
    refused = [attempt for attempt in attempts if attempt.code is not None]
    assert not any(store.find_command(game.pk, each.command.id) for each in refused)
    report = selectors.verification(GameRecord.objects.get(pk=game.pk))
    assert report["ok"], report
    return Counter(each.code for each in refused)


@pytest.mark.parametrize("at_once", [as_threads, as_processes])
def test_accepted_moves_are_stored_once_and_refusals_leave_no_trace(
    racers: list[Player], at_once: Callable[[list[Callable[[], Any]]], list[Any]]
) -> None:
    game = dealt("racing-demons", racers, config={"pace": "race"}, now=timezone.now())
    jobs = [
        lambda seat=seat, player=player: moves_of(game.pk, seat, player, 15)
        for seat, player in enumerate(racers)
    ]
    answers = at_once(jobs)
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    attempts = [attempt for answer in answers for attempt in answer]
    assert len(attempts) >= SEATS
    is_stored_once(game, attempts)


@pytest.mark.soak
@pytest.mark.parametrize("at_once", [as_threads, as_processes])
def test_moves_at_a_crowded_table_are_stored_once_for_half_a_minute(
    racers: list[Player], at_once: Callable[[list[Callable[[], Any]]], list[Any]]
) -> None:
    until, games = time.monotonic() + 30, 0
    while time.monotonic() < until:
        game = dealt("racing-demons", racers, config={"pace": "race"}, now=timezone.now())
        jobs = [
            lambda seat=seat, player=player, game=game: moves_of(game.pk, seat, player, 2000, until)
            for seat, player in enumerate(racers)
        ]
        answers = at_once(jobs)
        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        is_stored_once(game, [attempt for answer in answers for attempt in answer])
        games += 1
    assert games


def test_a_move_sent_by_several_clients_with_one_key_is_made_once(racers: list[Player]) -> None:
    game = dealt("racing-demons", racers, config={"pace": "race"}, now=timezone.now())
    commands = [a_command() for _ in racers]

    def send(seat: int) -> int:
        return services.play(
            game_id=game.pk, player=racers[seat], move=TURN, command=commands[seat], now=timezone.now()
        ).version

    answers = as_threads([lambda seat=seat: send(seat) for seat in range(SEATS) for _ in range(2)])
    assert sorted(answers) == sorted([*range(DEALING + 1, DEALING + SEATS + 1)] * 2)
    assert store.head(game.pk).version == DEALING + SEATS


def contested(racers: list[Player]) -> tuple[GameRecord, dict[int, dict[str, Any]]]:
    """Return a race in which two seats can play to the same foundation, with their moves."""
    steady = bots.get("racing-demons")
    for number in range(50):
        game = dealt(
            "racing-demons",
            racers,
            config={"pace": "race"},
            server_seed=number.to_bytes(32, "big"),
            now=timezone.now(),
        )
        chance = random.Random(number)
        for _ in range(60):
            table = state.load(game.pk)[1]
            wishes: dict[str, dict[int, dict[str, Any]]] = {}
            for seat in range(SEATS):
                for move in table.legal_moves(seat):
                    if (
                        move["type"] == "move"
                        and move["to"].startswith("foundation:")
                        and move["to"][-1] != "w"
                    ):
                        wishes.setdefault(move["to"], {})[seat] = move
            for rivals in wishes.values():
                if len(rivals) > 1:
                    return game, rivals
            seat = chance.choice(table.to_act())
            observation = bots.Observation(table.view(seat), table.legal_moves(seat), seat=seat)
            move = steady.choose(observation, chance)
            if move["type"] == "stuck" or table.ended:
                break
            services.play(game_id=game.pk, player=racers[seat], move=move, now=timezone.now())
    raise AssertionError("no two seats ever wanted the same foundation")


def test_a_refused_foundation_move_names_the_seat_that_was_first(racers: list[Player]) -> None:
    game, rivals = contested(racers)
    before = store.head(game.pk).version

    def put_up(seat: int) -> Any:
        return services.play(game_id=game.pk, player=racers[seat], move=rivals[seat], now=timezone.now())

    seats = sorted(rivals)[:2]
    answers = as_threads([lambda seat=seat: put_up(seat) for seat in seats])
    [winner] = [
        seat for seat, answer in zip(seats, answers, strict=True) if isinstance(answer, services.Played)
    ]
    [refused] = [answer for answer in answers if isinstance(answer, Refused)]
    assert refused.code in ("wrong-rank", "pile-complete")
    assert refused.fact is not None
    assert f"seat {winner} was first with" in refused.fact
    assert store.head(game.pk).version == before + 1


def test_a_game_is_contended_until_it_is_found_unchanged(racers: list[Player]) -> None:
    """A process that was too late decides under a lock. It uses its cache again when no other process moves."""
    game = dealt("racing-demons", racers, config={"pace": "race"}, now=timezone.now())
    kept = state.cache.peek(game.pk)
    assert kept is not None
    assert attempt(game.pk, racers[0], TURN).code is None
    state.cache.clear()
    state.cache.put(game.pk, *kept)
    assert attempt(game.pk, racers[1], TURN).versions == (DEALING + 2,)
    assert game.pk in state.cache.contended
    assert attempt(game.pk, racers[2], TURN).versions == (DEALING + 3,)
    assert game.pk not in state.cache.contended


def test_a_locked_stream_accepts_no_append(racers: list[Player]) -> None:
    game = dealt("racing-demons", racers[:2], config={"pace": "race"}, now=timezone.now())
    locked, order = threading.Event(), []

    def hold() -> None:
        with transaction.atomic():
            store.lock(game.pk)
            locked.set()
            # Long enough for the other move to arrive if it did not wait.
            assert not moved.wait(0.3)
            order.append("lock")

    moved = threading.Event()

    def move() -> None:
        assert locked.wait(60)
        attempt(game.pk, racers[0], TURN)
        order.append("move")
        moved.set()

    assert as_threads([hold, move]) == [None, None]
    assert order == ["lock", "move"]


def test_a_lock_belongs_to_a_transaction() -> None:
    with pytest.raises(ValueError):
        store.lock(UUID(int=1))
