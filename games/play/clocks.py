"""The clocks of a table: how long it waits for the seat to act, and when the game must end.

Clocks use the times of the stream's events, so an ordinary move writes nothing about them. Jobs and late moves compute
from the last event whether the time is up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from games.models import GameRecord
from games.rules import Game, get
from games.rules.registry import manifest
from games.rules.table import Table

SHORTEST_MOVE, LONGEST_MOVE = 5, 14 * 24 * 3600
"""Range of `move_limit`, in seconds."""
SHORTEST_GAME, LONGEST_GAME = 10, 30 * 24 * 3600
"""Range of `game_limit`, in seconds."""
LONGEST_COUNTDOWN, LONGEST_BETTING = 10, 60
"""Seconds of a countdown to a deal, and to the first draw of a race with a market."""
UNSTARTED = timedelta(hours=24)
"""Time after which a table that was not started is voided."""


def idle(rules: str) -> timedelta:
    """Return the time after which the server plays for absent seats."""
    return manifest(rules).idle


@dataclass(frozen=True, slots=True)
class Clock:
    """The limits of a dealt game. All times are UTC."""

    move_limit: timedelta | None
    """Time from the last event to the move of the seat to act."""
    ends: datetime | None
    """The end of the game by the table's limit; then the server plays for the seats to act until the game ends."""
    rules_end: datetime | None
    """The end by the time limit of the rules (RULEBOOK 6 (8))."""
    stopped: bool = False
    """The game is suspended."""
    resumed_at: datetime | None = None
    """The end of the last suspension: the seat to act has its whole time from then."""

    @property
    def runs(self) -> bool:
        return self.move_limit is not None or self.ends is not None or self.rules_end is not None

    def act_by(self, table: Table, last: datetime) -> datetime | None:
        """Return when the seat to act must have moved; `last` is the time of the last event."""
        if self.stopped or self.move_limit is None or table.status != "active" or not waits_for_one(table):
            return None
        return waiting_since(last, self.resumed_at) + self.move_limit

    def ends_at(self) -> datetime | None:
        """Return when the game must end."""
        if self.stopped:
            return None
        return _earlier(self.ends, self.rules_end)

    def next_alarm(self, table: Table, last: datetime) -> datetime | None:
        """Return when the server plays if no one moves before."""
        return _earlier(self.act_by(table, last), self.ends_at())

    def is_late(self, table: Table, last: datetime, now: datetime) -> bool:
        """Return whether the server plays next. An event is never earlier than the one before it."""
        if not self.runs or table.status != "active":
            return False
        due = self.next_alarm(table, last)
        return due is not None and max(last, now) >= due


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((moment for moment in (one, other) if moment is not None), default=None)


def waiting_since(last: datetime, resumed_at: datetime | None) -> datetime:
    """Return since when the table waits: from its last event or its resumption."""
    return last if resumed_at is None else max(last, resumed_at)


def current(game_id: UUID) -> Clock:
    """Return the clock from the database. A cached clock can only be early, because suspensions add time."""
    return of(GameRecord.objects.get(pk=game_id))


def of(game: GameRecord) -> Clock:
    """Return the clock of a started game."""
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
    """Cap the limit at the site's idle limit if money is held for the game."""
    return min(limit, idle(game.rules)) if game.stake or game.buy_in else limit


def _after(
    start: datetime | None, seconds: int | None, given_back: timedelta = timedelta(0)
) -> datetime | None:
    return None if start is None or seconds is None else start + timedelta(seconds=seconds) + given_back


def waits_for_one(table: Table) -> bool:
    """Return whether the game waits for one seat, or for the operator."""
    return len(table.to_act()) < 2


def all_seats_at_once(game: Game, config: Any) -> bool:
    """Return whether all seats play at the same time (Racing Demons under `race`)."""
    return getattr(config, "pace", "turns") == "race"
