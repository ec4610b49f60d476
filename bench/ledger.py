"""The cost of a posting compared with a bare INSERT, in one run on the configured database."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.db import connection
from django.utils import timezone

from bench._common import size
from ledger import selectors, services
from ledger.models import Account, Transfer

SECONDS = size(2.0, 0.05)
ROUNDS = size(3, 1)


def measure() -> dict[str, Any]:
    """Return durable postings a second of `ledger.services.post`, and committed INSERTs a second into a bare table.

    Needs a separate database, because postings remain. Prints the ratio and the figures.
    """
    accounts = [_account() for _ in range(8)]
    outside = services.account(owner="house", purpose="external", currency="XTS")
    with _bare_table() as bare:
        rates: dict[str, list[float]] = {"bare": [], "post": [], "two legs": []}
        for _ in range(ROUNDS):
            rates["bare"].append(_rate(bare))
            rates["post"].append(_rate(lambda: _post(outside, accounts, legs=1)))
            rates["two legs"].append(_rate(lambda: _post(outside, accounts, legs=2)))
    best = {name: max(found) for name, found in rates.items()}
    began = time.perf_counter()
    differences = sum(1 for _ in selectors.reconcile())
    took = time.perf_counter() - began
    figures = {
        "database": connection.vendor,
        "bare_inserts_per_second": round(best["bare"]),
        "postings_per_second": round(best["post"]),
        "two_leg_postings_per_second": round(best["two legs"]),
        "posting_ratio": round(best["post"] / best["bare"], 2),
        "reconciled_transfers": Transfer.objects.count(),
        "reconcile_seconds": round(took, 3),
        "differences": differences,
    }
    print(f"ledger on {connection.vendor}")
    print(f"  one bare INSERT  {best['bare']:>9,.0f} a second")
    print(
        f"  post, one leg    {best['post']:>9,.0f} a second  {figures['posting_ratio']:.2f} of the bare INSERT"
    )
    print(f"  post, two legs   {best['two legs']:>9,.0f} a second")
    print(f"  reconciliation   {figures['reconciled_transfers']:>9,} transfers in {took:.3f} s")
    return figures


def _account() -> Account:
    return services.account(owner=f"player:{uuid4()}", purpose="cash", currency="XTS")


def _post(outside: Account, accounts: list[Account], *, legs: int) -> None:
    chosen = accounts[time.perf_counter_ns() % len(accounts)]
    made = [services.Leg(outside, chosen, 5, "bench") for _ in range(legs)]
    services.post(key=f"bench:{uuid4()}", legs=made, actor="bench", at=timezone.now())


def _rate(work: Callable[[], None]) -> float:
    count, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < SECONDS:
        work()
        count += 1
    return count / took


class _bare_table:  # noqa: N801
    """A table with the columns of a transfer and a primary key only."""

    def __enter__(self) -> Callable[[], None]:
        identity = "bigint GENERATED ALWAYS AS IDENTITY" if connection.vendor == "postgresql" else "integer"
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE TABLE bench_bare (position {identity} PRIMARY KEY, key text, debit bigint, credit bigint, "
                "currency text, amount bigint, reason text, at timestamp)"
            )
        return self._insert

    def _insert(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO bench_bare (key, debit, credit, currency, amount, reason, at) "
                "VALUES (%s, 1, 2, 'XTS', 5, 'bench', CURRENT_TIMESTAMP)",
                [f"bench:{uuid4()}"],
            )

    def __exit__(self, *_: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE bench_bare")
