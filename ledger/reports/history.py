"""The betting history of a player: bets, games against the bank, tables, and tournaments in one list.

Bets and games against the bank have rows. For other stakes, payments into the escrow are the stake and payments from it
the return. The follower of the rollups stores each line (`StakeLine`) and the sums of a day (`StakeDay`) from the state
at that time. A line that may have changed since is derived again: an open one, and one of a subject about which the
player has paid or received money since.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from heapq import merge
from itertools import islice
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

from django.db import connection
from django.utils.dateparse import parse_datetime

from core.sql import among
from core.sql import stored as stored_id
from ledger.core.selectors import valid_uuids
from ledger.models import Account, OwnerKind, Purpose
from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports.flows import Span, hyphenated, id_of, moved, rows, stored
from ledger.reports.models import StakeLine
from ledger.reports.progress import EVER, date_text, execute, numbers, reached, utc_day

KINDS = ("bet", "game", "table", "tournament")
STATES = ("open", "settled", "refunded", "cancelled")
OPEN = "open"
Sql = tuple[str, list[Any]]
"""A statement and its parameters."""

AT_ONCE = 500
"""Stored lines that are read at a time."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a player's history; None: no restriction."""

    player: UUID
    currency: str
    kind: str | None = None
    state: str | None = None
    begins: datetime | None = None
    until: datetime | None = None

    def match(self, row: Staked) -> bool:
        return (
            self.kind in (None, row.kind)
            and self.state in (None, row.state)
            and (self.begins is None or row.at >= self.begins)
            and (self.until is None or row.at <= self.until)
        )

    def conditions(self) -> Sql:
        """Return SQL conditions on stored lines and days, without the range."""
        condition, given = "player = %s AND currency = %s", [str(self.player), self.currency]
        for name, value in (("kind", self.kind), ("state", self.state)):
            if value is not None:
                condition += f" AND {name} = %s"
                given.append(value)
        return condition, given

    def span(self) -> Sql:
        """Return the range of time as SQL conditions on stored lines."""
        bounds = [
            (sign, stored(at)) for sign, at in ((">=", self.begins), ("<=", self.until)) if at is not None
        ]
        return "".join(f" AND at {sign} %s" for sign, _ in bounds), [at for _, at in bounds]


@dataclass(frozen=True, slots=True)
class Staked:
    """`key` is the id of the bet, game or tournament; `subject` what its transfers name, `about` what was bet on.

    `returned` and `net` are None while it is open.
    """

    kind: str
    key: str
    subject: str
    about: str
    on: str
    stake: int
    returned: int | None
    state: str
    at: datetime

    @property
    def net(self) -> int | None:
        return None if self.returned is None else self.returned - self.stake


def page(filters: Filters, *, after: tuple[datetime, str] | None = None, most: int) -> list[Staked]:
    """Return a page, newest first, after the row of this time and key."""
    return list(islice(_rows(filters, after, at_once=most), most))


def every(filters: Filters) -> Iterator[Staked]:
    """Yield the whole history, newest first."""
    return _rows(filters, None, at_once=AT_ONCE)


def stakes_on(*, player: UUID, subjects: Sequence[str]) -> dict[str, Staked]:
    """Return what the player staked on these games and tournaments, by subject, as it is now."""
    sql, given = _derived(Only(player, None, subjects))
    own = rows(f"SELECT {_LINE} FROM ({sql}) d WHERE player = %s", [*given, str(player)])
    return {row.subject: row for row in map(_staked, own)}


class TotalsOutput(TypedDict):
    count: int
    stake: int
    returned: int
    net: Annotated[int, "net result of decided stakes"]
    open: Annotated[int, "sum of open stakes"]


def totals(filters: Filters) -> TotalsOutput:
    """Return the totals of the filtered history, which are the same on every page."""
    live = _live(filters)
    count, stake, returned = _stored_totals(filters, live)
    matching = [row for row in live if filters.match(row)]
    count += len(matching)
    stake += sum(row.stake for row in matching)
    returned += sum(row.returned or 0 for row in matching)
    open = sum(row.stake for row in matching if row.returned is None)
    return {
        "count": count,
        "stake": stake,
        "returned": returned,
        "net": returned - stake + open,
        "open": open,
    }


# --- stored lines and those that may have changed ----------------------------------------------------

_LINE = 'kind, key, subject, about, "on", stake, returned, state, at'
Place = tuple[datetime, str]


def _rows(filters: Filters, after: Place | None, *, at_once: int) -> Iterator[Staked]:
    live = _live(filters)
    shown = (row for row in live if filters.match(row) and (after is None or _place(row) < after))
    return merge(
        _stored(filters, live, after, at_once),
        sorted(shown, key=_place, reverse=True),
        key=_place,
        reverse=True,
    )


def _place(row: Staked) -> Place:
    return row.at, row.key


def _live(filters: Filters) -> list[Staked]:
    """Return the lines of the player that the rollups may not contain as they are, without filters."""
    position = reached()
    only = Only(filters.player, filters.currency, None)
    if position is not None:
        only = only._replace(subjects=_changed(filters, Span(None, after=position)))
    sql, given = _derived(only)
    return [_staked(row) for row in rows(f"SELECT {_LINE} FROM ({sql}) d", given)]


def _changed(filters: Filters, tail: Span) -> list[str]:
    purses = _purses(filters.player, filters.currency)
    within, given = tail.conditions()
    parts = [
        "SELECT subject FROM ledger_stakeline WHERE player = %s AND currency = %s AND state = 'open' "
        f"AND kind IN {KINDS}"
    ]
    values = [str(filters.player), filters.currency]
    for side, other in (("debit_id", "credit_id"), ("credit_id", "debit_id")):
        # The sign keeps the database from the index of the account, which has all its transfers.
        mine = f"{' AND '.join(within)} AND +t.{side} IN ({_listed(purses)})"
        parts += [
            f"SELECT t.subject FROM ledger_transfer t WHERE {mine}",
            f"SELECT a.kind || ':' || a.key FROM ledger_transfer t JOIN ledger_account a ON a.id = t.{other} "
            f"WHERE {mine} AND a.purpose = 'escrow'",
        ]
        values += given * 2
    return [subject for (subject,) in rows(" UNION ".join(parts), values)]


def _stored(filters: Filters, live: Sequence[Staked], after: Place | None, at_once: int) -> Iterator[Staked]:
    """Yield the stored lines that have not changed, newest first."""
    while True:
        sql, given = _stored_page(filters, live, after, at_once)
        found = [_staked(row) for row in rows(sql, given)]
        yield from found
        if len(found) < at_once:
            return
        after = _place(found[-1])


def _stored_page(filters: Filters, live: Sequence[Staked], after: Place | None, most: int) -> Sql:
    """Return SQL for a page: from each kind and state its newest lines, which one index has in this order."""
    parts, given = [], []
    span, bounds = filters.span()
    if after is not None:
        at, key = stored(after[0]), after[1]
        span += " AND at <= %s AND (at < %s OR key < %s)"
        bounds += [at, at, key]
    for kind in KINDS if filters.kind is None else [filters.kind]:
        changed = [row.key for row in live if row.kind == kind]
        without = f" AND NOT {among('key', changed)[0]}" if changed else ""
        keys = among("key", changed)[1] if changed else []
        for state in [state for state in STATES if state != OPEN and filters.state in (None, state)]:
            parts.append(
                f"SELECT * FROM (SELECT {_LINE} FROM ledger_stakeline WHERE player = %s AND currency = %s "
                f"AND kind = '{kind}' AND state = '{state}'{span}{without} ORDER BY at DESC, key DESC LIMIT %s) p"
            )
            given += [str(filters.player), filters.currency, *bounds, *keys, most]
    if not parts:
        return f"SELECT {_LINE} FROM ledger_stakeline WHERE 1 = 0", []
    return f"SELECT {_LINE} FROM ({' UNION ALL '.join(parts)}) h ORDER BY at DESC, key DESC LIMIT %s", [
        *given,
        most,
    ]


_SELECTED_LINES = (
    "SELECT {sign}1 AS lines, {sign}stake AS stake, {sign}returned AS returned FROM ledger_stakeline"
)
_SELECTED_DAYS = "SELECT lines, stake, returned FROM ledger_stakeday"


def _stored_totals(filters: Filters, live: Sequence[Staked]) -> tuple[int, int, int]:
    """Return number, stakes, and returns of the stored lines that have not changed."""
    condition, given = filters.conditions()
    condition += f" AND state <> '{OPEN}'"
    parts = _sums(filters, condition, given)
    span, bounds = filters.span()
    for kind in KINDS:
        if changed := [row.key for row in live if row.kind == kind]:
            keys, values = among("key", changed)
            less = (
                f"{_SELECTED_LINES.format(sign='-')} WHERE {condition}{span} AND kind = '{kind}' AND {keys}"
            )
            parts.append((less, [*given, *bounds, *values]))
    sql = " UNION ALL ".join(part for part, _ in parts)
    [[count, stake, returned]] = rows(
        f"SELECT coalesce(sum(lines), 0), coalesce(sum(stake), 0), coalesce(sum(returned), 0) FROM ({sql}) s",
        [value for _, values in parts for value in values],
    )
    return int(count), int(stake), int(returned)


def _sums(filters: Filters, condition: str, given: list[Any]) -> list[Sql]:
    """Return queries of the stored lines: the sums of whole days, and single lines of the days at both ends."""
    begins, until = filters.begins, filters.until
    if begins is None and until is None:
        return [(f"{_SELECTED_DAYS} WHERE {condition} AND day = {date_text(EVER)}", given)]
    first = None if begins is None else begins.astimezone(UTC).date() + timedelta(days=1)
    last = None if until is None else until.astimezone(UTC).date()
    lines = f"{_SELECTED_LINES.format(sign='')} WHERE {condition}"
    if first is not None and last is not None and last <= first:
        span, bounds = filters.span()
        return [(f"{lines}{span}", [*given, *bounds])]
    whole, parts = f"{_SELECTED_DAYS} WHERE {condition} AND day > {date_text(EVER)}", list[Sql]()
    if begins is not None and first is not None:
        whole += f" AND day >= {date_text(first)}"
        edge = [stored(begins), stored(datetime.combine(first, time(), UTC))]
        parts.append((f"{lines} AND at >= %s AND at < %s", [*given, *edge]))
    if until is not None and last is not None:
        whole += f" AND day < {date_text(last)}"
        edge = [stored(datetime.combine(last, time(), UTC)), stored(until)]
        parts.append((f"{lines} AND at >= %s AND at <= %s", [*given, *edge]))
    return [*parts, (whole, given)]


# --- derived lines -----------------------------------------------------------------------------------

_COLUMNS = f"player, currency, {_LINE}"


class Only(NamedTuple):
    """A restriction of derived lines to a player, a currency, and these subjects; None: all."""

    player: UUID | None
    currency: str | None
    subjects: Sequence[str] | None

    def keys(self, *kinds: str) -> list[str] | None:
        """Return the keys of the subjects of these kinds; None: all."""
        if self.subjects is None:
            return None
        named = (subject.partition(":") for subject in self.subjects)
        return [key for kind, _, key in named if kind in kinds]


def _derived(only: Only) -> Sql:
    """Return SQL for lines with the columns of `StakeLine`."""
    parts = [_bets(only), _games(only), _pots(only)]
    whole = " UNION ALL ".join(f"SELECT * FROM ({sql}) p{number}" for number, (sql, _) in enumerate(parts))
    return whole, [value for _, values in parts for value in values]


def _restricted(only: Only, player: str, currency: str, id: str, kind: str) -> Sql:
    """Return conditions on rows with a player and the id of a subject."""
    conditions, given = ["1 = 1"], []
    if only.player is not None:
        conditions.append(f"{player} = %s")
        given.append(stored_id(only.player))
    if only.currency is not None:
        conditions.append(f"{currency} = %s")
        given.append(only.currency)
    keys = only.keys(kind)
    if keys is not None:
        condition, values = among(id, [stored_id(key) for key in valid_uuids(keys)])
        conditions.append(condition)
        given += values
    return " AND ".join(conditions), given


def _bets(only: Only) -> Sql:
    condition, given = _restricted(only, "b.player", "m.currency", "b.market_id", "market")
    return (
        f"SELECT {hyphenated('b.player')} AS player, m.currency, 'bet' AS kind, {hyphenated('b.id')} AS key, "
        f"'market:' || {hyphenated('m.id')} AS subject, "
        'm.subject AS about, r.name AS "on", b.stake AS stake, '
        "CASE b.status WHEN 'cancelled' THEN b.stake ELSE b.returned END AS returned, "
        "CASE WHEN b.status IN ('won', 'lost') THEN 'settled' ELSE b.status END AS state, b.placed_at AS at "
        "FROM ledger_bet b JOIN ledger_market m ON m.id = b.market_id JOIN ledger_runner r ON r.id = b.runner_id "
        f"WHERE {condition}",
        given,
    )


def _games(only: Only) -> Sql:
    game = hyphenated("g.game")
    condition, given = _restricted(only, "g.player", "t.currency", "g.game", "game")
    return (
        f"SELECT {hyphenated('g.player')}, t.currency, 'game', {game}, 'game:' || {game}, 'game:' || {game}, t.slug, "
        "g.stake, CASE WHEN r.id IS NOT NULL THEN coalesce(r.winnings, g.stake) "
        "WHEN g.status = 'refunded' THEN g.stake ELSE g.winnings END, "
        "CASE WHEN r.id IS NULL THEN g.status WHEN r.void THEN 'refunded' ELSE 'settled' END, g.staked_at "
        "FROM ledger_gamestake g JOIN ledger_staketable t ON t.id = g.stake_table_id "
        "LEFT JOIN ledger_stakeruling r ON r.stake_id = g.game "
        "AND r.number = (SELECT max(l.number) FROM ledger_stakeruling l WHERE l.stake_id = g.game) "
        f"WHERE {condition}",
        given,
    )


def _pots(only: Only) -> Sql:
    """Return stakes paid into escrows without a row of a bet or a game against the bank."""
    span = Span(only.currency)
    purses = None if only.player is None or only.currency is None else _purses(only.player, only.currency)
    escrows = _escrows(only)
    paid, given = moved(span, payers=purses, receivers=escrows)
    back, given_back = moved(span, payers=escrows, receivers=purses)
    of = "IN ('game', 'tournament')"
    sql = (
        "SELECT g.player, a.currency, CASE a.kind WHEN 'game' THEN 'table' ELSE a.kind END, a.key, "
        "a.kind || ':' || a.key, a.kind || ':' || a.key, '', g.stake, "
        "CASE WHEN a.credits <> a.debits AND g.refund < g.stake THEN NULL ELSE g.back END, "
        "CASE WHEN g.refund = g.stake THEN 'refunded' WHEN a.credits <> a.debits THEN 'open' ELSE 'settled' END, g.at "
        "FROM (SELECT player, escrow, sum(stake) AS stake, sum(back) AS back, sum(refund) AS refund, min(at) AS at "
        "FROM (SELECT payer_key AS player, credit_id AS escrow, amount AS stake, 0 AS back, 0 AS refund, at "
        f"FROM ({paid}) paid WHERE payer_kind = 'player' AND receiver = 'escrow' AND receiver_kind {of} UNION ALL "
        "SELECT receiver_key, debit_id, 0, amount, CASE WHEN refund THEN amount ELSE 0 END, at "
        f"FROM ({back}) back WHERE receiver_kind = 'player' AND payer = 'escrow' AND payer_kind {of}) moved "
        "GROUP BY player, escrow) g JOIN ledger_account a ON a.id = g.escrow "
        f"LEFT JOIN ledger_gamestake s ON s.game = {id_of('game', 'a.kind', 'a.key')} WHERE s.game IS NULL"
    )
    return sql, [*given, *given_back]


def _escrows(only: Only) -> list[int] | None:
    """Return the escrows of the games and tournaments among the subjects."""
    if only.subjects is None:
        return None
    found: list[int] = []
    for kind in (OwnerKind.GAME, OwnerKind.TOURNAMENT):
        if keys := only.keys(kind):
            condition, given = among("a.key", keys)
            sql = (
                "SELECT a.id FROM ledger_account a "
                f"LEFT JOIN ledger_gamestake s ON s.game = {id_of('game', 'a.kind', 'a.key')} "
                f"WHERE a.kind = %s AND a.purpose = %s AND {condition} AND s.game IS NULL"
            )
            found += [id for (id,) in rows(sql, [kind, Purpose.ESCROW, *given])]
    return found


def _purses(player: UUID, currency: str) -> list[int]:
    owned = Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player), currency=currency)
    return list(owned.values_list("pk", flat=True))


def _listed(ids: Iterable[int]) -> str:
    return ", ".join(map(str, ids)) or "NULL"


def _staked(row: Sequence[Any]) -> Staked:
    kind, key, subject, about, on, stake, returned, state, at = row
    return Staked(
        kind,
        key,
        subject,
        about,
        on,
        int(stake),
        None if returned is None else int(returned),
        state,
        _instant(at),
    )


def _instant(at: datetime | str) -> datetime:
    """Return an instant, which SQLite stores as text in UTC."""
    found = parse_datetime(at) if isinstance(at, str) else at
    assert found is not None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


# --- following ---------------------------------------------------------------------------------------

_CELL = "player, currency, kind, state, day"
_DIFFERS = (
    "(l.state, l.stake, coalesce(l.returned, -1), l.at) <> (d.state, d.stake, coalesce(d.returned, -1), d.at)"
)


def add(span: Span) -> None:
    """Store the present lines of the subjects with transfers in the span, and add what changes to the sums of days.

    On PostgreSQL in one statement: each statement of a transaction sees what was committed until it began, and a bet
    that was placed between two of them would be in the lines and not in the sums.
    """
    derived, given = _derived(Only(None, None, _touched(span)))
    source = f"WITH derived AS MATERIALIZED ({derived})"
    days = [_added_days(day) for day in (utc_day("at"), date_text(EVER))]
    if connection.vendor == "postgresql":
        parts = ", ".join(f"part{number} AS ({part})" for number, part in enumerate(days))
        execute(f"{source}, {parts} {_STORED_LINES}", given)
        return
    for statement in (*days, _STORED_LINES):
        execute(f"{source} {statement}", given)


def _added_days(day: str) -> str:
    known = "l.player = d.player AND l.currency = d.currency AND l.kind = d.kind AND l.key = d.key"
    return (
        f"INSERT INTO ledger_stakeday ({_CELL}, lines, stake, returned) "
        f"SELECT player, currency, kind, state, {day}, sum(lines), sum(stake), sum(returned) FROM ("
        "SELECT d.player, d.currency, d.kind, d.state, d.at, 1 AS lines, d.stake, "
        "coalesce(d.returned, 0) AS returned "
        f"FROM derived d LEFT JOIN ledger_stakeline l ON {known} WHERE l.id IS NULL OR {_DIFFERS} UNION ALL "
        "SELECT l.player, l.currency, l.kind, l.state, l.at, -1, -l.stake, -coalesce(l.returned, 0) "
        f"FROM derived d JOIN ledger_stakeline l ON {known} WHERE {_DIFFERS}"
        f") c WHERE 1 = 1 GROUP BY {numbers(5)} "
        f"ON CONFLICT ({_CELL}) DO UPDATE SET lines = ledger_stakeday.lines + excluded.lines, "
        "stake = ledger_stakeday.stake + excluded.stake, returned = ledger_stakeday.returned + excluded.returned"
    )


_STORED_LINES = (
    f"INSERT INTO ledger_stakeline ({_COLUMNS}) SELECT {_COLUMNS} FROM derived d WHERE 1 = 1 "
    "ON CONFLICT (player, currency, kind, key) DO UPDATE SET state = excluded.state, stake = excluded.stake, "
    "returned = excluded.returned, at = excluded.at "
    f"WHERE {_DIFFERS.replace('l.', 'ledger_stakeline.').replace('d.', 'excluded.')}"
)


def _touched(span: Span) -> list[str]:
    """Return the subjects of the transfers of the span, and the owners of their escrows."""
    within, given = span.conditions()
    condition = " AND ".join(within)
    parts = [f"SELECT t.subject FROM ledger_transfer t WHERE {condition}"]
    parts += [
        f"SELECT a.kind || ':' || a.key FROM ledger_transfer t JOIN ledger_account a ON a.id = t.{side} "
        f"WHERE a.purpose = 'escrow' AND {condition}"
        for side in ("debit_id", "credit_id")
    ]
    return [subject for (subject,) in rows(" UNION ".join(parts), given * 3)]


# --- reconciliation ----------------------------------------------------------------------------------

_LINES, _DAYS = "a line of a betting history", "the betting history of a day"
CHECKS = {
    _LINES: "each line of a betting history is that of its bet, game, table, or tournament",
    _DAYS: "each daily sum of a betting history is that of its lines",
}


def check() -> Iterator[Found]:
    """Compare the stored lines with their bets, games, and transfers, and the sums of days with the lines.

    Lines of subjects with transfers after the rollups, and of markets that are being settled, are still to change.
    """
    position = reached()
    derived, given = _derived(Only(None, None, [] if position is None else None))
    later = [] if position is None else _touched(Span(None, after=position))
    settled, values = among("d.subject", later) if later else ("1 = 0", [])
    key = "player, currency, kind, key, subject, state, stake, back, at"
    line = key.replace("back", "coalesce(returned, -1) AS back")
    sql = (
        "SELECT d.player, d.currency, d.kind, d.key, d.subject, d.recorded FROM ("
        f"SELECT {key}, sum(a) AS recorded FROM ("
        f"SELECT {line}, 1 AS a, 0 AS b FROM ledger_stakeline UNION ALL SELECT {line}, 0, 1 FROM ({derived}) e) c "
        f"GROUP BY {key} HAVING sum(a) <> sum(b)) d LEFT JOIN ledger_market m ON m.status = 'settling' "
        f"AND d.subject = 'market:' || {hyphenated('m.id')} WHERE m.id IS NULL AND NOT ({settled})"
    )
    for player, currency, kind, id, subject, recorded in rows(sql, [*given, *values]):
        what = f"player:{player}, {kind} {id}"
        yield Difference.of_row(what, currency, _LINES, recorded=bool(recorded), subject=subject)
    yield Checked(_LINES, "lines", StakeLine.objects.count())
    yield from _checked_days()


def _checked_days() -> Iterator[Found]:
    lines = " UNION ALL ".join(
        f"SELECT player, currency, kind, state, {day} AS day, -1 AS lines, -stake AS stake, "
        "-coalesce(returned, 0) AS returned "
        "FROM ledger_stakeline"
        for day in (utc_day("at"), date_text(EVER))
    )
    sql = (
        f"SELECT {_CELL}, sum(lines), sum(stake), sum(returned) FROM ("
        f"SELECT {_CELL}, lines, stake, returned FROM ledger_stakeday UNION ALL {lines}) c GROUP BY {_CELL} "
        "HAVING sum(lines) <> 0 OR sum(stake) <> 0 OR sum(returned) <> 0"
    )
    for player, currency, kind, state, day, *wrong in rows(sql, []):
        wrong_by = ", ".join(f"{int(each):+}" for each in wrong)
        yield Difference(
            f"player:{player}, {state} {kind} on {day}", currency, _DAYS, wrong_by, "no difference"
        )
    [[number]] = rows("SELECT count(*) FROM ledger_stakeday", [])
    yield Checked(_DAYS, "sums", number)
