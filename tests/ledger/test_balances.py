"""The ledger compared with a model that is a dictionary of balances."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from ledger import errors, selectors
from ledger.models import Account, Hold, Transfer
from ledger.services import Leg, capture, hold, post, release, reverse
from tests.money import AT, CURRENCY, cash, fresh_key, fund

pytestmark = pytest.mark.both_databases


class Books(RuleBasedStateMachine):
    accounts = Bundle("accounts")
    holds = Bundle("holds")
    transfers = Bundle("transfers")

    def __init__(self) -> None:
        super().__init__()
        self.block = transaction.atomic()
        self.block.__enter__()
        self.total: dict[int, int] = {}
        self.held: dict[int, int] = {}
        self.open: dict[Any, tuple[Account, int]] = {}
        self.paid_back: set[Any] = set()
        self.owed: dict[int, int] = {}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)

    def available(self, account: Account) -> int:
        return self.total[account.pk] - self.held[account.pk]

    @rule(target=accounts, amount=st.integers(0, 500))
    def begin(self, amount: int) -> Account:
        made = cash(uuid4())
        if amount:
            fund(made, amount)
        self.total[made.pk], self.held[made.pk] = amount, 0
        return made

    @rule(
        target=transfers,
        steps=st.lists(st.tuples(accounts, accounts, st.integers(1, 300)), min_size=1, max_size=3),
    )
    def pay(self, steps: list[tuple[Account, Account, int]]) -> Any:
        legs = [Leg(debit, credit, amount, "paid") for debit, credit, amount in steps]
        wanted = dict(self.total)
        payable = all(debit.pk != credit.pk for debit, credit, _ in steps)
        in_turn = True
        for debit, credit, amount in steps:
            wanted[debit.pk] -= amount
            in_turn = in_turn and wanted[debit.pk] - self.held[debit.pk] >= 0
            wanted[credit.pk] += amount
        at_last = all(wanted[pk] - self.held[pk] >= 0 for pk in wanted)
        if payable and in_turn:
            posting = post(key=fresh_key(), legs=legs, actor="test", at=AT)
            self.total = wanted
            return multiple(*posting.transfers)
        # Whether legs that need another order are accepted depends on the backend (see `post`).
        if not payable or not at_last:
            with pytest.raises((errors.InsufficientFunds, errors.BadPosting)):
                post(key=fresh_key(), legs=legs, actor="test", at=AT)
        return multiple()

    @rule(target=holds, account=accounts, amount=st.integers(1, 300))
    def set_aside(self, account: Account, amount: int) -> Any:
        if amount > self.available(account):
            with pytest.raises(errors.InsufficientFunds):
                self._hold(account, amount)
            return multiple()
        self.held[account.pk] += amount
        made = self._hold(account, amount)
        self.open[made.pk] = (account, amount)
        return made

    def _hold(self, account: Account, amount: int) -> Hold:
        return hold(
            key=fresh_key(), account=account, amount=amount, subject="", expires_at=None, actor="test", at=AT
        )

    @rule(held=holds)
    def let_go(self, held: Hold) -> None:
        if held.pk in self.open:
            account, amount = self.open.pop(held.pk)
            self.held[account.pk] -= amount
            release(hold=held.pk, actor="test", at=AT)

    @rule(held=holds, credit=accounts, part=st.integers(1, 300))
    def pay_out(self, held: Hold, credit: Account, part: int) -> None:
        account, amount = self.open.get(held.pk, (held.account, 0))
        order = {
            "hold": held.pk,
            "credit": credit,
            "key": fresh_key(),
            "reason": "x",
            "actor": "test",
            "at": AT,
        }
        if part > amount or credit.pk == account.pk:
            refusals = (errors.InsufficientFunds, errors.HoldResolved, errors.BadPosting)
            with pytest.raises(refusals):
                capture(**order, amount=part)
            return
        del self.open[held.pk]
        self.held[account.pk] -= amount
        self.total[account.pk] -= part
        self.total[credit.pk] += part
        capture(**order, amount=part)

    @rule(paid=transfers)
    def take_back(self, paid: Transfer) -> None:
        order = {"transfer": paid.uuid, "key": fresh_key(), "actor": "test", "reason": "x", "at": AT}
        if paid.uuid in self.paid_back:
            with pytest.raises(errors.AlreadyReversed):
                reverse(**order)
            return
        missing = max(0, paid.amount - self.available(paid.credit))
        reverse(**order)
        self.paid_back.add(paid.uuid)
        self.owed[paid.credit_id] = self.owed.get(paid.credit_id, 0) + missing
        self.total[paid.credit_id] += missing - paid.amount
        self.total[paid.debit_id] += paid.amount

    @invariant()
    def ledger_agrees_with_the_model(self) -> None:
        for row in Account.objects.filter(pk__in=self.total):
            assert (row.total, row.held) == (self.total[row.pk], self.held[row.pk])
            assert row.available >= 0
        lent = sum(-row.total for row in Account.objects.filter(purpose="receivable"))
        assert lent == sum(self.owed.values())
        assert selectors.trial_balance(CURRENCY).total == 0

    @invariant()
    def every_balance_follows_from_transfers(self) -> None:
        assert [str(difference) for difference in selectors.reconcile()] == []


@pytest.mark.django_db
def test_every_sequence_of_commands_gives_the_balances_of_the_model() -> None:
    modest = settings(max_examples=12, stateful_step_count=15, deadline=None)
    run_state_machine_as_test(Books, settings=modest)
