"""Pots and buy-ins in the back office: to be read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from api.office import ReadOnly
from ledger.buyins.models import BuyIn, Pot
from ledger.formats import money


@admin.register(Pot)
class PotAdmin(ReadOnly):
    list_display = ["opened_at", "subject", "stake_table", "buy_in", "held_now", "status", "ended_at"]
    list_filter = ["status", "stake_table"]
    search_fields = ["=subject", "=id"]
    ordering = ["-opened_at"]
    list_select_related = ["stake_table", "escrow"]
    fields = [
        "id", "subject", "stake_table", "buy_in", "rake", "split", "status", "held_now", "parts", "rulings",
        "opened_at", "ended_at",
    ]  # fmt: skip

    @admin.display(description="buy-in")
    def buy_in(self, pot: Pot) -> str:
        return money(pot.amount, pot.currency)

    @admin.display(description="in escrow")
    def held_now(self, pot: Pot) -> str:
        return money(pot.escrow.total, pot.currency)

    @admin.display(description="buy-ins")
    def parts(self, pot: Pot) -> SafeString:
        rows = (
            (part.player, part.get_status_display(), _money(part.returned, pot))
            for part in pot.buy_ins.order_by("event")
        )
        return _table(["player", "", "got back"], rows)

    @admin.display(description="divisions")
    def rulings(self, pot: Pot) -> SafeString:
        rows = (
            (
                made.number,
                "void" if made.void else "; ".join(", ".join(place) for place in made.places),
                _money(made.gross, pot),
                _money(made.rake, pot),
                made.reason,
                made.actor,
            )
            for made in pot.divisions.all()
        )
        return _table(["", "places", "pot", "rake", "reason", "by"], rows)


@admin.register(BuyIn)
class BuyInAdmin(ReadOnly):
    list_display = ["taken_at", "pot", "player", "paid", "status", "got_back"]
    list_filter = ["status"]
    search_fields = ["=player", "=pot__subject"]
    ordering = ["-taken_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[BuyIn]:
        return BuyIn.objects.select_related("pot", "purse")

    @admin.display(description="buy-in")
    def paid(self, part: BuyIn) -> str:
        return money(part.amount, part.pot.currency)

    @admin.display(description="got back")
    def got_back(self, part: BuyIn) -> str:
        return _money(part.returned, part.pot)


def _money(amount: int | None, pot: Pot) -> str:
    return "" if amount is None else money(amount, pot.currency)


def _table(heads: list[str], rows: Any) -> SafeString:
    head = format_html_join("", "<th>{}</th>", ((text,) for text in heads))
    body = format_html_join(
        "", "<tr>{}</tr>", ((format_html_join("", "<td>{}</td>", ((cell,) for cell in row)),) for row in rows)
    )
    return format_html("<table><tr>{}</tr>{}</table>", head, body)
