"""One dispute: what is claimed, what was pinned, what was ruled, and what can be done by whom."""

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
from api.errors import Problem
from disputes import access, holds, offers, selectors, states
from disputes.models import Dispute
from disputes.office import words
from disputes.office.desk import visible
from eventstore.chain import parse_at
from games.access import is_open_book
from games.office.deeds import person
from ledger.office import subjects
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
        closed, told, events = problem.detail, selectors.line(dispute, viewer), []
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


DEEDS: Mapping[str, tuple[str, str]] = {
    offers.PIN: ("Pin evidence", "dispute_pin"),
    offers.SUSPEND: ("Suspend the game", "dispute_suspend"),
    offers.RESUME: ("Resume the game", "dispute_resume"),
    offers.APPROVE: ("Approve the ruling", "dispute_approve"),
    offers.REFUSE: ("Refuse the ruling", "dispute_refuse"),
    offers.APPEAL: ("Appeal the ruling", "dispute_appeal"),
}
"""What has a page of its own here, by its title and that page's name; a ruling has one for each remedy."""


def _offered(dispute: Dispute, viewer: Player, now: datetime) -> Iterator[Offered]:
    for one in offers.offers(dispute, viewer, now=now):
        why_not = "" if one.refusal is None else one.refusal.detail
        if one.deed == offers.RULE:
            for remedy, title in words.REMEDIES.items():
                url = reverse("admin:dispute_rule", args=[dispute.pk, remedy])
                yield Offered(title, url, why_not, grave=remedy == states.VOID)
        elif one.deed in DEEDS:
            title, name = DEEDS[one.deed]
            yield Offered(title, reverse(f"admin:{name}", args=[dispute.pk]), why_not)
