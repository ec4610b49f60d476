"""Checkpoints cover every transfer once, in an order that no later commit can precede."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections, transaction

from eventstore.chain import canonical
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import Leaf
from eventstore.store import Position
from ledger.core.checkpoint_entries import TransferLeaves
from ledger.models import Account, Transfer
from ledger.services import Leg, post, reverse
from tests.installation import PATIENCE
from tests.money import AT, CURRENCY, cash, fresh_key, fund
from tests.tampering import tamper

committed = pytest.mark.django_db(transaction=True)


PAID = 'paid "é\u2028\\/<\U0001f0a1\t\x7f'
"""Characters that encoders of JSON treat in different ways."""


def pay(debit: Account, credit: Account, amount: int) -> Transfer:
    legs = [Leg(debit, credit, amount, PAID)]
    (row,) = post(key=fresh_key(), legs=legs, subject="game:x", event=4, actor="test", at=AT).transfers
    return row


def transfers_since(marker: Position | None) -> Iterator[Leaf]:
    """Yield the entries of all final transfers after `marker`."""
    source = TransferLeaves()
    until = source.until(marker, 10_000)
    if until is not None:
        yield from source.leaves(marker, until)


@committed
def test_a_leaf_covers_all_fields_of_a_transfer() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    paid = pay(rich, poor, 300)
    posting = reverse(
        transfer=paid.uuid, key="game:x:back", actor="test", reason="a ruling", at=AT, settles_escrow=True
    )
    back = posting.transfers[0]
    signed = [leaf.content for leaf in transfers_since(None)]
    leaves = [json.loads(content) for content in signed]
    assert signed == [canonical(leaf) for leaf in leaves]
    assert [leaf["id"] for leaf in leaves[1:]] == [str(paid.uuid), str(back.uuid)]
    assert leaves[1] == {
        "id": str(paid.uuid),
        "posting": str(paid.posting),
        "key": paid.key,
        "leg": 0,
        "debit": rich.text,
        "credit": poor.text,
        "currency": CURRENCY,
        "amount": 300,
        "reason": PAID,
        "subject": "game:x",
        "event": 4,
        "actor": "test",
        "at": "2026-03-01T12:00:00.000000Z",
        "reverses": None,
    }
    assert leaves[2]["reverses"] == str(paid.uuid)


@committed
def test_pages_of_leaves_have_no_gap() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    for amount in range(1, 8):
        pay(rich, poor, amount)
    source, marker, seen = TransferLeaves(), None, []
    while until := source.until(marker, 3):
        seen += [json.loads(leaf.content)["amount"] for leaf in source.leaves(marker, until)]
        marker = until
    assert seen == [1000, 1, 2, 3, 4, 5, 6, 7]
    assert list(transfers_since(marker)) == []


@pytest.mark.postgres
@committed
def test_a_slow_transaction_is_not_skipped() -> None:
    """Readers wait for a transaction with a lower id that commits last."""
    first, second = cash(uuid4()), cash(uuid4())
    fund(first, 100)
    fund(second, 100)
    before = len(list(transfers_since(None)))
    posted, may_commit = Event(), Event()

    def slow() -> None:
        with transaction.atomic():
            pay(first, cash(uuid4()), 1)
            posted.set()
            assert may_commit.wait(PATIENCE)
        connections.close_all()

    thread = Thread(target=slow)
    thread.start()
    assert posted.wait(PATIENCE)
    pay(second, cash(uuid4()), 2)
    assert len(list(transfers_since(None))) == before
    may_commit.set()
    thread.join()
    assert [json.loads(leaf.content)["amount"] for leaf in transfers_since(None)][before:] == [1, 2]


@committed
def test_a_checkpoint_finds_an_altered_transfer() -> None:
    rich = cash(uuid4())
    fund(rich, 1000)
    paid = pay(rich, cash(uuid4()), 300)
    while checkpoint.make(AT + timedelta(seconds=1)) is not None:
        pass
    tamper("UPDATE ledger_transfer SET reason = 'gift' WHERE position = %s", paid.position)
    faults = [str(fault) for _, fault in checkpoint.verify() if fault]
    tamper("UPDATE ledger_transfer SET reason = %s WHERE position = %s", PAID, paid.position)
    assert any(str(paid.uuid) in fault for fault in faults)
    assert [fault for _, fault in checkpoint.verify()] == [None]


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_backlog_of_many_accounts_is_covered(django_assert_num_queries: Any) -> None:
    rich = cash(uuid4())
    fund(rich, 10_000)
    accounts = Account.objects.bulk_create(
        Account(kind="game", key=str(uuid4()), purpose="escrow", currency=CURRENCY, min_balance=0)
        for _ in range(1_500)
    )
    legs = [Leg(rich, account, 1, "paid") for account in accounts]
    for half in (legs[:750], legs[750:]):
        post(key=fresh_key(), legs=half, subject="game:x", event=4, actor="test", at=AT)
    until = Transfer.objects.order_by("-position").values_list("epoch", "xact", "position")[0]
    with django_assert_num_queries(1):
        leaves = list(TransferLeaves().leaves(None, Position(*until)))
    credited = [json.loads(leaf.content)["credit"] for leaf in leaves]
    assert credited[-1_500:] == [account.text for account in accounts]
