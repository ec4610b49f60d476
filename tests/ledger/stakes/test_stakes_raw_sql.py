"""Both databases protect stake tables and their terms against raw SQL."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from ledger import services
from ledger.models import GameStake, PlaySession, StakeTable, StakeTerms
from tests.ledger.raw_sql import changes_refused, refused, replacements_refused, rows_are_kept
from tests.money import AT, change

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_stake_table_cannot_change(vegas: StakeTable) -> None:
    changes = ("slug = 'x'", "rules = 'racing-aces'", "currency = 'USD'", "mode = 'draw=1'", "id = 99")
    changes_refused("ledger_staketable", changes, "slug = 'vegas-classic'")


def test_terms_cannot_be_updated(vegas: StakeTable) -> None:
    changes_refused(
        "ledger_staketerms",
        [
            "maximum = 10400000",
            "win_rate = '1/1'",
            "open = NOT open",
            "effective_from = asked_at",
            "actor = 'x'",
            "reason = 'x'",
            "number = 9",
            "bank_limit = NULL",
        ],
    )


def test_rows_are_kept(vegas: StakeTable) -> None:
    rows_are_kept(StakeTable, StakeTerms)


def written(row: StakeTerms, verb: str = "INSERT", **changes: Any) -> tuple[str, list[Any]]:
    fields = [field for field in StakeTerms._meta.concrete_fields if field.name != "id" or "id" in changes]
    values = {
        connection.ops.quote_name(field.column): (
            changes[field.column]
            if field.column in changes
            else field.get_db_prep_save(
                row.number + 1 if field.name == "number" else getattr(row, field.attname), connection
            )
        )
        for field in fields
    }
    marks = ", ".join(["%s"] * len(values))
    return f"{verb} INTO ledger_staketerms ({', '.join(values)}) VALUES ({marks})", list(values.values())


def test_valid_terms_are_accepted(vegas: StakeTable) -> None:
    sql, values = written(change(vegas, maximum=2080), maximum=3120)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
    assert vegas.terms.latest("number").maximum == 3120


FORGED: list[dict[str, Any]] = [
    {"number": 2},
    {"number": 4},
    {"table_id": 10**6},
    {"minimum": 0},
    {"minimum": -104},
    {"minimum": 105},
    {"maximum": 2081},
    {"maximum": 10**11 + 40},
    {"default": 2184},
    {"step": 0},
    {"rake": 10_000},
    {"rake": -1},
    {"bank_limit": -1},
    {"split": "[9999]"},
    {"split": "[5000, 5000, 0]"},
    {"split": "[-5000, 15000]"},
    {"split": '["10000"]'},
    {"split": '{"a": 10000}'},
    {"split": "[]"},
    {"split": "winner"},
    {"actor": ""},
    {"reason": ""},
    {"effective_from": "2026-02-28 12:00:00"},
    {"asked_at": "2026-02-28 12:00:00", "effective_from": "2026-02-28 12:00:00"},
    {"open": None},
]
NO_INTEGERS: list[dict[str, Any]] = [{"minimum": 104.5}, {"bank_limit": "much"}, {"number": "3x"}]


def test_forged_terms_are_refused(vegas: StakeTable) -> None:
    newest = change(vegas, maximum=2080)
    for forged in FORGED if connection.vendor == "postgresql" else FORGED + NO_INTEGERS:
        sql, values = written(newest, **forged)
        refused(sql, *values)


@pytest.mark.sqlite
def test_rows_cannot_be_replaced(vegas: StakeTable) -> None:
    newest = change(vegas, maximum=2080)
    for same in ({"id": newest.pk}, {"number": 2}, {"number": 1}):
        sql, values = written(newest, "REPLACE", maximum=3120, **same)
        replacements_refused(sql, *values)
    table = "REPLACE INTO ledger_staketable (slug, rules, mode, currency) VALUES (%s, %s, %s, %s)"
    replacements_refused(table, "vegas-classic", "racing-aces", "", "XTS")


@pytest.fixture
def dealt(cashed_in: PlaySession, vegas: StakeTable) -> GameStake:
    return services.take_stake(
        session=cashed_in, game=uuid4(), stake=520, max_win=2080, stake_table=vegas, event=3, at=AT
    )


def test_the_terms_of_a_stake_cannot_change(dealt: GameStake, vegas: StakeTable) -> None:
    newer = change(vegas, maximum=2080)
    for sets, value in (("terms_id", newer.pk), ("stake", 104), ("max_win", 10**9), ("staked_at", None)):
        refused(f"UPDATE ledger_gamestake SET {sets} = %s", value)


def test_a_stake_must_have_the_terms_in_force(dealt: GameStake, vegas: StakeTable) -> None:
    services.settle_stake(game=dealt.game, winnings=0, event=9, at=AT)
    announced = change(vegas, AT + timedelta(days=1), maximum=2080)
    fields = {field.attname: getattr(dealt, field.attname) for field in GameStake._meta.concrete_fields} | {
        "game": uuid4(),
        "status": "open",
        "winnings": None,
        "ended_at": None,
        "reserve_id": None,
    }
    race = StakeTable.objects.get(slug="race-bets").terms.get()
    for forged in (
        {"terms_id": announced.pk},
        {"terms_id": race.pk},
        {"stake": 521},
        {"stake": 1_040_104},
        {"terms_id": dealt.terms_id, "staked_at": AT + timedelta(days=1)},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            GameStake(**{**fields, **forged}).save(force_insert=True)
    with transaction.atomic():
        GameStake(**fields).save(force_insert=True)
        transaction.set_rollback(True)
