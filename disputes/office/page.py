"""One dispute: what is claimed, what was pinned, what was ruled, and what can be done by whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from api.errors import Problem
from disputes import access, appeals, holds, rulings, selectors, states, stream
from disputes.models import Dispute
from disputes.office import words
from disputes.office.desk import visible
from eventstore.chain import parse_at
from games.access import is_open_book
from games.errors import NotInPlay
from games.models import Status
from ledger.office import subjects
from ledger.office.commands import person
from ledger.office.pages import page, render

MAY_LOOK = "disputes.view_dispute"


@dataclass(frozen=True, slots=True)
class Offered:
    """Something that can be done; `why_not` is empty where this member of staff can do it now."""

    title: str
    url: str
    why_not: str
    grave: bool = False


@page("dispute_page", "disputes/<uuid:dispute_id>/", permission=MAY_LOOK)
def dispute_page(request: HttpRequest, dispute_id: UUID) -> HttpResponse:
    viewer, dispute, now = person(request), visible(request, dispute_id), timezone.now()
    closed = ""
    try:
        told = selectors.document(dispute, viewer, now=now)
        events = selectors.events_for(viewer, dispute.pk)
    except Problem as problem:
        closed, told, events = problem.detail, selectors.line(dispute), []
    deeds = list(_offered(dispute, viewer, now))
    return render(
        request,
        "disputes/office/dispute.html",
        title=f"Dispute {str(dispute.pk)[:8]}",
        dispute=dispute,
        evidence=reverse("admin:game_evidence", args=[dispute.game_id]),
        told=told,
        closed=closed,
        reads=access.may_read(viewer, dispute),
        waits_for=words.WAITS_FOR[dispute.status],
        is_on=not is_open_book(dispute.game),
        offered=[one for one in deeds if not one.why_not],
        refused=[one for one in deeds if one.why_not],
        rulings=[_ruling(one) for one in told.get("rulings", [])],
        hold=holds.standing(dispute.game),
        events=[
            {
                "version": one["version"],
                "at": parse_at(one["at"]),
                "hash": one["hash"],
                "what": words.said(one),
            }
            for one in events
        ],
        links=subjects.links(_subjects(dispute, told)),
    )


def _subjects(dispute: Dispute, told: dict[str, Any]) -> Iterator[str]:
    yield f"player:{dispute.opener_id}"
    yield f"game:{dispute.game_id}"
    if dispute.game.tournament is not None:
        yield f"tournament:{dispute.game.tournament}"
    for one in told.get("evidence") or ():
        yield from (f"player:{one['by']}", f"game:{one['game']}")
    for one in told.get("rulings", ()):
        yield f"player:{one['auditor']}"
        if one["decided_by"]:
            yield f"player:{one['decided_by']}"
        if one["game"]:
            yield f"game:{one['game']}"


def _ruling(told: dict[str, Any]) -> dict[str, Any]:
    effects = list(words.facts(told["effects"])) if told["effects"] else []
    terms = words.text(told["terms"]) if told["terms"] else ""
    return {**told, "title": words.REMEDIES[told["remedy"]], "facts": effects, "terms": terms}


def _offered(dispute: Dispute, viewer: Player, now: datetime) -> Iterator[Offered]:
    def url(name: str, *more: str) -> str:
        return reverse(f"admin:{name}", args=[dispute.pk, *more])

    def pinning() -> None:
        access.require_auditor(viewer, dispute)
        stream.require_state(dispute, *states.WAITING)

    def approving() -> None:
        rulings.require_may_approve(dispute, viewer)

    def suspending() -> None:
        pinning()
        if dispute.game.status != Status.ACTIVE:
            raise NotInPlay

    may_rule = _why_not(lambda: rulings.require_may_rule(dispute, viewer))
    if dispute.is_pending:
        yield Offered("Pin evidence", url("dispute_pin"), _why_not(pinning))
        if dispute.suspends:
            yield Offered("Resume the game", url("dispute_resume"), _why_not(pinning))
        else:
            yield Offered("Suspend the game", url("dispute_suspend"), _why_not(suspending))
    if dispute.status in states.WAITING:
        for remedy, title in words.REMEDIES.items():
            yield Offered(title, url("dispute_rule", remedy), may_rule, grave=remedy == states.VOID)
    if dispute.status == states.PROPOSED:
        yield Offered("Approve the ruling", url("dispute_approve"), _why_not(approving))
        yield Offered("Refuse the ruling", url("dispute_refuse"), _why_not(approving))
    if dispute.appeal_until is not None and now <= dispute.appeal_until:
        concerned = _why_not(lambda: appeals.require_concerned(dispute, viewer))
        yield Offered("Appeal the ruling", url("dispute_appeal"), concerned)


def _why_not(check: Callable[[], object]) -> str:
    """The sentence in which the check refuses; empty where it does not."""
    try:
        check()
    except Problem as problem:
        return problem.detail
    return ""
