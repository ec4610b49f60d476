"""Triggers for the bots of players, which hold for every writer.

The owner of a bot is an active person with an account when the bot is made, and stays the same. A bot has no account in
the ledger, so it has no money.
"""

from __future__ import annotations

from core.triggers import register_triggers

OWNER = "the owner of a bot is an active person with an account, and stays the same"
MONEY = "a bot of a player has no money"

_PERSON = (
    "EXISTS (SELECT 1 FROM accounts_player o WHERE o.id = NEW.owner_id AND o.is_active AND NOT o.is_bot "
    "AND o.guest_until IS NULL)"
)
_HAS_MONEY = "EXISTS (SELECT 1 FROM accounts_player p WHERE p.id = {key} AND p.owner_id IS NOT NULL)"


def register() -> None:
    register_triggers("accounts_bots", sqlite=SQLITE, postgresql=POSTGRESQL)
    register_triggers(
        "accounts_bots_money", sqlite=SQLITE_MONEY, postgresql=POSTGRESQL_MONEY, needs=["accounts_player"]
    )


POSTGRESQL = [
    f"""
CREATE OR REPLACE FUNCTION accounts_bot_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR NOT {_PERSON} THEN
        RAISE EXCEPTION '{OWNER}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER accounts_bot_owner BEFORE INSERT ON accounts_player FOR EACH ROW "
    "WHEN (NEW.owner_id IS NOT NULL) EXECUTE FUNCTION accounts_bot_owner()",
    "CREATE TRIGGER accounts_bot_same_owner BEFORE UPDATE ON accounts_player FOR EACH ROW "
    "WHEN (NEW.owner_id IS DISTINCT FROM OLD.owner_id) EXECUTE FUNCTION accounts_bot_owner()",
]

POSTGRESQL_MONEY = [
    f"""
CREATE OR REPLACE FUNCTION accounts_bot_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {_HAS_MONEY.format(key="NEW.key::uuid")} THEN
        RAISE EXCEPTION '{MONEY}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER accounts_bot_money BEFORE INSERT ON ledger_account FOR EACH ROW "
    "WHEN (NEW.kind = 'player') EXECUTE FUNCTION accounts_bot_money()",
]


def _refused(name: str, event: str, table: str, condition: str, message: str) -> str:
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
    )


SQLITE = [
    _refused(
        "accounts_bot_owner",
        "INSERT",
        "accounts_player",
        f"NEW.owner_id IS NOT NULL AND NOT {_PERSON}",
        OWNER,
    ),
    _refused(
        "accounts_bot_same_owner", "UPDATE", "accounts_player", "NEW.owner_id IS NOT OLD.owner_id", OWNER
    ),
]

_STORED_KEY = "replace(NEW.key, '-', '')"

SQLITE_MONEY = [
    _refused(
        "accounts_bot_money",
        "INSERT",
        "ledger_account",
        f"NEW.kind = 'player' AND {_HAS_MONEY.format(key=_STORED_KEY)}",
        MONEY,
    ),
]
