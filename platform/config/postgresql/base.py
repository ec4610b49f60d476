from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Before a request uses a kept connection, Django asks the server whether it is still there: one SELECT more.

    A server that ended has closed its side, or said farewell, and either makes the idle socket readable. So the
    server is asked only where there is something to be read, and after an error.
    """

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
