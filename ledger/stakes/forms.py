"""The forms of the back office for stake tables."""

from __future__ import annotations

from typing import Any

from django import forms

from api.deeds import ReasonForm
from ledger.office.fields import MoneyField
from ledger.splits import WHOLE
from ledger.stakes.figures import Figures, is_split
from ledger.stakes.kinds import registered

AMOUNTS = ("minimum", "maximum", "step", "default", "bank_limit")


class SplitField(forms.CharField):
    """`winner`, or basis points by place."""

    def clean(self, value: Any) -> tuple[int, ...]:
        text = super().clean(value).strip()
        shares = ["10000"] if text == "winner" else text.replace(" ", "").split(",")
        split = tuple(
            int(share) for share in shares if share.isascii() and share.isdigit() and len(share) <= 5
        )
        if len(split) != len(shares) or not is_split(split):
            raise forms.ValidationError(
                f"Say winner, or basis points by place, {WHOLE} together: 7000, 3000."
            )
        return split


class FiguresForm(ReasonForm):
    """What a table offers."""

    minimum = MoneyField()
    maximum = MoneyField()
    step = MoneyField()
    default = MoneyField()
    win_rate = forms.CharField(
        max_length=20, required=False, label="Pay table", help_text="Of the stake, per card, such as 1/13."
    )
    bank_limit = MoneyField(required=False, help_text="Empty: all that the bank has.")
    open = forms.BooleanField(required=False, help_text="Whether games are dealt.")
    rake = forms.IntegerField(
        min_value=0, max_value=WHOLE - 1, help_text="Basis points of a pool of buy-ins."
    )
    split = SplitField(max_length=400, help_text="Of a pool of buy-ins: winner, or basis points by place.")


class OpenForm(FiguresForm):
    """A table that is not there yet. Its currency is the installation's own."""

    slug = forms.CharField(
        max_length=40,
        label="Name",
        help_text="Small letters and digits, in words joined by hyphens; for good.",
    )
    rules = forms.ChoiceField(
        choices=lambda: [(rules, rules) for rules in registered()],
        label="Game",
        help_text="What is played for money; for good.",
    )
    mode = forms.CharField(
        max_length=80,
        required=False,
        help_text="Options that a game here has, such as draw=3; empty: any; for good.",
    )
    field_order = [
        "slug", "rules", "mode", "minimum", "maximum", "step", "default", "win_rate", "bank_limit", "open", "rake",
        "split", "reason",
    ]  # fmt: skip


class TermsForm(FiguresForm):
    effective_from = forms.DateTimeField(required=False, label="From", help_text="UTC. Empty: from now.")
    expected = forms.IntegerField(widget=forms.HiddenInput)


class TurnForm(ReasonForm):
    expected = forms.IntegerField(widget=forms.HiddenInput)


class FundingForm(ReasonForm):
    amount = MoneyField()
    field_order = ["amount", "reason"]


def figures_of(given: dict[str, Any]) -> Figures:
    names = (*AMOUNTS, "win_rate", "open", "rake", "split")
    return Figures(**{name: given[name] for name in names})
