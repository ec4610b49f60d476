"""Audit a game, a tournament, the ledger, or the whole installation. Audits only read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from audit import ranges, runner
from audit.checks import checkpoints, games, ledger, streams, tournaments
from audit.report import Report
from audit.runner import Piece
from core.errors import NotFound
from eventstore.checkpoints.service import Published
from eventstore.models import Checkpoint
from eventstore.store import Position
from games.models import GameRecord
from tournaments.models import Tournament

Spread = Callable[[Callable[[Piece], tuple[Piece, Report]], Sequence[Piece]], Iterable[tuple[Piece, Report]]]
"""A function that runs pieces, in this process or in several."""

Progress = Callable[[int, int], None]
"""Receives the number of events checked so far, and the approximate number of all."""


def in_sequence(
    run: Callable[[Piece], tuple[Piece, Report]], pieces: Sequence[Piece]
) -> Iterator[tuple[Piece, Report]]:
    return map(run, pieces)


@dataclass(frozen=True, slots=True)
class UnknownCheckpoint(Exception):
    number: int

    def __str__(self) -> str:
        return f"there is no checkpoint {self.number}"


def audit_installation(
    *,
    since: int | None = None,
    known: Iterable[Published] = (),
    spread: Spread = in_sequence,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Audit everything in the database.

    since   the number of a checkpoint. Only streams with later events are checked, as a whole, and only later
            checkpoints. Raises UnknownCheckpoint.
    known   checkpoints stored outside the database, to compare with
    """
    pieces = [*_pieces(since, list(known))]
    total = sum(piece.weight for piece in pieces)
    report, done = Report(), 0
    progress(done, total)
    for piece, found in spread(runner.run, pieces):
        report.merge(found)
        done += piece.weight
        progress(done, total)
    return report


def audit_ledger() -> Report:
    """Audit the ledger: balances, and every transfer by the events that caused it."""
    return ledger.audit()


def audit_game(game: UUID) -> Report:
    """Audit one game: its stream, its projections, and its checkpoints. Raises NotFound."""
    if not GameRecord.objects.filter(pk=game).exists():
        raise NotFound
    report = streams.audit(ranges.of_stream(game), count_hidden=False)
    checkpoints.audit_stream(report, game, part=games.PART, subject=f"game:{game}")
    return report


def audit_tournament(tournament: UUID) -> Report:
    """Audit one tournament and all of its games. Raises NotFound."""
    if not Tournament.objects.filter(pk=tournament).exists():
        raise NotFound
    report = streams.audit(ranges.of_stream(tournament), count_hidden=False)
    report.merge(tournaments.audit(tournament))
    checkpoints.audit_stream(report, tournament, part=tournaments.PART, subject=f"tournament:{tournament}")
    for range in ranges.of_streams(
        GameRecord.objects.filter(tournament=tournament).values_list("pk", flat=True)
    ):
        report.merge(streams.audit(range, count_hidden=False))
    return report


def _pieces(since: int | None, known: list[Published]) -> Iterator[Piece]:
    """Yield the pieces of an audit, long ones first, so that no process ends with a long one alone."""
    position = None if since is None else _position(since)
    yield _piece("books" if since is not None else "ledger", (), 0)
    streams_to_check = ranges.of_all_streams() if position is None else ranges.of_changed_streams(position)
    for range in streams_to_check:
        yield _piece("streams", (range,), range.events)
        yield _piece("disputes", (range,), 0)
    for tournament in _tournaments(position):
        yield _piece("tournaments", (tournament,), 0)
    for stretch in checkpoints.stretches(since or 0):
        yield _piece("checkpoints", (stretch,), 0)
    yield _piece("early-access", (), 0)
    yield _piece("suspensions", (), 0)
    yield _piece("published", (known,), 0)
    yield _piece("database", (), 0)


def _tournaments(since: Position | None) -> Iterator[Any]:
    if since is None:
        yield from Tournament.objects.order_by("pk").values_list("pk", flat=True).iterator()
        return
    for range in ranges.of_changed_streams(since):
        yield from Tournament.objects.filter(range.q("pk")).values_list("pk", flat=True)


def _piece(part: str, arguments: tuple[Any, ...], weight: int) -> Piece:
    return Piece(part, arguments, weight, str(connection.settings_dict["NAME"]))


def _position(number: int) -> Position:
    body = Checkpoint.objects.filter(number=number).values_list("body", flat=True).first()
    if body is None:
        raise UnknownCheckpoint(number)
    until = orjson.loads(body)["sources"].get("streams", {}).get("until")
    return Position(*until) if until else Position(-1, -1, -1)
