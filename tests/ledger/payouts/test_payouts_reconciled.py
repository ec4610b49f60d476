"""Reconciliation derives the money of payouts from their decisions and reports differences."""

from __future__ import annotations

import pytest
from django.db import transaction

from ledger import services
from ledger.models import Transfer
from ledger.payouts.batches import file_checksum
from ledger.reconciliation.services import reconcile_all
from ledger.services import Leg
from tests.ledger.payouts.cast import ADAM, BEA, LATER, approved, ask, batch, prize, rich
from tests.money import CURRENCY, cash, fresh_key

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def differences() -> list[str]:
    return [str(one) for one in reconcile_all().differences if "payout" in str(one) or "held for" in str(one)]


def test_payouts_in_every_state_add_up() -> None:
    ask()
    for won in (prize(100), prize(200), prize(300)):
        services.reject_payout(payout=won.pk, actor=ADAM, reason="collusion", at=LATER)
    services.reinstate_prize(payout=won.pk, actor=ADAM, reason="cleared", at=LATER)
    services.approve_payout(payout=prize(400).pk, actor=ADAM, at=LATER)
    single, back = approved(), approved()
    for one in (single, back):
        services.pay_payout(payout=one.pk, actor=ADAM, at=LATER)
    line = Transfer.objects.get(subject=back.ledger_subject)
    services.reverse(transfer=line.uuid, key=fresh_key(), actor=ADAM, reason="came back", at=LATER)
    made = batch(approved(), approved())
    services.pay_batch(batch=made.pk, checksum=file_checksum(made), actor=BEA, at=LATER)
    assert differences() == []


def test_a_batch_with_two_withdrawals_of_one_player_adds_up() -> None:
    player = rich()
    made = batch(approved(300, player), approved(200, player), approved(100))
    services.pay_batch(batch=made.pk, checksum=file_checksum(made), actor=BEA, at=LATER)
    assert [str(one) for one in reconcile_all().differences] == []


def test_reconciliation_finds_payments_without_a_decision() -> None:
    payout = ask(400)
    with transaction.atomic():
        outside = services.account(owner="house", purpose="external", currency=CURRENCY)
        leg = Leg(cash(payout.player), outside, 7, "on the quiet")
        services.post(key=fresh_key(), legs=[leg], subject=payout.ledger_subject, actor="me", at=LATER)
        [found] = differences()
        assert "the money of payouts is 7, but should be 0" in found
        transaction.set_rollback(True)


def test_a_payout_with_released_money_is_found() -> None:
    payout = ask(400)
    with transaction.atomic():
        services.release(hold=payout.hold_id, actor="me", at=LATER)
        [found] = differences()
        assert f"the hold of withdrawal {payout.reference} is 0, but should be 400" in found
        transaction.set_rollback(True)
