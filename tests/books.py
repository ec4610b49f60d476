"""After each test with a database: the books follow from what happened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventstore.models import Event, Stream
from ledger.models import Transfer
from ledger.reconciliation.services import PARTS, SUBJECTS, reconcile_part
from tests.databases import shared_rows

ALWAYS = ("books", SUBJECTS)
"""The parts that are checked after each test. The others compare rollups, which few tests make."""

_reconciled: set[Path] = set()
"""The modules of which one test has been reconciled in whole."""


def reconciled(request: pytest.FixtureRequest) -> Iterator[None]:
    """Reconcile when the test is over, unless it has appended no event and posted no transfer.

    Everything is checked after one test of each module, and after every test with RACECARD_TEST_ALL=1, as in
    `make nightly`. Rows that tests share are reconciled before the first of them.
    """
    if not uses_database(request):
        yield
        return
    request.getfixturevalue("db")
    if shared_rows.made_by and shared_rows.reconciled is None:
        reconcile()
        shared_rows.reconciled = recorded()
    before = shared_rows.reconciled or (0, 0, 0)
    yield
    if recorded() != before:
        reconcile(whole=request.path not in _reconciled or bool(os.environ.get("RACECARD_TEST_ALL")))
        _reconciled.add(request.path)


def uses_database(request: pytest.FixtureRequest) -> bool:
    fixtures = {"db", "transactional_db"} & {*request.fixturenames}
    return bool(fixtures) or request.node.get_closest_marker("django_db") is not None


def recorded() -> tuple[int, int, int]:
    """How many events, streams and transfers there are."""
    return Event.objects.count(), Stream.objects.count(), Transfer.objects.count()


def reconcile(*, whole: bool = True) -> None:
    parts = (*PARTS, SUBJECTS) if whole else ALWAYS
    assert [str(found) for part in parts for found in reconcile_part(part).differences] == []
