"""The broker in the data folder: kombu's transport by files, which survives a disk that is full.

Kombu's own leaves an empty file where a message could not be written, and a worker that reads one ends.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import structlog
from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

log = structlog.get_logger(__name__)


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # two stubs differ
        """Add a message under its name once all of it is written."""
        folder = Path(self.data_folder_out)
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        partial = folder / f"{name}.partial"
        try:
            partial.write_bytes(dumps(payload).encode())
            partial.rename(folder / name)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise ChannelError(f"Cannot write the message {name}: {error.strerror}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The next message that can be read. One that cannot is lost; its job is handed out again."""
        while True:
            try:
                return super()._get(queue)
            except ValueError:
                log.warning("unreadable_message_dropped", queue=queue)


class Transport(filesystem.Transport):
    Channel = Channel


def register() -> None:
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"
