"""Both databases protect pots against raw SQL."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, transaction

from ledger import selectors
from ledger.stakes.models import BuyIn, Division, Pot
from tests.ledger.raw_sql import changes_refused, refused, rows_are_kept
from tests.ledger.stakes.pots import open_pot, people, settle, sit_down
from tests.money import AT, CURRENCY, cash

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def running() -> Pot:
    pot = open_pot(rake=500)
    sit_down(pot, people(2))
    return pot


@pytest.fixture
def settled() -> Pot:
    pot, players = open_pot(rake=500), people(2)
    sit_down(pot, players)
    return settle(pot, *([player] for player in players))


def test_rows_are_kept(settled: Pot) -> None:
    rows_are_kept(Pot, BuyIn, Division)


POTS = [
    "amount = 100",
    "rake = 0",
    "split = '[5000, 5000]'",
    "subject = 'game:other'",
    "status = 'open', division = 0, ended_at = NULL",
    "status = 'settled', division = division + 1, ended_at = opened_at",
    "status = 'void', division = division + 1, ended_at = opened_at",
    "division = division + 1",
]
BUY_INS = [
    "amount = 1",
    "event = event + 7",
    "player = pot_id",
    "status = 'in', returned = NULL, division = 0, ended_at = NULL",
    "status = 'back', returned = amount, division = 0, ended_at = taken_at",
    "status = 'paid', returned = 5000, division = division + 1, ended_at = taken_at",
    "status = 'refunded', returned = amount, division = division + 1, ended_at = taken_at",
    "status = 'paid', returned = 0, division = 1, ended_at = taken_at",
]


def test_a_running_pot_changes_only_by_legal_steps(running: Pot) -> None:
    changes_refused("ledger_pot", POTS)
    changes_refused("ledger_buyin", [*BUY_INS[:3], *BUY_INS[5:]])


def test_a_decided_pot_cannot_change(settled: Pot) -> None:
    changes_refused("ledger_pot", POTS)
    changes_refused("ledger_buyin", BUY_INS)


def test_divisions_cannot_be_altered(settled: Pot) -> None:
    for change in ("gross = gross", "places = '[]'", "rake = 0"):
        refused(f"UPDATE ledger_division SET {change}")


COLUMNS = "id, pot_id, event, player, purse_id, amount, status, returned, division, taken_at, ended_at"


def test_a_buy_in_must_be_from_its_players_cash_into_an_open_pot(running: Pot, settled: Pot) -> None:
    someone, other = people(2)

    def insert(pot: Pot, player: UUID, purse: int, amount: float = 520, status: str = "in") -> None:
        refused(
            f"INSERT INTO ledger_buyin ({COLUMNS}) VALUES (%s, %s, 77, %s, %s, %s, %s, NULL, 0, %s, NULL)",
            *(uuid4(), pot.pk, player, purse, amount, status, AT),
        )

    insert(settled, someone, cash(someone).pk)
    insert(running, someone, cash(other).pk)
    insert(running, someone, running.escrow_id)
    insert(running, someone, cash(someone, "EUR").pk)
    insert(running, someone, cash(someone).pk, amount=519)
    insert(running, someone, cash(someone).pk, status="paid")
    insert(running, running.buy_ins.all()[0].player, running.buy_ins.all()[0].purse_id)


def test_a_division_must_follow_the_one_before(running: Pot) -> None:
    for number in (0, 2, 3):
        refused(
            "INSERT INTO ledger_division (pot_id, number, void, places, gross, rake, event, reason, actor, at) "
            "VALUES (%s, %s, %s, '[]', 0, 0, NULL, 'x', 'x', %s)",
            *(running.pk, number, True, AT),
        )


def test_a_pot_must_have_the_escrow_of_its_subject(running: Pot) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Pot.objects.create(
            subject="game:other",
            currency=CURRENCY,
            amount=520,
            stake_table=running.stake_table,
            rake=0,
            split=[10_000],
            escrow=cash(uuid4()),
            opened_at=AT,
        )


def test_reconciliation_finds_a_pot_whose_money_is_elsewhere(running: Pot, settled: Pot) -> None:
    """The pot is divided without the triggers, by a valid posting."""
    from ledger import services
    from tests.money import fresh_key

    thief = cash(uuid4())
    legs = [services.Leg(running.escrow, thief, 20, "gone")]
    with transaction.atomic():
        services.post(key=fresh_key(), legs=legs, actor="test", at=AT)
        [found] = selectors.reconcile()
        transaction.set_rollback(True)
    assert (found.account, found.recorded, found.derived) == (running.escrow.text, 1020, 1040)
    assert "pot" in found.what
