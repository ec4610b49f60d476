"""`manage.py reconcile` reports that all is correct, what was not checked, or each difference with its place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from eventstore.audits import Scope
from ledger import selectors, services
from ledger.models import GameStake, Hold, PlaySession, StakeTable, Transfer
from ledger.reconciliation.books import CHECKS, PASSES
from ledger.reconciliation.derivations import check_subjects
from ledger.reconciliation.models import Difference, Reconciliation
from ledger.reconciliation.services import pieces, reconcile_all, reconcile_part
from ledger.reports import flows, rollups
from tests.conftest import Client
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bank, bet, bettor, close, open_fixed, open_pool, settle
from tests.money import AT, CURRENCY, cash, fund
from tests.tampering import table_of, tamper

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]

Api = Callable[[Player | None], Client]


class Undone(Exception):
    pass


def found_after(sql: str, *values: Any) -> list[Difference]:
    """Return the differences after a forgery without triggers, constraints, and foreign keys, and undo it."""
    try:
        with transaction.atomic():
            if connection.vendor == "sqlite":
                with connection.cursor() as cursor:
                    cursor.execute("PRAGMA ignore_check_constraints = ON")
            else:
                table = table_of(sql)
                with connection.cursor() as cursor:
                    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                    for name in constraints(table):
                        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name} CASCADE")
            tamper(sql, *values)
            found = reconcile_all().differences
            raise Undone
    except Undone:
        return found
    finally:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA ignore_check_constraints = OFF")


def constraints(table: str) -> list[str]:
    """Return the check constraints and foreign keys, which a forger must bypass."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype IN ('c', 'f')",
            [table],
        )
        return [row[0] for row in cursor.fetchall()]


def stored(value: Any) -> Any:
    return value.hex if connection.vendor == "sqlite" else value


@pytest.fixture
def books(cashed_in: PlaySession, vegas: StakeTable, player: Player) -> Transfer:
    """Make rows of every kind, and return a payment of 30 pence from the player's cash, the second of two legs."""
    other = cash(uuid4())
    legs = [services.Leg(cash(player.pk), other, 20, "a"), services.Leg(cash(player.pk), other, 30, "b")]
    paid = services.post(key="paid", legs=legs, actor="test", at=AT)
    back = services.post(
        key="wrong", legs=[services.Leg(cash(player.pk), other, 7, "c")], actor="test", at=AT
    )
    services.reverse(transfer=back.transfers[0].uuid, key="back", actor="test", reason="d", at=AT)
    held = services.hold(
        key="held", account=cash(player.pk), amount=300, subject="", expires_at=None, actor="test", at=AT
    )
    services.hold(
        key="still", account=cash(player.pk), amount=40, subject="", expires_at=None, actor="test", at=AT
    )
    services.capture(hold=held.pk, credit=other, key="captured", reason="e", actor="test", at=AT, amount=250)
    return paid.transfers[1]


def test_a_correct_ledger_is_reported_as_such(books: Transfer) -> None:
    out = StringIO()
    call_command("reconcile", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[-1] == "Every balance follows from the transfers, and every transfer from an event."
    total = next(line for line in lines if line.startswith("total"))
    assert total.endswith(" 0.00 play money")


def test_report_counts_checked_and_unchecked_rows(books: Transfer) -> None:
    report = reconcile_all()
    assert report.ok
    counted = {each.what: each.number for each in report.checked}
    assert counted["debits"] == counted["credits"] > 4
    assert counted["the currency of both sides"] == Transfer.objects.count()
    assert counted["the leg before it in its posting"] == 1
    assert counted["what it reverses"] == 1
    assert counted["what a captured hold paid"] == 1
    assert counted["the money of play sessions"] == 1
    conditions = {each.what for one in PASSES for each in one.conditions}
    assert set(counted) >= {check.what for check in CHECKS} | conditions
    (unexplained,) = report.not_checked
    assert unexplained.number == Transfer.objects.filter(subject="").count()
    assert "without a subject" in unexplained.why


def test_the_pieces_of_an_audit_check_what_a_reconciliation_checks(books: Transfer) -> None:
    whole = reconcile_all()
    parts = [reconcile_part(*piece.arguments) for piece in pieces(Scope(None, None, [], []))]
    assert len(parts) > 4
    assert {each.what: each.number for part in parts for each in part.checked} == {
        each.what: each.number for each in whole.checked
    }
    assert sum(len(part.checked) for part in parts) == len(whole.checked)


def test_the_rollups_are_compared_by_statements_that_read_the_transfers_once(books: Transfer) -> None:
    """They are the slowest pieces of the verification after a restore."""
    for name, derive in (("flows", flows.cells), ("players", flows.stakers)):
        derived, _ = derive(flows.Span(None), rollups.time_zone())
        with CaptureQueriesContext(connection) as sent:
            reconcile_part(name)
        # On PostgreSQL one more statement reads the days on which there are transfers.
        statements = [query["sql"] for query in sent if not query["sql"].startswith("SELECT DISTINCT (t.at ")]
        reads = sum(statement.count("FROM ledger_transfer t ") for statement in statements)
        assert reads == derived.count("FROM ledger_transfer t ") > 0


def test_empty_ledger_differs_from_an_unchecked_one() -> None:
    report = reconcile_all()
    assert report.count == 0
    assert all(each.number == 0 for each in report.checked if each.of == "transfers")


def test_a_difference_is_named_and_fails_the_command() -> None:
    account = cash(uuid4())
    fund(account, 1000)
    reported = StringIO()
    with transaction.atomic():
        tamper("UPDATE ledger_account SET credits = 1234 WHERE id = %s", account.pk)
        with pytest.raises(CommandError, match="2 differences"):
            call_command("reconcile", stdout=StringIO(), stderr=reported)
        assert Reconciliation.objects.get().differences == 2
        transaction.set_rollback(True)
    assert f"{account.text} {CURRENCY}: credits is 1234, but should be 1000" in reported.getvalue()
    assert f"all accounts {CURRENCY}: the total is 234, but should be 0" in reported.getvalue()


FORGERIES = {
    "debits": "UPDATE ledger_account SET debits = debits - 1 WHERE id = {debit}",
    "credits": "UPDATE ledger_account SET credits = credits + 1 WHERE id = {debit}",
    "held": "UPDATE ledger_account SET held = 0 WHERE id = {debit}",
    "the least balance": "UPDATE ledger_account SET min_balance = -100 WHERE id = {debit}",
    "what is available": "UPDATE ledger_account SET held = 10000 WHERE id = {debit}",
    "the total": "UPDATE ledger_account SET credits = credits + 1 WHERE id = {debit}",
    "the currency of both sides": "UPDATE ledger_transfer SET currency = 'EUR' WHERE position = {position}",
    "the amount": "UPDATE ledger_transfer SET amount = -30 WHERE position = {position}",
    "the amount ": "UPDATE ledger_transfer SET amount = 0 WHERE position = {position}",
    "the number of accounts": "UPDATE ledger_transfer SET credit_id = debit_id WHERE position = {position}",
    "the leg before it in its posting": "DELETE FROM ledger_transfer WHERE key = 'paid' AND leg = 0",
    "the currency of both sides ": "UPDATE ledger_transfer SET debit_id = 999999 WHERE position = {position}",
    "what it reverses": "UPDATE ledger_transfer SET amount = 8 WHERE reverses_id IS NOT NULL",
    "what a captured hold paid": "DELETE FROM ledger_transfer WHERE key = 'captured'",
    "the money of play sessions": "UPDATE ledger_playsession SET cash_in = 1999",
}


def test_every_kind_of_forgery_is_found(books: Transfer, subtests: pytest.Subtests) -> None:
    for what, forgery in FORGERIES.items():
        with subtests.test(what):
            found = found_after(forgery.format(debit=books.debit_id, position=books.position))
            assert what.strip() in {each.what for each in found}, [str(each) for each in found]


def test_another_fingerprint_on_a_later_leg_is_found(books: Transfer) -> None:
    found = found_after(f"UPDATE ledger_transfer SET fingerprint = 'x' WHERE position = {books.position}")
    assert [(each.what, each.recorded) for each in found] == [
        ("the leg before it in its posting", "of another posting")
    ]


def test_transfer_of_an_unknown_subject_is_reported(books: Transfer, player: Player) -> None:
    fake = f"session:{uuid4()}"
    legs = [
        services.Leg(
            cash(player.pk), services.account(owner="house", purpose="rake", currency=CURRENCY), 9, "x"
        )
    ]
    with transaction.atomic():
        services.post(key="fake", legs=legs, subject=fake, actor="test", at=AT)
        (difference,) = reconcile_all().differences
        transaction.set_rollback(True)
    assert (difference.what, difference.subject, difference.recorded) == (
        "transfers without an explanation",
        fake,
        9,
    )


def test_an_escrow_that_was_not_emptied_is_found(cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = uuid4()
    services.take_stake(
        session=cashed_in, game=game, stake=104, max_win=416, stake_table=vegas, event=3, at=AT
    )
    assert list(selectors.reconcile()) == []
    services.settle_stake(game=game, winnings=0, event=9, at=AT)
    with transaction.atomic():
        fund(services.account(owner=f"game:{game}", purpose="escrow", currency=CURRENCY), 7)
        (difference,) = selectors.reconcile()
        transaction.set_rollback(True)
    assert (difference.what, difference.account, difference.recorded) == (
        "the escrow of an ended game",
        f"game:{game}/escrow",
        7,
    )


def test_early_released_reserve_is_reported(cashed_in: PlaySession, vegas: StakeTable) -> None:
    staked = services.take_stake(
        session=cashed_in, game=uuid4(), stake=104, max_win=416, stake_table=vegas, event=3, at=AT
    )
    with transaction.atomic():
        services.release(hold=GameStake.objects.get(game=staked.game).reserve_id, actor="test", at=AT)
        (difference,) = selectors.reconcile()
        transaction.set_rollback(True)
    assert (difference.what, difference.recorded, difference.derived) == (
        "what the bank holds for a game",
        0,
        312,
    )


def test_pool_settlement_is_recomputed(subtests: pytest.Subtests) -> None:
    pool = open_pool(takeout=1000)
    for runner, stake in (("H", 100), ("H", 57), ("S", 333)):
        bet(pool, runner, stake, bettor())
    settle(close(pool), "H")
    assert list(check_subjects_differing()) == []
    for change, what in (
        (
            "UPDATE ledger_bet SET stake = stake + 1, returned = returned + 1 WHERE number = 1",
            "the money of markets",
        ),
        ("UPDATE ledger_bet SET placed_at = '2031-01-01' WHERE number = 1", None),
        ("UPDATE ledger_settlement SET takeout = takeout + 5, paid = paid - 5", "takeout of settlement 1"),
        ("UPDATE ledger_settlement SET winners = '[\"S\"]'", "the money of markets"),
        ("UPDATE ledger_transfer SET amount = amount + 1 WHERE reason = 'bet won'", "the money of markets"),
        ("UPDATE ledger_market SET takeout = 900", "takeout of settlement 1"),
    ):
        with subtests.test(change):
            found = {each.what for each in found_after(change)}
            assert (what in found) if what else found == set(), found


def test_fixed_odds_settlement_is_recomputed(player: Player) -> None:
    bank(100_000)
    market = open_fixed()
    bet(market, "H", 100, bettor())
    settle(close(market), "H")
    assert list(check_subjects_differing()) == []
    found = found_after("UPDATE ledger_bet SET price = '9/1'")
    assert {"bank of settlement 1", "the money of markets"} <= {each.what for each in found}


def test_unexplained_market_money_is_reported(player: Player) -> None:
    """Money in escrow, on runners, or held by the bank, while the market has bets."""
    bank(100_000)
    market = open_fixed()
    bet(market, "H", 100, bettor())
    assert list(selectors.reconcile()) == []
    for forgery, what in (
        ("UPDATE ledger_bet SET stake = stake + 1", "the escrow of a market"),
        (
            "UPDATE ledger_runner SET stakes = stakes + 1 WHERE name = 'H'",
            "what is staked on the runners of a market",
        ),
        (
            "UPDATE ledger_runner SET returns = returns + 1 WHERE name = 'H'",
            "what the bank holds for a market",
        ),
    ):
        [found] = [each for each in found_after(forgery) if each.what == what]
        assert found.subject == market.subject


def check_subjects_differing() -> list[Difference]:
    return [each for each in check_subjects() if isinstance(each, Difference)]


def test_the_rows_of_a_trial_balance_do_not_grow_with_the_ledger() -> None:
    account = cash(uuid4())
    for _ in range(3):
        fund(account, 10)
    few = len(selectors.trial_balance(CURRENCY).rows)
    for _ in range(30):
        fund(cash(uuid4()), 10)
    assert len(selectors.trial_balance(CURRENCY).rows) == few


# --- stored reports ------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_reconciliation_runs_every_day_and_its_report_is_stored(
    api: Api, auditor: Player, books: Transfer
) -> None:
    from jobs.services import arm_recurring

    arm_recurring(now=AT)
    run_due(AT)
    run_due(AT + timedelta(hours=23))
    assert Reconciliation.objects.count() == 1
    run_due(AT + timedelta(hours=24))
    newest, oldest = api(auditor).get("/api/v1/reconciliations/").json()["results"]
    assert newest["at"] > oldest["at"]
    assert newest["differences"] == 0
    assert newest["report"]["differences"] == []
    assert {each["what"] for each in newest["report"]["checked"]} >= {"debits", "the money of play sessions"}


def test_a_report_lists_its_differences_over_rest(api: Api, administrator: Player, books: Transfer) -> None:
    try:
        with transaction.atomic():
            tamper(f"UPDATE ledger_account SET credits = credits + 1 WHERE id = {books.debit_id}")
            with pytest.raises(CommandError):
                call_command("reconcile", stdout=StringIO(), stderr=StringIO())
            [reported] = api(administrator).get("/api/v1/reconciliations/").json()["results"]
            raise Undone
    except Undone:
        pass
    assert reported["differences"] == 2
    assert {each["account"] for each in reported["report"]["differences"]} == {
        books.debit.text,
        "all accounts",
    }


def test_a_report_cannot_be_altered() -> None:
    call_command("reconcile", stdout=StringIO())
    for attack in ("UPDATE ledger_reconciliation SET differences = 0", "DELETE FROM ledger_reconciliation"):
        with (
            pytest.raises(Exception, match="append-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(attack)
    assert Hold.objects.count() == 0
    assert Reconciliation.objects.count() == 1
