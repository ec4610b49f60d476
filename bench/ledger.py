"""The cost of a posting compared with a bare INSERT, in one run on the configured database."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.db import connection
from django.utils import timezone

from bench._common import size
from bench._meters import Pace, spent
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
        paces: dict[str, list[Pace]] = {"bare": [], "post": [], "two legs": []}
        for _ in range(ROUNDS):
            paces["bare"].append(_pace(bare))
            paces["post"].append(_pace(lambda: _post(outside, accounts, legs=1)))
            paces["two legs"].append(_pace(lambda: _post(outside, accounts, legs=2)))
    best = {
        name: Pace(max(each.rate for each in found), min(each.cost for each in found))
        for name, found in paces.items()
    }
    bare_insert, post = best["bare"], best["post"]
    began = time.perf_counter()
    differences = sum(1 for _ in selectors.reconcile())
    took = time.perf_counter() - began
    figures = {
        "database": connection.vendor,
        "bare_inserts_per_second": round(bare_insert.rate),
        "postings_per_second": round(post.rate),
        "two_leg_postings_per_second": round(best["two legs"].rate),
        "posting_ratio": round(post.rate / bare_insert.rate, 2),
        "bare_insert_processor_ms": round(bare_insert.cost, 3),
        "posting_processor_ms": round(post.cost, 3),
        "posting_processor_times": post.times(bare_insert),
        "reconciled_transfers": Transfer.objects.count(),
        "reconcile_seconds": round(took, 3),
        "differences": differences,
    }
    print(f"ledger on {connection.vendor}")
    for title, pace in zip(
        ("one bare INSERT", "post, one leg", "post, two legs"), best.values(), strict=True
    ):
        print(f"  {title:16} {pace.rate:>9,.0f} a second, {pace.cost:.3f} ms of processor time each")
    print(f"  reconciliation   {figures['reconciled_transfers']:>9,} transfers in {took:.3f} s")
    return figures


def _account() -> Account:
    return services.account(owner=f"player:{uuid4()}", purpose="cash", currency="XTS")


def _post(outside: Account, accounts: list[Account], *, legs: int) -> None:
    chosen = accounts[time.perf_counter_ns() % len(accounts)]
    made = [services.Leg(outside, chosen, 5, "bench") for _ in range(legs)]
    services.post(key=f"bench:{uuid4()}", legs=made, actor="bench", at=timezone.now())


def _pace(work: Callable[[], None]) -> Pace:
    before, began, count = spent(), time.perf_counter(), 0
    while (took := time.perf_counter() - began) < SECONDS:
        work()
        count += 1
    return Pace(count / took, 1000 * (spent() - before) / count)


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
