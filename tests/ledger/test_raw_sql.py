"""Both databases protect the ledger against raw SQL."""

from __future__ import annotations

import sqlite3
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from ledger import selectors, services
from ledger.models import Account, GameStake, Hold, PlaySession, StakeTable, Transfer
from ledger.services import Leg, Posting
from tests.ledger.raw_sql import changes_refused, refused, replacements_refused, rows_are_kept
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def paid() -> Posting:
    """Pay 700 pence to a player and 300 to another."""
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    return services.post(key=fresh_key(), legs=[Leg(rich, poor, 300, "paid")], actor="test", at=AT)


@pytest.fixture
def held(paid: Posting) -> Hold:
    return services.hold(
        key=fresh_key(),
        account=paid.transfers[0].debit,
        amount=200,
        subject="",
        expires_at=None,
        actor="t",
        at=AT,
    )


def forged(row: Transfer, **changes: Any) -> tuple[str, list[Any]]:
    """Return an INSERT of a new transfer like `row`, with these changes."""
    fields = [
        field for field in Transfer._meta.concrete_fields if field.name not in ("position", "xact", *changes)
    ]
    fresh = {"uuid": uuid4(), "key": fresh_key(), "posting": uuid4()}
    values = {
        field.column: field.get_db_prep_save(fresh.get(field.name, getattr(row, field.attname)), connection)
        for field in fields
    }
    values |= changes
    marks = ", ".join(["%s"] * len(values))
    return f"INTO ledger_transfer ({', '.join(values)}) VALUES ({marks})", list(values.values())


def insert(row: Transfer, **changes: Any) -> None:
    sql, values = forged(row, **changes)
    refused(f"INSERT {sql}", *values)


def test_a_valid_insert_changes_the_balances(paid: Posting) -> None:
    (row,) = paid.transfers
    sql, values = forged(row)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT {sql}", values)
    assert Account.objects.get(pk=row.credit_id).total == 600


def test_a_transfer_cannot_be_changed(paid: Posting) -> None:
    changes = (
        "amount = amount + 1",
        "reason = 'x'",
        "debit_id = credit_id",
        "key = 'x'",
        "fingerprint = 'x'",
    )
    changes_refused("ledger_transfer", (*changes, "at = NULL"), f"position = {paid.transfers[0].position}")


def test_rows_are_kept(held: Hold, cashed_in: PlaySession, vegas: StakeTable) -> None:
    services.take_stake(
        session=cashed_in, game=uuid4(), stake=104, max_win=416, stake_table=vegas, event=3, at=AT
    )
    rows_are_kept(Transfer, Account, Hold, PlaySession, GameStake)


@pytest.mark.sqlite
def test_a_transfer_cannot_be_replaced(paid: Posting) -> None:
    (row,) = paid.transfers
    for same in ({"position": row.position}, {"uuid": row.uuid.hex}, {"key": row.key, "leg": row.leg}):
        sql, values = forged(row, **same, amount=1)
        replacements_refused(f"REPLACE {sql}", *values)


@pytest.mark.sqlite
def test_an_account_cannot_be_replaced_by_an_empty_one(held: Hold) -> None:
    replacements_refused(
        "REPLACE INTO ledger_account (id, kind, key, purpose, currency, debits, credits, held, applied, min_balance) "
        "SELECT id, kind, key, purpose, currency, 0, 0, 0, 0, min_balance FROM ledger_account"
    )


def test_the_accounts_of_a_transfer_must_differ(paid: Posting) -> None:
    (row,) = paid.transfers
    insert(row, credit_id=row.debit_id)


def test_an_amount_must_be_a_positive_bounded_integer(paid: Posting) -> None:
    # PostgreSQL rounds a fraction to an integer before the check.
    own = (0.5, 1e30) if connection.vendor == "sqlite" else (0.4, 10**30)
    for amount in (0, -300, 10**11 + 1, "x", None, *own):
        insert(paid.transfers[0], amount=amount)


def test_currencies_are_not_mixed(paid: Posting) -> None:
    (row,) = paid.transfers
    euros = cash(uuid4(), "EUR")
    insert(row, credit_id=euros.pk)
    insert(row, debit_id=euros.pk)
    insert(row, currency="EUR")


def test_a_transfer_must_have_accounts(paid: Posting) -> None:
    insert(paid.transfers[0], credit_id=10**9)
    insert(paid.transfers[0], debit_id=None)


def test_overdrafts_are_refused(paid: Posting, held: Hold) -> None:
    insert(paid.transfers[0], amount=701)
    insert(paid.transfers[0], amount=501)


def test_a_reversal_must_mirror_its_transfer_and_be_unique(paid: Posting) -> None:
    (row,) = paid.transfers
    mirror = {"debit_id": row.credit_id, "credit_id": row.debit_id, "reverses_id": row.position}
    insert(row, **{**mirror, "amount": 299})
    insert(row, reverses_id=row.position)
    services.reverse(transfer=row.uuid, key=fresh_key(), actor="test", reason="mistake", at=AT)
    insert(row, **mirror)
    reversal = Transfer.objects.get(reverses=row)
    insert(row, reverses_id=reversal.position)


def test_a_forged_account_is_refused(paid: Posting, held: Hold) -> None:
    changes_refused(
        "ledger_account",
        [
            "credits = credits + 1",
            "debits = 0",
            "credits = credits + 300, applied = applied + 1",
            "applied = applied - 1",
            "held = held + 1",
            "held = 0",
            "min_balance = -1000000",
            "min_balance = NULL",
            "currency = 'EUR'",
            "key = 'another'",
        ],
        f"id = {paid.transfers[0].debit_id}",
    )


def test_the_newest_transfer_cannot_be_applied_twice(paid: Posting) -> None:
    refused(
        "UPDATE ledger_account SET credits = credits + 300, applied = %s WHERE id = %s",
        paid.transfers[0].position,
        paid.transfers[0].credit_id,
    )


def test_a_new_account_must_be_empty() -> None:
    for column in ("debits", "credits", "held", "applied"):
        row = {"debits": 0, "credits": 0, "held": 0, "applied": 0, column: 5}
        refused(
            f"INSERT INTO ledger_account (kind, key, purpose, currency, {', '.join(row)}, min_balance) "
            "VALUES ('player', 'x', 'cash', 'XTS', %s, %s, %s, %s, 0)",
            *row.values(),
        )


def test_an_account_cannot_be_changed_or_removed(paid: Posting) -> None:
    unused = cash(uuid4())
    refused("DELETE FROM ledger_account WHERE id = %s", unused.pk)
    refused("DELETE FROM ledger_account WHERE id = %s", paid.transfers[0].debit_id)


def test_a_hold_can_only_be_resolved(held: Hold) -> None:
    changes_refused(
        "ledger_hold",
        [
            "amount = 1",
            "state = 'released'",
            "state = 'captured', resolved_at = at",
            "state = 'stolen', resolved_at = at",
            "amount = 1, state = 'released', resolved_at = at",
        ],
    )


def test_a_hold_can_be_resolved_once(held: Hold) -> None:
    services.release(hold=held.pk, actor="test", at=AT)
    refused("UPDATE ledger_hold SET state = 'held', resolved_at = NULL WHERE id = %s", held.pk)
    refused("UPDATE ledger_hold SET state = 'expired' WHERE id = %s", held.pk)


def test_a_hold_above_the_balance_is_refused(held: Hold) -> None:
    columns = "fingerprint, account_id, subject, actor, at, state, resolved_by"
    for amount in (501, -1, 0):
        refused(
            f"INSERT INTO ledger_hold (id, key, amount, {columns}) "
            f"SELECT %s, %s, %s, {columns} FROM ledger_hold WHERE id = %s",
            uuid4(),
            fresh_key(),
            amount,
            held.pk,
        )


def test_ended_rows_cannot_change(cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = uuid4()
    services.take_stake(
        session=cashed_in, game=game, stake=104, max_win=416, stake_table=vegas, event=3, at=AT
    )
    services.settle_stake(game=game, winnings=8, event=9, at=AT)
    refused("UPDATE ledger_gamestake SET winnings = 416 WHERE game = %s", game)
    services.cash_out(session=cashed_in, key="out", at=AT)
    refused("UPDATE ledger_playsession SET cash_out = 1 WHERE id = %s", cashed_in.pk)


@pytest.mark.postgres
def test_a_transfer_has_the_id_of_its_transaction(paid: Posting) -> None:
    insert(paid.transfers[0], xact=1)


def test_an_overdrawn_balance_is_refused_to_the_orm_too(paid: Posting) -> None:
    owner = paid.transfers[0].debit.owner
    account = paid.transfers[0].debit
    account.credits += 1
    with pytest.raises(IntegrityError), transaction.atomic():
        account.save()
    assert available(owner) == 700


@pytest.mark.sqlite
def test_a_connection_without_django_is_refused_too(paid: Posting) -> None:
    """The connection has none of the project's PRAGMAs and none of Django's functions."""
    names = (
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND (tbl_name LIKE 'ledger_%%' AND type <> 'index' "
        "OR tbl_name = 'accounts_player' AND type = 'table')"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"{names} ORDER BY type = 'trigger'")
        schema = [sql for (sql,) in cursor.fetchall()]
    plain = sqlite3.connect(":memory:")
    for sql in schema:
        plain.execute(sql)
    account = "INSERT INTO ledger_account (id, kind, key, purpose, currency, debits, credits, held, applied"
    plain.execute(f"{account}) VALUES (1, 'house', '', 'external', 'XTS', 0, 0, 0, 0)")
    plain.execute(f"{account}, min_balance) VALUES (2, 'player', 'x', 'cash', 'XTS', 0, 0, 0, 0, 0)")
    transfer = (
        "INSERT INTO ledger_transfer (position, uuid, posting, key, leg, fingerprint, debit_id, credit_id, currency, "
        "amount, reason, subject, actor, at, epoch) VALUES (1, 'u', 'p', 'k', 0, 'f', ?, ?, ?, 5, 'r', '', 'a', 't', 0)"
    )
    plain.execute(transfer, (1, 2, "XTS"))
    for sql, values in [
        (transfer.replace("INSERT", "REPLACE"), (1, 2, "XTS")),
        (transfer.replace("VALUES (1, 'u', 'p', 'k'", "VALUES (2, 'v', 'p', 'l'"), (2, 1, "EUR")),
        ("UPDATE ledger_account SET credits = 6 WHERE id = ?", (2,)),
        ("DELETE FROM ledger_transfer WHERE position = ?", (1,)),
    ]:
        with pytest.raises(sqlite3.IntegrityError):
            plain.execute(sql, values)
    assert plain.execute("SELECT credits FROM ledger_account WHERE id = 2").fetchone() == (5,)
    plain.close()


def test_all_accounts_together_are_zero(paid: Posting) -> None:
    balance = selectors.trial_balance(CURRENCY)
    assert balance.total == 0
    assert {(row["kind"], row["purpose"]): row["balance"] for row in balance.rows} == {
        ("house", "external"): -1000,
        ("player", "cash"): 1000,
    }
