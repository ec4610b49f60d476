"""Admin pages of the ledger's tables. All rows can be read, none edited.

Deposits and reversals are staff actions (`ledger.staff.postings`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger import selectors
from ledger.betting.kinds import CHOICES as MARKET_KINDS
from ledger.models import (
    Account,
    GameStake,
    Hold,
    Market,
    OwnerKind,
    Payout,
    PayoutBatch,
    PlaySession,
    Pot,
    Purpose,
    StakeTable,
    Transfer,
    table_name,
)
from ledger.money import money
from ledger.selectors import valid_uuids
from ledger.staff import wording
from ledger.staff.actions import (
    OfPlayers,
    account_column,
    money_column,
    name_accounts,
)
from ledger.staff.postings import Deposit, Reverse
from staff import subjects
from staff.actions import ActionLink
from staff.admin import ActionAdmin
from staff.columns import TECHNICAL, html_table, subject_column
from staff.lists import ReadOnly
from staff.pages import ListedTable, list_table

list_table(ListedTable("Payouts", "ledger_payout_changelist", 15, "ledger.view_payout"))
list_table(ListedTable("Stake tables", "ledger_staketable_changelist", 25, "ledger.view_staketable"))


def _on_subjects(model: Any, text: Callable[..., str], *columns: str) -> subjects.Names:
    """Return names of rows made of the name of their subject and of columns."""

    def names(keys: Collection[str]) -> Mapping[str, tuple[str, Any]]:
        rows = list(model.objects.filter(pk__in=valid_uuids(keys)).values_list("pk", "subject", *columns))
        links = subjects.links(subject for _, subject, *_ in rows)
        return {str(pk): (text(links[subject].text, *values), pk) for pk, subject, *values in rows}

    return names


_KINDS = dict(MARKET_KINDS)

for kind, model, names in (
    (
        "payout",
        "payout",
        subjects.names_of(Payout, "reference", lambda key, reference: f"Payout {reference}"),
    ),
    (
        "house",
        "staketable",
        subjects.names_of(StakeTable, "slug", lambda key, slug: table_name(slug), key="slug"),
    ),
    ("transfer", "transfer", subjects.called("its transfer")),
    ("freeze", "freeze", subjects.called("its freeze")),
    ("limitchange", "limitchange", subjects.called("its limit")),
    ("playstop", "playstop", subjects.called("its stop")),
    ("market", "market", _on_subjects(Market, lambda subject, kind: f"{_KINDS[kind]} on {subject}", "kind")),
    ("pot", "pot", _on_subjects(Pot, lambda subject: f"Pot of {subject}")),
    (
        "session",
        "playsession",
        subjects.names_of(PlaySession, "opened_at", lambda key, at: f"Session of {at:%d %b %Y %H:%M}"),
    ),
    (
        "batch",
        "payoutbatch",
        subjects.names_of(PayoutBatch, "made_at", lambda key, at: f"Batch of {at:%d %b %Y %H:%M}"),
    ),
):
    subjects.register(
        kind, view=f"admin:ledger_{model}_change", names=names, permission=f"ledger.view_{model}"
    )

subjects.register("operator", view="", names=subjects.called("the command line"))  # that funds a bank

OPENED = {
    OwnerKind.PLAYER: (Purpose.CASH, Purpose.SESSION, Purpose.PAYABLE, Purpose.RECEIVABLE),
    OwnerKind.GAME: (Purpose.ESCROW,),
    OwnerKind.MARKET: (Purpose.ESCROW,),
    OwnerKind.TOURNAMENT: (Purpose.ESCROW,),
    OwnerKind.PLAY: (Purpose.BANK, Purpose.EXTERNAL),
    OwnerKind.HOUSE: (
        *(Purpose.BANK, Purpose.RAKE, Purpose.TAKEOUT, Purpose.BREAKAGE, Purpose.PROMOTION),
        *(Purpose.PAYABLE, Purpose.EXTERNAL),
    ),
}
"""The purposes of the accounts that the ledger opens, by the kind of their owner."""


class AccountType(admin.SimpleListFilter):
    title = parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            (f"{kind}/{purpose}", wording.type_of_account(kind, purpose))
            for kind, of in OPENED.items()
            for purpose in of
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Account]) -> QuerySet[Account]:
        kind, _, purpose = (self.value() or "").partition("/")
        return queryset.filter(kind=kind, purpose=purpose) if kind else queryset


class OpenHolds(admin.SimpleListFilter):
    title = parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("held", "Held")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Hold]) -> QuerySet[Hold]:
        # As SQL, because SQLite does not use a partial index for a parameter.
        held = RawSQL("ledger_hold.state = 'held'", (), output_field=BooleanField())
        return queryset.filter(held) if self.value() == "held" else queryset


@admin.register(Account)
class AccountAdmin(ActionAdmin):
    list_actions = [Deposit]
    list_display = ["named", "total_money", "held_money", "available_money"]
    list_filter = [AccountType]
    search_fields = ["=key"]
    ordering = ["-pk"]
    technical = TECHNICAL | {"text"}
    fields = [
        "named",
        "total_money",
        "held_money",
        "available_money",
        "debits_money",
        "credits_money",
        "text",
        "latest",
    ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Account], search_term: str
    ) -> tuple[QuerySet[Account], bool]:
        """Find the accounts of an owner, by its id or as transfers name it (`player:…`)."""
        key = search_term.strip().rpartition(":")[2].partition("/")[0]
        return (queryset.filter(kind__in=OwnerKind.values, key=key) if key else queryset), False

    named = account_column("account")
    total_money = money_column("total", "total")
    held_money = money_column("held", "held")
    available_money = money_column("available", "available")
    debits_money = money_column("debits", "debits")
    credits_money = money_column("credits", "credits")

    def prepare(self, rows: Sequence[Account]) -> None:
        name_accounts(rows, "")

    def subtitle(self, row: Account) -> str:
        return wording.names([row])[row.pk]

    @admin.display(description="latest lines")
    def latest(self, account: Account) -> SafeString:
        lines = list(selectors.statement(account, limit=50))
        others = wording.names_of_texts({line.counterparty for line in lines})
        rows = (
            (
                format_html(
                    '<a href="{}">{}</a>',
                    reverse("admin:ledger_transfer_change", args=[line.position]),
                    f"{line.at:%d %b %Y %H:%M}",
                ),
                wording.plain_reason(line.reason),
                others[line.counterparty],
                money(line.change, account.currency),
                money(line.balance, account.currency),
            )
            for line in lines
        )
        return html_table(["at", "reason", "other side", "change", "balance"], rows)


FOR = subject_column(
    "subject",
    "for",
    of=lambda transfer: transfer.subject,
    before=lambda transfer: wording.plain_reason(transfer.reason),
)


@admin.register(Transfer)
class TransferAdmin(ActionAdmin):
    staff_actions = [Reverse]
    list_display = ["at", "amount_money", "payer", "receiver", FOR, "reversed"]
    search_fields = ["=uuid", "=subject", "=key"]
    ordering = ["-position"]
    fields = [
        "uuid",
        "at",
        "amount_money",
        "payer",
        "receiver",
        "why",
        "subject",
        "event",
        "actor",
        "posting",
        "leg",
        "key",
        "original",
        "reversed",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transfer]:
        return Transfer.objects.with_accounts().select_related("reversed_by")

    amount_money = money_column("amount", "amount", ordering="amount")
    payer, receiver = account_column("from", of="debit"), account_column("to", of="credit")

    def prepare(self, rows: Sequence[Transfer]) -> None:
        name_accounts(rows, "debit", "credit")

    @admin.display(description="reason")
    def why(self, transfer: Transfer) -> str:
        return wording.plain_reason(transfer.reason)

    @admin.display(description="reverses")
    def original(self, transfer: Transfer) -> str:
        return _transfer_of(transfer.reverses)

    @admin.display(description="reversed by")
    def reversed(self, transfer: Transfer) -> str:
        return _transfer_of(getattr(transfer, "reversed_by", None))

    def row_links(self, request: HttpRequest, row: Transfer) -> list[ActionLink]:
        return super().row_links(request, row) if Reverse(request.user, row).fits() else []

    def subtitle(self, row: Transfer) -> str:
        return f"{money(row.amount, row.currency)}: {self.why(row)}"


def _transfer_of(transfer: Transfer | None) -> str:
    if transfer is None:
        return ""
    address = reverse("admin:ledger_transfer_change", args=[transfer.pk])
    return format_html('<a href="{}">Transfer of {}</a>', address, f"{transfer.at:%d %b %Y %H:%M}")


@admin.register(Hold)
class HoldAdmin(ReadOnly):
    list_display = ["at", "named", "amount_money", "subject", "state", "expires_at", "resolved_at"]
    list_filter = [OpenHolds]
    search_fields = ["=subject", "=key"]
    ordering = ["-at"]
    list_select_related = ["account"]
    fields = [
        "named", "amount_money", "subject", "state", "at", "actor", "expires_at", "resolved_at", "resolved_by",
        "posting", "key", "id",
    ]  # fmt: skip

    named = account_column("account", of="account")
    amount_money = money_column("amount", "amount", currency="account.currency")

    def prepare(self, rows: Sequence[Hold]) -> None:
        name_accounts(rows, "account")


PLAYED_IN = subject_column("session", of=lambda row: f"session:{row.session_id}" if row.session_id else "")


@admin.register(PlaySession)
class PlaySessionAdmin(OfPlayers):
    list_display = ["opened_at", "whose", "cash_in_money", "closed_at", "cash_out_money"]
    search_fields = ["=player"]
    ordering = ["-opened_at"]
    fields = ["whose", "opened_at", "cash_in_money", "closed_at", "cash_out_money", "net_money", "key", "id"]

    cash_in_money = money_column("cash_in", "cash in")
    cash_out_money = money_column("cash_out", "cash out")
    net_money = money_column("net", "result")


@admin.register(GameStake)
class GameStakeAdmin(OfPlayers):
    list_display = ["staked_at", "whose", "stake_money", "status", "winnings_money", "subject", "stake_table"]
    list_filter = ["stake_table"]
    search_fields = ["=game"]
    ordering = ["-staked_at"]
    list_select_related = ["stake_table"]
    fields = [
        "subject", "whose", "stake_table", "terms", "stake_money", "max_win_money", "status", "winnings_money",
        "net_money", "staked_at", "ended_at", PLAYED_IN,
    ]  # fmt: skip

    stake_money = money_column("stake", "stake", currency="stake_table.currency")
    max_win_money = money_column("max_win", "maximum win", currency="stake_table.currency")
    winnings_money = money_column("winnings", "winnings", currency="stake_table.currency")
    net_money = money_column("net", "result", currency="stake_table.currency")


# These modules register further pages.
from ledger.betting import admin as betting_admin  # noqa: E402, F401
from ledger.limits import admin as limits_admin  # noqa: E402, F401
from ledger.payouts import admin as payouts_admin  # noqa: E402, F401
from ledger.staff import cards as cards  # noqa: E402
from ledger.staff import markets as market_pages  # noqa: E402, F401
from ledger.staff import players as player_pages  # noqa: E402, F401
from ledger.staff import reports as report_pages  # noqa: E402, F401
from ledger.stakes import admin as stakes_admin  # noqa: E402, F401
