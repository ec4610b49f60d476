"""Resettlement of pots after a ruling: the division is reversed, and the pot is divided again."""

from __future__ import annotations

import pytest

from ledger import selectors, services
from ledger.errors import BadPot, InterestedParty
from ledger.models import Transfer
from ledger.stakes.models import Division, Pot
from tests.ledger.stakes.pots import LATER, in_escrow, money_of, open_pot, people, raked, settle, sit_down
from tests.money import AT, CURRENCY, cash, fresh_key

pytestmark = pytest.mark.django_db


def rule(pot: Pot, *places: list, reason: str = "the score was misread", actor: str = "player:adam") -> Pot:
    return services.resettle_pot(
        subject=pot.subject, places=places or None, reason=reason, actor=actor, at=LATER
    )


def test_a_ruling_for_another_winner_divides_the_pot_again() -> None:
    pot, (ann, bob) = open_pot(rake=500), people(2)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    rule(pot, [bob], [ann])
    assert (money_of([ann, bob]), raked(), in_escrow(pot)) == ([480, 480 + 988], 52, 0)
    assert [(d.number, d.reason, d.places[0]) for d in Division.objects.all()] == [
        (1, "settled", [str(ann)]),
        (2, "the score was misread", [str(bob)]),
    ]


def test_repeated_ruling_moves_nothing() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    rule(pot, [bob], [ann])
    moved = Transfer.objects.count()
    rule(pot, [bob], [ann])
    assert Transfer.objects.count() == moved
    rule(pot, [ann, bob], reason="a draw after all")
    assert (money_of([ann, bob]), in_escrow(pot)) == ([1000, 1000], 0)


def test_voiding_ruling_refunds_the_rake_too() -> None:
    pot, players = open_pot(rake=2000, split=[6000, 4000]), people(3)
    sit_down(pot, players)
    settle(pot, *([player] for player in players))
    rule(pot)
    assert (money_of(players), raked(), in_escrow(pot)) == ([1000] * 3, 0, 0)
    pot.refresh_from_db()
    assert (pot.status, pot.division) == ("void", 2)


def test_a_void_pot_can_be_divided_by_a_ruling() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann, bob])
    services.void_pot(subject=pot.subject, event=9, at=LATER)
    rule(pot, [ann], [bob])
    assert (money_of([ann, bob]), in_escrow(pot)) == ([1520, 480], 0)


def test_spent_winnings_become_a_debt() -> None:
    pot, (ann, bob, eve) = open_pot(), people(3)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    spent = services.Leg(cash(ann), cash(eve), 1500, "spent")
    services.post(key=fresh_key(), legs=[spent], actor="test", at=AT)
    rule(pot, [bob], [ann])
    assert (money_of([ann, bob]), in_escrow(pot)) == ([0, 1520], 0)
    assert selectors.balance(owner=f"player:{ann}", purpose="receivable", currency=CURRENCY).total == -1020


def test_buyer_may_not_rule_on_the_pot() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    with pytest.raises(InterestedParty):
        rule(pot, [bob], [ann], actor=f"player:{bob}")
    assert money_of([ann, bob]) == [1520, 480]


def test_rulings_do_not_change_the_games_transfers() -> None:
    """A bundle lists the transfers of a ruling with the ruling, and not with those of the game (RULEBOOK 8)."""
    pot, (ann, bob) = open_pot(rake=500), people(2)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    own = selectors.transfers_of(pot.subject)
    rule(pot, [bob], [ann])
    rule(pot)
    assert selectors.transfers_of(pot.subject) == own
    assert len(own) == 4


def test_an_impossible_ruling_changes_nothing() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    with pytest.raises(BadPot):
        rule(pot, [bob])
    assert (money_of([ann, bob]), Division.objects.count()) == ([1520, 480], 1)
