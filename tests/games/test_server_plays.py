"""Moves of the server: bots play, idle games expire, races are drawn, ends are reported."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from accounts.models import Player
from eventstore import store
from games import context, selectors, services, state
from games.models import BotPace, GameRecord, Status
from games.play import bots as bots
from games.play.bots import PACES
from games.rules import table as tables
from games.rules.bundles.verification import verify
from games.services import BotSeat, TournamentRef
from jobs.kinds import Kind, register
from jobs.models import Job
from ledger.models import PlaySession
from ledger.selectors import balance
from tests.due_jobs import run_due
from tests.games.conftest import NOON
from tests.games.rules.racing_demons import hand, position

HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
Vegas = Callable[..., GameRecord]


def bot_game(**more: object) -> GameRecord:
    game = services.create_game(
        rules="vegas-solitaire",
        config={"draw": 3, "stake": 0},
        seats=1,
        creator=None,
        bots=[BotSeat(0)],
        now=NOON,
        **more,  # type: ignore[arg-type]
    )
    return services.start_game(game=game, actor=None, now=NOON)


@pytest.mark.django_db(transaction=True)
def test_a_bot_plays_its_game_to_the_end_and_the_bundle_verifies() -> None:
    game = bot_game()
    run_due(NOON)
    record = GameRecord.objects.get(pk=game.pk)
    assert record.status == Status.FINISHED
    assert verify(selectors.bundle(record, None)).ok
    assert not Job.objects.open().filter(kind="games.play_bot").exists()


@pytest.mark.django_db
def test_an_expiry_decided_before_a_move_has_no_effect(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    found_absent_at = store.head(game.pk).version
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON + DAY)
    services.expire_game(game_id=game.pk, now=NOON + DAY, seen=found_absent_at)
    assert [event.type for event in store.read(game.pk)][-1] == "draw"
    services.expire_game(game_id=game.pk, now=NOON + DAY, seen=found_absent_at + 1)
    assert GameRecord.objects.get(pk=game.pk).status == Status.FINISHED


@pytest.mark.django_db
def test_bots_continue_after_a_stop_at_any_move() -> None:
    game = bot_game()
    steps = 0
    while services.play_bots(game_id=game.pk, now=NOON, most=7):
        steps += 1
        state.cache.clear()
    assert steps > 3
    assert state.load(game.pk)[1].status == "finished"
    whole = bot_game(server_seed=bytes(32), game_id=uuid.UUID(int=1))
    services.play_bots(game_id=whole.pk, now=NOON, most=10_000)
    assert services.play_bots(game_id=whole.pk, now=NOON, most=10_000) == 0


def moves_of(game: GameRecord) -> list[object]:
    return [event.data["move"] for event in store.read(game.pk) if "move" in event.data]


def shared_deal(number: int) -> GameRecord:
    """Return a bot's game of a deal that other games share, with the same key."""
    place = TournamentRef(uuid.UUID(int=9), 1, 1, "the one deal", "0" * 64, "e" * 64, "tests.ended")
    return bot_game(server_seed=bytes(32), game_id=uuid.UUID(int=number), tournament=place)


@pytest.mark.django_db
def test_bots_that_share_a_deal_make_different_moves(ended_job: str) -> None:
    played = []
    for number in range(1, 7):
        game = shared_deal(number)
        services.play_bots(game_id=game.pk, now=NOON, most=10_000)
        played.append(str(moves_of(game)))
    assert len({str(store.read(uuid.UUID(int=n))[2].private) for n in range(1, 7)}) == 1
    assert len(set(played)) > 1


@pytest.mark.django_db
def test_a_repeated_bot_job_makes_the_same_move(ended_job: str) -> None:
    """The move depends on the game, its key, the seat, and the version, and not on the process."""
    made = []
    for _ in range(2):
        with transaction.atomic():
            game = shared_deal(1)
            services.play_bots(game_id=game.pk, now=NOON, most=10_000)
            made.append(moves_of(game))
            transaction.set_rollback(True)
        state.cache.clear()
        context.clear_cache()
    assert made[0] == made[1] != []


@pytest.mark.django_db
def test_bots_of_one_seat_share_an_account() -> None:
    first, second = bot_game(), bot_game()
    assert first.seatings.get().player == second.seatings.get().player
    assert first.seatings.get().player.is_bot


@pytest.mark.django_db
def test_an_abandoned_game_is_collected_after_a_day(
    player: Player, staked: Callable[..., tuple[GameRecord, PlaySession]]
) -> None:
    game, _ = staked(player)
    later = NOON + timedelta(hours=20)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=later)
    run_due(NOON + DAY)
    assert state.load(game.pk)[1].status == "active", "the last move was four hours ago"
    run_due(later + DAY - timedelta(seconds=1))
    assert state.load(game.pk)[1].status == "active"
    run_due(later + DAY)
    events = store.read(game.pk)
    assert [event.type for event in events[-2:]] == ["expired", "finished"]
    assert (events[-2].seat, events[-2].data["seat"]) == (None, 0)
    record = GameRecord.objects.get()
    assert record.outcome is not None
    assert record.outcome["result"] == "collected"
    assert balance(owner=f"game:{game.pk}", purpose="escrow", currency="XTS").total == 0
    assert verify(selectors.bundle(record, player)).ok
    run_due(later + 3 * DAY)
    assert not Job.objects.open().exists()


@pytest.mark.django_db
def test_a_table_that_is_not_started_is_voided(player: Player) -> None:
    game = services.create_game(
        rules="vegas-solitaire", config={"draw": 1, "stake": 0}, seats=1, creator=player, now=NOON
    )
    run_due(NOON + DAY - timedelta(seconds=1))
    assert GameRecord.objects.get().status == Status.OPEN
    run_due(NOON + DAY)
    assert [event.type for event in store.read(game.pk)] == ["created", "voided"]
    assert GameRecord.objects.get().status == Status.VOID
    assert selectors.bundle(GameRecord.objects.get(), player)["game"]["server_seed"]


@pytest.mark.django_db
def test_an_abandoned_race_is_drawn_to_its_end(player: Player, race: Callable[..., GameRecord]) -> None:
    game = race(player)
    run_due(NOON + HOUR)
    record = GameRecord.objects.get()
    assert record.status == Status.FINISHED
    assert {event.type for event in store.read(game.pk)[2:-1]} == {"draw"}
    assert verify(selectors.bundle(record, player)).ok


@pytest.mark.django_db
def test_the_server_draws_at_the_pace_of_the_table(player: Player, race: Callable[..., GameRecord]) -> None:
    game = race(player, draw_every=5)
    run_due(NOON + timedelta(seconds=4))
    assert store.head(game.pk).version == 2
    for second in (5, 10, 15):
        run_due(NOON + timedelta(seconds=second))
    assert store.head(game.pk).version == 5
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON + timedelta(seconds=16))
    for second in range(20, 300, 5):
        run_due(NOON + timedelta(seconds=second))
    assert GameRecord.objects.get().status == Status.FINISHED


@pytest.mark.django_db
def test_a_repeated_expiry_takes_effect_once(player: Player, vegas: Vegas) -> None:
    game = vegas(player)
    services.expire_game(game_id=game.pk, now=NOON)
    head = store.head(game.pk)
    services.expire_game(game_id=game.pk, now=NOON)
    services.void_game(game_id=game.pk, reason="late", now=NOON)
    assert store.head(game.pk) == head


@pytest.fixture
def ended_job() -> str:
    """Register a kind of job that a tournament could wait for."""
    register(Kind("tests.ended", work=lambda payload, *, now: None, max_attempts=1, lease=HOUR))
    return "tests.ended"


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["collect", "expire", "void"])
def test_the_end_of_a_tournaments_game_is_reported_once(
    player: Player, vegas: Vegas, ended_job: str, end: str
) -> None:
    place = TournamentRef(uuid.uuid4(), 2, 1, "", "0" * 64, "e" * 64, ended_job)
    game = vegas(player, tournament=place)
    assert not Job.objects.exists(), "a round closes its games, no limit of theirs does"
    if end == "collect":
        services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    elif end == "expire":
        services.expire_game(game_id=game.pk, now=NOON)
    else:
        services.void_game(game_id=game.pk, reason="cancelled", now=NOON)
    job = Job.objects.get()
    assert (job.kind, job.key) == (ended_job, f"ended:{game.pk}")
    moves = state.load(game.pk)[1].moves
    assert job.payload == {"game": str(game.pk), "moves": moves, "tournament": str(place.id), "round": 2}


LIMIT = timedelta(hours=1)
SEED = bytes(32)
"""A deal in which only the bot is stuck after thirty moves, for any random choices."""


def demons(player: Player, *, seats: int, bots: list[int], **config: Any) -> GameRecord:
    game = services.create_game(
        rules="racing-demons",
        config={"time_limit": int(LIMIT.total_seconds()), **config},
        seats=seats,
        creator=player,
        bots=[BotSeat(seat) for seat in bots],
        server_seed=SEED,
        now=NOON,
    )
    if len(bots) < seats:
        services.take_seat(game=game, player=player, client_seed="ann", now=NOON)
    return services.start_game(game=game, actor=player, now=NOON)


def next_round() -> datetime:
    """Return the time at which the job of the bots is due."""
    due: datetime = Job.objects.values_list("due", flat=True).get(kind="games.play_bot", done=None)
    return due


def moves(game: GameRecord) -> list[Any]:
    return [event for event in store.read(game.pk) if "move" in event.data]


def all_stuck(game: GameRecord) -> bool:
    """Check that all bots, in seats 1 and above, are stuck."""
    return all(side["stuck"] for side in state.load(game.pk)[1].view(0)["others"])


@pytest.mark.django_db
def test_a_stuck_bot_waits_and_the_time_limit_ends_the_game(player: Player) -> None:
    game = demons(player, seats=2, bots=[1])
    while not all_stuck(game):
        run_due(next_round())
    made = len(moves(game))
    for _ in range(3):
        run_due(next_round())
    assert len(moves(game)) == made, "it does not turn its stock for ever"
    run_due(NOON + LIMIT)
    record = GameRecord.objects.get()
    assert record.status == Status.FINISHED
    assert record.outcome is not None
    assert record.outcome["result"] == "time"
    assert len(moves(game)) == made
    assert verify(selectors.bundle(record, player)).ok
    run_due(NOON + LIMIT + 2 * PACES[BotPace.NORMAL])
    assert not Job.objects.filter(kind="games.play_bot", done=None).exists()


@pytest.mark.django_db
def test_a_bot_without_legal_moves_makes_none(player: Player) -> None:
    game = demons(player, seats=2, bots=[1])
    table = state.load(game.pk)[1]
    about = context.of(game.pk, table)
    idle = position(hand(), hand(stock=""), marked=(1,))
    stuck: tables.Table = table._replace(state=idle)
    assert stuck.to_act() == [0, 1]
    assert stuck.legal_moves(1) == []
    assert bots._move_of_bot(UUID(int=0), 1)(stuck, about, NOON) == ()
