"""A table's clocks: how long it waits for the seat that is to act, and when it must be over.

They run on the stream's own times, so an ordinary move writes nothing about them: whoever looks (a job, a move that
comes too late) works out from the last event whether the time is up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from games import limits
from games.models import GameRecord
from games.rules import Game, get
from games.rules.table import Table

SHORTEST_MOVE, LONGEST_MOVE = 5, 14 * 24 * 3600
"""Seconds that `move_limit` may be."""
SHORTEST_GAME, LONGEST_GAME = 10, 30 * 24 * 3600
"""Seconds that `game_limit` may be."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What a dealt table was given; every time that it names is a moment in UTC."""

    move_limit: timedelta | None
    """From the last event to the move of the seat that is to act."""
    ends: datetime | None
    """The game's limit as the table has set it: then the server plays for whoever is to act until the game is over."""
    rules_end: datetime | None
    """The limit of time that the rules themselves set (RULEBOOK 6 (8))."""
    stopped: bool = False
    """The game is suspended."""
    resumed_at: datetime | None = None
    """When a suspension ended: the seat that is to act has its whole time from then."""

    @property
    def runs(self) -> bool:
        return self.move_limit is not None or self.ends is not None or self.rules_end is not None

    def act_by(self, table: Table, last: datetime) -> datetime | None:
        """When the seat that is to act must have moved, `last` being the time of the last event."""
        if self.stopped or self.move_limit is None or table.status != "active" or not waits_for_one(table):
            return None
        return stands_since(last, self.resumed_at) + self.move_limit

    def over_at(self) -> datetime | None:
        """When the whole game must be over."""
        if self.stopped:
            return None
        return _earlier(self.ends, self.rules_end)

    def rings(self, table: Table, last: datetime) -> datetime | None:
        """When the server is to play, unless somebody moves before."""
        return _earlier(self.act_by(table, last), self.over_at())

    def is_late(self, table: Table, last: datetime, now: datetime) -> bool:
        """Whether the server plays before anybody else does. An event is never earlier than the one before it."""
        if not self.runs or table.status != "active":
            return False
        due = self.rings(table, last)
        return due is not None and max(last, now) >= due


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((moment for moment in (one, other) if moment is not None), default=None)


def stands_since(last: datetime, resumed_at: datetime | None) -> datetime:
    """Since when a table stands as it does: its last event, or its resumption."""
    return last if resumed_at is None else max(last, resumed_at)


def standing(game_id: UUID) -> Clock:
    """The clock as the database has it now. One that was read before can only be fast: suspensions give time back."""
    return of(GameRecord.objects.get(pk=game_id))


def of(game: GameRecord) -> Clock:
    """`game` must have been started."""
    rules = get(game.rules, game.rules_version)
    rules_limit = rules.time_limit(rules.parse_config(game.config))
    return Clock(
        move_limit=None if game.move_limit is None else _capped(game, timedelta(seconds=game.move_limit)),
        ends=_after(game.started_at, game.game_limit, game.given_back),
        rules_end=_after(game.started_at, rules_limit),
        stopped=game.suspended_at is not None,
        resumed_at=game.resumed_at,
    )


def _capped(game: GameRecord, limit: timedelta) -> timedelta:
    """Where a win is held in reserve, or others' money lies in a pot, nobody may think longer than the house lets a
    table idle."""
    return min(limit, limits.idle(game.rules)) if game.stake or game.buy_in else limit


def _after(
    start: datetime | None, seconds: int | None, given_back: timedelta = timedelta(0)
) -> datetime | None:
    return None if start is None or seconds is None else start + timedelta(seconds=seconds) + given_back


def waits_for_one(table: Table) -> bool:
    """Whether the game stands still until one certain seat (or, where no seat acts, the operator) has moved."""
    return len(table.to_act()) < 2


def everybody_at_once(game: Game, config: Any) -> bool:
    """Whether all seats play at the same time, so that nobody is waited for (Racing Demons under `race`)."""
    return getattr(config, "pace", "turns") == "race"
