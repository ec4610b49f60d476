"""The Celery application with its one task, its worker, and the broker in the data folder."""

import ctypes
import os
import signal
import sys
import threading
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import structlog
from celery import Celery
from celery.signals import worker_init, worker_process_init
from kombu import Queue
from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

from jobs.kinds import FORMER_QUEUE, PLAY, QUEUES, broker_queue

log = structlog.get_logger(__name__)


class Channel(filesystem.Channel):
    """kombu's file transport, made robust against a full disk.

    Kombu's own leaves an empty file if a message could not be written, and a worker that reads an empty file ends.
    """

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]  # two stubs differ
        """Write a message under a temporary name and rename it when complete."""
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
        """The next readable message. An unreadable one is dropped; its job is handed out again."""
        while True:
            try:
                return super()._get(queue)
            except ValueError:
                log.warning("unreadable_message_dropped", queue=queue)


class Transport(filesystem.Transport):
    Channel = Channel


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


LAST_SECONDS = 3.0
"""Stops a worker after an error that it cannot recover from."""


class Racecard(Celery):
    @cached_property
    def Worker(self) -> Any:  # noqa: N802  # Celery's name
        """A worker that ends on an unrecoverable error, so that it can be replaced."""
        from celery.apps import worker  # only a worker needs it

        class Worker(worker.Worker):
            def stop(self, in_sighandler: bool = False, exitcode: int | None = None) -> None:
                if exitcode:
                    # To stop, Celery contacts the broker once more. If losing the broker was the error, that waits
                    # forever.
                    end = threading.Timer(LAST_SECONDS, os._exit, (exitcode,))
                    end.daemon = True
                    end.start()
                super().stop(in_sighandler, exitcode)

        return self.subclass_with_self(Worker)


TRANSPORT_ALIASES |= {
    "filesystem": f"{__name__}:Transport",
    "redis": "config.redis_broker:Transport",
    "rediss": "config.redis_broker:Transport",
    "sentinel": "config.redis_broker:SentinelTransport",
}
app = Racecard("racecard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_default_queue = broker_queue(PLAY)
app.conf.task_queues = [Queue(name) for name in (*map(broker_queue, QUEUES), FORMER_QUEUE)]


@app.task(name="jobs.carry_out")
def carry_out(job_ids: list[int]) -> None:
    """Carry out jobs of one kind. The ticker sends the time limit of the kind with the message."""
    from django.db import Error, connection

    from core.clock import database_now
    from core.transient import is_unreachable
    from jobs import services  # Celery has set up Django by now

    try:
        services.carry_out(job_ids=job_ids, now=database_now())
    except Error as error:
        if not is_unreachable(error):
            raise
        # The leases of the jobs end, and they are handed out again.
        log.warning(
            "the_database_does_not_answer", jobs=job_ids, error=services.describe(error).splitlines()[0]
        )
        connection.close()


@worker_init.connect
def remember_the_worker(**_: Any) -> None:
    global worker_pid
    worker_pid = os.getpid()


@worker_init.connect
def refuse_without_triggers(**_: Any) -> None:
    """A worker writes events and transfers, so the database must have its triggers."""
    from django.db import connections

    from core import triggers

    try:
        triggers.require_installed()
    except triggers.TriggersMissing as missing:
        sys.exit(str(missing))
    finally:
        connections.close_all()  # the pool's processes must not inherit a connection


@worker_process_init.connect
def end_with_the_worker(**_: Any) -> None:
    """A pool process whose worker was killed would wait for work forever."""
    if sys.platform == "linux" and os.getpid() != worker_pid:  # a worker without a pool is its own process
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != worker_pid:  # the worker was killed before the call above
            os._exit(1)


worker_pid = 0
