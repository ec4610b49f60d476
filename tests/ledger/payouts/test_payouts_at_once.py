"""Concurrent requests, decisions, and payments have the effect of some serial order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from datetime import timedelta

import pytest
from django.db import connection, models, transaction

from ledger import selectors, services
from ledger.core import postings
from ledger.models import Account, Hold, Transfer
from ledger.payouts import freezes
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutStep
from tests.ledger.locks import assert_locked_in_order, in_order
from tests.ledger.payouts.cast import (
    ADAM,
    BEA,
    LATER,
    SUBJECT,
    approved,
    ask,
    batch,
    money_of,
    prize,
    reread,
    rich,
    steps,
    win,
)
from tests.ledger.test_concurrency import at_once
from tests.money import AT, available, fresh_key

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_of_two_concurrent_withdrawals_with_money_for_one_one_is_accepted() -> None:
    player = rich(500)
    ended = at_once(*[lambda: ask(400, player)] * 4)
    assert ended == {"done": 1, "insufficient-funds": 3}
    assert (Payout.objects.count(), money_of(player)) == (1, 100)


def test_two_concurrent_requests_with_one_key_are_one() -> None:
    player = rich(500)
    assert at_once(*[lambda: ask(400, player, key="k")] * 4) == {"done": 4}
    assert (Payout.objects.count(), Hold.objects.count(), money_of(player)) == (1, 1, 100)


def test_of_two_concurrent_requests_with_one_key_and_other_bodies_one_is_accepted() -> None:
    player = rich(1000)
    ended = at_once(*[lambda amount=amount: ask(amount, player, key="k") for amount in (300, 400, 300, 400)])
    assert ended == {"done": 2, "idempotency-key-reused": 2}
    assert Payout.objects.count() == 1


def pay(payout: Payout, actor: str = ADAM) -> Callable[[], object]:
    return lambda: services.pay_payout(payout=payout.pk, actor=actor, at=LATER)


def reject(payout: Payout) -> Callable[[], object]:
    return lambda: services.reject_payout(payout=payout.pk, actor=BEA, reason="name differs", at=LATER)


def hold(payout: Payout) -> Callable[[], object]:
    return lambda: services.hold_payout(payout=payout.pk, actor=BEA, reason="whose account?", at=LATER)


def approve(payout: Payout, actor: str = ADAM) -> Callable[[], object]:
    return lambda: services.approve_payout(payout=payout.pk, actor=actor, at=LATER)


def test_concurrent_payments_pay_once() -> None:
    payout = approved(400)
    assert at_once(*[pay(payout), pay(payout, BEA)] * 2) == {"done": 1, "payout-unexpected-state": 3}
    assert Transfer.objects.filter(subject=payout.ledger_subject).count() == 1
    assert money_of(payout.player) == 9600


def test_concurrent_approvals_approve_once() -> None:
    payout, won = ask(), prize()
    assert at_once(approve(payout), approve(payout, BEA)) == {"done": 1, "payout-unexpected-state": 1}
    assert at_once(approve(won), approve(won, BEA)) == {"done": 1, "payout-unexpected-state": 1}
    assert money_of(won.player) == 900


@pytest.mark.parametrize("other", [reject, hold])
def test_of_a_concurrent_hold_and_payment_one_takes_effect(
    other: Callable[[Payout], Callable[[], object]],
) -> None:
    for _ in range(3):
        payout = approved(400)
        ended = at_once(pay(payout), other(payout))
        assert ended == {"done": 1, "payout-unexpected-state": 1}
        left = {"paid": 9600, "rejected": 10_000, "held": 9600}
        assert money_of(payout.player) == left[reread(payout).state]
        assert len(steps(payout)) == 3


def test_of_a_concurrent_cancellation_and_approval_one_takes_effect() -> None:
    for _ in range(3):
        payout = ask(400)
        cancel = lambda one=payout: services.cancel_withdrawal(payout=one.pk, player=one.player, at=LATER)  # noqa: E731
        assert at_once(approve(payout), cancel) == {"done": 1, "payout-unexpected-state": 1}
        assert reread(payout).state in ("approved", "rejected")


def test_a_batch_paid_twice_concurrently_with_a_hold() -> None:
    for _ in range(3):
        first, second = approved(100), approved(200)
        made = batch(first, second)
        seen = file_checksum(made)
        settle = lambda made=made, seen=seen: services.pay_batch(  # noqa: E731
            batch=made.pk, checksum=seen, actor=ADAM, at=LATER
        )
        ended = at_once(settle, settle, hold(first))
        if reread(first).state == "paid":
            assert ended == {"done": 1, "batch-paid": 1, "payout-unexpected-state": 1}
            assert reread(second).state == "paid"
        else:
            assert ended == {"done": 1, "batch-changed": 2}
            assert (first.batch, reread(second).state) == (None, "approved")


def test_a_payout_is_in_one_of_two_concurrent_batches() -> None:
    payout = approved()
    ended = at_once(*[lambda: batch(payout)] * 3)
    assert ended == {"done": 1, "payout-in-batch": 2}
    assert PayoutBatch.objects.count() == 1
    waiting = [approved() for _ in range(3)]
    ended = at_once(*[batch] * 2)
    assert ended in (Counter({"done": 1, "empty-batch": 1}), Counter({"done": 2}))
    assert {reread(one).batch is None for one in waiting} == {False}


def test_two_concurrent_batches_with_one_key_are_one() -> None:
    payout = approved()
    assert at_once(*[lambda: batch(payout, key="k")] * 3) == {"done": 3}
    assert PayoutBatch.objects.count() == 1


def test_concurrent_withdrawal_cannot_escape_a_freeze() -> None:
    for _ in range(3):
        winner = rich(1)
        win(winner, 300, subject := f"game:{fresh_key()[-12:]}")
        at_once(
            lambda winner=winner: ask(301, winner),
            lambda subject=subject: services.freeze(
                subject=subject, player=None, claim=fresh_key(), actor=ADAM, at=LATER
            ),
        )
        asked = Payout.objects.filter(payee=f"player:{winner}").first()
        if asked is None:
            assert money_of(winner) == 1
        else:
            assert (asked.state, money_of(winner)) == ("held", 0)


def test_two_concurrent_freezes_of_one_claim_are_one() -> None:
    winner = rich(1)
    win(winner, 300)
    claim = lambda: services.freeze(subject=SUBJECT, player=None, claim="c", actor=ADAM, at=LATER)  # noqa: E731
    assert at_once(claim, claim, claim) == {"done": 3}
    made = Freeze.objects.get()
    release = lambda: services.release_freeze(freeze=made.pk, actor=ADAM, reason="no case", at=LATER)  # noqa: E731
    assert at_once(release, release) == {"done": 1, "freeze-released": 1}
    assert money_of(winner) == 301


def test_many_concurrent_decisions_lose_no_money() -> None:
    payouts = [ask(100, rich(100)) for _ in range(4)] + [prize(100) for _ in range(2)]
    at_once(*[approve(one) for one in payouts], *[hold(one) for one in payouts[::2]])
    at_once(*[pay(one) for one in payouts], *[reject(one) for one in payouts[1::2]])
    for one in payouts:
        assert reread(one).version == PayoutStep.objects.filter(payout=one).count()
    assert list(selectors.reconcile()) == []
    assert selectors.trial_balance("XTS").total == 0


# --- lock order ----------------------------------------------------------------------------------------


class Scene:
    """Two players with payouts in every waiting state, a batch, a prize, and a freeze."""

    def __init__(self) -> None:
        self.poor, self.rich = rich(1000), rich(9000)
        self.new, self.ready = ask(100, self.poor), approved(200, self.rich)
        self.stopped = ask(50, self.rich)
        services.hold_payout(payout=self.stopped.pk, actor=BEA, reason="whose account?", at=AT)
        self.won = prize(70, self.poor)
        self.batch = batch(approved(30, self.rich), approved(40, self.poor, at=AT + timedelta(minutes=1)))
        win(self.poor, 880, "game:9")
        win(self.rich, 20, "game:9")
        self.freeze = services.freeze(subject="game:9", player=None, claim="c", actor=ADAM, at=LATER)
        win(self.poor, 33)
        win(self.rich, 44)

    def actions(self) -> dict[str, Callable[[], object]]:
        return {
            "request": lambda: ask(5, self.rich),
            "cancel": lambda: services.cancel_withdrawal(payout=self.new.pk, player=self.poor, at=LATER),
            "approve": approve(self.new),
            "approve a prize": approve(self.won),
            "hold": hold(self.ready),
            "release": lambda: services.release_payout(
                payout=self.stopped.pk, actor=BEA, reason="theirs", at=LATER
            ),
            "reject": reject(self.ready),
            "reject a prize": reject(self.won),
            "pay": pay(self.ready),
            "batch": batch,
            "pay a batch": lambda: services.pay_batch(
                batch=self.batch.pk, checksum=file_checksum(self.batch), actor=BEA, at=LATER
            ),
            "freeze": lambda: services.freeze(subject=SUBJECT, player=None, claim="d", actor=ADAM, at=LATER),
            "release a freeze": lambda: services.release_freeze(
                freeze=self.freeze.pk, actor=ADAM, reason="no case", at=LATER
            ),
        }

    def in_order(self) -> list[models.Model]:
        return [
            *Freeze.objects.all(),
            *PayoutBatch.objects.all(),
            *Payout.objects.order_by("pk"),
            *Hold.objects.filter(state="held").order_by("pk"),
            *in_order(Account.objects.all()),
        ]


@pytest.mark.postgres
def test_locks_are_taken_in_order(subtests: pytest.Subtests) -> None:
    scene = Scene()
    assert_locked_in_order(scene.actions(), scene.in_order(), subtests)


def test_request_rolls_back_with_its_transaction() -> None:
    player = rich(500)
    with transaction.atomic():
        ask(400, player)
        transaction.set_rollback(True)
    assert (Payout.objects.count(), money_of(player), available(f"player:{player}")) == (0, 500, 500)


@pytest.mark.both_databases
def test_released_freeze_keeps_no_new_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other freeze is released after the holds of this one are read and before the accounts are locked.

    On SQLite there is one writer, so there the other release runs in the same transaction.
    """
    winner = rich(1000)
    win(winner, 300)
    first, second = (
        services.freeze(subject=SUBJECT, player=None, claim=claim, actor="player:audrey", at=LATER)
        for claim in ("first", "second")
    )
    ended: list[dict[str, int]] = []

    def release(made: Freeze) -> Freeze:
        return services.release_freeze(freeze=made.pk, actor=ADAM, reason="no case", at=LATER)

    def lock(accounts: Collection[Account]) -> dict[int, Account]:
        monkeypatch.setattr(freezes, "lock", postings.lock)
        if connection.vendor == "postgresql":
            ended.append(at_once(lambda: release(first)))
        else:
            release(first)
        return postings.lock(accounts)

    monkeypatch.setattr(freezes, "lock", lock)
    assert release(second).released_at == LATER
    assert not Hold.objects.filter(frozen__freeze=second, state="held").exists()
    if connection.vendor == "sqlite":
        release(first)
    else:
        assert ended == [{"done": 1}]
    assert money_of(winner) == 1300
