"""Holds: held money stays in the account and cannot be spent; a hold ends once, at the latest by its expiry."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from core.errors import KeyReused
from ledger import errors, selectors
from ledger.models import Account, Hold, HoldState
from ledger.selectors import Balance
from ledger.services import Leg, capture, hold, post, release
from tests.due_jobs import run_due
from tests.money import AT, CURRENCY, cash, fresh_key, fund

pytestmark = pytest.mark.django_db


@pytest.fixture
def purse() -> Account:
    made = cash(uuid4())
    fund(made, 1000)
    return made


def keep(account: Account, amount: Any, **options: Any) -> Hold:
    return hold(
        **{
            "key": fresh_key(),
            "account": account,
            "amount": amount,
            "subject": "",
            "expires_at": None,
            "actor": "test",
            "at": AT,
            **options,
        }
    )


def balance_of(account: Account) -> Balance:
    return selectors.balance(owner=account.owner, purpose=account.purpose, currency=CURRENCY)


def test_held_money_is_in_the_balance_but_not_available(purse: Account) -> None:
    keep(purse, 600)
    assert balance_of(purse) == Balance(available=400, held=600, total=1000)
    with pytest.raises(errors.InsufficientFunds):
        post(key=fresh_key(), legs=[Leg(purse, cash(uuid4()), 401, "x")], actor="test", at=AT)
    with pytest.raises(errors.InsufficientFunds):
        keep(purse, 401)
    post(key=fresh_key(), legs=[Leg(purse, cash(uuid4()), 400, "x")], actor="test", at=AT)


def test_a_captured_hold_is_paid_out(purse: Account) -> None:
    held, other = keep(purse, 600, subject="game:x"), cash(uuid4())
    order = {"hold": held.pk, "credit": other, "key": "out", "reason": "paid", "actor": "test", "at": AT}
    posting = capture(**order, amount=450)
    assert balance_of(purse) == Balance(550, 0, 550)
    assert balance_of(other).total == 450
    assert posting.transfers[0].subject == "game:x"
    assert Hold.objects.get(pk=held.pk).posting == posting.id
    assert capture(**order, amount=450).id == posting.id
    with pytest.raises(KeyReused):
        capture(**order, amount=451)
    with pytest.raises(errors.HoldResolved):
        capture(**{**order, "key": "another"}, amount=450)
    with pytest.raises(errors.HoldResolved):
        release(hold=held.pk, actor="test", at=AT)
    assert balance_of(other).total == 450


def test_a_capture_above_the_hold_is_refused(purse: Account) -> None:
    held = keep(purse, 600)
    for amount, error in [(601, errors.InsufficientFunds), (0, errors.BadAmount), (1.5, errors.BadAmount)]:
        with pytest.raises(error):
            capture(
                hold=held.pk,
                credit=cash(uuid4()),
                amount=amount,  # type: ignore[arg-type]
                key=fresh_key(),
                reason="x",
                actor="t",
                at=AT,
            )
    assert balance_of(purse).held == 600


def test_a_released_hold_is_available_again(purse: Account) -> None:
    held = keep(purse, 600)
    release(hold=held.pk, actor="test", at=AT)
    release(hold=held.pk, actor="test", at=AT)
    assert balance_of(purse) == Balance(1000, 0, 1000)
    with pytest.raises(errors.HoldResolved):
        capture(hold=held.pk, credit=cash(uuid4()), key=fresh_key(), reason="x", actor="test", at=AT)


def test_a_repeated_key_is_one_hold(purse: Account) -> None:
    first = keep(purse, 600, key="once")
    assert keep(purse, 600, key="once").pk == first.pk
    with pytest.raises(KeyReused):
        keep(purse, 100, key="once")
    assert balance_of(purse).held == 600


def test_a_hold_of_an_invalid_amount_is_refused(purse: Account, subtests: pytest.Subtests) -> None:
    for amount in [0, -1, 1.5, True, "5", None, 10**11 + 1, 10**30]:
        with subtests.test(amount=amount), pytest.raises(errors.BadAmount):
            keep(purse, amount)


def test_a_hold_expires_at_its_time(purse: Account) -> None:
    end = AT + timedelta(hours=1)
    held = keep(purse, 600, expires_at=end)
    assert run_due(end - timedelta(seconds=1)) == 0
    assert run_due(end) == 1
    ended = Hold.objects.get(pk=held.pk)
    assert (ended.state, ended.resolved_at) == (HoldState.EXPIRED, end)
    assert balance_of(purse) == Balance(1000, 0, 1000)


def test_a_resolved_hold_does_not_expire(purse: Account) -> None:
    end = AT + timedelta(hours=1)
    held = keep(purse, 600, expires_at=end)
    release(hold=held.pk, actor="test", at=AT)
    run_due(end)
    assert Hold.objects.get(pk=held.pk).state == HoldState.RELEASED
