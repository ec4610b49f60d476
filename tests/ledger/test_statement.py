"""Statements: the running balance is correct on every page, and the cost of a page is constant."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Q

from ledger import selectors
from ledger.models import Account, Transfer
from ledger.services import Leg, hold, post
from tests.money import AT, cash, fresh_key, fund

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]


def move(*legs: Leg) -> None:
    for start in range(0, len(legs), 1000):
        post(key=fresh_key(), legs=legs[start : start + 1000], actor="test", at=AT)


def there_and_back(one: Account, other: Account, times: int) -> None:
    move(*[Leg(*pair, 3, "x") for _ in range(times // 2) for pair in ((one, other), (other, one))])


def test_page_balances_agree_with_the_full_sum() -> None:
    chance, one, other = random.Random(3), cash(uuid4()), cash(uuid4())
    fund(one, 5000)
    fund(other, 5000)
    for _ in range(60):
        there, back = (one, other) if chance.random() < 0.5 else (other, one)
        move(Leg(there, back, chance.randrange(1, 90), "x"))
    hold(key="h", account=one, amount=7, subject="", expires_at=None, actor="test", at=AT)
    rows = Transfer.objects.filter(Q(debit=one) | Q(credit=one)).order_by("position")
    changes = [row.amount if row.credit_id == one.pk else -row.amount for row in rows]
    expected = list(zip((row.position for row in rows), changes, accumulate(changes), strict=True))[::-1]
    for limit in (1, 7, 61, 200):
        seen: list[Any] = []
        while page := selectors.statement(one, before=seen[-1].position if seen else None, limit=limit):
            assert len(page) <= limit
            seen += page
        assert [(line.position, line.change, line.balance) for line in seen] == expected


def test_an_account_without_lines_has_an_empty_statement() -> None:
    assert selectors.statement(cash(uuid4())) == []


class Work:
    """Measures what the database reads in a block: rows of transfers on PostgreSQL, instructions on SQLite."""

    done = 0

    def __enter__(self) -> Work:
        if connection.vendor == "sqlite":
            connection.connection.set_progress_handler(self._step, 10)
        else:
            self.done = -self._rows()
        return self

    def __exit__(self, *_: object) -> None:
        if connection.vendor == "sqlite":
            connection.connection.set_progress_handler(None, 10)
        else:
            self.done += self._rows()

    def _step(self) -> int:
        self.done += 1
        return 0

    def _rows(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables "
                "WHERE relname = 'ledger_transfer'"
            )
            return int(cursor.fetchone()[0])


def test_newest_page_has_constant_cost() -> None:
    short, long, other = cash(uuid4()), cash(uuid4()), cash(uuid4())
    for account in (short, long, other):
        fund(account, 1000)
    there_and_back(long, other, 4_000)
    there_and_back(short, other, 200)
    there_and_back(long, other, 200)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ledger_transfer")
        if connection.vendor == "postgresql":
            # The state that autovacuum leaves after rollbacks, or for new accounts.
            cursor.execute(
                "UPDATE pg_class SET reltuples = 0, relpages = 12 WHERE relname = 'ledger_account'"
            )
    with Work() as little:
        lines = selectors.statement(short)
    with Work() as much:
        assert len(selectors.statement(long)) == len(lines) == 50
    assert little.done > 0
    assert much.done < 2 * little.done
