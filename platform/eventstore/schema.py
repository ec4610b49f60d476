"""The invariants of streams and events that the database enforces for every writer.

Versions are gapless, each event is chained to the one before it, a head matches its last event, and nothing is
changed or removed. On PostgreSQL one statement moves the head and inserts the events, and the check runs at its end.
On SQLite each event is checked as it is inserted and moves the head itself. The head of a suspended stream does not
move, so nothing is appended to it. (`eventstore.checks.streams` checks that a hash matches its contents.)
"""

from core.triggers import register_append_only, register_triggers


def register() -> None:
    register_append_only("eventstore_event", unique=[("stream_id", "version"), ("stream_id", "command_id")])
    register_append_only("eventstore_epoch", unique=[("number",)])
    register_append_only("eventstore_checkpoint", unique=[("number",), ("hash",)])
    # Without a check of collisions: a row has only its key, so REPLACE changes nothing.
    register_append_only("eventstore_checkpointstream", unique=[])
    register_triggers("eventstore_heads", sqlite=SQLITE, postgresql=POSTGRESQL)


POSTGRESQL = [
    """
CREATE OR REPLACE FUNCTION racecard_event_fits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.version = 1 THEN
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
    IF NOT EXISTS (SELECT 1 FROM eventstore_stream WHERE id = NEW.stream_id AND version >= NEW.version) THEN
        RAISE EXCEPTION 'event % of % lies beyond the head of its stream', NEW.version, NEW.stream_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.actor IS NULL AND (NEW.token IS NOT NULL OR NEW.client_at IS NOT NULL))
        OR (NEW.command_id IS NULL AND NEW.actor IS NOT NULL) THEN
        RAISE EXCEPTION 'event % of % has no whole origin', NEW.version, NEW.stream_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    -- A reader that has read past a transaction must never miss an event of it.
    IF NEW.xact < pg_current_xact_id()::text::bigint THEN
        RAISE EXCEPTION 'event % of % is backdated', NEW.version, NEW.stream_id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$""",
    # A command's events are inserted by one statement, so they are checked together at its end.
    "CREATE TRIGGER eventstore_event_fits AFTER INSERT ON eventstore_event "
    "FOR EACH ROW EXECUTE FUNCTION racecard_event_fits()",
    """
CREATE OR REPLACE FUNCTION racecard_head_fits() RETURNS trigger LANGUAGE plpgsql AS $$
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
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM eventstore_event
        WHERE stream_id = NEW.id AND version = NEW.version AND hash = NEW.head_hash AND at = NEW.head_at
    ) THEN
        RAISE EXCEPTION 'the head of % is no event of it', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$""",
    "CREATE TRIGGER eventstore_head_fits AFTER INSERT OR UPDATE ON eventstore_stream "
    "FOR EACH ROW EXECUTE FUNCTION racecard_head_fits()",
    "CREATE TRIGGER eventstore_stream_no_delete BEFORE DELETE ON eventstore_stream "
    "FOR EACH ROW EXECUTE FUNCTION racecard_append_only()",
    "CREATE TRIGGER eventstore_stream_no_truncate BEFORE TRUNCATE ON eventstore_stream "
    "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
]

SQLITE = [
    """
CREATE TRIGGER eventstore_event_fits BEFORE INSERT ON eventstore_event
WHEN NOT EXISTS (
    SELECT 1 FROM eventstore_stream
    WHERE id = NEW.stream_id AND version = NEW.version - 1 AND head_hash = NEW.prev AND head_at <= NEW.at
        AND suspended_at IS NULL
)
BEGIN SELECT RAISE(ABORT, 'the event is not chained to the head of a stream that goes on'); END""",
    """
CREATE TRIGGER eventstore_event_origin BEFORE INSERT ON eventstore_event
WHEN (NEW.actor IS NULL AND (NEW.token IS NOT NULL OR NEW.client_at IS NOT NULL))
    OR (NEW.command_id IS NULL AND NEW.actor IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the origin of an event is its command''s, and somebody''s'); END""",
    """
CREATE TRIGGER eventstore_event_moves_head AFTER INSERT ON eventstore_event
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
