"""Triggers for stake tables, stakes, pots, and buy-ins, which hold for every writer.

A stake table never changes. Its terms are numbered without gaps, never change, and are not backdated. A stake is taken
under the terms in force and keeps them. Only an open pot takes and returns buy-ins. Each division decides every buy-in;
their returns add up to the pot less the rake. A pot ends when its escrow is empty. No row is deleted.
"""

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

from __future__ import annotations

from core.triggers import register_append_only, register_triggers
from ledger.betting.schema import _guard, _lite_guard, _same, _whole
from ledger.core.schema import _differs, _row, _when

TERMS = "ledger_staketerms"
RULINGS = "ledger_stakeruling"


def register() -> None:
    register_append_only("ledger_staketable", unique=[("id",), ("slug",)], needs=[TERMS])
    register_append_only(TERMS, unique=[("id",), ("table_id", "number")])
    register_triggers("ledger_stake_terms", sqlite=SQLITE, postgresql=POSTGRESQL, needs=[TERMS])
    register_append_only(RULINGS, unique=[("id",), ("stake_id", "number")])
    register_triggers("ledger_stake_rulings", sqlite=RULINGS_SQLITE, postgresql=RULINGS_POSTGRESQL)
    register_append_only("ledger_division", unique=[("id",), ("pot_id", "number")])
    register_triggers("ledger_pots", sqlite=POTS_SQLITE, postgresql=POTS_POSTGRESQL)


STAKE_IDENTITY = (
    "game",
    "session_id",
    "player",
    "stake_table_id",
    "terms_id",
    "stake",
    "max_win",
    "staked_at",
)

FOLLOWS = (
    f"NEW.number = (SELECT coalesce(max(number), 0) + 1 FROM {TERMS} WHERE table_id = NEW.table_id) "
    f"AND NOT EXISTS (SELECT 1 FROM {TERMS} WHERE table_id = NEW.table_id AND asked_at > NEW.asked_at) "
    'AND NEW.minimum % NEW.step = 0 AND NEW.maximum % NEW.step = 0 AND NEW."default" % NEW.step = 0'
)
UNDER_TERMS = (
    f"EXISTS (SELECT 1 FROM {TERMS} t WHERE t.id = NEW.terms_id AND t.table_id = NEW.stake_table_id AND t.open "
    "AND NEW.stake >= t.minimum AND NEW.stake <= t.maximum AND NEW.stake % t.step = 0 "
    "AND t.effective_from <= NEW.staked_at "
    f"AND NOT EXISTS (SELECT 1 FROM {TERMS} newer WHERE newer.table_id = t.table_id AND newer.number > t.number "
    "AND newer.effective_from <= NEW.staked_at))"
)
TERMS_FAULT = "terms follow the ones before them, are never dated back, and keep to their step"
STAKE_FAULT = "a stake is taken under the terms in force"
STAKE_MOVED = "a stake keeps the terms that it was taken under"

# --- PostgreSQL --------------------------------------------------------------------------------------

POSTGRESQL = [
    # A concurrent deal waits for the new terms, and they wait for it.
    f"""
CREATE OR REPLACE FUNCTION ledger_terms_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM ledger_staketable WHERE id = NEW.table_id FOR UPDATE;
    IF ({FOLLOWS}
        AND jsonb_array_length(NEW.split) <= 64
        AND (SELECT sum(CASE WHEN share::text ~ '^[1-9][0-9]{{0,4}}$' THEN share::text::integer ELSE 1000000 END)
             FROM jsonb_array_elements(NEW.split) AS shares (share)) = 10000) IS NOT TRUE THEN
        RAISE EXCEPTION '{TERMS_FAULT}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    f"CREATE TRIGGER ledger_staketerms_begin BEFORE INSERT ON {TERMS} "
    "FOR EACH ROW EXECUTE FUNCTION ledger_terms_begin()",
    f"""
CREATE OR REPLACE FUNCTION ledger_stake_under_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF {_row("NEW", STAKE_IDENTITY)} IS DISTINCT FROM {_row("OLD", STAKE_IDENTITY)} THEN
            RAISE EXCEPTION '{STAKE_MOVED}' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END IF;
    PERFORM 1 FROM ledger_staketable WHERE id = NEW.stake_table_id FOR KEY SHARE;
    IF ({UNDER_TERMS}) IS NOT TRUE THEN
        RAISE EXCEPTION '{STAKE_FAULT}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    "CREATE TRIGGER ledger_gamestake_terms BEFORE INSERT OR UPDATE ON ledger_gamestake "
    "FOR EACH ROW EXECUTE FUNCTION ledger_stake_under_terms()",
]

# --- SQLite ------------------------------------------------------------------------------------------

_WHOLE = " OR ".join(
    f"typeof(NEW.{column}) NOT IN ('integer', 'null')"
    for column in ("number", "minimum", "maximum", "step", '"default"', "bank_limit", "rake")
)

SQLITE = [
    _when("ledger_staketerms_whole", "INSERT", TERMS, _WHOLE, TERMS_FAULT),
    _when(
        "ledger_staketerms_begin",
        "INSERT",
        TERMS,
        f"({FOLLOWS} AND EXISTS (SELECT 1 FROM ledger_staketable WHERE id = NEW.table_id)) IS NOT 1",
        TERMS_FAULT,
    ),
    _when(
        "ledger_staketerms_split",
        "INSERT",
        TERMS,
        "json_type(NEW.split) IS NOT 'array' OR json_array_length(NEW.split) > 64 "
        "OR (SELECT sum(CASE WHEN type = 'integer' AND value > 0 THEN value ELSE 1000000 END) "
        "FROM json_each(NEW.split)) IS NOT 10000",
        TERMS_FAULT,
    ),
    _when(
        "ledger_gamestake_begins",
        "INSERT",
        "ledger_gamestake",
        f"typeof(NEW.stake) <> 'integer' OR typeof(NEW.max_win) <> 'integer' OR ({UNDER_TERMS}) IS NOT 1",
        STAKE_FAULT,
    ),
    _when("ledger_gamestake_terms", "UPDATE", "ledger_gamestake", _differs(STAKE_IDENTITY), STAKE_MOVED),
]

# --- rulings -----------------------------------------------------------------------------------------

RULED = (
    f"NEW.number = 1 + (SELECT count(*) FROM {RULINGS} WHERE stake_id = NEW.stake_id) "
    "AND EXISTS (SELECT 1 FROM ledger_gamestake g WHERE g.game = NEW.stake_id AND g.status <> 'open' "
    "AND coalesce(NEW.winnings, 0) <= g.max_win AND (NEW.winnings = 0 OR EXISTS (SELECT 1 FROM ledger_transfer t "
    "WHERE t.posting = NEW.posting AND t.credit_id = NEW.purse_id AND t.amount = coalesce(NEW.winnings, g.stake))))"
)
RULED_FAULT = "the rulings on a stake follow one another, each paid as it says"

RULINGS_POSTGRESQL = [
    f"""
CREATE OR REPLACE FUNCTION ledger_stake_ruled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM ledger_gamestake WHERE game = NEW.stake_id FOR NO KEY UPDATE;
    IF ({RULED}) IS NOT TRUE THEN
        RAISE EXCEPTION '{RULED_FAULT}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
    f"CREATE TRIGGER ledger_stakeruling_follows BEFORE INSERT ON {RULINGS} "
    "FOR EACH ROW EXECUTE FUNCTION ledger_stake_ruled()",
]
RULINGS_SQLITE = [
    _when("ledger_stakeruling_follows", "INSERT", RULINGS, f"({RULED}) IS NOT 1", RULED_FAULT),
]


# --- pots -------------------------------------------------------------------------------------------


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

POTS_POSTGRESQL = [
    *_guard("ledger_pot", POT, POT_BEGINS, f"{_same(POT_TERMS)} AND {POT_MOVES}"),
    *_guard(
        "ledger_buyin",
        BUY_IN,
        # Wait for a concurrent division of the pot.
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

POTS_SQLITE = [
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
