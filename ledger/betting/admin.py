"""Admin pages of markets and bets: stakes, the bank's risk, and settlements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger import services
from ledger.betting import prices
from ledger.betting.forms import describe_cap, describe_no_winner, describe_rounding, describe_stakes
from ledger.betting.models import ENDED, Bet, BetStatus, Market, MarketKind, MarketStatus, Settlement
from ledger.core.selectors import newest_position, posted_since
from ledger.money import money
from ledger.staff import subjects
from ledger.staff.actions import Choice, LedgerActions, actor, html_table, movement
from ledger.templatetags.staff import percent
from staff.actions import Done, FormData, Preview, ReasonForm, dry_run
from staff.lists import ReadOnly

RULE = "ledger.rule_market"
LISTED = 25
"""Transfers that a preview lists."""

Rule = Callable[[Market, FormData, str], Market]


class WinnersForm(ReasonForm):
    winners = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Select several if they tied. Without a winner, the terms of the market apply.",
    )
    field_order = ["winners", "void", "reason"]


class SettleAgainForm(WinnersForm):
    void = forms.BooleanField(required=False, help_text="Refund every stake instead.")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("void") and given.get("winners"):
            raise forms.ValidationError("A void market has no winners.")
        return given


def _of(market: Market, form: type[ReasonForm]) -> type[ReasonForm]:
    """Return the form with the runners that have not withdrawn, if it asks for winners."""
    if not issubclass(form, WinnersForm):
        return form
    names = market.runners.filter(withdrawn_at=None).order_by("number").values_list("name", flat=True)

    class OneMarketsForm(form):  # type: ignore[valid-type, misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields["winners"].choices = [(name, name) for name in names]

    return OneMarketsForm


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling on a market. `fits` are the states that allow it; `why` explains the refusal in other states."""

    label: str
    fits: tuple[str, ...]
    why: str
    lead: str
    rule: Rule
    form: type[ReasonForm] = WinnersForm


def _settle(market: Market, given: FormData, by: str) -> Market:
    return services.settle_market(
        market=market, winners=given["winners"], reason=given["reason"], actor=by, at=timezone.now()
    )


def _resettle(market: Market, given: FormData, by: str) -> Market:
    return services.resettle_market(
        market=market,
        winners=None if given["void"] else given["winners"],
        reason=given["reason"],
        actor=by,
        at=timezone.now(),
    )


def _void(market: Market, given: FormData, by: str) -> Market:
    return services.void_market(market=market, reason=given["reason"], actor=by, at=timezone.now())


RULINGS = {
    "settle": Ruling(
        "Settle",
        (MarketStatus.CLOSED,),
        "Settle: available after betting has closed.",
        "Use this if no event settles the market. Bets are paid at once.",
        _settle,
    ),
    "resettle": Ruling(
        "Settle again",
        ENDED,
        "Settle again: available after a settlement.",
        "The last settlement is reversed and bets are paid again. Players owe winnings that they have spent.",
        _resettle,
        SettleAgainForm,
    ),
    "void": Ruling(
        "Void",
        (MarketStatus.OPEN, MarketStatus.CLOSED),
        "Void: available before the settlement. Afterwards, settle the market again.",
        "Every stake is refunded.",
        _void,
        ReasonForm,
    ),
}


class MarketRulings(LedgerActions):
    def get_urls(self) -> list[Any]:
        own = [
            self.action_path(f"<uuid:market_id>/{name}/", partial(self.ruling_view, name=name), name, RULE)
            for name in RULINGS
        ]
        return [*own, *super().get_urls()]

    def choices(self, request: HttpRequest, row: Market | None) -> list[Choice]:
        """Return the rulings, each with the reason why this user may not make it now."""
        if row is None or not request.user.has_perm(RULE):
            return []
        return [
            Choice(
                ruling.label,
                reverse(f"admin:ledger_market_{name}", args=[row.pk]),
                "" if row.status in ruling.fits else ruling.why,
            )
            for name, ruling in RULINGS.items()
        ]

    def ruling_view(self, request: HttpRequest, market_id: UUID, name: str) -> HttpResponse:
        market = get_object_or_404(Market, pk=market_id)
        ruling = RULINGS[name]
        about = subjects.link(market.subject)

        def ruled(given: FormData) -> Market:
            return ruling.rule(market, given, actor(request))

        return self.run_action(
            request,
            title=f"{ruling.label} the {market.get_kind_display().lower()} on {about.text}",
            action=f"{name}-market",
            form_class=_of(market, ruling.form),
            preview=lambda given: _preview(market, given, lambda: ruled(given)),
            perform=lambda given, key: ruled(given),
            button=ruling.label,
            lead=ruling.lead,
            cancel=reverse("admin:ledger_market_change", args=[market.pk]),
        )

    def as_done(self, answer: Market) -> Done:
        said = {
            MarketStatus.SETTLING: "The market is being settled.",
            MarketStatus.SETTLED: "The market is settled.",
            MarketStatus.VOID: "Every stake was refunded.",
        }
        back = reverse("admin:ledger_market_change", args=[answer.pk])
        return Done(said[MarketStatus(answer.status)], answer.owner, back)


def _preview(market: Market, given: FormData, ruled: Callable[[], Market]) -> Preview:
    """Preview the transfers of a ruling by a dry run, which raises what the ruling would raise."""
    open_bets = market.bets.filter(status=BetStatus.OPEN)
    staked = open_bets.aggregate(sum=Sum("stake"))["sum"] or 0
    facts = [
        ("Open bets", f"{open_bets.count()}, {money(staked, market.currency)} in total"),
        ("Players", str(market.bets.values("player").distinct().count())),
    ]
    if "winners" in given:
        named = "none (void)" if given.get("void") else ", ".join(given["winners"]) or "none"
        facts.insert(0, ("Winners", named))
    before = newest_position()

    def shown() -> Preview:
        done, notes = ruled(), []
        made = posted_since(before, market.owner)
        if (count := made.count()) > LISTED:
            notes.append(f"{count} transfers; the first {LISTED} are shown.")
        if done.status == MarketStatus.SETTLING:
            notes.append("A job pays these bets in steps. Only the first transfers are shown.")
        return Preview([movement(one) for one in made[:LISTED]], facts, notes)

    return dry_run(shown)


@admin.register(Market)
class MarketAdmin(MarketRulings):
    list_display = ["opened_at", "subject", "kind", "status", "bets_made", "staked", "liability", "ended_at"]
    list_filter = ["status", "kind"]
    search_fields = ["=subject", "=id"]
    ordering = ["-opened_at"]
    list_select_related = ["escrow", "reserve", "stake_table"]
    fieldsets = [
        (None, {"fields": ["about", "kind", "status", "staked", "liability", "runner_table", "settlement_table"]}),
        ("Terms", {"fields": ["stake_table", "kept", "rounding", "without_winner", "cancellable", "in_running",
                              "most", "stakes"]}),
        ("History", {"fields": ["bets_made", "round", "opened_by", "opened_at", "opened_event", "closed_at",
                                      "closed_event", "ended_at", "version", "id"]}),
    ]  # fmt: skip

    @admin.display(description="about")
    def about(self, market: Market) -> str | SafeString:
        link = subjects.link(market.subject)
        return format_html('<a href="{}">{}</a>', link.url, link.text) if link.url else market.subject

    @admin.display(description="margin or takeout")
    def kept(self, market: Market) -> str:
        if market.kind == MarketKind.FIXED:
            return f"a margin of {percent(market.margin)}"
        return f"a takeout of {percent(market.takeout)}"

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
        return html_table(["runner", "price", "staked", "net win of its bets"], rows)

    @admin.display(description="settlements")
    def settlement_table(self, market: Market) -> SafeString:
        rows = (
            (
                made.number,
                "void" if made.void else ", ".join(made.winners) or "none",
                made.reason,
                made.actor,
                *(_money_of(made, part) for part in ("gross", "paid", "takeout", "breakage", "bank")),
                "reversed" if made.reversed_at else "in effect" if made.done_at else "in progress",
            )
            for made in market.settlements.all()
        )
        if not market.settlement:
            return SafeString("none yet")
        heads = ["", "winners", "reason", "by", "staked", "paid", "takeout", "breakage", "bank's result", ""]
        return html_table(heads, rows)

    def subtitle(self, row: Market) -> str:
        return f"{row.get_kind_display()} on {subjects.link(row.subject).text}"


def _money_of(made: Settlement, part: str) -> str:
    amount = getattr(made, part)
    return "" if amount is None else money(amount, made.market.currency)


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
