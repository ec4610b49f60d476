"""The terms of a market as the back office asks for them, and shows them before it is opened."""

from __future__ import annotations

from typing import Any

from django import forms

from api.deeds import Given, Preview, ReasonForm
from ledger import selectors
from ledger.betting import prices, words
from ledger.betting.models import Market, MarketKind
from ledger.betting.pools import STEPS
from ledger.betting.terms import KINDS, Terms
from ledger.betting.wagers import ON_DRAW
from ledger.formats import money
from ledger.models import Purpose
from ledger.office.fields import MoneyField
from ledger.splits import WHOLE
from ledger.stakes.models import StakeTable

STANDARD = Terms()
MAY_OPEN = ("ledger.open_market", "ledger.offer_market")


def _points(help_text: str) -> forms.IntegerField:
    return forms.IntegerField(min_value=0, max_value=WHOLE - 1, initial=0, help_text=help_text)


class PoolTermsForm(ReasonForm):
    stake_table = forms.ChoiceField(help_text="Whose bounds every stake keeps.")
    takeout = _points("Basis points that the house keeps of a pool: 1500 is 15%.")
    step = forms.TypedChoiceField(
        choices=[(step, f"down to {step}p" if step else "not at all") for step in STEPS],
        coerce=int,
        label="Dividend rounded",
        help_text="Of a pool, for a stake of 100p; what is left over goes to the house.",
    )
    cap = MoneyField(required=False)
    cancellable = forms.BooleanField(
        required=False, initial=STANDARD.cancellable, help_text="Bets may be taken back until betting closes."
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
        slugs = StakeTable.objects.filter(rules=BETS).order_by("slug").values_list("slug", flat=True)
        table, cap = self.fields["stake_table"], self.fields["cap"]
        assert isinstance(table, forms.ChoiceField)
        table.choices = [(slug, slug) for slug in slugs]
        table.initial = STANDARD.stake_table
        cap.help_text += (
            " The most that may be staked in a pool, or that a bank may lose. Empty: none of its own."
        )


BETS = "racing-aces"
"""The rules whose stake tables are for bets."""


class AnyTermsForm(PoolTermsForm):
    kind = forms.ChoiceField(choices=[(kind, MarketKind(kind).label) for kind in reversed(KINDS)])
    margin = _points("Basis points that the house keeps of fixed odds.")
    on_draw = forms.ChoiceField(
        choices=[(each, f"are {each}ed" if each == "refund" else "lose") for each in ON_DRAW],
        label="If nobody wins, bets",
    )
    in_running = forms.BooleanField(
        required=False, help_text="Fixed odds: it opens again after each draw, at new prices."
    )


def terms_of(given: Given) -> Terms:
    names = (*PoolTermsForm.base_fields, *AnyTermsForm.base_fields)
    return Terms(
        **{name: given[name] for name in names if name in Terms.__dataclass_fields__ and name in given}
    )


def preview(market: Market) -> Preview:
    """Of a market that has been opened for a look, and is taken back."""
    table = market.stake_table
    assert table is not None  # money is bet here
    currency = market.currency
    runners = [
        f"{each.name} at {each.price} ({prices.as_decimal(prices.parse(each.price))})"
        if each.price
        else each.name
        for each in market.runners.all()
    ]
    has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=currency)
    is_pool = market.kind == MarketKind.POOL
    kept = market.takeout if is_pool else market.margin
    facts = [
        ("Kind", market.get_kind_display()),
        ("Runners", ", ".join(runners) or "whoever enters"),
        ("Stakes", words.stakes(market)),
        ("Takeout" if is_pool else "Margin", f"{kept / 100:g}%"),
        *([("Dividend", words.rounding(market))] if is_pool else []),
        ("If nobody wins", words.if_nobody_wins(market)),
        ("Bets taken back", "until betting closes" if market.cancellable else "never"),
        ("Cap", words.cap(market)),
        ("Reserve", "none: a pool pays out of itself" if is_pool else
         f"nothing yet; each bet holds what it can cost, of {money(has.available, currency)} that the bank has"),
    ]  # fmt: skip
    return Preview(facts=facts, warnings=_warnings(market, has.available))


def _warnings(market: Market, available: int) -> list[str]:
    found = []
    if market.kind == MarketKind.FIXED and available <= 0:
        found.append("Its bank has nothing: every bet will be refused until it is funded.")
    if market.kind == MarketKind.FIXED and market.cap is None:
        found.append("Without a cap, one market may take all that the bank has.")
    return found
