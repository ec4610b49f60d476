import ctypes
import os
import signal
import sys
from functools import cached_property
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_process_init

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Racecard(Celery):
    @cached_property
    def Worker(self) -> Any:  # noqa: N802  # Celery's name
        from config.celery_worker import Worker

        return self.subclass_with_self(Worker)


broker.register()
app = Racecard("racecard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def remember_the_worker(**_: Any) -> None:
    global worker_pid
    worker_pid = os.getpid()


@worker_init.connect
def refuse_without_triggers(**_: Any) -> None:
    """A worker writes events and transfers, so it needs the database to keep them as the web server does."""
    from django.db import connections

    from eventstore import triggers

    try:
        triggers.require_installed()
    except triggers.TriggersMissing as missing:
        sys.exit(str(missing))
    finally:
        connections.close_all()  # the pool's processes must not inherit one


@worker_process_init.connect
def end_with_the_worker(**_: Any) -> None:
    """A pool process whose worker was killed would wait for work for ever."""
    if sys.platform == "linux" and os.getpid() != worker_pid:  # a worker without a pool is its own process
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != worker_pid:  # it was killed before we asked
            os._exit(1)


worker_pid = 0
