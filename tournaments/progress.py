"""How far a round under way has come, how fast, and when it will be over: three queries, however many its tables."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from eventstore.chain import format_at
from eventstore.models import Event, Stream
from tournaments import formats
from tournaments.models import Round, RoundState, Table, TableGame, Tournament

LATELY = timedelta(minutes=5)
"""The stretch of time whose moves are counted."""

NO_MOVES = ("created", "seated", "left", "dealt", "expired", "finished", "voided")
"""What else happens in the stream of a game."""


def progress(tournament: Tournament, *, now: datetime) -> dict[str, Any] | None:
    """Of the round that is not closed yet; None between rounds."""
    round = tournament.played_rounds.exclude(state=RoundState.CLOSED).first()
    return None if round is None else of_round(round, now=now)


def of_round(round: Round, *, now: datetime) -> dict[str, Any]:
    tables, done = _tables(round)
    return {
        "round": round.number,
        **counts(round),
        "tables": tables,
        "tables_done": done,
        "moves_a_minute": _moves_a_minute(round, now),
        "estimated_end": _estimated_end(round, tables=tables, done=done, now=now),
    }


def counts(round: Round) -> dict[str, int]:
    """The games of a round: how many there are, have been dealt, have ended."""
    return TableGame.objects.filter(table__round=round).aggregate(
        games=Count("pk"),
        dealt=Count("pk", filter=Q(dealt_at__isnull=False)),
        ended=Count("pk", filter=Q(ended_at__isnull=False)),
    )


def _tables(round: Round) -> tuple[int, int]:
    """How many, and of how many every game is over."""
    goes_on = Exists(TableGame.objects.filter(table=OuterRef("pk"), ended_at=None))
    told = Table.objects.filter(round=round).aggregate(all=Count("pk"), done=Count("pk", filter=~goes_on))
    return told["all"], told["done"]


def _moves_a_minute(round: Round, now: datetime) -> float | None:
    """Over the last minutes, or since the round was opened if that is less; None before it is open.

    None too where tables play the same deals: how often the others moved would tell what a deal takes.
    """
    if round.state != RoundState.OPEN or round.opened_at is None or _shares_deals(round):
        return None
    since = max(round.opened_at, now - LATELY)
    minutes = (now - since).total_seconds() / 60
    if minutes <= 0:
        return None
    games = TableGame.objects.filter(table__round=round).values("game")
    # Only streams that have gone on since then are looked through.
    lively = Stream.objects.filter(pk__in=games, head_at__gt=format_at(since)).values("pk")
    moves = Event.objects.filter(stream__in=lively, at__gt=format_at(since)).exclude(type__in=NO_MOVES)
    tenths = int(moves.count() / minutes * 10 + 0.5)
    return tenths / 10


def _shares_deals(round: Round) -> bool:
    """A race is one deal for all, and hides nothing from anybody."""
    form = formats.get(round.tournament.format)
    of_two_tables = {form.deal(tables=2, game=1, table=table) for table in (1, 2)}
    return len(of_two_tables) == 1 and not form.on_bets


def _estimated_end(round: Round, *, tables: int, done: int, now: datetime) -> datetime | None:
    """If the tables left are finished as quickly as those before, and never after the round's time is up.

    None where nothing can be said: before the round is open, and before a table is done.
    """
    if round.state != RoundState.OPEN or round.opened_at is None or not done:
        return None
    left = (now - round.opened_at) / done * (tables - done)
    assert round.closes_at is not None
    return min(now + left, max(round.closes_at, now))
