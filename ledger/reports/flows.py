"""Flows of money, summed by the database by day, subject, or stake table.

The database computes sums and distinct counts, so memory depends on the report and not on the ledger.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from ledger.models import Transfer
from ledger.reports.figures import Day, Flow

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Transfers of one currency from `begins` up to but not including `ends`; None: unbounded.

    `subjects` restricts them to these subjects.
    """

    currency: str
    begins: datetime | None = None
    ends: datetime | None = None
    subjects: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Staked:
    """The numbers of different games and players among the stakes."""

    games: int
    players: int


def _side(account: str) -> str:
    return (
        f"CASE WHEN {account}.kind = 'player' THEN 'players' "
        f"WHEN {account}.purpose = 'escrow' THEN 'escrow' "
        f"WHEN {account}.purpose = 'bank' AND {account}.key = '' THEN 'guarantees' ELSE {account}.purpose END"
    )


_REFUNDS = ("refund", "bet cancelled", "bet refunded", "buy-in refunded", "buy-in given back")
REFUND = f"{{0}}.reason IN {_REFUNDS} OR {{0}}.key LIKE '%%:refund%%'"
"""SQL: the transfer `{0}` returns money that was not played for."""


def hyphenated(column: str) -> str:
    """Return SQL for a UUID as text with hyphens. SQLite stores it as 32 hexadecimal digits."""
    if connection.vendor == "postgresql":
        return f"{column}::text"
    parts = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
    return " || '-' || ".join(f"substr({column}, {start}, {length})" for start, length in parts)


def books() -> str:
    """Return SQL for the book of each subject with a stake table: what it is about, and the table.

    Cast to text, because SQLite builds an automatic index only for operands of one type.
    """
    game, market = (
        f"CAST('{kind}:' || {hyphenated(column)} AS text)"
        for kind, column in (("game", "game"), ("market", "id"))
    )
    return (
        f"SELECT {game} AS subject, {game} AS about, stake_table_id FROM ledger_gamestake "
        f"UNION SELECT {market}, subject, stake_table_id FROM ledger_market "
        "UNION SELECT subject, subject, stake_table_id FROM ledger_pot"
    )


def moved(
    span: Span, *, payers: Sequence[int] | None = None, receivers: Sequence[int] | None = None
) -> tuple[str, list[Any]]:
    """Return SQL for each transfer of a span as a flow; a reversal reduces the flow that it reverses.

    `payers` and `receivers` restrict the accounts.
    """
    within: list[str] = ["t.currency = %s"]
    given: list[Any] = [span.currency]
    for bound, compared in ((span.begins, ">="), (span.ends, "<")):
        if bound is not None:
            within.append(f"t.at {compared} %s")
            given.append(stored(bound))
    if span.subjects is not None:
        within.append(f"t.subject IN ({places(span.subjects)})")
        given += span.subjects
    for accounts, side in ((payers, "debit_id"), (receivers, "credit_id")):
        if accounts is not None:
            within.append(f"{{0}}.{side} IN ({places(accounts)})")
            given += accounts
    columns = (
        "t.at, t.subject, t.amount * {sign} AS amount, {sign} AS sign, d.kind AS payer_kind, d.key AS payer_key, "
        "d.purpose AS payer_purpose, c.kind AS receiver_kind, c.key AS receiver_key, c.purpose AS receiver_purpose, "
        f"{_side('d')} AS payer, {_side('c')} AS receiver, CASE WHEN {REFUND} THEN 1 ELSE 0 END AS refund"
    )
    joined = (
        "JOIN ledger_account d ON d.id = {0}.debit_id JOIN ledger_account c ON c.id = {0}.credit_id WHERE "
        + " AND ".join(within)
    )
    plain = (
        f"SELECT {columns.replace('{0}', 't').format(sign='1')} FROM ledger_transfer t {joined.format('t')} "
        "AND t.reverses_id IS NULL"
    )
    reversals = (
        f"SELECT {columns.replace('{0}', 'o').format(sign='-1')} FROM ledger_transfer t "
        f"JOIN ledger_transfer o ON o.position = t.reverses_id {joined.format('o')}"
    )
    return f"{plain} UNION ALL {reversals}", given * 2


@dataclass(frozen=True, slots=True)
class Book:
    about: str
    rules: str
    stake_table: str


def books_of(subjects: Sequence[str]) -> dict[str, Book]:
    """Return the books of these subjects."""
    sql = (
        f"SELECT b.subject, b.about, s.rules, s.slug FROM ({books()}) b "
        f"JOIN ledger_staketable s ON s.id = b.stake_table_id WHERE b.subject IN ({places(subjects)})"
    )
    return {subject: Book(*book) for subject, *book in _rows(sql, subjects)} if subjects else {}


def places(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values)) or "NULL"


def stored(at: datetime) -> Any:
    """Return an instant as the database compares it with `Transfer.at`."""
    return Transfer._meta.get_field("at").get_db_prep_value(at, connection)


AT_PLAY = "'escrow' IN (m.payer, m.receiver) OR 'players' IN (m.payer, m.receiver) AND 'bank' IN (m.payer, m.receiver)"
"""Flows of play, as opposed to deposits, payouts, and transfers between a player's own accounts."""

_STAKE = "m.payer = 'players' AND m.receiver = 'escrow' AND m.sign = 1"


@dataclass(frozen=True, slots=True)
class Grouping:
    """A grouping: `key` are expressions over a flow `m` and its book `b`; `among` restricts the flows."""

    key: Sequence[str]
    among: str = "1 = 1"
    given: Sequence[Any] = ()
    booked: bool = False
    """Whether the grouping uses books."""

    @property
    def source(self) -> str:
        book = f" LEFT JOIN ({books()}) b ON b.subject = m.subject" if self.booked else ""
        return f"FROM ({{moved}}) m{book} WHERE ({self.among})"


def flows(span: Span, by: Grouping) -> Iterator[tuple[Key, Flow]]:
    """Return the flows of a span, summed by key and kind, ordered by key."""
    key = ", ".join(by.key)
    source, given = moved(span)
    of = "CASE WHEN m.payer = 'escrow' THEN m.payer_kind WHEN m.receiver = 'escrow' THEN m.receiver_kind ELSE '' END"
    sql = (
        f"SELECT {key}, m.payer, m.receiver, m.refund, {of}, sum(m.amount), "
        f"sum(CASE m.sign WHEN 1 THEN 1 ELSE 0 END) {by.source.format(moved=source)} "
        f"GROUP BY {_numbers(len(by.key) + 4)} ORDER BY {_numbers(len(by.key) + 4)}"
    )
    width = len(by.key)
    for row in _rows(sql, [*given, *by.given]):
        payer, receiver, refund, of_, amount, count = row[width:]
        yield row[:width], Flow(payer, receiver, bool(refund), of_, int(amount), int(count))


def staked(span: Span, by: Grouping) -> Mapping[Key, Staked]:
    """Return the numbers of different staked games and players, by key."""
    source, given = moved(span)
    sql = (
        f"SELECT {', '.join(by.key)}, count(DISTINCT CASE m.receiver_kind WHEN 'game' THEN m.receiver_key END), "
        f"count(DISTINCT m.payer_key) {by.source.format(moved=source)} AND {_STAKE} GROUP BY {_numbers(len(by.key))}"
    )
    return {row[:-2]: Staked(row[-2], row[-1]) for row in _rows(sql, [*given, *by.given])}


def _numbers(count: int) -> str:
    return ", ".join(str(number) for number in range(1, count + 1))


def _rows(sql: str, given: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        while rows := cursor.fetchmany(500):
            yield from rows


def by_day(days: Sequence[Day]) -> Grouping:
    """Return the grouping by index in `days`."""
    bounds = [stored(day.begins) for day in days]
    if connection.vendor == "postgresql":
        return Grouping([f"width_bucket(m.at, ARRAY[{', '.join(map(_instant, days))}]) - 1"])
    connection.ensure_connection()
    # SQLite stores instants as text in their order.
    connection.connection.create_function(
        "racecard_day", 1, lambda at: bisect_right(bounds, at) - 1, deterministic=True
    )
    return Grouping(["racecard_day(m.at)"])


def _instant(day: Day) -> str:
    return f"TIMESTAMPTZ '{day.begins.isoformat()}'"
