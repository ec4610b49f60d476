"""A lost connection or process during an append, and the retry of the client with the same command."""

import os
import threading

import psycopg
import pytest
from django.db import OperationalError, connection

from audit.services import verify_storage
from core.commands import Command
from eventstore import store
from eventstore.store import CommandKnown, KnownCommand, NewEvent
from tests import forked
from tests.installation import PATIENCE, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

COMMAND = Command("c" * 64, "d" * 64)


def append(stream, expected, at):
    return store.append(
        stream, [NewEvent("a", {}), NewEvent("b", {})], kind="test", expected=expected, at=at, command=COMMAND
    )


@pytest.fixture
def now(append_events, stream):
    [created] = append_events("created")
    return created.head().at


def other_connection():
    settings = connection.settings_dict
    return psycopg.connect(
        dbname=settings["NAME"], user=settings["USER"], password=settings["PASSWORD"] or None,
        host=settings["HOST"] or None, port=settings["PORT"] or None, autocommit=True,
    )  # fmt: skip


def backend():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


@pytest.mark.postgres
@pytest.mark.own_backend
def test_a_connection_lost_between_the_commit_and_the_reply(stream, now):
    before = store.head(stream)
    append(stream, before, now)
    with other_connection() as other:
        other.execute("SELECT pg_terminate_backend(%s)", [backend()])
    with pytest.raises(OperationalError):
        append(stream, before, now)
    connection.close()
    with pytest.raises(CommandKnown) as known:
        append(stream, before, now)
    assert known.value.known == KnownCommand(2, 3, COMMAND.fingerprint)
    assert verify_storage().ok


@pytest.mark.postgres
@pytest.mark.own_backend
def test_a_connection_lost_during_the_statement(stream, now):
    before, pids, raised = store.head(stream), [], []

    def work():
        pids.append(backend())
        try:
            append(stream, before, now)
        except OperationalError as error:
            raised.append(error)
        finally:
            connection.close()

    with other_connection() as holder, other_connection() as killer, holder.transaction():
        holder.execute("SELECT 1 FROM eventstore_stream WHERE id = %s FOR UPDATE", [stream])
        worker = threading.Thread(target=work)
        worker.start()

        def waits():
            waiting = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"
            return pids and killer.execute(waiting, pids).fetchone()[0]

        until(waits, "the append waits for the stream's row")
        killer.execute("SELECT pg_terminate_backend(%s)", pids)
        worker.join(PATIENCE)
    assert len(raised) == 1
    assert store.head(stream) == before
    assert [event.version for event in append(stream, before, now)] == [2, 3]
    assert verify_storage().ok


DIES = """
import django, os, sys, uuid
django.setup()
from django.db import connection, transaction
connection.settings_dict["NAME"] = sys.argv[1]
from eventstore import store
from core.commands import Command
from eventstore.store import NewEvent
stream = uuid.UUID(sys.argv[2])
def append():
    head = store.head(stream)
    store.append(stream, [NewEvent("a", {}), NewEvent("b", {})], kind="test", expected=head, at=head.at,
                 command=Command("c" * 64, "d" * 64))
if sys.argv[3] == "after":
    append()
    os.kill(os.getpid(), 9)
with transaction.atomic():
    append()
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("dies", "stands"), [("after", 3), ("before", 1)])
def test_a_process_killed_before_or_after_the_commit(stream, now, dies, stands):
    before = store.head(stream)
    name = str(connection.settings_dict["NAME"])
    died = forked.run(["-c", DIES, name, str(stream), dies], os.environ, timeout=100)
    assert died.returncode == -9
    assert store.head(stream).version == stands
    if dies == "after":
        with pytest.raises(CommandKnown):
            append(stream, before, now)
    else:
        append(stream, before, now)
    assert [event.type for event in store.read(stream)] == ["created", "a", "b"]
    assert verify_storage().ok


def test_a_command_sent_twice_concurrently_takes_effect_once(stream, now):
    """A client with a short time limit sends the same command on two connections."""
    before, done, known = store.head(stream), [], []
    start = threading.Barrier(4)

    def work():
        try:
            start.wait(PATIENCE)
            done.append(append(stream, before, now))
        except CommandKnown as error:
            known.append(error.known)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 1
    assert known == [KnownCommand(2, 3, COMMAND.fingerprint)] * 3
