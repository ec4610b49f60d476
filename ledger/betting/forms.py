"""Forms for the terms of a market, and their description before the market opens."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from ledger import selectors
from ledger.betting.kinds import CHOICES
from ledger.betting.models import Market
from ledger.betting.terms import ON_DRAW, REFUND, STEPS, Terms
from ledger.hooks import betting_games, runner_names
from ledger.models import Purpose, table_name
from ledger.money import figure, money
from ledger.staff.actions import MoneyField, PercentField
from ledger.stakes.models import StakeTable
from staff.actions import FormData, Preview, ReasonForm

STANDARD = Terms()
MAY_OPEN = ("ledger.open_market", "ledger.offer_market")


def _percent(help_text: str) -> PercentField:
    return PercentField(initial=0, help_text=help_text)


def _dividend(step: int) -> str:
    return figure(step, settings.RACECARD_CURRENCY)


class PoolTermsForm(ReasonForm):
    stake_table = forms.ChoiceField(help_text="Its limits apply to every stake.")
    takeout = _percent("The site's share of a pool, in percent.")
    step = forms.TypedChoiceField(
        choices=lambda: [(step, f"down to {_dividend(step)}" if step else "no rounding") for step in STEPS],
        coerce=int,
        label="Dividend rounded",
        help_text="For a pool and a stake of 1.00. The site keeps the remainder.",
    )
    cap = MoneyField(required=False)
    cancellable = forms.BooleanField(
        required=False,
        initial=STANDARD.cancellable,
        help_text="Players may cancel bets until betting closes.",
    )
    field_order = (
        "kind",
        "stake_table",
        "takeout",
        "step",
        "margin",
        "on_draw",
        "in_running",
        "cap",
        "cancellable",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        slugs = (
            StakeTable.objects.filter(rules__in=betting_games())
            .order_by("slug")
            .values_list("slug", flat=True)
        )
        table, cap = self.fields["stake_table"], self.fields["cap"]
        assert isinstance(table, forms.ChoiceField)
        table.choices = [(slug, table_name(slug)) for slug in slugs]
        table.initial = STANDARD.stake_table
        cap.help_text += " The most that can be staked in a pool, or that the bank can lose. Empty: no cap."


class AnyTermsForm(PoolTermsForm):
    kind = forms.ChoiceField(choices=[*reversed(CHOICES)])
    margin = _percent("The site's share at fixed odds, in percent.")
    on_draw = forms.ChoiceField(
        choices=[(each, f"are {each}ed" if each == "refund" else "lose") for each in ON_DRAW],
        label="If no runner wins, bets",
    )
    in_running = forms.BooleanField(
        required=False, help_text="Fixed odds: the market reopens after each draw at new prices."
    )


def terms_of(given: FormData) -> Terms:
    names = (*PoolTermsForm.base_fields, *AnyTermsForm.base_fields)
    return Terms(
        **{name: given[name] for name in names if name in Terms.__dataclass_fields__ and name in given}
    )


def preview(market: Market) -> Preview:
    """Describe a market that a dry run has opened."""
    table = market.stake_table
    assert table is not None  # money is bet here
    currency = market.currency
    prices = {each.name: f" at {each.decimal}" if each.price else "" for each in market.runners.all()}
    named = runner_names(market.subject, list(prices))
    runners = [f"{named[name]}{price}" for name, price in prices.items()]
    has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=currency)
    rules = market.rules
    kept = getattr(market, rules.share)
    facts = [
        ("Kind", market.get_kind_display()),
        ("Runners", ", ".join(runners) or "the entrants"),
        ("Stakes", describe_stakes(market)),
        (rules.share.capitalize(), f"{kept / 100:g}%"),
        *([] if rules.priced else [("Dividend", describe_rounding(market))]),
        ("Without a winner", describe_no_winner(market)),
        ("Bets cancellable", "until betting closes" if market.cancellable else "no"),
        ("Cap", describe_cap(market)),
        ("Reserve", "none: a pool pays from its stakes" if not rules.priced else
         f"none yet; each bet reserves its possible loss from {money(has.available, currency)} available"),
    ]  # fmt: skip
    return Preview(facts=facts, warnings=_warnings(market, has.available))


def _warnings(market: Market, available: int) -> list[str]:
    found = []
    if market.rules.priced and available <= 0:
        found.append("The bank is empty: every bet is refused until it is funded.")
    if market.rules.priced and market.cap is None:
        found.append("Without a cap, one market can reserve the whole bank.")
    return found


def describe_stakes(market: Market) -> str:
    least, most, step = (
        money(amount, market.currency) for amount in (market.minimum, market.maximum, market.stake_step)
    )
    return f"{least} to {most}, in steps of {step}"


def describe_rounding(market: Market) -> str:
    """Describe how the dividend is rounded."""
    return f"rounded down to {money(market.step, market.currency)}" if market.step else "not rounded"


def describe_no_winner(market: Market) -> str:
    return "bets are refunded" if market.on_draw == REFUND else "bets lose"


def describe_cap(market: Market) -> str:
    return "none" if market.cap is None else money(market.cap, market.currency)
