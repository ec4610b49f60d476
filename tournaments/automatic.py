"""A whole tournament of bots, carried through in this process without a worker: the same seed, the same tournament."""

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
from tournaments.models import Status, Tournament
from tournaments.terms import Terms

Look = Callable[[Tournament], None]


class Stuck(Exception):
    """The tournament did not come to its end; the text says why."""


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
        """Of the tournament: the bots' chance follows from it."""
        return UUID(bytes=self.secret("id")[:16], version=4)


def hold(plan: Plan, *, organizer: Player, now: datetime, look: Look = lambda _: None) -> Tournament:
    """From the draft to the prizes; `look` is called as it goes on. What is due later is done as if it were then.

    The database must have no jobs but the tournament's own. Raises Stuck, and what the services raise.
    """
    tournament = begin(plan, organizer=organizer, now=now)
    while True:
        tournament.refresh_from_db()
        look(tournament)
        if tournament.status in (Status.FINISHED, Status.CANCELLED):
            return tournament
        now = _carry_on(tournament, now)


def begin(plan: Plan, *, organizer: Player, now: datetime) -> Tournament:
    """To the start, after which jobs carry it on. Raises what the services raise."""
    draft = services.create(organizer=organizer, terms=plan.terms, tournament_id=plan.id, now=now)
    seed = plan.secret("seed")[: fairness.SEED_BYTES]
    services.publish(tournament_id=draft.pk, actor=organizer, now=now, seed=seed)
    services.enter_bots(tournament_id=draft.pk, strategies=plan.strategies, now=now)
    return services.start(tournament_id=draft.pk, actor=organizer, now=now)


def _carry_on(tournament: Tournament, now: datetime) -> datetime:
    """Do what is due, or wait for what is next; the time it is then."""
    claims = jobs.claim(now=now)
    for claim in claims:
        error = jobs.carry_out(job_id=claim.job_id, now=now)
        if error is not None:
            raise Stuck(f"{claim.kind}: {error}") from error
    if claims:
        return now
    waiting = Job.objects.open().order_by("due").first()
    if waiting is None or tournament.stalled:
        raise Stuck(tournament.stalled or "nothing is left to be done, and it is not over")
    return max(now, waiting.due)
