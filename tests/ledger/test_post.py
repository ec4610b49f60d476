"""The guarantees of `post`: all legs or none, once for each key, in one currency."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction

from core.errors import KeyReused
from ledger import errors, selectors
from ledger.models import Account, Transfer
from ledger.money import MOST_BALANCE
from ledger.services import Leg, Posting, account, post
from tests.money import AT, CURRENCY, cash, fresh_key, fund
from tests.tampering import tamper

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def rich() -> Account:
    made = cash(uuid4())
    fund(made, 1000)
    return made


@pytest.fixture
def poor() -> Account:
    return cash(uuid4())


def pay(debit: Account, credit: Account, amount: Any, **options: Any) -> Posting:
    return post(
        **{
            "key": fresh_key(),
            "legs": [Leg(debit, credit, amount, "test")],
            "actor": "test",
            "at": AT,
            **options,
        }
    )


def totals(*accounts: Account) -> list[int]:
    return [Account.objects.get(pk=each.pk).total for each in accounts]


def test_a_transfer_moves_its_amount(rich: Account, poor: Account) -> None:
    posting = pay(rich, poor, 300, subject="game:x", event=7)
    assert totals(rich, poor) == [700, 300]
    (row,) = posting.transfers
    stored = Transfer.objects.get(pk=row.pk)
    assert (stored.uuid, stored.amount, stored.currency, stored.subject, stored.event, stored.at) == (
        row.uuid,
        300,
        CURRENCY,
        "game:x",
        7,
        AT,
    )
    assert not posting.replayed


def test_legs_are_posted_together_or_not_at_all(rich: Account, poor: Account) -> None:
    third = cash(uuid4())
    with pytest.raises(errors.InsufficientFunds) as refused:
        post(
            key="all-or-nothing",
            legs=[Leg(rich, poor, 600, "one"), Leg(rich, third, 600, "two")],
            actor="test",
            at=AT,
        )
    assert totals(rich, poor, third) == [1000, 0, 0]
    assert not Transfer.objects.filter(key="all-or-nothing").exists()
    assert refused.value.code == "insufficient-funds"


def test_a_leg_may_spend_the_money_of_an_earlier_one(rich: Account, poor: Account) -> None:
    third = cash(uuid4())
    post(key=fresh_key(), legs=[Leg(rich, poor, 600, "in"), Leg(poor, third, 600, "on")], actor="test", at=AT)
    assert totals(rich, poor, third) == [400, 0, 600]


def test_repeated_posting_returns_the_first(rich: Account, poor: Account) -> None:
    first = pay(rich, poor, 300, key="once")
    again = pay(rich, poor, 300, key="once", at=AT + timedelta(days=1))
    assert again.replayed
    assert (again.id, [row.uuid for row in again.transfers]) == (
        first.id,
        [row.uuid for row in first.transfers],
    )
    assert totals(rich, poor) == [700, 300]


def test_repeated_posting_succeeds_without_funds(rich: Account, poor: Account) -> None:
    pay(rich, poor, 1000, key="once")
    assert pay(rich, poor, 1000, key="once").replayed


@pytest.mark.parametrize(
    "change",
    [{"subject": "game:other"}, {"event": 2}, {"actor": "somebody else"}],
    ids=lambda change: str(change),
)
def test_the_same_key_with_other_content_is_refused(
    rich: Account, poor: Account, change: dict[str, Any]
) -> None:
    pay(rich, poor, 300, key="once")
    with pytest.raises(KeyReused):
        pay(rich, poor, 300, key="once", **change)
    with pytest.raises(KeyReused):
        pay(rich, poor, 301, key="once")
    assert totals(rich, poor) == [700, 300]


def test_a_known_key_with_more_legs_adds_none_of_them(rich: Account, poor: Account) -> None:
    pay(rich, poor, 300, key="once")
    with pytest.raises(KeyReused):
        post(key="once", legs=[Leg(rich, poor, 300, "test"), Leg(rich, poor, 1, "more")], actor="test", at=AT)
    assert Transfer.objects.filter(key="once").count() == 1


def test_a_refusal_leaves_the_surrounding_transaction_usable(rich: Account, poor: Account) -> None:
    with transaction.atomic():
        pay(rich, poor, 100)
        with pytest.raises(errors.InsufficientFunds):
            pay(poor, rich, 101)
        pay(poor, rich, 50)
    assert totals(rich, poor) == [950, 50]


def test_invalid_amounts_are_refused(rich: Account, poor: Account, subtests: pytest.Subtests) -> None:
    for amount in [0, -1, 10**11 + 1, 10**30, 1.0, 1.999, True, "5", float("nan"), None]:
        with subtests.test(amount=amount):
            with pytest.raises(errors.BadAmount):
                pay(rich, poor, amount)
            assert totals(rich, poor) == [1000, 0]


@pytest.mark.parametrize("amount", [1.0, 1.999, True, "5", float("nan"), 10**30])
def test_the_model_field_stores_only_integers(rich: Account, poor: Account, amount: Any) -> None:
    with pytest.raises(ValidationError), transaction.atomic():
        Transfer.objects.create(
            posting=uuid4(), key="x", leg=0, fingerprint="", debit=rich, credit=poor, currency=CURRENCY,
            amount=amount, reason="x", actor="x", at=AT,
        )  # fmt: skip
    with pytest.raises(ValidationError):
        Transfer.objects.filter(amount=amount).exists()


def test_currencies_are_not_mixed(rich: Account) -> None:
    euros = cash(uuid4(), "EUR")
    with pytest.raises(errors.BadPosting):
        pay(rich, euros, 1)
    legs = [Leg(rich, cash(uuid4()), 1, "one"), Leg(euros, cash(uuid4(), "EUR"), 1, "two")]
    with pytest.raises(errors.BadPosting):
        post(key=fresh_key(), legs=legs, actor="test", at=AT)


def test_a_posting_must_have_legs_with_reasons_and_two_accounts(rich: Account, poor: Account) -> None:
    for legs in ([], [Leg(rich, rich, 1, "self")], [Leg(rich, poor, 1, "")], [Leg(rich, poor, 1, "x" * 201)]):
        with pytest.raises(errors.BadPosting):
            post(key=fresh_key(), legs=legs, actor="test", at=AT)
    with pytest.raises(errors.BadPosting):
        post(key=fresh_key(), legs=[Leg(rich, poor, 1, "one")] * 1001, actor="test", at=AT)
    with pytest.raises(ValueError, match="aware"):
        pay(rich, poor, 1, at=datetime(2026, 3, 1))  # noqa: DTZ001


def test_a_posting_may_have_hundreds_of_legs(rich: Account) -> None:
    winners = [cash(uuid4()) for _ in range(40)]
    legs = [Leg(rich, winner, 1, "prize") for winner in winners] * 25
    posting = post(key=fresh_key(), legs=legs, actor="test", at=AT)
    assert len({row.posting for row in Transfer.objects.filter(key=posting.key)}) == 1
    assert totals(rich, *winners) == [0, *[25] * 40]


def test_an_account_must_have_a_known_owner_purpose_and_currency(subtests: pytest.Subtests) -> None:
    for owner, purpose, currency in [
        ("nobody", "cash", "XTS"),
        ("player", "cash", "XTS"),
        ("player:", "cash", "XTS"),
        ("player:a b", "cash", "XTS"),
        ("house:x/bank", "bank", "XTS"),
        ("house", "treasure", "XTS"),
        ("house", "bank", "xts"),
        ("house", "bank", "POUND"),
    ]:
        with subtests.test(owner=owner, purpose=purpose, currency=currency), pytest.raises(errors.BadAccount):
            account(owner=owner, purpose=purpose, currency=currency)


def test_a_balance_stays_within_64_bits(rich: Account, poor: Account) -> None:
    with transaction.atomic():
        tamper("UPDATE ledger_account SET credits = %s WHERE id = %s", MOST_BALANCE, poor.pk)
        with pytest.raises(errors.BalanceTooLarge):
            pay(rich, poor, 1)
        transaction.set_rollback(True)


def test_only_the_world_and_receivables_may_be_negative() -> None:
    outside = account(owner="house", purpose="external", currency=CURRENCY)
    fund(cash(uuid4()), 5)
    assert Account.objects.get(pk=outside.pk).available < 0
    with pytest.raises(errors.InsufficientFunds) as refused:
        pay(account(owner="house", purpose="bank", currency=CURRENCY), cash(uuid4()), 1)
    assert refused.value.extra == {"account": "house/bank"}


def test_an_account_is_created_once() -> None:
    made = account(owner="tournament:abc", purpose="escrow", currency=CURRENCY)
    assert account(owner="tournament:abc", purpose="escrow", currency=CURRENCY).pk == made.pk
    assert made.text == "tournament:abc/escrow"
    assert selectors.balance(owner="tournament:none", purpose="escrow", currency=CURRENCY).total == 0
