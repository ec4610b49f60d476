"""The books in the back office: all of it can be read, none of it edited.

Paying in and reversing are commands: a form with a reason, a preview of what will move, then the deed.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from api.deeds import Preview, ReasonForm
from api.errors import refusal_of
from api.office import ReadOnly
from ledger import selectors, services
from ledger.formats import money
from ledger.models import (
    Account,
    GameStake,
    Hold,
    OwnerKind,
    PlaySession,
    Purpose,
    StakeTable,
    Transfer,
)
from ledger.office.commands import Commands, actor, rehearsed
from ledger.office.fields import MoneyField
from ledger.posting import Posting, check_correctable


class DepositForm(ReasonForm):
    player = forms.UUIDField(required=False, help_text="The id of the player who has paid in …")
    stake_table = forms.ModelChoiceField(
        StakeTable.objects.all(), required=False, help_text="… or the stake table whose bank is funded."
    )
    amount = MoneyField()
    field_order = ["player", "stake_table", "amount", "reason"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if bool(given.get("player")) == bool(given.get("stake_table")):
            raise forms.ValidationError("Say either the player or the stake table.")
        return given


@admin.register(Account)
class AccountAdmin(Commands):
    list_display = ["text", "currency", "total_money", "held_money", "available_money"]
    list_filter = ["kind", "purpose", "currency"]
    search_fields = ["=key"]
    ordering = ["-pk"]
    fields = [
        "text",
        "currency",
        "total_money",
        "held_money",
        "available_money",
        "debits",
        "credits",
        "latest",
    ]
    change_list_template = "admin/ledger/account/change_list.html"

    @admin.display(description="total")
    def total_money(self, account: Account) -> str:
        return money(account.total, account.currency)

    @admin.display(description="held")
    def held_money(self, account: Account) -> str:
        return money(account.held, account.currency)

    @admin.display(description="available")
    def available_money(self, account: Account) -> str:
        return money(account.available, account.currency)

    @admin.display(description="latest lines")
    def latest(self, account: Account) -> SafeString:
        rows = format_html_join(
            "",
            '<tr><td>{}</td><td><a href="{}">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>',
            (
                (
                    f"{line.at:%Y-%m-%d %H:%M}",
                    reverse("admin:ledger_transfer_change", args=[line.position]),
                    line.reason,
                    line.other,
                    money(line.change, account.currency),
                    money(line.balance, account.currency),
                )
                for line in selectors.statement(account, limit=50)
            ),
        )
        heads = "<th>at</th><th>reason</th><th>other side</th><th>change</th><th>balance</th>"
        return format_html("<table><tr>{}</tr>{}</table>", SafeString(heads), rows)

    def get_urls(self) -> list[Any]:
        deposit = path(
            "deposit/", self.admin_site.admin_view(self.deposit_view), name="ledger_account_deposit"
        )
        return [deposit, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may = {"may_deposit": request.user.has_perm("ledger.deposit")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def deposit_view(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm("ledger.deposit"):
            raise PermissionDenied
        return self.command(
            request,
            title="Pay money in",
            action="pay-in",
            form_class=DepositForm,
            initial={"player": request.GET.get("player", "")},
            preview=lambda given: _preview_deposit(given, actor(request)),
            lead="Money that has reached the house from outside: for a player, or into the bank of a stake table.",
            deed=lambda given, key: _deposit(given, key, actor(request)),
        )


def _preview_deposit(given: dict[str, Any], by: str) -> Preview:
    table: StakeTable | None = given["stake_table"]
    if table is not None:
        owner, purpose, currency = table.bank_owner, Purpose.BANK, table.currency
    else:
        owner, purpose = f"{OwnerKind.PLAYER}:{given['player']}", Purpose.CASH
        currency = settings.RACECARD_CURRENCY
    movements = rehearsed(lambda: _deposit(given, f"rehearsal:{uuid4()}", by))
    had = selectors.balance(owner=owner, purpose=purpose, currency=currency).total
    facts = [(f"{owner}/{purpose} has now", money(had, currency))]
    repaid = [f"{each.amount} of it goes to what the player owes the house." for each in movements[1:]]
    return Preview(movements, facts, repaid)


def _deposit(given: dict[str, Any], key: str, by: str) -> Posting:
    order = {
        "amount": given["amount"],
        "key": key,
        "actor": by,
        "reason": given["reason"],
        "at": timezone.now(),
    }
    if given["stake_table"]:
        return services.fund_bank(stake_table=given["stake_table"], **order)
    return services.deposit(player=given["player"], currency=settings.RACECARD_CURRENCY, **order)


@admin.register(Transfer)
class TransferAdmin(Commands):
    list_display = ["at", "amount_money", "debit", "credit", "reason", "subject", "reversed"]
    list_filter = ["currency"]
    search_fields = ["=key", "=subject", "=actor", "=reason"]
    ordering = ["-position"]
    fields = [
        "uuid",
        "at",
        "amount_money",
        "debit",
        "credit",
        "reason",
        "subject",
        "event",
        "actor",
        "posting",
        "leg",
        "key",
        "reverses",
        "reversed",
    ]
    change_form_template = "admin/ledger/transfer/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return Transfer.objects.with_accounts().select_related("reversed_by")

    @admin.display(description="amount", ordering="amount")
    def amount_money(self, transfer: Transfer) -> str:
        return money(transfer.amount, transfer.currency)

    @admin.display(description="reversed by")
    def reversed(self, transfer: Transfer) -> str:
        mirror = getattr(transfer, "reversed_by", None)
        if mirror is None:
            return ""
        address = reverse("admin:ledger_transfer_change", args=[mirror.pk])
        return format_html('<a href="{}">{}</a>', address, mirror.uuid)

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.reverse_view)
        return [
            path("<int:position>/reverse/", view, name="ledger_transfer_reverse"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        transfer = self.get_object(request, object_id)
        may: dict[str, Any] = {"may_reverse": transfer is not None and _may_reverse(request, transfer)}
        if transfer is not None:
            may["subtitle"] = f"{money(transfer.amount, transfer.currency)}: {transfer.reason}"
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    def reverse_view(self, request: HttpRequest, position: int) -> HttpResponse:
        if not request.user.has_perm("ledger.reverse"):
            raise PermissionDenied
        transfer = Transfer.objects.with_accounts().filter(pk=position).first()
        if transfer is None:
            raise Http404
        return self.command(
            request,
            title=f"Reverse {money(transfer.amount, transfer.currency)}: {transfer.reason}",
            action="reverse-transfer",
            preview=lambda given: _preview_reversal(transfer, given["reason"], actor(request)),
            deed=lambda given, key: _reverse(transfer, given["reason"], key, actor(request)),
            lead="A mirror transfer takes it back; the first one stays in the books, and each names the other.",
            button="Reverse it",
            cancel=reverse("admin:ledger_transfer_change", args=[position]),
        )


def _may_reverse(request: HttpRequest, transfer: Transfer) -> bool:
    refused = refusal_of(lambda: check_correctable(transfer, actor(request)))
    return request.user.has_perm("ledger.reverse") and refused is None


def _preview_reversal(transfer: Transfer, reason: str, by: str) -> Preview:
    movements = rehearsed(lambda: _reverse(transfer, reason, f"rehearsal:{uuid4()}", by))
    receiver, currency = transfer.credit, transfer.currency
    lent = [each for each in movements if each.debit.endswith(f"/{Purpose.RECEIVABLE}")]
    facts = [
        ("What is taken back", f"{transfer.reason}, {transfer.at:%d %b %Y %H:%M} UTC"),
        (f"{receiver.text} has", f"{money(receiver.available, currency)} available"),
    ]
    warnings = [
        f"{receiver.owner} will owe the house {each.amount} that is not there any more." for each in lent
    ]
    return Preview(movements, facts, warnings)


def _reverse(transfer: Transfer, reason: str, key: str, by: str) -> Posting:
    return services.reverse(transfer=transfer.uuid, key=key, actor=by, reason=reason, at=timezone.now())


@admin.register(Hold)
class HoldAdmin(ReadOnly):
    list_display = ["at", "account", "amount_money", "subject", "state", "expires_at", "resolved_at"]
    list_filter = ["state"]
    search_fields = ["=subject", "=key"]
    ordering = ["-at"]
    list_select_related = ["account"]

    @admin.display(description="amount")
    def amount_money(self, hold: Hold) -> str:
        return money(hold.amount, hold.account.currency)


@admin.register(PlaySession)
class PlaySessionAdmin(ReadOnly):
    list_display = ["opened_at", "player", "currency", "cash_in", "closed_at", "cash_out"]
    search_fields = ["=player"]
    ordering = ["-opened_at"]


@admin.register(GameStake)
class GameStakeAdmin(ReadOnly):
    list_display = ["staked_at", "game", "player", "stake_table", "stake", "status", "winnings"]
    list_filter = ["status", "stake_table"]
    search_fields = ["=game", "=player"]
    ordering = ["-staked_at"]
    list_select_related = ["stake_table"]


# Pages of their own modules, which build on what is above, or on each other.
from ledger.betting import admin as betting_admin  # noqa: E402, F401
from ledger.buyins import admin as buyins_admin  # noqa: E402, F401
from ledger.limits import admin as limits_admin  # noqa: E402, F401
from ledger.office import player_views, report_views, views  # noqa: E402, F401
from ledger.payouts import admin as payouts_admin  # noqa: E402, F401
from ledger.payouts import admin_batches  # noqa: E402, F401
from ledger.stakes import admin as stakes_admin  # noqa: E402, F401
