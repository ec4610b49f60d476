"""What a player's account has staked, lost, and received on each day in UTC, and the sums of a time window from it.

A window reads whole days from the rollups, and the transfers of its first and last day and those after the rollups.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db import connection

from eventstore.store import Position
from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports.flows import Span, places, rows, stored
from ledger.reports.models import AccountDay
from ledger.reports.progress import execute, numbers, reached, utc_day

REFUNDS = (
    *("refund", "bet cancelled", "bet refunded", "withdrawal", "cancelled"),
    *("buy-in given back", "buy-in refunded"),
)
"""Reasons of transfers from an escrow that undo a stake. Any other reason is a return."""


class Sums(NamedTuple):
    """Sums of transfers from and to accounts of players, in pence; `stakes` is a count.

    `paid` and `received` have escrows and banks on the other side. `taken_back` is the part of `paid` that reverses
    what was received, and `refunded` the part of `received` that undoes stakes. `deposited` is less what was reversed.
    """

    stakes: int
    staked: int
    paid: int
    taken_back: int
    received: int
    refunded: int
    deposited: int


@dataclass(frozen=True, slots=True)
class Window:
    """Transfers of accounts after `start`, and until `until` if given, inclusive."""

    accounts: Sequence[int]
    start: datetime
    until: datetime | None = None


DAY = timedelta(days=1)
LATEST = datetime(9999, 12, 30, tzinfo=UTC)
"""Later than any transfer."""

_ELSEWHERE = "{o}.kind <> 'house' AND NOT ({o}.kind = 'player' AND {o}.key = a.key)"
_AT_RISK = "({o}.kind <> 'house' OR {o}.purpose = 'bank') AND NOT ({o}.kind = 'player' AND {o}.key = a.key)"


# Not as an equation, for which SQLite would begin with the accounts of all players.
_PLAYERS = "NOT a.kind <> 'player'"


def _sides(
    condition: str, *, reversals: bool, key: str = "a.id AS account, {at} AS at", before: str = ""
) -> str:
    """Return SQL for the sums of each transfer `t` under the condition, with the columns `key`.

    `{side}` in key and condition is the column of the account, and `{at}` the time. A reversed deposit counts as a
    negative one at the time of the deposit, or with `reversals` false not at all. `before` is joined before `t`.
    """
    elsewhere, at_risk, plain = _ELSEWHERE.format(o="o"), _AT_RISK.format(o="o"), "t.reverses_id IS NULL"
    refund = f"{plain} AND t.reason IN {REFUNDS} AND {elsewhere}"
    deposit = f"{plain} AND o.kind = 'house' AND o.purpose = 'external'"
    if not reversals:
        deposit += " AND NOT EXISTS (SELECT 1 FROM ledger_transfer r WHERE r.reverses_id = t.position)"
    # The signs at the accounts keep PostgreSQL from joining them first, after which it would read all their transfers.
    paid, received = ({"side": f"t.{side}_id", "at": "t.at"} for side in ("debit", "credit"))
    sides = [
        f"SELECT {key.format(**paid)}, CASE WHEN {plain} AND {elsewhere} THEN 1 ELSE 0 END AS stakes, "
        f"CASE WHEN {plain} AND {elsewhere} THEN t.amount ELSE 0 END AS staked, "
        f"CASE WHEN {at_risk} THEN t.amount ELSE 0 END AS paid, "
        f"CASE WHEN {at_risk} AND NOT {plain} THEN t.amount ELSE 0 END AS taken_back, "
        "0 AS received, 0 AS refunded, 0 AS deposited "
        f"FROM {before}ledger_transfer t "
        "JOIN ledger_account a ON a.id = +t.debit_id JOIN ledger_account o ON o.id = t.credit_id "
        f"WHERE {_PLAYERS} AND {condition.format(**paid)}",
        f"SELECT {key.format(**received)}, 0, 0, 0, 0, CASE WHEN {at_risk} THEN t.amount ELSE 0 END, "
        f"CASE WHEN {refund} THEN t.amount ELSE 0 END, CASE WHEN {deposit} THEN t.amount ELSE 0 END "
        f"FROM {before}ledger_transfer t "
        "JOIN ledger_account a ON a.id = +t.credit_id JOIN ledger_account o ON o.id = t.debit_id "
        f"WHERE {_PLAYERS} AND {condition.format(**received)}",
    ]
    if reversals:
        undone = {"side": "t.debit_id", "at": "d.at"}
        sides.append(
            f"SELECT {key.format(**undone)}, 0, 0, 0, 0, 0, 0, -d.amount FROM {before}ledger_transfer t "
            "JOIN ledger_transfer d ON d.position = t.reverses_id JOIN ledger_account a ON a.id = d.credit_id "
            "JOIN ledger_account o ON o.id = d.debit_id "
            f"WHERE {_PLAYERS} AND NOT o.kind <> 'house' AND NOT o.purpose <> 'external' "
            f"AND {condition.format(**undone)}"
        )
    return " UNION ALL ".join(sides)


# --- following ---------------------------------------------------------------------------------------

_SUMS = ", ".join(f"sum({name}) AS {name}" for name in Sums._fields)
_NAMES = ", ".join(Sums._fields)


def add(span: Span) -> None:
    """Add the transfers of a part of the order of checkpoints to the rollups."""
    derived, given = _derived(span)
    added = ", ".join(f"{name} = ledger_accountday.{name} + excluded.{name}" for name in Sums._fields)
    execute(
        f"INSERT INTO ledger_accountday (account, day, {_NAMES}) SELECT * FROM ({derived}) d WHERE 1 = 1 "
        f"ON CONFLICT (account, day) DO UPDATE SET {added}",
        given,
    )


def _derived(span: Span) -> tuple[str, list[Any]]:
    """Return SQL for the rows of `AccountDay` from the transfers of a span."""
    within, given = span.conditions()
    every = _sides(" AND ".join(within), reversals=True)
    return (
        f"SELECT account, {utc_day('at')} AS day, {_SUMS} FROM ({every}) s GROUP BY {numbers(2)} HAVING "
        + " OR ".join(f"sum({name}) <> 0" for name in Sums._fields),
        given * every.count("ledger_transfer t"),
    )


# --- reading -----------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A part of a window: transfers of one account after an instant, up to and including another."""

    number: int
    account: int
    after: datetime
    until: datetime


def sums(windows: Sequence[Window]) -> list[Sums]:
    """Return the sums of each window, by one statement.

    It is as long for many windows as for one: on PostgreSQL the planning of a long one takes more than its work.
    """
    position = reached()
    live: list[_Part] = []
    whole: list[_Part] = []
    for number, window in enumerate(windows):
        _divide(number, window, live, whole if position else live)
    tables, sources, given = [], [], []
    if live:
        tables.append(_table("live", "after, until", live))
        given += [one for each in live for one in (*each[:2], *map(stored, each[2:]))]
    if whole:
        tables.append(_table("whole", "after, until, first, last", whole))
        given += [one for each in whole for one in (*each[:2], *map(stored, each[2:]), *map(_day, each[2:]))]
    if live:
        # In this order SQLite reads each part by the index of its account.
        inside = "{side} = p.account AND {at} > p.after AND {at} <= p.until"
        sources.append(_sides(inside, reversals=False, key="p.number", before="live p CROSS JOIN "))
    if whole:
        sources.append(
            f"SELECT p.number, {_NAMES} FROM whole p CROSS JOIN ledger_accountday s "
            "WHERE s.account = p.account AND s.day > p.first AND s.day <= p.last"
        )
        tail, values = _after_the_rollups(sorted({each.account for each in whole}), position)
        sources.append(
            f"SELECT p.number, {_NAMES} FROM ({tail}) s CROSS JOIN whole p "
            "WHERE s.account = p.account AND s.at > p.after AND s.at <= p.until"
        )
        given += values
    totals = {}
    if sources:
        sql = f"SELECT number, {_SUMS} FROM ({' UNION ALL '.join(sources)}) w GROUP BY 1"
        found = rows(f"WITH {', '.join(tables)} {sql}", given)
        totals = {number: Sums(*map(int, columns)) for number, *columns in found}
    return [totals.get(number, Sums(*[0] * len(Sums._fields))) for number in range(len(windows))]


def _divide(number: int, window: Window, live: list[_Part], whole: list[_Part]) -> None:
    """Divide a window into its first and last day, and the whole days between, for each account."""
    first = _end(window.start)
    until = window.until or LATEST
    last = _end(until - DAY)
    for account in window.accounts:
        if live is whole or last <= first:
            live.append(_Part(number, account, window.start, until))
            continue
        live.append(_Part(number, account, window.start, first))
        live.append(_Part(number, account, last, until))
        whole.append(_Part(number, account, first, last))


def _table(name: str, columns: str, parts: Sequence[_Part]) -> str:
    """Return SQL for a table of these parts."""
    row = ", ".join(["%s"] * (2 + len(columns.split(", "))))
    return f"{name} (number, account, {columns}) AS (VALUES {', '.join([f'({row})'] * len(parts))})"


def _after_the_rollups(accounts: Sequence[int], position: Position | None) -> tuple[str, list[Any]]:
    """Return SQL for the sums of the transfers of accounts that the rollups do not contain yet."""
    within, given = Span(None, after=position).conditions()
    # The sign keeps the database from the index of the account, which may have many more transfers.
    within.append(f"+{{side}} IN ({places(accounts)})")
    every = _sides(" AND ".join(within), reversals=True)
    return every, [*given, *accounts] * every.count("ledger_transfer t")


def _end(at: datetime) -> datetime:
    """Return the last instant of a day in UTC."""
    return datetime.combine(at.astimezone(UTC).date(), time.max, UTC)


def _day(at: datetime) -> Any:
    """Return the day of an instant as the database compares it with a day."""
    return connection.ops.adapt_datefield_value(at.astimezone(UTC).date())


# --- reconciliation ----------------------------------------------------------------------------------

CHECK = "the play of a player's account on a day"
CHECKS = {CHECK: "each daily sum of a player's account is that of the transfers that it contains"}


def check(span: Span) -> Iterator[Found]:
    """Compare the rollups with the transfers of the span that they contain."""
    derived, given = _derived(span)
    differ = " OR ".join(f"sum({name}) <> 0" for name in Sums._fields)
    minus = ", ".join(f"-{name}" for name in Sums._fields)
    sql = (
        f"SELECT account, day, {_SUMS} FROM (SELECT account, day, {_NAMES} FROM ledger_accountday "
        f"UNION ALL SELECT account, day, {minus} FROM ({derived}) d) c GROUP BY {numbers(2)} HAVING {differ}"
    )
    for account, day, *wrong in rows(sql, given):
        too_much = Sums(*map(int, wrong))._asdict()
        recorded = ", ".join(f"{name} {amount:+}" for name, amount in too_much.items() if amount)
        yield Difference(f"account {account} on {day}", "", CHECK, f"{recorded} too much", "none too much")
    yield Checked(CHECK, "sums", AccountDay.objects.count())
