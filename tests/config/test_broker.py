"""The broker in the data folder: a message is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError
from kombu.simple import SimpleQueue

from config import celery as celery  # its import registers our transport
from tests.core.test_metric_files import no_room


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
