"""Load simulated games into a database, for tests and benchmarks.

Events, seals, and hashes are those of real games between bots; only the services that append them are bypassed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max

from accounts.models import Player
from core.sql import stored
from eventstore.chain import canonical, parse_at
from eventstore.models import Event
from games.models import GameRecord, GameSecret, Seat, Status

Bundle = dict[str, Any]


def load(bundles: Iterable[Bundle]) -> int:
    """Insert finished games without stakes into the database. Returns the number of their events."""
    games = list(bundles)
    with transaction.atomic():
        Player.objects.bulk_create(
            Player(id=seat["player"], username=f"sim-{seat['player']}")
            for game in games
            for seat in game["game"]["seats"]
        )
        _load_streams(games)
        GameRecord.objects.bulk_create(map(_record, games))
        GameSecret.objects.bulk_create(
            GameSecret(game_id=game["game"]["id"], server_seed=bytes.fromhex(game["game"]["server_seed"]))
            for game in games
        )
        Seat.objects.bulk_create(
            Seat(
                game_id=game["game"]["id"],
                seat=seat["seat"],
                player_id=seat["player"],
                running=False,
                created_at=parse_at(game["events"][0]["at"]),
            )
            for game in games
            for seat in game["game"]["seats"]
        )
    return sum(len(game["events"]) for game in games)


def _record(bundle: Bundle) -> GameRecord:
    game, events = bundle["game"], bundle["events"]
    dealt = next(event for event in events if event["type"] == "dealt")
    return GameRecord(
        id=game["id"],
        rules=game["rules"],
        rules_version=game["rules_version"],
        config=game["config"],
        seats=len(game["seats"]),
        status=Status.FINISHED if bundle["outcome"] is not None else Status.VOID,
        commitment=game["commitment"],
        outcome=bundle["outcome"],
        created_at=parse_at(events[0]["at"]),
        started_at=parse_at(dealt["at"]),
        ended_at=parse_at(events[-1]["at"]),
    )


# --- streams -----------------------------------------------------------------------------------------

_STREAM = ("id", "kind", "version", "head_hash", "head_at")
_EVENT = (
    *("stream_id", "version", "type", "schema", "seat", "data", "private", "seal"),
    *("at", "prev", "hash", "epoch", "xact", "position"),
)


def _load_streams(games: Sequence[Bundle]) -> None:
    """Insert streams and events. PostgreSQL checks a head with its events, so one statement inserts both."""
    if connection.vendor == "sqlite":
        last = Event.objects.aggregate(last=Max("position"))["last"] or 0
        empty = ((stored(UUID(game["game"]["id"])), "game", 0, "0" * 64, "") for game in games)
        _insert("eventstore_stream", _STREAM, empty)
        _insert("eventstore_event", _EVENT, _events(games, xact=0, position=last))
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_current_xact_id()::text::bigint, coalesce(max(number), 0) FROM eventstore_epoch"
        )
        xact, epoch = cursor.fetchone()
        staged = {
            "eventstore_stream": (_STREAM, map(_head, games)),
            "eventstore_event": (_EVENT, _events(games, xact=xact, position=0, epoch=epoch)),
        }
        for table, (columns, rows) in staged.items():
            cursor.execute(f"CREATE TEMP TABLE staged (LIKE {table}) ON COMMIT DROP")
            cursor.execute(f"ALTER TABLE staged RENAME TO staged_{table}")
            with cursor.copy(f"COPY staged_{table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        # The database assigns positions.
        heads, events = (
            f"INSERT INTO {table} ({', '.join(given)}) SELECT {', '.join(given)} FROM staged_{table}"
            for table, (columns, _) in staged.items()
            for given in [[column for column in columns if column != "position"]]
        )
        cursor.execute(f"WITH heads AS ({heads}) {events}")
        for table in staged:
            cursor.execute(f"DROP TABLE staged_{table}")


def _insert(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    marks = ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(rows))


def _head(bundle: Bundle) -> tuple[Any, ...]:
    last = bundle["events"][-1]
    return bundle["game"]["id"], "game", last["version"], last["hash"], last["at"]


def _events(
    games: Sequence[Bundle], *, xact: int, position: int, epoch: int = 0
) -> Iterator[tuple[Any, ...]]:
    for game in games:
        id = stored(UUID(game["game"]["id"]))
        for event in game["events"]:
            position += 1
            private = None if event["private"] is None else canonical(event["private"])
            yield (
                id,
                event["version"],
                event["type"],
                1,
                event["seat"],
                canonical(event["data"]),
                private,
                event["seal"],
                event["at"],
                event["prev"],
                event["hash"],
                epoch,
                xact,
                position,
            )
