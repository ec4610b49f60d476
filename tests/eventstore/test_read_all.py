import os
import threading
import time
from uuid import uuid4

import pytest
from django.db import connection, transaction

from eventstore import store
from eventstore.models import Epoch
from tests.forked import Forked
from tests.installation import PATIENCE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases, pytest.mark.slow]


class Reader:
    """Reads all events in order, a page at a time, and remembers its position."""

    def __init__(self, limit=1000):
        self.limit, self.after, self.seen = limit, None, []

    def advance(self):
        page = store.read_all(after=self.after, limit=self.limit)
        self.seen += [event for _, event in page]
        self.after = page[-1][0] if page else self.after
        return len(page)


def everything(limit=1000):
    reader = Reader(limit)
    while reader.advance():
        pass
    return reader.seen


def test_all_streams_are_read_in_one_order_page_by_page(append_events):
    one, other = uuid4(), uuid4()
    append_events("a", to=one)
    append_events("b", "c", to=other)
    append_events("d", to=one)
    assert [event.type for event in everything()] == ["a", "b", "c", "d"]
    assert everything(limit=1) == everything()
    (first, _), *_ = store.read_all(after=None, limit=1)
    assert [event.type for _, event in store.read_all(after=first, limit=2)] == ["b", "c"]


def test_events_from_before_a_restore_stay_readable_and_first(append_events):
    append_events("before")
    Epoch.objects.create(number=1, began="2026-03-02T12:00Z", reason="restored")
    append_events("after")
    page = store.read_all(after=None, limit=10)
    assert [(position.epoch, event.type) for position, event in page] == [(0, "before"), (1, "after")]


@pytest.mark.postgres
def test_an_event_is_read_only_when_no_other_can_precede_it(append_events):
    """With an identity column alone, the event of an early transaction that commits late would be skipped for ever."""
    early, late = uuid4(), uuid4()
    began, go_on = threading.Event(), threading.Event()

    def slow_writer():
        try:
            with transaction.atomic():
                append_events("early", to=early)
                began.set()
                assert go_on.wait(PATIENCE)
        finally:
            connection.close()

    writer = threading.Thread(target=slow_writer)
    writer.start()
    assert began.wait(PATIENCE)
    append_events("late", to=late, until_final=False)
    assert everything() == []
    assert store.read(late) != []
    go_on.set()
    writer.join()
    assert [event.type for event in everything()] == ["early", "late"]


@pytest.mark.postgres
def test_events_of_a_stream_are_in_order_if_the_older_transaction_writes_last(stream, append_events):
    began, go_on = threading.Event(), threading.Event()

    def older():
        try:
            with transaction.atomic():
                append_events("elsewhere", to=uuid4())  # assigns the lower transaction id
                began.set()
                assert go_on.wait(PATIENCE)
                append_events("second")
        finally:
            connection.close()

    writer = threading.Thread(target=older)
    writer.start()
    assert began.wait(PATIENCE)
    append_events("first", until_final=False)
    go_on.set()
    writer.join()
    assert [event.type for event in everything() if event.stream == stream] == ["first", "second"]


WRITER = """
import django, sys, uuid
from datetime import UTC, datetime
django.setup()
from django.db import connections
connections["default"].settings_dict["NAME"] = sys.argv[1]
from eventstore import store
from eventstore.store import EMPTY, NewEvent, WrongVersion
shared = uuid.UUID(sys.argv[2])
own = uuid.uuid4()
for n in range(int(sys.argv[3])):
    for stream in (own, shared):
        while True:
            try:
                store.append(stream, [NewEvent("made", {"n": n})] * (1 + n % 3), kind="test",
                             expected=store.head(stream), at=datetime.now(UTC))
                break
            except WrongVersion:
                pass
"""


def test_a_reader_misses_no_event_of_four_writers(stream, tmp_path):
    """The writers are processes on the same database, and the reader reads while they write."""
    rounds, name = 10, str(connection.settings_dict["NAME"])
    with (tmp_path / "writers.log").open("wb") as log:
        writers = [
            Forked(["-c", WRITER, name, str(stream), str(rounds)], os.environ, log, log) for _ in range(4)
        ]
    reader = Reader(limit=20)
    deadline = time.monotonic() + 120
    while any(writer.poll() is None for writer in writers):
        assert time.monotonic() < deadline
        if not reader.advance():
            time.sleep(0.005)
    assert [writer.returncode for writer in writers] == [0] * 4
    while reader.advance():
        pass
    seen = [(event.stream, event.version) for event in reader.seen]
    appended = sum(1 + n % 3 for n in range(rounds))
    assert len(seen) == len(set(seen)) == 4 * 2 * appended
    assert store.head(stream).version == 4 * appended
    for written in {stream for stream, _ in seen}:
        assert [version for at, version in seen if at == written] == list(
            range(1, store.head(written).version + 1)
        )
