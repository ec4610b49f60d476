"""What the database itself keeps true of pots and buy-ins, whoever writes to it.

An open pot alone takes buy-ins and gives them back; each division decides every standing buy-in, together to the penny
of the pot less the rake; a pot is over only when its escrow is empty; divisions are never changed; nothing is removed.
"""

from __future__ import annotations

from eventstore.triggers import register_append_only, register_triggers
from ledger.betting.schema import _guard, _lite_guard, _same, _whole
from ledger.schema import _when


def register() -> None:
    register_append_only("ledger_division", unique=[("id",), ("pot_id", "number")])
    register_triggers("ledger_pots", sqlite=SQLITE, postgresql=POSTGRESQL)


POT_TERMS = (
    "id", "subject", "currency", "amount", "stake_table_id", "rake", "split", "escrow_id", "opened_at",
)  # fmt: skip
BUY_IN_TERMS = ("id", "pot_id", "event", "player", "purse_id", "amount", "taken_at")

POT = "a pot is divided whole, empty afterwards, on the terms that it was opened with"
BUY_IN = "an open pot takes and gives back buy-ins; each division decides a buy-in once, and none is altered"
DIVISION = "the divisions of a pot follow one another"

POT_BEGINS = (
    "NEW.status = 'open' AND NEW.division = 0 AND EXISTS (SELECT 1 FROM ledger_account a WHERE a.id = NEW.escrow_id "
    "AND a.purpose = 'escrow' AND a.currency = NEW.currency AND a.kind || ':' || a.key = NEW.subject)"
)
POT_MOVES = (
    "NEW.status <> 'open' AND NEW.division = OLD.division + 1 "
    "AND EXISTS (SELECT 1 FROM ledger_account a WHERE a.id = NEW.escrow_id AND a.credits = a.debits) "
    "AND NOT EXISTS (SELECT 1 FROM ledger_buyin b WHERE b.pot_id = NEW.id AND b.status <> 'back' "
    "AND b.division <> NEW.division) "
    "AND EXISTS (SELECT 1 FROM ledger_division d WHERE d.pot_id = NEW.id AND d.number = NEW.division "
    "AND d.void = (NEW.status = 'void') "
    "AND d.gross = (SELECT coalesce(sum(b.amount), 0) FROM ledger_buyin b WHERE b.pot_id = NEW.id "
    "AND b.status <> 'back') "
    "AND d.gross - d.rake = (SELECT coalesce(sum(b.returned), 0) FROM ledger_buyin b WHERE b.pot_id = NEW.id "
    "AND b.status <> 'back'))"
)
BUY_IN_BEGINS = (
    "NEW.status = 'in' AND NEW.division = 0 AND EXISTS (SELECT 1 FROM ledger_pot p "
    "JOIN ledger_account a ON a.currency = p.currency WHERE p.id = NEW.pot_id AND p.status = 'open' "
    "AND p.amount = NEW.amount AND a.id = NEW.purse_id AND a.kind = 'player' AND a.purpose = 'cash' "
    "AND {same_player}{lock})"
)
BUY_IN_MOVES = (
    "NEW.status <> 'in' AND OLD.status <> 'back' AND EXISTS (SELECT 1 FROM ledger_pot p WHERE p.id = NEW.pot_id "
    "AND (NEW.status = 'back' AND OLD.status = 'in' AND p.status = 'open' "
    "OR NEW.status <> 'back' AND NEW.division = p.division + 1 AND NEW.division > OLD.division "
    "AND EXISTS (SELECT 1 FROM ledger_division d WHERE d.pot_id = p.id AND d.number = NEW.division "
    "AND d.void = (NEW.status = 'refunded'))))"
)
DIVISION_FOLLOWS = (
    "EXISTS (SELECT 1 FROM ledger_pot p WHERE p.id = NEW.pot_id AND p.division + 1 = NEW.number{lock})"
)

POSTGRESQL = [
    *_guard("ledger_pot", POT, POT_BEGINS, f"{_same(POT_TERMS)} AND {POT_MOVES}"),
    *_guard(
        "ledger_buyin",
        BUY_IN,
        # Whoever divides the pot at this moment is waited for.
        BUY_IN_BEGINS.format(same_player="a.key = NEW.player::text", lock=" FOR SHARE OF p"),
        f"{_same(BUY_IN_TERMS)} AND {BUY_IN_MOVES}",
    ),
    f"""
CREATE OR REPLACE FUNCTION ledger_division_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ({DIVISION_FOLLOWS.format(lock=" FOR SHARE OF p")}) IS NOT TRUE THEN
        RAISE EXCEPTION '{DIVISION}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER ledger_division_follows BEFORE INSERT ON ledger_division "
    "FOR EACH ROW EXECUTE FUNCTION ledger_division_follows()",
]

SQLITE = [
    *_lite_guard(
        "ledger_pot",
        POT,
        f"{POT_BEGINS} AND {_whole('amount', 'rake', 'division')}",
        POT_TERMS,
        f"{POT_MOVES} AND {_whole('division')}",
        ["id = NEW.id", "subject = NEW.subject", "escrow_id = NEW.escrow_id"],
    ),
    *_lite_guard(
        "ledger_buyin",
        BUY_IN,
        BUY_IN_BEGINS.format(same_player="replace(a.key, '-', '') = NEW.player", lock="")
        + f" AND {_whole('amount', 'event', 'division')}",
        BUY_IN_TERMS,
        f"{BUY_IN_MOVES} AND {_whole('returned', 'division')}",
        [
            "id = NEW.id",
            "pot_id = NEW.pot_id AND event = NEW.event",
            "pot_id = NEW.pot_id AND player = NEW.player AND status <> 'back'",
        ],
    ),
    _when(
        "ledger_division_follows",
        "INSERT",
        "ledger_division",
        f"({DIVISION_FOLLOWS.format(lock='')} AND {_whole('number', 'gross', 'rake')}) IS NOT 1",
        DIVISION,
    ),
]
