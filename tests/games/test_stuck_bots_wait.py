"""If all seats play at once, a stuck bot waits for the people at its table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from accounts.models import Player
from eventstore import store
from games import context, selectors, services, state
from games.models import BotPace, GameRecord, Status
from games.play import bots as bots
from games.play.bots import PACES
from games.rules import table as tables
from games.rules.bundles.verification import verify
from games.tables.terms import BotSeat
from jobs.models import Job
from tests.due_jobs import run_due
from tests.games.rules.racing_demons import hand, position

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIMIT = timedelta(hours=1)
SEED = bytes(32)
"""A deal in which only the bot is stuck after thirty moves, for any random choices."""


def race(player: Player, *, seats: int, bots: list[int], **config: Any) -> GameRecord:
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


def test_a_stuck_bot_waits_and_the_time_limit_ends_the_game(player: Player) -> None:
    game = race(player, seats=2, bots=[1])
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


def test_a_bot_without_legal_moves_makes_none(player: Player) -> None:
    game = race(player, seats=2, bots=[1])
    table = state.load(game.pk)[1]
    about = context.of(game.pk, table)
    idle = position(hand(), hand(stock=""), marked=(1,))
    stuck: tables.Table = table._replace(state=idle)
    assert stuck.to_act() == [0, 1]
    assert stuck.legal_moves(1) == []
    assert bots._move_of_bot(UUID(int=0), 1)(stuck, about, NOON) == ()
