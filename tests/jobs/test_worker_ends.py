"""A worker that cannot continue exits at once, so that another is started."""

from __future__ import annotations

import os

import pytest

from tests import forked

pytestmark = pytest.mark.processes

STOPPED_WHOLE = 7
STOPPING = """
import sys, time
from celery.worker import WorkController
from config import celery
from config.celery import app
celery.LAST_SECONDS = 0.2
WorkController.stop = lambda self, *more: time.sleep({seconds})
object.__new__(app.Worker).stop(exitcode={code})
sys.exit({whole})
"""


def stopped(code: int, *, takes: float) -> int:
    """With what a worker's process ends whose stopping takes so long."""
    script = STOPPING.format(code=code, seconds=takes, whole=STOPPED_WHOLE)
    return forked.run(["-c", script], os.environ, timeout=100).returncode


def test_after_an_error_it_ends_though_celery_waits_for_ever():
    assert stopped(1, takes=600) == 1


def test_a_stopping_worker_finishes_its_work():
    assert stopped(0, takes=0.4) == STOPPED_WHOLE
