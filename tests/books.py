"""After each test with a database: the books follow from what happened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eventstore.models import Event, Stream
from ledger.models import Transfer
from ledger.reconciliation.services import reconcile_all
from tests.databases import shared_rows


def reconciled(request: pytest.FixtureRequest) -> Iterator[None]:
    """Reconcile when the test is over, unless it has appended no event and posted no transfer.

    Rows that tests share are reconciled before the first of them.
    """
    if not {"db", "transactional_db"} & {*request.fixturenames}:
        yield
        return
    request.getfixturevalue("db")
    if shared_rows.made_by and shared_rows.reconciled is None:
        reconcile()
        shared_rows.reconciled = recorded()
    before = shared_rows.reconciled or (0, 0, 0)
    yield
    if recorded() != before:
        reconcile()


def recorded() -> tuple[int, int, int]:
    """How many events, streams and transfers there are."""
    return Event.objects.count(), Stream.objects.count(), Transfer.objects.count()


def reconcile() -> None:
    assert [str(difference) for difference in reconcile_all().differences] == []
