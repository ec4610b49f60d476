"""Flows of money as SQL: each transfer with its sides, its day, and its stake table.

The database computes sums and distinct counts, so memory depends on the report and not on the ledger.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from eventstore.store import Position, position_is, position_values
from ledger.models import Transfer
from ledger.reports.figures import begins


@dataclass(frozen=True, slots=True)
class Span:
    """Transfers of one currency, or of all, from `begins` up to but not including `ends`; None: unbounded.

    `subjects` restricts them to these subjects, `after` and `through` to a part of the order of checkpoints.
    """

    currency: str | None
    begins: datetime | None = None
    ends: datetime | None = None
    subjects: Sequence[str] | None = None
    after: Position | None = None
    through: Position | None = None

    def conditions(self) -> tuple[list[str], list[Any]]:
        """Return SQL conditions on a transfer `t`, and their values."""
        within: list[str] = ["1 = 1"]
        given: list[Any] = []
        if self.currency is not None:
            within.append("t.currency = %s")
            given.append(self.currency)
        for bound, compared in ((self.begins, ">="), (self.ends, "<")):
            if bound is not None:
                within.append(f"t.at {compared} %s")
                given.append(stored(bound))
        if self.subjects is not None:
            within.append(f"t.subject IN ({places(self.subjects)})")
            given += self.subjects
        for position, compared in ((self.after, ">"), (self.through, "<=")):
            if position is not None:
                within.append(position_is(compared, "t.", key=True))
                given += position_values(position, key=True)
        return within, given


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


def id_of(kind: str, kind_column: str, key: str) -> str:
    """Return SQL for a key as an id, as the database stores it; NULL if it is of another kind, or not an id."""
    if connection.vendor == "postgresql":
        uuid = "'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'"
        return f"CASE WHEN {kind_column} = '{kind}' AND {key} ~ {uuid} THEN {key}::uuid END"
    return f"CASE WHEN {kind_column} = '{kind}' THEN replace({key}, '-', '') END"


def _id_in(subject: str, kind: str) -> str:
    """Return SQL for the id in the text of a subject of this kind; otherwise NULL."""
    return id_of(kind, f"substr({subject}, 1, {len(kind)})", f"substr({subject}, {len(kind) + 2})")


def books(subject: str) -> str:
    """Return SQL that joins the book of a subject: its stake on the bank, its market, or its pot."""
    return (
        f"LEFT JOIN ledger_gamestake bs ON bs.game = {_id_in(subject, 'game')} "
        f"LEFT JOIN ledger_market bm ON bm.id = {_id_in(subject, 'market')} "
        f"LEFT JOIN ledger_pot bp ON bp.subject = {subject}"
    )


STAKE_TABLE = "coalesce(bs.stake_table_id, bm.stake_table_id, bp.stake_table_id)"
"""SQL: the stake table of a joined book, or NULL."""


def moved(
    span: Span, *, payers: Sequence[int] | None = None, receivers: Sequence[int] | None = None
) -> tuple[str, list[Any]]:
    """Return SQL for each transfer of a span as a flow; a reversal reduces the flow that it reverses.

    `payers` and `receivers` restrict the accounts.
    """
    within, given = span.conditions()
    for accounts, side in ((payers, "debit_id"), (receivers, "credit_id")):
        if accounts is not None:
            within.append(f"{{0}}.{side} IN ({', '.join(map(str, accounts)) or 'NULL'})")
    columns = (
        "t.currency, t.at, t.subject, t.epoch, t.xact, t.position, t.amount * {sign} AS amount, {sign} AS sign, "
        "{0}.debit_id, {0}.credit_id, d.kind AS payer_kind, d.key AS payer_key, "
        "d.purpose AS payer_purpose, c.kind AS receiver_kind, c.key AS receiver_key, c.purpose AS receiver_purpose, "
        f"{_side('d')} AS payer, {_side('c')} AS receiver, CASE WHEN {REFUND} THEN true ELSE false END AS refund"
    )
    joined = (
        "JOIN ledger_account d ON d.id = {0}.debit_id JOIN ledger_account c ON c.id = {0}.credit_id WHERE "
        + " AND ".join(within)
    )
    plain = (
        f"SELECT {columns.replace('{0}', 't').format(sign='1')} FROM ledger_transfer t {joined.format('t')} "
        # The sign keeps SQLite from the index of reversals, in which nearly all transfers are equal.
        "AND +t.reverses_id IS NULL"
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
        f"SELECT t.subject, coalesce(bm.subject, t.subject), s.rules, s.slug FROM ("
        f"SELECT DISTINCT subject FROM ledger_transfer WHERE subject IN ({places(subjects)})) t {books('t.subject')} "
        f"JOIN ledger_staketable s ON s.id = {STAKE_TABLE}"
    )
    return {subject: Book(*book) for subject, *book in rows(sql, subjects)} if subjects else {}


def places(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values)) or "NULL"


def stored(at: datetime) -> Any:
    """Return an instant as the database compares it with `Transfer.at`."""
    return Transfer._meta.get_field("at").get_db_prep_value(at, connection)


AT_PLAY = "'escrow' IN (f.payer, f.receiver) OR 'players' IN (f.payer, f.receiver) AND 'bank' IN (f.payer, f.receiver)"
"""Flows of play, as opposed to deposits, payouts, and transfers between a player's own accounts."""

STAKE = "m.payer = 'players' AND m.receiver = 'escrow' AND m.sign = 1"

_OF = "CASE WHEN m.payer = 'escrow' THEN m.payer_kind WHEN m.receiver = 'escrow' THEN m.receiver_kind ELSE '' END"

# A game has few stakes, which an index on the receiving account finds. The sign is as in `moved`.
_FIRST = (
    f"CASE WHEN {STAKE} AND m.receiver_kind = 'game' AND NOT EXISTS ("
    "SELECT 1 FROM ledger_transfer e JOIN ledger_account p ON p.id = e.debit_id "
    "WHERE e.credit_id = m.credit_id AND p.kind = 'player' AND +e.reverses_id IS NULL "
    "AND (e.epoch, e.xact, e.position) < (m.epoch, m.xact, m.position)) THEN 1 ELSE 0 END"
)

SUMS = (
    f"m.payer, m.receiver, m.refund, {_OF} AS of, m.amount, "
    f"CASE m.sign WHEN 1 THEN 1 ELSE 0 END AS times, {_FIRST} AS games"
)
"""SQL: the columns of a flow `m` that reports sum, in the order of `Flow`."""


def cells(span: Span, zone: ZoneInfo) -> tuple[str, list[Any]]:
    """Return SQL for the flows of a span with the columns of `FlowRollup`, not summed."""
    source, given = moved(span)
    return (
        f"SELECT m.currency, {_day(span, zone)} AS day, {_PART}, {SUMS} FROM ({source}) m {books('m.subject')}",
        given,
    )


def stakers(span: Span, zone: ZoneInfo) -> tuple[str, list[Any]]:
    """Return SQL for the players who staked in a span, by day and group, with the columns of `PlayerDay`.

    The groups are all play (`play`), all tournaments (`tournaments`), a game without tournaments (`game`, by rules),
    and a stake table (`table`, by id).
    """
    source, given = moved(span)
    return (
        "WITH staked AS MATERIALIZED ("
        f"SELECT DISTINCT m.currency, {_day(span, zone)} AS day, {_PART}, coalesce(s.rules, '') AS rules, "
        f"m.payer_key AS player FROM ({source}) m {books('m.subject')} "
        f"LEFT JOIN ledger_staketable s ON s.id = {STAKE_TABLE} WHERE {STAKE}) "
        "SELECT currency, 'play' AS kind, '' AS key, player, day FROM staked "
        "UNION SELECT currency, 'tournaments', '', player, day FROM staked WHERE tournament "
        "UNION SELECT currency, 'game', rules, player, day FROM staked WHERE NOT tournament "
        "UNION SELECT currency, 'table', CAST(stake_table AS text), player, day FROM staked WHERE stake_table <> 0",
        given,
    )


def subjects(span: Span, zone: ZoneInfo) -> tuple[str, list[Any]]:
    """Return SQL for the escrows with flows in a span with the columns of `SubjectDay`, with repetitions."""
    source, given = moved(span)
    return (
        f"SELECT m.currency, {_TOURNAMENT} AS tournament, CASE WHEN {_TOURNAMENT} THEN '' "
        f"ELSE coalesce(s.rules, '') END AS rules, {_day(span, zone)} AS day, "
        "CASE WHEN m.payer = 'escrow' THEN m.debit_id ELSE m.credit_id END AS escrow "
        f"FROM ({source}) m {books('m.subject')} LEFT JOIN ledger_staketable s ON s.id = {STAKE_TABLE} "
        "WHERE 'escrow' IN (m.payer, m.receiver)",
        given,
    )


_TOURNAMENT = "coalesce(bm.subject, m.subject) LIKE 'tournament:%%'"
_PART = f"coalesce({STAKE_TABLE}, 0) AS stake_table, CASE WHEN {_TOURNAMENT} THEN true ELSE false END AS tournament"


def _day(span: Span, zone: ZoneInfo) -> str:
    """Return SQL for the day of a flow `m`.

    Python computes the days, because the database may have other rules of the time zone.
    """
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.create_function(
            "racecard_day", 1, lambda at: str(_local(at, zone)), deterministic=True
        )
        return "racecard_day(m.at)"
    within, given = span.conditions()
    found = rows(
        f"SELECT DISTINCT (t.at AT TIME ZONE 'UTC')::date FROM ledger_transfer t WHERE {' AND '.join(within)}",
        given,
    )
    around = sorted({day + timedelta(days=by) for (day,) in found for by in (-1, 0, 1)})
    if not around:
        return "NULL::date"
    bounds = ", ".join(f"TIMESTAMPTZ '{begins(day, zone).isoformat()}'" for day in around)
    dates = ", ".join(f"DATE '{day}'" for day in around)
    return f"(ARRAY[{dates}])[width_bucket(m.at, ARRAY[{bounds}])]"


def _local(at: str, zone: ZoneInfo) -> date:
    return datetime.fromisoformat(at).replace(tzinfo=UTC).astimezone(zone).date()


def rows(sql: str, given: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        while found := cursor.fetchmany(500):
            yield from found
