"""Helpers for tests that carry out jobs without a worker."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Max
from django.utils import timezone

from jobs import services
from jobs.models import Job
from tournaments.rounds.steps import GAME_ENDED

ENDLESS = 10_000


def run_due(now: datetime, *, strict: bool = True) -> int:
    """Carry out all jobs due at `now`, and those they schedule for `now`, in this process; return their number.

    A failed attempt is recorded as by a worker, and also raised unless `strict` is False.
    """
    ran = 0
    while claims := services.claim(now=now):
        for claim in claims:
            error = services.carry_out(job_ids=claim.job_ids, now=now)
            if error is not None and strict:
                raise error
            ran += 1
        if ran > ENDLESS:
            raise RuntimeError(
                f"more than {ENDLESS} jobs at one moment: does one of them re-arm itself for now?"
            )
    return ran


def run_due_soon() -> int:
    """Carry out all due jobs, and score the games of tournaments that have ended, which is due a little later."""
    ran = run_due(timezone.now())
    scoring = Job.objects.filter(kind=GAME_ENDED, done=None, failed=None)
    while (due := scoring.aggregate(due=Max("due"))["due"]) is not None:
        ran += run_due(due)
    return ran
