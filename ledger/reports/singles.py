"""Lists of single games and tournaments with transfers in a period, from the escrows recorded for each day."""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from zoneinfo import ZoneInfo

from django.db.models import Exists, Max, OuterRef, Q

from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports.flows import Span, rows, subjects
from ledger.reports.models import SubjectDay
from ledger.reports.progress import execute, numbers, reached

_COLUMNS = "currency, tournament, rules, day, escrow"


@dataclass(frozen=True, slots=True)
class Kind:
    """Tournaments and the markets on them, or games of these rules and the markets on them."""

    tournament: bool
    rules: str = ""


TOURNAMENTS = Kind(tournament=True)

Place = tuple[date, int]
"""The last day in the period on which an escrow had transfers, and its id."""


def page(
    kind: Kind,
    span: Span,
    zone: ZoneInfo,
    days: tuple[date | None, date | None],
    *,
    after: Place | None,
    most: int,
) -> list[Place]:
    """Return the escrows with transfers in the span, whose first and last days are `days`, newest day first."""
    first, last = days
    within = Q() if first is None else Q(day__gte=first)
    within &= Q() if last is None else Q(day__lte=last)
    later_day = SubjectDay.objects.filter(within, escrow=OuterRef("escrow"), day__gt=OuterRef("day"))
    # SQLite uses an index for a boolean only if it is compared with a value, as by IN.
    recorded = SubjectDay.objects.filter(
        within, currency=span.currency, tournament__in=[kind.tournament], rules=kind.rules
    )
    later = _later(kind, span, zone)
    # A later transfer may be of an earlier day, such as one by another machine just before midnight.
    newest = recorded.filter(escrow__in=list(later)).values_list("escrow").annotate(Max("day"))
    later |= {escrow: max(day, later[escrow]) for escrow, day in newest}
    found = recorded.exclude(Exists(later_day))
    if after is not None:
        day, escrow = after
        found = found.filter(Q(day__lt=day) | Q(day=day, escrow__lt=escrow), day__lte=day)
    if later:
        found = found.exclude(escrow__in=list(later))
    places: list[Place] = list(found.order_by("-day", "-escrow").values_list("day", "escrow")[:most])
    places += [(day, escrow) for escrow, day in later.items() if after is None or (day, escrow) < after]
    return sorted(places, reverse=True)[:most]


def _later(kind: Kind, span: Span, zone: ZoneInfo) -> dict[int, date]:
    """Return the last day of each escrow with transfers of the span that the rollups do not contain yet."""
    derived, given = subjects(replace(span, after=reached(zone.key)), zone)
    sql = f"SELECT tournament, rules, escrow, max(day) FROM ({derived}) d GROUP BY {numbers(3)}"
    return {
        escrow: day if isinstance(day, date) else date.fromisoformat(day)
        for tournament, rules, escrow, day in rows(sql, given)
        if Kind(bool(tournament), rules) == kind
    }


def add(span: Span, zone: ZoneInfo) -> None:
    """Add the escrows of a part of the order of checkpoints."""
    derived, given = subjects(span, zone)
    execute(
        f"INSERT INTO ledger_subjectday ({_COLUMNS}) SELECT DISTINCT {_COLUMNS} FROM ({derived}) d WHERE 1 = 1 "
        f"ON CONFLICT ({_COLUMNS}) DO NOTHING",
        given,
    )


CHECK = "the escrows of a day"
CHECKS = {CHECK: "the escrows recorded for a day are those with transfers on it"}


def check(span: Span, zone: ZoneInfo) -> Iterator[Found]:
    """Compare the recorded escrows with the transfers of the span."""
    derived, given = subjects(span, zone)
    sql = (
        f"SELECT {_COLUMNS}, max(a) FROM (SELECT {_COLUMNS}, 1 AS a, 0 AS b FROM ledger_subjectday "
        f"UNION ALL SELECT {_COLUMNS}, 0, 1 FROM ({derived}) d) c GROUP BY {_COLUMNS} HAVING max(a) <> max(b)"
    )
    for currency, _, _, day, escrow, recorded in rows(sql, given):
        yield Difference.of_row(f"account {escrow} on {day}", currency, CHECK, recorded=bool(recorded))
    yield Checked(CHECK, "escrows", SubjectDay.objects.count())
