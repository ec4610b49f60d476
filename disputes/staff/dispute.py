"""The page of one dispute: claim, evidence, rulings, log, and available actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from core.errors import Problem
from disputes import access, holds, selectors, states
from disputes.models import Dispute
from disputes.staff import wording
from disputes.staff.actions import visible
from eventstore.chain import parse_at
from games.access import is_disclosed
from games.staff.actions import person
from ledger.staff import subjects
from ledger.staff.pages import page, render

PERMISSION = "disputes.view_dispute"


@dataclass(frozen=True, slots=True)
class ActionLink:
    """A link to an action; `why_not` is empty if the viewer can carry it out now."""

    title: str
    url: str
    why_not: str
    dangerous: bool = False


@page("dispute_page", "disputes/<uuid:dispute_id>/", permission=PERMISSION)
def dispute_page(request: HttpRequest, dispute_id: UUID) -> HttpResponse:
    viewer, dispute, now = person(request), visible(request, dispute_id), timezone.now()
    closed = ""
    try:
        shown = selectors.document(dispute, viewer, now=now)
        events = selectors.events_for(viewer, dispute.pk)
    except Problem as problem:
        closed, shown, events = problem.detail, selectors.line(dispute, viewer), []
    links = list(_actions(dispute, viewer, now))
    return render(
        request,
        "disputes/staff/dispute.html",
        title=f"Dispute {str(dispute.pk)[:8]}",
        dispute=dispute,
        evidence=reverse("admin:game_evidence", args=[dispute.game_id]),
        shown=shown,
        closed=closed,
        reads=access.may_read(viewer, dispute),
        waits_for=wording.WAITS_FOR[dispute.status],
        is_hidden=not is_disclosed(dispute.game),
        available=[one for one in links if not one.why_not],
        unavailable=[one for one in links if one.why_not],
        rulings=[_ruling(one) for one in shown.get("rulings", [])],
        hold=holds.current(dispute.game),
        events=[
            {
                "version": one["version"],
                "at": parse_at(one["at"]),
                "hash": one["hash"],
                "what": wording.sentence(one),
            }
            for one in events
        ],
        links=subjects.links(_subjects(dispute, shown)),
    )


def _subjects(dispute: Dispute, shown: dict[str, Any]) -> Iterator[str]:
    yield f"player:{dispute.opener_id}"
    yield f"game:{dispute.game_id}"
    if dispute.game.tournament is not None:
        yield f"tournament:{dispute.game.tournament}"
    for one in shown.get("evidence") or ():
        yield from (f"player:{one['by']}", f"game:{one['game']}")
    for one in shown.get("rulings", ()):
        yield f"player:{one['auditor']}"
        if one["decided_by"]:
            yield f"player:{one['decided_by']}"
        if one["game"]:
            yield f"game:{one['game']}"


def _ruling(ruling: dict[str, Any]) -> dict[str, Any]:
    effects = list(wording.facts(ruling["effects"])) if ruling["effects"] else []
    terms = wording.text(ruling["terms"]) if ruling["terms"] else ""
    finding = wording.FINDINGS[ruling["finding"]].capitalize()
    return {
        **ruling,
        "finding": finding,
        "title": wording.REMEDIES[ruling["remedy"]],
        "facts": effects,
        "terms": terms,
    }


PAGES: Mapping[str, tuple[str, str]] = {
    selectors.PIN: ("Pin evidence", "dispute_pin"),
    selectors.SUSPEND: ("Suspend the game", "dispute_suspend"),
    selectors.RESUME: ("Resume the game", "dispute_resume"),
    selectors.APPROVE: ("Approve the ruling", "dispute_approve"),
    selectors.REFUSE: ("Refuse the ruling", "dispute_refuse"),
    selectors.APPEAL: ("Appeal the ruling", "dispute_appeal"),
}
"""By action, its title and the name of its page. Ruling has a page for each remedy instead."""


def _actions(dispute: Dispute, viewer: Player, now: datetime) -> Iterator[ActionLink]:
    for one in selectors.available(dispute, viewer, now=now):
        why_not = "" if one.refusal is None else one.refusal.detail
        if one.name == selectors.RULE:
            for remedy, title in wording.REMEDIES.items():
                url = reverse("admin:dispute_rule", args=[dispute.pk, remedy])
                yield ActionLink(title, url, why_not, dangerous=remedy == states.VOID)
        elif one.name in PAGES:
            title, name = PAGES[one.name]
            yield ActionLink(title, reverse(f"admin:{name}", args=[dispute.pk]), why_not)
