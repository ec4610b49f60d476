"""An account's statement over any time: what it had before, every line, what it had then.

A transfer belongs to the instant of its `at`. The balance of an instant is the sum of the transfers made until then,
those of that instant with it; clocks of several machines may differ, so `at` need not grow with the order of posting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice

from django.db.models import Q

from ledger.lines import LineKind, kind_of
from ledger.models import Account, Transfer
from ledger.selectors import Line, about_of, line, one_snapshot, total_at

AT_ONCE = 1000
"""Rows that are fetched at once."""

_INSTANT = timedelta(microseconds=1)
"""The least time between two."""


@dataclass(frozen=True, slots=True)
class Range:
    """From one instant to another, both with it; None: from the first transfer, or until the last."""

    begins: datetime | None = None
    until: datetime | None = None

    @property
    def condition(self) -> Q:
        begins = Q() if self.begins is None else Q(at__gte=self.begins)
        return begins if self.until is None else begins & Q(at__lte=self.until)

    def opening(self, account: Account) -> int:
        """What the account had before."""
        return 0 if self.begins is None else total_at(account, self.begins - _INSTANT)

    def closing(self, account: Account) -> int:
        """What the account had at the end."""
        if self.until is not None:
            return total_at(account, self.until)
        account.refresh_from_db(fields=["debits", "credits"])
        return account.total


def oldest_first(account: Account, range: Range, kind: LineKind | None = None) -> Iterator[Line]:
    """Every line of a range, or those of a kind; a page of them in mind at a time."""
    with one_snapshot():
        running = range.opening(account)
        paid, received = (
            Transfer.objects.with_accounts()
            .select_related("reverses", "reversed_by")
            .filter(range.condition, **{side: account})
            .order_by("at", "position")
            .iterator(chunk_size=AT_ONCE)
            for side in ("debit", "credit")
        )
        rows = merge(paid, received, key=lambda row: (row.at, row.position))
        while page := list(islice(rows, AT_ONCE)):
            about = about_of(page)
            for row in page:
                running += row.amount if row.credit_id == account.pk else -row.amount
                if kind is None or kind_of(row) == kind:
                    yield line(account, row, running, about=about.get(row.subject))
