"""Admin pages of payouts: the queue, the page of a payout, and decisions with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.core.selectors import usernames
from ledger.money import money
from ledger.payouts import models as states
from ledger.payouts import selectors
from ledger.payouts.actions import DECISIONS
from ledger.payouts.models import Payout
from ledger.staff.actions import html_table
from staff import subjects
from staff.actions import ActionLink, links
from staff.admin import ActionAdmin


class WaitingFilter(admin.SimpleListFilter):
    """A filter for payouts that wait for a decision, which is the default."""

    title = "queue"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("all", "All")]

    def choices(self, changelist: Any) -> Any:
        chosen = list(super().choices(changelist))
        chosen[0]["display"] = "Waiting"
        return chosen

    def queryset(self, request: HttpRequest, queryset: QuerySet[Payout]) -> QuerySet[Payout]:
        # A filter by state replaces this one.
        if self.value() == "all" or any(asked.startswith("state__") for asked in request.GET):
            return queryset
        return queryset.filter(state__in=states.OPEN)


@admin.register(Payout)
class PayoutAdmin(ActionAdmin):
    staff_actions = DECISIONS
    list_display = [
        "reference", "requested_at", "whose", "amount_money", "state", "kind", "approvers", "batch",
    ]  # fmt: skip
    list_filter = [WaitingFilter, "state", "kind"]
    search_fields = ["=reference", "=payee"]
    ordering = ["requested_at"]
    list_select_related = ["batch"]
    fields = [
        "reference", "kind", "player_name", "amount_money", "state", "destination", "subject", "two_persons", "batch",
        "origin", "requester", "requested_at", "history_table", "balance_table", "source_table",
    ]  # fmt: skip

    @admin.display(description="amount", ordering="amount")
    def amount_money(self, payout: Payout) -> str:
        return money(payout.amount, payout.currency)

    @admin.display(description="player", ordering="payee")
    def player_name(self, payout: Payout) -> str:
        name = usernames([payout.player]).get(payout.player)
        return f"{name} ({payout.player})" if name else str(payout.player)

    @admin.display(description="player", ordering="payee")
    def whose(self, payout: Payout) -> SafeString:
        address = reverse("admin:staff_player", args=[payout.player])
        return format_html('<a href="{}">{}</a>', address, payout.named)  # type: ignore[attr-defined]  # prepared

    @admin.display(description="approvers")
    def approvers(self, payout: Payout) -> str:
        return "two" if payout.two_persons else "one"

    def prepare(self, rows: Sequence[Payout]) -> None:
        names = usernames(row.player for row in rows)
        for payout in rows:
            payout.named = names.get(payout.player, str(payout.player)[:8])  # type: ignore[attr-defined]

    @admin.display(description="requested by")
    def requester(self, payout: Payout) -> str:
        return subjects.link(payout.requested_by).text

    @admin.display(description="history")
    def history_table(self, payout: Payout) -> SafeString:
        steps = list(payout.steps.all())
        actors = subjects.links(step.actor for step in steps)
        rows = (
            (f"{step.at:%Y-%m-%d %H:%M}", step.was, step.becomes, actors[step.actor].text, step.reason)
            for step in steps
        )
        return html_table(["at", "was", "becomes", "by", "reason"], rows)

    @admin.display(description="the player's money")
    def balance_table(self, payout: Payout) -> SafeString:
        rows = (
            (purpose, *(money(had[part], payout.currency) for part in ("available", "held", "total")))
            for purpose, had in selectors.balances(payout).items()
        )
        return html_table(["", "available", "held", "total"], rows)

    @admin.display(description="sources")
    def source_table(self, payout: Payout) -> SafeString:
        sources = list(selectors.sources(payout))
        reader = payout.reader  # type: ignore[attr-defined]  # set by get_object
        links = subjects.links((one.subject for one in sources if one.subject), reader)
        rows = (
            (
                f"{one.at:%Y-%m-%d %H:%M}",
                one.debit.text,
                one.reason,
                _linked(links.get(one.subject)),
                money(one.amount, one.currency),
            )
            for one in sources
        )
        return html_table(["at", "from", "reason", "subject", "amount"], rows)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Payout | None:
        found: Payout | None = super().get_object(request, object_id, from_field)
        if found is not None:
            found.reader = request.user  # type: ignore[attr-defined]  # whose links the page shows
        return found

    def row_links(self, request: HttpRequest, row: Payout) -> list[ActionLink]:
        fitting = [each for each in DECISIONS if each(request.user, row).fits()]
        return links(fitting, request.user, row)


def _linked(link: subjects.Link | None) -> str | SafeString:
    if link is None:
        return ""
    return format_html('<a href="{}">{}</a>', link.url, link.text) if link.url else link.text
