"""What waits for a player in games: seats that are to act, and full tables that are to be started.

Only running games are read, by an index of them, so the cost does not depend on how many games a player has played.
"""

# ruff: noqa: S608 - the only texts put into the statements are our own

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

from django.db import connection

from core.sql import among, as_uuid, stored
from eventstore import store
from eventstore.store import Head
from games import state
from games.models import GameRecord, Status
from games.play import clocks
from games.rules.table import Table
from rest.documents import Moment, Uuid, moment, one_of, uuid_text

MOST = 100
"""Running games of one player that are looked at, the oldest first."""

TOGETHER = 100
"""Players who are looked up by one statement."""


class RunningGame(NamedTuple):
    """A seat in a running game. Nothing waits for the player that has not changed it."""

    game: UUID
    seat: int
    forfeited: bool
    head: Head
    suspended: bool


_OF_ONE = (
    "SELECT seat.player_id, seat.game_id, seat.seat, seat.forfeited, stream.version, "
    "stream.head_hash, stream.head_at, stream.suspended_at IS NOT NULL "
    "FROM games_seat seat JOIN eventstore_stream stream ON stream.id = seat.game_id "
    "WHERE seat.player_id = {player} AND seat.running "
    f"ORDER BY seat.created_at, seat.game_id LIMIT {MOST + 1}"
)
"""The running games of one player, by their index."""


def _of_many(players: Sequence[UUID]) -> tuple[str, list[Any]]:
    """Return the statement for the running games of several players, with its parameters."""
    if connection.vendor == "postgresql":
        condition, parameters = among("p.id", [stored(player) for player in players])
        part = _OF_ONE.format(player="p.id")
        return (
            f"SELECT part.* FROM accounts_player p CROSS JOIN LATERAL ({part}) AS part WHERE {condition}",
            parameters,
        )
    # SQLite has no LATERAL. It plans many parts fast.
    part = f"SELECT * FROM ({_OF_ONE.format(player='%s')}) AS part"
    return " UNION ALL ".join([part] * len(players)), [stored(player) for player in players]


def running_games(players: Iterable[UUID]) -> dict[UUID, list[RunningGame]]:
    """Return the seats of the players in running games, at most `MOST` + 1 of each player."""
    found: dict[UUID, list[RunningGame]] = {player: [] for player in players}
    asked = list(found)
    with connection.cursor() as cursor:
        for start in range(0, len(asked), TOGETHER):
            some = asked[start : start + TOGETHER]
            cursor.execute(*_of_many(some))
            for player, game, seat, forfeited, version, hash, at, suspended in cursor.fetchall():
                head = store.stored_head(version, hash, at)
                found[as_uuid(player)].append(
                    RunningGame(as_uuid(game), seat, bool(forfeited), head, bool(suspended))
                )
    return found


KINDS = (
    ("move", "the seat is to act at this version"),
    ("play", "all seats play at once, from the deal to the end"),
    ("start", "every seat is taken, and a player of the table is to start it"),
)


class WaitingGameOutput(TypedDict):
    key: Annotated[str, "names the item in the stream"]
    game: Uuid
    rules: str
    kind: Annotated[str, one_of(KINDS)]
    seat: int
    version: int
    act_by: Annotated[Moment | None, "when the server plays for the seat or ends the game"]
    match: Uuid | None
    tournament: Uuid | None
    round: int | None


def waiting_games(running: Sequence[RunningGame]) -> list[WaitingGameOutput]:
    """Return those of a player's running games that wait for the player."""
    open_to_play = [one for one in running if not one.suspended and not one.forfeited]
    records = GameRecord.objects.in_bulk([one.game for one in open_to_play])
    return [
        shown
        for one in open_to_play
        if one.game in records and (shown := _document(one, records[one.game])) is not None
    ]


def _document(one: RunningGame, record: GameRecord) -> WaitingGameOutput | None:
    head, table = state.load(one.game, one.head)
    kind = _kind(table, record, one.seat)
    if kind is None:
        return None
    dealt = record.status == Status.ACTIVE and head.at is not None
    act_by = clocks.of(record).next_alarm(table, head.at) if dealt and head.at else None
    return {
        "key": f"game:{one.game}",
        "game": str(one.game),
        "rules": record.rules,
        "kind": kind,
        "seat": one.seat,
        "version": head.version,
        "act_by": moment(act_by),
        "match": uuid_text(record.match_id),
        "tournament": uuid_text(record.tournament),
        "round": record.round,
    }


def _kind(table: Table, record: GameRecord, seat: int) -> str | None:
    """Return what the seat is to do; None if nothing."""
    if table.status == "open":
        # The server deals the tables of tournaments and of matches with reserved seats.
        is_started_by_hand = record.tournament is None and record.match_number in (None, 1)
        is_started = record.starts_at is not None
        return "start" if is_started_by_hand and not is_started and len(table.seats) == record.seats else None
    if table.status != "active":
        return None
    if clocks.all_seats_at_once(table.game, table.config):
        return "play"
    return "move" if seat in table.to_act() else None


def mark(running: Sequence[RunningGame]) -> Mapping[UUID, tuple[int, bool, bool]]:
    """Return a value that differs whenever something else may wait for the player."""
    return {one.game: (one.head.version, one.suspended, one.forfeited) for one in running}
