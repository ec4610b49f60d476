"""Triggers for markets and bets, which hold for every writer.

Only an open market takes and returns bets, each at the price of its selection, which is on the ladder. The current
settlement of a market judges each bet, once. A market ends when its escrow is empty and its settlement is done. No row
is deleted.
"""

# ruff: noqa: S608 - statements are put together from constants

from __future__ import annotations

from core.triggers import register_append_only, register_triggers
from ledger.betting import ladder
from ledger.betting.kinds import PRICED
from ledger.core.schema import _differs, _lite_no_replace, _lite_permanent, _permanent, _row, _when


def register() -> None:
    register_append_only("ledger_voidedbet", unique=[("key",)])
    register_append_only(
        "ledger_playbank", unique=[("account_id",), ("event", "number"), ("event", "player")]
    )
    register_triggers("ledger_markets", sqlite=SQLITE, postgresql=POSTGRESQL, needs=["ledger_playbank"])


MARKET_TERMS = (
    "id", "key", "fingerprint", "subject", "kind", "currency", "play", "stake_table_id", "escrow_id", "margin",
    "takeout", "step", "on_draw", "cancellable", "in_running", "cap", "minimum", "maximum", "stake_step", "opened_by",
    "opened_at",
)  # fmt: skip
RUNNER_TERMS = ("id", "market_id", "number", "name")
BET_TERMS = (
    "id", "key", "fingerprint", "market_id", "number", "round", "player", "purse_id", "runner_id", "stake", "price",
    "price_hundredths", "most", "client_seed", "placed_at",
)  # fmt: skip
SETTLEMENT_TERMS = ("id", "market_id", "number", "void", "winners", "off", "event", "reason", "actor", "at")
JUDGED = ("gross", "paid", "takeout", "breakage", "bank")

MARKET_BEGINS = (
    "NEW.status = 'open' AND NEW.version = 1 AND NEW.round = 1 AND NEW.bets_made = 0 AND NEW.settlement = 0 "
    "AND NEW.reserve_id IS NULL"
)
MARKET_GROWS = (
    "NEW.version >= OLD.version AND (NEW.bets_made = OLD.bets_made OR OLD.status = 'open' "
    "AND NEW.bets_made = OLD.bets_made + 1) AND (NEW.status = OLD.status OR NEW.version > OLD.version)"
)
MARKET_MOVES = (
    "(OLD.status IN ('open', 'closed', 'settling') AND NEW.status = OLD.status AND NEW.round = OLD.round "
    "AND NEW.settlement = OLD.settlement "
    "OR OLD.status = 'open' AND NEW.status = 'closed' AND NEW.round = OLD.round AND NEW.settlement = 0 "
    "OR OLD.status = 'closed' AND NEW.status = 'open' AND NEW.in_running AND NEW.round = OLD.round + 1 "
    "OR OLD.status <> 'settling' AND NEW.status = 'settling' AND NEW.round = OLD.round "
    "AND NEW.settlement = OLD.settlement + 1 "
    "OR OLD.status = 'settling' AND NEW.status IN ('settled', 'void') AND NEW.settlement = OLD.settlement)"
)
MARKET_OVER = (
    "(NEW.status NOT IN ('settled', 'void') OR EXISTS (SELECT 1 FROM ledger_settlement s JOIN ledger_account a "
    "ON a.id = NEW.escrow_id WHERE s.market_id = NEW.id AND s.number = NEW.settlement AND s.done_at IS NOT NULL "
    "AND a.credits = a.debits))"
)
_HAS_PRICES = f"m.kind IN ({', '.join(repr(name) for name in PRICED)})"
BET_BEGINS = (
    "NEW.status = 'open' AND NEW.settlement = 0 AND EXISTS (SELECT 1 FROM ledger_market m "
    "JOIN ledger_runner r ON r.market_id = m.id JOIN ledger_account a ON a.currency = m.currency "
    "WHERE m.id = NEW.market_id AND m.status = 'open' AND m.bets_made = NEW.number AND m.round = NEW.round "
    "AND r.id = NEW.runner_id AND r.withdrawn_at IS NULL AND NEW.price = r.price "
    "AND ({has_prices}) = (NEW.price_hundredths IS NOT NULL) "
    "AND coalesce(NEW.price_hundredths, 0) = coalesce(r.price_hundredths, 0) "
    "AND coalesce(NEW.most, 0) = coalesce(NEW.stake * NEW.price_hundredths / 100, 0) "
    "AND a.id = NEW.purse_id AND (m.play = '' AND a.kind = 'player' AND a.purpose = 'cash' AND {same_player} "
    "OR m.play <> '' AND EXISTS (SELECT 1 FROM ledger_playbank b WHERE b.account_id = a.id AND b.event = m.play "
    "AND b.player = NEW.player)){lock})"
)
BET_MOVES = (
    "NEW.status <> 'open' AND OLD.status <> 'cancelled' AND EXISTS (SELECT 1 FROM ledger_market m "
    "WHERE m.id = NEW.market_id AND (NEW.status = 'cancelled' AND OLD.status = 'open' AND m.status = 'open' "
    "OR NEW.status <> 'cancelled' AND m.status = 'settling' AND NEW.settlement = m.settlement "
    "AND NEW.settlement > OLD.settlement))"
)
SETTLEMENT_BEGINS = (
    "NEW.gross IS NULL AND NEW.done_at IS NULL AND NEW.reversed_at IS NULL AND NEW.paid_through = 0 "
    "AND EXISTS (SELECT 1 FROM ledger_market m WHERE m.id = NEW.market_id AND m.status = 'settling' "
    "AND m.settlement = NEW.number)"
)

# --- PostgreSQL --------------------------------------------------------------------------------------


def _guard(table: str, message: str, begins: str, changes: str | None) -> list[str]:
    """Build a guard. With `changes` None another trigger restricts updates."""
    return [
        f"""
CREATE OR REPLACE FUNCTION {table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF ({begins}) IS NOT TRUE THEN
            RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    ELSIF ({changes or "false"}) IS NOT TRUE THEN
        RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$""",
        f"CREATE TRIGGER {table}_guard BEFORE INSERT{' OR UPDATE' if changes else ''} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_guard()",
        *_permanent(table),
    ]


def _same(columns: tuple[str, ...]) -> str:
    return f"{_row('NEW', columns)} IS NOT DISTINCT FROM {_row('OLD', columns)}"


MARKET = (
    "a market opens, closes, is settled and ends in that order, empty, on the terms that it was opened with"
)
RUNNER = (
    "a runner has its market, place and name for good; it comes, has other prices and withdraws only while betting is "
    "open, and comes behind a bet only in a pool"
)
BET = "an open market takes and gives back bets; each settlement judges a bet once, and no bet is altered"
SETTLEMENT = "a settlement is judged, paid and reversed once, and altered by nothing else"

_QUOTED = (
    "(NEW.price = '' AND NEW.price_hundredths IS NULL "
    f"OR NEW.price = (NEW.price_hundredths - 100) || '/100' AND {ladder.condition('NEW.price_hundredths')})"
)
_JOINS = (
    f"{_QUOTED} AND NEW.stakes = 0 AND NEW.returns = 0 AND NEW.withdrawn_at IS NULL "
    "AND EXISTS (SELECT 1 FROM ledger_market m "
    f"WHERE m.id = NEW.market_id AND m.status = 'open' AND (NOT {_HAS_PRICES} OR m.bets_made = 0))"
)
_PRICED = (
    "(NEW.price = OLD.price AND coalesce(NEW.price_hundredths, 0) = coalesce(OLD.price_hundredths, 0) "
    "AND (NEW.withdrawn_at = OLD.withdrawn_at "
    "OR NEW.withdrawn_at IS NULL AND OLD.withdrawn_at IS NULL) "
    f"OR OLD.withdrawn_at IS NULL AND {_QUOTED} AND EXISTS (SELECT 1 FROM ledger_market m "
    f"WHERE m.id = NEW.market_id AND m.status = 'open' AND (NEW.withdrawn_at IS NULL OR NOT {_HAS_PRICES})))"
)
_SETTLES = (
    "NEW.paid_through >= OLD.paid_through AND (OLD.done_at IS NULL OR NEW.paid_through = OLD.paid_through) "
    "AND (NEW.done_at IS NULL OR NEW.gross IS NOT NULL) AND OLD.reversed_at IS NULL"
)

# A settlement judges thousands of bets in one statement; checking them together takes a fifth of the time. EXECUTE
# plans the join for the current number of rows. A count avoids a plan for the first row, which can take hours.
_BETS_JUDGED = f"""
SELECT count(*) FROM fresh LEFT JOIN stale ON stale.id = fresh.id LEFT JOIN ledger_market m ON m.id = fresh.market_id
WHERE ({_row("fresh", BET_TERMS)} IS NOT DISTINCT FROM {_row("stale", BET_TERMS)}
       AND fresh.status <> 'open' AND stale.status <> 'cancelled'
       AND (fresh.status = 'cancelled' AND stale.status = 'open' AND m.status = 'open'
            OR fresh.status <> 'cancelled' AND m.status = 'settling' AND fresh.settlement = m.settlement
            AND fresh.settlement > stale.settlement)) IS NOT TRUE"""
BETS_CHANGE = [
    f"""
CREATE OR REPLACE FUNCTION ledger_bets_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    EXECUTE $sql${_BETS_JUDGED}$sql$ INTO wrong;
    IF wrong > 0 THEN
        RAISE EXCEPTION '{BET}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$""",
    "CREATE TRIGGER ledger_bets_change AFTER UPDATE ON ledger_bet REFERENCING OLD TABLE AS stale NEW TABLE AS fresh "
    "FOR EACH STATEMENT EXECUTE FUNCTION ledger_bets_change()",
]

POSTGRESQL = [
    *_guard(
        "ledger_market",
        MARKET,
        MARKET_BEGINS,
        f"{_same(MARKET_TERMS)} AND {MARKET_GROWS} AND {MARKET_MOVES} AND {MARKET_OVER}",
    ),
    *_guard(
        "ledger_runner",
        RUNNER,
        _JOINS,
        f"{_same(RUNNER_TERMS)} AND {_PRICED}",
    ),
    *_guard(
        "ledger_bet",
        BET,
        # Wait for a concurrent closing of the market.
        BET_BEGINS.format(
            same_player="a.key = NEW.player::text", lock=" FOR SHARE OF m", has_prices=_HAS_PRICES
        ),
        changes=None,
    ),
    *BETS_CHANGE,
    *_guard(
        "ledger_settlement",
        SETTLEMENT,
        SETTLEMENT_BEGINS,
        f"{_same(SETTLEMENT_TERMS)} AND (OLD.gross IS NULL OR {_same(JUDGED)}) "
        f"AND (OLD.done_at IS NULL OR NEW.done_at = OLD.done_at) AND {_SETTLES}",
    ),
]

# --- SQLite ------------------------------------------------------------------------------------------


def _lite_guard(
    table: str, message: str, begins: str, terms: tuple[str, ...], changes: str, unique: list[str]
) -> list[str]:
    return [
        _when(f"{table}_begins", "INSERT", table, f"({begins}) IS NOT 1", message),
        _when(f"{table}_terms", "UPDATE", table, _differs(terms), message),
        _when(f"{table}_changes", "UPDATE", table, f"({changes}) IS NOT 1", message),
        _lite_permanent(table),
        *(_lite_no_replace(table, number, same) for number, same in enumerate(unique)),
    ]


def _whole(*columns: str) -> str:
    """Require integers, since SQLite stores 1.5 in an integer column."""
    return " AND ".join(f"typeof(NEW.{column}) IN ('integer', 'null')" for column in columns)


SQLITE = [
    *_lite_guard(
        "ledger_market",
        MARKET,
        f"{MARKET_BEGINS} AND {_whole('margin', 'takeout', 'step', 'minimum', 'maximum', 'stake_step', 'cap')}",
        MARKET_TERMS,
        f"{MARKET_GROWS} AND {MARKET_MOVES} AND {MARKET_OVER} AND {_whole('bets_made', 'version', 'settlement')}",
        ["id = NEW.id", "key = NEW.key", "escrow_id = NEW.escrow_id"],
    ),
    *_lite_guard(
        "ledger_runner",
        RUNNER,
        f"{_JOINS} AND {_whole('price_hundredths')}",
        RUNNER_TERMS,
        f"{_PRICED} AND {_whole('price_hundredths', 'stakes', 'returns')}",
        [
            "id = NEW.id",
            "market_id = NEW.market_id AND number = NEW.number",
            "market_id = NEW.market_id AND name = NEW.name",
        ],
    ),
    *_lite_guard(
        "ledger_bet",
        BET,
        BET_BEGINS.format(same_player="replace(a.key, '-', '') = NEW.player", lock="", has_prices=_HAS_PRICES)
        + f" AND {_whole('stake', 'most', 'number')}",
        BET_TERMS,
        f"{BET_MOVES} AND {_whole('returned', 'settlement')}",
        ["id = NEW.id", "key = NEW.key", "market_id = NEW.market_id AND number = NEW.number"],
    ),
    *_lite_guard(
        "ledger_settlement",
        SETTLEMENT,
        SETTLEMENT_BEGINS,
        SETTLEMENT_TERMS,
        f"(OLD.gross IS NULL OR NOT ({_differs(JUDGED)})) AND (OLD.done_at IS NULL OR NEW.done_at = OLD.done_at) "
        f"AND {_SETTLES} AND {_whole(*JUDGED, 'paid_through')}",
        ["id = NEW.id", "market_id = NEW.market_id AND number = NEW.number"],
    ),
]
