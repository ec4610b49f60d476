"""A batch is sent to the bank in one file, and all of it is paid for exactly that file."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Player
from config.tasks import checkpoint_covering
from core.errors import KeyReused
from eventstore.checkpoints import service as checkpoint
from jobs.kinds import Again
from jobs.models import Job
from ledger import services
from ledger.core.checkpoint_entries import is_covered
from ledger.errors import (
    BatchChanged,
    BatchPaid,
    EmptyBatch,
    OwnPayout,
    PayoutInBatch,
    PayoutUnexpectedState,
    UnknownPayout,
    UnknownPayoutBatch,
)
from ledger.models import Hold, Transfer
from ledger.payouts import batches
from ledger.payouts.batches import checksum_of, file_checksum, file_of
from ledger.payouts.models import PayoutBatch, PayoutStep
from ledger.reports.journals import decimal
from ledger.reports.spreadsheets import harmless
from tests.due_jobs import run_due
from tests.ledger.payouts.cast import ADAM, BEA, LATER, approved, ask, batch, money_of, prize, reread, rich
from tests.money import available
from tests.waiting import wait_until_final

pytestmark = pytest.mark.django_db


def pay(made: PayoutBatch, actor: str = BEA) -> PayoutBatch:
    return services.pay_batch(batch=made.pk, checksum=file_checksum(made), actor=actor, at=LATER)


def test_a_batch_is_paid_by_one_posting() -> None:
    payouts = [approved(100 + number) for number in range(3)]
    made = batch(*payouts)
    paid = pay(made)
    assert [reread(payout).state for payout in payouts] == ["paid"] * 3
    assert available("house", "external") == -30_000 + 303
    lines = Transfer.objects.filter(subject=made.subject)
    assert {line.posting for line in lines} == {paid.posting}
    assert sorted(line.reason for line in lines) == sorted(f"withdrawal {one.reference}" for one in payouts)
    assert not Hold.objects.filter(state="held").exists()
    assert [step.batch for step in PayoutStep.objects.filter(becomes="paid")] == [made] * 3
    with pytest.raises(BatchPaid):
        pay(made)


def test_a_batch_contains_the_oldest_waiting_payouts() -> None:
    small, large = approved(100), approved(900)
    ask(50)
    prize(70)
    made = batch(up_to=500)
    assert list(made.payouts.all()) == [small]
    assert list(batch().payouts.all()) == [large]
    with pytest.raises(EmptyBatch):
        batch()


def test_a_payout_is_in_one_batch_at_most() -> None:
    payout = approved()
    made = batch(payout)
    with pytest.raises(PayoutInBatch):
        batch(payout)
    with pytest.raises(PayoutInBatch) as refused:
        services.pay_payout(payout=payout.pk, actor=ADAM, at=LATER)
    assert refused.value.extra == {"batch": str(made.pk)}


def test_batch_contains_only_approved_payouts() -> None:
    with pytest.raises(PayoutUnexpectedState):
        batch(approved(), ask())
    with pytest.raises(UnknownPayout):
        batch(prize())
    with pytest.raises(UnknownPayout):
        services.make_batch(currency="XTS", key="k", actor=ADAM, at=LATER, payouts=[uuid4()])
    assert not PayoutBatch.objects.exists()


def test_a_repeated_key_is_one_batch() -> None:
    payout = approved()
    assert batch(payout, key="k") == batch(payout, key="k")
    with pytest.raises(KeyReused):
        batch(approved(), key="k")


@pytest.mark.parametrize("action", ["hold", "reject"])
def test_held_payout_leaves_its_batch_and_voids_the_file(action: str) -> None:
    stopped, other = approved(), approved(70)
    made = batch(stopped, other)
    exported = file_checksum(made)
    getattr(services, f"{action}_payout")(payout=stopped.pk, actor=ADAM, reason="whose account?", at=LATER)
    with pytest.raises(BatchChanged) as refused:
        services.pay_batch(batch=made.pk, checksum=exported, actor=BEA, at=LATER)
    assert refused.value.extra == {"checksum": file_checksum(made)}
    assert reread(other).state == "approved"
    pay(made)
    assert (reread(other).state, reread(stopped).batch) == ("paid", None)


def test_an_empty_batch_cannot_be_paid() -> None:
    payout = approved()
    made = batch(payout)
    services.hold_payout(payout=payout.pk, actor=ADAM, reason="whose account?", at=LATER)
    with pytest.raises(EmptyBatch):
        pay(made)
    with pytest.raises(UnknownPayoutBatch):
        services.pay_batch(batch=uuid4(), checksum="", actor=BEA, at=LATER)


def test_payee_may_not_pay_the_batch() -> None:
    player = rich()
    made = batch(approved(100, player), approved())
    with pytest.raises(OwnPayout):
        pay(made, f"player:{player}")
    assert money_of(player) == 9900


class Crash(Exception):
    pass


@pytest.mark.parametrize("where", ["lock", "insert", "schedule", "step_fields", "world"])
def test_a_batch_is_paid_completely_after_a_crash(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    payouts = [approved(100), approved(200)]
    made = batch(*payouts)
    real = getattr(batches, where)

    def dies_after(*args: object, **kwargs: object) -> object:
        real(*args, **kwargs)
        raise Crash

    monkeypatch.setattr(batches, where, dies_after)
    with pytest.raises(Crash):
        pay(made)
    monkeypatch.undo()
    assert [reread(payout).state for payout in payouts] == ["approved"] * 2
    assert Hold.objects.filter(state="held").count() == 2
    assert not Job.objects.filter(kind=batches.COVERING_CHECKPOINT).exists()
    pay(made)
    assert [reread(payout).state for payout in payouts] == ["paid"] * 2
    assert available("house", "external") == -20_000 + 300


@pytest.mark.django_db(transaction=True)
def test_a_signed_checkpoint_covers_the_payment_soon_after(player: Player) -> None:
    made = pay(batch(approved()))
    assert made.posting is not None
    assert not is_covered(made.posting)
    wait_until_final()
    run_due(timezone.now())
    assert is_covered(made.posting)
    assert [fault for _, fault in checkpoint.verify() if fault] == []


def test_the_job_is_repeated_until_a_checkpoint_covers_the_payment() -> None:
    made = pay(batch(approved()))
    payload, now = {"posting": str(made.posting)}, timezone.now()
    assert checkpoint_covering(payload, now=now, prepared=0) == Again(due=now + timedelta(seconds=1))


# --- bank file -----------------------------------------------------------------------------------------


def test_bank_file_lists_the_payments(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    first = approved(1205, rich(), destination='=HYPERLINK("http://x", "y")')
    second = approved(7, rich(), destination='Ann "Ace", 1, Main St')
    made = batch(first, second)
    file = file_of(made)
    rows = list(csv.reader(io.StringIO(file, newline="")))
    assert rows[0] == ["reference", "amount", "currency", "destination", "player", "username"]
    reported = {row[0]: row[1:4] for row in rows[1:3]}
    assert reported[first.reference] == ["12.05", "XTS", "'" + first.destination]
    assert reported[second.reference] == ["0.07", "XTS", second.destination]
    assert rows[3] == ["TOTAL", "12.12", "XTS", "2", "", ""]
    assert {len(row) for row in rows} == {6}
    assert file.endswith("\r\n")
    assert file.count("\n") == file.count("\r\n") == 4
    pay(made)
    made.refresh_from_db()
    assert checksum_of(file_of(made)) == made.checksum == checksum_of(file)


@pytest.mark.parametrize(
    "text", ["=1+1", "+44 1", "-1", "@SUM(A1)", "\tx", "\rx", ";=1", "；=1", "＝1", "＋1", "－1", "＠A1"]
)
def test_no_cell_of_the_file_is_a_formula(text: str) -> None:
    assert harmless(text) == f"'{text}"


def test_amounts_have_the_digits_of_their_currency() -> None:
    assert [decimal(1205, digits) for digits in (0, 2, 3)] == ["1205", "12.05", "1.205"]
