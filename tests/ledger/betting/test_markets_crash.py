"""A settlement that crashes at any statement continues from the last commit and pays once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from ledger import services
from ledger.betting import settlements
from ledger.betting.models import Bet, Market, Settlement
from ledger.models import Hold, Transfer
from ledger.selectors import reconcile
from tests.ledger.betting.markets import LATER, bank, bet, close, escrow, money_of, open_fixed, open_pool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]

RULING: dict[str, Any] = {"reason": "photo finish", "actor": "player:adam", "at": LATER}


class Crash(Exception):
    pass


@contextmanager
def crash_after(statements: int) -> Iterator[None]:
    """Crash the process after a number of statements."""
    left = [statements]

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if left[0] == 0 and "SAVEPOINT" not in sql:
            raise Crash
        left[0] -= "SAVEPOINT" not in sql
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield


def crash_everywhere(action: Callable[[], bool], every: int = 1) -> int:
    """Repeat the function until it reports that nothing is left, and crash it first at every statement of each call.

    Crashes only at one statement in `every`. Returns the number of crashes.
    """
    crashes = 0
    while True:
        statements = 0
        while True:
            try:
                with crash_after(statements):
                    more = action()
                break
            except Crash:
                crashes, statements = crashes + 1, statements + every
        if not more:
            return crashes


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settlements, "BETS_SETTLED_AT_ONCE", 0)
    monkeypatch.setattr(settlements, "PAID_AT_ONCE", 2)
    monkeypatch.setattr(settlements, "REVERSED_AT_ONCE", 2)


def betted(kind: str) -> tuple[Market, list[Bet]]:
    bank(1_000)
    market = open_pool(takeout=1_000) if kind == "pool" else open_fixed()
    bets = [bet(market, runner, stake) for runner, stake in zip("HSHS", (60, 40, 30, 70), strict=True)]
    return close(market), bets


def the(market: Market) -> Settlement:
    return Settlement.objects.get(market=market, number=market.settlement)


def gained(bets: list[Bet]) -> list[int]:
    return [money_of(each) - 100_000 for each in bets]


PAID = {
    "pool": {"H": [60, -40, 30, -70], "S": [-60, 25, -30, 45]},
    "fixed": {"H": [180, -40, 90, -70], "S": [-60, 120, -30, 210]},
}


@pytest.mark.usefixtures("in_small_steps")
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", ["pool", "fixed"])
def test_a_settlement_that_crashes_in_every_step_pays_once(kind: str, every: int) -> None:
    market, bets = betted(kind)
    begun = services.settle_market(market=market, winners=["H"], event=9, at=LATER)
    id = the(begun).pk
    assert crash_everywhere(lambda: settlements.step(settlement=id, at=LATER), every) > 20 // every
    assert_settled(begun, bets, kind, "H")

    ruled = services.resettle_market(market=market, winners=["S"], **RULING)
    id = the(ruled).pk
    assert crash_everywhere(lambda: settlements.step(settlement=id, at=LATER), every) > 40 // every
    assert_settled(ruled, bets, kind, "S")


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", ["pool", "fixed"])
def test_a_settlement_in_one_transaction_that_crashes_pays_once(kind: str, every: int) -> None:
    market, bets = betted(kind)

    def settle() -> bool:
        services.settle_market(market=market, winners=["H"], event=9, at=LATER)
        return False

    assert crash_everywhere(settle, every) > 20 // every
    assert_settled(market, bets, kind, "H")

    def rule() -> bool:
        services.resettle_market(market=market, winners=["S"], **RULING)
        return False

    assert crash_everywhere(rule, every) > 30 // every
    assert_settled(market, bets, kind, "S")


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", ["pool", "fixed"])
def test_a_void_that_crashes_refunds_once(kind: str, every: int) -> None:
    market, bets = betted(kind)

    def void() -> bool:
        services.void_market(market=market, reason="fog", at=LATER)
        return False

    assert crash_everywhere(void, every) > 20 // every
    assert (gained(bets), escrow(market)) == ([0] * 4, 0)
    assert Counter(Transfer.objects.filter(subject=market.owner).values_list("reason", flat=True)) == {
        "bet": 4,
        "bet refunded": 4,
    }
    assert list(reconcile()) == []


def assert_settled(market: Market, bets: list[Bet], kind: str, winner: str) -> None:
    market.refresh_from_db()
    assert (market.status, escrow(market)) == ("settled", 0)
    assert gained(bets) == PAID[kind][winner]
    paid = Transfer.objects.filter(subject=market.owner, reason="bet won", reversed_by=None)
    assert paid.count() == 2
    assert not Hold.objects.filter(state="held").exists()
    assert list(reconcile()) == []
