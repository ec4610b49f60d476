"""Who is here: the players of a game who have an event stream of it open (`notifications.watching`).

Only the players of a game see it, by seat. It changes no game: the rules know time limits and no absence.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, TypedDict
from uuid import UUID

from eventstore.feed import Reader
from games.access import GameTable
from games.models import RUNNING, GameRecord, Status
from notifications import watching
from notifications.models import Watch
from notifications.watching import Absences, Pair
from rest.documents import Moment, moment

AWAITED = timedelta(seconds=20)
"""How long the deal after a countdown waits for players who are away."""


REMEMBERED = 600.0
"""Seconds after which a spectator is looked up again in any case, so that the memory does not grow."""


class PresenceOutput(TypedDict):
    seat: int
    here: Annotated[bool, "the player has an event stream of the game open"]
    away_since: Annotated[Moment | None, "the last stream was closed; null: here, or not seen for an hour"]


def record_presence(
    readers: Sequence[Reader], versions: Mapping[UUID, int] | None = None, *, now: datetime
) -> Mapping[UUID, Absences]:
    """Record that these readers have streams of their games open, of those who play in them.

    Return the players of each game, with the time since which they are away. The number of statements does not depend
    on the number of readers, and a reader is written once in a while. `versions` are those of the games, read before:
    a spectator is looked up again only when a seat may have been taken since.
    """
    pairs = {(reader.player, reader.stream) for reader in readers}
    versions = versions or {}
    _record(_spectators.without(watching.unrecorded(pairs), versions), now, versions)
    games = watching.absences({game for _, game in pairs}, now=now)
    # Another stream of the same player was closed, or the process that served it has died.
    returned = _record({pair for pair in pairs if games.get(pair[1], {}).get(pair[0]) is not None}, now)
    for player, game in returned:
        games[game][player] = None
    return games


def _record(pairs: Collection[Pair], now: datetime, versions: Mapping[UUID, int] | None = None) -> set[Pair]:
    """Record those of the players and games in which the player has a seat, and return them."""
    if not pairs:
        return set()
    games = GameRecord.objects.filter(pk__in={game for _, game in pairs})
    rows = list(games.values_list("pk", "status", "seatings__player"))
    seated = {(player, game) for game, _, player in rows}.intersection(pairs)
    if seated:
        watching.record(seated, now=now)
    is_open = {game for game, status, _ in rows if status == Status.OPEN}
    _spectators.remember(set(pairs) - seated, is_open, versions or {})
    return seated


class _Spectators:
    """Readers without a seat, for one process. Seats are taken before the deal only, each by an event of the game."""

    def __init__(self) -> None:
        self._known: dict[Pair, tuple[float, int | None]] = {}
        """When the reader was looked up, and at which version of the game; None: no seat can be taken any more."""
        self._lock = threading.Lock()

    def without(self, pairs: set[Pair], versions: Mapping[UUID, int]) -> set[Pair]:
        """Return those of the pairs that may have a seat."""
        oldest = time.monotonic() - REMEMBERED
        with self._lock:
            self._known = {pair: known for pair, known in self._known.items() if known[0] > oldest}
            known = {pair: self._known[pair][1] for pair in pairs if pair in self._known}
        return pairs - {pair for pair, at in known.items() if at is None or at == versions.get(pair[1])}

    def remember(
        self, pairs: Collection[Pair], is_open: Collection[UUID], versions: Mapping[UUID, int]
    ) -> None:
        present = time.monotonic()
        with self._lock:
            for pair in pairs:
                if pair[1] not in is_open:
                    self._known[pair] = (present, None)
                elif (version := versions.get(pair[1])) is not None:
                    self._known[pair] = (present, version)


_spectators = _Spectators()


def record_absence(player: UUID, games: Collection[UUID], *, now: datetime) -> None:
    """Record that the player has no stream of these games open any more."""
    watching.leave(player, games, now=now)


def present(shown: GameTable, *, now: datetime) -> list[PresenceOutput]:
    """Return who is here, of the seats that people or programs play; empty for one seat, and after the game."""
    if shown.game.seats <= 1 or shown.game.status not in RUNNING:
        return []
    return [
        _presence(seat, shown.watches.get(seat), now)
        for seat, taken in sorted(shown.seatings.items())
        if taken.player.is_owned_bot or not taken.player.is_bot
    ]


def _presence(seat: int, watch: Watch | None, now: datetime) -> PresenceOutput:
    since = None if watch is None else watching.away_since(watch, now)
    return {"seat": seat, "here": watch is not None and since is None, "away_since": moment(since)}


def is_anyone_away(game: GameRecord, *, now: datetime) -> bool:
    """Return whether a player has left the page of the game and not come back."""
    players = set(game.seatings.values_list("player", flat=True))
    absences = watching.absences([game.pk], now=now).get(game.pk, {})
    return any(since is not None for player, since in absences.items() if player in players)
