"""The page of one dispute: claim, evidence, rulings, log, and available actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.staff import person
from core.errors import Problem
from disputes import access, money, selectors, states
from disputes.models import Dispute
from disputes.staff import actions, wording
from disputes.staff.actions import visible
from eventstore.chain import parse_at
from games.access import is_disclosed
from staff import subjects
from staff.actions import ActionLink
from staff.pages import page, render

PERMISSION = "disputes.view_dispute"


@page("dispute_page", "disputes/<uuid:dispute_id>/", permission=PERMISSION)
def dispute_page(request: HttpRequest, dispute_id: UUID) -> HttpResponse:
    viewer, dispute, now = person(request), visible(request, dispute_id), timezone.now()
    shown, events, closed = _visible_part(dispute, viewer, now)
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
        actions=list(_actions(dispute, viewer, now)),
        rulings=[_ruling(one) for one in shown.get("rulings", [])],
        hold=money.current_hold(dispute.game),
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


def _visible_part(
    dispute: Dispute, viewer: Player, now: datetime
) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]], str]:
    """Return the dispute and its events, or, if they are closed to the viewer, its list entry and the refusal."""
    try:
        return selectors.document(dispute, viewer, now=now), selectors.events_for(viewer, dispute.pk), ""
    except Problem as problem:
        return selectors.line(dispute, viewer), (), problem.detail


def _subjects(dispute: Dispute, shown: Mapping[str, Any]) -> Iterator[str]:
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


def _ruling(ruling: Mapping[str, Any]) -> dict[str, Any]:
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


def _actions(dispute: Dispute, viewer: Player, now: datetime) -> Iterator[ActionLink]:
    """Yield the links to the actions; ruling has one for each remedy."""
    declared = {each.available_as: each for each in actions.ACTIONS}
    for one in selectors.available(dispute, viewer, now=now):
        why_not = "" if one.refusal is None else one.refusal.detail
        if one.name == selectors.RULE:
            for remedy, title in wording.REMEDIES.items():
                url = reverse("admin:dispute_rule", args=[dispute.pk, remedy])
                yield ActionLink(title, url, why_not, is_final=remedy == states.VOID)
        elif (action := declared.get(one.name)) is not None:
            url = reverse(f"admin:{action.page}", args=[dispute.pk])
            yield ActionLink(action.label, url, why_not)
