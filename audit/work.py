"""An audit in pieces, each carried out by itself, in any order and any process.

Nothing of Django is imported before a process has set it up: a process that is started anew imports this first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from audit.report import Report


class Piece(NamedTuple):
    """`about` says of what, as the part's `audit` takes it; `weight` is how many events it is, about."""

    part: str
    about: tuple[Any, ...]
    weight: int
    database: str
    """The name of the database, for a process of its own."""


def carry_out(piece: Piece) -> tuple[Piece, Report]:
    _set_up(piece.database)
    from audit import checkpoints, database, disputes, ledger, log, looks, suspensions, tournaments

    parts: dict[str, Any] = {
        "database": database.audit,
        "checkpoints": checkpoints.audit,
        "published": checkpoints.audit_published,
        "streams": log.audit,
        "tournaments": tournaments.audit,
        "disputes": disputes.audit,
        "looks": looks.audit,
        "suspensions": suspensions.audit,
        "ledger": ledger.audit,
        "books": lambda: ledger.audit(books_only=True),
    }
    return piece, parts[piece.part](*piece.about)


def _set_up(database: str) -> None:
    from django.apps import apps

    if apps.ready:
        return
    import django
    from django.conf import settings

    settings.DATABASES["default"]["NAME"] = database
    django.setup()
