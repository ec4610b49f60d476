"""Database triggers that protect disputes, rulings, and evidence against any writer.

A dispute is opened by a player of the game or its organizer, follows the transitions of its states, and keeps its
claim. A ruling is inserted while the dispute waits for one, by a person without a seat in the game or a part in earlier
rulings, and keeps its terms. Evidence refers to a stored event. No row is deleted.
"""

# ruff: noqa: S608 (the statements interpolate names of our own tables and columns only)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.triggers import register_append_only, register_triggers
from disputes import states


def register() -> None:
    register_append_only("disputes_party", unique=[("id",), ("dispute_id", "player_id")])
    register_append_only("disputes_pinnedevidence", unique=[("id",), ("dispute_id", "game_id", "version")])
    guards = (DISPUTE, RULING, EVIDENCE)
    register_triggers(
        "disputes_guards",
        sqlite=[one for guard in guards for one in guard.sqlite()],
        postgresql=[one for guard in guards for one in guard.postgresql()],
        needs=["games_seat", "eventstore_event", "disputes_dispute", "disputes_ruling"],
    )


SAME = "<=>"
"""Equal or both null. Each database has its own operator for it."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of an insert, the fixed columns, and the condition of an update of a table.

    Conditions are SQL for both databases. Without fixed columns the table is append-only, which has its own triggers.
    """

    table: str
    message: str
    insert: str
    fixed: Sequence[str] = ()
    update: str = ""
    unique: Sequence[str] = ()

    def sqlite(self) -> list[str]:
        made = [self._lite("begins", "INSERT", f"({self.insert}) IS NOT 1", self.message)]
        if self.fixed:
            same = " AND ".join(f"NEW.{column} IS OLD.{column}" for column in self.fixed)
            update = f"({same} AND {self.update.replace(SAME, 'IS')}) IS NOT 1"
            made.append(self._lite("goes_on", "UPDATE", update, self.message))
            refused = f"{self.table} is append-only: DELETE refused"
            made.append(self._lite("no_delete", "DELETE", "1", refused))
        for number, collides in enumerate(self.unique):
            there = f"EXISTS (SELECT 1 FROM {self.table} WHERE {collides})"
            failed = f"UNIQUE constraint failed: {self.table}"
            made.append(self._lite(f"no_replace_{number}", "INSERT", there, failed))
        return made

    def _lite(self, name: str, event: str, condition: str, message: str) -> str:
        return (
            f"CREATE TRIGGER {self.table}_{name} BEFORE {event} ON {self.table} WHEN {condition} "
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )

    def postgresql(self) -> list[str]:
        same = " AND ".join(f"NEW.{column} IS NOT DISTINCT FROM OLD.{column}" for column in self.fixed)
        update = f"{same} AND {self.update.replace(SAME, 'IS NOT DISTINCT FROM')}" if self.fixed else "true"
        refused = f"RAISE EXCEPTION '{self.message}' USING ERRCODE = 'integrity_constraint_violation'"
        made = [
            f"""
CREATE OR REPLACE FUNCTION {self.table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF ({self.insert}) IS NOT TRUE THEN
            {refused};
        END IF;
    ELSIF ({update}) IS NOT TRUE THEN
        {refused};
    END IF;
    RETURN NEW;
END $$""",
            f"CREATE TRIGGER {self.table}_guard BEFORE INSERT OR UPDATE ON {self.table} "
            f"FOR EACH ROW EXECUTE FUNCTION {self.table}_guard()",
        ]
        if self.fixed:
            made += [
                f"CREATE TRIGGER {self.table}_no_delete BEFORE DELETE ON {self.table} "
                "FOR EACH ROW EXECUTE FUNCTION racecard_append_only()",
                f"CREATE TRIGGER {self.table}_no_truncate BEFORE TRUNCATE ON {self.table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
            ]
        return made


def _transition(column: str, table: Mapping[str, Sequence[str]], stays: str) -> str:
    """Return the condition that the column follows the table of transitions, or is unchanged while `stays` holds."""
    moves = [f"OLD.{column} = '{was}' AND NEW.{column} = '{to}'" for was, may in table.items() for to in may]
    return f"(NEW.{column} = OLD.{column} AND {stays} OR {' OR '.join(moves)})"


def _among(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _has_ruling(state: str) -> str:
    return (
        "EXISTS (SELECT 1 FROM disputes_ruling r WHERE r.dispute_id = NEW.id AND r.instance = NEW.instance "
        f"AND r.state = '{state}')"
    )


DISPUTE = Guard(
    "disputes_dispute",
    "a dispute is opened by a party of the game, changes by rulings and one appeal, and keeps its claim",
    insert=(
        "NEW.status = 'open' AND NEW.instance = 1 AND NEW.appeal_until IS NULL AND (NEW.seat IS NULL OR EXISTS "
        "(SELECT 1 FROM games_seat s WHERE s.game_id = NEW.game_id AND s.seat = NEW.seat "
        "AND s.player_id = NEW.opener_id)) AND EXISTS (SELECT 1 FROM eventstore_event e "
        "WHERE e.stream_id = NEW.game_id AND e.version = NEW.version AND e.hash = NEW.hash)"
    ),
    fixed=("id", "game_id", "opener_id", "seat", "version", "hash", "claim", "opened_at"),
    update=(
        "NEW.events >= OLD.events AND "
        + _transition("status", states.TRANSITIONS, "true")
        + " AND (NEW.instance = OLD.instance OR NEW.instance = 2 AND OLD.status = 'ruled' "
        "AND NEW.status = 'appealed') "
        "AND (NEW.status = OLD.status OR CASE NEW.status "
        f"WHEN 'ruled' THEN {_has_ruling(states.STANDING)} "
        f"WHEN 'proposed' THEN {_has_ruling(states.PROPOSED)} "
        "WHEN 'open' THEN NEW.instance = 1 "
        "WHEN 'appealed' THEN NEW.instance = 2 "
        "ELSE true END)"
    ),
    unique=["id = NEW.id"],
)

_RULING_FIXED = (
    "id", "dispute_id", "number", "instance", "finding", "remedy", "terms", "reason", "auditor_id", "rules",
    "rules_version", "evidence", "effects", "moves", "second_person", "ruled_at",
)  # fmt: skip
RULING = Guard(
    "disputes_ruling",
    "a ruling is made on a waiting dispute, by an auditor without an interest in it, and keeps its terms",
    insert=(
        f"NEW.state = CASE WHEN NEW.second_person THEN '{states.PROPOSED}' ELSE '{states.STANDING}' END "
        "AND EXISTS (SELECT 1 FROM disputes_dispute d WHERE d.id = NEW.dispute_id AND d.instance = NEW.instance "
        f"AND d.status IN ({_among(states.WAITING)}) AND d.opener_id <> NEW.auditor_id "
        "AND NOT EXISTS (SELECT 1 FROM games_seat s WHERE s.game_id = d.game_id AND s.player_id = NEW.auditor_id)) "
        "AND NEW.number = 1 + (SELECT count(*) FROM disputes_ruling r WHERE r.dispute_id = NEW.dispute_id) "
        "AND NOT EXISTS (SELECT 1 FROM disputes_ruling r WHERE r.dispute_id = NEW.dispute_id "
        "AND r.instance < NEW.instance AND r.state <> 'refused' "
        "AND (r.auditor_id = NEW.auditor_id OR r.decided_by_id = NEW.auditor_id))"
    ),
    fixed=_RULING_FIXED,
    update=(
        _transition("state", states.RULING_TRANSITIONS, "true")
        + f" AND (OLD.state = '{states.PROPOSED}' AND NEW.state <> OLD.state OR "
        + " AND ".join(
            f"NEW.{column} <=> OLD.{column}"
            for column in ("decided_by_id", "decided_at", "decided_why", "caused", "game")
        )
        + ")"
    ),
    unique=["id = NEW.id", "dispute_id = NEW.dispute_id AND number = NEW.number"],
)

EVIDENCE = Guard(
    "disputes_pinnedevidence",
    "evidence is a stored event, pinned while the dispute is open",
    insert=(
        "EXISTS (SELECT 1 FROM eventstore_event e WHERE e.stream_id = NEW.game_id AND e.version = NEW.version "
        "AND e.hash = NEW.hash) AND EXISTS (SELECT 1 FROM disputes_dispute d WHERE d.id = NEW.dispute_id "
        f"AND d.status IN ({_among(states.PENDING)}))"
    ),
)
