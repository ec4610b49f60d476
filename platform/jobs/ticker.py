"""One look at the table of jobs after another; trouble with the database or the broker only delays it."""

from __future__ import annotations

import logging

from celery import current_app
from django.db import Error as DatabaseFault
from django.db import close_old_connections
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerFault
from redis.exceptions import RedisError

from jobs import services

log = logging.getLogger("jobs.ticker")

LONGEST_PAUSE = 5.0
BROKER_FAULTS = (OSError, BrokerFault, RedisError)


class Ticker:
    pause_after_trouble: float = 0.0
    """Seconds to wait before the next look; 0 when all is well. Doubles while the trouble lasts."""

    def arm(self) -> bool:
        """Schedule the recurring jobs that have no row yet; False if the database could not be reached."""
        try:
            services.arm_recurring(now=timezone.now())
        except DatabaseFault as error:
            self.trouble("database", error)
            return False
        return True

    def tick(self) -> int:
        """Claim what is due and send it; says how many jobs were sent."""
        try:
            close_old_connections()
            claims = services.claim(now=timezone.now())
            sent = self._send(claims)
        except DatabaseFault as error:
            self.trouble("database", error)
            return 0
        if sent == len(claims):
            self.pause_after_trouble = 0.0
        return sent

    def _send(self, claims: list[services.Claim]) -> int:
        for sent, claim in enumerate(claims):
            try:
                current_app.send_task(claim.kind, args=(claim.job_id,), ignore_result=True, retry=False)
            except BROKER_FAULTS as error:
                self.trouble("broker", error)
                for unsent in claims[sent:]:
                    services.release(job_id=unsent.job_id)
                return sent
        return len(claims)

    def trouble(self, what: str, error: BaseException) -> None:
        self.pause_after_trouble = min(max(0.2, self.pause_after_trouble * 2), LONGEST_PAUSE)
        log.warning("the %s does not answer: %s", what, services.describe(error).splitlines()[0])
