from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import transaction

from core.commands import Command, Condition
from core.errors import KeyReused
from eventstore import store
from eventstore.chain import GENESIS, NotCanonical, chain_fault
from eventstore.store import EMPTY, CommandKnown, ConditionFailed, Head, KnownCommand, NewEvent, WrongVersion
from rest.problems import status_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def add(stream, *events, expected=EMPTY, at=NOON, command=None):
    return store.append(stream, events, kind="test", expected=expected, at=at, command=command)


def test_the_first_event_creates_the_stream_and_begins_its_chain(stream):
    [event] = add(stream, NewEvent("created", {"b": 1, "a": "é牌"}))
    assert (event.version, event.prev, event.at) == (1, GENESIS, "2026-03-01T12:00:00.000000Z")
    assert store.head(stream) == Head(1, event.hash, NOON)
    assert store.read(stream) == [event]


def test_the_events_of_a_command_are_chained_and_read_back_as_they_were_given(stream):
    private = {"move": {"type": "draw"}, "facts": {"card": "AS"}}
    given = [
        NewEvent("dealt", {}, private={"packs": {"deck": ["AS"]}}, seal="5" * 64),
        NewEvent("draw", {"facts": {"card": "??"}}, seat=0, private=private, seal="6" * 64, schema=2),
    ]
    stored = add(stream, *given)
    assert [event.version for event in stored] == [1, 2]
    assert stored[1].prev == stored[0].hash
    assert store.read(stream) == stored
    assert chain_fault([event.full() for event in stored], stream=str(stream)) is None
    assert stored[1].schema == 2
    assert stored[1].full()["private"] == private
    assert stored[1].public()["private"] is None


def test_a_conflict_names_both_versions(stream, first):
    add(stream, NewEvent("a", {}), expected=first)
    with pytest.raises(WrongVersion) as refused:
        add(stream, NewEvent("b", {}), expected=first)
    assert (refused.value.stream, refused.value.expected, refused.value.actual) == (stream, 1, 2)
    assert refused.value.code == "wrong-version"
    assert [event.type for event in store.read(stream)] == ["created", "a"]


def test_the_same_version_with_another_history_is_refused(stream, first):
    with pytest.raises(WrongVersion):
        add(stream, NewEvent("a", {}), expected=Head(1, "f" * 64, NOON))
    assert store.head(stream) == first


def test_creating_a_stream_twice_is_refused(stream, first):
    with pytest.raises(WrongVersion) as refused:
        add(stream, NewEvent("created", {}))
    assert (refused.value.expected, refused.value.actual) == (0, 1)


def test_expecting_a_head_of_a_stream_that_does_not_exist_is_refused(stream):
    with pytest.raises(WrongVersion) as refused:
        add(stream, NewEvent("a", {}), expected=Head(3, "f" * 64, NOON))
    assert (refused.value.expected, refused.value.actual) == (3, 0)


def test_an_append_without_events_is_refused(stream):
    with pytest.raises(ValueError, match="no events to append"):
        add(stream)
    assert store.head(stream) == EMPTY


def test_times_of_events_never_decrease(stream, first):
    [event] = add(stream, NewEvent("a", {}), expected=first, at=NOON - timedelta(seconds=9))
    assert event.at == "2026-03-01T12:00:00.000000Z"
    [later] = add(stream, NewEvent("b", {}), expected=event.head(), at=NOON + timedelta(microseconds=1))
    assert later.at == "2026-03-01T12:00:00.000001Z"


@pytest.mark.parametrize(
    "data",
    [{"seed": "\ud800"}, {"n": 1.5}, {"n": 2**53}, {"é": 1}, {"when": NOON}, {"n": float("nan")}],
)
def test_data_without_a_canonical_form_is_refused(stream, data):
    with pytest.raises(NotCanonical):
        add(stream, NewEvent("a", {}), NewEvent("b", data))
    with pytest.raises(NotCanonical):
        add(stream, NewEvent("a", {}), NewEvent("b", {}, private=data))
    assert store.head(stream) == EMPTY


def test_text_with_nul_is_stored_unchanged(stream):
    [event] = add(stream, NewEvent("a", {"claim": "a\x00b"}, private={"card": "\x00"}))
    assert store.read(stream) == [event]
    assert event.data == {"claim": "a\x00b"}


def test_a_repeated_command_returns_its_first_result(stream, first):
    command = Command("c" * 64, "d" * 64)
    add(stream, NewEvent("a", {}), NewEvent("b", {}), expected=first, command=command)
    for expected in (first, store.head(stream)):  # a client that received no response; one with the new head
        with pytest.raises(CommandKnown) as known:
            add(stream, NewEvent("a", {}), expected=expected, command=command)
        assert known.value.known == KnownCommand(2, 3, "d" * 64)
    assert store.find_command(stream, "c" * 64) == KnownCommand(2, 3, "d" * 64)
    assert store.head(stream).version == 3


def test_a_repeated_command_that_created_the_stream(stream):
    command = Command("c" * 64, "d" * 64)
    add(stream, NewEvent("a", {}), command=command)
    with pytest.raises(CommandKnown) as known:
        add(stream, NewEvent("a", {}), command=command)
    assert known.value.known == KnownCommand(1, 1, "d" * 64)


def test_a_command_id_with_another_body_is_refused(stream, first):
    add(stream, NewEvent("a", {}), expected=first, command=Command("c" * 64, "d" * 64))
    with pytest.raises(KeyReused) as refused:
        add(stream, NewEvent("b", {}), expected=store.head(stream), command=Command("c" * 64, "e" * 64))
    assert (status_of(refused.value), refused.value.code) == (409, "idempotency-key-reused")


@pytest.mark.parametrize("holds", [True, False])
def test_a_stream_is_created_only_if_the_condition_holds(stream, holds):
    def create():
        return store.append(
            stream,
            [NewEvent("a", {}), NewEvent("b", {})],
            kind="test",
            expected=EMPTY,
            at=NOON,
            condition=Condition("%s = 1", (1,)) & Condition("%s = 1", (int(holds),)),
        )

    if holds:
        assert create()[-1].version == store.head(stream).version == 2
        with pytest.raises(WrongVersion):
            create()
    else:
        with pytest.raises(ConditionFailed):
            create()
        assert store.head(stream) == EMPTY


def test_a_command_id_belongs_to_one_stream(stream, first):
    command = Command("c" * 64, "d" * 64)
    add(stream, NewEvent("a", {}), expected=first, command=command)
    assert add(uuid4(), NewEvent("a", {}), command=command)[0].version == 1
    assert store.find_command(uuid4(), command.id) is None


def test_a_refused_append_leaves_the_open_transaction_usable(stream, first):
    with transaction.atomic():
        with pytest.raises(WrongVersion):
            add(stream, NewEvent("a", {}))
        add(stream, NewEvent("a", {}), expected=first)
    assert store.head(stream).version == 2


def test_a_part_of_a_stream_can_be_read(stream):
    stored = add(stream, *[NewEvent(str(n), {}) for n in range(1, 6)])
    assert store.read(stream, after=3) == stored[3:]
    assert store.read(stream, after=1, until=3) == stored[1:3]
    assert store.read(stream, after=5) == []
    assert store.read(uuid4()) == []
    assert store.head(uuid4()) == EMPTY


@pytest.mark.django_db(transaction=True)
def test_an_append_is_rolled_back_with_its_transaction(stream):
    with transaction.atomic():
        add(stream, NewEvent("a", {}))
        transaction.set_rollback(True)
    assert store.head(stream) == EMPTY
    assert store.read(stream) == []
