"""Who is here: the players of a game who have an event stream of it open (`notifications.watching`).

Only the players of a game see it, by seat. It changes no game: the rules know time limits and no absence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, TypedDict
from uuid import UUID

from eventstore.feed import Reader
from games.access import GameTable
from games.models import RUNNING, GameRecord, Seat
from notifications import watching
from notifications.models import Watch
from notifications.watching import Absences
from rest.documents import Moment, moment

AWAITED = timedelta(seconds=20)
"""How long the deal after a countdown waits for players who are away."""


class PresenceOutput(TypedDict):
    seat: int
    here: Annotated[bool, "the player has an event stream of the game open"]
    away_since: Annotated[Moment | None, "the last stream was closed; null: here, or not seen for an hour"]


def record_presence(readers: Sequence[Reader], *, now: datetime) -> Mapping[UUID, Absences]:
    """Record that these readers have streams of their games open, of those who play in them.

    Return the players of each game, with the time since which they are away. The number of statements does not depend
    on the number of readers, and a reader is written once in a while.
    """
    pairs = {(reader.player, reader.stream) for reader in readers}
    _record(watching.unrecorded(pairs), now)
    games = watching.absences({game for _, game in pairs}, now=now)
    # Another stream of the same player was closed, or the process that served it has died.
    returned = _record({pair for pair in pairs if games.get(pair[1], {}).get(pair[0]) is not None}, now)
    for player, game in returned:
        games[game][player] = None
    return games


def _record(pairs: Collection[tuple[UUID, UUID]], now: datetime) -> set[tuple[UUID, UUID]]:
    """Record those of the players and games in which the player has a seat, and return them."""
    if not pairs:
        return set()
    games, players = {game for _, game in pairs}, {player for player, _ in pairs}
    seats = Seat.objects.filter(game__in=games, player__in=players)
    seated = set(seats.values_list("player", "game")).intersection(pairs)
    if seated:
        watching.record(seated, now=now)
    return seated


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
