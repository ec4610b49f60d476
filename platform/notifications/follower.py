"""Notifications follow from committed rows: the position of a source commits with the notifications before it.

The transactions of games, rounds, rulings, and payouts write nothing about notifications. See
docs/decisions/notifications.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import structlog
from django.db import Error as DatabaseFault
from django.db import transaction

from core.metrics import Counter
from eventstore import store
from eventstore.store import BEGINNING, Position, StoredEvent
from notifications import services
from notifications.models import Progress
from notifications.services import Announcement

log = structlog.get_logger(__name__)
SKIPPED = Counter(
    "racecard_notifications_skipped", "Batches of rows from which a handler could not make notifications"
)

AT_ONCE = 500
"""Rows that one transaction reads."""

BATCHES = 20
"""Transactions of one run. The next run continues."""

Handler = Callable[[Sequence[Any], datetime], Iterable[Announcement]]
"""Returns the announcements of rows. It is called in the transaction that moves the position."""


class Batch(NamedTuple):
    through: Position
    """The position of the last row."""
    rows: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Source:
    """Committed rows in one order. `read` returns the rows after a position; None if there are none that are final."""

    name: str
    last: Callable[[], Position | None]
    read: Callable[[Position, int], Batch | None]
    handlers: Callable[[], Iterable[Handler]]


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    _sources[source.name] = source


def start() -> None:
    """Let every source without a position begin at the present one: what has happened before is not announced."""
    known = set(Progress.objects.values_list("source", flat=True))
    for source in _sources.values():
        if source.name not in known:
            at = source.last() or BEGINNING
            Progress.objects.get_or_create(source=source.name, defaults=_fields(at))


def follow(*, now: datetime) -> int:
    """Announce what follows from new rows of all sources. Returns the number of transactions."""
    start()
    return sum(_follow(source, now) for source in list(_sources.values()))


def _follow(source: Source, now: datetime) -> int:
    made = 0
    while made < BATCHES and _advance(source, now):
        made += 1
    return made


def _advance(source: Source, now: datetime) -> bool:
    with transaction.atomic():
        progress = Progress.objects.select_for_update().get(pk=source.name)
        batch = source.read(Position(progress.epoch, progress.xact, progress.position), AT_ONCE)
        if batch is None:
            return False
        for handler in source.handlers():
            services.announce(_announcements(handler, batch.rows, now), now=now)
        Progress.objects.filter(pk=source.name).update(**_fields(batch.through))
    return True


def _announcements(handler: Handler, rows: Sequence[Any], now: datetime) -> list[Announcement]:
    """What a handler makes of the rows. A defect in it must not hold up all notifications; a fault of the database is
    raised, and the batch is read again.
    """
    try:
        with transaction.atomic():
            return list(handler(rows, now))
    except DatabaseFault:
        raise
    except Exception:
        SKIPPED.inc()
        log.exception("notifications_skipped", handler=handler.__qualname__, rows=len(rows))
        return []


def _fields(at: Position) -> dict[str, int]:
    return {"epoch": at.epoch, "xact": at.xact, "position": at.identity}


# --- events --------------------------------------------------------------------------------------------

_event_handlers: list[tuple[Collection[str] | None, Handler]] = []


def on_events(types: Collection[str] | None, handler: Handler) -> None:
    """Call `handler` with the events of these types (None: of all), of whatever streams."""
    _event_handlers.append((types, handler))


def _last_event() -> Position | None:
    return store.last_position()


def _read_events(after: Position, limit: int) -> Batch | None:
    rows = store.read_all(after=after, limit=limit)
    return Batch(rows[-1][0], [event for _, event in rows]) if rows else None


def _handlers_of_events() -> Iterable[Handler]:
    return [_selecting(types, handler) for types, handler in _event_handlers]


def _selecting(types: Collection[str] | None, handler: Handler) -> Handler:
    def selected(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
        wanted = events if types is None else [event for event in events if event.type in types]
        return handler(wanted, now) if wanted else ()

    return selected


register(Source("events", _last_event, _read_events, _handlers_of_events))
