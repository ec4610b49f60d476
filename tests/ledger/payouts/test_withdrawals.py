"""Withdrawals: the money is held from the request on, and is paid once or released."""

from __future__ import annotations

import pytest
from django.test import override_settings

from core.errors import KeyReused
from ledger import services
from ledger.errors import (
    BadAmount,
    BadDestination,
    InsufficientFunds,
    OwnPayout,
    PayoutAmountDiffers,
    PayoutUnexpectedState,
    SecondApproverRequired,
    UnknownPayout,
)
from ledger.models import Transfer
from ledger.payouts.models import Payout
from ledger.services import Leg
from tests.ledger.payouts.cast import ADAM, BEA, LATER, approved, ask, money_of, reread, rich, steps
from tests.money import AT, CURRENCY, available, cash, fresh_key

pytestmark = pytest.mark.django_db


def test_withdrawal_holds_money_until_paid() -> None:
    player = rich(1000)
    payout = ask(400, player)
    assert (payout.state, money_of(player), cash(player).total) == ("requested", 600, 1000)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    assert (money_of(player), cash(player).total) == (600, 1000)
    paid = services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER)
    assert (paid.state, money_of(player), cash(player).total) == ("paid", 600, 600)
    line = Transfer.objects.get(subject=payout.ledger_subject)
    assert (line.credit.text, line.amount, line.reason) == (
        "house/external",
        400,
        f"withdrawal {payout.reference}",
    )
    assert steps(payout) == [">requested", "requested>approved", "approved>paid"]
    assert [step.actor for step in payout.steps.all()] == [f"player:{player}", ADAM, ADAM]


def test_rejection_releases_the_money() -> None:
    for payout in (ask(), approved()):
        services.reject_payout(payout=payout.pk, actor=ADAM, reason="name differs", at=LATER)
        assert (reread(payout).state, money_of(payout.player)) == ("rejected", 10_000)
    held = ask()
    services.hold_payout(payout=held.pk, actor=ADAM, reason="whose account?", at=LATER)
    services.reject_payout(payout=held.pk, actor=ADAM, reason="not theirs", at=LATER)
    assert money_of(held.player) == 10_000


def test_held_payout_needs_a_new_approval() -> None:
    payout = approved()
    services.hold_payout(payout=payout.pk, actor=BEA, reason="whose account?", at=LATER)
    with pytest.raises(PayoutUnexpectedState):
        services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER)
    with pytest.raises(PayoutUnexpectedState):
        services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    services.release_payout(payout=payout.pk, actor=BEA, reason="theirs", at=LATER)
    with pytest.raises(PayoutUnexpectedState):
        services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    assert services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER).state == "paid"


def test_player_cancels_an_undecided_withdrawal() -> None:
    payout = ask()
    cancelled = services.cancel_withdrawal(payout=payout.pk, player=payout.player, at=LATER)
    assert (cancelled.state, money_of(payout.player)) == ("rejected", 10_000)
    assert payout.steps.last().actor == payout.payee
    for other in (approved(), payout):
        with pytest.raises(PayoutUnexpectedState):
            services.cancel_withdrawal(payout=other.pk, player=other.player, at=LATER)
    with pytest.raises(UnknownPayout):
        services.cancel_withdrawal(payout=ask().pk, player=payout.player, at=LATER)


FINAL = ["approve", "hold", "release", "reject", "pay"]


@pytest.mark.parametrize("end", ["paid", "rejected"])
def test_ended_payout_cannot_change(end: str, subtests: pytest.Subtests) -> None:
    payout = approved()
    if end == "paid":
        services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER)
    else:
        services.reject_payout(payout=payout.pk, actor=ADAM, reason="name differs", at=LATER)
    for action in FINAL:
        with subtests.test(action=action):
            more = {} if action in ("approve", "pay") else {"reason": "once more"}
            with pytest.raises(PayoutUnexpectedState) as refused:
                getattr(services, f"{action}_payout")(payout=payout.pk, actor=BEA, at=LATER, **more)
            assert refused.value.extra == {"state": end}


def test_a_second_withdrawal_without_money_is_refused() -> None:
    player = rich(500)
    ask(400, player)
    with pytest.raises(InsufficientFunds):
        ask(400, player)
    assert (Payout.objects.count(), money_of(player)) == (1, 100)


def test_repeated_key_is_one_request() -> None:
    player = rich(1000)
    first = ask(400, player, key="k")
    assert ask(400, player, key="k") == first
    for other in ({"amount": 401}, {"destination": "elsewhere"}):
        with pytest.raises(KeyReused):
            ask(**{"amount": 400, "player": player, "key": "k", **other})
    with pytest.raises(KeyReused):
        ask(400, rich(), key="k")
    assert money_of(player) == 600


def test_invalid_amounts_are_refused(subtests: pytest.Subtests) -> None:
    player = rich()
    for amount in [0, -1, 1.0, 0.5, float("nan"), True, "5", None, 10**30, 10**11 + 1]:
        with subtests.test(amount=amount):
            with pytest.raises(BadAmount):
                ask(amount, player)  # type: ignore[arg-type]
            assert money_of(player) == 10_000


@pytest.mark.parametrize("destination", ["", "   ", "two\nlines", "a\0b", "x" * 141, "tab\there"])
def test_a_destination_must_be_one_line(destination: str) -> None:
    with pytest.raises(BadDestination):
        ask(destination=destination)


def test_debt_cannot_be_withdrawn() -> None:
    player = rich(1000)
    debt = services.account(owner=f"player:{player}", purpose="receivable", currency=CURRENCY)
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    services.post(key=fresh_key(), legs=[Leg(debt, outside, 300, "reversed")], actor="test", at=AT)
    with pytest.raises(InsufficientFunds):
        ask(701, player)
    assert ask(700, player).amount == 700


# --- permissions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("amount", [1, 99_999, 500_000])
def test_payee_may_not_decide(amount: int) -> None:
    payout = ask(amount, rich(1_000_000))
    me = payout.payee
    for action in (
        lambda: services.approve_payout(payout=payout.pk, actor=me, at=LATER),
        lambda: services.hold_payout(payout=payout.pk, actor=me, reason="mine", at=LATER),
    ):
        with pytest.raises(OwnPayout):
            action()
    for who in (ADAM, BEA) if payout.two_persons else (ADAM,):
        services.approve_payout(payout=payout.pk, actor=who, at=LATER)
    for action in (
        lambda: services.pay_payout(payout=payout.pk, actor=me, at=LATER),
        lambda: services.reject_payout(payout=payout.pk, actor=me, reason="mine", at=LATER),
    ):
        with pytest.raises(OwnPayout):
            action()
    assert reread(payout).state == "approved"


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=1000)
def test_a_withdrawal_above_the_limit_needs_two_approvals() -> None:
    for amount, two in ((1000, False), (1001, True)):
        payout = ask(amount)
        if two:
            assert services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER).state == "checked"
            with pytest.raises(SecondApproverRequired):
                services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
            with pytest.raises(PayoutUnexpectedState):
                services.pay_payout(payout=payout.pk, actor=BEA, at=LATER)
        approver = BEA if two else ADAM
        assert services.approve_payout(payout=payout.pk, actor=approver, at=LATER).state == "approved"


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=100)
def test_held_large_payout_needs_two_new_approvals() -> None:
    payout = ask(400)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    services.hold_payout(payout=payout.pk, actor=BEA, reason="whose account?", at=LATER)
    services.release_payout(payout=payout.pk, actor=BEA, reason="theirs", at=LATER)
    assert services.approve_payout(payout=payout.pk, actor=BEA, at=LATER).state == "checked"
    with pytest.raises(SecondApproverRequired):
        services.approve_payout(payout=payout.pk, actor=BEA, at=LATER)
    assert services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER).state == "approved"
    assert steps(payout)[1:] == [
        "requested>checked", "checked>held", "held>requested", "requested>checked", "checked>approved",
    ]  # fmt: skip


def test_the_approval_limit_is_that_of_the_time_of_the_request() -> None:
    with override_settings(RACECARD_PAYOUT_SECOND_PERSON=100):
        payout = ask(101)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    with pytest.raises(SecondApproverRequired):
        services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)


def test_an_approval_of_another_amount_is_refused() -> None:
    payout = ask(400)
    with pytest.raises(PayoutAmountDiffers):
        services.approve_payout(payout=payout.pk, actor=ADAM, amount=40, at=LATER)
    services.approve_payout(payout=payout.pk, actor=ADAM, amount=400, at=LATER)
    assert payout.steps.last().amount == 400


def test_a_payment_returned_by_the_bank_is_reversed() -> None:
    payout = approved(400)
    services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER)
    line = Transfer.objects.get(subject=payout.ledger_subject)
    services.reverse(transfer=line.uuid, key=fresh_key(), actor=ADAM, reason="account closed", at=LATER)
    assert (money_of(payout.player), reread(payout).state) == (10_000, "paid")
    assert available("house", "external") == -10_000
