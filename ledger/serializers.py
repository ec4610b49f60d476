"""Input of the ledger's endpoints."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from core.errors import InvalidInput
from ledger.betting.terms import Terms
from ledger.errors import UnknownCurrency
from ledger.splits import WHOLE
from rest.fields import (
    PenceField,
    StrictBooleanField,
    StrictIntegerField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)


class ReasonField(StrictTextField):
    def __init__(self) -> None:
        super().__init__(min_length=3, max_length=200, trim_whitespace=True)


class OwnCurrencyInput(StrictSerializer):
    currency = StrictTextField(max_length=3, required=False)

    def validate_currency(self, currency: str) -> str:
        if currency != settings.RACECARD_CURRENCY:
            raise UnknownCurrency(f"This installation's currency is {settings.RACECARD_CURRENCY}.")
        return currency


class CashInInput(OwnCurrencyInput):
    amount = PenceField()


class DepositInput(OwnCurrencyInput):
    """A deposit for a player, or into the bank of a stake table."""

    player = StrictUUIDField(required=False)
    stake_table = StrictTextField(max_length=40, required=False)
    amount = PenceField()
    reason = ReasonField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("player" in attrs) == ("stake_table" in attrs):
            raise InvalidInput("Give either a player or a stake_table.")
        return attrs


class ReversalInput(StrictSerializer):
    transfer = StrictUUIDField()
    reason = ReasonField()


_STANDARD = Terms()


class PoolTermsInput(StrictSerializer):
    """The terms of a pool; other kinds of market add theirs."""

    takeout = StrictIntegerField(
        min=0, max=WHOLE - 1, required=False, default=0, help_text="pool: basis points"
    )
    step = StrictIntegerField(
        min=0,
        max=10,
        required=False,
        default=0,
        help_text="pool: a dividend is rounded down to 1 or 10 pence",
    )
    cancellable = StrictBooleanField(required=False, default=_STANDARD.cancellable)
    cap = PenceField(required=False, allow_null=True, default=None)
    stake_table = StrictTextField(max_length=40, required=False, default=_STANDARD.stake_table)
