"""Admin pages of payouts, with their queue and decisions, of payout batches, and of freezes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from ledger.core.models import Purpose
from ledger.core.selectors import usernames
from ledger.money import money
from ledger.payouts import models as states
from ledger.payouts import selectors
from ledger.payouts.actions import DECISIONS, PAY, FreezeMoney, MakeBatch, PayBatch, ReleaseFreeze
from ledger.payouts.api import bank_file_response
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, Payout, PayoutBatch
from ledger.staff import wording
from ledger.staff.actions import OfPlayers, money_column
from staff import subjects
from staff.actions import ActionLink, links
from staff.admin import ActionAdmin
from staff.columns import html_table, state, subject_column, subject_link
from staff.lists import whether


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
class PayoutAdmin(OfPlayers, ActionAdmin):
    staff_actions = DECISIONS
    list_display = [
        "reference", "requested_at", "whose", "amount_money", "state", "kind", "approvers", "batch",
    ]  # fmt: skip
    list_filter = [WaitingFilter, "state", "kind"]
    search_fields = ["=reference", "=payee"]
    ordering = ["requested_at"]
    list_select_related = ["batch"]
    fields = [
        "reference", "kind", "whose", "amount_money", "state", "destination", "subject", "two_persons", "batch",
        "origin", "requested_by", "requested_at", "history_table", "balance_table", "source_table",
    ]  # fmt: skip

    amount_money = money_column("amount", "amount", ordering="amount")

    @admin.display(description="approvers")
    def approvers(self, payout: Payout) -> str:
        return "two" if payout.two_persons else "one"

    @admin.display(description="history")
    def history_table(self, payout: Payout) -> SafeString:
        steps = list(payout.steps.all())
        actors = subjects.links(step.actor for step in steps)
        rows = (
            (
                f"{step.at:%d %b %Y %H:%M}",
                state(step.was),
                state(step.becomes),
                actors[step.actor].text,
                step.reason,
            )
            for step in steps
        )
        return html_table(["at", "was", "becomes", "by", "reason"], rows)

    @admin.display(description="the player's money")
    def balance_table(self, payout: Payout) -> SafeString:
        rows = (
            (
                capfirst(wording.OF_PEOPLE.get(Purpose(purpose), purpose)),
                *(money(had[part], payout.currency) for part in ("available", "held", "total")),
            )
            for purpose, had in selectors.balances(payout).items()
        )
        return html_table(["", "available", "held", "total"], rows)

    @admin.display(description="sources")
    def source_table(self, payout: Payout) -> SafeString:
        sources = list(selectors.sources(payout))
        reader = payout.reader  # type: ignore[attr-defined]  # of ReadOnly
        links = subjects.links((one.subject for one in sources if one.subject), reader)
        names = wording.names(one.debit for one in sources)
        rows = (
            (
                f"{one.at:%d %b %Y %H:%M}",
                names[one.debit_id],
                format_html("{}: {}", reason, subject_link(one.subject, links)) if one.subject else reason,
                money(one.amount, one.currency),
            )
            for one in sources
            for reason in [wording.plain_reason(one.reason)]
        )
        return html_table(["at", "from", "for", "amount"], rows)

    def subtitle(self, row: Payout) -> str:
        return f"{row.get_kind_display()} {row.reference}"

    def row_links(self, request: HttpRequest, row: Payout) -> list[ActionLink]:
        fitting = [each for each in DECISIONS if each(request.user, row).fits()]
        return links(fitting, request.user, row)


@admin.register(PayoutBatch)
class PayoutBatchAdmin(ActionAdmin):
    list_actions = [MakeBatch]
    staff_actions = [PayBatch]
    list_display = ["made_at", "count", "amount", "made_by", "paid_at", "paid_by"]
    list_filter = [whether("paid_at", "To be paid", "Paid")]
    ordering = ["-made_at"]
    fields = [
        "count", "amount", "made_by", "made_at", "paid_by", "paid_at", "posting", "file",
        "payout_table", "id",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> Any:
        return selectors.batches()

    def subtitle(self, row: PayoutBatch) -> str:
        return subjects.link(f"batch:{row.pk}").text

    @admin.display(description="payouts")
    def count(self, batch: Any) -> int:
        return int(batch.count)

    amount = money_column("amount", "amount")

    @admin.display(description="file's checksum")
    def file(self, batch: PayoutBatch) -> SafeString:
        return format_html("<code>{}</code>", file_checksum(batch))

    @admin.display(description="payouts")
    def payout_table(self, batch: PayoutBatch) -> SafeString:
        names = usernames(one.player for one in batch.payouts.all())
        rows = (
            (
                format_html(
                    '<a href="{}">{}</a>', reverse("admin:ledger_payout_change", args=[one.pk]), one.reference
                ),
                names.get(one.player, "Erased player"),
                one.destination,
                money(one.amount, one.currency),
                state(one.state),
            )
            for one in batch.payouts.order_by("requested_at", "pk")
        )
        return html_table(["reference", "player", "destination", "amount", "state"], rows)

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.csv_view)
        return [path("<uuid:batch_id>/csv/", view, name="ledger_payoutbatch_csv"), *super().get_urls()]

    def row_links(self, request: HttpRequest, row: PayoutBatch) -> list[ActionLink]:
        if not request.user.has_perm(PAY):
            return []
        file = ActionLink("Bank file (CSV)", reverse("admin:ledger_payoutbatch_csv", args=[row.pk]))
        return [file, *([] if row.paid_at else super().row_links(request, row))]

    def csv_view(self, request: HttpRequest, batch_id: UUID) -> HttpResponse:
        if not request.user.has_perm(PAY):
            raise PermissionDenied
        return bank_file_response(get_object_or_404(PayoutBatch, pk=batch_id))


OF_PLAYER = subject_column("player")


@admin.register(Freeze)
class FreezeAdmin(ActionAdmin):
    list_actions = [FreezeMoney]
    staff_actions = [ReleaseFreeze]
    list_display = ["at", "subject", OF_PLAYER, "reason", "actor", "released_at", "released_by"]
    list_filter = [whether("released_at", "In force", "Released")]
    search_fields = ["=subject", "=player"]
    ordering = ["-at"]
    fields = [
        "id", "subject", OF_PLAYER, "reason", "actor", "at", "money_table", "payout_table", "released_at",
        "released_by", "released_reason",
    ]  # fmt: skip

    @admin.display(description="money held")
    def money_table(self, freeze: Freeze) -> SafeString:
        held = [one.hold for one in freeze.money.select_related("hold__account")]
        names = wording.names(hold.account for hold in held)
        rows = (
            (names[hold.account_id], money(hold.amount, hold.account.currency), state(hold.state))
            for hold in held
        )
        return html_table(["account", "amount", "state"], rows)

    @admin.display(description="payouts put on hold")
    def payout_table(self, freeze: Freeze) -> SafeString:
        steps = list(freeze.steps.select_related("payout"))
        names = usernames(step.payout.player for step in steps)
        rows = (
            (
                step.payout.reference,
                names.get(step.payout.player, "erased"),
                money(step.amount, step.currency),
                state(step.payout.state),
            )
            for step in steps
        )
        return html_table(["reference", "player", "amount", "state"], rows)

    def row_links(self, request: HttpRequest, row: Freeze) -> list[ActionLink]:
        return [] if row.released_at else super().row_links(request, row)
