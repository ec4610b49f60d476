"""Suspension of streams: the flag is at the head, which the appending statement itself moves.

Nothing can come between a suspension and an append: they are ordered by the row's lock. No statement, not even raw
SQL, appends to a stream whose head is suspended.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import connection

from core.sql import stored
from eventstore.chain import format_at
from eventstore.store import Head


def suspend(stream: UUID, *, at: datetime) -> Head | None:
    """Suspend the stream and return its head; None if it is suspended already or does not exist.

    A rollback undoes the suspension.
    """
    return _flag(stream, format_at(at), "suspended_at IS NULL")


def resume(stream: UUID) -> Head | None:
    """Lift the suspension and return the head of the stream; None if it was not suspended."""
    return _flag(stream, None, "suspended_at IS NOT NULL")


def _flag(stream: UUID, value: str | None, where: str) -> Head | None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE eventstore_stream SET suspended_at = %s WHERE id = %s AND {where} "  # noqa: S608 - constants
            "RETURNING version, head_hash, head_at",
            [value, stored(stream)],
        )
        row = cursor.fetchone()
    return Head(row[0], row[1], datetime.fromisoformat(row[2])) if row else None
