"""Admin pages of payout batches and freezes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger import services
from ledger.errors import BadPosting, BatchChanged, EmptyBatch
from ledger.money import money
from ledger.payouts import selectors
from ledger.payouts.api import bank_file_response
from ledger.payouts.batches import MOST, file_checksum
from ledger.payouts.freezes import everybody_paid
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind, PayoutState
from ledger.staff.actions import Choice, LedgerActions, actor, html_table
from staff.actions import ActionForm, Done, Movement, Preview, ReasonForm

PAY, FREEZE = "ledger.pay_payout", "ledger.freeze_money"


class PayForm(ActionForm):
    """A form without a reason, because each payout was approved with its own."""

    checksum = forms.CharField(
        min_length=64,
        max_length=64,
        help_text="The checksum of the file that the bank has executed, shown on the page of the batch.",
    )


class FreezeForm(ReasonForm):
    subject = forms.CharField(
        min_length=3, max_length=80, help_text="The subject that paid the money, such as game:…"
    )
    player = forms.UUIDField(
        required=False, help_text="Freeze only the money of this player; empty: of all players."
    )
    field_order = ["subject", "player", "reason"]


@admin.register(PayoutBatch)
class PayoutBatchAdmin(LedgerActions):
    list_display = ["made_at", "currency", "count", "amount", "made_by", "paid_at", "paid_by"]
    list_filter = ["currency", ("paid_at", admin.EmptyFieldListFilter)]
    ordering = ["-made_at"]
    fields = [
        "id", "currency", "count", "amount", "made_by", "made_at", "paid_by", "paid_at", "posting", "file",
        "payout_table",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> Any:
        return selectors.batches()

    @admin.display(description="payouts")
    def count(self, batch: Any) -> int:
        return int(batch.count)

    @admin.display(description="amount")
    def amount(self, batch: Any) -> str:
        return money(batch.amount, batch.currency)

    @admin.display(description="file's checksum")
    def file(self, batch: PayoutBatch) -> SafeString:
        return format_html("<code>{}</code>", file_checksum(batch))

    @admin.display(description="payouts")
    def payout_table(self, batch: PayoutBatch) -> SafeString:
        rows = (
            (
                format_html(
                    '<a href="{}">{}</a>', reverse("admin:ledger_payout_change", args=[one.pk]), one.reference
                ),
                one.payee,
                one.destination,
                money(one.amount, one.currency),
                one.state,
            )
            for one in batch.payouts.order_by("requested_at", "pk")
        )
        return html_table(["reference", "player", "destination", "amount", "state"], rows)

    def get_urls(self) -> list[Any]:
        return [
            self.action_path("make/", self.make_view, "make", PAY),
            self.action_path("<uuid:batch_id>/csv/", self.csv_view, "csv", PAY),
            self.action_path("<uuid:batch_id>/pay/", self.pay_view, "pay", PAY),
            *super().get_urls(),
        ]

    def choices(self, request: HttpRequest, row: PayoutBatch | None) -> list[Choice]:
        if row is None:
            return self.links(request, PAY, ("Create payout batch", "make"))
        pay = [] if row.paid_at else [("Mark as paid", "pay")]
        return self.links(request, PAY, ("Bank file (CSV)", "csv"), *pay, row=row)

    def make_view(self, request: HttpRequest) -> HttpResponse:
        return self.run_action(
            request,
            title="Create a payout batch",
            action="make-batch",
            form_class=ActionForm,
            lead=f"Collects the oldest approved withdrawals, at most {MOST}.",
            preview=lambda given: _preview_make(),
            perform=lambda given, key: services.make_batch(
                currency=settings.RACECARD_CURRENCY, key=key, actor=actor(request), at=timezone.now()
            ),
            button="Create batch",
        )

    def csv_view(self, request: HttpRequest, batch_id: UUID) -> HttpResponse:
        return bank_file_response(get_object_or_404(PayoutBatch, pk=batch_id))

    def pay_view(self, request: HttpRequest, batch_id: UUID) -> HttpResponse:
        batch = get_object_or_404(PayoutBatch, pk=batch_id)
        return self.run_action(
            request,
            title=f"Pay the batch of {batch}",
            action="pay-batch",
            form_class=PayForm,
            preview=lambda given: _preview_pay(batch, given["checksum"]),
            perform=lambda given, key: services.pay_batch(
                batch=batch.pk, checksum=given["checksum"], actor=actor(request), at=timezone.now()
            ),
            button="Mark as paid",
            cancel=reverse("admin:ledger_payoutbatch_change", args=[batch.pk]),
        )

    def as_done(self, answer: PayoutBatch) -> Done:
        made = answer.paid_at is None
        said = "The batch is created. Send its file to the bank." if made else "The batch is paid."
        back = reverse("admin:ledger_payoutbatch_change", args=[answer.pk])
        return Done(said, f"batch:{answer.pk}", back)


def _preview_make() -> Preview:
    currency = settings.RACECARD_CURRENCY
    waiting = list(
        Payout.objects.filter(
            kind=PayoutKind.WITHDRAWAL, state=PayoutState.APPROVED, batch=None, currency=currency
        ).order_by("requested_at", "pk")[:MOST]
    )
    if not waiting:
        raise EmptyBatch()
    total = money(sum(payout.amount for payout in waiting), currency)
    return Preview(facts=[("Withdrawals", str(len(waiting))), ("Total", total)])


def _preview_pay(batch: PayoutBatch, checksum: str) -> Preview:
    payouts = list(batch.payouts.all())
    if not payouts:
        raise EmptyBatch()
    if checksum != file_checksum(batch):
        raise BatchChanged()
    total = money(sum(payout.amount for payout in payouts), batch.currency)
    note = f"{len(payouts)} withdrawals, in one posting"
    return Preview([Movement("players' cash", "house/external", total, note)])


@admin.register(Freeze)
class FreezeAdmin(LedgerActions):
    list_display = ["at", "subject", "player", "reason", "actor", "released_at", "released_by"]
    list_filter = [("released_at", admin.EmptyFieldListFilter)]
    search_fields = ["=subject", "=player"]
    ordering = ["-at"]
    fields = [
        "id", "subject", "player", "reason", "actor", "at", "money_table", "payout_table", "released_at", "released_by",
        "released_reason",
    ]  # fmt: skip

    @admin.display(description="money held")
    def money_table(self, freeze: Freeze) -> SafeString:
        rows = (
            (one.hold.account.text, money(one.hold.amount, one.hold.account.currency), one.hold.state)
            for one in freeze.money.select_related("hold__account")
        )
        return html_table(["account", "amount", "state"], rows)

    @admin.display(description="payouts put on hold")
    def payout_table(self, freeze: Freeze) -> SafeString:
        rows = (
            (step.payout.reference, step.payout.payee, money(step.amount, step.currency), step.payout.state)
            for step in freeze.steps.select_related("payout")
        )
        return html_table(["reference", "player", "amount", "state"], rows)

    def get_urls(self) -> list[Any]:
        return [
            self.action_path("make/", self.make_view, "make", FREEZE),
            self.action_path("<uuid:freeze_id>/release/", self.release_view, "release", FREEZE),
            *super().get_urls(),
        ]

    def choices(self, request: HttpRequest, row: Freeze | None) -> list[Choice]:
        if row is None:
            return self.links(request, FREEZE, ("Freeze payments of a subject", "make"))
        return [] if row.released_at else self.links(request, FREEZE, ("Release", "release"), row=row)

    def make_view(self, request: HttpRequest) -> HttpResponse:
        return self.run_action(
            request,
            title="Freeze payments of a subject",
            action="freeze-money",
            form_class=FreezeForm,
            initial={"subject": request.GET.get("subject", "")},
            preview=lambda given: _preview_freeze(given),
            perform=lambda given, key: services.freeze(
                subject=given["subject"],
                player=given["player"],
                claim=key,
                reason=given["reason"],
                actor=actor(request),
                at=timezone.now(),
            ),
            button="Freeze",
        )

    def release_view(self, request: HttpRequest, freeze_id: UUID) -> HttpResponse:
        found = get_object_or_404(Freeze, pk=freeze_id)
        return self.run_action(
            request,
            title=f"Release the {found}",
            action="release-freeze",
            preview=lambda given: _preview_release(found),
            perform=lambda given, key: services.release_freeze(
                freeze=found.pk, actor=actor(request), reason=given["reason"], at=timezone.now()
            ),
            button="Release",
            cancel=reverse("admin:ledger_freeze_change", args=[found.pk]),
        )

    def as_done(self, answer: Freeze) -> Done:
        said = "The money is held." if answer.released_at is None else "The money is released."
        back = reverse("admin:ledger_freeze_change", args=[answer.pk])
        return Done(said, answer.subject, back, result=f"freeze:{answer.pk}")


def _preview_freeze(given: dict[str, Any]) -> Preview:
    facts = [
        (owner, money(amount, currency))
        for (owner, currency), amount in everybody_paid(given["subject"], given["player"]).items()
    ]
    if not facts:
        raise BadPosting("This subject has made no payments.")
    return Preview(facts=[("Paid, and held at most", ""), *facts])


def _preview_release(found: Freeze) -> Preview:
    facts = [
        (one.hold.account.text, money(one.hold.amount, one.hold.account.currency))
        for one in found.money.select_related("hold__account")
    ]
    return Preview(facts=facts or [("Held", "nothing")])
