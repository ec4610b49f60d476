"""Append with an expected version, read a stream, read all events after a position.

Plain SQL on Django's connection: the bytes that were hashed are the bytes that are stored, and a replay parses them
without a model object. Every function works inside and outside of a transaction.

The events of an archived stream are read from its pack (`eventstore.archive`): functions that read single streams find
no events in the table, and look the stream up in the index. They raise ArchiveUnavailable and ArchiveDamaged.
"""

# ruff: noqa: S608 - statements are put together from constants of this module; values are always parameters

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

import orjson
from django.db import connection, transaction

from core.commands import Command, Condition, Origin
from core.errors import Conflict, InvalidInput, KeyReused, register_problem
from core.metrics import Counter
from core.sql import Statement, as_uuid, hyphened, locking, stored, write_all
from eventstore.chain import GENESIS, NotCanonical, canonical, check_canonical, event_hash, format_at
from eventstore.months import within
from eventstore.packs import reading
from eventstore.packs.form import Row
from eventstore.packs.reading import NotArchived

CONFLICTS = Counter("racecard_append_conflicts", "Refused appends", ["kind", "why"])

register_problem(NotCanonical, lambda error: InvalidInput(f"This cannot be recorded: {error}."))


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a stream: the version, hash, and time of its last event."""

    version: int
    hash: str
    at: datetime | None


EMPTY = Head(0, GENESIS, None)
"""The head of a stream that does not exist. Expecting it creates the stream."""

PAGE = 500
"""Events read at a time."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    type: str
    data: Mapping[str, Any]
    seat: int | None = None
    private: Mapping[str, Any] | None = None
    seal: str | None = None
    schema: int = 1


class EventOutput(TypedDict):
    version: int
    type: str
    seat: int | None
    data: dict[str, Any]
    private: dict[str, Any] | None
    seal: str | None
    at: str
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class StoredEvent:
    stream: UUID
    version: int
    type: str
    schema: int
    seat: int | None
    data: dict[str, Any]
    private: dict[str, Any] | None
    seal: str | None
    at: str
    prev: str
    hash: str

    def full(self) -> EventOutput:
        """The event as in a bundle (RULEBOOK 8), with its private part."""
        return self._document(self.private)

    def public(self) -> EventOutput:
        return self._document(None)

    def head(self) -> Head:
        """The stream's head after this event."""
        return Head(self.version, self.hash, datetime.fromisoformat(self.at))

    def _document(self, private: dict[str, Any] | None) -> EventOutput:
        return {
            "version": self.version,
            "type": self.type,
            "seat": self.seat,
            "data": self.data,
            "private": private,
            "seal": self.seal,
            "at": self.at,
            "prev": self.prev,
            "hash": self.hash,
        }


class Caused(NamedTuple):
    """A command that took effect, with the versions of its first and last event."""

    first: int
    last: int
    command_id: str
    origin: Origin | None
    """None for the server's own commands."""


@dataclass(frozen=True, slots=True)
class KnownCommand:
    """A command that took effect, with the versions of its first and last event."""

    first: int
    last: int
    fingerprint: str


class Position(NamedTuple):
    """An event's place in the order of all streams, to compare and store. The numbers have gaps."""

    epoch: int
    xact: int
    identity: int


class WrongVersion(Conflict):
    code = "wrong-version"
    title = "The stream has moved on; look at its events and decide again"

    def __init__(self, stream: UUID, expected: int, actual: int) -> None:
        super().__init__(
            f"{stream} is at version {actual}, not {expected}.",
            expected=expected,
            actual=actual,
            stream=str(stream),
        )
        self.stream, self.expected, self.actual = stream, expected, actual


class StreamSuspended(Conflict):
    """Nothing is appended until the suspension is lifted; see `eventstore.suspension`."""

    code = "stream-suspended"
    title = "The stream is suspended"


class ConditionFailed(Conflict):
    """The head was the expected one, but the append's condition did not hold."""


class CommandKnown(Exception):
    """This command took effect before. The caller responds with the events that `known` names."""

    def __init__(self, known: KnownCommand) -> None:
        super().__init__(f"the command made events {known.first} to {known.last}")
        self.known = known


# --- append ------------------------------------------------------------------------------------------


def append(
    stream: UUID,
    events: Sequence[NewEvent],
    *,
    kind: str,
    expected: Head,
    at: datetime,
    command: Command | None = None,
    condition: Condition | None = None,
    insertions: Sequence[Statement] = (),
) -> list[StoredEvent]:
    """Append `events`, all or none, after the expected head. EMPTY creates the stream.

    `at` is raised to that of the event before if it is earlier. `insertions` insert further rows, on PostgreSQL in the
    same statement; the caller has a transaction, which an error aborts. Raises WrongVersion (with the stream and both
    versions), CommandKnown when the command took effect before, KeyReused when its id did with another body,
    StreamSuspended, ConditionFailed.
    """
    if not events:
        raise ValueError("no events to append")
    rows = _chain(stream, events, expected, at)
    about = _about(len(rows), command)
    if connection.vendor == "postgresql":
        done = _append_postgresql(stream, kind, expected, rows, about, command, condition, insertions)
    else:
        done = _append_sqlite(stream, kind, expected, rows, about, command, condition)
    if not done:
        _refuse(stream, kind, expected, command, condition)
    if insertions and connection.vendor != "postgresql":
        write_all(*insertions)
    return [_event(stream, *row) for row in rows]


def append_to_end(stream: UUID, events: Sequence[NewEvent], *, kind: str, at: datetime) -> list[StoredEvent]:
    """Append events that do not depend on the events before them, in the caller's transaction.

    Creates the stream if there is none. Raises StreamSuspended.
    """
    present = lock(stream)
    try:
        return append(stream, events, kind=kind, expected=present, at=at)
    except WrongVersion:
        # Another transaction has just created the stream, which could not be locked before.
        return append_to_end(stream, events, kind=kind, at=at)


def chained(stream: UUID, events: Sequence[NewEvent], *, expected: Head, at: datetime) -> list[StoredEvent]:
    """The events that `append` would return, without writing them."""
    return [_event(stream, *row) for row in _chain(stream, events, expected, at)]


class _Row(NamedTuple):
    version: int
    type: str
    schema: int
    seat: int | None
    data: bytes
    private: bytes | None
    seal: str | None
    at: str
    prev: str
    hash: str


def _chain(stream: UUID, events: Sequence[NewEvent], expected: Head, at: datetime) -> list[_Row]:
    moment = format_at(max(at, expected.at) if expected.at else at)
    rows, prev = [], expected.hash
    for version, event in enumerate(events, start=expected.version + 1):
        check_canonical(event.data)
        data, private = canonical(event.data), None
        if event.private is not None:
            check_canonical(event.private)
            private = canonical(event.private)
        digest = event_hash(
            stream=str(stream),
            version=version,
            type=event.type,
            seat=event.seat,
            data=data,
            seal=event.seal,
            at=moment,
            prev=prev,
        )
        rows.append(
            _Row(
                version, event.type, event.schema, event.seat, data, private, event.seal, moment, prev, digest
            )
        )
        prev = digest
    return rows


_COLUMNS = "stream_id, version, type, schema, seat, data, private, seal, at, prev, hash"
_EVENT = len(_Row._fields)
"""The columns of a row that are the event itself."""
MOST_OF_A_COMMAND = 1_000
"""The largest number of events of one command. A race drawn to its end is the longest, with about fifty."""

_ABOUT_COLUMNS = "command_id, command_fingerprint, command_events, actor, token, client_at"
_EPOCH = "(SELECT coalesce(max(number), 0) FROM eventstore_epoch)"

About = tuple[Any, ...]
"""The columns of a command's first event that describe the command, in their order."""
_NOTHING: About = (None,) * 6

_POSTGRESQL_ROW = (
    "(%s::bigint, %s, %s::smallint, %s::smallint, %s::bytea, %s::bytea, %s, %s, %s, %s, "
    "%s, %s, %s::smallint, %s::uuid, %s, %s)"
)
_CREATE = (
    "INSERT INTO eventstore_stream (id, kind, version, head_hash, head_at) SELECT %s, %s, %s, %s, %s "
    "WHERE {condition} ON CONFLICT DO NOTHING"
)
# The row's lock orders concurrent appends by version. The subquery sees a command that took effect before this
# statement's snapshot; one that takes effect later has moved the head.
_POSTGRESQL_MOVE = (
    "UPDATE eventstore_stream SET version = %s, head_hash = %s, head_at = %s "
    "WHERE id = %s AND version = %s AND head_hash = %s AND suspended_at IS NULL"
)
_ONCE = " AND NOT EXISTS (SELECT 1 FROM eventstore_event WHERE stream_id = %s AND command_id = %s{within})"

_POSTGRESQL_APPEND = (
    "WITH {insertions}moved AS ({move} RETURNING id) "
    f"INSERT INTO eventstore_event (xact, epoch, {_COLUMNS}, {_ABOUT_COLUMNS}) "
    "SELECT greatest(pg_current_xact_id()::text::bigint, "
    "(SELECT xact FROM eventstore_event WHERE stream_id = %s AND version = %s{within})), "
    f"{_EPOCH}, moved.id, fresh.* FROM moved, (VALUES {{rows}}) AS fresh"
)


def _append_postgresql(
    stream: UUID,
    kind: str,
    expected: Head,
    rows: list[_Row],
    about: About,
    command: Command | None,
    condition: Condition | None,
    insertions: Sequence[Statement],
) -> bool:
    """One statement: it moves the head and, if the head was the expected one, inserts the events.

    A transaction that got its id early may write to a stream after a later one did. `xact` is then raised to that of
    the event before, so that `read_all` returns a stream's events in order.
    """
    last = rows[-1]
    parameters: list[Any]
    if expected.version == 0:
        move = _CREATE.format(condition=condition.sql if condition else "TRUE")
        parameters = [stream, kind, last.version, last.hash, last.at]
        parameters += condition.parameters if condition else ()
    else:
        move = _POSTGRESQL_MOVE
        parameters = [last.version, last.hash, last.at, stream, expected.version, expected.hash]
        if command:
            move += _ONCE.format(within=within(stream))
            parameters += [stream, command.id]
        if condition:
            move += f" AND {condition.sql}"
            parameters += condition.parameters
    parameters += (stream, expected.version)
    for index, row in enumerate(rows):
        parameters += (*row, *(_NOTHING if index else about))
    inserted = "".join(
        f"inserted{number} AS ({one.sql.format(after='')}), " for number, one in enumerate(insertions)
    )
    statement = _POSTGRESQL_APPEND.format(
        insertions=inserted,
        move=move,
        within=within(stream),
        rows=", ".join([_POSTGRESQL_ROW] * len(rows)),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*(value for one in insertions for value in one.parameters), *parameters])
        return bool(cursor.rowcount == len(rows))


_SQLITE_INSERT = (
    f"INSERT INTO eventstore_event ({_COLUMNS}, {_ABOUT_COLUMNS}, epoch, xact, position) "
    f"SELECT {', '.join(['%s'] * 17)}, {_EPOCH}, 0, "
    "1 + coalesce((SELECT position FROM eventstore_event "
    "ORDER BY epoch DESC, xact DESC, position DESC LIMIT 1), 0)"
)
_SQLITE_INSERT_BEHIND = (
    f"{_SQLITE_INSERT} WHERE EXISTS "
    "(SELECT 1 FROM eventstore_stream "
    "WHERE id = %s AND version = %s AND head_hash = %s AND suspended_at IS NULL) "
    "AND NOT EXISTS (SELECT 1 FROM eventstore_event WHERE stream_id = %s AND command_id = %s)"
)


def _append_sqlite(
    stream: UUID,
    kind: str,
    expected: Head,
    rows: list[_Row],
    about: About,
    command: Command | None,
    condition: Condition | None,
) -> bool:
    """Each event moves the head by its trigger. A single event is one statement, which SQLite starts as a writer.
    Several events, and the first of a stream, take one short BEGIN IMMEDIATE or the open transaction.
    """
    if expected.version and len(rows) == 1:
        statement = _SQLITE_INSERT_BEHIND
        behind = (stream.hex, expected.version, expected.hash, stream.hex, about[0])
        if condition:
            statement, behind = f"{statement} AND {condition.sql}", (*behind, *condition.parameters)
        with connection.cursor() as cursor:
            cursor.execute(statement, [stream.hex, *rows[0], *about, *behind])
            return bool(cursor.rowcount == 1)
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        if expected.version == 0:
            new = Condition("NOT EXISTS (SELECT 1 FROM eventstore_stream WHERE id = %s)", (stream.hex,))
            create = new & condition if condition else new
            values = [stream.hex, kind, 0, GENESIS, "", *create.parameters]
            cursor.execute(_CREATE.format(condition=create.sql), values)
            if cursor.rowcount != 1:
                return False
        elif not _may_append(cursor, stream, expected, command, condition):
            return False
        for index, row in enumerate(rows):
            cursor.execute(_SQLITE_INSERT, [stream.hex, *row, *(_NOTHING if index else about)])
    return True


def _may_append(
    cursor: Any, stream: UUID, expected: Head, command: Command | None, condition: Condition | None
) -> bool:
    """Check on SQLite, in the transaction that appends."""
    cursor.execute(
        "SELECT version, head_hash, suspended_at FROM eventstore_stream WHERE id = %s", [stream.hex]
    )
    if cursor.fetchone() != (expected.version, expected.hash, None):
        return False
    if command and _find_command(stream, command.id):
        return False
    if condition:
        cursor.execute(f"SELECT {condition.sql}", condition.parameters)
        return bool(cursor.fetchone()[0])
    return True


def _about(events: int, command: Command | None) -> About:
    """A command's first event has the command's id, fingerprint, number of events, and request metadata."""
    if command is None:
        return _NOTHING
    named, origin = (command.id, command.fingerprint, events), command.origin
    if origin is None:
        return (*named, None, None, None)
    return (*named, stored(origin.actor), origin.token, origin.client_at)


def _refuse(
    stream: UUID,
    kind: str,
    expected: Head,
    command: Command | None,
    condition: Condition | None,
) -> None:
    if command and (known := find_command(stream, command.id)):
        CONFLICTS.labels(kind, "repeated").inc()
        if known.fingerprint == command.fingerprint:
            raise CommandKnown(known)
        raise KeyReused
    if suspended_at(stream) is not None:
        raise StreamSuspended
    actual = head(stream)
    if condition and (actual.version, actual.hash) == (expected.version, expected.hash):
        CONFLICTS.labels(kind, "condition").inc()
        raise ConditionFailed
    CONFLICTS.labels(kind, "version").inc()
    raise WrongVersion(stream, expected.version, actual.version)


def lock(stream: UUID) -> Head:
    """Lock the stream against other appends until the open transaction ends, and return its head; EMPTY if there is
    no such stream.

    On SQLite the transaction already holds the only write lock.
    """
    if not connection.in_atomic_block:
        raise ValueError("a stream is locked within a transaction")
    return _head(stream, locking())


# --- read --------------------------------------------------------------------------------------------

_READ = f"SELECT {_COLUMNS.removeprefix('stream_id, ')} FROM eventstore_event "


def read(
    stream: UUID,
    *,
    after: int = 0,
    until: int | None = None,
    limit: int | None = None,
) -> list[StoredEvent]:
    """The events of versions `after` + 1 to `until` (default: the head), in order; at most `limit` of them."""
    if limit is not None:
        until = after + limit if until is None else min(until, after + limit)
    if until is not None and until <= after:
        return []
    return [_event(stream, *row) for row in _rows(stream, after, until)]


def event_of(stream: UUID, version: int) -> StoredEvent | None:
    """The event of a version; None if there is none."""
    return next(iter(read(stream, after=version - 1, until=version)), None)


def _rows(stream: UUID, after: int, until: int | None) -> Sequence[tuple[Any, ...]]:
    found = _rows_in_table(stream, after, until)
    if found:
        return found
    try:
        archived = reading.rows(stream, after=after)
    except NotArchived:
        return _rows_in_table(stream, after, until)
    last = archived[-1].version if archived and until is None else until
    return [row[:_EVENT] for row in archived if after < row.version <= (last or 0)]


def _rows_in_table(stream: UUID, after: int, until: int | None) -> list[tuple[Any, ...]]:
    where, parameters = "WHERE stream_id = %s AND version > %s", [stored(stream), after]
    if until is not None:
        where, parameters = where + " AND version <= %s", [*parameters, until]
    with connection.cursor() as cursor:
        cursor.execute(f"{_READ}{where}{within(stream)} ORDER BY version", parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def written(stream: UUID, *, until: int, page: int = 1_000) -> Iterator[bytes]:
    """The events up to a version as `StoredEvent.full` returns them, as JSON text: parts of one list without
    brackets.

    The data is copied without being parsed, which costs less than half of `read`.
    """
    for after in range(0, until, page):
        rows = _rows(stream, after, min(after + page, until))
        events = [
            {
                "version": version,
                "type": type,
                "seat": seat,
                "data": orjson.Fragment(bytes(data)),
                "private": None if private is None else orjson.Fragment(bytes(private)),
                "seal": seal,
                "at": at,
                "prev": prev,
                "hash": hash,
            }
            for version, type, _, seat, data, private, seal, at, prev, hash in rows
        ]
        yield (b"," if after else b"") + orjson.dumps(events)[1:-1]


def outline(
    streams: Sequence[UUID], types: Sequence[str]
) -> dict[UUID, list[tuple[int, str, dict[str, Any]]]]:
    """Version, type, and data of the events of many streams that have these types, in order, without private parts.

    For queries about a few events of thousands of streams. A stream without any is left out.
    """
    if not streams or not types:
        return {}
    found = _outline(streams, types)
    missing = [stream for stream in streams if stream not in found]
    try:
        return found | reading.outlines(missing, types)
    except NotArchived:
        return outline(streams, types)


def _outline(
    streams: Sequence[UUID], types: Sequence[str]
) -> dict[UUID, list[tuple[int, str, dict[str, Any]]]]:
    keys = [stored(stream) for stream in streams]
    parameters: list[Any]
    if connection.vendor == "postgresql":
        among, parameters = f"stream_id = ANY(%s) AND type = ANY(%s){within(*streams)}", [keys, list(types)]
    else:
        marks = [", ".join(["%s"] * len(each)) for each in (keys, types)]
        among, parameters = f"stream_id IN ({marks[0]}) AND type IN ({marks[1]})", [*keys, *types]
    found: dict[UUID, list[tuple[int, str, dict[str, Any]]]] = {}
    # As text, so that an id is parsed once per stream and not once per event.
    id = "stream_id::text" if connection.vendor == "postgresql" else "stream_id"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {id}, version, type, data FROM eventstore_event e WHERE {among} ORDER BY e.stream_id, version",
            parameters,
        )
        for of, rows in groupby(cursor.fetchall(), itemgetter(0)):
            found[UUID(of)] = [(version, type, orjson.loads(data)) for _, version, type, data in rows]
    return found


def archived_events(streams: Sequence[UUID], *, without: Collection[str]) -> dict[UUID, int]:
    """The number of events of other types than these, of those of the streams that are archived."""
    return {
        stream: sum(row.type not in without for row in reading.frame(place))
        for stream, place in reading.places(streams).items()
    }


def head(stream: UUID) -> Head:
    """EMPTY if there is no such stream."""
    return _head(stream, "")


def _head(stream: UUID, clause: str) -> Head:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT version, head_hash, head_at FROM eventstore_stream WHERE id = %s {clause}",
            [stored(stream)],
        )
        row = cursor.fetchone()
    return stored_head(*row) if row else EMPTY


def stored_head(version: int, hash: str, at: str) -> Head:
    """A head as the database stores it."""
    return Head(version, hash, datetime.fromisoformat(at))


def suspended_at(stream: UUID) -> datetime | None:
    """The time since which the stream is suspended; None if it is open."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT suspended_at FROM eventstore_stream WHERE id = %s", [stored(stream)])
        row = cursor.fetchone()
    return datetime.fromisoformat(row[0]) if row and row[0] else None


def find_command(stream: UUID, command_id: str) -> KnownCommand | None:
    """The effect of the command with this id on the stream, if any."""
    if known := _find_command(stream, command_id):
        return known
    for row in _archived(stream):
        if row.command_id == command_id and row.command_events and row.command_fingerprint:
            return KnownCommand(row.version, row.version + row.command_events - 1, row.command_fingerprint)
    return None


def _archived(stream: UUID) -> list[Row]:
    """The rows of an archived stream; empty if it is not archived."""
    place = reading.places([stream]).get(stream)
    return reading.frame(place) if place else []


def _find_command(stream: UUID, command_id: str) -> KnownCommand | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version, command_events, command_fingerprint FROM eventstore_event "
            f"WHERE stream_id = %s AND command_id = %s{within(stream)}",
            [stored(stream), command_id],
        )
        row = cursor.fetchone()
    return KnownCommand(row[0], row[0] + row[1] - 1, row[2]) if row else None


def causes(stream: UUID, *, first: int = 1, until: int | None = None) -> list[Caused]:
    """The commands that made a stream's events of the versions `first` to `until` (default: the head), in order.

    Events without a command were made by the server.
    """
    where = "WHERE stream_id = %s AND version > %s AND version + command_events > %s"
    parameters: list[Any] = [stored(stream), first - MOST_OF_A_COMMAND, first]
    if until is not None:
        where, parameters = where + " AND version <= %s", [*parameters, until]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version, command_events, command_id, actor, token, client_at "
            f"FROM eventstore_event {where}{within(stream)} AND command_id IS NOT NULL ORDER BY version",
            parameters,
        )
        rows = cursor.fetchall()
    return [
        Caused(began, began + events - 1, id, None if actor is None else Origin(as_uuid(actor), token, at))
        for began, events, id, actor, token, at in rows or _archived_causes(stream, first, until)
    ]


def _archived_causes(stream: UUID, first: int, until: int | None) -> list[tuple[Any, ...]]:
    return [
        (row.version, row.command_events, row.command_id, row.actor, row.token, row.client_at)
        for row in _archived(stream)
        if row.command_events is not None
        and row.version + row.command_events > first
        and (until is None or row.version <= until)
    ]


def read_all(*, after: Position | None, limit: int) -> list[tuple[Position, StoredEvent]]:
    """The next `limit` events of all streams after `after` (None: from the beginning).

    Complete under concurrent writers: identities are assigned before their transactions commit, so on PostgreSQL the
    order is by transaction id first, and events that a running transaction could still precede are not returned yet.
    The events of one stream are in the order of their versions.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT epoch, xact, position, {_COLUMNS} FROM eventstore_event "
            f"WHERE {position_is('>')} {_horizon()} ORDER BY {position_order()} LIMIT %s",
            [*position_values(after or BEGINNING), limit],
        )
        return [(Position(*row[:3]), _event(as_uuid(row[3]), *row[4:])) for row in cursor.fetchall()]


def last_position(*, table: str = "eventstore_event", column: str = "position") -> Position | None:
    """The position of the last final event, or row of another table; None if there is none."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT epoch, xact, {column} FROM {table} WHERE 1 = 1 {_horizon()}"
            f"ORDER BY epoch DESC, xact DESC, {column} DESC LIMIT 1"
        )
        row = cursor.fetchone()
    return Position(*row) if row else None


def positions_after(after: Position, limit: int, *, table: str, column: str) -> list[Position]:
    """The positions of the next `limit` final rows of a table whose primary key `column` is the last part of them."""
    is_after = position_is(">", key=True, column=column)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT epoch, xact, {column} FROM {table} WHERE {is_after} {_horizon()} "
            f"ORDER BY {position_order(key=True, column=column)} LIMIT %s",
            [*position_values(after, key=True), limit],
        )
        return [Position(*row) for row in cursor.fetchall()]


def position_after(
    after: Position | None,
    limit: int,
    *,
    table: str = "eventstore_event",
    key: bool = False,
) -> Position | None:
    """The position of the last of the next `limit` final rows; None if there is none.

    For events, and for other tables with the columns (epoch, xact, position); `key` as in `position_is`.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT * FROM (SELECT epoch, xact, position FROM {table} "
            f"WHERE {position_is('>', key=key)} {_horizon()} ORDER BY {position_order(key=key)} LIMIT %s) AS next "
            "ORDER BY epoch DESC, xact DESC, position DESC LIMIT 1",
            [*position_values(after or BEGINNING, key=key), limit],
        )
        row = cursor.fetchone()
    return Position(*row) if row else None


def heads_between(after: Position | None, until: Position) -> list[tuple[str, int, str]]:
    """Stream, version, and hash of the last event of each stream after `after`, up to and including `until`.

    A stream is its id as text with hyphens; they are in the order of their ids. Of archived streams the index has the
    last event in each checkpoint, so both positions must be those of checkpoints.
    """
    bounds = [*position_values(after or BEGINNING), *position_values(until)]
    with connection.cursor() as cursor:
        cursor.execute(
            _HEADS[connection.vendor].format(between=f"{position_is('>')} AND {position_is('<=')}"),
            [*bounds, *bounds],
        )
        found: list[tuple[str, int, str]] = cursor.fetchall()
    return found


_BETWEEN = (
    "(SELECT stream_id, version, hash FROM eventstore_event WHERE {between} "
    "UNION ALL SELECT stream_id, version, hash FROM eventstore_archivedhead WHERE {between}) AS e"
)
_HEADS = {
    "postgresql": f"SELECT DISTINCT ON (stream_id) stream_id::text, version, hash FROM {_BETWEEN} "
    "ORDER BY stream_id, version DESC",
    # SQLite takes the hash from the row with the largest version.
    "sqlite": f"SELECT {hyphened('stream_id')}, max(version), hash FROM {_BETWEEN} "
    "GROUP BY stream_id ORDER BY stream_id",
}


def last_until(stream: UUID, until: Position) -> tuple[int, Position] | None:
    """Version and position of a stream's last event up to and including `until`; None if there is none.

    Of an archived stream, `until` must be the position of a checkpoint.
    """
    row = None
    with connection.cursor() as cursor:
        for table in ("eventstore_event", "eventstore_archivedhead"):
            cursor.execute(
                f"SELECT version, epoch, xact, position FROM {table} "
                f"WHERE stream_id = %s{within(stream)} AND {position_is('<=')} ORDER BY version DESC LIMIT 1",
                [stored(stream), *position_values(until)],
            )
            row = cursor.fetchone()
            if row:
                break
    return (row[0], Position(*row[1:])) if row else None


BEGINNING = Position(-1, -1, -1)
"""Before every event."""


def position_is(compared: str, row: str = "", *, key: bool = False, column: str = "position") -> str:
    """Return the SQL condition that the position of `row` (such as "transfer.") is after (>), up to (<=), and so on, a
    position whose values `position_values` returns. `key`: the position is the primary key of the table.
    """
    # SQLite does not compare a primary key by another index, and epoch and transaction id are the same for most rows
    # there. It has one writer at a time, so the key alone is in this order.
    if key and connection.vendor == "sqlite":
        return f"{row}{column} {compared} %s"
    return f"({row}epoch, {row}xact, {row}{column}) {compared} (%s, %s, %s)"


def position_values(at: Position, *, key: bool = False) -> list[int]:
    """Return the values of the condition of `position_is`."""
    return [at.identity] if key and connection.vendor == "sqlite" else list(at)


def position_order(row: str = "", *, key: bool = False, column: str = "position") -> str:
    """Return the SQL order of positions."""
    if key and connection.vendor == "sqlite":
        return f"{row}{column}"
    return f"{row}epoch, {row}xact, {row}{column}"


def _horizon() -> str:
    """The condition for final events: no running transaction can precede them. On SQLite writers queue, so all are.

    Ids of an earlier epoch are from another cluster, whose transactions ended before the restore.
    """
    if connection.vendor == "sqlite":
        return ""
    return f"AND (epoch < {_EPOCH} OR xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint) "


def _event(
    stream: UUID,
    version: int,
    type: str,
    schema: int,
    seat: int | None,
    data: bytes | memoryview,
    private: bytes | memoryview | None,
    seal: str | None,
    at: str,
    prev: str,
    hash: str,
) -> StoredEvent:
    opened = None if private is None else orjson.loads(private)
    return StoredEvent(stream, version, type, schema, seat, orjson.loads(data), opened, seal, at, prev, hash)
