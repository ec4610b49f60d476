"""What a person with direct access can do: change rows past every trigger, and recompute the hashes of a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db import connection

from core import triggers
from eventstore.chain import GENESIS, canonical, event_hash

_TABLE = re.compile(r"\s*(?:UPDATE|DELETE\s+FROM|INSERT\s+INTO)\s+(\w+)")


def tamper(sql: str, *values: Any) -> None:
    """Run one UPDATE, DELETE or INSERT without the triggers of its table; it must change something."""
    with triggers.removed(table_of(sql)), connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        assert cursor.rowcount


def table_of(sql: str) -> str:
    """The table that the statement changes."""
    found = _TABLE.match(sql)
    assert found, sql
    return found[1]


def rehash(stream: str, events: Iterable[dict[str, Any]]) -> None:
    """Give the events hashes that fit what was altered."""
    prev = GENESIS
    for event in events:
        named = {key: event[key] for key in ("version", "type", "seat", "seal", "at")}
        event["prev"] = prev
        event["hash"] = prev = event_hash(stream=stream, data=canonical(event["data"]), prev=prev, **named)
