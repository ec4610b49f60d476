"""Admin pages of the ledger's tables. All rows can be read, none edited.

Deposits and reversals are staff actions (`ledger.staff.postings`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    PlaySession,
    Purpose,
    StakeTable,
    Transfer,
)
from ledger.money import money
from ledger.staff import wording
from ledger.staff.actions import (
    OfPlayers,
    account_column,
    html_table,
    money_column,
    name_accounts,
    name_subjects,
    subject_column,
)
from ledger.staff.postings import Deposit, Reverse
from staff import subjects
from staff.actions import ActionLink
from staff.admin import ActionAdmin
from staff.lists import ReadOnly
from staff.pages import ListedTable, list_table

list_table(ListedTable("Payouts", "ledger_payout_changelist", 15, "ledger.view_payout"))
list_table(ListedTable("Stake tables", "ledger_staketable_changelist", 25, "ledger.view_staketable"))


def _markets(keys: Collection[str]) -> Mapping[str, tuple[str, Any]]:
    """Return markets by what they are on, such as "Pool on Racing Aces of 27 Nov 2026 10:00"."""
    found = subjects.names_of(Market, "kind", lambda key, *values: "\n".join(values), "subject")(keys)
    split = {key: (*text.split("\n"), pk) for key, (text, pk) in found.items()}
    links = subjects.links(subject for _, subject, _ in split.values())
    labels = dict(MARKET_KINDS)
    return {
        key: (f"{labels[kind]} on {links[subject].text}", pk) for key, (kind, subject, pk) in split.items()
    }


for kind, model, names in (
    (
        "payout",
        "payout",
        subjects.names_of(Payout, "reference", lambda key, reference: f"payout {reference}"),
    ),
    ("house", "staketable", subjects.names_of(StakeTable, "slug", key="slug")),
    ("transfer", "transfer", subjects.called("its transfer")),
    ("freeze", "freeze", subjects.called("its freeze")),
    ("limitchange", "limitchange", subjects.called("its limit")),
    ("playstop", "playstop", subjects.called("its stop")),
    ("market", "market", _markets),
    ("batch", "payoutbatch", subjects.called("")),
):
    subjects.register(
        kind, view=f"admin:ledger_{model}_change", names=names, permission=f"ledger.view_{model}"
    )


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
        return [(f"{kind}/{purpose}", f"{kind} {purpose}") for kind, of in OPENED.items() for purpose in of]

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
        rows = (
            (
                f"{line.at:%d %b %Y %H:%M}",
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


@admin.register(Transfer)
class TransferAdmin(ActionAdmin):
    staff_actions = [Reverse]
    list_display = ["at", "amount_money", "payer", "receiver", "reason", "about", "reversed"]
    search_fields = ["=uuid", "=subject", "=key"]
    ordering = ["-position"]
    fields = [
        "uuid",
        "at",
        "amount_money",
        "payer",
        "receiver",
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

    amount_money = money_column("amount", "amount", ordering="amount")
    about = subject_column
    payer, receiver = account_column("from", of="debit"), account_column("to", of="credit")

    def prepare(self, rows: Sequence[Transfer]) -> None:
        name_accounts(rows, "debit", "credit")

    @admin.display(description="reversed by")
    def reversed(self, transfer: Transfer) -> str:
        mirror = getattr(transfer, "reversed_by", None)
        if mirror is None:
            return ""
        address = reverse("admin:ledger_transfer_change", args=[mirror.pk])
        return format_html('<a href="{}">{}</a>', address, mirror.uuid)

    def row_links(self, request: HttpRequest, row: Transfer) -> list[ActionLink]:
        return super().row_links(request, row) if Reverse(request.user, row).fits() else []

    def subtitle(self, row: Transfer) -> str:
        return f"{money(row.amount, row.currency)}: {row.reason}"


@admin.register(Hold)
class HoldAdmin(ReadOnly):
    list_display = ["at", "named", "amount_money", "about", "state", "expires_at", "resolved_at"]
    list_filter = [OpenHolds]
    search_fields = ["=subject", "=key"]
    ordering = ["-at"]
    list_select_related = ["account"]
    fields = [
        "named", "amount_money", "subject", "state", "at", "actor", "expires_at", "resolved_at", "resolved_by",
        "posting", "key", "id",
    ]  # fmt: skip

    about = subject_column
    named = account_column("account", of="account")
    amount_money = money_column("amount", "amount", currency="account.currency")

    def prepare(self, rows: Sequence[Hold]) -> None:
        name_accounts(rows, "account")


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
    list_display = ["staked_at", "whose", "stake_money", "status", "winnings_money", "about", "stake_table"]
    list_filter = ["stake_table"]
    search_fields = ["=game"]
    ordering = ["-staked_at"]
    list_select_related = ["stake_table"]
    fields = [
        "about", "whose", "stake_table", "terms", "stake_money", "max_win_money", "status", "winnings_money",
        "net_money", "staked_at", "ended_at", "session",
    ]  # fmt: skip

    about = subject_column
    stake_money = money_column("stake", "stake", currency="stake_table.currency")
    max_win_money = money_column("max_win", "maximum win", currency="stake_table.currency")
    winnings_money = money_column("winnings", "winnings", currency="stake_table.currency")
    net_money = money_column("net", "result", currency="stake_table.currency")

    def prepare(self, rows: Sequence[GameStake]) -> None:
        super().prepare(rows)
        name_subjects(rows)


# These modules register further pages.
from ledger.betting import admin as betting_admin  # noqa: E402, F401
from ledger.limits import admin as limits_admin  # noqa: E402, F401
from ledger.payouts import admin as payouts_admin  # noqa: E402, F401
from ledger.staff import cards as cards  # noqa: E402
from ledger.staff import markets as market_pages  # noqa: E402, F401
from ledger.staff import players as player_pages  # noqa: E402, F401
from ledger.staff import reports as report_pages  # noqa: E402, F401
from ledger.stakes import admin as stakes_admin  # noqa: E402, F401
