"""Triggers for payouts, batches, and freezes, which hold for every writer.

Only a step changes a payout. A payout begins with its money held, is paid once exactly that money has moved, and ends
once. A batch is paid when all its payouts are. A freeze ends when it holds nothing.
"""

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

from __future__ import annotations

from core.triggers import register_append_only, register_triggers
from ledger.betting.schema import _guard, _lite_guard, _same, _whole
from ledger.core.schema import _when


def register() -> None:
    register_append_only("ledger_payoutstep", unique=[("id",), ("payout_id", "number")])
    register_append_only("ledger_frozenmoney", unique=[("id",), ("hold_id",)])
    register_triggers("ledger_payouts", sqlite=SQLITE, postgresql=POSTGRESQL)


PAYOUT_TERMS = (
    "id", "key", "fingerprint", "reference", "kind", "payee", "account_id", "currency", "amount", "destination",
    "subject", "hold_id", "two_persons", "origin_id", "requested_by", "requested_at",
)  # fmt: skip
BATCH_TERMS = ("id", "key", "fingerprint", "currency", "made_by", "made_at")
FREEZE_TERMS = ("id", "key", "fingerprint", "subject", "player", "reason", "actor", "at")

PAYOUT = "a payout has its money held, is moved by its steps alone, and keeps what it was asked for"
STEP = (
    "a step goes on from the one before it, about the same money, and ends with that money where it belongs"
)
BATCH = "a batch has approved payouts of one currency and is paid once, with all that is in it"
FREEZE = "a freeze is released once, when nothing is held by it any more"

_OWNER = "{0}.kind || ':' || {0}.key"

PAYOUT_BEGINS = (
    "NEW.state = 'requested' AND NEW.version = 1 AND NEW.batch_id IS NULL AND EXISTS (SELECT 1 FROM ledger_account a "
    "JOIN ledger_hold h ON h.account_id = a.id WHERE a.id = NEW.account_id AND h.id = NEW.hold_id "
    "AND h.state = 'held' AND h.amount = NEW.amount AND h.key = 'payout:' || NEW.reference AND h.expires_at IS NULL "
    f"AND a.currency = NEW.currency AND {_OWNER.format('a')} = NEW.payee AND a.kind = 'player' "
    "AND a.purpose = CASE NEW.kind WHEN 'prize' THEN 'payable' ELSE 'cash' END) "
    "AND (NEW.origin_id IS NULL OR EXISTS (SELECT 1 FROM ledger_payout o WHERE o.id = NEW.origin_id "
    "AND o.state = 'rejected' AND o.kind = 'prize' AND NEW.kind = 'prize' AND o.payee = NEW.payee "
    "AND o.amount = NEW.amount AND o.currency = NEW.currency AND o.subject = NEW.subject))"
)
PAYOUT_MOVES = (
    "(NEW.state = OLD.state AND NEW.version = OLD.version AND (NEW.batch_id {same} OLD.batch_id "
    "OR OLD.batch_id IS NULL AND NEW.state = 'approved' AND NEW.kind = 'withdrawal' "
    "AND EXISTS (SELECT 1 FROM ledger_payoutbatch b WHERE b.id = NEW.batch_id AND b.paid_at IS NULL "
    "AND b.currency = NEW.currency)) "
    "OR NEW.version = OLD.version + 1 AND EXISTS (SELECT 1 FROM ledger_payoutstep s WHERE s.payout_id = NEW.id "
    "AND s.number = NEW.version AND s.was = OLD.state AND s.becomes = NEW.state) "
    "AND (NEW.state IN ('held', 'rejected') AND NEW.batch_id IS NULL "
    "OR NEW.state NOT IN ('held', 'rejected') AND NEW.batch_id {same} OLD.batch_id))"
)
_WENT = (
    "EXISTS (SELECT 1 FROM ledger_transfer t JOIN ledger_account c ON c.id = t.credit_id "
    "WHERE h.state = 'captured' AND t.posting = h.posting AND t.debit_id = p.account_id AND t.amount = p.amount "
    "AND {where})"
)
_PAID = _WENT.format(
    where="t.reason = p.kind || ' ' || p.reference AND (p.kind = 'withdrawal' AND c.kind = 'house' "
    f"AND c.purpose = 'external' OR p.kind = 'prize' AND {_OWNER.format('c')} = p.payee AND c.purpose = 'cash')"
)
_FORFEIT = _WENT.format(
    where="t.reason = 'prize ' || p.reference || ' rejected' AND c.kind = 'house' AND c.purpose = 'payable'"
)
STEP_BEGINS = (
    "EXISTS (SELECT 1 FROM ledger_payout p JOIN ledger_hold h ON h.id = p.hold_id WHERE p.id = NEW.payout_id "
    "AND NEW.payee = p.payee AND NEW.amount = p.amount AND NEW.currency = p.currency "
    "AND NEW.two_persons = p.two_persons AND NEW.maker = p.requested_by AND NEW.batch_id {same} p.batch_id "
    "AND (NEW.number = 1 AND p.version = 1 AND NEW.was = '' AND NEW.actor = p.requested_by "
    "AND NEW.at = p.requested_at AND NEW.previous = '' AND h.state = 'held' "
    "OR NEW.number = p.version + 1 AND NEW.was = p.state AND NEW.previous = (SELECT s.actor FROM ledger_payoutstep s "
    "WHERE s.payout_id = p.id AND s.number = p.version) "
    "AND CASE NEW.becomes "
    f"WHEN 'paid' THEN {_PAID} "
    f"WHEN 'rejected' THEN p.kind = 'withdrawal' AND h.state = 'released' OR p.kind = 'prize' AND {_FORFEIT} "
    "WHEN 'checked' THEN h.state = 'held' AND p.two_persons "
    "WHEN 'approved' THEN h.state = 'held' AND (NOT p.two_persons OR NEW.was = 'checked' OR p.origin_id IS NOT NULL) "
    "ELSE h.state = 'held' END))"
)
BATCH_BEGINS = "NEW.paid_at IS NULL"
BATCH_MOVES = (
    "OLD.paid_at IS NULL AND NEW.paid_at IS NOT NULL "
    "AND EXISTS (SELECT 1 FROM ledger_payout p WHERE p.batch_id = NEW.id) "
    "AND NOT EXISTS (SELECT 1 FROM ledger_payout p WHERE p.batch_id = NEW.id AND p.state <> 'paid')"
)
FREEZE_BEGINS = "NEW.released_at IS NULL"
FREEZE_MOVES = (
    "OLD.released_at IS NULL AND NEW.released_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ledger_frozenmoney f "
    "JOIN ledger_hold h ON h.id = f.hold_id WHERE f.freeze_id = NEW.id AND h.state = 'held')"
)

FIRST_STEP = (
    "INSERT INTO ledger_payoutstep (payout_id, number, was, becomes, payee, amount, currency, two_persons, maker, "
    "previous, actor, at, reason) VALUES (NEW.id, 1, '', 'requested', NEW.payee, NEW.amount, NEW.currency, "
    "NEW.two_persons, NEW.requested_by, '', NEW.requested_by, NEW.requested_at, '')"
)
MOVE = (
    "UPDATE ledger_payout SET state = NEW.becomes, version = NEW.number, "
    "batch_id = CASE WHEN NEW.becomes IN ('held', 'rejected') THEN NULL ELSE batch_id END "
    "WHERE id = NEW.payout_id"
)

# --- PostgreSQL --------------------------------------------------------------------------------------


def _after(name: str, table: str, statement: str, condition: str = "TRUE") -> list[str]:
    return [
        f"""
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {statement};
    RETURN NULL;
END $$""",
        f"CREATE TRIGGER {name} AFTER INSERT ON {table} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {name}()",
    ]


_ALIKE = "IS NOT DISTINCT FROM"

_STEP_GUARD = [
    f"""
CREATE OR REPLACE FUNCTION ledger_payoutstep_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ({STEP_BEGINS.format(same=_ALIKE)}) IS NOT TRUE THEN
        RAISE EXCEPTION '{STEP}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER ledger_payoutstep_begins BEFORE INSERT ON ledger_payoutstep "
    "FOR EACH ROW EXECUTE FUNCTION ledger_payoutstep_begins()",
]

POSTGRESQL = [
    *_guard(
        "ledger_payout",
        PAYOUT,
        PAYOUT_BEGINS,
        f"{_same(PAYOUT_TERMS)} AND {PAYOUT_MOVES.format(same=_ALIKE)}",
    ),
    *_STEP_GUARD,
    *_after("ledger_payout_first_step", "ledger_payout", FIRST_STEP),
    *_after("ledger_payoutstep_moves", "ledger_payoutstep", MOVE, "NEW.number > 1"),
    *_guard("ledger_payoutbatch", BATCH, BATCH_BEGINS, f"{_same(BATCH_TERMS)} AND {BATCH_MOVES}"),
    *_guard("ledger_freeze", FREEZE, FREEZE_BEGINS, f"{_same(FREEZE_TERMS)} AND {FREEZE_MOVES}"),
]

# --- SQLite ------------------------------------------------------------------------------------------

SQLITE = [
    *_lite_guard(
        "ledger_payout",
        PAYOUT,
        f"{PAYOUT_BEGINS} AND {_whole('amount')}",
        PAYOUT_TERMS,
        PAYOUT_MOVES.format(same="IS"),
        [
            "id = NEW.id",
            "key = NEW.key",
            "reference = NEW.reference",
            "hold_id = NEW.hold_id",
            "origin_id = NEW.origin_id",
        ],
    ),
    _when(
        "ledger_payoutstep_begins", "INSERT", "ledger_payoutstep",
        f"({STEP_BEGINS.format(same='IS')} AND {_whole('amount', 'number')}) IS NOT 1", STEP,
    ),
    f"CREATE TRIGGER ledger_payout_first_step AFTER INSERT ON ledger_payout BEGIN {FIRST_STEP}; END",
    "CREATE TRIGGER ledger_payoutstep_moves AFTER INSERT ON ledger_payoutstep WHEN NEW.number > 1 "
    f"BEGIN {MOVE}; END",
    *_lite_guard(
        "ledger_payoutbatch", BATCH, BATCH_BEGINS, BATCH_TERMS, BATCH_MOVES, ["id = NEW.id", "key = NEW.key"]
    ),
    *_lite_guard(
        "ledger_freeze", FREEZE, FREEZE_BEGINS, FREEZE_TERMS, FREEZE_MOVES, ["id = NEW.id", "key = NEW.key"]
    ),
]  # fmt: skip
