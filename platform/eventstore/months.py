"""Streams by the month in which they began, and the partitions of events on PostgreSQL.

The id of such a stream begins with its month, so a range of ids is a month: the key (stream, version) is the key
(month, stream, version), every query that names a stream reads one partition, and no clock decides where an event is.
Streams with other ids, such as those of tournaments and those that began before version 0.3, are in one partition. An
event whose month has no partition is stored in the default partition, so an append never fails because of a clock.

    ffffffff-MMMM-8rrr-brrr-rrrrrrrrrrrr    a UUID of version 8 (RFC 9562)

MMMM is the number of the month, r is random (74 bits). A random id has the same 32 first bits once in 4 billion.
"""

# ruff: noqa: S608 - statements are put together from names of our own tables

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any
from uuid import UUID, uuid4

import structlog
from django.db import Error, IntegrityError, connection
from django.utils import timezone

from core import triggers
from core.migration import with_short_locks

log = structlog.get_logger(__name__)

TABLE = "eventstore_event"
UNDATED = f"{TABLE}_undated"
DEFAULT = f"{TABLE}_default"

AHEAD = 3
"""Months after the present one that have a partition, so that the job may fail for so long."""

DATED = UUID(int=0xFFFFFFFF << 96)
"""The ids from here on contain a month."""

_PARTITION = re.compile(rf"{TABLE}_(\d{{4}}_\d\d)")
_DATED = 0xFFFFFFFF
_LAST = 0xFFFF
_VERSION_8 = 8 << 76
_RANDOM = (1 << 76) - 1
"""The last 76 bits of a UUID, of which two are its variant."""


@dataclass(frozen=True, slots=True, order=True)
class Month:
    number: int
    """Months since January of the year 0."""

    @classmethod
    def of(cls, moment: datetime) -> Month:
        """The month of a moment in UTC."""
        at = moment.astimezone(UTC)
        return cls(min(at.year * 12 + at.month - 1, _LAST))

    @classmethod
    def parse(cls, text: str) -> Month:
        """Read `YYYY-MM`, or the same with an underscore. Raises ValueError."""
        return cls.of(datetime.strptime(text.replace("_", "-"), "%Y-%m").replace(tzinfo=UTC))

    def __str__(self) -> str:
        return f"{self.number // 12:04}-{self.number % 12 + 1:02}"

    def after(self, months: int) -> Month:
        return Month(self.number + months)

    @property
    def table(self) -> str:
        """The name of its partition."""
        return f"{TABLE}_{str(self).replace('-', '_')}"

    @property
    def first(self) -> UUID:
        """A lower bound of the ids of its streams."""
        return UUID(int=_DATED << 96 | self.number << 80)


def new_stream(now: datetime) -> UUID:
    """Return a random id for a stream that begins in the month of `now`."""
    return dated(uuid4(), now)


def dated(id: UUID, now: datetime) -> UUID:
    """Return the id of a stream that begins in the month of `now`, with the random part of a UUID of version 4."""
    return UUID(int=Month.of(now).first.int | _VERSION_8 | id.int & _RANDOM)


def random_part(stream: UUID) -> str:
    """Return what of the id does not depend on the month: the whole id if it has none."""
    return str(stream) if month_of(stream) is None else f"{stream.int & _RANDOM:019x}"


def month_of(stream: UUID) -> Month | None:
    """Return the month in which a stream began; None if its id does not contain it."""
    return Month(stream.int >> 80 & _LAST) if stream.int >> 96 == _DATED else None


# --- conditions ----------------------------------------------------------------------------------------


def within(*streams: UUID) -> str:
    """Return " AND …": that a `stream_id` is in the range of the partitions of the streams; empty if that is no limit.

    With the limits in the text of a statement, PostgreSQL reads one partition by a plan that it keeps. From parameters
    it would know the partition only at each execution, and plan again or lock all partitions.
    """
    if connection.vendor != "postgresql":
        return ""
    return _within(frozenset(map(month_of, streams)))


@lru_cache
def _within(found: frozenset[Month | None]) -> str:
    dated = sorted(month for month in found if month)
    if found == {None}:
        return f" AND {between(None, 'stream_id')}"
    if None in found or not dated:
        return ""
    return f" AND {between(dated[0], 'stream_id', until=dated[-1])}"


def between(month: Month | None, column: str, *, until: Month | None = None) -> str:
    """Return the condition that a column has the id of a stream that began in the month, or in one of those until
    another; None: the id of a stream without a month.
    """
    if month is None:
        return f"{column} < '{DATED}'"
    last = until or month
    limit = f" AND {column} < '{last.after(1).first}'" if last.number < _LAST else ""
    return f"{column} >= '{month.first}'{limit}"


# --- partitions ----------------------------------------------------------------------------------------


def partitioned() -> bool:
    """Whether the database has partitions of events: PostgreSQL, from version 0.3."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(%s)", [TABLE])
        return bool((cursor.fetchone() or [False])[0])


def months() -> list[Month]:
    """Return the months that have a partition, in order."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid "
            "WHERE inhparent = to_regclass(%s)",
            [TABLE],
        )
        names = [str(name) for (name,) in cursor.fetchall()]
    return sorted(Month.parse(found[1]) for name in names if (found := _PARTITION.fullmatch(name)))


def make_due(now: datetime) -> list[Month]:
    """Make the missing partitions of the month of `now` and those ahead, and return their months.

    A month that has events in the default partition, because it began without a partition, stays there.
    """
    if not partitioned():
        return []
    known = months()
    wanted = [Month.of(now).after(number) for number in range(AHEAD + 1)]
    return [month for month in wanted if month not in known and _make_unless_used(month, now)]


def _make_unless_used(month: Month, now: datetime) -> bool:
    if _holds_events(DEFAULT, month):
        log.warning("month_without_partition", month=str(month))
        return False
    try:
        # Not for the present month, of which the default partition must take events until the month has its own.
        return make(month, checked=month > Month.of(now))
    except IntegrityError:  # an event came into the default partition meanwhile
        return False


def make(month: Month, *, checked: bool = False, with_triggers: bool = True) -> bool:
    """Make the partition of a month; False if it exists. A restore installs the triggers later.

    Attaching it locks the default partition, and reads it unless a constraint excludes the month. If `checked`, such a
    constraint is validated before, while others use the partition; events of the month are refused meanwhile.

    Raises IntegrityError if the default partition has events of it, LocksRefused if other transactions use the events
    for longer than a migration waits.
    """
    if month in months():
        return False
    attach = partial(_attach, month, with_triggers)
    if not checked:
        return with_short_locks(attach)
    outside = f"stream_id < '{month.first}' OR stream_id >= '{month.after(1).first}'"
    try:
        with_short_locks(partial(_execute, _ADMIT, f"{_EXCLUDE} CHECK ({outside}) NOT VALID"))
        with_short_locks(partial(_execute, _VALIDATE))
        return with_short_locks(attach)
    except Error:
        with_short_locks(partial(_execute, _ADMIT))
        raise


_ADMIT = f"ALTER TABLE {DEFAULT} DROP CONSTRAINT IF EXISTS event_elsewhere"
_EXCLUDE = f"ALTER TABLE {DEFAULT} ADD CONSTRAINT event_elsewhere"
_VALIDATE = f"ALTER TABLE {DEFAULT} VALIDATE CONSTRAINT event_elsewhere"


def _attach(month: Month, with_triggers: bool) -> bool:
    with connection.cursor() as cursor:
        # The lock that attaching needs, one process at a time. Reads of other months and appends to them go on.
        cursor.execute(f"LOCK TABLE ONLY {TABLE} IN SHARE UPDATE EXCLUSIVE MODE")
        if month in months():
            cursor.execute(_ADMIT)
            return False
        # Attached instead of made as a partition, which would lock all events.
        cursor.execute(
            f"CREATE TABLE {month.table} (LIKE {TABLE} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)"
        )
        cursor.execute(
            f"ALTER TABLE {TABLE} ATTACH PARTITION {month.table} "
            f"FOR VALUES FROM ('{month.first}') TO ('{month.after(1).first}')"
        )
        cursor.execute(_ADMIT)
        if with_triggers:
            triggers.install_on_partitions(TABLE)
    return True


class MonthInUse(Exception):
    """The month cannot be removed. The text has the reason."""


def remove(month: Month, *, now: datetime) -> None:
    """Remove the partition of a past month without events, which the archive has moved. Their streams, checkpoints, and
    proofs stay; an event that is restored is stored in the default partition.

    Moves and reads wait while it is removed. Raises MonthInUse, LocksRefused as `make` does.
    """
    if month >= Month.of(now):
        raise MonthInUse(f"{month} is not over.")
    _require_empty(month)  # reads what VACUUM has not removed, while nothing is locked
    with_short_locks(partial(_remove, month))


def _remove(month: Month) -> None:
    # The table before its partition, as an append locks them: in another order each could wait for the other.
    _execute(f"LOCK TABLE ONLY {TABLE} IN ACCESS EXCLUSIVE MODE")
    _require_empty(month, lock=True)
    _execute(f"ALTER TABLE {TABLE} DETACH PARTITION {month.table}", f"DROP TABLE {month.table}")
    triggers.install_on_partitions(TABLE)


def _require_empty(month: Month, *, lock: bool = False) -> None:
    if month not in months():
        raise MonthInUse(f"{month} has no partition.")
    if lock:
        _execute(f"LOCK TABLE {month.table} IN ACCESS EXCLUSIVE MODE")
    if _holds_events(month.table, month):
        raise MonthInUse(f"{month} has events; archive its games first.")


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _holds_events(table: str, month: Month) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT EXISTS (SELECT 1 FROM {table} WHERE stream_id >= %s AND stream_id < %s)",
            [month.first, month.after(1).first],
        )
        return bool(cursor.fetchone()[0])


def analyze() -> None:
    """Update the planner's statistics of all partitions together, which autovacuum does not."""
    if partitioned():
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {TABLE}")


def make_after_migrate(**_: Any) -> None:
    make_due(timezone.now())


# --- for people ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Partition:
    name: str
    """Its month, or `undated` or `default`."""
    streams: int
    events: int
    bytes: int
    """With indexes."""


def partitions() -> list[Partition]:
    """Return all partitions with their exact numbers of streams and events, which reads their indexes."""
    found = []
    for table in [UNDATED, *(month.table for month in months()), DEFAULT] if partitioned() else []:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FILTER (WHERE version = 1), count(*), pg_total_relation_size('{table}') FROM {table}"
            )
            name = table.removeprefix(f"{TABLE}_").replace("_", "-")
            found.append(Partition(name, *cursor.fetchone()))
    return found
