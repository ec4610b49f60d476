"""What every installation starts with; put back by each migrate if it is missing, never altered."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed
from django.conf import settings
from django.db import connections

from ledger.stakes.figures import Figures
from ledger.stakes.models import BEGINNING

VEGAS_CLASSIC = Figures(
    minimum=104, maximum=1_040_000, step=104, default=520, win_rate="1/13", bank_limit=100_000_000
)
"""RULEBOOK 3: a multiple of 104 pence from £1.04 to £10,400, won back at 1/13 of the stake per card.

The most that one game can win beyond its stake is £31,200, so the bank's limit of £1,000,000 covers at least thirty
open games at the highest stake.
"""

RACE_BETS = Figures(minimum=1, maximum=1_000_000, step=1, default=100, bank_limit=100_000_000)
"""Bets on races and tournaments: whole pence up to £10,000 each; the bank of fixed odds risks £1,000,000 at most."""

BUY_INS = Figures(minimum=100, maximum=100_000, step=10, default=500)
"""Staked tables of Ace Race and Racing Demons: £1 to £1,000 a seat; no bank, for the players play for their own."""

SEEDS = (
    ("vegas-classic", "vegas-solitaire", VEGAS_CLASSIC),
    ("race-bets", "racing-aces", RACE_BETS),
    ("ace-race-table", "ace-race", BUY_INS),
    ("racing-demons-table", "racing-demons", BUY_INS),
)


def stake_tables(*, using: str, apps: Any = installed, **_: Any) -> None:
    try:
        stake_table, terms = (apps.get_model("ledger", name) for name in ("StakeTable", "StakeTerms"))
    except LookupError:
        return
    if terms._meta.db_table not in connections[using].introspection.table_names():
        return
    for slug, rules, figures in SEEDS:
        table, made = stake_table.objects.using(using).get_or_create(
            slug=slug, defaults={"rules": rules, "currency": settings.RACECARD_CURRENCY}
        )
        if made:
            terms.objects.using(using).create(
                table=table,
                number=1,
                **figures.columns(),
                effective_from=BEGINNING,
                asked_at=BEGINNING,
                actor="system:seed",
                reason="What an installation starts with",
            )
