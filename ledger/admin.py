"""Admin pages of the ledger's tables. All rows can be read, none edited.

Deposits and reversals are staff actions: a form with a reason, a preview of the transfers, then the posting.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.errors import refusal_of
from ledger import selectors, services
from ledger.core.postings import Posting, check_correctable
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
from ledger.money import money
from ledger.staff.actions import Choice, LedgerActions, MoneyField, actor, dry_run_movements, html_table
from staff.actions import Preview, ReasonForm
from staff.lists import ReadOnly


class DepositForm(ReasonForm):
    player = forms.UUIDField(required=False, help_text="The id of the player who made the deposit; or …")
    stake_table = forms.ModelChoiceField(
        StakeTable.objects.all(), required=False, help_text="… or the stake table whose bank is funded."
    )
    amount = MoneyField()
    field_order = ["player", "stake_table", "amount", "reason"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if bool(given.get("player")) == bool(given.get("stake_table")):
            raise forms.ValidationError("Enter either a player or a stake table.")
        return given


@admin.register(Account)
class AccountAdmin(LedgerActions):
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
        rows = (
            (
                f"{line.at:%Y-%m-%d %H:%M}",
                format_html(
                    '<a href="{}">{}</a>',
                    reverse("admin:ledger_transfer_change", args=[line.position]),
                    line.reason,
                ),
                line.counterparty,
                money(line.change, account.currency),
                money(line.balance, account.currency),
            )
            for line in selectors.statement(account, limit=50)
        )
        return html_table(["at", "reason", "other side", "change", "balance"], rows)

    def get_urls(self) -> list[Any]:
        deposit = self.action_path("deposit/", self.deposit_view, "deposit", "ledger.deposit")
        return [deposit, *super().get_urls()]

    def choices(self, request: HttpRequest, row: Account | None) -> list[Choice]:
        return [] if row else self.links(request, "ledger.deposit", ("Deposit", "deposit"))

    def deposit_view(self, request: HttpRequest) -> HttpResponse:
        return self.run_action(
            request,
            title="Record a deposit",
            action="pay-in",
            form_class=DepositForm,
            initial={"player": request.GET.get("player", "")},
            preview=lambda given: _preview_deposit(given, actor(request)),
            lead="Record money received from outside, for a player or for the bank of a stake table.",
            perform=lambda given, key: _deposit(given, key, actor(request)),
        )


def _preview_deposit(given: dict[str, Any], by: str) -> Preview:
    table: StakeTable | None = given["stake_table"]
    if table is not None:
        owner, purpose, currency = table.bank_owner, Purpose.BANK, table.currency
    else:
        owner, purpose = f"{OwnerKind.PLAYER}:{given['player']}", Purpose.CASH
        currency = settings.RACECARD_CURRENCY
    movements = dry_run_movements(lambda: _deposit(given, f"rehearsal:{uuid4()}", by))
    had = selectors.balance(owner=owner, purpose=purpose, currency=currency).total
    facts = [(f"Balance of {owner}/{purpose}", money(had, currency))]
    repaid = [f"{each.amount} of it repays a debt." for each in movements[1:]]
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
class TransferAdmin(LedgerActions):
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
        reverse_path = self.action_path(
            "<int:position>/reverse/", self.reverse_view, "reverse", "ledger.reverse"
        )
        return [reverse_path, *super().get_urls()]

    def choices(self, request: HttpRequest, row: Transfer | None) -> list[Choice]:
        if row is None or refusal_of(lambda: check_correctable(row, actor(request))) is not None:
            return []
        return self.links(request, "ledger.reverse", ("Reverse", "reverse"), row=row)

    def subtitle(self, row: Transfer) -> str:
        return f"{money(row.amount, row.currency)}: {row.reason}"

    def reverse_view(self, request: HttpRequest, position: int) -> HttpResponse:
        transfer = get_object_or_404(Transfer.objects.with_accounts(), pk=position)
        return self.run_action(
            request,
            title=f"Reverse {money(transfer.amount, transfer.currency)}: {transfer.reason}",
            action="reverse-transfer",
            preview=lambda given: _preview_reversal(transfer, given["reason"], actor(request)),
            perform=lambda given, key: _reverse(transfer, given["reason"], key, actor(request)),
            lead="A mirror transfer reverses it. The original remains, and each refers to the other.",
            button="Reverse transfer",
            cancel=reverse("admin:ledger_transfer_change", args=[position]),
        )


def _preview_reversal(transfer: Transfer, reason: str, by: str) -> Preview:
    movements = dry_run_movements(lambda: _reverse(transfer, reason, f"rehearsal:{uuid4()}", by))
    receiver, currency = transfer.credit, transfer.currency
    lent = [each for each in movements if each.debit.endswith(f"/{Purpose.RECEIVABLE}")]
    facts = [
        ("Transfer", f"{transfer.reason}, {transfer.at:%d %b %Y %H:%M} UTC"),
        (f"Available in {receiver.text}", money(receiver.available, currency)),
    ]
    warnings = [f"{receiver.owner} will owe {each.amount}, which is no longer available." for each in lent]
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


# These modules register further pages.
from ledger.betting import admin as betting_admin  # noqa: E402, F401
from ledger.limits import admin as limits_admin  # noqa: E402, F401
from ledger.payouts import admin as payouts_admin  # noqa: E402, F401
from ledger.payouts import admin_batches  # noqa: E402, F401
from ledger.staff import markets as market_pages  # noqa: E402, F401
from ledger.staff import players as player_pages  # noqa: E402, F401
from ledger.staff import reports as report_pages  # noqa: E402, F401
from ledger.stakes import admin as stakes_admin  # noqa: E402, F401
