"""Triggers for player protection, which hold for every writer.

Rows never change and are never deleted. A limit change records truly what was in force, so that a raise cannot pass for
a lowering; a raise waits a day; changes are in order of time. A stop has at least the minimum length of its kind and
can only be extended by another.
"""

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

from __future__ import annotations

from core.triggers import register_append_only, register_triggers
from ledger.core.schema import _refuse, _when


def register() -> None:
    register_append_only("ledger_protectedplayer", unique=[("player",)])
    register_append_only("ledger_limitchange", unique=[("id",), ("key",)])
    register_append_only("ledger_playstop", unique=[("id",), ("key",)])
    register_triggers("ledger_protection", sqlite=SQLITE, postgresql=POSTGRESQL)


_SAME = "l.player = NEW.player AND l.currency = NEW.currency AND l.kind = NEW.kind AND l.period = NEW.period"
_LAST = f"l.id = (SELECT max(l.id) FROM ledger_limitchange l WHERE {_SAME})"
LIMIT = "a change of a limit follows from the one before it, and a raise waits a day"
STOP = "a time-out lasts one hour to six weeks, a self-exclusion six months to five years or for ever"

# The first change of a limit may follow from a default of the operator's, which the database does not know.
_FOLLOWS = (
    f"NOT EXISTS (SELECT 1 FROM ledger_limitchange l WHERE {_LAST} AND (l.at > NEW.at OR NEW.id <= l.id "
    "OR (CASE WHEN l.effective_at <= NEW.at THEN l.amount ELSE l.was END) {differs} NEW.was))"
)

POSTGRESQL = [
    _refuse("ledger_refuse_limit", LIMIT),
    f"""
CREATE OR REPLACE FUNCTION ledger_limitchange_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (NEW.effective_at = NEW.at OR NEW.effective_at >= NEW.at + interval '24 hours')
        OR NOT ({_FOLLOWS.format(differs="IS DISTINCT FROM")}) THEN
        RAISE EXCEPTION '{LIMIT}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER ledger_limitchange_follows BEFORE INSERT ON ledger_limitchange "
    "FOR EACH ROW EXECUTE FUNCTION ledger_limitchange_follows()",
    _refuse("ledger_refuse_stop", STOP),
    "CREATE TRIGGER ledger_playstop_lasts BEFORE INSERT ON ledger_playstop FOR EACH ROW WHEN (("
    "NEW.kind = 'time-out' AND NEW.until BETWEEN NEW.at + interval '1 hour' AND NEW.at + interval '42 days' "
    "OR NEW.kind = 'self-exclusion' AND (NEW.until IS NULL "
    "OR NEW.until BETWEEN NEW.at + interval '181 days' AND NEW.at + interval '1827 days')) IS NOT TRUE) "
    "EXECUTE FUNCTION ledger_refuse_stop()",
]

_SECONDS = "strftime('%s', NEW.{later}) - strftime('%s', NEW.at)"
_HOUR, _DAY = 3600, 86400

SQLITE = [
    _when(
        "ledger_limitchange_sound",
        "INSERT",
        "ledger_limitchange",
        "typeof(NEW.amount) NOT IN ('integer', 'null') OR typeof(NEW.was) NOT IN ('integer', 'null') "
        f"OR (NEW.effective_at = NEW.at OR {_SECONDS.format(later='effective_at')} >= {_DAY}) IS NOT 1",
        LIMIT,
    ),
    _when(
        "ledger_limitchange_follows",
        "INSERT",
        "ledger_limitchange",
        # Before the row is in the table its id is not known.
        f"NOT ({_FOLLOWS.replace('OR NEW.id <= l.id ', '').format(differs='IS NOT')})",
        LIMIT,
    ),
    _when(
        "ledger_playstop_lasts",
        "INSERT",
        "ledger_playstop",
        f"(NEW.kind = 'time-out' AND {_SECONDS.format(later='until')} BETWEEN {_HOUR} AND {42 * _DAY} "
        "OR NEW.kind = 'self-exclusion' AND (NEW.until IS NULL "
        f"OR {_SECONDS.format(later='until')} BETWEEN {181 * _DAY} AND {1827 * _DAY})) IS NOT 1",
        STOP,
    ),
]
