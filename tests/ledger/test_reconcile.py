"""`manage.py reconcile` says that all is well, or exactly what is not."""

from __future__ import annotations

from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from eventstore import triggers
from ledger import selectors, services
from ledger.models import PlaySession, StakeTable
from ledger.testing import AT, CURRENCY, cash, fund

pytestmark = pytest.mark.django_db


def test_books_in_order_are_said_to_be(cashed_in: PlaySession, vegas: StakeTable) -> None:
    out = StringIO()
    call_command("reconcile", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[-1] == "Every balance follows from the transfers."
    assert lines[-2].split()[0] == "total"
    assert lines[-2].endswith("0.00")


def test_a_difference_is_named_and_is_a_failure() -> None:
    account = cash(uuid4())
    fund(account, 1000)
    told = StringIO()
    with transaction.atomic():
        with triggers.removed(), connection.cursor() as cursor:
            cursor.execute("UPDATE ledger_account SET credits = 1234 WHERE id = %s", [account.pk])
        with pytest.raises(CommandError, match="2 differences"):
            call_command("reconcile", stdout=StringIO(), stderr=told)
        transaction.set_rollback(True)
    assert f"{account.text} {CURRENCY}: credits is 1234, but should be 1000" in told.getvalue()
    assert f"all accounts {CURRENCY}: the total is 234, but should be 0" in told.getvalue()


def test_an_escrow_that_was_not_emptied_is_named(cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = uuid4()
    services.take_stake(
        session=cashed_in, game=game, stake=104, max_win=416, stake_table=vegas, event=3, at=AT
    )
    assert list(selectors.reconcile()) == []
    services.settle_stake(game=game, winnings=0, event=9, at=AT)
    with transaction.atomic():
        fund(services.account(owner=f"game:{game}", purpose="escrow", currency=CURRENCY), 7)
        (difference,) = selectors.reconcile()
        transaction.set_rollback(True)
    assert (difference.what, difference.account, difference.recorded) == (
        "the escrow of an ended game",
        f"game:{game}/escrow",
        7,
    )


def test_a_trial_balance_has_no_more_rows_as_the_ledger_grows() -> None:
    account = cash(uuid4())
    for _ in range(3):
        fund(account, 10)
    few = len(selectors.trial_balance(CURRENCY).rows)
    for _ in range(30):
        fund(cash(uuid4()), 10)
    assert len(selectors.trial_balance(CURRENCY).rows) == few
