"""What can be done with a dispute by whom, now: what is asked here is what the deed itself asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Player
from accounts.roles import Role, has_role
from api.errors import Problem
from disputes import appeals, evidence, opening, rulings, states, suspending
from disputes.models import Dispute
from games.access import is_auditor

WITHDRAW = "withdraw"
APPEAL = "appeal"
PIN = "pin"
SUSPEND = "suspend"
RESUME = "resume"
RULE = "rule"
APPROVE = "approve"
REFUSE = "refuse"
DEEDS = (WITHDRAW, APPEAL, PIN, SUSPEND, RESUME, RULE, APPROVE, REFUSE)


@dataclass(frozen=True, slots=True)
class Offer:
    """A deed that the state of the dispute has; `refusal` is None where the viewer can do it now."""

    deed: str
    refusal: Problem | None


def offers(dispute: Dispute, viewer: Player, *, now: datetime) -> Iterator[Offer]:
    """To who made the claim and whom it concerns theirs, to staff theirs."""
    if viewer.pk == dispute.opener_id and dispute.status == states.OPEN:
        yield _offer(WITHDRAW, lambda: opening.require_may_withdraw(dispute, viewer))
    if dispute.status == states.RULED:
        yield _offer(APPEAL, lambda: appeals.require_may_appeal(dispute, viewer, now=now))
    if is_auditor(viewer) or has_role(viewer, Role.ADMINISTRATOR):
        yield from _of_staff(dispute, viewer)


def _of_staff(dispute: Dispute, viewer: Player) -> Iterator[Offer]:
    if dispute.is_pending:
        yield _offer(PIN, lambda: evidence.require_may_pin(dispute, viewer))
        if dispute.suspends:
            yield _offer(RESUME, lambda: suspending.require_may_resume(dispute, viewer))
        else:
            yield _offer(SUSPEND, lambda: suspending.require_may_suspend(dispute, viewer))
    if dispute.status in states.WAITING:
        yield _offer(RULE, lambda: rulings.require_may_rule(dispute, viewer))
    if dispute.status == states.PROPOSED:
        yield _offer(APPROVE, lambda: rulings.require_may_approve(dispute, viewer))
        yield _offer(REFUSE, lambda: rulings.require_may_approve(dispute, viewer))


def _offer(deed: str, check: Callable[[], object]) -> Offer:
    return Offer(deed, refusal_of(check))


def refusal_of(check: Callable[[], object]) -> Problem | None:
    """The problem by which a check refuses; None where it does not."""
    try:
        check()
    except Problem as refusal:
        return refusal
    return None
