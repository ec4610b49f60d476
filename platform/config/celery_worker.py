"""Celery's worker, which ends when it can't go on: what replaces a worker waits until it has ended."""

from __future__ import annotations

import os
import threading

from celery.apps import worker

LAST_SECONDS = 3.0
"""For a worker that has met an error it can't recover from to stop by itself."""


class Worker(worker.Worker):
    def stop(self, in_sighandler: bool = False, exitcode: int | None = None) -> None:
        if exitcode:
            # To stop, Celery talks to the broker once more. Where losing it was the error, it waits for ever.
            end = threading.Timer(LAST_SECONDS, os._exit, (exitcode,))
            end.daemon = True
            end.start()
        super().stop(in_sighandler, exitcode)
