"""What a table had before its terms were dated becomes its first terms, and comes back on the way back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from eventstore import triggers

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE, AFTER = "0050_buy_ins", "0042_stake_terms_alone"
OLD = '"minimum", "maximum", "step", "default", "win_rate", "bank_limit", "open"'


def migrate(*words: str) -> None:
    call_command("migrate", *words, verbosity=0)


def sql(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def earlier() -> Iterator[None]:
    """The database as it was, without what later migrations keep for themselves."""
    with triggers.removed():
        migrate("ledger", BEFORE)
    yield
    migrate()
    # The stakes of this test have no transfers, which the books would not balance with.
    with triggers.removed():
        sql("DELETE FROM ledger_gamestake")


def as_stored(value: object) -> object:
    return value.hex if connection.vendor == "sqlite" and hasattr(value, "hex") else value


def test_forwards_and_back(earlier: None) -> None:
    sql(
        f"INSERT INTO ledger_staketable (slug, rules, currency, {OLD}) "
        "VALUES ('old', 'vegas-solitaire', 'XTS', 208, 2080, 104, 520, '5/52', NULL, %s)",
        False,
    )
    [(table,)] = sql("SELECT id FROM ledger_staketable WHERE slug = 'old'")
    session, player, ended, running = uuid4(), uuid4(), uuid4(), uuid4()
    at = "2026-03-01 12:00:00+00:00" if connection.vendor == "postgresql" else "2026-03-01 12:00:00"
    sql(
        "INSERT INTO ledger_playsession (id, player, currency, key, opened_at, cash_in, cash_out_key) "
        "VALUES (%s, %s, 'XTS', 'k', %s, 1000, '')",
        as_stored(session), as_stored(player), at,
    )  # fmt: skip
    for game, status, winnings, end in ((ended, "settled", 40, at), (running, "open", None, None)):
        sql(
            "INSERT INTO ledger_gamestake (game, session_id, player, stake_table_id, stake, max_win, status, "
            "winnings, summary, staked_at, ended_at) VALUES (%s, %s, %s, %s, 520, 520, %s, %s, '{}', %s, %s)",
            as_stored(game), as_stored(session), as_stored(player), table, status, winnings, at, end,
        )  # fmt: skip

    migrate("ledger", AFTER)
    first = (1, 208, 2080, 104, 520, "5/52", None, False, 0)
    [found] = sql(f"SELECT number, {OLD}, rake FROM ledger_staketerms WHERE table_id = %s", table)
    assert found == first
    assert sql(
        "SELECT count(*) FROM ledger_gamestake s JOIN ledger_staketerms t ON t.id = s.terms_id "
        "WHERE t.table_id = %s AND t.number = 1",
        table,
    ) == [(2,)]
    later = sql(
        "INSERT INTO ledger_staketerms (table_id, number, minimum, maximum, step, \"default\", win_rate, bank_limit, "
        "open, rake, split, effective_from, asked_at, actor, reason) "
        "VALUES (%s, 2, 104, 1040, 104, 520, '1/13', 5000, %s, 0, '[10000]', %s, %s, 'test', 'changed')",
        table, True, at, at,
    )  # fmt: skip
    assert later == []

    migrate("ledger", BEFORE)
    assert sql(f"SELECT {OLD} FROM ledger_staketable WHERE id = %s", table) == [
        (104, 1040, 104, 520, "1/13", 5000, True)
    ]
    assert sql("SELECT count(*) FROM ledger_gamestake WHERE stake_table_id = %s", table) == [(2,)]
    # An earlier release changed its tables in place: nothing of a later one is in its way.
    sql("UPDATE ledger_staketable SET maximum = 2080 WHERE id = %s", table)

    migrate("ledger", AFTER)
    assert sql(
        "SELECT number, maximum FROM ledger_staketerms WHERE table_id = %s ORDER BY number", table
    ) == [(1, 2080)]
