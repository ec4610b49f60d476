"""Rule on a dispute: preview a ruling, make it, have it approved by a second person if much money moves, and appeal it.

A ruling can be appealed once, within the appeal period, to another auditor. A preview applies the remedy and rolls it
back. Ruling applies it again and is refused if the effects differ from those that the auditor saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction

from accounts.models import Player
from core.transactions import dry_run
from disputes import access, money, results, services, states, stream
from disputes.errors import (
    DisputeTooLate,
    DisputeUnexpectedState,
    NotYourDispute,
    RulingStale,
    SecondAuditorRequired,
)
from disputes.models import Dispute, Ruling
from disputes.results import AppliedRemedy, Effects
from disputes.rulings import remedies
from eventstore.chain import format_at
from games.models import Seat

Terms = Mapping[str, Any]


class BadDecision(ValueError):
    """An invalid decision; the message is a sentence for the auditor."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An auditor's decision: a finding, a remedy with its terms, and a reason.

    | remedy | terms |
    |---|---|
    | `dismissed` | none; on appeal, the result from before the first ruling is restored |
    | `void` | none; stakes are refunded, and in a tournament the game scores nothing |
    | `corrected` | `options`: judge the moves again under these options; or `outcome`: the decided outcome |
    | `points` | in a tournament: `way` (`score`, `forfeit`, `swap`) with `scores` or `entries` |
    | `replay` | `version`: continue a suspended game from there; none: deal an ended game again |
    """

    finding: str
    remedy: str
    reason: str
    terms: Terms = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Validate the decision. Raises BadDecision."""
        if self.finding not in states.FINDINGS:
            raise BadDecision(f"A finding is one of {', '.join(states.FINDINGS)}.")
        if self.remedy not in states.REMEDIES:
            raise BadDecision(f"A remedy is one of {', '.join(states.REMEDIES)}.")
        if (self.finding == states.REJECTED) != (self.remedy == states.DISMISSED):
            raise BadDecision("A rejected claim is dismissed, and only a rejected one.")
        if not self.reason.strip():
            raise BadDecision("A ruling needs a reason.")
        _TERMS[self.remedy](self.terms)


def _check_no_terms(terms: Terms) -> None:
    if terms:
        raise BadDecision("This remedy has no terms.")


def _check_replay(terms: Terms) -> None:
    if terms and (terms.keys() != {"version"} or not _whole(terms["version"]) or terms["version"] < 1):
        raise BadDecision(
            "A replay continues from a `version` of the game; after the end of the game it has no terms."
        )


def _check_correction(terms: Terms) -> None:
    if terms.keys() not in ({"options"}, {"outcome"}) or not all(
        isinstance(one, Mapping) for one in terms.values()
    ):
        raise BadDecision("A result is corrected by `options` or by a decided `outcome`.")


def _check_points(terms: Terms) -> None:
    wanted = {"score": {"way", "scores"}, "forfeit": {"way", "entries"}, "swap": {"way", "entries"}}
    if set(terms) != wanted.get(str(terms.get("way")), {""}):
        raise BadDecision(
            "Points are adjusted by `score` with `scores`, or by `forfeit` or `swap` with `entries`."
        )
    if "entries" in terms and not (isinstance(terms["entries"], list) and all(map(_whole, terms["entries"]))):
        raise BadDecision("`entries` is a list of entry numbers.")
    if "scores" in terms:
        _check_scores(terms["scores"])


def _check_scores(scores: Any) -> None:
    if not isinstance(scores, list) or not all(
        isinstance(row, Mapping)
        and row.keys() == {"entry", "score"}
        and _whole(row["entry"])
        and isinstance(row["score"], list)
        and all(map(_whole, row["score"]))
        for row in scores
    ):
        raise BadDecision("`scores` is a list of `entry` and `score`, with a number for each measure.")
    if len({row["entry"] for row in scores}) != len(scores):
        raise BadDecision("`scores` names an entry twice.")


def _whole(value: object) -> bool:
    return type(value) is int and abs(value) <= 10**9


_TERMS: Mapping[str, Callable[[Terms], None]] = {
    states.DISMISSED: _check_no_terms,
    states.VOID: _check_no_terms,
    states.REPLAY: _check_replay,
    states.CORRECTED: _check_correction,
    states.POINTS: _check_points,
}


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects that a ruling would have, with the `token` that makes it while nothing has changed."""

    token: str
    effects: Effects
    second_person: bool


def preview(*, dispute_id: UUID, decision: Decision, actor: Player, now: datetime) -> Preview:
    """Compute the effects of a ruling without making it. Raises the errors of `rule` except RulingStale."""
    with transaction.atomic():
        dispute = stream.locked(dispute_id)
        require_may_rule(dispute, actor)
        found = dry_run(lambda: remedies.apply(_new(dispute, decision, actor, now), now=now)).effects
        return Preview(_token(dispute, decision, found), found, _needs_second_person(found))


@transaction.atomic
def rule(*, dispute_id: UUID, decision: Decision, token: str, actor: Player, now: datetime) -> Ruling:
    """Make a ruling as previewed. If more money moves than one person may move, the ruling is only proposed.

    The token of a preview is required if the ruling changes anything.

    Raises UnknownDispute, DisputeUnexpectedState, AuditorsOnly, SecondAuditorRequired, InterestedParty, RulingStale,
    and the errors of the remedy (see `remedies`).
    """
    dispute = stream.locked(dispute_id)
    require_may_rule(dispute, actor)
    ruling = _new(dispute, decision, actor, now)
    with transaction.atomic():
        done = remedies.apply(ruling, now=now)
        if done.effects.changes_anything and token != _token(dispute, decision, done.effects):
            raise RulingStale
        if waits := _needs_second_person(done.effects):
            transaction.set_rollback(True)
    if waits:
        return _propose(dispute, ruling, done, now)
    ruling.state, ruling.second_person = states.STANDING, False
    _record(ruling, done)
    _supersede_first(ruling)
    ruling.save(force_insert=True)
    _take_effect(dispute, ruling, now)
    return ruling


@transaction.atomic
def approve(*, dispute_id: UUID, actor: Player, reason: str = "", now: datetime) -> Ruling:
    """Approve a proposed ruling. It takes effect exactly as proposed, or not at all.

    Raises UnknownDispute, DisputeUnexpectedState, AuditorsOnly, SecondAuditorRequired, InterestedParty, RulingStale
    (refuse it and have a new ruling made), and the errors of the remedy.
    """
    dispute = stream.locked(dispute_id)
    ruling = require_may_approve(dispute, actor)
    done = remedies.apply(ruling, now=now)
    if done.effects.document() != ruling.effects:
        raise RulingStale
    _supersede_first(ruling)
    _record(ruling, done)
    data = _decide(ruling, states.STANDING, actor, reason, now)
    stream.append(dispute, ("approved", data), now=now)
    _take_effect(dispute, ruling, now)
    return ruling


@transaction.atomic
def refuse(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Ruling:
    """Refuse a proposed ruling; the dispute waits for another. Raises the errors of `approve` except RulingStale."""
    dispute = stream.locked(dispute_id)
    ruling = require_may_approve(dispute, actor)
    data = _decide(ruling, states.REFUSED, actor, reason, now)
    back = states.OPEN if dispute.instance == 1 else states.APPEALED
    stream.append(dispute, ("refused", data), now=now, status=back)
    return ruling


@transaction.atomic
def appeal(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Dispute:
    """Ask for another auditor's ruling. The first ruling stays in effect until then.

    Raises UnknownDispute, NotYourDispute, DisputeUnexpectedState, DisputeTooLate.
    """
    dispute = stream.locked(dispute_id)
    require_may_appeal(dispute, actor, now=now)
    stream.append(
        dispute,
        ("appealed", {"by": str(actor.pk), "reason": reason}),
        now=now,
        status=states.APPEALED,
        instance=2,
        appeal_until=None,
        ended_at=None,
    )
    money.update_hold(dispute.game, now=now)
    return dispute


# --- permissions ------------------------------------------------------------------------------------------


def require_may_rule(dispute: Dispute, actor: Player) -> None:
    """Raise unless the actor may rule: DisputeUnexpectedState, AuditorsOnly, InterestedParty, SecondAuditorRequired."""
    access.require_auditor(actor, dispute)
    stream.require_state(dispute, *states.WAITING)
    first = dispute.rulings.filter(state=states.STANDING).first()
    if first is not None and actor.pk in (first.auditor_id, first.decided_by_id):
        raise SecondAuditorRequired


def require_may_approve(dispute: Dispute, actor: Player) -> Ruling:
    """Return the proposed ruling.

    Raises DisputeUnexpectedState, AuditorsOnly, InterestedParty, SecondAuditorRequired.
    """
    access.require_approver(actor, dispute)
    stream.require_state(dispute, states.PROPOSED)
    ruling = dispute.rulings.get(state=states.PROPOSED)
    ruling.dispute = dispute
    ruled = dispute.rulings.filter(state__in=[states.PROPOSED, states.STANDING])
    if ruled.filter(auditor=actor).exists():
        raise SecondAuditorRequired
    return ruling


def require_may_appeal(dispute: Dispute, player: Player, *, now: datetime) -> None:
    """Raise unless the player may appeal: NotYourDispute, DisputeUnexpectedState, DisputeTooLate."""
    require_concerned(player, dispute)
    stream.require_state(dispute, states.RULED)
    if dispute.appeal_until is None:
        raise DisputeUnexpectedState("A ruling on appeal is final.", state=str(dispute.status))
    if now > dispute.appeal_until:
        raise DisputeTooLate(
            f"The appeal period ended on {dispute.appeal_until:%Y-%m-%d %H:%M} UTC.",
            until=format_at(dispute.appeal_until),
        )


def require_concerned(player: Player, dispute: Dispute) -> None:
    """Require the opener, a player with a seat in the game, or the organizer. Raises NotYourDispute."""
    if not (
        player.pk == dispute.opener_id
        or Seat.objects.filter(game=dispute.game_id, player=player).exists()
        or access.organizes(player, dispute.game)
    ):
        raise NotYourDispute


def _needs_second_person(found: Effects) -> bool:
    return results.needs_second_person(found, settings.RACECARD_DISPUTE_SECOND_PERSON)


# --- helpers ---------------------------------------------------------------------------------------------


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
        evidence=services.pinned_to(dispute),
        ruled_at=now,
    )


def _token(dispute: Dispute, decision: Decision, found: Effects) -> str:
    """Return the token of a preview: the version of the dispute's stream and the SHA-256 of decision and effects."""
    previewed = {"dispute": str(dispute.pk), "decision": asdict(decision), "effects": found.document()}
    return f"{dispute.events}.{results.digest(previewed)}"


def _record(ruling: Ruling, done: AppliedRemedy) -> None:
    ruling.effects = done.effects.document()
    ruling.moves = max(done.effects.moved().values(), default=0)
    ruling.caused, ruling.game = list(done.caused), done.game


def _propose(dispute: Dispute, ruling: Ruling, done: AppliedRemedy, now: datetime) -> Ruling:
    _record(ruling, done)
    ruling.state, ruling.second_person = states.PROPOSED, True
    ruling.caused, ruling.game = [], None
    ruling.save(force_insert=True)
    stream.append(dispute, ("proposed", event_data(ruling)), now=now, status=states.PROPOSED)
    return ruling


def _decide(ruling: Ruling, state: str, actor: Player, reason: str, now: datetime) -> dict[str, Any]:
    """Store the second person's decision with the ruling. Return the data of its event."""
    ruling.state, ruling.decided_by, ruling.decided_at, ruling.decided_why = state, actor, now, reason
    ruling.save(update_fields=["state", "decided_by", "decided_at", "decided_why", "caused", "game"])
    return {"ruling": str(ruling.pk), "by": str(actor.pk), "reason": reason}


def _supersede_first(ruling: Ruling) -> None:
    """Supersede the ruling in effect, if an appeal has been decided."""
    Ruling.objects.filter(dispute=ruling.dispute, state=states.STANDING).update(state=states.SUPERSEDED)


def _take_effect(dispute: Dispute, ruling: Ruling, now: datetime) -> None:
    caused = {"caused": ruling.caused, "game": None if ruling.game is None else str(ruling.game)}
    approved = None if ruling.decided_by_id is None else str(ruling.decided_by_id)
    until = now + appeal_period() if ruling.instance == 1 else None
    open_until = None if until is None else format_at(until)
    stream.append(
        dispute,
        ("ruled", {**event_data(ruling), **caused, "approved_by": approved, "appeal_until": open_until}),
        now=now,
        status=states.RULED,
        ended_at=now,
        appeal_until=until,
    )
    services.resume_after_decision(dispute, now=now)
    money.update_hold(dispute.game, now=now)


def event_data(ruling: Ruling) -> dict[str, Any]:
    """Return a ruling as the data of its events. The effects are represented by their hash, since they may be long."""
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
        "effects": results.digest(ruling.effects),
    }


def appeal_period() -> timedelta:
    """Return the time after a first ruling in which it can be appealed."""
    return timedelta(days=settings.RACECARD_APPEAL_DAYS)
