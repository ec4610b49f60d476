import json
import threading
from datetime import UTC, datetime
from unittest.mock import Mock
from uuid import uuid4

import orjson
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from audit.services import verify_storage
from config import checkpoints
from core import triggers
from core.checks import Fault, Report
from core.clock import database_now
from eventstore import store
from eventstore.chain import GENESIS, canonical, parse_at
from eventstore.checkpoints import merkle
from eventstore.checkpoints import service as checkpoint
from eventstore.checks.checkpoints import audit_stream
from eventstore.models import Checkpoint, Epoch, Event
from jobs.services import take_lease
from tests.tampering import tamper
from tests.waiting import wait_until_final

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def own_key(settings, tmp_path):
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
    settings.DATA = tmp_path


@pytest.fixture
def now():
    return datetime(2026, 3, 1, 13, tzinfo=UTC)


def body(made):
    return orjson.loads(made.body)


def key(stream):
    return stream.hex if connection.vendor == "sqlite" else stream


def rewrite(stream):
    """Rewrite the history like a forger with all rights: change event 2, and recompute the chain."""
    with triggers.removed("eventstore_event", "eventstore_stream"), connection.cursor() as cursor:
        events = store.read(stream)
        cursor.execute("DELETE FROM eventstore_event WHERE stream_id = %s", [key(stream)])
        cursor.execute("DELETE FROM eventstore_stream WHERE id = %s", [key(stream)])
    head = store.EMPTY
    for event in events:
        data = {"forged": True} if event.version == 2 else event.data
        new = store.NewEvent(event.type, data, event.seat, event.private, event.seal)
        head = store.append(stream, [new], kind="test", expected=head, at=parse_at(event.at))[0].head()


def test_a_checkpoint_contains_the_changed_heads(append_events, stream, now):
    other = uuid4()
    append_events("created", "a")
    append_events("created", to=other)
    made = checkpoint.make(now)
    assert (made.number, body(made)["previous"], body(made)["at"]) == (
        1,
        GENESIS,
        "2026-03-01T13:00:00.000000Z",
    )
    leaves = [
        merkle.leaf_hash(canonical({"stream": str(id), "version": head.version, "hash": head.hash}))
        for id, head in sorted((id, store.head(id)) for id in (stream, other))
    ]
    assert body(made)["sources"]["streams"]["root"] == merkle.root(leaves).hex()
    assert body(made)["sources"]["streams"]["leaves"] == 2
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(made.key)).verify(
        bytes.fromhex(made.signature), bytes(made.body)
    )


def test_a_checkpoint_has_the_hash_of_the_last_and_only_new_heads(append_events, now):
    append_events("created")
    first = checkpoint.make(now)
    assert checkpoint.make(now) is None
    append_events("created", to=uuid4())
    second = checkpoint.make(now)
    assert (second.number, body(second)["previous"]) == (2, first.hash)
    assert body(second)["sources"]["streams"]["leaves"] == 1
    report = verify_storage()
    assert report.ok
    assert report.counted["checkpoints"] == 2


def test_a_backlog_is_split_into_several_checkpoints(append_events, now, monkeypatch):
    monkeypatch.setattr(checkpoint, "MOST_LEAVES", 2)
    append_events(*"abcde")
    assert checkpoints.make_and_publish(now) == 3
    assert verify_storage().ok


def test_a_signer_that_fails_leaves_the_lease_to_the_next_attempt(append_events, now, monkeypatch):
    append_events("created")
    with monkeypatch.context() as full_disk:
        full_disk.setattr(checkpoints, "publish", Mock(side_effect=OSError("no space left on device")))
        with pytest.raises(OSError, match="no space"):
            checkpoints.make_and_publish(now)
    append_events("a")
    assert checkpoints.make_and_publish(now) == 1


def test_make_says_that_another_process_signs(append_events, now, capsys):
    append_events("created")
    take_lease(name=checkpoints.SIGNER, holder="another", now=database_now(), lasting=checkpoints.SIGNING)
    call_command("checkpoints", "make")
    assert "Another process signs" in capsys.readouterr().out
    assert checkpoint.make(now).number == 1


def test_the_key_is_created_once_and_readable_only_by_its_owner(settings):
    known = checkpoint.public_key()
    assert checkpoint.public_key() == known
    assert settings.RACECARD_CHECKPOINT_KEY.stat().st_mode & 0o777 == 0o600
    assert known not in settings.RACECARD_CHECKPOINT_KEY.read_text()


def test_a_rewritten_history_with_a_valid_chain_is_found(append_events, stream, now):
    append_events("created", to=uuid4())
    append_events("created", "a", "b")
    checkpoint.make(now)
    append_events("c")
    checkpoint.make(now)
    rewrite(stream)
    [first, *_] = verify_storage().faults
    assert (first.checkpoint, first.subject) == (1, f"test:{stream}")


def test_a_removed_stream_is_found(append_events, stream, now):
    append_events("created", "a", "b")
    checkpoint.make(now)
    tamper("DELETE FROM eventstore_event WHERE stream_id = %s", key(stream))
    tamper("DELETE FROM eventstore_stream WHERE id = %s", key(stream))
    [fault] = verify_storage().faults
    assert fault == Fault("checkpoints", "kept", f"stream:{stream}", "what was signed is gone", checkpoint=1)


@pytest.mark.parametrize("left", [0, 2])
def test_removed_events_of_a_stream_are_found_by_the_audit_of_that_stream_alone(
    append_events, stream, now, left
):
    append_events("created", "a")
    checkpoint.make(now)
    append_events("created", to=uuid4())
    append_events("b")
    checkpoint.make(now)
    tamper(f"DELETE FROM eventstore_event WHERE stream_id = %s AND version > {left}", key(stream))
    report = Report()
    audit_stream(report, stream, part="test", subject="of the test")
    assert report.faults == [
        Fault("test", "checkpoint", "of the test", "signed events are missing", None, 1 if left == 0 else 2)
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("SET signature = repeat('0', 128)", "the signature does not fit"),
        ("SET hash = repeat('0', 64)", "the hash is not that of the body"),
        ("SET number = 5", "checkpoint 1 is missing"),
    ],
)
def test_a_changed_checkpoint_is_found(append_events, now, change, why):
    append_events("created")
    checkpoint.make(now)
    if connection.vendor == "sqlite":
        change = change.replace("repeat('0', 128)", f"'{'0' * 128}'").replace(
            "repeat('0', 64)", f"'{'0' * 64}'"
        )
    tamper(f"UPDATE eventstore_checkpoint {change}")
    faults = verify_storage().faults
    assert any(why in fault.why for fault in faults)


def test_a_checkpoint_signed_by_another_key_is_found(append_events, now, settings):
    append_events("created")
    checkpoint.make(now)
    settings.RACECARD_CHECKPOINT_KEY.write_text(Ed25519PrivateKey.generate().private_bytes_raw().hex())
    [fault] = verify_storage().faults
    assert fault.checkpoint == 1
    assert "not this installation's key" in fault.why


def test_an_unpublished_history_is_not_protected(append_events, stream, now):
    """A forger who has the key can sign all checkpoints again. Only checkpoints stored elsewhere reveal it."""
    append_events("created", "a")
    known = checkpoint.published(checkpoint.make(now))
    rewrite(stream)
    with triggers.removed("eventstore_checkpoint"):
        Checkpoint.objects.all().delete()
    wait_until_final()
    checkpoint.make(now)
    assert verify_storage().ok
    assert "another one was published" in checkpoint.verify_against(known).why


def test_published_checkpoints_are_compared(append_events, now, capsys):
    append_events("created")
    checkpoints.make_and_publish(now)
    append_events("a")
    checkpoints.make_and_publish(now)
    known = list(checkpoints.read_published())
    assert [one.number for one in known] == [1, 2]
    assert all(checkpoint.verify_against(one) is None for one in known)
    call_command("checkpoints", "verify")
    assert "2 checkpoints: no faults" in capsys.readouterr().out
    tamper("DELETE FROM eventstore_checkpoint WHERE number = 2")
    assert "older than it" in checkpoint.verify_against(known[1]).why
    with pytest.raises(CommandError, match="checkpoint 2"):
        call_command("checkpoints", "verify")


def test_damaged_publication_is_distinguished(append_events, now):
    append_events("created")
    [document] = [checkpoint.published(checkpoint.make(now)).document()]
    forged = checkpoint.parse({**document, "body": document["body"].replace("13:00", "14:00")})
    assert "damaged" in checkpoint.verify_against(forged).why
    with pytest.raises(ValueError, match="no exported checkpoint"):
        checkpoint.parse({"number": "1"})


def test_the_export_has_one_document_in_each_line(append_events, now, capsys):
    for _ in range(3):
        append_events("x")
        call_command("checkpoints", "make")
    capsys.readouterr()
    call_command("checkpoints", "export", "--since", "1")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["number"] for line in lines] == [2, 3]
    assert all(checkpoint.verify_against(checkpoint.parse(line)) is None for line in lines)


def test_a_checkpoint_covers_events_from_before_and_after_a_restore(append_events, now):
    append_events("created")
    checkpoint.make(now)
    Epoch.objects.create(number=1, began=now, reason="restored")
    append_events("a")
    assert body(checkpoint.make(now))["sources"]["streams"]["leaves"] == 1
    assert verify_storage().ok


def test_two_concurrent_processes_make_one_checkpoint(append_events, now):
    append_events("created")
    made, start = [], threading.Barrier(2)

    def work():
        try:
            start.wait()
            made.append(checkpoint.make(now))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Checkpoint.objects.count() == 1
    assert {one.number for one in made if one} == {1}
    assert verify_storage().ok


def test_checkpoints_cannot_be_changed(append_events, now):
    append_events("created")
    checkpoint.make(now)
    with pytest.raises(DatabaseError), transaction.atomic():
        Checkpoint.objects.update(key="")
    with pytest.raises(DatabaseError), transaction.atomic():
        Checkpoint.objects.all().delete()
    assert Event.objects.count() == 1


def test_transfers_are_covered_too(player, now, settings):
    from ledger import services

    services.deposit(
        player=player.pk,
        amount=500,
        currency=settings.RACECARD_CURRENCY,
        key="d",
        actor="test",
        reason="gift",
        at=now,
    )
    wait_until_final()
    made = checkpoint.make(now)
    assert body(made)["sources"]["transfers"]["leaves"] >= 1
    assert verify_storage().ok
    tamper("UPDATE ledger_transfer SET amount = 600")
    [fault] = [found for found in verify_storage().faults if found.part == "checkpoints"]
    assert fault.checkpoint == 1
    assert "this is not what was signed" in fault.why
