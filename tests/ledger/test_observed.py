"""While four processes post, every committed state has no negative balance, and all accounts add up to zero."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from multiprocessing.synchronize import Event

import pytest
from django.db import connection, connections

from core.transactions import one_moment
from tests.ledger.test_processes import PLAYERS, work
from tests.money import bankroll, cash, fund

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

Sight = tuple[int, int, int, int]


def sight() -> Sight:
    """Read a state: the number of transfers, the sum of all accounts, negative accounts, and unexplained balances."""
    with one_moment(), connection.cursor() as cursor:
        return (
            _one(cursor, "SELECT count(*) FROM ledger_transfer"),
            _one(cursor, "SELECT coalesce(sum(credits - debits), 0) FROM ledger_account"),
            _one(
                cursor,
                "SELECT count(*) FROM ledger_account WHERE credits - debits - held < 0 "
                "AND purpose NOT IN ('external', 'receivable')",
            ),
            _one(
                cursor,
                "SELECT count(*) FROM ledger_account a WHERE credits - debits <> "
                "coalesce((SELECT sum(amount) FROM ledger_transfer WHERE credit_id = a.id), 0) - "
                "coalesce((SELECT sum(amount) FROM ledger_transfer WHERE debit_id = a.id), 0)",
            ),
        )


def _one(cursor: object, sql: str) -> int:
    cursor.execute(sql)  # type: ignore[attr-defined]
    return int(cursor.fetchone()[0])  # type: ignore[attr-defined]


def watch(over: Event, reported: multiprocessing.Queue[tuple[int, set[tuple[int, int, int]], int]]) -> None:
    """Return the number of states read, the distinct results, and the number of states that differed from the last."""
    connections.close_all()
    looked = moved = transfers = 0
    seen = set()
    while not over.is_set():
        count, *rest = sight()
        seen.add(tuple(rest))
        moved += count != transfers
        transfers, looked = count, looked + 1
    connections.close_all()
    reported.put((looked, seen, moved))  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "actions", [60, pytest.param(1000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_invariants_hold_at_every_commit(actions: int) -> None:
    bankroll(20_000)
    for player in PLAYERS:
        fund(cash(player), 3000)
    connections.close_all()
    context = multiprocessing.get_context("fork")
    over, reported = context.Event(), context.Queue()
    results: multiprocessing.Queue[Counter[str]] = context.Queue()
    observer = context.Process(target=watch, args=(over, reported))
    workers = [context.Process(target=work, args=(seed, actions, results)) for seed in range(10, 14)]
    for process in (observer, *workers):
        process.start()
    ended = sum((results.get(timeout=200 + actions) for _ in workers), Counter())
    over.set()
    looked, seen, moved = reported.get(timeout=120)
    for process in (observer, *workers):
        process.join()
    assert ended["done"] > actions / 2
    assert seen == {(0, 0, 0)}
    assert moved > 3, f"of {looked} moments only {moved} were new"
