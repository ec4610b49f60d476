"""What is shown of disputes: the queue, one with its rulings and evidence, and its events."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from accounts.models import Player
from api.errors import Problem, refusal_of
from disputes import access, holds, opening, states
from disputes.access import Viewer
from disputes.models import Dispute, PinnedEvidence, Ruling
from disputes.offers import Offer, offers
from disputes.rulings import Preview
from eventstore import store
from games.models import GameRecord

Document = dict[str, Any]

READ_LATER = ("claim", "reason", "note", "evidence", "terms", "result", "effects", "caused")
"""What the events of a dispute say of a game that is still on, or may."""


class Sight(NamedTuple):
    """How much of a dispute somebody may see."""

    reads: bool
    """Claim, evidence and reasons."""
    seen: frozenset[UUID]
    """The games, of those that are spoken of, of which the viewer may know how far they have come."""
    whole: bool
    """Nothing is kept back."""


def queue(viewer: Viewer) -> QuerySet[Dispute]:
    """The disputes that the viewer may know of."""
    return access.visible_disputes(viewer)


def lines(disputes: Sequence[Dispute], viewer: Viewer) -> list[Document]:
    """Of a list: nothing of what was claimed."""
    seen = access.seen_games(viewer, {one.game_id for one in disputes})
    return _lines(disputes, seen)


def line(dispute: Dispute, viewer: Viewer) -> Document:
    return lines([dispute], viewer)[0]


def _lines(disputes: Sequence[Dispute], seen: Collection[UUID]) -> list[Document]:
    stand = Ruling.objects.filter(dispute__in=disputes, state=states.STANDING)
    by_dispute = {one.dispute_id: one for one in stand.only("dispute", "finding", "remedy")}
    return [_line(one, by_dispute.get(one.pk), seen) for one in disputes]


def _line(dispute: Dispute, stands: Ruling | None, seen: Collection[UUID]) -> Document:
    return {
        "id": str(dispute.pk),
        "game": str(dispute.game_id),
        "rules": dispute.game.rules,
        "tournament": None if dispute.game.tournament is None else str(dispute.game.tournament),
        "by": str(dispute.opener_id),
        "seat": dispute.seat,
        "version": dispute.version if dispute.game_id in seen else None,
        "status": str(dispute.status),
        "instance": dispute.instance,
        "finding": None if stands is None else stands.finding,
        "remedy": None if stands is None else stands.remedy,
        "suspends": dispute.suspends,
        "opened_at": dispute.opened_at,
        "ended_at": dispute.ended_at,
        "appeal_until": dispute.appeal_until,
    }


def sight(viewer: Viewer, dispute: Dispute) -> Sight:
    games = {dispute.game_id, *dispute.evidence.values_list("game", flat=True)}
    reads, seen = access.may_read(viewer, dispute), access.seen_games(viewer, games)
    return Sight(reads, seen, whole=reads and games <= seen)


def document(dispute: Dispute, viewer: Viewer, *, now: datetime) -> Document:
    """A dispute as the viewer may see it; that an auditor reads of a running game is recorded first."""
    access.look(viewer, dispute, now=now)
    given = sight(viewer, dispute)
    [facts] = _lines([dispute], given.seen)
    pinned = [_placed(_pinned(one), given) for one in dispute.evidence.all()]
    hold = holds.standing(dispute.game)
    return {
        **facts,
        "hash": dispute.hash if dispute.game_id in given.seen else None,
        "claim": dispute.claim if given.reads else None,
        "events": dispute.events,
        "evidence": pinned if given.reads else None,
        "rulings": [ruling(one, given) for one in dispute.rulings.all()],
        "held_since": None if hold is None else hold.at,
        "deeds": [_offered(one) for one in offers(dispute, viewer, now=now)]
        if isinstance(viewer, Player)
        else [],
    }


def mine(game: GameRecord, player: Player, *, now: datetime) -> Document:
    """Whether the player can dispute the game now, until when, why not, and their last dispute of it."""
    last = Dispute.objects.filter(game=game, opener=player).select_related("game").first()
    refusal = refusal_of(lambda: opening.require_may_open(game, player, now=now))
    return {
        "can_open": refusal is None,
        "why_not": _refusal(refusal),
        "seat": opening.seat_of(game, player),
        "until": opening.open_until(game),
        "days": settings.RACECARD_DISPUTE_DAYS,
        "dispute": None if last is None else line(last, player),
    }


def _offered(offer: Offer) -> Document:
    return {"deed": offer.deed, "why_not": _refusal(offer.refusal)}


def _refusal(problem: Problem | None) -> Document | None:
    return None if problem is None else {"code": problem.code, "detail": problem.detail}


def ruling(made: Ruling, given: Sight) -> Document:
    reads = given.reads
    return {
        "id": str(made.pk),
        "number": made.number,
        "instance": made.instance,
        "state": str(made.state),
        "finding": made.finding,
        "remedy": made.remedy,
        "terms": made.terms if reads else None,
        "reason": made.reason if reads else None,
        "auditor": str(made.auditor_id),
        "rules": made.rules,
        "rules_version": made.rules_version,
        "evidence": [_placed(pin, given) for pin in made.evidence] if reads else None,
        "effects": made.effects if reads else None,
        "moves": made.moves,
        "second_person": made.second_person,
        "ruled_at": made.ruled_at,
        "decided_by": None if made.decided_by_id is None else str(made.decided_by_id),
        "decided_at": made.decided_at,
        "decided_why": (made.decided_why or None) if reads else None,
        "game": None if made.game is None else str(made.game),
    }


def previewed(shown: Preview) -> Document:
    return {
        "token": shown.token,
        "effects": shown.effects.document(),
        "moves": shown.effects.moved(),
        "second_person": shown.second_person,
    }


def events_for(
    viewer: Viewer, dispute_id: UUID, after: int = 0, *, limit: int = store.PAGE
) -> list[Document]:
    """At most `limit` events of a dispute behind `after`, as the viewer may see them. Raises UnknownDispute."""
    dispute = access.visible_dispute(viewer, dispute_id)
    given = sight(viewer, dispute)
    events = [event.public() for event in store.read(dispute.pk, after=after, limit=limit)]
    return events if given.whole else [_kept_back(event, given) for event in events]


def _kept_back(event: Document, given: Sight) -> Document:
    """Without what is not for the viewer, and without the hashes, on which a guess at it could be tried."""
    told = event["data"]
    if not given.reads:
        told = {name: None if name in READ_LATER else value for name, value in told.items()}
    if event["type"] in ("opened", "pinned"):
        told = _placed(told, given)
    elif told.get("evidence"):
        told = {**told, "evidence": [_placed(pin, given) for pin in told["evidence"]]}
    return {**event, "data": told, "prev": None, "hash": None}


def _placed(pin: Document, given: Sight) -> Document:
    """Without version and hash where its game is closed to the viewer."""
    return pin if UUID(pin["game"]) in given.seen else {**pin, "version": None, "hash": None}


def _pinned(one: PinnedEvidence) -> Document:
    return {
        "game": str(one.game_id),
        "version": one.version,
        "hash": one.hash,
        "note": one.note,
        "by": str(one.pinned_by_id),
        "at": one.at,
    }
