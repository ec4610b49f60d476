"""What can be done with a dispute by whom, now: what is asked here is what the deed itself asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from accounts.models import Player
from accounts.roles import Role, has_role
from api.errors import Problem, refusal_of
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

Check = Callable[[Dispute, Player, datetime], object]

CHECKS: Mapping[str, Check] = {
    WITHDRAW: lambda dispute, actor, now: opening.require_may_withdraw(dispute, actor),
    APPEAL: lambda dispute, actor, now: appeals.require_may_appeal(dispute, actor, now=now),
    PIN: lambda dispute, actor, now: evidence.require_may_pin(dispute, actor),
    SUSPEND: lambda dispute, actor, now: suspending.require_may_suspend(dispute, actor),
    RESUME: lambda dispute, actor, now: suspending.require_may_resume(dispute, actor),
    RULE: lambda dispute, actor, now: rulings.require_may_rule(dispute, actor),
    APPROVE: lambda dispute, actor, now: rulings.require_may_approve(dispute, actor),
    REFUSE: lambda dispute, actor, now: rulings.require_may_approve(dispute, actor),
}
"""Each raises the problem by which the deed would be refused now."""

DEEDS = tuple(CHECKS)


@dataclass(frozen=True, slots=True)
class Offer:
    """A deed that the state of the dispute has; `refusal` is None where the viewer can do it now."""

    deed: str
    refusal: Problem | None


def offers(dispute: Dispute, viewer: Player, *, now: datetime) -> list[Offer]:
    """To who made the claim and whom it concerns theirs, to staff theirs."""
    is_staff = is_auditor(viewer) or has_role(viewer, Role.ADMINISTRATOR)
    deeds = [*_of_the_concerned(dispute, viewer), *(_of_staff(dispute) if is_staff else ())]
    return [Offer(deed, refusal_of(partial(CHECKS[deed], dispute, viewer, now))) for deed in deeds]


def _of_the_concerned(dispute: Dispute, viewer: Player) -> Iterator[str]:
    if viewer.pk == dispute.opener_id and dispute.status == states.OPEN:
        yield WITHDRAW
    if dispute.status == states.RULED:
        yield APPEAL


def _of_staff(dispute: Dispute) -> Iterator[str]:
    if dispute.is_pending:
        yield PIN
        yield RESUME if dispute.suspends else SUSPEND
    if dispute.status in states.WAITING:
        yield RULE
    if dispute.status == states.PROPOSED:
        yield from (APPROVE, REFUSE)
