"""Admin pages of stake tables and their terms, and of pots and buy-ins."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger import selectors
from ledger.hooks import game_title
from ledger.models import Purpose
from ledger.money import money
from ledger.staff.actions import (
    OfPlayers,
    account_column,
    money_column,
)
from ledger.stakes.actions import (
    ChangeTerms,
    Close,
    Defund,
    Fund,
    OpenTable,
    Reopen,
    ResettlePot,
    names_by_place,
    shown,
)
from ledger.stakes.models import BuyIn, Pot, StakeTable, StakeTerms
from ledger.stakes.tables import offer, states
from ledger.templatetags.staff import percent
from staff import subjects
from staff.actions import ActionLink, links
from staff.admin import ActionAdmin
from staff.columns import html_table, state, subject_column


@admin.register(StakeTable)
class StakeTableAdmin(ActionAdmin):
    list_actions = [OpenTable]
    staff_actions = [ChangeTerms, Close, Reopen, Fund, Defund]
    list_display = ["named", "game", "mode", "stakes", "win_rate", "is_open", "announced", "bank"]
    ordering = ["slug"]
    fields = ["named", "slug", "game", "mode", "bank", "history"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[StakeTable]:
        return StakeTable.objects.prefetch_related("terms")

    @admin.display(description="stake table")
    def named(self, table: StakeTable) -> str:
        return str(table)

    @admin.display(description="game")
    def game(self, table: StakeTable) -> str:
        return game_title(table.rules)

    @admin.display(description="stakes")
    def stakes(self, table: StakeTable) -> str:
        terms = offer(table, timezone.now()).in_force
        least, most = money(terms.minimum, table.currency), money(terms.maximum, table.currency)
        return f"{least} to {most} in steps of {money(terms.step, table.currency)}"

    @admin.display(description="pay table")
    def win_rate(self, table: StakeTable) -> str:
        return offer(table, timezone.now()).in_force.win_rate

    @admin.display(description="open", boolean=True)
    def is_open(self, table: StakeTable) -> bool:
        return offer(table, timezone.now()).in_force.open

    @admin.display(description="announced")
    def announced(self, table: StakeTable) -> str:
        return ", ".join(
            f"{terms.effective_from:%d %b %Y %H:%M}" for terms in offer(table, timezone.now()).announced
        )

    @admin.display(description="bank (available / held)")
    def bank(self, table: StakeTable) -> str:
        has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
        return f"{money(has.available, table.currency)} / {money(has.held, table.currency)}"

    @admin.display(description="terms, newest first")
    def history(self, table: StakeTable) -> SafeString:
        rows = sorted(table.terms.all(), key=lambda row: -row.number)
        by_number = states(rows, timezone.now())
        actors = subjects.links(row.actor for row in rows)
        return html_table(
            ["", "from", "stakes", "terms", "requested"],
            (_row(row, by_number[row.number], table, actors[row.actor].text) for row in rows),
        )

    def row_links(self, request: HttpRequest, row: StakeTable) -> list[ActionLink]:
        turn = next(each for each in (Close, Reopen) if each(request.user, row).fits())
        return links([ChangeTerms, turn, Fund, Defund], request.user, row)


def _row(terms: StakeTerms, now: str, table: StakeTable, actor: str) -> list[str]:
    figures = {name: shown(name, value, table) for name, value in terms.figures.columns().items()}
    stakes = "{minimum} to {maximum} in steps of {step}, by default {default}".format(**figures)
    others = (
        f"{name.replace('_', ' ')} {text}" for name, text in figures.items() if text and name not in OF_STAKES
    )
    asked = f"{terms.asked_at:%d %b %Y %H:%M} by {actor}"
    return [
        format_html("{} {}", terms.number, state(now, now.replace("-", " "))),
        f"{terms.effective_from:%d %b %Y %H:%M}",
        format_html('<span class="words">{}</span>', stakes),
        format_html('<span class="words">{}</span>', "; ".join(others)),
        format_html('<span class="words">{}</span>', f"{asked}: {terms.reason}" if terms.reason else asked),
    ]


OF_STAKES = frozenset({"minimum", "maximum", "step", "default"})
"""The figures of the stakes that a table takes."""


# --- pots and buy-ins -------------------------------------------------------------------------------


@admin.register(Pot)
class PotAdmin(ActionAdmin):
    staff_actions = [ResettlePot]
    list_display = ["opened_at", "subject", "stake_table", "buy_in", "held_now", "status", "ended_at"]
    list_filter = ["stake_table"]
    search_fields = ["=subject", "=id"]
    ordering = ["-opened_at"]
    list_select_related = ["stake_table", "escrow"]
    fields = [
        "subject", "stake_table", "buy_in", "raked", "shares", "status", "held_now", "parts", "rulings", "opened_at",
        "ended_at", "id",
    ]  # fmt: skip

    buy_in = money_column("amount", "buy-in")
    held_now = money_column("escrow.total", "in escrow")

    @admin.display(description="rake")
    def raked(self, pot: Pot) -> str:
        return percent(pot.rake)

    @admin.display(description="shares by place, after the rake")
    def shares(self, pot: Pot) -> str:
        return ", ".join(map(percent, pot.split))

    @admin.display(description="buy-ins")
    def parts(self, pot: Pot) -> SafeString:
        parts = list(pot.buy_ins.order_by("event"))
        names = names_by_place([[part.player] for part in parts])
        rows = (
            (name, state(part.status), _money(part.returned, pot))
            for name, part in zip(names, parts, strict=True)
        )
        return html_table(["player", "status", "returned"], rows)

    @admin.display(description="divisions")
    def rulings(self, pot: Pot) -> SafeString:
        divisions = list(pot.divisions.all())
        actors = subjects.links(made.actor for made in divisions)
        rows = (
            (
                made.number,
                "refunded" if made.void else "; ".join(names_by_place(made.places)),
                _money(made.gross, pot),
                _money(made.rake, pot),
                made.reason,
                actors[made.actor].text,
            )
            for made in divisions
        )
        return html_table(["", "places", "pot", "rake", "reason", "by"], rows)


OF_POT = subject_column("pot", of=lambda buy_in: f"pot:{buy_in.pot_id}")


@admin.register(BuyIn)
class BuyInAdmin(OfPlayers):
    list_display = ["taken_at", OF_POT, "whose", "paid", "status", "returned_money"]
    search_fields = ["=player", "=pot__subject"]
    ordering = ["-taken_at"]
    fields = [
        OF_POT, "whose", "from_purse", "paid", "status", "returned_money", "taken_at", "ended_at", "event", "division",
        "id",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[BuyIn]:
        return BuyIn.objects.select_related("pot", "purse")

    from_purse = account_column("paid from", of="purse")
    paid = money_column("amount", "buy-in", currency="pot.currency")
    returned_money = money_column("returned", "returned", currency="pot.currency")

    def subtitle(self, row: BuyIn) -> str:
        return subjects.link(f"pot:{row.pot_id}").text


def _money(amount: int | None, pot: Pot) -> str:
    return "" if amount is None else money(amount, pot.currency)
