"""Staff pages of disputes: the queue, the page of one dispute, and the alarm on overdue disputes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from accounts.models import Player
from accounts.staff import person
from core.errors import Problem
from disputes import access, money, selectors, states
from disputes.models import Dispute
from disputes.staff import evidence as evidence  # registers its pages
from disputes.staff import queue, wording
from disputes.staff.actions import ACTIONS, page_of, visible
from disputes.staff.board import board_at, money_of_game
from eventstore.chain import parse_at
from games.access import is_disclosed, may_access_early
from staff import subjects
from staff.actions import ActionLink
from staff.admin import ActionAdmin
from staff.dashboard import MOST_NAMED, Alarm, CountCard, register_alarms, register_cards
from staff.pages import AUDIT, ListedTable, list_table, page, render


@admin.register(Dispute)
class DisputeAdmin(ActionAdmin):
    staff_actions = ACTIONS
    list_display = (
        "opened",
        "claim_text",
        "opener",
        "about",
        "players",
        "amount_held",
        "status",
        "stage",
        "ended_at",
    )
    list_display_links = None
    list_filter = ("status",)
    search_fields = ("=id", "=game", "=game__tournament", "=opener")
    ordering = ("-opened_at", "-id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Dispute]:
        return access.visible_disputes(person(request))

    @admin.display(description="opened", ordering="opened_at")
    def opened(self, dispute: Dispute) -> SafeString:
        return format_html('<a href="{}">{}</a>', page_of(dispute), f"{dispute.opened_at:%d %b %Y %H:%M}")

    @admin.display(description="claim")
    def claim_text(self, dispute: Dispute) -> str:
        return Truncator(dispute.listed.claim).chars(160)  # type: ignore[attr-defined]  # prepared

    @admin.display(description="game")
    def about(self, dispute: Dispute) -> SafeString:
        address = reverse("admin:games_gamerecord_change", args=[dispute.game_id])
        return format_html('<a href="{}">{}</a>', address, wording.game_name(dispute.game))

    @admin.display(description="players")
    def players(self, dispute: Dispute) -> str:
        return dispute.listed.people  # type: ignore[attr-defined,no-any-return]  # prepared

    @admin.display(description="held")
    def amount_held(self, dispute: Dispute) -> str:
        return dispute.listed.held  # type: ignore[attr-defined,no-any-return]  # prepared

    @admin.display(description="stage")
    def stage(self, dispute: Dispute) -> str:
        return "first ruling" if dispute.instance == 1 else "appeal"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        shown = super().get_changelist_instance(request)
        queue.prepare(person(request), shown.result_list)
        return shown

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """Redirect links of the admin to the page of the dispute."""
        dispute = self.get_object(request, object_id)
        if dispute is None:
            raise Http404
        return HttpResponseRedirect(page_of(dispute))


PERMISSION = "disputes.view_dispute"

list_table(ListedTable("Disputes", "disputes_dispute_changelist", 10, PERMISSION, AUDIT))


# --- the page of a dispute -------------------------------------------------------------------------------


@page("dispute_page", "disputes/<uuid:dispute_id>/", permission=PERMISSION)
def dispute_page(request: HttpRequest, dispute_id: UUID) -> HttpResponse:
    viewer, dispute, now = person(request), visible(request, dispute_id), timezone.now()
    shown, events, closed = _visible_part(dispute, viewer, now)
    appeal = _appeal(events)
    game_name = wording.game_name(dispute.game)
    return render(
        request,
        "disputes/staff/dispute.html",
        title=f"{game_name}: dispute by {dispute.opener}",
        dispute=dispute,
        game_name=game_name,
        evidence=reverse("admin:game_evidence", args=[dispute.game_id]),
        shown=shown,
        closed=closed,
        reads=access.may_read(viewer, dispute),
        waits_for=wording.WAITS_FOR[dispute.status],
        is_hidden=not is_disclosed(dispute.game),
        actions=list(_actions(dispute, viewer, now)),
        rulings=[_ruling(one, dispute) for one in shown.get("rulings", [])],
        appeal=appeal,
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
        links=subjects.links(_subjects(dispute, shown, appeal)),
        **({} if closed else _board(request, dispute, viewer, now)),
    )


def _board(request: HttpRequest, dispute: Dispute, viewer: Player, now: datetime) -> dict[str, Any]:
    """Return the board and the money of the game. While the deal is in play, only on request, which is recorded."""
    if "board" not in request.GET and not is_disclosed(dispute.game):
        return {"board_waits": may_access_early(viewer, dispute.game)}
    text = request.GET.get("at", "")
    at = int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else dispute.version
    try:
        found = board_at(dispute.game, at, viewer, now=now)
    except Problem:
        return {}
    return {
        "board": found,
        "previous": found.version - 1,
        "next": found.version + 1,
        "money": money_of_game(dispute.game),
        "held": queue.held_money([dispute]).get(dispute.game_id, ""),
    }


def _visible_part(
    dispute: Dispute, viewer: Player, now: datetime
) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]], str]:
    """Return the dispute and its events, or, if they are closed to the viewer, its list entry and the refusal."""
    try:
        return selectors.document(dispute, viewer, now=now), selectors.events_for(viewer, dispute.pk), ""
    except Problem as problem:
        return selectors.line(dispute, viewer), (), problem.detail


def _appeal(events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return who appealed, when, and why; None without an appeal."""
    for one in events:
        if one["type"] == "appealed":
            by, reason = one["data"]["by"], one["data"]["reason"] or wording.SHOWN_LATER
            return {"by": f"player:{by}", "reason": reason, "at": parse_at(one["at"])}
    return None


def _subjects(dispute: Dispute, shown: Mapping[str, Any], appeal: Mapping[str, Any] | None) -> Iterator[str]:
    yield f"player:{dispute.opener_id}"
    if appeal:
        yield appeal["by"]
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


def _ruling(ruling: Mapping[str, Any], dispute: Dispute) -> dict[str, Any]:
    effects = list(wording.facts(ruling["effects"], dispute)) if ruling["effects"] else []
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
    declared = {each.available_as: each for each in ACTIONS}
    for one in selectors.available(dispute, viewer, now=now):
        why_not = "" if one.refusal is None else one.refusal.detail
        if one.name == "rule":
            for remedy, title in wording.REMEDIES.items():
                if remedy == states.POINTS and dispute.game.tournament is None:
                    continue  # there are no points
                url = reverse("admin:dispute_rule", args=[dispute.pk, remedy])
                yield ActionLink(title, url, why_not, is_final=remedy == states.VOID)
        elif (action := declared.get(one.name)) is not None:
            url = reverse(f"admin:{action.page}", args=[dispute.pk])
            yield ActionLink(action.label, url, why_not)


# --- links, alarm, and cards -----------------------------------------------------------------------------

subjects.register(
    "dispute",
    view="admin:dispute_page",
    names=subjects.names_of(Dispute, "opener__username", lambda key, name: f"Dispute by {name}"),
)


@register_alarms(40)
def overdue_disputes(now: datetime) -> Iterator[Alarm]:
    """Yield an alarm if disputes have been open for more than two days."""
    waiting = Dispute.objects.filter(status__in=states.PENDING, opened_at__lt=now - queue.DECISION_PERIOD)
    found = list(waiting.order_by("opened_at").values_list("pk", "opened_at")[:MOST_NAMED])
    if found:
        oldest = f"The oldest was opened on {found[0][1]:%d %b %H:%M}."
        address = reverse("admin:disputes_dispute_changelist")
        yield Alarm(
            f"Disputes open for more than two days: {len(found)}", oldest, address, PERMISSION, queue.TASK
        )


register_cards(
    30,
    CountCard(
        "Disputes to rule on",
        Dispute,
        lambda now: Q(status__in=["open", "appealed"]),
        {"status__in": "open,appealed"},
        is_work=True,
    ),
    CountCard(
        "Rulings to approve",
        Dispute,
        lambda now: Q(status="proposed"),
        {"status__exact": "proposed"},
        is_work=True,
    ),
)
