"""What a player's account has staked, lost, and received on each day in UTC, and the sums of a time window from it.

A window reads whole days from the rollups, and the transfers of its first and last day and those after the rollups.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports.flows import Span, places, rows, stored
from ledger.reports.models import AccountDay
from ledger.reports.progress import date_text, execute, numbers, reached, utc_day

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


_ELSEWHERE = "{o}.kind <> 'house' AND NOT ({o}.kind = 'player' AND {o}.key = a.key)"
_AT_RISK = "({o}.kind <> 'house' OR {o}.purpose = 'bank') AND NOT ({o}.kind = 'player' AND {o}.key = a.key)"


# Not as an equation, for which SQLite would begin with the accounts of all players.
_PLAYERS = "NOT a.kind <> 'player'"


def _sides(condition: str, *, reversals: bool) -> str:
    """Return SQL for the sums of each transfer `t` under the condition, by account and time.

    `{side}` in the condition is the column of the account. A reversed deposit counts as a negative one at the time of
    the deposit, or with `reversals` false not at all.
    """
    elsewhere, at_risk, plain = _ELSEWHERE.format(o="o"), _AT_RISK.format(o="o"), "t.reverses_id IS NULL"
    refund = f"{plain} AND t.reason IN {REFUNDS} AND {elsewhere}"
    deposit = f"{plain} AND o.kind = 'house' AND o.purpose = 'external'"
    if not reversals:
        deposit += " AND NOT EXISTS (SELECT 1 FROM ledger_transfer r WHERE r.reverses_id = t.position)"
    sides = [
        f"SELECT a.id AS account, t.at, CASE WHEN {plain} AND {elsewhere} THEN 1 ELSE 0 END AS stakes, "
        f"CASE WHEN {plain} AND {elsewhere} THEN t.amount ELSE 0 END AS staked, "
        f"CASE WHEN {at_risk} THEN t.amount ELSE 0 END AS paid, "
        f"CASE WHEN {at_risk} AND NOT {plain} THEN t.amount ELSE 0 END AS taken_back, "
        "0 AS received, 0 AS refunded, 0 AS deposited "
        "FROM ledger_transfer t JOIN ledger_account a ON a.id = t.debit_id JOIN ledger_account o ON o.id = t.credit_id "
        f"WHERE {_PLAYERS} AND {condition.format(side='t.debit_id', at='t.at')}",
        f"SELECT a.id, t.at, 0, 0, 0, 0, CASE WHEN {at_risk} THEN t.amount ELSE 0 END, "
        f"CASE WHEN {refund} THEN t.amount ELSE 0 END, CASE WHEN {deposit} THEN t.amount ELSE 0 END "
        "FROM ledger_transfer t JOIN ledger_account a ON a.id = t.credit_id JOIN ledger_account o ON o.id = t.debit_id "
        f"WHERE {_PLAYERS} AND {condition.format(side='t.credit_id', at='t.at')}",
    ]
    if reversals:
        sides.append(
            "SELECT a.id, d.at, 0, 0, 0, 0, 0, 0, -d.amount FROM ledger_transfer t "
            "JOIN ledger_transfer d ON d.position = t.reverses_id JOIN ledger_account a ON a.id = d.credit_id "
            "JOIN ledger_account o ON o.id = d.debit_id "
            f"WHERE {_PLAYERS} AND NOT o.kind <> 'house' AND NOT o.purpose <> 'external' "
            f"AND {condition.format(side='t.debit_id', at='d.at')}"
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


def sums(windows: Sequence[Window]) -> list[Sums]:
    """Return the sums of each window, by one statement."""
    position = reached()
    tail = None if position is None else Span(None, after=position)
    parts: list[str] = []
    given: list[Any] = []
    for number, window in enumerate(windows):
        for sql, values in _window(window, tail):
            parts.append(f"SELECT {number} AS number, {_NAMES} FROM ({sql}) w{len(parts)}")
            given += values
    totals = {
        number: Sums(*map(int, found))
        for number, *found in rows(
            f"SELECT number, {_SUMS} FROM ({' UNION ALL '.join(parts)}) w GROUP BY 1", given
        )
    }
    return [totals.get(number, Sums(*[0] * len(Sums._fields))) for number in range(len(windows))]


def _window(window: Window, tail: Span | None) -> Iterator[tuple[str, list[Any]]]:
    """Yield SQL for the parts of a window: its first and last day, the rollups, and the transfers after them."""
    first = window.start.astimezone(UTC).date() + timedelta(days=1)
    last = None if window.until is None else window.until.astimezone(UTC).date()
    end = [] if window.until is None else [("<=", window.until)]
    if tail is None or (last is not None and last <= first):
        yield _live(window.accounts, [(">", window.start), *end])
        return
    bounds = [(">=", _begin(first)), *([] if last is None else [("<", _begin(last))])]
    yield _live(window.accounts, [(">", window.start), ("<", _begin(first))])
    if last is not None:
        yield _live(window.accounts, [(">=", _begin(last)), *end])
    days = f"account IN ({places(window.accounts)}) AND day >= {date_text(first)}"
    days += "" if last is None else f" AND day < {date_text(last)}"
    yield f"SELECT {_NAMES} FROM ledger_accountday WHERE {days}", [*window.accounts]
    yield _later(window.accounts, bounds, tail)


def _live(accounts: Sequence[int], bounds: Sequence[tuple[str, datetime]]) -> tuple[str, list[Any]]:
    condition, given = _condition(accounts, bounds)
    return _sides(condition, reversals=False), given * 2


def _later(
    accounts: Sequence[int], bounds: Sequence[tuple[str, datetime]], tail: Span
) -> tuple[str, list[Any]]:
    condition, given = _condition(accounts, bounds)
    # The sign keeps the database from the index of the account, which may have many more transfers.
    condition = condition.replace("{side}", "+{side}")
    within, values = tail.conditions()
    return _sides(" AND ".join([condition, *within]), reversals=True), [*given, *values] * 3


def _condition(accounts: Sequence[int], bounds: Sequence[tuple[str, datetime]]) -> tuple[str, list[Any]]:
    condition = f"{{side}} IN ({places(accounts)})" + "".join(f" AND {{at}} {how} %s" for how, _ in bounds)
    return condition, [*accounts, *(stored(at) for _, at in bounds)]


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


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
