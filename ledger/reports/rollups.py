"""Rollups of flows, which follow the transfers, and sums that are right however far the rollups have come.

A report adds the rollups to the transfers after them (`Progress`). Postings write nothing here, so they do not wait
for each other. See docs/decisions/rollups.md.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from eventstore.store import BEGINNING, Position, position_after
from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports import account_days, history, player_days, purposes, singles
from ledger.reports.figures import Flow, begins, days
from ledger.reports.flows import AT_PLAY, Span, cells, rows
from ledger.reports.models import (
    AccountDay,
    FlowRollup,
    PlayerCount,
    PlayerDay,
    PurposeSum,
    RollupProgress,
    StakeDay,
    StakeLine,
    SubjectDay,
)
from ledger.reports.progress import EVER, date_text, execute, numbers, reached

AT_ONCE = 5_000
"""Transfers that one transaction adds."""

_FLOW = "currency, day, stake_table, tournament, payer, receiver, refund, of"


def time_zone() -> ZoneInfo:
    return ZoneInfo(settings.RACECARD_TIME_ZONE)


# --- following ---------------------------------------------------------------------------------------


def follow() -> int:
    """Add the transfers that are final to the rollups, in batches that commit with their progress.

    After a change of the time zone it starts again. Returns the number of batches.
    """
    made = 0
    while advance():
        made += 1
    return made


def advance(limit: int = 0) -> bool:
    """Add the next transfers, at most `limit` or `AT_ONCE`; False if there are none."""
    zone = time_zone()
    with transaction.atomic():
        progress, _ = RollupProgress.objects.get_or_create(
            id=1, defaults=_position(BEGINNING) | {"zone": zone.key}
        )
        progress = RollupProgress.objects.select_for_update().get(id=1)
        after = Position(progress.epoch, progress.xact, progress.position)
        if progress.zone != zone.key:
            delete()
            progress.zone, after = zone.key, BEGINNING
        through = position_after(after, limit or AT_ONCE, table="ledger_transfer", key=True)
        if through is None:
            return False
        _add(Span(None, after=after, through=through), zone)
        for name, number in _position(through).items():
            setattr(progress, name, number)
        progress.save()
    return True


def rebuild() -> None:
    """Delete the rollups and make them again. Reports stay right meanwhile, but read more transfers."""
    with transaction.atomic():
        list(RollupProgress.objects.select_for_update())
        delete()
        RollupProgress.objects.all().delete()
    follow()


def delete() -> None:
    """Delete the rollups, but not how far they have come."""
    for model in (
        FlowRollup,
        PlayerDay,
        PlayerCount,
        PurposeSum,
        AccountDay,
        SubjectDay,
        StakeLine,
        StakeDay,
    ):
        model._default_manager.all().delete()


def _add(span: Span, zone: ZoneInfo) -> None:
    flows, given = cells(span, zone)
    for day in ("day", date_text(EVER)):
        key = _FLOW.replace("day", day, 1)
        execute(
            f"INSERT INTO ledger_flowrollup ({_FLOW}, amount, times, games) "
            f"SELECT {key}, sum(amount), sum(times), sum(games) FROM ({flows}) f WHERE 1 = 1 GROUP BY {numbers(8)} "
            f"ON CONFLICT ({_FLOW}) DO UPDATE SET amount = ledger_flowrollup.amount + excluded.amount, "
            "times = ledger_flowrollup.times + excluded.times, games = ledger_flowrollup.games + excluded.games",
            given,
        )
    player_days.add(span, zone)
    purposes.add(span)
    account_days.add(span)
    singles.add(span, zone)
    history.add(span)


def _position(at: Position) -> dict[str, int]:
    return {"epoch": at.epoch, "xact": at.xact, "position": at.identity}


# --- reading -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days of a currency, first and last inclusive; None: unbounded."""

    currency: str
    first: date | None = None
    last: date | None = None

    @property
    def days(self) -> player_days.Days:
        return self.first, self.last

    @property
    def span(self) -> Span:
        zone = time_zone()
        return Span(
            self.currency,
            None if self.first is None else begins(self.first, zone),
            None if self.last is None else days(self.last, self.last, zone)[0].ends,
        )


@dataclass(frozen=True, slots=True)
class Grouping:
    """A grouping of flows `f`: by `key`, an expression, restricted to those `among`.

    The stake table of a flow is `s`. `at_play` restricts them to flows of play.
    """

    key: str
    among: str = "1 = 1"
    at_play: bool = False


def flows(period: Period, by: Grouping) -> dict[Any, list[Flow]]:
    """Return the flows of a period, summed by key and kind, ordered by key. Call it in a snapshot."""
    source, given = _source(period)
    among = f"({by.among}) AND ({AT_PLAY})" if by.at_play else by.among
    sql = (
        f"SELECT {by.key}, f.payer, f.receiver, f.refund, f.of, sum(f.amount), sum(f.times), sum(f.games) "
        f"FROM ({source}) f LEFT JOIN ledger_staketable s ON s.id = f.stake_table WHERE {among} "
        f"GROUP BY {numbers(5)} ORDER BY {numbers(5)}"
    )
    found: dict[Any, list[Flow]] = {}
    for key, payer, receiver, refund, of, *sums in rows(sql, given):
        found.setdefault(_plain(key), []).append(Flow(payer, receiver, bool(refund), of, *map(int, sums)))
    return found


def _plain(key: Any) -> Any:
    return str(key) if isinstance(key, date) else key


def _source(period: Period) -> tuple[str, list[Any]]:
    """Return SQL for the rollups of the flows of a period, and for the flows after them."""
    zone = time_zone()
    after = reached(zone.key)
    tail, given = cells(replace(period.span, after=after), zone)
    if after is None:
        return tail, given
    within, values = ["currency = %s"], [period.currency]
    if period.first is period.last is None:
        within.append(f"day = {date_text(EVER)}")
    else:
        within += [f"day > {date_text(EVER)}"]
        within += [f"day >= {date_text(period.first)}"] if period.first else []
        within += [f"day <= {date_text(period.last)}"] if period.last else []
    return (
        f"SELECT {_FLOW}, amount, times, games FROM ledger_flowrollup WHERE {' AND '.join(within)} UNION ALL {tail}",
        [*values, *given],
    )


# --- reconciliation ----------------------------------------------------------------------------------

_DAYS, _TOTALS = "the flows of a day", "the flows of all days"
CHECKS = {
    _DAYS: "each daily sum of flows is that of the transfers that it contains",
    _TOTALS: "each sum of flows of all days is that of the transfers that it contains",
    **player_days.CHECKS,
    **purposes.CHECKS,
    **account_days.CHECKS,
    **singles.CHECKS,
    **history.CHECKS,
}
"""What each check verifies, by name."""


def _span() -> tuple[Span, ZoneInfo]:
    """Return the transfers that the rollups contain, and their time zone."""
    progress = RollupProgress.objects.first()
    zone = time_zone() if progress is None else ZoneInfo(progress.zone)
    return Span(None, through=reached() or BEGINNING), zone


def _check_flows() -> Iterator[Found]:
    derived, given = cells(*_span())
    ever = _FLOW.replace("day", date_text(EVER), 1)
    # The transfers are read once, for both the days and the sums of all days.
    sql = (
        f"WITH derived AS MATERIALIZED (SELECT {_FLOW}, sum(amount) AS amount, sum(times) AS times, "
        f"sum(games) AS games FROM ({derived}) d GROUP BY {_FLOW}) "
        f"SELECT {_FLOW}, sum(a), sum(b), sum(t), sum(g) FROM ("
        f"SELECT {_FLOW}, amount AS a, 0 AS b, times AS t, games AS g FROM ledger_flowrollup "
        f"UNION ALL SELECT {_FLOW}, 0, amount, -times, -games FROM derived "
        f"UNION ALL SELECT {ever}, 0, amount, -times, -games FROM derived) c "
        f"GROUP BY {_FLOW} HAVING sum(a) <> sum(b) OR sum(t) <> 0 OR sum(g) <> 0"
    )
    for currency, day, _, _, payer, receiver, _, _, recorded, expected, times, games in rows(sql, given):
        yield Difference(
            f"{payer} to {receiver} on {day}",
            currency,
            _TOTALS if str(day) == str(EVER) else _DAYS,
            f"{int(recorded)} pence, {int(times)} transfers and {int(games)} games too many",
            f"{int(expected)} pence",
        )
    for what, compared in ((_DAYS, ">"), (_TOTALS, "=")):
        [[number]] = rows(
            f"SELECT count(*) FROM ledger_flowrollup WHERE day {compared} {date_text(EVER)}", []
        )
        yield Checked(what, "sums", number)


CHECKS_BY_NAME: Mapping[str, Callable[[], Iterator[Found]]] = {
    "flows": _check_flows,
    "lines": history.check,
    "players": lambda: player_days.check(*_span()),
    "escrows": lambda: singles.check(*_span()),
    "accounts": lambda: account_days.check(_span()[0]),
    "purposes": lambda: purposes.check(_span()[0]),
}
"""Functions that compare rollups with the transfers that these contain, the slowest first."""


def check() -> Iterator[Found]:
    """Compare all rollups with the transfers that they contain."""
    for one in CHECKS_BY_NAME.values():
        yield from one()
