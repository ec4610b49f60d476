"""The ticker: hands jobs that are due to the Celery workers."""

from __future__ import annotations

import signal
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS
from django.db import Error as DatabaseFault

from config.celery import carry_out
from jobs.ticker import Ticker

PERIOD = 0.2
"""Seconds between two polls."""

BUSY_PERIOD = 0.02
"""The same while jobs follow one another."""

BUSY_FOR = 1.0
"""Seconds after a poll that found jobs in which those that follow from them are awaited."""

REARM = 60.0
"""Seconds between two checks that every recurring job is scheduled."""


class Command(BaseCommand):
    help = (
        "Hand jobs that are due to the Celery workers, until stopped. Of any number of tickers one does so."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="poll once and exit")

    def handle(self, *args: Any, once: bool, verbosity: int, **options: Any) -> None:
        ticker = Ticker(carry_out)
        if once:
            self._require_sound()
            ticker.arm()
            self.stdout.write(f"{ticker.tick()} jobs handed out")
            ticker.stop()
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not self._is_sound(ticker):
            if stop.wait(ticker.pause_after_trouble):
                return
        if verbosity:
            self.stdout.write("ticking")
            self.stdout.flush()
        armed = busy_until = float("-inf")
        while not stop.is_set():
            if time.monotonic() - armed >= REARM and ticker.arm():
                armed = time.monotonic()
            if ticker.tick():
                busy_until = time.monotonic() + BUSY_FOR
            period = BUSY_PERIOD if time.monotonic() < busy_until else PERIOD
            stop.wait(ticker.pause_after_trouble or period)
        ticker.stop()

    def _is_sound(self, ticker: Ticker) -> bool:
        """False if the database is unavailable. Raises SystemCheckError if its triggers are missing."""
        try:
            self._require_sound()
        except DatabaseFault as error:
            ticker.trouble("database", error)
            return False
        return True

    def _require_sound(self) -> None:
        self.check(databases=[DEFAULT_DB_ALIAS])
