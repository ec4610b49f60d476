"""Batches of payouts and freezes in the back office."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from api.deeds import BareForm, Done, Movement, Preview, ReasonForm
from ledger import services
from ledger.betting.admin import _table
from ledger.errors import BadPosting
from ledger.formats import money
from ledger.office.commands import Commands, actor
from ledger.payouts import selectors
from ledger.payouts.api_batches import bank_file_response
from ledger.payouts.batches import MOST, file_checksum
from ledger.payouts.errors import BatchChanged, EmptyBatch
from ledger.payouts.freezes import everybody_paid
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind, PayoutState


class PayForm(BareForm):
    """Without a reason, as the making of a batch: what was decided about each payout has its reasons already."""

    checksum = forms.CharField(
        min_length=64,
        max_length=64,
        help_text="Of the file that the bank has carried out; its page tells it.",
    )


class FreezeForm(ReasonForm):
    subject = forms.CharField(
        min_length=3, max_length=80, help_text="What has paid the money, such as game:…"
    )
    player = forms.UUIDField(required=False, help_text="Whose money alone is frozen; empty: everybody's.")
    field_order = ["subject", "player", "reason"]


@admin.register(PayoutBatch)
class PayoutBatchAdmin(Commands):
    list_display = ["made_at", "currency", "count", "amount", "made_by", "paid_at", "paid_by"]
    list_filter = ["currency", ("paid_at", admin.EmptyFieldListFilter)]
    ordering = ["-made_at"]
    fields = [
        "id", "currency", "count", "amount", "made_by", "made_at", "paid_by", "paid_at", "posting", "file",
        "payout_table",
    ]  # fmt: skip
    change_list_template = "admin/ledger/payoutbatch/change_list.html"
    change_form_template = "admin/ledger/payoutbatch/change_form.html"

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
        return _table(["reference", "player", "destination", "amount", "state"], rows)

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        return [
            path("make/", view(self.make_view), name="ledger_payoutbatch_make"),
            path("<uuid:batch_id>/csv/", view(self.csv_view), name="ledger_payoutbatch_csv"),
            path("<uuid:batch_id>/pay/", view(self.pay_view), name="ledger_payoutbatch_pay"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {**_may_pay(request), **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        return super().change_view(
            request, object_id, form_url, {**_may_pay(request), **(extra_context or {})}
        )

    def make_view(self, request: HttpRequest) -> HttpResponse:
        _need(request, "ledger.pay_payout")
        return self.command(
            request,
            title="Collect approved withdrawals for the bank",
            action="make-batch",
            form_class=BareForm,
            lead=f"The oldest that wait, at most {MOST}.",
            preview=lambda given: _preview_make(),
            deed=lambda given, key: services.make_batch(
                currency=settings.RACECARD_CURRENCY, key=key, actor=actor(request), at=timezone.now()
            ),
            button="Make the batch",
        )

    def csv_view(self, request: HttpRequest, batch_id: UUID) -> HttpResponse:
        _need(request, "ledger.pay_payout")
        return bank_file_response(_batch(batch_id))

    def pay_view(self, request: HttpRequest, batch_id: UUID) -> HttpResponse:
        _need(request, "ledger.pay_payout")
        batch = _batch(batch_id)
        return self.command(
            request,
            title=f"Pay the batch of {batch}",
            action="pay-batch",
            form_class=PayForm,
            preview=lambda given: _preview_pay(batch, given["checksum"]),
            deed=lambda given, key: services.pay_batch(
                batch=batch.pk, checksum=given["checksum"], actor=actor(request), at=timezone.now()
            ),
            button="The bank has paid it",
            cancel=reverse("admin:ledger_payoutbatch_change", args=[batch.pk]),
        )

    def told(self, answer: PayoutBatch) -> Done:
        made = answer.paid_at is None
        said = "The batch is made; its file is for the bank." if made else "The batch is paid."
        back = reverse("admin:ledger_payoutbatch_change", args=[answer.pk])
        return Done(said, f"batch:{answer.pk}", back)


def _may_pay(request: HttpRequest) -> dict[str, Any]:
    return {"may_pay": request.user.has_perm("ledger.pay_payout")}


def _need(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _batch(batch_id: UUID) -> PayoutBatch:
    found = PayoutBatch.objects.filter(pk=batch_id).first()
    if found is None:
        raise Http404
    return found


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
    return Preview(facts=[("Withdrawals", str(len(waiting))), ("Together", total)])


def _preview_pay(batch: PayoutBatch, checksum: str) -> Preview:
    payouts = list(batch.payouts.all())
    if not payouts:
        raise EmptyBatch()
    if checksum != file_checksum(batch):
        raise BatchChanged()
    total = money(sum(payout.amount for payout in payouts), batch.currency)
    told = f"{len(payouts)} withdrawals, in one posting"
    return Preview([Movement("the players' cash", "house/external", total, told)])


@admin.register(Freeze)
class FreezeAdmin(Commands):
    list_display = ["at", "subject", "player", "reason", "actor", "released_at", "released_by"]
    list_filter = [("released_at", admin.EmptyFieldListFilter)]
    search_fields = ["=subject", "=player"]
    ordering = ["-at"]
    fields = [
        "id", "subject", "player", "reason", "actor", "at", "money_table", "payout_table", "released_at", "released_by",
        "released_reason",
    ]  # fmt: skip
    change_list_template = "admin/ledger/freeze/change_list.html"
    change_form_template = "admin/ledger/freeze/change_form.html"

    @admin.display(description="money held")
    def money_table(self, freeze: Freeze) -> SafeString:
        rows = (
            (one.hold.account.text, money(one.hold.amount, one.hold.account.currency), one.hold.state)
            for one in freeze.money.select_related("hold__account")
        )
        return _table(["account", "amount", "state"], rows)

    @admin.display(description="payouts put on hold")
    def payout_table(self, freeze: Freeze) -> SafeString:
        rows = (
            (step.payout.reference, step.payout.payee, money(step.amount, step.currency), step.payout.state)
            for step in freeze.steps.select_related("payout")
        )
        return _table(["reference", "player", "amount", "state"], rows)

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        return [
            path("make/", view(self.make_view), name="ledger_freeze_make"),
            path("<uuid:freeze_id>/release/", view(self.release_view), name="ledger_freeze_release"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may = {"may_freeze": request.user.has_perm("ledger.freeze_money")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        may = {"may_freeze": request.user.has_perm("ledger.freeze_money")}
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    def make_view(self, request: HttpRequest) -> HttpResponse:
        _need(request, "ledger.freeze_money")
        return self.command(
            request,
            title="Freeze what a subject has paid",
            action="freeze-money",
            form_class=FreezeForm,
            initial={"subject": request.GET.get("subject", "")},
            preview=lambda given: _preview_freeze(given),
            deed=lambda given, key: services.freeze(
                subject=given["subject"],
                player=given["player"],
                claim=key,
                reason=given["reason"],
                actor=actor(request),
                at=timezone.now(),
            ),
            button="Freeze it",
        )

    def release_view(self, request: HttpRequest, freeze_id: UUID) -> HttpResponse:
        _need(request, "ledger.freeze_money")
        found = Freeze.objects.filter(pk=freeze_id).first()
        if found is None:
            raise Http404
        return self.command(
            request,
            title=f"Release the {found}",
            action="release-freeze",
            preview=lambda given: _preview_release(found),
            deed=lambda given, key: services.release_freeze(
                freeze=found.pk, actor=actor(request), reason=given["reason"], at=timezone.now()
            ),
            button="Release it",
            cancel=reverse("admin:ledger_freeze_change", args=[found.pk]),
        )

    def told(self, answer: Freeze) -> Done:
        said = "The money is held." if answer.released_at is None else "What it held is free again."
        back = reverse("admin:ledger_freeze_change", args=[answer.pk])
        return Done(said, answer.subject, back, made=f"freeze:{answer.pk}")


def _preview_freeze(given: dict[str, Any]) -> Preview:
    facts = [
        (owner, money(amount, currency))
        for (owner, currency), amount in everybody_paid(given["subject"], given["player"]).items()
    ]
    if not facts:
        raise BadPosting("This subject has paid nobody.")
    return Preview(facts=[("It has paid, at most that is held", ""), *facts])


def _preview_release(found: Freeze) -> Preview:
    facts = [
        (one.hold.account.text, money(one.hold.amount, one.hold.account.currency))
        for one in found.money.select_related("hold__account")
    ]
    return Preview(facts=facts or [("Held", "nothing")])
