"""Jobs that read the whole log keep one page in memory, so that their memory does not grow with the log."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest

from audit.services import verify_storage
from eventstore import ranges, store
from eventstore.checkpoints import service as checkpoint
from eventstore.store import EMPTY, NewEvent
from ledger import selectors
from ledger.models import Account
from ledger.reports import export, reports, spreadsheets, statements
from ledger.services import Leg, post
from tests.money import AT, CURRENCY, cash, fresh_key, fund
from tests.waiting import wait_until_final

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SHORT, LONG = 240, 720
"""Events, and transfers, of the two logs that are compared; several pages already in the short one."""


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for bound in ("EVENTS", "EVENTS_PER_PAGE", "IDS_PER_PAGE"):
        monkeypatch.setattr(ranges, bound, 100)
    monkeypatch.setattr(checkpoint, "MOST_LEAVES", 100)
    for pages in (export, statements, spreadsheets):
        monkeypatch.setattr(pages, "AT_ONCE", 40)


def grow(count: int) -> None:
    """Add events in streams of 40, transfers between accounts of 40 players, and checkpoints over all."""
    for _ in range(count // 40):
        events = [NewEvent("told", {"n": n, "text": "x" * 50}) for n in range(40)]
        store.append(uuid4(), events, kind="test", expected=EMPTY, at=AT)
        one, other = cash(uuid4()), cash(uuid4())
        fund(one, 1000)
        post(key=fresh_key(), legs=[Leg(one, other, 1, "x")] * 39, actor="test", at=AT)
    wait_until_final()
    moment = AT
    while checkpoint.make(moment):
        moment += timedelta(seconds=1)


def peak(work: Callable[[], object]) -> int:
    """Return the largest number of bytes that Python allocated during the work."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def outside() -> Account:
    """Return the external account, whose statement has a line for every funded wallet."""
    return Account.objects.get(purpose="external", currency=CURRENCY)


def verify_the_log() -> None:
    report = verify_storage()
    assert report.ok
    assert report.counted["checkpoints"] > 2


WORKS: dict[str, Callable[[], object]] = {
    "verification": verify_the_log,
    "trial balance": lambda: selectors.trial_balance(CURRENCY),
    "reconciliation": lambda: list(selectors.reconcile()),
    "export for hledger": lambda: sum(map(len, export.export("hledger"))),
    "export for beancount": lambda: sum(map(len, export.export("beancount"))),
    "statement of the world outside": lambda: sum(
        1 for _ in statements.oldest_first([outside()], statements.Range())
    ),
    "statement as CSV": lambda: sum(
        map(
            len,
            spreadsheets.table(
                ["balance"],
                ([line.balance] for line in statements.oldest_first([outside()], statements.Range())),
            ),
        )
    ),
    "report of days": lambda: reports.day_reports(currency=CURRENCY, first=AT.date(), last=AT.date()),
    "report of games": lambda: reports.game_reports(reports.Period(CURRENCY)),
    "export of checkpoints": lambda: sum(1 for _ in checkpoint.export()),
}


def test_memory_does_not_grow_with_the_log() -> None:
    grow(SHORT)
    for work in WORKS.values():
        work()  # objects that are created once and cached
    before = {name: peak(work) for name, work in WORKS.items()}
    grow(LONG - SHORT)
    after = {name: peak(work) for name, work in WORKS.items()}
    grown = {name: (before[name], after[name]) for name in WORKS if after[name] > 1.3 * before[name] + 30_000}
    assert grown == {}
