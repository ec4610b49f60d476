"""Verification finds every change by a database administrator who drops the triggers first."""

import tracemalloc
from uuid import UUID, uuid4

import pytest
from django.db import connection

from audit.services import verify_storage
from core.checks import Fault
from eventstore import ranges
from tests.tampering import tamper

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def fault(why, stream, version=None, *, check="chain", kind="test"):
    return Fault("streams", check, f"{kind}:{stream}", why, version)


def key(stream):
    return stream.hex if connection.vendor == "sqlite" else stream


@pytest.fixture
def other(append_events):
    stream = uuid4()
    append_events("created", "x", "y", "z", to=stream)
    return stream


@pytest.fixture
def filled(append_events, other, stream):
    append_events("created", "a", "b")
    append_events("c")
    return stream


def test_unchanged_log_is_valid(filled, other):
    report = verify_storage()
    assert report.ok
    assert (report.counted["streams"], report.counted["events"]) == (2, 8)


@pytest.mark.parametrize(
    ("change", "version", "why"),
    [
        ("SET type = 'z' WHERE version = 3", 3, "the hash does not match the event's contents"),
        ("SET seat = 1 WHERE version = 2", 2, "the hash does not match the event's contents"),
        ("SET seal = 'f' WHERE version = 2", 2, "the hash does not match the event's contents"),
        ("SET at = '2026-03-01T12:00:00.000001Z' WHERE version = 4", 4, "the hash does not match the event's contents"),
        ("SET at = '2026-03-01T11:00:00.000000Z' WHERE version = 2", 2, "it is earlier than the event before"),
        ("SET prev = 'f' WHERE version = 3", 3, "prev is not the hash of the event before"),
        ("SET hash = 'f' WHERE version = 1", 1, "the hash does not match the event's contents"),
        ("SET version = 9 WHERE version = 4", 9, "event 4 is missing"),
    ],
)  # fmt: skip
def test_changed_event_is_found(filled, change, version, why):
    tamper(f"UPDATE eventstore_event {change} AND stream_id = %s", key(filled))
    of_events = [found for found in verify_storage().faults if found.check != "head"]
    assert of_events == [fault(why, filled, version, check="order" if "earlier" in why else "chain")]


EVENT, HEAD = "eventstore_event", "eventstore_stream"


@pytest.mark.parametrize(
    ("sql", "version", "why", "more"),
    [
        (f"DELETE FROM {EVENT} WHERE version = 2 AND stream_id = %s", 3, "event 2 is missing", {}),
        (
            f"DELETE FROM {EVENT} WHERE version > 2 AND stream_id = %s",
            2,
            "the head has version 4, but the events end at 2",
            {"check": "head"},
        ),
        (
            f"UPDATE {HEAD} SET head_hash = 'f' WHERE id = %s",
            4,
            "the head is not the hash of the last event",
            {"check": "head"},
        ),
        (
            f"DELETE FROM {HEAD} WHERE id = %s",
            4,
            "the stream of the events is missing",
            {"check": "head", "kind": "stream"},
        ),
        (f"DELETE FROM {EVENT} WHERE stream_id = %s", None, "the stream has no events", {"check": "head"}),
    ],
    ids=["from the middle", "from the end", "changed head", "no stream", "no events"],
)
def test_removed_events_and_heads_are_found(filled, sql, version, why, more):
    tamper(sql, key(filled))
    assert verify_storage().faults == [fault(why, filled, version, **more)]


def test_one_changed_byte_of_data_is_found(filled):
    tamper(f"UPDATE {EVENT} SET data = %s WHERE version = 2 AND stream_id = %s", b'{"n":2}', key(filled))
    assert verify_storage().faults == [fault("the hash does not match the event's contents", filled, 2)]


@pytest.mark.parametrize("page", [1, 2, 3, 4, 5])
def test_verification_does_not_depend_on_the_page_size(filled, other, monkeypatch, page):
    monkeypatch.setattr(ranges, "EVENTS_PER_PAGE", page)
    monkeypatch.setattr(ranges, "EVENTS", page)
    assert verify_storage().ok
    tamper("UPDATE eventstore_event SET seat = 1 WHERE version = 4 AND stream_id = %s", key(filled))
    assert [(each.subject, each.version) for each in verify_storage().faults] == [(f"test:{filled}", 4)]


def test_memory_does_not_grow_with_the_log(append_events, monkeypatch):
    def peak():
        tracemalloc.start()
        assert verify_storage().ok
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    for bound in ("EVENTS", "EVENTS_PER_PAGE", "IDS_PER_PAGE"):
        monkeypatch.setattr(ranges, bound, 50)
    for number in range(20):
        append_events(*["x"] * 10, to=UUID(int=number))
    verify_storage()
    small = peak()
    for number in range(20, 200):
        append_events(*["x"] * 10, to=UUID(int=number))
    assert peak() < small * 1.5 + 20_000
