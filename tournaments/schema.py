"""Database triggers that keep ratings consistent.

Changes are append-only, and each begins where the one before it ended. A rating equals its last change and only
advances.
"""

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

from __future__ import annotations

from core.triggers import register_append_only, register_triggers
from tournaments.formats.scoring.ratings import UNRATED


def register() -> None:
    register_append_only(
        "tournaments_ratingchange",
        unique=[("id",), ("player_id", "rules", "number"), ("tournament_id", "round", "player_id")],
    )
    register_triggers("tournaments_ratings", sqlite=SQLITE, postgresql=POSTGRESQL)


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
