"""Followers read all events in order. They store their position in the transaction of their effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from eventstore import store
from eventstore.models import FollowerPosition
from eventstore.store import Position, StoredEvent


@dataclass(frozen=True, slots=True)
class Follower:
    """`apply` is called exactly once for every event of every stream, in order, also after crashes.

    This holds for effects in this database. Effects elsewhere can be repeated.
    """

    name: str
    apply: Callable[[StoredEvent], None]
    batch: int = 500

    def advance(self) -> int:
        """Apply the next events, at most `batch`, and return their number. Two processes with one name take turns."""
        if not store.read_all(after=self.position(), limit=1):
            return 0
        with transaction.atomic():
            row, _ = FollowerPosition.objects.select_for_update().get_or_create(
                name=self.name, defaults={"epoch": 0, "xact": 0, "position": 0}
            )
            events = store.read_all(after=Position(row.epoch, row.xact, row.position), limit=self.batch)
            for position, event in events:
                self.apply(event)
                row.epoch, row.xact, row.position = position
            row.save()
        return len(events)

    def position(self) -> Position | None:
        row = FollowerPosition.objects.filter(name=self.name).first()
        return Position(row.epoch, row.xact, row.position) if row else None
