"""Database triggers of tournaments and ratings.

A published tournament keeps its terms and is never deleted; a draft is deleted only after the event that says so.

Changes of ratings are append-only, and each begins where the one before it ended. A rating equals its last change and
only advances.
"""

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

from __future__ import annotations

from collections.abc import Iterator

from core.triggers import register_append_only, register_triggers
from tournaments.formats.scoring.ratings import UNRATED
from tournaments.models import Tournament


def register() -> None:
    register_append_only(
        "tournaments_ratingchange",
        unique=[("id",), ("player_id", "rules", "number"), ("tournament_id", "round", "player_id")],
    )
    register_triggers("tournaments_ratings", sqlite=SQLITE, postgresql=POSTGRESQL)
    register_triggers(
        "tournaments_published",
        sqlite=list(_published_sqlite()),
        postgresql=list(_published_postgresql()),
        needs=["eventstore_event"],
    )


# --- published tournaments -------------------------------------------------------------------------------

PROGRESS = frozenset(
    {"status", "entropy", "stalled", "paused", "resumptions", "rounds", "started_at", "ended_at"}
)
"""The columns that change after publication. The start fixes `rounds`."""

FIXED = "a published tournament keeps its terms"
STAYS = "only a draft is deleted, after the event that says so"

_NOT_DELETABLE = """OLD.published_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM eventstore_event WHERE stream_id = OLD.id AND type = 'deleted'
    )"""


def _terms() -> list[str]:
    return [str(field.column) for field in Tournament._meta.concrete_fields if field.name not in PROGRESS]


def _published_sqlite() -> Iterator[str]:
    differs = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in _terms())
    yield (
        "CREATE TRIGGER tournaments_tournament_fixed BEFORE UPDATE ON tournaments_tournament "
        f"WHEN OLD.published_at IS NOT NULL AND ({differs} "
        "OR OLD.started_at IS NOT NULL AND NEW.rounds IS NOT OLD.rounds) "
        f"BEGIN SELECT RAISE(ABORT, '{FIXED}'); END"
    )
    yield (
        f"CREATE TRIGGER tournaments_tournament_stays BEFORE DELETE ON tournaments_tournament WHEN {_NOT_DELETABLE} "
        f"BEGIN SELECT RAISE(ABORT, '{STAYS}'); END"
    )
    # Under REPLACE the older row would be deleted without its trigger.
    yield (
        "CREATE TRIGGER tournaments_tournament_no_replace BEFORE INSERT ON tournaments_tournament "
        "WHEN EXISTS (SELECT 1 FROM tournaments_tournament WHERE id = NEW.id) "
        "BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: tournaments_tournament (id)'); END"
    )


def _published_postgresql() -> Iterator[str]:
    new, old = (", ".join(f"{row}.{name}" for name in _terms()) for row in ("NEW", "OLD"))
    yield f"""
CREATE OR REPLACE FUNCTION tournaments_tournament_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.published_at IS NOT NULL AND (
        ({new}) IS DISTINCT FROM ({old})
        OR OLD.started_at IS NOT NULL AND NEW.rounds IS DISTINCT FROM OLD.rounds
    ) THEN
        RAISE EXCEPTION '{FIXED}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$"""
    yield (
        "CREATE TRIGGER tournaments_tournament_fixed BEFORE UPDATE ON tournaments_tournament "
        "FOR EACH ROW EXECUTE FUNCTION tournaments_tournament_fixed()"
    )
    yield f"""
CREATE OR REPLACE FUNCTION tournaments_tournament_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {_NOT_DELETABLE} THEN
        RAISE EXCEPTION '{STAYS}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END $$"""
    yield (
        "CREATE TRIGGER tournaments_tournament_stays BEFORE DELETE ON tournaments_tournament "
        "FOR EACH ROW EXECUTE FUNCTION tournaments_tournament_stays()"
    )


# --- ratings ---------------------------------------------------------------------------------------------

FOLLOWS = "a change of a rating begins where the one before it ended"
LAST = "a rating is what its last change says"

_STRAY = f"""NOT (
    NEW.number = 1 AND NEW.mu_before = {UNRATED.mu} AND NEW.sigma_before = {UNRATED.sigma}
    OR EXISTS (
        SELECT 1 FROM tournaments_ratingchange c WHERE c.player_id = NEW.player_id AND c.rules = NEW.rules
        AND c.number = NEW.number - 1 AND c.mu = NEW.mu_before AND c.sigma = NEW.sigma_before
    ))"""
_UNFOUNDED = """NOT EXISTS (
    SELECT 1 FROM tournaments_ratingchange c WHERE c.player_id = NEW.player_id AND c.rules = NEW.rules
    AND c.number = NEW.tables AND c.mu = NEW.mu AND c.sigma = NEW.sigma
    )"""
_BACKWARDS = "NEW.player_id <> OLD.player_id OR NEW.rules <> OLD.rules OR NEW.tables <= OLD.tables"

SQLITE = [
    f"CREATE TRIGGER tournaments_ratingchange_follows BEFORE INSERT ON tournaments_ratingchange WHEN {_STRAY} "
    f"BEGIN SELECT RAISE(ABORT, '{FOLLOWS}'); END",
    f"CREATE TRIGGER tournaments_rating_made BEFORE INSERT ON tournaments_rating WHEN {_UNFOUNDED} "
    f"BEGIN SELECT RAISE(ABORT, '{LAST}'); END",
    "CREATE TRIGGER tournaments_rating_moved BEFORE UPDATE ON tournaments_rating "
    f"WHEN {_BACKWARDS} OR {_UNFOUNDED} BEGIN SELECT RAISE(ABORT, '{LAST}'); END",
    "CREATE TRIGGER tournaments_rating_kept BEFORE DELETE ON tournaments_rating "
    f"BEGIN SELECT RAISE(ABORT, '{LAST}'); END",
]

POSTGRESQL = [
    f"""
CREATE OR REPLACE FUNCTION tournaments_ratingchange_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {_STRAY} THEN
        RAISE EXCEPTION '{FOLLOWS}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER tournaments_ratingchange_follows BEFORE INSERT ON tournaments_ratingchange "
    "FOR EACH ROW EXECUTE FUNCTION tournaments_ratingchange_follows()",
    f"""
CREATE OR REPLACE FUNCTION tournaments_rating_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION '{LAST}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF {_BACKWARDS} THEN
            RAISE EXCEPTION '{LAST}' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END IF;
    IF {_UNFOUNDED} THEN
        RAISE EXCEPTION '{LAST}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER tournaments_rating_follows BEFORE INSERT OR UPDATE OR DELETE ON tournaments_rating "
    "FOR EACH ROW EXECUTE FUNCTION tournaments_rating_follows()",
]
