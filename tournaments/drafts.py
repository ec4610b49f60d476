"""A tournament before anybody enters it: drafted on terms that never change again, and published."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from accounts.models import Player
from eventstore.chain import format_at
from games.rules import fairness
from tournaments import calendar, guarantees, record, roles, schedules, seeding
from tournaments.models import SecretSeed, Status, Tournament
from tournaments.problems import WrongStatus
from tournaments.terms import Terms, agree


@transaction.atomic
def create(
    *, organizer: Player, terms: Terms, tournament_id: UUID | None = None, now: datetime
) -> Tournament:
    """A draft, which only its organizer and the staff see. Raises BadTerms."""
    agreed = agree(terms)
    schedule = agreed.schedule
    tournament = Tournament.objects.create(
        id=tournament_id or uuid4(),
        organizer=organizer,
        name=terms.name,
        format=terms.format,
        rules=agreed.game.slug,
        rules_version=agreed.game.version,
        config=agreed.config,
        rounds=terms.rounds,
        seats=agreed.seats,
        sizes=list(agreed.sizes),
        through=agreed.through,
        count=terms.count,
        tie_breaks=list(agreed.tie_breaks),
        stages=[stage.document() for stage in agreed.stages],
        seeding=terms.seeding,
        seeded_by=seeding.earlier(organizer, terms.seeded_by),
        rated=agreed.rated,
        games=terms.games,
        bank=terms.bank,
        opens_at=schedule.opens_at,
        time_zone=schedule.time_zone,
        round_times=schedule.rows(),
        round_seconds=terms.round_seconds,
        gap_seconds=terms.gap_seconds,
        no_show_seconds=terms.no_show_seconds,
        check_in_seconds=schedule.check_in_seconds,
        late_until=terms.late_until,
        capacity=terms.capacity,
        waiting_list=terms.waiting_list,
        fewest=terms.fewest,
        fill_to=terms.fill_to,
        currency=terms.currency,
        fee=terms.fee,
        prizes=list(agreed.prizes),
        amounts=list(terms.amounts),
        guarantee=terms.guarantee,
        rake=terms.rake,
        created_at=now,
    )
    measures = [measure.document() for measure in agreed.scoring.measures]
    record.append(tournament, ("created", {**_told(tournament), "measures": measures}), now=now)
    return tournament


def _told(tournament: Tournament) -> dict[str, Any]:
    """The terms as the first event tells them; a name may change hands or offend, so it stays out of the log."""
    told = {
        field: getattr(tournament, field)
        for field in (
            "format", "rules", "rules_version", "config", "rounds", "seats", "sizes", "through", "count", "tie_breaks",
            "seeding", "rated", "games", "bank", "round_seconds", "gap_seconds", "no_show_seconds",
            "check_in_seconds", "late_until", "capacity", "waiting_list", "fewest", "fill_to", "currency", "fee",
            "prizes", "rake",
            "amounts", "guarantee", "time_zone", "round_times",
        )
    }  # fmt: skip
    if tournament.stages:
        told["stages"] = tournament.stages
    told["seeded_by"] = str(tournament.seeded_by_id) if tournament.seeded_by_id else None
    told["opens_at"] = format_at(tournament.opens_at) if tournament.opens_at else None
    told["organizer"] = str(tournament.organizer_id)
    return told


@transaction.atomic
def publish(*, tournament_id: UUID, actor: Player, now: datetime, seed: bytes | None = None) -> Tournament:
    """Commit to the seed, and only then take entries. `seed` (32 bytes) is drawn unless given.

    Raises WrongStatus, BadTerms when the start lies in the past already, GuaranteeTooHigh, GuaranteeNotCovered.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.DRAFT:
        raise WrongStatus(f"The tournament is {tournament.status}; only a draft can be published.")
    schedules.check_ahead(tournament, now=now)
    drawn = secrets.token_bytes(fairness.SEED_BYTES) if seed is None else seed
    SecretSeed.objects.create(tournament=tournament, seed=drawn)
    tournament.status = Status.PUBLISHED
    tournament.commitment = fairness.commitment(drawn)
    tournament.published_at = now
    tournament.save(update_fields=["status", "commitment", "published_at"])
    version = record.append(
        tournament, ("published", {"commitment": tournament.commitment, "by": str(actor.pk)}), now=now
    )
    guarantees.promise(tournament, actor=actor, event=version, now=now)
    if tournament.opens_at is not None:
        calendar.start(tournament, due=tournament.opens_at)
    return tournament
