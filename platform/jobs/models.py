"""What must happen later, as rows: written with what causes them, claimed by the ticker, done once."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> JobQuerySet:
        return self.filter(done=None, failed=None)

    def claimable(self, now: datetime) -> JobQuerySet:
        """Due, and not handed to a worker that still has time to do it."""
        return self.open().filter(Q(lease_until=None) | Q(lease_until__lt=now), due__lte=now)

    def claimed(self) -> JobQuerySet:
        """Handed out and not settled since: the only jobs that a worker may carry out."""
        return self.open().filter(lease_until__isnull=False)

    def in_nobodys_hand(self, now: datetime) -> JobQuerySet:
        """Handed out, and no worker has begun them, or the one that had is lost."""
        return self.claimed().filter(Q(begun=None) | Q(lease_until__lt=now))


class Job(models.Model):
    kind = models.CharField(max_length=100)
    key = models.CharField(max_length=200, unique=True)
    payload = models.JSONField(default=dict)
    due = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    begun = models.DateTimeField(null=True, blank=True, help_text="taken in hand by a worker")
    attempts = models.PositiveIntegerField(default=0)
    done = models.DateTimeField(null=True, blank=True)
    failed = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(default="", blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(name="jobs_job_done_or_failed", condition=Q(done=None) | Q(failed=None)),
        ]
        indexes = [
            # The ticker asks five times a second: it must not meet what is over and done.
            models.Index(name="jobs_job_open", fields=["due"], condition=Q(done=None, failed=None)),
            # So are those given up counted: few among all that were ever done.
            models.Index(name="jobs_job_given_up", fields=["failed"], condition=Q(failed__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def state(self) -> str:
        if self.done:
            return "done"
        if self.failed:
            return "failed"
        return "claimed" if self.lease_until else "waiting"


class Pause(models.Model):
    """While its one row exists no job is claimed or carried out."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    since = models.DateTimeField()
    reason = models.CharField(max_length=200)

    class Meta:
        constraints = [models.CheckConstraint(name="jobs_pause_single_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return self.reason


class Heartbeat(models.Model):
    """When a process that nobody asks anything was last seen to be at work."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
