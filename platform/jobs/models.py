"""Jobs as rows: written with their cause, claimed by the ticker, and carried out once."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q

from jobs.kinds import PLAY


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> JobQuerySet:
        return self.filter(done=None, failed=None)

    def claimable(self, now: datetime) -> JobQuerySet:
        """Due, and not handed to a worker with a valid lease."""
        return self.open().filter(Q(lease_until=None) | Q(lease_until__lt=now), due__lte=now)

    def claimed(self) -> JobQuerySet:
        """Handed out and not settled since. A worker carries out only these."""
        return self.open().filter(lease_until__isnull=False)


class Job(models.Model):
    kind = models.CharField(max_length=100)
    queue = models.CharField(max_length=20, db_default=PLAY, help_text="whose workers do it")
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
            # The ticker queries five times a second, so the index excludes completed jobs.
            models.Index(name="jobs_job_open", fields=["due"], condition=Q(done=None, failed=None)),
            # The same of one queue.
            models.Index(name="jobs_job_queue", fields=["queue", "due"], condition=Q(done=None, failed=None)),
            # The index for counting failed jobs, which are few.
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
    """While its one row exists, no job is claimed or carried out."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    since = models.DateTimeField()
    reason = models.CharField(max_length=200)

    class Meta:
        constraints = [models.CheckConstraint(name="jobs_pause_single_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return self.reason


class Lease(models.Model):
    """Held by one process at a time, until a time of the database's clock."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=100)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name}: {self.holder} until {self.until:%d %b %Y %H:%M:%S}"


class Heartbeat(models.Model):
    """The last heartbeat of a process that serves no requests."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%d %b %Y %H:%M:%S}"


class MetricsSample(models.Model):
    """The last sample of the gauges of the database, which every scrape of every machine serves."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    at = models.DateTimeField()
    text = models.TextField(help_text="in Prometheus' text format")

    class Meta:
        constraints = [models.CheckConstraint(name="jobs_metricssample_single_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return f"metrics at {self.at:%d %b %Y %H:%M:%S}"
