from __future__ import annotations

import select
from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Check a persistent connection without a query. Django's own check is a SELECT before each request.

    A server that ended has closed its side or sent a message, and either makes the idle socket readable. So the
    server is queried only if there is something to read, and after an error.
    """

    def chunked_cursor(self) -> Any:
        """A cursor of the server, which sends rows in pieces. With a pooler only a transaction has one; outside of one
        all rows are read at once.
        """
        if self.settings_dict.get("POOLED") and not self.in_atomic_block:
            return self.cursor()
        return super().chunked_cursor()

    def is_usable(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        if self.errors_occurred or _readable(self.connection.fileno()):
            return bool(super().is_usable())
        return True


def _readable(descriptor: int) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))
