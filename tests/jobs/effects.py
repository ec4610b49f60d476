"""A kind of job whose effects can be counted, slow enough to be killed in the middle of it."""

from __future__ import annotations

import datetime as dt
import os
import random
import time
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from jobs.kinds import job
from jobs.services import schedule

KIND = "test.effect"
UNHURRIED = 1.5
"""Seconds for which the job with the number 0 is at work at the least: a kill that is aimed at it meets it."""


@job(KIND, max_attempts=1000, lease=3)
def take_effect(payload: dict[str, Any], *, now: dt.datetime) -> None:
    with Path(os.environ["EFFECTS_LOG"]).open("a") as attempts:
        attempts.write(f"{payload['number']}\n")
    time.sleep(payload["before"])
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO effects (number) VALUES (%s)", [payload["number"]])
    time.sleep(payload["after"])


@job("test.stuck", lease=1)
def sleep(payload: dict[str, Any], *, now: dt.datetime) -> None:
    time.sleep(60)


def get_stuck() -> None:
    schedule(kind="test.stuck", key="stuck", payload={}, due=timezone.now())


def prepare(count: int, seed: int) -> None:
    """A table without any constraint that could hide a second effect, and the jobs."""
    rng = random.Random(seed)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE effects (number integer)")
        for number in range(count):
            before = UNHURRIED if number == 0 else rng.uniform(0, 0.15)
            payload = {"number": number, "before": before, "after": rng.uniform(0, 0.15)}
            schedule(kind=KIND, key=f"effect:{number}", payload=payload, due=timezone.now())
