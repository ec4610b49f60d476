"""Games of a round that have been suspended: they are not played to their end with the others when its time is up.

The games of a match share their time: what one of them has lost, the table has for those that follow.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from uuid import UUID

from games import standstill
from games.models import GameRecord
from games.rules import get as get_rules
from tournaments.models import Round, Table, TableGame


def not_yet_up(round: Round, now: datetime) -> set[UUID]:
    """The running games of an open round whose own time is not up at `now`: they are suspended, or have time to make up
    for."""
    assert round.closes_at is not None
    running = TableGame.objects.of_round(round).running().order_by()
    if _in_matches(round):
        tables = _tables_not_yet_up(round, round.closes_at, now)
        return set(running.filter(table__in=tables).values_list("game", flat=True))
    interrupted = GameRecord.objects.interrupted().filter(pk__in=running.values("game"))
    return {
        game.pk
        for game in interrupted
        if game.suspended_at is not None or now < round.closes_at + standstill.time_lost(game)
    }


def time_lost(game: GameRecord, table: Table) -> timedelta:
    """How much later than the round the time of a game at the table is up."""
    if not _in_matches(table.round):
        return standstill.time_lost(game)
    interrupted = GameRecord.objects.interrupted().filter(pk__in=table.games.values("game"))
    return sum(map(standstill.time_lost, interrupted), timedelta())


def _in_matches(round: Round) -> bool:
    return get_rules(round.tournament.rules).match_rules is not None


def _tables_not_yet_up(round: Round, closes_at: datetime, now: datetime) -> set[int]:
    """By their keys the tables where a game is suspended, or whose games have lost time that is not made up for."""
    games = TableGame.objects.of_round(round).order_by()
    selected = GameRecord.objects.interrupted().filter(pk__in=games.values("game"))
    interrupted = {game.pk: game for game in selected}
    lost: dict[int, timedelta] = defaultdict(timedelta)
    found = set()
    for table, game in games.filter(game__in=interrupted).values_list("table", "game"):
        lost[table] += standstill.time_lost(interrupted[game])
        if interrupted[game].suspended_at is not None:
            found.add(table)
    return found | {table for table, time in lost.items() if now < closes_at + time}
