"""What needs the people who run a tournament: missing check-ins, the waiting list, and tables without progress."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Q

from accounts.models import Player
from eventstore.chain import format_at
from eventstore.models import Event, Stream
from rest.documents import Moment, Uuid, one_of
from tournaments import access
from tournaments.access import Names, Viewer
from tournaments.entries import check_in
from tournaments.models import Round, RoundState, TableGame, Tournament

QUIET = timedelta(minutes=5)
"""How long a game may be without an event before its table is listed."""

MOST = 20
"""Entrants without check-in, and tables without progress, that are listed."""

SUSPENDED, STALE = "suspended", "quiet"


class AbsentEntrant(TypedDict):
    entry: int
    name: str | None


class AwaitedSeat(TypedDict):
    entry: int
    name: str | None
    kind: Annotated[str, one_of(["human", "bot"])]
    has_moved: Annotated[
        bool, "whether the player has moved in this game; false for a player who may be missing"
    ]


class AttentionTable(TypedDict):
    round: int
    table: int
    number: Annotated[int, "the game's number at the table"]
    game: Uuid
    reason: Annotated[str, one_of([SUSPENDED, STALE])]
    since: Annotated[Moment, "the last event of the game"]
    seats: list[AwaitedSeat]


class AttentionOutput(TypedDict):
    not_checked_in: Annotated[int, "entrants who have not checked in, while the check-in is open"]
    absent: Annotated[list[AbsentEntrant], f"the first {MOST} of them"]
    waiting: Annotated[int, "players on the waiting list"]
    tables: Annotated[
        list[AttentionTable],
        f"at most {MOST} games of the open round that are suspended, or without an event for "
        f"{QUIET // timedelta(minutes=1)} minutes, the longest first; empty for a participant",
    ]


def attention(tournament: Tournament, viewer: Viewer, *, now: datetime) -> AttentionOutput:
    """Return what needs the viewer, who assists in the tournament."""
    absent = tournament.entries.standing().filter(checked_in_at=None)
    if not check_in.is_open(tournament, now):
        absent = absent.none()
    round = tournament.played_rounds.filter(state=RoundState.OPEN).first()
    # The pace of other tables may reveal something about a shared deal.
    names = Names(viewer, tournament)
    plays = isinstance(viewer, Player) and access.takes_part(tournament.pk, viewer.pk)
    return {
        "not_checked_in": absent.count(),
        "absent": [
            {"entry": entry.number, "name": names.of(entry)}
            for entry in absent.select_related("player")[:MOST]
        ],
        "waiting": tournament.waiting.in_line().count(),
        "tables": [] if round is None or plays else _tables(round, names, now),
    }


def _tables(round: Round, names: Names, now: datetime) -> list[AttentionTable]:
    running = TableGame.objects.filter(table__round=round, ended_at=None, dealt_at__isnull=False)
    is_quiet = Q(suspended_at__isnull=False) | Q(head_at__lt=format_at(now - QUIET))
    quiet = Stream.objects.filter(pk__in=running.values("game")).filter(is_quiet).order_by("head_at")
    streams = {stream.pk: stream for stream in quiet[:MOST]}
    games = (
        running.filter(game__in=streams)
        .select_related("table")
        .prefetch_related("table__seats__entry__player")
    )
    moved = _moved(streams)
    return sorted(
        (_document(one, streams[one.game], round, moved, names) for one in games),
        key=lambda table: table["since"],
    )


def _document(
    one: TableGame, stream: Stream, round: Round, moved: Collection[tuple[UUID, int]], names: Names
) -> AttentionTable:
    return {
        "round": round.number,
        "table": one.table.number,
        "number": one.number,
        "game": str(one.game),
        "reason": STALE if stream.suspended_at is None else SUSPENDED,
        "since": stream.head_at,
        "seats": [
            {
                "entry": seat.entry.number,
                "name": names.of(seat.entry),
                "kind": "bot" if seat.entry.bot else "human",
                "has_moved": (one.game, seat.index) in moved,
            }
            for seat in one.table.seats.all()
        ],
    }


def _moved(games: Collection[UUID]) -> set[tuple[UUID, int]]:
    """Return the seats that have moved in these games."""
    moves = Event.objects.filter(stream__in=list(games), seat__isnull=False).order_by()
    seats = moves.values_list("stream", "seat").distinct()
    return {(game, seat) for game, seat in seats if seat is not None}
