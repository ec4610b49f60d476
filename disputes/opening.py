"""Opening a dispute, and taking it back."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from accounts.models import Player
from disputes import access, holds, states, stream, suspending
from disputes.errors import AlreadyRuled, DisputeOpen, DisputeTooLate, NotYourDispute, NotYourGame
from disputes.models import Dispute
from eventstore import store
from eventstore.chain import format_at
from games import audit
from games.errors import NoSuchVersion, NotStarted
from games.models import GameRecord, Seat


def time_to_open() -> timedelta:
    """How long after its end a game can be disputed."""
    return timedelta(days=settings.RACECARD_DISPUTE_DAYS)


@transaction.atomic
def open_dispute(*, game_id: UUID, actor: Player, version: int, claim: str, now: datetime) -> Dispute:
    """Claim that something about a game is wrong, from its event `version` on.

    A player in a seat or the organizer of the game's tournament, each once until it is decided. The game may be on, or
    have ended lately; what it has paid is held until the claim is answered.

    Raises as `require_may_open`, and NoSuchVersion.
    """
    game = audit.lock(game_id)
    require_may_open(game, actor, now=now)
    hash, seat = event_hash(game, version), seat_of(game, actor)
    dispute = Dispute(
        game=game, opener=actor, seat=seat, version=version, hash=hash, claim=claim, opened_at=now
    )
    told = {
        "game": str(game.pk),
        "version": version,
        "hash": hash,
        "by": str(actor.pk),
        "seat": seat,
        "claim": claim,
    }
    stream.begin(dispute, ("opened", told), now=now)
    holds.keep(game, now=now)
    return dispute


@transaction.atomic
def withdraw(*, dispute_id: UUID, actor: Player, now: datetime) -> Dispute:
    """Take a claim back that nobody has ruled on. Raises UnknownDispute, NotYourDispute, DisputeMovedOn."""
    dispute = stream.locked(dispute_id)
    require_may_withdraw(dispute, actor)
    stream.append(
        dispute, ("withdrawn", {"by": str(actor.pk)}), now=now, status=states.WITHDRAWN, ended_at=now
    )
    suspending.let_go_on(dispute, now=now)
    holds.keep(dispute.game, now=now)
    return dispute


def require_may_withdraw(dispute: Dispute, player: Player) -> None:
    """Raises NotYourDispute, DisputeMovedOn."""
    if player.pk != dispute.opener_id:
        raise NotYourDispute
    stream.require_state(dispute, states.OPEN)


def require_may_open(game: GameRecord, player: Player, *, now: datetime) -> None:
    """Whoever opens waits for the game's row before.

    Raises NotYourGame, NotStarted, DisputeTooLate, DisputeOpen, AlreadyRuled.
    """
    if seat_of(game, player) is None and not access.organizes(player, game):
        raise NotYourGame
    if game.started_at is None:
        raise NotStarted
    until = open_until(game)
    if until is not None and now > until:
        days = settings.RACECARD_DISPUTE_DAYS
        raise DisputeTooLate(f"The game ended more than {days} days ago.", until=format_at(until))
    _require_first(game, player)


def open_until(game: GameRecord) -> datetime | None:
    """The last moment in which the game can be disputed; None while it is on."""
    return None if game.ended_at is None else game.ended_at + time_to_open()


def seat_of(game: GameRecord, player: Player) -> int | None:
    return Seat.objects.filter(game=game, player=player).values_list("seat", flat=True).first()


def event_hash(game: GameRecord, version: int) -> str:
    """Of the game's event. Raises NoSuchVersion."""
    found = store.read(game.pk, after=version - 1, until=version) if version >= 1 else []
    if not found:
        raise NoSuchVersion
    return found[0].hash


def _require_first(game: GameRecord, actor: Player) -> None:
    """One claim at a time, and none anew once it was ruled on."""
    mine = Dispute.objects.filter(game=game, opener=actor).exclude(status=states.WITHDRAWN)
    for known in mine:
        if known.is_pending:
            raise DisputeOpen(dispute=str(known.pk))
        raise AlreadyRuled(dispute=str(known.pk))
