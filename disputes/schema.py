"""What the database itself keeps true of disputes and rulings, whoever writes to it.

A dispute is opened by who sits in the game, goes on as its states allow, and keeps what was claimed. A ruling is made
where one is waited for, by nobody who has a seat in the game or made the claim, on appeal by nobody who ruled before,
and keeps what was ruled. Evidence is an event that stands in the log. Nothing is removed.
"""

# ruff: noqa: S608 (what is put into these statements are names of our own tables and columns)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disputes import states
from eventstore.triggers import register_append_only, register_triggers


def register() -> None:
    register_append_only("disputes_pinnedevidence", unique=[("id",), ("dispute_id", "game_id", "version")])
    guards = (DISPUTE, RULING, EVIDENCE)
    register_triggers(
        "disputes_guards",
        sqlite=[one for guard in guards for one in guard.sqlite()],
        postgresql=[one for guard in guards for one in guard.postgresql()],
        needs=["games_seat", "eventstore_event", "disputes_dispute", "disputes_ruling"],
    )


SAME = "<=>"
"""Equal, or both null; each database has a word of its own for it."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Which rows a table takes (`begins`), which columns stay (`terms`) and what else an update may do (`goes_on`).

    Conditions are SQL that both databases read; `terms` empty: nothing is ever updated, which is guarded elsewhere.
    """

    table: str
    message: str
    begins: str
    terms: Sequence[str] = ()
    goes_on: str = ""
    unique: Sequence[str] = ()

    def sqlite(self) -> list[str]:
        made = [self._lite("begins", "INSERT", f"({self.begins}) IS NOT 1", self.message)]
        if self.terms:
            same = " AND ".join(f"NEW.{column} IS OLD.{column}" for column in self.terms)
            goes_on = f"({same} AND {self.goes_on.replace(SAME, 'IS')}) IS NOT 1"
            made.append(self._lite("goes_on", "UPDATE", goes_on, self.message))
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
        same = " AND ".join(f"NEW.{column} IS NOT DISTINCT FROM OLD.{column}" for column in self.terms)
        goes_on = f"{same} AND {self.goes_on.replace(SAME, 'IS NOT DISTINCT FROM')}" if self.terms else "true"
        refused = f"RAISE EXCEPTION '{self.message}' USING ERRCODE = 'integrity_constraint_violation'"
        made = [
            f"""
CREATE OR REPLACE FUNCTION {self.table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF ({self.begins}) IS NOT TRUE THEN
            {refused};
        END IF;
    ELSIF ({goes_on}) IS NOT TRUE THEN
        {refused};
    END IF;
    RETURN NEW;
END $$""",
            f"CREATE TRIGGER {self.table}_guard BEFORE INSERT OR UPDATE ON {self.table} "
            f"FOR EACH ROW EXECUTE FUNCTION {self.table}_guard()",
        ]
        if self.terms:
            made += [
                f"CREATE TRIGGER {self.table}_no_delete BEFORE DELETE ON {self.table} "
                "FOR EACH ROW EXECUTE FUNCTION racecard_append_only()",
                f"CREATE TRIGGER {self.table}_no_truncate BEFORE TRUNCATE ON {self.table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
            ]
        return made


def _goes_on(column: str, table: Mapping[str, Sequence[str]], stays: str) -> str:
    """A transition that the table of states has, or none, where `stays` must hold."""
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
    "a dispute is opened by who sits there, goes on by rulings and one appeal, and keeps what was claimed",
    begins=(
        "NEW.status = 'open' AND NEW.instance = 1 AND NEW.appeal_until IS NULL AND (NEW.seat IS NULL OR EXISTS "
        "(SELECT 1 FROM games_seat s WHERE s.game_id = NEW.game_id AND s.seat = NEW.seat "
        "AND s.player_id = NEW.opener_id)) AND EXISTS (SELECT 1 FROM eventstore_event e "
        "WHERE e.stream_id = NEW.game_id AND e.version = NEW.version AND e.hash = NEW.hash)"
    ),
    terms=("id", "game_id", "opener_id", "seat", "version", "hash", "claim", "opened_at"),
    goes_on=(
        "NEW.events >= OLD.events AND "
        + _goes_on("status", states.MOVES, "true")
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

_TERMS = (
    "id", "dispute_id", "number", "instance", "finding", "remedy", "terms", "reason", "auditor_id", "rules",
    "rules_version", "evidence", "effects", "moves", "second_person", "ruled_at",
)  # fmt: skip
RULING = Guard(
    "disputes_ruling",
    "a ruling is made where one is waited for, by an auditor without a part in it, and keeps what was ruled",
    begins=(
        f"NEW.state = CASE WHEN NEW.second_person THEN '{states.PROPOSED}' ELSE '{states.STANDING}' END "
        "AND EXISTS (SELECT 1 FROM disputes_dispute d WHERE d.id = NEW.dispute_id AND d.instance = NEW.instance "
        f"AND d.status IN ({_among(states.WAITING)}) AND d.opener_id <> NEW.auditor_id "
        "AND NOT EXISTS (SELECT 1 FROM games_seat s WHERE s.game_id = d.game_id AND s.player_id = NEW.auditor_id)) "
        "AND NEW.number = 1 + (SELECT count(*) FROM disputes_ruling r WHERE r.dispute_id = NEW.dispute_id) "
        "AND NOT EXISTS (SELECT 1 FROM disputes_ruling r WHERE r.dispute_id = NEW.dispute_id "
        "AND r.instance < NEW.instance AND r.state <> 'refused' "
        "AND (r.auditor_id = NEW.auditor_id OR r.decided_by_id = NEW.auditor_id))"
    ),
    terms=_TERMS,
    goes_on=(
        _goes_on("state", states.RULING_MOVES, "true")
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
    "evidence is an event that stands in the log, pinned while somebody is to decide",
    begins=(
        "EXISTS (SELECT 1 FROM eventstore_event e WHERE e.stream_id = NEW.game_id AND e.version = NEW.version "
        "AND e.hash = NEW.hash) AND EXISTS (SELECT 1 FROM disputes_dispute d WHERE d.id = NEW.dispute_id "
        f"AND d.status IN ({_among(states.PENDING)}))"
    ),
)
