"""Streams that are stopped for a while: the flag stands at the head, which the appending statement itself moves.

So nothing can come between a suspension and an append: whoever is first is done first, and no statement, raw SQL
included, appends to a stream whose head says that it is suspended.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from eventstore.chain import format_at
from eventstore.store import Head


def suspend(stream: UUID, *, at: datetime, using: str = DEFAULT_DB_ALIAS) -> Head | None:
    """Append nothing to the stream from here on; where it stands. None if it is suspended already, or not there.

    Within a transaction it is as open to take back as everything else in it.
    """
    return _flag(stream, format_at(at), "suspended_at IS NULL", using)


def resume(stream: UUID, *, using: str = DEFAULT_DB_ALIAS) -> Head | None:
    """Let the stream go on; where it stands. None if it was not suspended."""
    return _flag(stream, None, "suspended_at IS NOT NULL", using)


def _flag(stream: UUID, value: str | None, where: str, using: str) -> Head | None:
    connection = connections[using]
    key = stream.hex if connection.vendor == "sqlite" else stream
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE eventstore_stream SET suspended_at = %s WHERE id = %s AND {where} "  # noqa: S608 - constants
            "RETURNING version, head_hash, head_at",
            [value, key],
        )
        row = cursor.fetchone()
    return Head(row[0], row[1], datetime.fromisoformat(row[2])) if row else None
