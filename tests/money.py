"""Test helpers: money for players, and new keys."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings

from ledger import selectors, services
from ledger.hooks import initial_tables
from ledger.models import Account, StakeTable, StakeTerms
from ledger.stakes.terms import Figures

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
CURRENCY: str = settings.RACECARD_CURRENCY


def fresh_key() -> str:
    return f"test:{uuid4()}"


def fund(account: Account, amount: int) -> None:
    """Pay money into an account from outside."""
    outside = services.account(owner="house", purpose="external", currency=account.currency)
    leg = services.Leg(outside, account, amount, "funds of a test")
    services.post(key=fresh_key(), legs=[leg], actor="test", at=AT)


def cash(player: UUID, currency: str = CURRENCY) -> Account:
    """Return the account of a player's cash."""
    return services.account(owner=f"player:{player}", purpose="cash", currency=currency)


def bankroll(amount: int = 1_000_000, slug: str = "vegas-classic", *, at: datetime = AT) -> StakeTable:
    """Return a stake table after adding to its bank."""
    table = selectors.stake_table(slug)
    services.fund_bank(
        stake_table=table, amount=amount, key=fresh_key(), actor="test", reason="bankroll", at=at
    )
    return table


def open_table(
    slug: str = "tried",
    rules: str = "vegas-solitaire",
    *,
    mode: str = "",
    currency: str = CURRENCY,
    at: datetime = AT,
    **figures: Any,
) -> StakeTable:
    """Return a stake table with the figures of the initial one of Vegas Solitaire, except those given."""
    table = StakeTable.objects.create(slug=slug, rules=rules, mode=mode, currency=currency)
    first = {"effective_from": at, "asked_at": at, "actor": "test", "reason": "a table of a test"}
    StakeTerms.objects.create(
        table=table, number=1, **replace(_vegas_figures(), **figures).columns(), **first
    )
    return table


def _vegas_figures() -> Figures:
    return next(table.figures for table in initial_tables() if table.slug == "vegas-classic")


def change(table: StakeTable, at: datetime = AT, **changes: Any) -> StakeTerms:
    """Give a stake table the figures in force at `at`, with changes, from then on."""
    newest = table.terms.order_by("-number").first()
    assert newest is not None
    figures = replace(selectors.terms_at(table, at).figures, **changes)
    return StakeTerms.objects.create(
        table=table,
        number=newest.number + 1,
        **figures.columns(),
        effective_from=at,
        asked_at=max(at, newest.asked_at),
        actor="test",
        reason="changes of a test",
    )


def available(owner: str, purpose: str = "cash", currency: str = CURRENCY) -> int:
    return selectors.balance(owner=owner, purpose=purpose, currency=currency).available
