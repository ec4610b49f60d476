"""The loop of the ticker: it polls the jobs, and retries when the database or broker is unavailable."""

from __future__ import annotations

import logging
import os
import socket
import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from celery import Task
from django.db import Error as DatabaseFault
from django.db import close_old_connections
from kombu.exceptions import OperationalError as BrokerFault
from redis.exceptions import RedisError

from core.clock import Steps, database_now
from jobs import services
from jobs.kinds import broker_queue

log = logging.getLogger("jobs.ticker")

LONGEST_PAUSE = 5.0
BETWEEN_LOOKS_AT_THE_QUEUE = 1.0
"""Seconds."""
AFTER_A_STEP = 60.0
"""Seconds without handing out jobs after the clock was set forwards: it may be set back soon, and jobs carried out
too early cannot be undone.
"""
SOON = 1.0
"""Seconds within which the database's time has arrived early enough to be compared with this machine's."""
BETWEEN_BEATS = 5.0
"""Seconds."""
LEASE = timedelta(seconds=5)
"""How long a ticker that was killed, or cut off from the database, keeps others from taking its place."""
RENEWAL = 1.0
"""Seconds after which a ticker renews its lease."""
BROKER_FAULTS = (OSError, BrokerFault, RedisError)


class Ticker:
    pause_after_trouble: float = 0.0
    """Seconds until the next poll after an error; 0 without one. Doubles while errors persist."""

    _look_at_the_queue: float = 0.0
    """Times of the monotonic clock."""

    _beat: float = 0.0
    """Of the monotonic clock."""

    _leads_until: float = 0.0
    """Of the monotonic clock; 0 while another ticker has the lease."""

    _waits_until: float = 0.0
    """Of the monotonic clock, after the clock was set forwards."""

    def __init__(self, carry_out: Task[[list[int]], None]) -> None:
        """`carry_out` is the Celery task to which jobs are handed out."""
        self._carry_out = carry_out
        self._steps = Steps()
        self._me = f"{socket.gethostname()} {os.getpid()} {uuid4().hex[:12]}"

    def arm(self) -> bool:
        """Schedule missing recurring jobs. False if the database is unavailable."""
        try:
            services.arm_recurring(now=self._now())
        except DatabaseFault as error:
            self.trouble("database", error)
            return False
        return True

    def tick(self) -> int:
        """Claim due jobs and send them; return the number of messages, 0 while another ticker does this."""
        try:
            close_old_connections()
            now = self._now()
            if not self._leads(now):
                return 0
            self._tell_that_it_ticks(now)
            if time.monotonic() < self._waits_until:
                return 0
            self._take_back_lost(now)
            claims = services.claim(now=now)
            sent = self._send(claims)
        except DatabaseFault as error:
            self.trouble("database", error)
            return 0
        if sent == len(claims):
            self.pause_after_trouble = 0.0
        return sent

    def _now(self) -> datetime:
        """The time of the database's clock, which was perhaps set."""
        asked, now = time.monotonic(), database_now()
        if time.monotonic() - asked < SOON:
            self._notice_a_step(now)
        return now

    def _leads(self, now: datetime) -> bool:
        """Whether this ticker has the lease. Others ask the database only whether it has ended."""
        if self._leads_until > time.monotonic() + LEASE.total_seconds() - RENEWAL:
            return True
        self._leads_until = 0.0
        asked = time.monotonic()
        holder = services.holder_of(name=services.HEARTBEAT, now=now, lasting=LEASE)
        if holder in (None, self._me) and services.take_lease(
            name=services.HEARTBEAT, holder=self._me, now=now, lasting=LEASE
        ):
            self._leads_until = asked + LEASE.total_seconds()
        return bool(self._leads_until)

    def stop(self) -> None:
        """Leave the lease to another ticker at once."""
        with suppress(DatabaseFault):
            services.give_up_lease(name=services.HEARTBEAT, holder=self._me)

    def _notice_a_step(self, now: datetime) -> None:
        """Count and log the change, and repair its effects."""
        step = self._steps.look(now)
        if not step:
            return
        direction = "forwards" if step > 0 else "backwards"
        services.CLOCK_STEPS.labels(direction).inc()
        log.error("the clock was set %s by %.1f s", direction, abs(step))
        services.beat(name=services.CLOCK_STEP, now=now)
        services.clamp(now=now)
        self._waits_until = time.monotonic() + AFTER_A_STEP if step > 0 else 0.0
        self._beat = 0.0

    def _tell_that_it_ticks(self, now: datetime) -> None:
        if time.monotonic() >= self._beat:
            services.beat(name=services.HEARTBEAT, now=now)
            self._beat = time.monotonic() + BETWEEN_BEATS

    def _take_back_lost(self, now: datetime) -> None:
        """Send lost jobs again: a killed broker has lost its queue, and a killed worker its unstarted jobs.

        Jobs that no worker has begun although their queue is empty are handed out again. A message that arrives later
        finds its job begun.
        """
        if time.monotonic() < self._look_at_the_queue:
            return
        self._look_at_the_queue = time.monotonic() + BETWEEN_LOOKS_AT_THE_QUEUE
        waiting: dict[str, list[int]] = {}
        for queue, job in services.on_their_way(now=now).values_list("queue", "pk"):
            waiting.setdefault(queue, []).append(job)
        for queue, jobs in waiting.items():
            if self._queued(queue) == 0:
                log.warning(
                    "%d jobs of queue %s were lost on their way; they are sent again", len(jobs), queue
                )
                services.release(job_ids=jobs)

    def _queued(self, queue: str) -> int | None:
        """The number of messages that no worker has fetched; None if the broker does not report it."""
        app = self._carry_out.app
        try:
            with app.connection_for_write() as connection:
                channel: Any = connection.default_channel
                return int(channel.queue_declare(queue=broker_queue(queue)).message_count)
        except BROKER_FAULTS as error:
            self.trouble("broker", error)
            return None

    def _send(self, claims: list[services.Claim]) -> int:
        for sent, claim in enumerate(claims):
            try:
                self._carry_out.apply_async(
                    args=(list(claim.job_ids),),
                    queue=broker_queue(claim.queue),
                    shadow=claim.kind,  # the name in the logs
                    time_limit=int(claim.lease.total_seconds()),
                    ignore_result=True,
                    retry=False,
                )
            except BROKER_FAULTS as error:
                self.trouble("broker", error)
                for unsent in claims[sent:]:
                    services.release(job_ids=unsent.job_ids)
                return sent
        return len(claims)

    def trouble(self, what: str, error: BaseException) -> None:
        self.pause_after_trouble = min(max(0.2, self.pause_after_trouble * 2), LONGEST_PAUSE)
        log.warning("the %s does not answer: %s", what, services.describe(error).splitlines()[0])
