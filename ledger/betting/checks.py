"""What must be so before anything is bet."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from ledger.betting.terms import PLAY_CURRENCY


def own_currency_is_money(**_: Any) -> list[CheckMessage]:
    if settings.RACECARD_CURRENCY != PLAY_CURRENCY:
        return []
    return [
        Error(
            f"RACECARD_CURRENCY is {PLAY_CURRENCY}, which is the play money of meetings.",
            hint="XTS is ISO 4217's code for testing.",
            id="ledger.E001",
        )
    ]
