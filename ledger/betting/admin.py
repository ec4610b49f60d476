"""Admin pages of markets and bets: stakes, the bank's risk, and settlements."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from ledger.betting.actions import RULINGS
from ledger.betting.forms import describe_cap, describe_no_winner, describe_rounding, describe_stakes
from ledger.betting.models import Bet, Market, Settlement
from ledger.hooks import runner_names
from ledger.money import money
from ledger.staff import wording
from ledger.staff.actions import (
    OfPlayers,
    account_column,
    money_column,
)
from ledger.templatetags.staff import percent
from staff import subjects
from staff.admin import ActionAdmin
from staff.columns import html_table, state, subject_column

NAMED = subject_column("market", of=lambda market: market.owner)


@admin.register(Market)
class MarketAdmin(ActionAdmin):
    staff_actions = RULINGS
    list_display = ["opened_at", NAMED, "status", "bets_made", "staked", "liability", "ended_at"]
    list_filter = ["status"]
    search_fields = ["=subject", "=id"]
    ordering = ["-opened_at"]
    list_select_related = ["escrow", "reserve", "stake_table"]
    fieldsets = [
        (None, {"fields": ["subject", "kind", "status", "staked", "liability", "runner_table", "settlement_table"]}),
        ("Terms", {"fields": ["stake_table", "kept", "rounding", "without_winner", "cancellable", "in_running",
                              "most", "stakes"]}),
        ("History", {"fields": ["bets_made", "round", "opened_by", "opened_at", "opened_event", "closed_at",
                                      "closed_event", "ended_at", "version", "id"]}),
    ]  # fmt: skip

    @admin.display(description="margin or takeout")
    def kept(self, market: Market) -> str:
        share = market.rules.share
        return f"a {share} of {percent(getattr(market, share))}"

    @admin.display(description="dividends")
    def rounding(self, market: Market) -> str:
        return describe_rounding(market)

    @admin.display(description="without a winner")
    def without_winner(self, market: Market) -> str:
        return describe_no_winner(market)

    @admin.display(description="cap")
    def most(self, market: Market) -> str:
        return describe_cap(market)

    @admin.display(description="stakes")
    def stakes(self, market: Market) -> str:
        return describe_stakes(market)

    staked = money_column("escrow.total", "staked")

    @admin.display(description="bank's liability")
    def liability(self, market: Market) -> str:
        return "" if market.reserve is None else money(market.reserve.amount, market.currency)

    @admin.display(description="runners")
    def runner_table(self, market: Market) -> SafeString:
        runners = list(market.runners.all())
        named = runner_names(market.subject, [runner.name for runner in runners])
        rows = (
            (
                named[runner.name],
                runner.decimal,
                money(runner.stakes, market.currency),
                money(max(0, runner.returns - runner.stakes), market.currency) if runner.returns else "",
            )
            for runner in runners
        )
        return html_table(["runner", "price", "staked", "net win of its bets"], rows)

    @admin.display(description="settlements")
    def settlement_table(self, market: Market) -> SafeString:
        settlements = list(market.settlements.all())
        actors = subjects.links(made.actor for made in settlements)
        rows = (
            (
                made.number,
                "void"
                if made.void
                else ", ".join(runner_names(market.subject, made.winners).values()) or "none",
                made.reason,
                actors[made.actor].text,
                *(_money_of(made, part) for part in ("gross", "paid", "takeout", "breakage", "bank")),
                state("reversed" if made.reversed_at else "in effect" if made.done_at else "in progress"),
            )
            for made in settlements
        )
        heads = ["", "winners", "reason", "by", "staked", "paid", "takeout", "breakage", "bank's result", ""]
        return html_table(heads, rows)

    def subtitle(self, row: Market) -> str:
        return subjects.link(row.owner).text


def _money_of(made: Settlement, part: str) -> str:
    amount = getattr(made, part)
    return "" if amount is None else money(amount, made.market.currency)


ON = subject_column("market", of=lambda bet: f"market:{bet.market_id}")


@admin.register(Bet)
class BetAdmin(OfPlayers):
    list_display = [
        "placed_at", ON, "whose", "backed", "stake_money", "price", "status", "returned_money",
    ]  # fmt: skip
    fields = [
        ON, "number", "whose", "from_purse", "backed", "stake_money", "price", "most_money", "status",
        "returned_money", "placed_at", "cancelled_at", "round", "settlement", "client_seed", "key", "id",
    ]  # fmt: skip
    search_fields = ["=player", "=key"]
    ordering = ["-placed_at"]
    list_select_related = ["market", "runner"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bet]:
        return Bet.objects.select_related("market", "runner", "purse")

    from_purse = account_column("paid from", of="purse")
    stake_money = money_column("stake", "stake", currency="market.currency")
    most_money = money_column("most", "returned at most", currency="market.currency")
    returned_money = money_column("returned", "returned", currency="market.currency")

    def prepare(self, rows: Sequence[Bet]) -> None:
        super().prepare(rows)
        for bet, name in zip(rows, wording.runners(rows), strict=True):
            bet.backs = name  # type: ignore[attr-defined]

    @admin.display(description="runner")
    def backed(self, bet: Bet) -> str:
        known: str | None = getattr(bet, "backs", None)
        return known or wording.runners([bet])[0]

    @admin.display(description="price")
    def price(self, bet: Bet) -> str:
        return bet.decimal

    def subtitle(self, row: Bet) -> str:
        return f"Bet {row.number}: {subjects.link(row.market.owner).text}"
