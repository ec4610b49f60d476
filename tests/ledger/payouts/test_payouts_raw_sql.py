"""Both databases protect payouts against raw SQL."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, models
from django.test import override_settings

from ledger import services
from ledger.models import Hold
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, FrozenMoney, Payout, PayoutBatch, PayoutStep
from ledger.services import Leg
from tests.ledger.payouts.cast import (
    ADAM,
    BEA,
    LATER,
    approved,
    ask,
    batch,
    money_of,
    prize,
    reread,
    rich,
    win,
)
from tests.ledger.raw_sql import changes_refused, refused, rows_are_kept, run
from tests.money import CURRENCY, cash, fresh_key

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def frozen() -> Freeze:
    player = rich(10)
    win(player, 300)
    return services.freeze(subject="game:7", player=None, claim=fresh_key(), actor=ADAM, at=LATER)


def test_rows_are_kept() -> None:
    batch(approved())
    frozen()
    rows_are_kept(Payout, PayoutStep, PayoutBatch, Freeze, FrozenMoney)


def test_steps_cannot_be_altered() -> None:
    ask()
    changes = ("number = 9", "actor = 'me'", "amount = 1", "reason = 'other'", "becomes = 'paid'")
    changes_refused("ledger_payoutstep", changes)


PAYOUTS = [
    "state = 'approved'",
    "amount = amount + 1",
    "amount = 1",
    "payee = 'player:me'",
    "account_id = account_id + 1",
    "destination = 'mine'",
    "currency = 'EUR'",
    "reference = 'RC'",
    "kind = 'prize', destination = '', subject = 'x'",
    "two_persons = NOT two_persons",
    "requested_by = 'player:me'",
    "state = 'paid'",
    "state = 'paid', version = version + 1",
    "state = 'approved', version = version + 1",
    "state = 'rejected', version = version + 1",
    "version = version + 1",
    "version = 0",
]


def test_the_state_of_a_payout_changes_only_by_a_step() -> None:
    waiting, ready = ask(), approved()
    changes_refused("ledger_payout", PAYOUTS, f"reference = '{waiting.reference}'")
    changes_refused("ledger_payout", PAYOUTS[1:], f"reference = '{ready.reference}'")


def test_payout_joins_a_batch_after_approval_and_leaves_by_a_step() -> None:
    first, second, waits = approved(), approved(), ask()
    made, other = batch(first), batch(second)
    refused("UPDATE ledger_payout SET batch_id = NULL WHERE id = %s", first.pk)
    refused("UPDATE ledger_payout SET batch_id = %s WHERE id = %s", other.pk, first.pk)
    refused("UPDATE ledger_payout SET batch_id = %s WHERE id = %s", made.pk, waits.pk)
    services.pay_batch(batch=made.pk, checksum=file_checksum(made), actor=BEA, at=LATER)
    late = approved()
    refused("UPDATE ledger_payout SET batch_id = %s WHERE id = %s", made.pk, late.pk)
    run("UPDATE ledger_payout SET batch_id = %s WHERE id = %s", other.pk, late.pk)


def forged(payout: Payout, becomes: str, **changes: Any) -> None:
    """Insert a step without the services. It is valid except for the changes."""
    newest = PayoutStep.objects.get(payout=payout, number=payout.version)
    values = {
        "payout_id": payout.pk, "number": payout.version + 1, "was": payout.state, "becomes": becomes,
        "payee": payout.payee, "amount": payout.amount, "currency": payout.currency,
        "two_persons": payout.two_persons, "maker": payout.requested_by, "previous": newest.actor, "actor": ADAM,
        "at": "2026-03-01 13:00:00+00:00", "reason": "because", "batch_id": payout.batch_id, **changes,
    }  # fmt: skip
    run(
        f"INSERT INTO ledger_payoutstep ({', '.join(values)}) VALUES ({', '.join(['%s'] * len(values))})",
        *values.values(),
    )


def test_a_valid_step_by_sql_is_accepted() -> None:
    payout = ask()
    forged(payout, "approved")
    assert (reread(payout).state, payout.version) == ("approved", 2)
    forged(payout, "held")
    forged(reread(payout), "requested")
    assert reread(payout).state == "requested"


FORGERIES: list[dict[str, Any]] = [
    {"amount": 401},
    {"payee": "player:me"},
    {"currency": "EUR"},
    {"maker": "somebody"},
    {"previous": "player:bea"},
    {"number": 3},
    {"number": 1, "was": ""},
    {"was": "held", "becomes": "requested"},
    {"becomes": "gone"},
    {"becomes": "paid"},
    {"becomes": "requested"},
    {"becomes": "held", "reason": ""},
    {"two_persons": True},
]


def test_forged_steps_are_refused(subtests: pytest.Subtests) -> None:
    payout = ask(400)
    for changes in FORGERIES:
        with subtests.test(changes), pytest.raises(DatabaseError):
            forged(payout, **{"becomes": "approved", **changes})
        assert reread(payout).version == 1


def test_maker_is_not_checker() -> None:
    payout = ask()
    for who in (payout.payee, payout.requested_by):
        with pytest.raises(DatabaseError, match=r"payout_maker_is_not_checker|payout_not_by_payee"):
            forged(payout, "approved", actor=who)
    for becomes in ("held", "rejected"):
        with pytest.raises(DatabaseError):
            forged(payout, becomes, actor=payout.payee)


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=1)
def test_one_person_cannot_approve_a_payout_above_the_limit() -> None:
    payout = ask()
    for becomes, who in (("approved", ADAM), ("approved", BEA), ("checked", payout.payee)):
        with pytest.raises(DatabaseError):
            forged(payout, becomes, actor=who)
    forged(payout, "checked")
    with pytest.raises(DatabaseError):
        forged(reread(payout), "paid", actor=BEA)
    for changes in ({}, {"two_persons": False}, {"previous": BEA}):
        with pytest.raises(DatabaseError):
            forged(reread(payout), "approved", **changes)
    forged(payout, "approved", actor=BEA)


def captured(payout: Payout, credit: str, reason: str, amount: int | None = None) -> None:
    """Capture the hold of a payout to any account, without the services."""
    owner, _, purpose = credit.partition("/")
    goes = services.account(owner=owner, purpose=purpose, currency=CURRENCY)
    services.capture(
        hold=payout.hold_id, credit=goes, key=fresh_key(), reason=reason, actor=ADAM, at=LATER, amount=amount
    )


def test_a_payment_must_capture_the_payouts_hold_to_its_destination() -> None:
    for credit, wrong, amount in (
        ("house/promotion", "", None),
        ("house/external", "x", None),
        ("house/external", "", 399),
    ):
        payout = approved(400)
        captured(payout, credit, wrong or f"withdrawal {payout.reference}", amount)
        with pytest.raises(DatabaseError):
            forged(payout, "paid")
    payout = approved(400)
    with pytest.raises(DatabaseError):
        forged(payout, "paid")
    captured(payout, "house/external", f"withdrawal {payout.reference}")
    with pytest.raises(DatabaseError):
        forged(payout, "rejected")
    forged(payout, "paid")


def test_a_rejection_requires_the_released_hold() -> None:
    payout = ask(400)
    with pytest.raises(DatabaseError):
        forged(payout, "rejected")
    won = prize(900)
    services.release(hold=won.hold_id, actor=ADAM, at=LATER)
    for becomes in ("rejected", "approved", "held"):
        with pytest.raises(DatabaseError):
            forged(won, becomes)


def test_a_payout_with_a_released_hold_cannot_be_paid() -> None:
    payout = approved(400)
    services.release(hold=payout.hold_id, actor=ADAM, at=LATER)
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    leg = Leg(cash(payout.player), outside, 400, f"withdrawal {payout.reference}")
    services.post(key=fresh_key(), legs=[leg], actor=ADAM, at=LATER)
    with pytest.raises(DatabaseError):
        forged(payout, "paid")


def copied(model: type[models.Model], **changes: Any) -> None:
    names = [field.column for field in model._meta.concrete_fields if field.column not in {"id", *changes}]
    values = {"id": uuid4(), **changes}
    columns, places = ", ".join([*values, *names]), ", ".join(["%s"] * len(values))
    table = model._meta.db_table
    run(
        f"INSERT INTO {table} ({columns}) SELECT {places}, {', '.join(names)} FROM {table} ORDER BY key LIMIT 1",
        *values.values(),
    )


def fresh_hold(payout: Payout, amount: int, key: str) -> UUID:
    made = Hold.objects.create(
        key=key, fingerprint="", account_id=payout.account_id, amount=amount, actor="me", at=LATER
    )
    return made.pk


def test_forged_payouts_are_refused(subtests: pytest.Subtests) -> None:
    payout = ask(400)
    sound = {"key": "new", "reference": "RCNEW", "hold_id": fresh_hold(payout, 400, "payout:RCNEW")}
    for changes in (
        {"amount": 401},
        {"payee": "player:me", "requested_by": "player:me"},
        {"currency": "EUR"},
        {"state": "approved"},
        {"state": "approved", "version": 2},
        {"kind": "prize", "subject": "x", "destination": ""},
        {"requested_by": "player:me"},
        {"destination": ""},
        {"reference": "RCOTHER"},
    ):
        with subtests.test(changes), pytest.raises(DatabaseError):
            copied(Payout, **{**sound, **changes})
    copied(Payout, **sound)
    assert [step.becomes for step in Payout.objects.get(key="new").steps.all()] == ["requested"]
    assert money_of(payout.player) == 10_000 - 800


@pytest.mark.sqlite
def test_an_amount_with_a_fraction_is_refused() -> None:
    """PostgreSQL rounds a fraction to an integer in an integer column."""
    payout = ask(400)
    with pytest.raises(DatabaseError):
        forged(payout, "approved", amount=400.5)
    hold = fresh_hold(payout, 400, "payout:RCNEW")
    with pytest.raises(DatabaseError):
        copied(Payout, key="new", reference="RCNEW", hold_id=hold, amount=400.5)


def test_two_payouts_cannot_share_a_hold() -> None:
    payout = ask(400)
    with pytest.raises(DatabaseError):
        copied(Payout, key="new", reference=payout.reference[:-1] + "_")
    for name in ("reference", "hold_id"):
        with pytest.raises(DatabaseError):
            copied(Payout, key="new", **{name: getattr(payout, name)})


def test_a_batch_is_paid_only_when_all_its_payouts_are() -> None:
    payout = approved()
    made = batch(payout)
    paid = "paid_at = made_at, paid_by = 'me', checksum = 'x', posting = id"
    refused(f"UPDATE ledger_payoutbatch SET {paid}")
    refused("UPDATE ledger_payoutbatch SET currency = 'EUR'")
    refused("UPDATE ledger_payoutbatch SET made_by = 'me'")
    services.pay_batch(batch=made.pk, checksum=file_checksum(made), actor=BEA, at=LATER)
    refused(f"UPDATE ledger_payoutbatch SET {paid}")
    refused("UPDATE ledger_payoutbatch SET paid_at = NULL, posting = NULL, paid_by = '', checksum = ''")


def test_a_freeze_ends_only_when_it_holds_nothing() -> None:
    made = frozen()
    done = "released_at = at, released_by = 'me', released_reason = 'x'"
    refused(f"UPDATE ledger_freeze SET {done}")
    refused("UPDATE ledger_freeze SET subject = 'game:9'")
    refused("UPDATE ledger_frozenmoney SET freeze_id = NULL")
    services.release_freeze(freeze=made.pk, actor=ADAM, reason="no case", at=LATER)
    refused(f"UPDATE ledger_freeze SET {done}")
    refused("UPDATE ledger_freeze SET released_at = NULL, released_by = '', released_reason = ''")
