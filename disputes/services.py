"""Open and withdraw disputes, pin evidence, and suspend and resume disputed games.

Rulings and appeals are in `disputes.rulings.services`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from accounts.models import Player
from core.errors import NoSuchVersion
from disputes import access, money, states, stream
from disputes.errors import (
    AlreadyRuled,
    DisputeOpen,
    DisputeTooLate,
    EvidencePinned,
    NotYourDispute,
    NotYourGame,
)
from disputes.models import Dispute, Party, PinnedEvidence
from eventstore import store
from eventstore.archive import restore_if_archived
from eventstore.chain import format_at
from games import early_access
from games import services as games
from games.errors import GameSuspended, NotInPlay, NotStarted, NotSuspended
from games.models import GameRecord, Seat, Status


def dispute_period() -> timedelta:
    """Return the time after the end of a game in which it can be disputed."""
    return timedelta(days=settings.RACECARD_DISPUTE_DAYS)


@transaction.atomic
def open_dispute(*, game_id: UUID, actor: Player, version: int, claim: str, now: datetime) -> Dispute:
    """Open a dispute with the claim that a game is wrong from its event `version` on.

    The game may be in play or have ended within the dispute period. What it has paid is held until the dispute is
    decided.

    Raises NoSuchVersion, and the errors of `require_may_open`.
    """
    store.lock(game_id)  # before the game, as everyone does who appends to it or archives it
    game = early_access.lock(game_id)
    require_may_open(game, actor, now=now)
    restore_if_archived(game.pk, now=now)
    hash, seat = event_hash(game, version), seat_of(game, actor)
    dispute = Dispute(
        game=game, opener=actor, seat=seat, version=version, hash=hash, claim=claim, opened_at=now
    )
    data = {
        "game": str(game.pk),
        "version": version,
        "hash": hash,
        "by": str(actor.pk),
        "seat": seat,
        "claim": claim,
    }
    stream.begin(dispute, ("opened", data), now=now)
    Party.objects.bulk_create(
        Party(dispute=dispute, player_id=player, opened_at=now) for player in sorted(access.parties(dispute))
    )
    money.update_hold(game, now=now)
    return dispute


@transaction.atomic
def withdraw(*, dispute_id: UUID, actor: Player, now: datetime) -> Dispute:
    """Withdraw a dispute before a ruling. Raises UnknownDispute, NotYourDispute, DisputeUnexpectedState."""
    dispute = stream.locked(dispute_id)
    require_may_withdraw(dispute, actor)
    stream.append(
        dispute, ("withdrawn", {"by": str(actor.pk)}), now=now, status=states.WITHDRAWN, ended_at=now
    )
    resume_after_decision(dispute, now=now)
    money.update_hold(dispute.game, now=now)
    return dispute


def require_may_withdraw(dispute: Dispute, player: Player) -> None:
    """Raise unless the player may withdraw the dispute: NotYourDispute, DisputeUnexpectedState."""
    if player.pk != dispute.opener_id:
        raise NotYourDispute
    stream.require_state(dispute, states.OPEN)


def require_may_open(game: GameRecord, player: Player, *, now: datetime) -> None:
    """Raise unless the player may dispute the game: NotYourGame, NotStarted, DisputeTooLate, DisputeOpen, AlreadyRuled.

    To open a dispute, lock the game first.
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
    """Return the end of the game's dispute period; None while the game is in play."""
    return None if game.ended_at is None else game.ended_at + dispute_period()


def seat_of(game: GameRecord, player: Player) -> int | None:
    return Seat.objects.filter(game=game, player=player).values_list("seat", flat=True).first()


def event_hash(game: GameRecord, version: int) -> str:
    """Return the hash of an event of the game. Raises NoSuchVersion."""
    found = store.read(game.pk, after=version - 1, until=version) if version >= 1 else []
    if not found:
        raise NoSuchVersion
    return found[0].hash


def _require_first(game: GameRecord, actor: Player) -> None:
    """Require that the actor has no dispute of the game that is open or ruled on."""
    mine = Dispute.objects.filter(game=game, opener=actor).exclude(status=states.WITHDRAWN)
    for known in mine:
        if known.is_pending:
            raise DisputeOpen(dispute=str(known.pk))
        raise AlreadyRuled(dispute=str(known.pk))


@transaction.atomic
def suspend(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Dispute:
    """Suspend the game and its clocks until it is resumed or the dispute is decided. For auditors.

    Raises UnknownDispute, AuditorsOnly, InterestedParty, DisputeUnexpectedState, NotInPlay, GameSuspended.
    """
    dispute = stream.locked(dispute_id)
    require_may_pin(dispute, actor)
    games.suspend(dispute.game_id, by=actor, reason=_why(dispute), now=now)
    data = {"by": str(actor.pk), "reason": reason}
    stream.append(dispute, ("suspended", data), now=now, suspends=True)
    return dispute


@transaction.atomic
def resume(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> GameRecord:
    """Resume the game. Returns the game that continues: a new one if the rules count time from the deal.

    Raises UnknownDispute, AuditorsOnly, InterestedParty, DisputeUnexpectedState, NotSuspended, NotContinuable.
    """
    dispute = stream.locked(dispute_id)
    require_may_resume(dispute, actor)
    return _resume(dispute, by=actor, reason=reason, now=now)


def require_may_suspend(dispute: Dispute, actor: Player) -> None:
    """Raise unless the actor may suspend the game. Raises the errors of `suspend` except UnknownDispute."""
    require_may_pin(dispute, actor)
    if dispute.game.suspended_at is not None:
        raise GameSuspended
    if dispute.game.status != Status.ACTIVE:
        raise NotInPlay


def require_may_resume(dispute: Dispute, actor: Player) -> None:
    """Raise unless the actor may resume: AuditorsOnly, InterestedParty, DisputeUnexpectedState, NotSuspended."""
    require_may_pin(dispute, actor)
    if not dispute.suspends:
        raise NotSuspended


def resume_after_decision(dispute: Dispute, *, now: datetime) -> None:
    """Resume the game if it is suspended for this dispute, which the caller has locked."""
    if dispute.suspends:
        _resume(dispute, by=None, reason="decided", now=now)


def _resume(dispute: Dispute, *, by: Player | None, reason: str, now: datetime) -> GameRecord:
    game = GameRecord.objects.get(pk=dispute.game_id)
    if not game.ended:
        game = games.resume(game.pk, by=by, reason=_why(dispute), now=now)
    data = {"by": None if by is None else str(by.pk), "reason": reason, "game": str(game.pk)}
    stream.append(dispute, ("resumed", data), now=now, suspends=False)
    return game


def _why(dispute: Dispute) -> str:
    """Return the reason that the players of the game see. The auditor's reason is visible with the dispute only."""
    return f"dispute {dispute.pk}"


@transaction.atomic
def pin(
    *,
    dispute_id: UUID,
    actor: Player,
    version: int,
    note: str = "",
    game_id: UUID | None = None,
    now: datetime,
) -> PinnedEvidence:
    """Pin an event of the disputed game, or of another game of its deal, match, or tournament. For auditors.

    Raises UnknownDispute, DisputeUnexpectedState, AuditorsOnly, InterestedParty, NoSuchVersion, EvidencePinned.
    """
    dispute = stream.locked(dispute_id)
    require_may_pin(dispute, actor)
    game = dispute.game if game_id is None or game_id == dispute.game_id else _related(dispute, game_id)
    if dispute.evidence.filter(game=game, version=version).exists():
        raise EvidencePinned
    # The database accepts only evidence that it holds.
    restore_if_archived(game.pk, now=now)
    hash = event_hash(game, version)
    pinned = PinnedEvidence.objects.create(
        dispute=dispute, game=game, version=version, hash=hash, note=note, pinned_by=actor, at=now
    )
    data = {"game": str(game.pk), "version": version, "hash": hash, "note": note, "by": str(actor.pk)}
    stream.append(dispute, ("pinned", data), now=now)
    return pinned


def require_may_pin(dispute: Dispute, actor: Player) -> None:
    """Raise unless the actor may pin: SecondFactorNeeded, AuditorsOnly, InterestedParty, DisputeUnexpectedState."""
    access.require_auditor(actor, dispute)
    stream.require_state(dispute, *states.WAITING)


def pinned_to(dispute: Dispute) -> list[dict[str, Any]]:
    """Return the evidence of a ruling: the disputed event, then the pinned events."""
    claimed = {"game": str(dispute.game_id), "version": dispute.version, "hash": dispute.hash}
    pinned = dispute.evidence.values_list("game", "version", "hash")
    rest = [{"game": str(game), "version": version, "hash": hash} for game, version, hash in pinned]
    return [claimed, *(one for one in rest if one != claimed)]


def _related(dispute: Dispute, game_id: UUID) -> GameRecord:
    game = GameRecord.objects.filter(pk=game_id).first()
    about = dispute.game
    if game is not None and (
        (about.tournament is not None and game.tournament == about.tournament)
        or (about.match_id is not None and game.match_id == about.match_id)
        or (about.deal_group and game.deal_group == about.deal_group)
    ):
        return game
    raise NoSuchVersion("The game does not share the deal, match, or tournament of the disputed game.")
