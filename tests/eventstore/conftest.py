from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from django.db import connection

from eventstore import store
from eventstore.store import EMPTY, Head, NewEvent, StoredEvent
from tests.waiting import wait_until_final

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def stream() -> UUID:
    return uuid4()


@pytest.fixture
def append_events(stream: UUID) -> Callable[..., list[StoredEvent]]:
    """Append plain events to the end of the test's stream, and wait until a checkpoint may cover them.

    Tests that keep a transaction open pass `until_final=False`, because their own transaction delays it.
    """

    def append(
        *types: str, to: UUID = stream, at: datetime = NOON, until_final: bool = True
    ) -> list[StoredEvent]:
        events = [NewEvent(type, {"n": index}) for index, type in enumerate(types)]
        stored = store.append(to, events, kind="test", expected=store.head(to), at=at)
        if until_final and not connection.in_atomic_block:
            wait_until_final()
        return stored

    return append


@pytest.fixture
def first(stream: UUID) -> Head:
    """Append a single event, and return the head."""
    return store.append(stream, [NewEvent("created", {})], kind="test", expected=EMPTY, at=NOON)[0].head()
