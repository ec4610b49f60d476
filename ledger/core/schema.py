"""Triggers for accounts, transfers, and holds, which hold for every writer.

Only a transfer changes a balance, and only the beginning or end of a hold changes `held`. Transfers are never changed
or deleted. No transfer mixes currencies. A reversal mirrors its transfer; that of an event's transfer has a key of the
event. PostgreSQL applies a posting once per statement with accounts locked in one order (players first, the site last),
SQLite leg by leg.
"""

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

from core.triggers import register_append_only, register_triggers


def register() -> None:
    register_append_only(
        "ledger_transfer", unique=[("position",), ("uuid",), ("key", "leg"), ("reverses_id",)]
    )
    register_triggers("ledger_books", sqlite=SQLITE, postgresql=POSTGRESQL)


IDENTITY = ("id", "kind", "key", "purpose", "currency", "min_balance")
HOLD_TERMS = ("id", "key", "fingerprint", "account_id", "amount", "subject", "actor", "at", "expires_at")

MIRRORED = (
    "EXISTS (SELECT 1 FROM ledger_transfer t WHERE t.position = NEW.reverses_id AND t.reverses_id IS NULL "
    "AND t.debit_id = NEW.credit_id AND t.credit_id = NEW.debit_id AND t.amount = NEW.amount "
    "AND t.currency = NEW.currency "
    "AND (t.event IS NULL OR substr(NEW.key, 1, length(t.subject) + 1) = t.subject || ':'))"
)
MIRROR_FAULT = "a reversal mirrors the transfer that it reverses; that of an event has a key of the event"

# --- PostgreSQL --------------------------------------------------------------------------------------


def _row(name: str, columns: tuple[str, ...]) -> str:
    return "(" + ", ".join(f"{name}.{column}" for column in columns) + ")"


def _refuse(name: str, message: str) -> str:
    return f"""
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation';
END $$"""


def _final(table: str, ended: str) -> list[str]:
    return [
        f"CREATE TRIGGER {table}_final BEFORE UPDATE ON {table} FOR EACH ROW "
        f"WHEN (OLD.{ended} IS NOT NULL) EXECUTE FUNCTION ledger_refuse_rewriting()",
        *_permanent(table),
    ]


def _permanent(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION racecard_append_only()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
    ]


_IN_ORDER = "ORDER BY CASE kind WHEN 'player' THEN 0 WHEN 'house' THEN 2 ELSE 1 END, id FOR NO KEY UPDATE"

POSTGRESQL = [
    # Most postings have one leg. Without the sums of many, the INSERT takes two thirds of the time.
    f"""
CREATE OR REPLACE FUNCTION ledger_apply_transfers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE leg record;
BEGIN
    SELECT count(*) AS legs, min(debit_id) AS debit, min(credit_id) AS credit, min(amount) AS amount,
        min(position) AS position INTO leg FROM fresh;
    IF leg.legs = 1 THEN
        PERFORM 1 FROM ledger_account WHERE id IN (leg.debit, leg.credit) {_IN_ORDER};
        UPDATE ledger_account SET debits = debits + leg.amount, applied = greatest(applied, leg.position)
        WHERE id = leg.debit;
        UPDATE ledger_account SET credits = credits + leg.amount, applied = greatest(applied, leg.position)
        WHERE id = leg.credit;
        RETURN NULL;
    END IF;
    PERFORM 1 FROM ledger_account
        WHERE id IN (SELECT debit_id FROM fresh UNION SELECT credit_id FROM fresh) {_IN_ORDER};
    UPDATE ledger_account SET
        debits = ledger_account.debits + moved.debits,
        credits = ledger_account.credits + moved.credits,
        applied = greatest(ledger_account.applied, moved.position)
    FROM (
        SELECT account, sum(debits) AS debits, sum(credits) AS credits, max(position) AS position
        FROM (
            SELECT debit_id AS account, amount AS debits, 0 AS credits, position FROM fresh
            UNION ALL SELECT credit_id, 0, amount, position FROM fresh
        ) AS sides GROUP BY account
    ) AS moved
    WHERE ledger_account.id = moved.account;
    RETURN NULL;
END $$""",
    "CREATE TRIGGER ledger_transfer_apply AFTER INSERT ON ledger_transfer REFERENCING NEW TABLE AS fresh "
    "FOR EACH STATEMENT EXECUTE FUNCTION ledger_apply_transfers()",
    f"""
CREATE OR REPLACE FUNCTION ledger_reversal_mirrors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT {MIRRORED} THEN
        RAISE EXCEPTION '{MIRROR_FAULT}'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$""",
    "CREATE TRIGGER ledger_transfer_mirrors AFTER INSERT ON ledger_transfer FOR EACH ROW "
    "WHEN (NEW.reverses_id IS NOT NULL) EXECUTE FUNCTION ledger_reversal_mirrors()",
    # A reader that follows (epoch, xact, position) would never see a row that claims to be of an earlier transaction.
    _refuse("ledger_refuse_xact", "a transfer notes the transaction that it is made in"),
    "CREATE TRIGGER ledger_transfer_xact BEFORE INSERT ON ledger_transfer FOR EACH ROW "
    "WHEN (NEW.xact <> pg_current_xact_id()::text::bigint) EXECUTE FUNCTION ledger_refuse_xact()",
    f"""
CREATE OR REPLACE FUNCTION ledger_guard_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF (NEW.debits, NEW.credits, NEW.held, NEW.applied) <> (0, 0, 0, 0) THEN
            RAISE EXCEPTION 'an account begins empty' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    ELSIF {_row("NEW", IDENTITY)} IS DISTINCT FROM {_row("OLD", IDENTITY)} THEN
        RAISE EXCEPTION 'what an account is never changes' USING ERRCODE = 'integrity_constraint_violation';
    -- Depth 1 is this trigger under a direct UPDATE, 2 is it under the trigger of a transfer or a hold.
    ELSIF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'a balance is moved by transfers and holds alone'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER ledger_account_guard BEFORE INSERT OR UPDATE ON ledger_account "
    "FOR EACH ROW EXECUTE FUNCTION ledger_guard_account()",
    *_permanent("ledger_account"),
    f"""
CREATE OR REPLACE FUNCTION ledger_guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 'held' THEN
            RAISE EXCEPTION 'a hold begins held' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    ELSIF OLD.state <> 'held' OR NEW.state = 'held'
        OR {_row("NEW", HOLD_TERMS)} IS DISTINCT FROM {_row("OLD", HOLD_TERMS)} THEN
        RAISE EXCEPTION 'a hold is resolved once and changes in nothing else'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER ledger_hold_guard BEFORE INSERT OR UPDATE ON ledger_hold "
    "FOR EACH ROW EXECUTE FUNCTION ledger_guard_hold()",
    """
CREATE OR REPLACE FUNCTION ledger_apply_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ledger_account SET held = held + CASE TG_OP WHEN 'INSERT' THEN NEW.amount ELSE -NEW.amount END
    WHERE id = NEW.account_id;
    RETURN NULL;
END $$""",
    "CREATE TRIGGER ledger_hold_apply AFTER INSERT OR UPDATE ON ledger_hold "
    "FOR EACH ROW EXECUTE FUNCTION ledger_apply_hold()",
    *_permanent("ledger_hold"),
    _refuse("ledger_refuse_rewriting", "what has ended is not rewritten"),
    *_final("ledger_playsession", "closed_at"),
    *_final("ledger_gamestake", "ended_at"),
]

# --- SQLite ------------------------------------------------------------------------------------------


def _differs(columns: tuple[str, ...]) -> str:
    return " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in columns)


def _when(name: str, event: str, table: str, condition: str, message: str) -> str:
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
    )


def _lite_permanent(table: str) -> str:
    return (
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only: DELETE refused'); END"
    )


def _lite_no_replace(table: str, number: int, same: str) -> str:
    # A colliding REPLACE would delete the older row, and its delete triggers run only where recursive_triggers is on.
    return _when(
        f"{table}_no_replace_{number}",
        "INSERT",
        table,
        f"EXISTS (SELECT 1 FROM {table} WHERE {same})",
        f"UNIQUE constraint failed: {table}",
    )


def _lite_final(table: str, key: str, ended: str) -> list[str]:
    return [
        _when(
            f"{table}_final", "UPDATE", table, f"OLD.{ended} IS NOT NULL", "what has ended is not rewritten"
        ),
        _lite_permanent(table),
        _lite_no_replace(table, 0, f"{key} = NEW.{key}"),
    ]


def _has_account(side: str) -> str:
    return f"EXISTS (SELECT 1 FROM ledger_account WHERE id = NEW.{side} AND currency = NEW.currency)"


SQLITE = [
    _when(
        "ledger_transfer_sound",
        "INSERT",
        "ledger_transfer",
        # An INTEGER column keeps 1.5 as a float, and one row of NULL would pass every CHECK.
        "typeof(NEW.amount) <> 'integer' OR typeof(NEW.leg) <> 'integer' "
        f"OR NOT {_has_account('debit_id')} OR NOT {_has_account('credit_id')}",
        "FOREIGN KEY constraint failed: a transfer is a whole amount between two accounts of its currency",
    ),
    _when(
        "ledger_transfer_mirrors",
        "INSERT",
        "ledger_transfer",
        f"NEW.reverses_id IS NOT NULL AND NOT {MIRRORED}",
        MIRROR_FAULT,
    ),
    """
CREATE TRIGGER ledger_transfer_apply AFTER INSERT ON ledger_transfer
BEGIN
    UPDATE ledger_account SET debits = debits + NEW.amount, applied = NEW.position WHERE id = NEW.debit_id;
    UPDATE ledger_account SET credits = credits + NEW.amount, applied = NEW.position WHERE id = NEW.credit_id;
END""",
    _when(
        "ledger_account_begins",
        "INSERT",
        "ledger_account",
        "NEW.debits IS NOT 0 OR NEW.credits IS NOT 0 OR NEW.held IS NOT 0 OR NEW.applied IS NOT 0 "
        "OR typeof(NEW.min_balance) NOT IN ('integer', 'null')",
        "an account begins empty",
    ),
    _lite_no_replace("ledger_account", 0, "id = NEW.id"),
    _lite_no_replace(
        "ledger_account",
        1,
        "kind = NEW.kind AND key = NEW.key AND purpose = NEW.purpose AND currency = NEW.currency",
    ),
    _when(
        "ledger_account_identity",
        "UPDATE",
        "ledger_account",
        _differs(IDENTITY),
        "what an account is never changes",
    ),
    # A balance may only become what the transfer at `applied` makes of it, and `applied` only grows: since the trigger
    # above has applied every transfer already, no UPDATE of anybody's own can fit.
    _when(
        "ledger_account_moves",
        "UPDATE",
        "ledger_account",
        f"({_differs(('debits', 'credits', 'applied'))}) AND NOT EXISTS (SELECT 1 FROM ledger_transfer "
        "WHERE position = NEW.applied AND NEW.applied > OLD.applied "
        "AND (debit_id = OLD.id AND NEW.debits = OLD.debits + amount AND NEW.credits = OLD.credits "
        "OR credit_id = OLD.id AND NEW.credits = OLD.credits + amount AND NEW.debits = OLD.debits))",
        "a balance is moved by transfers and holds alone",
    ),
    _when(
        "ledger_account_holds",
        "UPDATE",
        "ledger_account",
        "NEW.held IS NOT OLD.held AND NEW.held IS NOT (SELECT coalesce(sum(amount), 0) FROM ledger_hold "
        "WHERE account_id = OLD.id AND state = 'held')",
        "a balance is moved by transfers and holds alone",
    ),
    _lite_permanent("ledger_account"),
    _when(
        "ledger_hold_begins",
        "INSERT",
        "ledger_hold",
        "typeof(NEW.amount) <> 'integer' OR NEW.state <> 'held' "
        "OR NOT EXISTS (SELECT 1 FROM ledger_account WHERE id = NEW.account_id)",
        "a hold begins held, a whole amount on an account",
    ),
    _lite_no_replace("ledger_hold", 0, "id = NEW.id"),
    _lite_no_replace("ledger_hold", 1, "key = NEW.key"),
    _when(
        "ledger_hold_resolves",
        "UPDATE",
        "ledger_hold",
        f"OLD.state <> 'held' OR NEW.state = 'held' OR {_differs(HOLD_TERMS)}",
        "a hold is resolved once and changes in nothing else",
    ),
    """
CREATE TRIGGER ledger_hold_apply AFTER INSERT ON ledger_hold
BEGIN UPDATE ledger_account SET held = held + NEW.amount WHERE id = NEW.account_id; END""",
    """
CREATE TRIGGER ledger_hold_end AFTER UPDATE ON ledger_hold
BEGIN UPDATE ledger_account SET held = held - NEW.amount WHERE id = NEW.account_id; END""",
    _lite_permanent("ledger_hold"),
    *_lite_final("ledger_playsession", "id", "closed_at"),
    *_lite_final("ledger_gamestake", "game", "ended_at"),
]
