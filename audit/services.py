"""Audits: of a game, a tournament, the ledger, the whole installation. They only read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from api.errors import NotFound
from audit import checkpoints, games, kept, ledger, log, ranges, tournaments, work
from audit.report import Report
from audit.work import Piece
from eventstore.checkpoint import Published
from eventstore.models import Checkpoint
from eventstore.store import Position
from games.models import GameRecord
from tournaments.models import Tournament

Spread = Callable[[Callable[[Piece], tuple[Piece, Report]], Sequence[Piece]], Iterable[tuple[Piece, Report]]]
"""How pieces are carried out: in this process one after the other, or by many."""

Tell = Callable[[int, int], None]
"""Told how many events were looked at so far, and how many there are about."""


def one_after_the_other(
    carry_out: Callable[[Piece], tuple[Piece, Report]], pieces: Sequence[Piece]
) -> Iterator[tuple[Piece, Report]]:
    return map(carry_out, pieces)


@dataclass(frozen=True, slots=True)
class UnknownCheckpoint(Exception):
    number: int

    def __str__(self) -> str:
        return f"there is no checkpoint {self.number} here"


def audit_installation(
    *,
    since: int | None = None,
    known: Iterable[Published] = (),
    spread: Spread = one_after_the_other,
    tell: Tell = lambda done, of: None,
) -> Report:
    """Everything that the database holds.

    since   the number of a checkpoint: what stood then is taken as it stood; only streams that have moved since are
            judged, whole, and only later checkpoints. Raises UnknownCheckpoint.
    known   checkpoints that somebody kept out of the database's reach
    """
    pieces = [*_pieces(since, list(known))]
    of = sum(piece.weight for piece in pieces)
    report, done = Report(), 0
    tell(done, of)
    for piece, found in spread(work.carry_out, pieces):
        report.merge(found)
        done += piece.weight
        tell(done, of)
    return report


def audit_ledger() -> Report:
    """All the books, and every transfer made anew from what happened."""
    return ledger.audit()


def audit_game(game: UUID) -> Report:
    """One game: its stream, all that is beside it, and what the checkpoints say of it. Raises NotFound."""
    if not GameRecord.objects.filter(pk=game).exists():
        raise NotFound
    report = log.audit(ranges.of_one(game), of_the_house=False)
    kept.audit(report, game, part=games.PART, subject=f"game:{game}")
    return report


def audit_tournament(tournament: UUID) -> Report:
    """One tournament and all of its games. Raises NotFound."""
    if not Tournament.objects.filter(pk=tournament).exists():
        raise NotFound
    report = log.audit(ranges.of_one(tournament), of_the_house=False)
    report.merge(tournaments.audit(tournament))
    kept.audit(report, tournament, part=tournaments.PART, subject=f"tournament:{tournament}")
    for range in ranges.of_these(
        GameRecord.objects.filter(tournament=tournament).values_list("pk", flat=True)
    ):
        report.merge(log.audit(range, of_the_house=False))
    return report


def _pieces(since: int | None, known: list[Published]) -> Iterator[Piece]:
    """The long ones first, so that no process ends up alone with one."""
    position = None if since is None else _position(since)
    yield _piece("books" if since is not None else "ledger", (), 0)
    laid_out = ranges.of_all() if position is None else ranges.of_moved(position)
    for range in laid_out:
        yield _piece("streams", (range,), range.events)
        yield _piece("disputes", (range,), 0)
    for tournament in _tournaments(position):
        yield _piece("tournaments", (tournament,), 0)
    for stretch in checkpoints.stretches(since or 0):
        yield _piece("checkpoints", (stretch,), 0)
    yield _piece("looks", (), 0)
    yield _piece("suspensions", (), 0)
    yield _piece("published", (known,), 0)
    yield _piece("database", (), 0)


def _tournaments(since: Position | None) -> Iterator[Any]:
    if since is None:
        yield from Tournament.objects.order_by("pk").values_list("pk", flat=True).iterator()
        return
    for range in ranges.of_moved(since):
        yield from Tournament.objects.filter(range.q("pk")).values_list("pk", flat=True)


def _piece(part: str, about: tuple[Any, ...], weight: int) -> Piece:
    return Piece(part, about, weight, str(connection.settings_dict["NAME"]))


def _position(number: int) -> Position:
    body = Checkpoint.objects.filter(number=number).values_list("body", flat=True).first()
    if body is None:
        raise UnknownCheckpoint(number)
    until = orjson.loads(body)["sources"].get("streams", {}).get("until")
    return Position(*until) if until else Position(-1, -1, -1)
