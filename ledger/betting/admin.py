"""Markets and bets in the back office: what is staked, what the bank risks, and how they were settled."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from api.office import ReadOnly
from ledger.betting import prices, words
from ledger.betting.admin_rulings import MarketRulings
from ledger.betting.models import Bet, Market, MarketKind, Settlement
from ledger.formats import money
from ledger.office import subjects
from ledger.templatetags.office import percent


@admin.register(Market)
class MarketAdmin(MarketRulings):
    list_display = ["opened_at", "subject", "kind", "status", "bets_made", "staked", "liability", "ended_at"]
    list_filter = ["status", "kind"]
    search_fields = ["=subject", "=id"]
    ordering = ["-opened_at"]
    list_select_related = ["escrow", "reserve", "stake_table"]
    fieldsets = [
        (None, {"fields": ["about", "kind", "status", "staked", "liability", "runner_table", "settlement_table"]}),
        ("Terms", {"fields": ["stake_table", "kept", "rounding", "if_nobody_wins", "cancellable", "in_running",
                              "most", "stakes"]}),
        ("What happened", {"fields": ["bets_made", "round", "opened_by", "opened_at", "opened_event", "closed_at",
                                      "closed_event", "ended_at", "version", "id"]}),
    ]  # fmt: skip
    change_form_template = "admin/ledger/market/change_form.html"

    @admin.display(description="about")
    def about(self, market: Market) -> str | SafeString:
        link = subjects.link(market.subject)
        return format_html('<a href="{}">{}</a>', link.url, link.text) if link.url else market.subject

    @admin.display(description="the house keeps")
    def kept(self, market: Market) -> str:
        if market.kind == MarketKind.FIXED:
            return f"a margin of {percent(market.margin)}"
        return f"a takeout of {percent(market.takeout)}"

    @admin.display(description="dividends")
    def rounding(self, market: Market) -> str:
        return words.rounding(market)

    @admin.display(description="if nobody wins")
    def if_nobody_wins(self, market: Market) -> str:
        return words.if_nobody_wins(market)

    @admin.display(description="cap")
    def most(self, market: Market) -> str:
        return words.cap(market)

    @admin.display(description="stakes")
    def stakes(self, market: Market) -> str:
        return words.stakes(market)

    @admin.display(description="staked")
    def staked(self, market: Market) -> str:
        return money(market.escrow.total, market.currency)

    @admin.display(description="bank's liability")
    def liability(self, market: Market) -> str:
        return "" if market.reserve is None else money(market.reserve.amount, market.currency)

    @admin.display(description="runners")
    def runner_table(self, market: Market) -> SafeString:
        rows = (
            (
                runner.name,
                f"{runner.price} ({prices.as_decimal(prices.parse(runner.price))})" if runner.price else "",
                money(runner.stakes, market.currency),
                money(max(0, runner.returns - runner.stakes), market.currency) if runner.returns else "",
            )
            for runner in market.runners.all()
        )
        return _table(["runner", "price", "staked", "wins beyond its stakes"], rows)

    @admin.display(description="settlements")
    def settlement_table(self, market: Market) -> SafeString:
        rows = (
            (
                made.number,
                "void" if made.void else ", ".join(made.winners) or "nobody",
                made.reason,
                made.actor,
                *(_money_of(made, part) for part in ("gross", "paid", "takeout", "breakage", "bank")),
                "reversed" if made.reversed_at else "stands" if made.done_at else "being made",
            )
            for made in market.settlements.all()
        )
        if not market.settlement:
            return SafeString("none yet")
        heads = ["", "winners", "reason", "by", "staked", "paid", "takeout", "breakage", "bank's result", ""]
        return _table(heads, rows)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        market = self.get_object(request, object_id)
        shown: dict[str, Any] = {"choices": self.choices(request, market)}
        if market is not None:
            about = subjects.link(market.subject)
            shown["subtitle"] = f"{market.get_kind_display()} on {about.text}"
        return super().change_view(request, object_id, form_url, {**shown, **(extra_context or {})})


def _money_of(made: Settlement, part: str) -> str:
    amount = getattr(made, part)
    return "" if amount is None else money(amount, made.market.currency)


def _table(heads: list[str], rows: Any) -> SafeString:
    head = format_html_join("", "<th>{}</th>", ((text,) for text in heads))
    body = format_html_join(
        "", "<tr>{}</tr>", ((format_html_join("", "<td>{}</td>", ((cell,) for cell in row)),) for row in rows)
    )
    return format_html("<table><tr>{}</tr>{}</table>", head, body)


@admin.register(Bet)
class BetAdmin(ReadOnly):
    list_display = [
        "placed_at", "market", "number", "player", "runner", "stake_money", "price", "status", "returned_money",
    ]  # fmt: skip
    list_filter = ["status"]
    search_fields = ["=player", "=market__subject", "=key"]
    ordering = ["-placed_at"]
    list_select_related = ["market", "runner"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bet]:
        return Bet.objects.select_related("market", "runner", "purse")

    @admin.display(description="stake")
    def stake_money(self, bet: Bet) -> str:
        return money(bet.stake, bet.market.currency)

    @admin.display(description="returned")
    def returned_money(self, bet: Bet) -> str:
        return "" if bet.returned is None else money(bet.returned, bet.market.currency)
