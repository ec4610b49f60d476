"""Settings of an installation whose clock a test sets forward: `RACECARD_TEST_CLOCK` names the file with the seconds.

Processes that wait, such as the ticker between two polls, wait as long as ever. PostgreSQL's own clock stays as it is;
what the installation reads of it is ahead by the same.
"""

from __future__ import annotations

import mmap
import os
import struct
from datetime import datetime, timedelta
from pathlib import Path

import django.utils.timezone
from django.utils.timezone import now as real_now

import core.clock
from config.settings import *  # noqa: F403

SECONDS = struct.Struct("d")

with Path(os.environ["RACECARD_TEST_CLOCK"]).open("rb") as file:
    _ahead = mmap.mmap(file.fileno(), SECONDS.size, prot=mmap.PROT_READ)


def ahead() -> timedelta:
    return timedelta(seconds=SECONDS.unpack(_ahead[:])[0])


def now() -> datetime:
    return real_now() + ahead()


_database_now = core.clock.database_now


def database_now() -> datetime:
    from django.db import connection

    return _database_now() + ahead() if connection.vendor == "postgresql" else now()


_since_boot = core.clock._since_boot


def since_boot() -> float:
    """As far ahead: otherwise the clock would have been set, and a ticker waits after that."""
    return _since_boot() + ahead().total_seconds()


django.utils.timezone.now = now
core.clock.database_now = database_now
core.clock._since_boot = since_boot
