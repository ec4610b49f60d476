"""Runs a whole tournament of bots in this process, without workers. The same seed gives the same tournament."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.models import Player
from games.rules import fairness
from jobs import services as jobs
from jobs.models import Job
from tournaments import services
from tournaments.entries import registration
from tournaments.models import Status, Tournament
from tournaments.terms import Terms

Look = Callable[[Tournament], None]


class Stuck(Exception):
    """The tournament did not finish. The text gives the reason."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`seed` is any text, `strategies` the bot of each entrant in entry order."""

    seed: str
    terms: Terms
    strategies: tuple[str, ...]

    def secret(self, label: str) -> bytes:
        return hashlib.sha256(f"racecard tournament|{label}|{self.seed}".encode()).digest()

    @property
    def id(self) -> UUID:
        """The id of the tournament, from which the bots derive their random choices."""
        return UUID(bytes=self.secret("id")[:16], version=4)


def hold(plan: Plan, *, organizer: Player, now: datetime, look: Look = lambda _: None) -> Tournament:
    """Run from the draft to the prizes; `look` is called on the way. Due times are simulated.

    The database must have no other jobs. Raises Stuck, and the errors of the services.
    """
    tournament = begin(plan, organizer=organizer, now=now)
    while True:
        tournament.refresh_from_db()
        look(tournament)
        if tournament.status in (Status.FINISHED, Status.CANCELLED):
            return tournament
        now = _advance(tournament, now)


def begin(plan: Plan, *, organizer: Player, now: datetime) -> Tournament:
    """Run up to the start, after which jobs continue. Raises the errors of the services."""
    draft = services.create(organizer=organizer, terms=plan.terms, tournament_id=plan.id, now=now)
    seed = plan.secret("seed")[: fairness.SEED_BYTES]
    services.publish(tournament_id=draft.pk, actor=organizer, now=now, seed=seed)
    registration.enter_bots(tournament_id=draft.pk, strategies=plan.strategies, now=now)
    return services.start(tournament_id=draft.pk, actor=organizer, now=now)


def _advance(tournament: Tournament, now: datetime) -> datetime:
    """Run due jobs, or advance to the next one. Returns the simulated time."""
    claims = jobs.claim(now=now)
    for claim in claims:
        error = jobs.carry_out(job_ids=claim.job_ids, now=now)
        if error is not None:
            raise Stuck(f"{claim.kind}: {error}") from error
    if claims:
        return now
    waiting = Job.objects.open().order_by("due").first()
    if waiting is None or tournament.stalled:
        raise Stuck(tournament.stalled or "no job is left, but the tournament is not over")
    return max(now, waiting.due)
