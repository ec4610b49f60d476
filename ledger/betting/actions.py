"""Staff actions on markets: open one, settle it, settle it again, void it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django import forms
from django.db.models import Sum
from django.utils import timezone

from core.transactions import dry_run
from ledger.betting import markets, settlements
from ledger.betting.forms import MAY_OPEN, PoolTermsForm, terms_of
from ledger.betting.forms import preview as preview_terms
from ledger.betting.markets import allowed_terms
from ledger.betting.models import ENDED, BetStatus, Market, MarketStatus
from ledger.betting.terms import Terms
from ledger.core.selectors import newest_position, posted_since
from ledger.hooks import runner_names
from ledger.models import Transfer
from ledger.money import money
from ledger.staff.actions import LedgerAction, previewed
from staff import subjects
from staff.actions import ActionForm, Done, FormData, Preview, ReasonForm, change_page

LISTED = 25
"""Transfers that a preview lists."""

Row = TypeVar("Row")


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


class MarketRuling(LedgerAction[Market]):
    """A ruling on a market. `fits` are the states that allow it; `otherwise` explains the refusal in other states."""

    permission = "ledger.rule_market"
    fits: ClassVar[tuple[str, ...]]
    otherwise: ClassVar[str]

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> Market:
        return markets.market(pk)

    @property
    def title(self) -> str:
        kind = self.row.get_kind_display().lower()
        return f"{self.label} the {kind} on {subjects.link(self.row.subject).text}"

    def unavailable(self) -> str:
        return "" if self.row.status in self.fits else self.otherwise

    def form_class(self) -> type[ActionForm]:
        """Return the form with the runners that have not withdrawn, if it asks for winners."""
        form = super().form_class()
        if not issubclass(form, WinnersForm):
            return form
        runners = self.row.runners.filter(withdrawn_at=None).order_by("number")
        named = runner_names(self.row.subject, list(runners.values_list("name", flat=True)))

        class OneMarketsForm(form):  # type: ignore[valid-type, misc]
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                self.fields["winners"].choices = list(named.items())

        return OneMarketsForm

    def preview(self, data: FormData) -> Preview:
        """Preview the transfers by a dry run, which raises what the ruling would raise."""
        market = self.row
        open_bets = market.bets.filter(status=BetStatus.OPEN)
        staked = open_bets.aggregate(sum=Sum("stake"))["sum"] or 0
        facts = [
            ("Open bets", f"{open_bets.count()}, {money(staked, market.currency)} in total"),
            ("Players", str(market.bets.values("player").distinct().count())),
        ]
        if "winners" in data:
            winners = runner_names(market.subject, data["winners"] or ()).values()
            named = "none (void)" if data.get("void") else ", ".join(winners) or "none"
            facts.insert(0, ("Winners", named))
        before = newest_position()

        notes: list[str] = []

        def command() -> Iterable[Transfer]:
            done = self.carry_out(data, "", timezone.now())
            made = posted_since(before, market.owner)
            if (count := made.count()) > LISTED:
                notes.append(f"{count} transfers; the first {LISTED} are shown.")
            if done.status == MarketStatus.SETTLING:
                notes.append("A job pays these bets in steps. Only the first transfers are shown.")
            return made[:LISTED]

        shown = previewed(command, facts=facts)
        # The balances after only some of the transfers would be wrong.
        return replace(shown, warnings=notes, changes=[] if notes else shown.changes)

    def carry_out(self, data: FormData, key: str, now: datetime) -> Market:
        raise NotImplementedError

    def done(self, made: Market) -> Done:
        message = {
            MarketStatus.SETTLING: "The market is being settled.",
            MarketStatus.SETTLED: "The market is settled.",
            MarketStatus.VOID: "Every stake was refunded.",
        }
        return Done(message[MarketStatus(made.status)], made.owner, self.back)


class Settle(MarketRuling):
    name, label, page = "settle-market", "Settle", "ledger_market_settle"
    route = "<uuid:pk>/settle/"
    operations = ("market_settle",)
    form = WinnersForm
    lead = "Use this if no event settles the market. Bets are paid at once."
    fits = (MarketStatus.CLOSED,)
    otherwise = "Settle: available after betting has closed."

    def carry_out(self, data: FormData, key: str, now: datetime) -> Market:
        return settlements.settle_market(
            market=self.row.pk, winners=data["winners"], reason=data["reason"], actor=self.by, at=now
        )


class SettleAgain(MarketRuling):
    name, label, page = "resettle-market", "Settle again", "ledger_market_resettle"
    route = "<uuid:pk>/resettle/"
    operations = ("market_resettle",)
    form = SettleAgainForm
    lead = (
        "The last settlement is reversed and bets are paid again. Players owe winnings that they have spent."
    )
    fits = ENDED
    otherwise = "Settle again: available after a settlement."

    def carry_out(self, data: FormData, key: str, now: datetime) -> Market:
        winners = None if data.get("void") else data["winners"]
        return settlements.resettle_market(
            market=self.row.pk, winners=winners, reason=data["reason"], actor=self.by, at=now
        )


class Void(MarketRuling):
    name, label, page = "void-market", "Void", "ledger_market_void"
    route = "<uuid:pk>/void/"
    operations = ("market_void",)
    lead = "Every stake is refunded."
    fits = (MarketStatus.OPEN, MarketStatus.CLOSED)
    otherwise = "Void: available before the settlement. Afterwards, settle the market again."

    def carry_out(self, data: FormData, key: str, now: datetime) -> Market:
        return settlements.void_market(market=self.row.pk, reason=data["reason"], actor=self.by, at=now)


RULINGS = (Settle, SettleAgain, Void)


class OpenMarket(LedgerAction[Row]):
    """The opening of a market on something; the terms of an organizer are limited."""

    name, label, button = "open-market", "Open a market", "Open market"
    shows_result = True
    form: ClassVar[type[PoolTermsForm]]

    @classmethod
    def may(cls, actor: Any) -> bool:
        return any(actor.has_perm(permission) for permission in MAY_OPEN)

    def opened(self, data: FormData, terms: Terms, now: datetime) -> Market:
        """Open the market with these terms."""
        raise NotImplementedError

    def preview(self, data: FormData) -> Preview:
        return dry_run(lambda: preview_terms(self.carry_out(data, "", timezone.now())))

    def carry_out(self, data: FormData, key: str, now: datetime) -> Market:
        terms = data["terms"] if "terms" in data else terms_of(data)
        return self.opened(data, allowed_terms(self.actor, terms), now)

    def done(self, made: Market) -> Done:
        """Return the result, with a link to the market's page if the user may see it."""
        back = self.back
        if self.actor.has_perm("ledger.view_market"):
            back = change_page(made)
        return Done("The market is open.", made.subject, back, result=f"market:{made.pk}")
