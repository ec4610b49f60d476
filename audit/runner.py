"""Run an audit in pieces that are independent of each other, in any order and in any process.

A worker process imports this module first, so nothing of Django is imported before `run` has set it up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from core.checks import Report


class Piece(NamedTuple):
    """A part of an audit: the arguments of its check, and its approximate number of events."""

    part: str
    arguments: tuple[Any, ...]
    weight: int
    database: dict[str, Any]
    """The settings of the database, for worker processes."""


def run(piece: Piece) -> tuple[Piece, Report]:
    """Run one piece of an audit."""
    _set_up(piece.database)
    from core.checks import Report
    from eventstore.audits import parts
    from eventstore.checks import archive
    from eventstore.packs.storage import ArchiveDamaged, ArchiveUnavailable

    try:
        return piece, parts()[piece.part].check(*piece.arguments)
    except (ArchiveUnavailable, ArchiveDamaged) as error:
        report = Report()
        report.failed(archive.unreadable(piece.part, error))
        return piece, report


def _set_up(database: dict[str, Any]) -> None:
    from django.apps import apps

    if apps.ready:
        return
    import django
    from django.conf import settings

    settings.DATABASES["default"].update(database)
    django.setup()
