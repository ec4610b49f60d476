"""What today came to so far, for pages that are looked at often: a sum over today's transfers and no others."""

from __future__ import annotations

from datetime import datetime

from ledger.records.days import begins, today
from ledger.records.figures import Figures, figures
from ledger.records.flows import Grouping, Span, flows
from ledger.records.reports import time_zone


def result_today(*, currency: str, now: datetime) -> Figures:
    """The figures of today's reports, without counts of games and players."""
    zone = time_zone()
    span = Span(currency, begins(today(now, zone), zone))
    return figures(flow for _, flow in flows(span, Grouping(["'today'"])))
