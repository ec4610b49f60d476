"""A prize above the limit waits on the player's `payable` account until it is approved."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import override_settings

from ledger import services
from ledger.errors import NotReinstated, NotReversible, OwnPayout, UnknownPayout
from ledger.models import Account, Transfer
from ledger.payouts.models import Payout
from tests.ledger.payouts.cast import ADAM, BEA, LATER, money_of, prize, steps
from tests.money import available, fresh_key

pytestmark = pytest.mark.django_db


def waiting(payout: Payout) -> int:
    return available(payout.payee, "payable")


def test_an_approved_prize_becomes_cash() -> None:
    payout = prize(900)
    account = Account.objects.get(pk=payout.account_id)
    assert (money_of(payout.player), account.total, waiting(payout)) == (0, 900, 0)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    payout = Payout.objects.get(pk=payout.pk)
    assert (payout.state, money_of(payout.player), payout.account.total) == ("paid", 900, 0)
    assert steps(payout) == [">requested", "requested>approved", "approved>paid"]


def test_the_winner_cannot_approve_the_prize() -> None:
    payout = prize(5)
    with pytest.raises(OwnPayout):
        services.approve_payout(payout=payout.pk, actor=payout.payee, at=LATER)


def test_the_winner_cannot_cancel_the_prize() -> None:
    payout = prize()
    with pytest.raises(UnknownPayout):
        services.cancel_withdrawal(payout=payout.pk, player=payout.player, at=LATER)


def test_rejected_prize_is_reinstated_with_two_approvals() -> None:
    payout = prize(900)
    services.reject_payout(payout=payout.pk, actor=ADAM, reason="collusion", at=LATER)
    assert (available("house", "payable"), waiting(payout), money_of(payout.player)) == (900, 0, 0)
    again = services.reinstate_prize(payout=payout.pk, actor=ADAM, reason="cleared", at=LATER)
    assert (again.state, again.origin, again.subject) == ("requested", payout, payout.subject)
    assert available("house", "payable") == 0
    with pytest.raises(OwnPayout):
        services.approve_payout(payout=again.pk, actor=ADAM, at=LATER)
    services.approve_payout(payout=again.pk, actor=BEA, at=LATER)
    assert money_of(payout.player) == 900
    for twice in (payout, again):
        with pytest.raises(NotReinstated):
            services.reinstate_prize(payout=twice.pk, actor=ADAM, reason="once more", at=LATER)


def test_the_winner_cannot_reinstate_the_prize() -> None:
    payout = prize(900)
    services.reject_payout(payout=payout.pk, actor=ADAM, reason="collusion", at=LATER)
    with pytest.raises(OwnPayout):
        services.reinstate_prize(payout=payout.pk, actor=payout.payee, reason="mine", at=LATER)


@pytest.mark.parametrize("action", ["approve", "reject"])
def test_the_transfers_of_a_waiting_prize_cannot_be_reversed_manually(action: str) -> None:
    payout = prize(900)
    more = {} if action == "approve" else {"reason": "collusion"}
    getattr(services, f"{action}_payout")(payout=payout.pk, actor=ADAM, at=LATER, **more)
    line = Transfer.objects.get(subject=payout.ledger_subject)
    with pytest.raises(NotReversible):
        services.reverse(transfer=line.uuid, key=fresh_key(), actor=ADAM, reason="x", at=LATER)


def test_a_repeated_key_is_one_prize() -> None:
    winner = uuid4()
    first = prize(900, winner, key="k")
    assert prize(900, winner, key="k") == first
    assert Payout.objects.count() == 1


def test_the_setting_determines_which_prizes_wait() -> None:
    assert not services.prize_needs_approval(10**11)
    with override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=900):
        assert not services.prize_needs_approval(900)
        assert services.prize_needs_approval(901)
