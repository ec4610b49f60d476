"""The number of different players who staked in a period, from the players recorded for each day.

The different players of several days cannot be added. But each of them has exactly one day in a period whose previous
day, on which they had staked, is before the period. So the follower records the previous day with each day of a player,
and counts the players of a day by it. A period adds those counts, and reads no player.
"""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports.flows import Span, places, rows, stakers
from ledger.reports.models import PlayerCount, PlayerDay
from ledger.reports.progress import EVER, date_text, execute, numbers, reached

_PLAYER = "currency, kind, key, player, day"
_COUNT = "currency, kind, key, day, previous"
_SAME_PLAYER = "p.currency = n.currency AND p.kind = n.kind AND p.key = n.key AND p.player = n.player"

Days = tuple[date | None, date | None]
"""The first and the last day of a period, both inclusive; None: unbounded."""


def by_key(kind: str, span: Span, zone: ZoneInfo, days: Days) -> dict[str, int]:
    """Return the number of different players of each group of a kind in the span, which has these days."""
    first, last = days
    if first is None and last is None:
        counted = f"day = {date_text(EVER)}"
    else:
        counted = f"{_within(days)} AND previous < {date_text(first or EVER + timedelta(days=1))}"
    return _sums("key", counted, _within(days), kind, span, zone)


def by_day(kind: str, span: Span, zone: ZoneInfo, days: Days) -> dict[str, int]:
    """Return the number of different players on each day of the span, by day in ISO format."""
    return _sums("day", _within(days), "p.day = n.day", kind, span, zone)


def _sums(by: str, counted: str, known: str, kind: str, span: Span, zone: ZoneInfo) -> dict[str, int]:
    """Add the players of later transfers, unless they are `known`, to those that the rollups have `counted`."""
    after = reached(zone.key)
    later, given = stakers(replace(span, after=after), zone)
    among, recorded = "n.kind = %s", ""
    given = [*given, kind]
    if after is not None:
        among += f" AND NOT EXISTS (SELECT 1 FROM ledger_playerday p WHERE {_SAME_PLAYER} AND {known})"
        recorded = (
            f" UNION ALL SELECT {by}, sum(players) FROM ledger_playercount "
            f"WHERE currency = %s AND kind = %s AND {counted} GROUP BY 1"
        )
        given += [span.currency, kind]
    sql = f"SELECT n.{by}, count(DISTINCT n.player) AS players FROM ({later}) n WHERE {among} GROUP BY 1{recorded}"
    return {
        str(key): int(number)
        for key, number in rows(f"SELECT {by}, sum(players) FROM ({sql}) b GROUP BY 1", given)
    }


def _within(days: Days) -> str:
    first, last = days
    bounds = [f"day >= {date_text(first)}"] if first else []
    bounds += [f"day <= {date_text(last)}"] if last else []
    return " AND ".join([f"day > {date_text(EVER)}", *bounds])


# --- following ---------------------------------------------------------------------------------------


def add(span: Span, zone: ZoneInfo) -> None:
    """Add the players of a part of the order of checkpoints."""
    staked, given = stakers(span, zone)
    execute(
        f"INSERT INTO ledger_playerday ({_PLAYER}) SELECT {_PLAYER} FROM ({staked}) n WHERE 1 = 1 "
        f"ON CONFLICT ({_PLAYER}) DO NOTHING",
        given,
    )
    changes = Counter({cell: -times for cell, times in _displaced().items()})
    changes.update(
        _cells(
            "UPDATE ledger_playerday AS n SET previous = coalesce((SELECT max(p.day) FROM ledger_playerday p "
            f"WHERE {_SAME_PLAYER} AND p.day < n.day), {date_text(EVER)}) WHERE n.previous IS NULL "
            f"RETURNING {_COUNT}"
        )
    )
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO ledger_playercount ({_COUNT}, players) VALUES (%s, %s, %s, %s, %s, %s) "
            f"ON CONFLICT ({_COUNT}) DO UPDATE SET players = ledger_playercount.players + excluded.players",
            [(*cell, players) for cell, players in sorted(changes.items()) if players],
        )


def _displaced() -> Counter[tuple[str, ...]]:
    """Take the recorded days that follow a new day of their player out of the counts.

    A transfer may be of an earlier day than one before it, such as one by another machine just before midnight.
    """
    # CROSS JOIN: without statistics, SQLite would begin with the whole table.
    follows = (
        "SELECT DISTINCT p.id FROM ledger_playerday n CROSS JOIN ledger_playerday p "
        f"WHERE n.previous IS NULL AND {_SAME_PLAYER} AND p.day > n.day AND p.previous < n.day"
    )
    found = list(rows(follows, []))
    if not found:
        return Counter()
    ids = [id for (id,) in found]
    among = f"id IN ({places(ids)})"
    taken_out = _cells(f"SELECT {_COUNT} FROM ledger_playerday WHERE {among}", ids)
    execute(f"UPDATE ledger_playerday SET previous = NULL WHERE {among}", ids)
    return taken_out


def _cells(sql: str, given: Sequence[Any] = ()) -> Counter[tuple[str, ...]]:
    """Return how often each cell of `PlayerCount` occurs; those of all days as well."""
    ever = str(EVER)
    found: Counter[tuple[str, ...]] = Counter()
    for currency, kind, key, day, previous in rows(sql, given):
        found[currency, kind, key, str(day), str(previous)] += 1
        if str(previous) == ever:
            found[currency, kind, key, ever, ever] += 1
    return found


# --- reconciliation ----------------------------------------------------------------------------------

_DAYS, _COUNTS = "the players of a day", "the number of players of a day"
CHECKS = {
    _DAYS: "the players recorded for a day are those who staked on it, each with the previous such day",
    _COUNTS: "the numbers of players of a day, and of all days, are those of the players recorded",
}


def check(span: Span, zone: ZoneInfo) -> Iterator[Found]:
    """Compare the recorded players with the transfers of the span, and the counts with the recorded players."""
    ever = date_text(EVER)
    previous = f"coalesce(lag(day) OVER (PARTITION BY currency, kind, key, player ORDER BY day), {ever})"
    staked, given = stakers(span, zone)
    key = f"{_PLAYER}, previous"
    sql = (
        f"SELECT {key}, max(a) FROM (SELECT {key}, 1 AS a, 0 AS b FROM ledger_playerday "
        f"UNION ALL SELECT {_PLAYER}, {previous}, 0, 1 FROM ({staked}) d) c "
        f"GROUP BY {numbers(6)} HAVING max(a) <> max(b)"
    )
    for currency, kind, group, player, day, before, recorded in rows(sql, given):
        what = f"player:{player} on {day}, {kind} {group}, after {before}"
        yield Difference.of_row(what, currency, _DAYS, recorded=bool(recorded))
    yield Checked(_DAYS, "players", PlayerDay.objects.count())
    sql = (
        f"SELECT {_COUNT}, sum(a), sum(b) FROM (SELECT {_COUNT}, players AS a, 0 AS b FROM ledger_playercount "
        f"UNION ALL SELECT {_COUNT}, 0, 1 FROM ledger_playerday "
        f"UNION ALL SELECT currency, kind, key, {ever}, {ever}, 0, 1 FROM ledger_playerday WHERE previous = {ever}) c "
        f"GROUP BY {numbers(5)} HAVING sum(a) <> sum(b)"
    )
    for currency, kind, group, day, before, recorded, expected in rows(sql, []):
        what = f"players on {day}, {kind} {group}, after {before}"
        yield Difference(what, currency, _COUNTS, str(int(recorded)), str(int(expected)))
    yield Checked(_COUNTS, "numbers", PlayerCount.objects.count())
