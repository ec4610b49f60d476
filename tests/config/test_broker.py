"""Kombu's transports as they are mended: a message that was half written, and one that outlives its connection."""

from __future__ import annotations

from pathlib import Path

import pytest
from kombu import Connection, Consumer, Message, Queue
from kombu.exceptions import ChannelError
from kombu.simple import SimpleQueue

from config import celery as celery  # its import registers our transports
from tests.core.test_metric_files import no_room
from tools.services import Valkey


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    """Queues are known to all connections of a process, so each test has another."""
    folders = {
        "data_folder_in": tmp_path,
        "data_folder_out": tmp_path,
        "control_folder": tmp_path / "control",
    }
    options = {name: str(folder) for name, folder in folders.items()}
    return Connection("filesystem://", transport_options=options)


def test_a_message_that_cannot_be_written_leaves_nothing(connection: Connection, tmp_path: Path) -> None:
    with SimpleQueue(connection, "unwritten") as queue:
        with no_room(), pytest.raises(ChannelError):
            queue.put({"a": 1})
        assert [file.name for file in tmp_path.iterdir() if file.is_file()] == []
        queue.put({"a": 2})
        assert queue.get(timeout=5).payload == {"a": 2}


def test_a_message_that_cannot_be_read_is_passed_over(connection: Connection, tmp_path: Path) -> None:
    with SimpleQueue(connection, "unread") as queue:
        (tmp_path / "0_empty.unread.msg").write_bytes(b"")
        queue.put({"a": 1})
        assert queue.get(timeout=5).payload == {"a": 1}


@pytest.mark.processes
def test_a_message_in_hand_does_not_outlive_its_broker_as_a_defect(tmp_path: Path) -> None:
    """Two channels wait for messages, so that kombu closes neither with the connection at first."""
    server, received = Valkey(tmp_path), list[Message]()
    server.start()
    try:
        connection = Connection(server.url)
        for channel, name in ((connection.default_channel, "kept"), (connection.channel(), "other")):
            queue = Queue(name, routing_key=name)
            Consumer(channel, [queue], on_message=received.append).consume()
        connection.Producer().publish({"a": 1}, routing_key="kept")
        connection.drain_events(timeout=5)
        with pytest.raises(TimeoutError):
            connection.drain_events(timeout=0.1)
        server.kill()
        connection.collect()  # as a worker does that has lost its broker
        connection.close()
        [message] = received
        with pytest.raises(connection.connection_errors):
            message.ack()
    finally:
        server.stop()
