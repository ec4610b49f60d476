"""Ruling on a dispute: shown first, made as shown, and approved by a second person where much money moves.

A remedy is carried out once to be shown and taken back again, and once to stay. What it did the second time must be to
the letter what it did the first time; otherwise nothing is done, and the auditor looks again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction

from accounts.models import Player
from disputes import access, carrying_out, effects, evidence, holds, states, stream, suspending
from disputes.decisions import Decision
from disputes.effects import Done, Effects
from disputes.errors import AnotherAuditor, RulingStale
from disputes.models import Dispute, Ruling
from eventstore.chain import format_at


@dataclass(frozen=True, slots=True)
class Preview:
    """What a ruling would do. With the `token` it is made, as long as nothing has happened since."""

    token: str
    effects: Effects
    second_person: bool


class _Shown(Exception):
    """Carried out, and to be taken back."""

    def __init__(self, done: Done) -> None:
        super().__init__()
        self.done = done


class _Waits(_Shown):
    """Somebody else must approve it first."""


def preview(*, dispute_id: UUID, decision: Decision, actor: Player, now: datetime) -> Preview:
    """Raises as `rule`, but for RulingStale."""
    with transaction.atomic():
        dispute = stream.locked(dispute_id)
        require_may_rule(dispute, actor)
        try:
            with transaction.atomic():
                raise _Shown(carrying_out.carry_out(_new(dispute, decision, actor, now), now=now))
        except _Shown as shown:
            found = shown.done.effects
        return Preview(_token(dispute, decision, found), found, _needs_second(found))


@transaction.atomic
def rule(*, dispute_id: UUID, decision: Decision, token: str, actor: Player, now: datetime) -> Ruling:
    """Rule as it was shown. Where more money moves than one person may move, it is proposed, and waits for another.

    The token of a preview is needed wherever the ruling changes anything.

    Raises UnknownDispute, DisputeMovedOn, AuditorsOnly, AnotherAuditor, InterestedParty, RulingStale, and what the
    remedy raises (see `carrying_out`).
    """
    dispute = stream.locked(dispute_id)
    require_may_rule(dispute, actor)
    ruling = _new(dispute, decision, actor, now)
    try:
        with transaction.atomic():
            done = carrying_out.carry_out(ruling, now=now)
            if done.effects.changes_anything and token != _token(dispute, decision, done.effects):
                raise RulingStale
            if _needs_second(done.effects):
                raise _Waits(done)
    except _Waits as waits:
        return _propose(dispute, ruling, waits.done, now)
    ruling.state, ruling.second_person = states.STANDING, False
    _note(ruling, done)
    _supersede_first(ruling)
    ruling.save(force_insert=True)
    _take_effect(dispute, ruling, now)
    return ruling


@transaction.atomic
def approve(*, dispute_id: UUID, actor: Player, reason: str = "", now: datetime) -> Ruling:
    """Let a proposed ruling take effect, as it was shown to who proposed it. The reason is told with it.

    Raises UnknownDispute, DisputeMovedOn, AuditorsOnly, AnotherAuditor, InterestedParty, RulingStale (refuse it, so
    that it can be made anew), and what the remedy raises.
    """
    dispute = stream.locked(dispute_id)
    ruling = require_may_approve(dispute, actor)
    done = carrying_out.carry_out(ruling, now=now)
    if done.effects.document() != ruling.effects:
        raise RulingStale
    _supersede_first(ruling)
    _note(ruling, done)
    told = _decide(ruling, states.STANDING, actor, reason, now)
    stream.append(dispute, ("approved", told), now=now)
    _take_effect(dispute, ruling, now)
    return ruling


@transaction.atomic
def refuse(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Ruling:
    """Send a proposed ruling back: the dispute waits for another. Raises as `approve`, but for RulingStale."""
    dispute = stream.locked(dispute_id)
    ruling = require_may_approve(dispute, actor)
    told = _decide(ruling, states.REFUSED, actor, reason, now)
    back = states.OPEN if dispute.instance == 1 else states.APPEALED
    stream.append(dispute, ("refused", told), now=now, status=back)
    return ruling


# --- who may ---------------------------------------------------------------------------------------------


def require_may_rule(dispute: Dispute, actor: Player) -> None:
    """Raises DisputeMovedOn, AuditorsOnly, InterestedParty, AnotherAuditor."""
    access.require_auditor(actor, dispute)
    stream.require_state(dispute, *states.WAITING)
    first = dispute.rulings.filter(state=states.STANDING).first()
    if first is not None and actor.pk in (first.auditor_id, first.decided_by_id):
        raise AnotherAuditor


def require_may_approve(dispute: Dispute, actor: Player) -> Ruling:
    """The ruling that waits, for somebody who may decide about it."""
    access.require_approver(actor, dispute)
    stream.require_state(dispute, states.PROPOSED)
    ruling = dispute.rulings.get(state=states.PROPOSED)
    ruling.dispute = dispute
    ruled = dispute.rulings.filter(state__in=[states.PROPOSED, states.STANDING])
    if ruled.filter(auditor=actor).exists():
        raise AnotherAuditor
    return ruling


def _needs_second(found: Effects) -> bool:
    return effects.needs_second(found, settings.RACECARD_DISPUTE_SECOND_PERSON)


# --- parts -----------------------------------------------------------------------------------------------


def _new(dispute: Dispute, decision: Decision, actor: Player, now: datetime) -> Ruling:
    return Ruling(
        id=uuid4(),
        dispute=dispute,
        number=dispute.rulings.count() + 1,
        instance=dispute.instance,
        finding=decision.finding,
        remedy=decision.remedy,
        terms=dict(decision.terms),
        reason=decision.reason,
        auditor=actor,
        rules=dispute.game.rules,
        rules_version=dispute.game.rules_version,
        evidence=evidence.pinned_to(dispute),
        ruled_at=now,
    )


def _token(dispute: Dispute, decision: Decision, found: Effects) -> str:
    """The version of the dispute's stream, and a SHA-256 in hex of what is decided and what that does."""
    told = {"dispute": str(dispute.pk), "decision": decision.document(), "effects": found.document()}
    return f"{dispute.events}.{effects.digest(told)}"


def _note(ruling: Ruling, done: Done) -> None:
    ruling.effects = done.effects.document()
    ruling.moves = max(done.effects.moved().values(), default=0)
    ruling.caused, ruling.game = list(done.caused), done.game


def _propose(dispute: Dispute, ruling: Ruling, done: Done, now: datetime) -> Ruling:
    _note(ruling, done)
    ruling.state, ruling.second_person = states.PROPOSED, True
    ruling.caused, ruling.game = [], None
    ruling.save(force_insert=True)
    stream.append(dispute, ("proposed", told(ruling)), now=now, status=states.PROPOSED)
    return ruling


def _decide(ruling: Ruling, state: str, actor: Player, reason: str, now: datetime) -> dict[str, Any]:
    """The second person's word, kept with the ruling; what the event of it tells."""
    ruling.state, ruling.decided_by, ruling.decided_at, ruling.decided_why = state, actor, now, reason
    ruling.save(update_fields=["state", "decided_by", "decided_at", "decided_why", "caused", "game"])
    return {"ruling": str(ruling.pk), "by": str(actor.pk), "reason": reason}


def _supersede_first(ruling: Ruling) -> None:
    """On appeal the first ruling stands no longer."""
    Ruling.objects.filter(dispute=ruling.dispute, state=states.STANDING).update(state=states.SUPERSEDED)


def _take_effect(dispute: Dispute, ruling: Ruling, now: datetime) -> None:
    caused = {"caused": ruling.caused, "game": None if ruling.game is None else str(ruling.game)}
    approved = None if ruling.decided_by_id is None else str(ruling.decided_by_id)
    until = now + time_to_appeal() if ruling.instance == 1 else None
    open_until = None if until is None else format_at(until)
    stream.append(
        dispute,
        ("ruled", {**told(ruling), **caused, "approved_by": approved, "appeal_until": open_until}),
        now=now,
        status=states.RULED,
        ended_at=now,
        appeal_until=until,
    )
    suspending.let_go_on(dispute, now=now)
    holds.keep(dispute.game, now=now)


def told(ruling: Ruling) -> dict[str, Any]:
    """As its events tell it; of the effects the hash alone, which may be as long as a tournament's standings."""
    return {
        "ruling": str(ruling.pk),
        "ruled_at": format_at(ruling.ruled_at),
        "number": ruling.number,
        "instance": ruling.instance,
        "finding": ruling.finding,
        "remedy": ruling.remedy,
        "terms": ruling.terms,
        "reason": ruling.reason,
        "by": str(ruling.auditor_id),
        "rules": ruling.rules,
        "rules_version": ruling.rules_version,
        "evidence": ruling.evidence,
        "result": ruling.effects["result"],
        "moves": ruling.moves,
        "effects": effects.digest(ruling.effects),
    }


def time_to_appeal() -> timedelta:
    """How long after a first ruling it can be appealed."""
    return timedelta(days=settings.RACECARD_APPEAL_DAYS)
