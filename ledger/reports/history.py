"""The betting history of a player: bets, games against the bank, tables, and tournaments in one list.

Bets and games against the bank have rows. For other stakes, payments into the escrow are the
stake and payments from it the return.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.db import connection
from django.utils.dateparse import parse_datetime

from ledger.models import Account, GameStake, OwnerKind
from ledger.reports.flows import Span, hyphenated, moved, stored

KINDS = ("bet", "game", "table", "tournament")
STATES = ("open", "settled", "refunded", "cancelled")


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a player's history; None: no restriction."""

    player: UUID
    currency: str
    kind: str | None = None
    state: str | None = None
    begins: datetime | None = None
    until: datetime | None = None


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
    found, given = _found(filters)
    if after is not None:
        at, key = stored(after[0]), after[1]
        found, given = f"{found} AND (at < %s OR at = %s AND key < %s)", [*given, at, at, key]
    return list(_read(f"{found} ORDER BY at DESC, key DESC LIMIT %s", [*given, most]))


def every(filters: Filters) -> Iterator[Staked]:
    """Yield the whole history, newest first."""
    found, given = _found(filters)
    yield from _read(f"{found} ORDER BY at DESC, key DESC", given)


class TotalsOutput(TypedDict):
    count: int
    stake: int
    returned: int
    net: Annotated[int, "net result of decided stakes"]
    open: Annotated[int, "sum of open stakes"]


def totals(filters: Filters) -> TotalsOutput:
    """Return the totals of the filtered history, which are the same on every page."""
    found, given = _found(filters)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(sum(stake), 0), coalesce(sum(returned), 0), "
            f"coalesce(sum(CASE WHEN returned IS NULL THEN stake END), 0) FROM ({found}) found",
            given,
        )
        count, stake, returned, open = map(int, cursor.fetchone())
    return {
        "count": count,
        "stake": stake,
        "returned": returned,
        "net": returned - stake + open,
        "open": open,
    }


# --- parts -------------------------------------------------------------------------------------------

Sql = tuple[str, list[Any]]


def _found(filters: Filters) -> Sql:
    parts = [_bets(filters), _games(filters), _pots(filters)]
    conditions, given = ["1 = 1"], [value for _, values in parts for value in values]
    for condition, value in (
        ("kind = %s", filters.kind),
        ("state = %s", filters.state),
        ("at >= %s", None if filters.begins is None else stored(filters.begins)),
        ("at <= %s", None if filters.until is None else stored(filters.until)),
    ):
        if value is not None:
            conditions.append(condition)
            given.append(value)
    whole = " UNION ALL ".join(sql for sql, _ in parts)
    return f"SELECT * FROM ({whole}) history WHERE {' AND '.join(conditions)}", given


def _bets(filters: Filters) -> Sql:
    return (
        f"SELECT 'bet' AS kind, {hyphenated('b.id')} AS key, 'market:' || {hyphenated('m.id')} AS subject, "
        'm.subject AS about, r.name AS "on", b.stake AS stake, '
        "CASE b.status WHEN 'cancelled' THEN b.stake ELSE b.returned END AS returned, "
        "CASE WHEN b.status IN ('won', 'lost') THEN 'settled' ELSE b.status END AS state, b.placed_at AS at "
        "FROM ledger_bet b JOIN ledger_market m ON m.id = b.market_id JOIN ledger_runner r ON r.id = b.runner_id "
        "WHERE b.player = %s AND m.currency = %s",
        [_player(filters), filters.currency],
    )


def _games(filters: Filters) -> Sql:
    game = hyphenated("g.game")
    return (
        f"SELECT 'game', {game}, 'game:' || {game}, 'game:' || {game}, t.slug, g.stake, "
        "CASE WHEN r.id IS NOT NULL THEN coalesce(r.winnings, g.stake) "
        "WHEN g.status = 'refunded' THEN g.stake ELSE g.winnings END, "
        "CASE WHEN r.id IS NULL THEN g.status WHEN r.void THEN 'refunded' ELSE 'settled' END, g.staked_at "
        "FROM ledger_gamestake g JOIN ledger_playsession s ON s.id = g.session_id "
        "JOIN ledger_staketable t ON t.id = g.stake_table_id "
        "LEFT JOIN ledger_stakeruling r ON r.stake_id = g.game "
        "AND r.number = (SELECT max(l.number) FROM ledger_stakeruling l WHERE l.stake_id = g.game) "
        "WHERE s.player = %s AND s.currency = %s",
        [_player(filters), filters.currency],
    )


def _pots(filters: Filters) -> Sql:
    """Return stakes paid into escrows without a row of a bet or a game against the bank."""
    purses = list(
        Account.objects.filter(
            kind=OwnerKind.PLAYER, key=str(filters.player), currency=filters.currency
        ).values_list("pk", flat=True)
    )
    span = Span(filters.currency)
    paid, given = moved(span, payers=purses)
    back, given_back = moved(span, receivers=purses)
    others = "WHERE {0} IN ('game', 'tournament') AND {1} NOT IN (" + (
        f"SELECT 'game:' || {hyphenated('g.game')} FROM ledger_gamestake g "
        "JOIN ledger_playsession s ON s.id = g.session_id WHERE s.player = %s)"
    )
    player = _player(filters)
    sql = (
        "SELECT CASE kind WHEN 'game' THEN 'table' ELSE kind END, key, kind || ':' || key, kind || ':' || key, '', "
        "sum(stake), CASE WHEN open = 1 AND sum(refund) < sum(stake) THEN NULL ELSE sum(back) END, "
        "CASE WHEN sum(refund) = sum(stake) THEN 'refunded' WHEN open = 1 THEN 'open' ELSE 'settled' END, min(at) "
        "FROM (SELECT moved.*, CASE WHEN a.credits = a.debits THEN 0 ELSE 1 END AS open FROM ("
        "SELECT receiver_kind AS kind, receiver_key AS key, amount AS stake, 0 AS back, 0 AS refund, at "
        f"FROM ({paid}) paid {others.format('receiver_kind', 'subject')} AND receiver = 'escrow' UNION ALL "
        "SELECT payer_kind, payer_key, 0, amount, CASE WHEN refund THEN amount ELSE 0 END, at "
        f"FROM ({back}) back {others.format('payer_kind', 'subject')} AND payer = 'escrow') moved "
        "JOIN ledger_account a ON a.kind = moved.kind AND a.key = moved.key AND a.purpose = 'escrow' "
        "AND a.currency = %s) pots GROUP BY kind, key, open"
    )
    return sql, [*given, player, *given_back, player, filters.currency]


def _player(filters: Filters) -> Any:
    return GameStake._meta.get_field("player").get_db_prep_value(filters.player, connection)


def _read(sql: str, given: Sequence[Any]) -> Iterator[Staked]:
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        while rows := cursor.fetchmany(500):
            for kind, key, subject, about, on, stake, returned, state, at in rows:
                back = None if returned is None else int(returned)
                yield Staked(kind, key, subject, about, on, int(stake), back, state, _instant(at))


def _instant(at: datetime | str) -> datetime:
    """Parse an instant, which SQLite returns as text in UTC."""
    if isinstance(at, datetime):
        return at
    parsed = parse_datetime(at)
    assert parsed is not None
    return parsed.replace(tzinfo=UTC)
