"""No-shows: an absent entrant forfeits the table, and the others need not wait.

A seat forfeits when a game has waited for it as long as the terms say (`no_show_seconds`, from the opening of the
round or the last event of the game, whichever is later) and it has not moved in any game of the table. The server
plays for it from then on, and it may no longer move. When only one player has moved, the games of the table are
voided and that player wins. When none has, no one wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet

from eventstore import store
from games import services as games
from games import state
from games.models import GameRecord
from games.rules.table import Table as Play
from games.selectors import waiting_since
from tournaments import record
from tournaments.models import Round, RoundState, Seat, Status, Table, TableGame, Tournament

REASON = "no-show"
"""The reason of a game that is voided because no opponent is left."""

LOOK_AGAIN = timedelta(seconds=2)
"""The longest wait until the server plays for an absent seat."""


@dataclass(frozen=True, slots=True)
class _Game:
    id: UUID
    play: Play
    since: datetime
    """The last change of the game, or the opening of the round."""

    def waits_only_for(self, absent: set[int]) -> bool:
        waiting = self.play.to_act()
        return bool(waiting) and absent.issuperset(waiting)


def watch(*, tournament_id: UUID, number: int, table: int, now: datetime) -> datetime | None:
    """Check a table and do what is due. Returns when to check again; None: never."""
    at = Table.objects.filter(round__tournament=tournament_id, round__number=number, number=table).first()
    if at is None or not _is_open(at.round, at.round.tournament):
        return None
    seats = list(at.seats.select_related("entry"))
    limit = timedelta(seconds=at.round.tournament.no_show_seconds)
    running = _running(at)
    if not running:
        return now + limit if _is_suspended(at) else _next_game(at, now)
    absent = {seat.index for seat in seats if seat.forfeited_at is not None}
    came = _came(at, seats)
    awaited = {seat.index for seat in seats} - absent - came
    late = {
        seat
        for game in running
        for seat in awaited.intersection(game.play.to_act())
        if game.since + limit <= now
    }
    if late and not _forfeit(at, [seat for seat in seats if seat.index in late], now):
        return None
    absent |= late
    awaited -= late
    if absent and len(seats) - len(absent) < 2 and not awaited:
        for game in running:
            games.void_game(game_id=game.id, reason=REASON, now=now)
        return _next_game(at, now)
    for game in running:
        _play_for(game, absent, now)
    if absent:
        return now + LOOK_AGAIN
    return _next(running, awaited, limit, now) if awaited else None


def _is_open(round: Round, tournament: Tournament) -> bool:
    return round.state == RoundState.OPEN and tournament.status == Status.RUNNING


def _running(at: Table) -> list[_Game]:
    opened = at.round.opened_at
    assert opened is not None
    running = []
    for game in _games(at).filter(suspended_at=None):
        head, play = state.load(game.pk)
        if not play.ended:
            since = waiting_since(head.at or opened, game.resumed_at)
            running.append(_Game(game.pk, play, max(opened, since)))
    return running


def _is_suspended(at: Table) -> bool:
    return _games(at).filter(suspended_at__isnull=False).exists()


def _next_game(at: Table, now: datetime) -> datetime | None:
    """Return when to check a table between games: a match may have another game."""
    return now + LOOK_AGAIN if at.games.unseated().exists() else None


def _games(at: Table) -> QuerySet[GameRecord]:
    return GameRecord.objects.filter(pk__in=TableGame.objects.filter(table=at).running().values("game"))


def _came(at: Table, seats: Sequence[Seat]) -> set[int]:
    """Return the seats that have moved in a game of the table. Bots always count; moves of the server do not."""
    moved = {event.seat for one in at.games.all() for event in store.read(one.game)}
    return {seat.index for seat in seats if seat.entry.bot or seat.index in moved}


def _forfeit(at: Table, late: Sequence[Seat], now: datetime) -> bool:
    """Record absent seats; returns False if the round is over meanwhile."""
    tournament = record.locked(at.round.tournament_id)
    if not _is_open(Round.objects.get(pk=at.round_id), tournament):
        return False
    Seat.objects.filter(pk__in=[seat.pk for seat in late]).update(forfeited_at=now)
    games.forfeit_seats(game_ids=at.games.values_list("game", flat=True), seats=[seat.index for seat in late])
    data = [
        (
            "no-show",
            {
                "round": at.round.number,
                "table": at.number,
                "seat": seat.index,
                "entry": seat.entry.number,
            },
        )
        for seat in late
    ]
    record.append(tournament, *data, now=now)
    return True


def _play_for(game: _Game, absent: set[int], now: datetime) -> None:
    """Play for absent seats until the game waits for another player."""
    while game.waits_only_for(absent):
        games.expire_game(game_id=game.id, now=now, seen=game.play.version)
        _, after = state.load(game.id)
        if after.version == game.play.version:
            return
        game = _Game(game.id, after, now)


def _next(running: Sequence[_Game], awaited: set[int], limit: timedelta, now: datetime) -> datetime:
    """Return the earliest time at which a game can have waited long enough."""
    return min(
        game.since + limit if awaited.intersection(game.play.to_act()) else now + limit for game in running
    )
