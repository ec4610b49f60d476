"""The life cycle of tournaments: create, change, delete, publish, enter, withdraw, start, pause, resume, and cancel.

Each service locks the tournament's row first, so that a second call sees the effects of the first. The event and
its postings commit together. `tournaments.rounds.services` has the rounds.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from accounts.models import Player
from accounts.services import create_bot
from games import bots
from games.rules import fairness
from ledger.models import Market
from tournaments import formats, record, roles, schedules
from tournaments.betting import meetings, outrights
from tournaments.entries import admission, check_in, seeding, waiting
from tournaments.entries.registration import enter as enter
from tournaments.entries.registration import enter_bots as enter_bots
from tournaments.entries.registration import enter_or_wait as enter_or_wait
from tournaments.entries.registration import require_bot
from tournaments.entries.registration import withdraw as withdraw
from tournaments.errors import (
    CannotSeat,
    DraftChanged,
    TooFewEntrants,
    WrongStatus,
)
from tournaments.formats.sizes import CannotBeSeated
from tournaments.models import (
    MOST_ROUNDS,
    SecretSeed,
    Status,
    Tournament,
    WaitingEnd,
)
from tournaments.prizes import money
from tournaments.rounds import steps
from tournaments.rounds.stalls import pause as pause
from tournaments.rounds.stalls import resume as resume
from tournaments.terms import Terms, columns, event_data
from tournaments.validation import Agreed, agree


@transaction.atomic
def create(
    *, organizer: Player, terms: Terms, tournament_id: UUID | None = None, now: datetime
) -> Tournament:
    """Create a draft, which only its organizer and the staff see. Raises BadTerms."""
    agreed = agree(terms)
    earlier = seeding.earlier(organizer, terms.seeded_by)
    tournament = Tournament.objects.create(
        id=tournament_id or uuid4(),
        organizer=organizer,
        rules_version=agreed.game.version,
        created_at=now,
        **{**columns(agreed.terms), "seeded_by": earlier},
    )
    data = {**_terms_data(tournament, agreed), "organizer": str(organizer.pk)}
    record.append(tournament, ("created", data), now=now)
    return tournament


def _terms_data(tournament: Tournament, agreed: Agreed) -> dict[str, Any]:
    return {
        **event_data(tournament),
        "rules_version": tournament.rules_version,
        "measures": [measure.document() for measure in agreed.scoring.measures],
    }


@transaction.atomic
def change(
    *, tournament_id: UUID, actor: Player, terms: Terms, version: int | None = None, now: datetime
) -> Tournament:
    """Replace the terms of a draft. Terms that are the same record nothing.

    `version`: the last event that the caller has seen. Raises BadTerms, WrongStatus, DraftChanged.
    """
    agreed = agree(terms)
    tournament = _locked_draft(tournament_id, actor, "changed")
    last = record.head(tournament).version
    if version not in (None, last):
        raise DraftChanged(f"The draft is at version {last}, not {version}.", expected=version, version=last)
    earlier = seeding.earlier(tournament.organizer, terms.seeded_by)
    values = {**columns(agreed.terms), "seeded_by": earlier}
    changed = sorted(name for name, value in values.items() if getattr(tournament, name) != value)
    if not changed:
        return tournament
    for name, value in {**values, "rules_version": agreed.game.version}.items():
        setattr(tournament, name, value)
    tournament.save(update_fields=[*values, "rules_version"])
    # Unlike the first event, this one names empty stages: it may replace others.
    data = {**_terms_data(tournament, agreed), "stages": tournament.stages}
    record.append(tournament, ("terms-changed", {**data, "changed": changed, "by": str(actor.pk)}), now=now)
    return tournament


@transaction.atomic
def delete(*, tournament_id: UUID, actor: Player, now: datetime) -> None:
    """Delete a draft with its roles. Its events stay, and the last one names who deleted it.

    Raises WrongStatus.
    """
    tournament = _locked_draft(tournament_id, actor, "deleted")
    record.append(tournament, ("deleted", {"by": str(actor.pk)}), now=now)
    tournament.roles.all().delete()
    Tournament.objects.filter(pk=tournament.pk).delete()


def _locked_draft(tournament_id: UUID, actor: Player, what: str) -> Tournament:
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.DRAFT:
        raise WrongStatus(f"The tournament is {tournament.status}; only a draft can be {what}.")
    return tournament


@transaction.atomic
def publish(*, tournament_id: UUID, actor: Player, now: datetime, seed: bytes | None = None) -> Tournament:
    """Publish: commit to the seed and open the entries. `seed` (32 bytes) is random unless given.

    Raises WrongStatus, BadTerms if the start is in the past, GuaranteeTooHigh, GuaranteeNotCovered.
    """
    tournament = _locked_draft(tournament_id, actor, "published")
    schedules.check_ahead(tournament.opens_at, schedules.fixed_times(tournament), now=now)
    drawn = secrets.token_bytes(fairness.SEED_BYTES) if seed is None else seed
    SecretSeed.objects.create(tournament=tournament, seed=drawn)
    tournament.status = Status.PUBLISHED
    tournament.commitment = fairness.commitment(drawn)
    tournament.published_at = now
    tournament.save(update_fields=["status", "commitment", "published_at"])
    version = record.append(
        tournament, ("published", {"commitment": tournament.commitment, "by": str(actor.pk)}), now=now
    )
    money.hold_guarantee(tournament, actor=actor, event=version, now=now)
    if tournament.opens_at is not None:
        steps.start(tournament, due=tournament.opens_at)
    return tournament


# --- life cycle --------------------------------------------------------------------------------------


SERVER = "server"
BOT_NAME = "Bot"


# --- entries -------------------------------------------------------------------------------------------


# --- start and cancel ----------------------------------------------------------------------------------


@transaction.atomic
def start(*, tournament_id: UUID, actor: Player | None, hold: str = "", now: datetime) -> Tournament:
    """Start the tournament.

    Removes absent entrants, fills up with bots, closes entries and betting, publishes the client seeds, the
    entropy, and the lot key, and schedules the first round. With a reason to `hold` it, the tournament is paused
    before that round.

    Raises InterestedParty, WrongStatus, TooFewEntrants, CannotSeat, NoBots, SiteCannotStake.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.PUBLISHED:
        raise WrongStatus(f"The tournament is {tournament.status}; only a published one can start.")
    market = outrights.locked_on(tournament)
    absent = check_in.absent(tournament, now)
    coming = waiting.next_in_line(tournament, market, len(absent), now, only_checked_in=True)
    check_in.remove_absent(tournament, absent, market, now, paid_too=waiting.purses(tournament, coming))
    waiting.admit(tournament, market, coming, now, only_checked_in=True)
    waiting.close_list(tournament, WaitingEnd.STARTED, now)
    _fill(tournament, market, now)
    entries = list(tournament.entries.standing())
    if len(entries) < tournament.fewest:
        raise TooFewEntrants(f"{len(entries)} of at least {tournament.fewest}.", entrants=len(entries))
    client_seeds = [entry.client_seed for entry in entries]
    tournament.status = Status.RUNNING
    tournament.entropy = fairness.entropy(client_seeds)
    seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
    lot_key = fairness.lot_key(seed, tournament.entropy)
    tournament.rounds = _rounds(tournament, len(entries))
    tournament.started_at = now
    tournament.save(update_fields=["status", "entropy", "rounds", "started_at"])
    closed = {
        "entries": [entry.number for entry in entries],
        "client_seeds": client_seeds,
        "entropy": tournament.entropy,
        "lot_key": lot_key,
        "rounds": tournament.rounds,
        **seeding.event_data(tournament, entries, lot_key=lot_key),
        "by": str(actor.pk) if actor else SERVER,
    }
    version = record.append(tournament, ("entries-closed", closed), now=now)
    outrights.close(market, event=version, now=now)
    meetings.give_banks(tournament, entries, version=version, now=now)
    steps.open_round(tournament, 1, due=now)
    if hold and actor:
        return pause(tournament_id=tournament_id, actor=actor, reason=hold, now=now)
    return tournament


def _rounds(tournament: Tournament, entrants: int) -> int:
    form = formats.get(tournament.format)
    try:
        rounds = form.rounds(
            entrants, asked=tournament.rounds, snapshot=record.load(tournament.pk).snapshot()
        )
    except CannotBeSeated as error:
        raise CannotSeat(f"{error}.") from None
    if rounds > MOST_ROUNDS:
        raise CannotSeat(f"{entrants} entrants need {rounds} rounds; {MOST_ROUNDS} is the most.")
    return rounds


def _fill(tournament: Tournament, market: Market | None, now: datetime) -> None:
    missing = tournament.fill_to - tournament.entries.standing().count()
    if missing <= 0:
        return
    require_bot(tournament, bots.DEFAULT)
    version = record.head(tournament).version
    money.provide_for_bots(tournament, bots=missing, event=version, now=now)
    for number in range(1, missing + 1):
        # The seed of a bot would add nothing that the server does not know, so it is empty.
        admission.admit(tournament, market, create_bot(name=f"{BOT_NAME} {number}"), "", now)


def start_on_time(*, tournament_id: UUID, now: datetime) -> None:
    """Start as scheduled, or cancel with too few entrants. Does nothing if the tournament has started."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.PUBLISHED:
        return
    try:
        start(tournament_id=tournament_id, actor=None, now=now)
    except TooFewEntrants as error:
        cancel(tournament_id=tournament_id, actor=None, reason=f"too few entrants: {error.detail}", now=now)


@transaction.atomic
def cancel(*, tournament_id: UUID, actor: Player | None, reason: str, now: datetime) -> Tournament:
    """Cancel and refund every fee and bet. Unfinished games are voided, and the seed is revealed afterwards.

    Raises InterestedParty, and WrongStatus for a finished or cancelled tournament.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status in (Status.FINISHED, Status.CANCELLED):
        raise WrongStatus(f"The tournament is {tournament.status} already.")
    tournament.status = Status.CANCELLED
    tournament.stalled = tournament.paused = ""
    tournament.ended_at = now
    tournament.save(update_fields=["status", "stalled", "paused", "ended_at"])
    data = {"reason": reason, "by": str(actor.pk) if actor else SERVER}
    waiting.close_list(tournament, WaitingEnd.CANCELLED, now)
    version = record.append(tournament, ("cancelled", data), now=now)
    market = outrights.locked_on(tournament)
    entries = tournament.entries.standing()
    paid_too = [*outrights.accounts(market), *money.guarantee_accounts(tournament)]
    money.refund(tournament, entries, reason="cancelled", event=version, now=now, paid_too=paid_too)
    outrights.void(market, event=version, now=now)
    money.settle_guarantee(tournament, overlay=0, into=money.escrow(tournament), now=now)
    if tournament.published_at is not None:
        steps.clear(tournament, due=now)
    return tournament
