"""The invariants of streams and events that the database enforces for every writer.

Versions are gapless, each event is chained to the one before it, a head matches its last event, and nothing is
changed. Events are removed only if their stream is in the index of archived streams, which names its pack; the index
takes a stream whose head and events are whole, and gives it up when all of its events are back. On PostgreSQL one
statement moves the head and inserts the events, and the checks run at its end: that of the head sees all of its new
events, that of an event only whether its stream has it. On SQLite each event is checked as it is
inserted and moves the head itself. The head of a suspended stream does not move, so nothing is appended to it.
(`eventstore.checks.streams` checks that a hash matches its contents.)
"""

from core.triggers import no_replace, register_append_only, register_triggers
from eventstore.months import Month, between, months, partitioned

ARCHIVE = ["eventstore_archivepack", "eventstore_archivedstream", "eventstore_archivedhead"]
"""The tables that the triggers of events and of the archive read."""


def register() -> None:
    register_append_only("eventstore_epoch", unique=[("number",)])
    register_append_only("eventstore_checkpoint", unique=[("number",), ("hash",)])
    # Without a check of collisions: a row has only its key, so REPLACE changes nothing.
    register_append_only("eventstore_checkpointstream", unique=[])
    register_triggers(
        "eventstore_event_append_only",
        sqlite=[
            *SQLITE_EVENTS,
            *no_replace("eventstore_event", [("stream_id", "version"), ("stream_id", "command_id")]),
        ],
        postgresql=POSTGRESQL_EVENTS,
        needs=ARCHIVE,
    )
    register_triggers(
        "eventstore_archive",
        sqlite=[
            *SQLITE_ARCHIVE,
            *no_replace("eventstore_archivepack", [("digest",)]),
            *no_replace("eventstore_archivedstream", [("stream_id",)]),
            *no_replace("eventstore_archivedhead", [("stream_id", "version")]),
        ],
        postgresql=POSTGRESQL_ARCHIVE,
        needs=ARCHIVE,
    )
    register_triggers(
        "eventstore_heads", sqlite=SQLITE, postgresql=POSTGRESQL, needs=ARCHIVE, for_partitions=head_fits
    )


POSTGRESQL = [
    # Events up to the head are there: the trigger of the head has checked them. So a new one belongs to the head that
    # this statement moves, or is restored.
    """
CREATE OR REPLACE FUNCTION racecard_event_fits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE restored boolean;
BEGIN
    SELECT (
        SELECT version >= NEW.version FROM eventstore_archivedstream WHERE stream_id = NEW.stream_id
    ) INTO restored FROM eventstore_stream WHERE id = NEW.stream_id AND version >= NEW.version;
    IF NOT FOUND OR NOT restored THEN
        RAISE EXCEPTION 'event % of % lies beyond the head of its stream, or it is archived', NEW.version, NEW.stream_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.actor IS NULL AND (NEW.token IS NOT NULL OR NEW.client_at IS NOT NULL))
        OR (NEW.command_id IS NULL AND NEW.actor IS NOT NULL) THEN
        RAISE EXCEPTION 'event % of % has no whole origin', NEW.version, NEW.stream_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    -- A reader that has read past a transaction must never miss an event of it. A restored event was read before it
    -- was archived.
    IF restored IS NULL THEN
        IF NEW.xact < pg_current_xact_id()::text::bigint THEN
            RAISE EXCEPTION 'event % of % is backdated', NEW.version, NEW.stream_id
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    ELSIF NEW.version = 1 THEN
        IF NEW.prev <> repeat('0', 64) THEN
            RAISE EXCEPTION 'event 1 of % does not begin its chain', NEW.stream_id
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    ELSIF NOT EXISTS (
        SELECT 1 FROM eventstore_event WHERE stream_id = NEW.stream_id AND version = NEW.version - 1
        AND hash = NEW.prev AND at <= NEW.at AND epoch <= NEW.epoch AND xact <= NEW.xact
    ) THEN
        RAISE EXCEPTION 'event % of % does not follow the event before it', NEW.version, NEW.stream_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$""",
    # A command's events are inserted by one statement, so they are checked together at its end.
    "CREATE TRIGGER eventstore_event_fits AFTER INSERT ON eventstore_event "
    "FOR EACH ROW EXECUTE FUNCTION racecard_event_fits()",
    "CREATE TRIGGER eventstore_head_fits AFTER INSERT OR UPDATE ON eventstore_stream "
    "FOR EACH ROW EXECUTE FUNCTION racecard_head_fits()",
    "CREATE TRIGGER eventstore_stream_no_delete BEFORE DELETE ON eventstore_stream "
    "FOR EACH ROW EXECUTE FUNCTION racecard_append_only()",
    "CREATE TRIGGER eventstore_stream_no_truncate BEFORE TRUNCATE ON eventstore_stream "
    "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
]

# Whether the new events up to the head are there, each chained to the one before it.
_CHAINED = """
        SELECT count(*) = NEW.version - previous
            AND bool_or(e.version = NEW.version AND e.hash = NEW.head_hash AND e.at = NEW.head_at)
        INTO chained
        FROM eventstore_event e LEFT JOIN eventstore_event p
            ON p.stream_id = e.stream_id AND p.version = e.version - 1{p}
        WHERE e.stream_id = NEW.id AND e.version > previous AND e.version <= NEW.version{e}
        AND CASE WHEN e.version = 1 THEN e.prev = repeat('0', 64)
            ELSE p.hash = e.prev AND p.at <= e.at AND p.epoch <= e.epoch AND p.xact <= e.xact END;"""


def head_fits() -> list[str]:
    """Return the function that checks a head.

    It has a query for each partition of events, whose plan PostgreSQL keeps and which reads no other partition. The
    last query, for a stream whose month has no partition, reads any.
    """
    check = _CHAINED.format(e="", p="")
    if partitioned():
        known = [None, *reversed(months())]
        branches = "    ELSIF ".join(f"{between(month, 'NEW.id')} THEN{_chained(month)}\n" for month in known)
        check = f"    IF {branches}    ELSE{check}\n    END IF;"
    return [_HEAD_FITS.replace("/* CHAINED */", check)]


def _chained(month: Month | None) -> str:
    return _CHAINED.format(**{row: f" AND {between(month, f'{row}.stream_id')}" for row in "ep"})


_HEAD_FITS = """
CREATE OR REPLACE FUNCTION racecard_head_fits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE previous bigint := 0; chained boolean;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.suspended_at IS DISTINCT FROM OLD.suspended_at
            AND (NEW.id, NEW.kind, NEW.version, NEW.head_hash, NEW.head_at)
                = (OLD.id, OLD.kind, OLD.version, OLD.head_hash, OLD.head_at) THEN
            RETURN NULL;
        END IF;
        IF OLD.suspended_at IS NOT NULL OR NEW.suspended_at IS NOT NULL THEN
            RAISE EXCEPTION 'the stream % is suspended', OLD.id
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        IF NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.version <= OLD.version THEN
            RAISE EXCEPTION 'a stream only moves forward: % refused', OLD.id
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        previous := OLD.version;
    END IF;
/* CHAINED */
    IF chained IS NOT TRUE THEN
        RAISE EXCEPTION 'the events up to the head of % are no chain', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$"""

SQLITE = [
    """
CREATE TRIGGER eventstore_event_fits BEFORE INSERT ON eventstore_event
WHEN NOT EXISTS (
    SELECT 1 FROM eventstore_stream
    WHERE id = NEW.stream_id AND version = NEW.version - 1 AND head_hash = NEW.prev AND head_at <= NEW.at
        AND suspended_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM eventstore_archivedstream WHERE stream_id = NEW.stream_id)
) AND NOT (
    EXISTS (
        SELECT 1 FROM eventstore_archivedstream WHERE stream_id = NEW.stream_id AND version >= NEW.version
    ) AND (
        NEW.version = 1 AND NEW.prev = lower(hex(zeroblob(32)))
        OR EXISTS (
            SELECT 1 FROM eventstore_event
            WHERE stream_id = NEW.stream_id AND version = NEW.version - 1 AND hash = NEW.prev AND at <= NEW.at
        )
    )
)
BEGIN SELECT RAISE(ABORT, 'the event is not chained to the head of a stream that goes on'); END""",
    """
CREATE TRIGGER eventstore_event_origin BEFORE INSERT ON eventstore_event
WHEN (NEW.actor IS NULL AND (NEW.token IS NOT NULL OR NEW.client_at IS NOT NULL))
    OR (NEW.command_id IS NULL AND NEW.actor IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the origin of an event is its command''s, and somebody''s'); END""",
    """
CREATE TRIGGER eventstore_event_moves_head AFTER INSERT ON eventstore_event
WHEN NOT EXISTS (SELECT 1 FROM eventstore_archivedstream WHERE stream_id = NEW.stream_id)
BEGIN
    UPDATE eventstore_stream SET version = NEW.version, head_hash = NEW.hash, head_at = NEW.at
    WHERE id = NEW.stream_id;
END""",
    """
CREATE TRIGGER eventstore_stream_begins BEFORE INSERT ON eventstore_stream
WHEN NEW.version <> 0 OR NEW.head_hash <> hex(zeroblob(32)) OR NEW.head_at <> ''
    OR EXISTS (SELECT 1 FROM eventstore_stream WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a stream begins once and empty'); END""",
    """
CREATE TRIGGER eventstore_head_fits BEFORE UPDATE ON eventstore_stream
WHEN NOT (
    NEW.suspended_at IS NOT OLD.suspended_at
    AND (NEW.id, NEW.kind, NEW.version, NEW.head_hash, NEW.head_at)
        = (OLD.id, OLD.kind, OLD.version, OLD.head_hash, OLD.head_at)
) AND (
    OLD.suspended_at IS NOT NULL OR NEW.suspended_at IS NOT NULL
    OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.version <> OLD.version + 1
    OR NOT EXISTS (
        SELECT 1 FROM eventstore_event
        WHERE stream_id = NEW.id AND version = NEW.version AND hash = NEW.head_hash AND at = NEW.head_at
    )
)
BEGIN SELECT RAISE(ABORT, 'a stream moves only to its next event'); END""",
    """
CREATE TRIGGER eventstore_stream_no_delete BEFORE DELETE ON eventstore_stream
BEGIN SELECT RAISE(ABORT, 'eventstore_stream is append-only: DELETE refused'); END""",
]

POSTGRESQL_EVENTS = [
    """
CREATE OR REPLACE FUNCTION racecard_event_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (
        SELECT 1 FROM eventstore_archivedstream WHERE stream_id = OLD.stream_id AND version >= OLD.version
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $$""",
    "CREATE TRIGGER eventstore_event_append_only BEFORE UPDATE OR DELETE ON eventstore_event "
    "FOR EACH ROW EXECUTE FUNCTION racecard_event_stays()",
    "CREATE TRIGGER eventstore_event_no_truncate BEFORE TRUNCATE ON eventstore_event "
    "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
]

SQLITE_EVENTS = [
    "CREATE TRIGGER eventstore_event_no_update BEFORE UPDATE ON eventstore_event "
    "BEGIN SELECT RAISE(ABORT, 'eventstore_event is append-only: UPDATE refused'); END",
    # The next position is computed from the last one, so the newest event stays.
    """
CREATE TRIGGER eventstore_event_no_delete BEFORE DELETE ON eventstore_event
WHEN NOT EXISTS (
    SELECT 1 FROM eventstore_archivedstream WHERE stream_id = OLD.stream_id AND version >= OLD.version
) OR NOT EXISTS (
    SELECT 1 FROM eventstore_event
    WHERE (epoch, xact, position) > (OLD.epoch, OLD.xact, OLD.position) AND stream_id <> OLD.stream_id
)
BEGIN SELECT RAISE(ABORT, 'eventstore_event is append-only: DELETE refused'); END""",
]

_ENTERS = """EXISTS (
    SELECT 1 FROM eventstore_stream
    WHERE id = NEW.stream_id AND version = NEW.version AND head_hash = NEW.head_hash AND suspended_at IS NULL
) AND EXISTS (
    SELECT 1 FROM eventstore_event
    WHERE stream_id = NEW.stream_id AND version = NEW.version AND hash = NEW.head_hash
) AND EXISTS (
    SELECT 1 FROM eventstore_archivedhead
    WHERE stream_id = NEW.stream_id AND version = NEW.version AND hash = NEW.head_hash
) AND (SELECT count(*) FROM eventstore_event WHERE stream_id = NEW.stream_id) = NEW.version"""
_LEAVES = """EXISTS (
    SELECT 1 FROM eventstore_event
    WHERE stream_id = OLD.stream_id AND version = OLD.version AND hash = OLD.head_hash
) AND (SELECT count(*) FROM eventstore_event WHERE stream_id = OLD.stream_id) = OLD.version"""
_IS_EVENT = """EXISTS (
    SELECT 1 FROM eventstore_event
    WHERE stream_id = NEW.stream_id AND version = NEW.version AND hash = NEW.hash
    AND epoch = NEW.epoch AND xact = NEW.xact AND position = NEW.position
)"""
_IS_NEEDED = "EXISTS (SELECT 1 FROM eventstore_archivedstream WHERE stream_id = OLD.stream_id)"


def _postgresql_guard(table: str, insert: str, delete: str, update: str = "false") -> list[str]:
    refused = f"'{table}: % refused', TG_OP USING ERRCODE = 'integrity_constraint_violation'"
    return [
        f"""
CREATE OR REPLACE FUNCTION {table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF ({insert}) IS NOT TRUE THEN
            RAISE EXCEPTION {refused};
        END IF;
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE' THEN
        IF ({update}) IS NOT TRUE THEN
            RAISE EXCEPTION {refused};
        END IF;
        RETURN NEW;
    END IF;
    IF ({delete}) IS NOT TRUE THEN
        RAISE EXCEPTION {refused};
    END IF;
    RETURN OLD;
END $$""",
        f"CREATE TRIGGER {table}_guard BEFORE INSERT OR UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_guard()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
    ]


def _sqlite_guard(table: str, insert: str, delete: str, update: str = "0") -> list[str]:
    return [
        f"CREATE TRIGGER {table}_guard_{event.lower()} BEFORE {event} ON {table} WHEN ({condition}) IS NOT 1 "
        f"BEGIN SELECT RAISE(ABORT, '{table}: {event} refused'); END"
        for event, condition in (("INSERT", insert), ("UPDATE", update), ("DELETE", delete))
    ]


_PACK = (
    "NEW.digest = OLD.digest AND NEW.bytes = OLD.bytes AND NEW.streams = OLD.streams AND NEW.events = OLD.events "
    "AND NEW.made_at = OLD.made_at AND OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL"
)
POSTGRESQL_ARCHIVE = [
    *_postgresql_guard("eventstore_archivepack", "NEW.finished_at IS NULL", "false", _PACK),
    *_postgresql_guard("eventstore_archivedstream", _ENTERS, _LEAVES),
    *_postgresql_guard("eventstore_archivedhead", _IS_EVENT, f"NOT {_IS_NEEDED}"),
]
SQLITE_ARCHIVE = [
    *_sqlite_guard("eventstore_archivepack", "NEW.finished_at IS NULL", "0", _PACK),
    *_sqlite_guard("eventstore_archivedstream", _ENTERS, _LEAVES),
    *_sqlite_guard("eventstore_archivedhead", _IS_EVENT, f"NOT {_IS_NEEDED}"),
]
