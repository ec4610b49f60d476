"""Checks within the ledger, in SQL: balances, transfers, holds, stakes, and bets.

Conditions on the same rows are checked in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.db import connection

from core.sql import hyphened
from ledger.money import MOST_PENCE
from ledger.reconciliation.models import Checked, Difference, Found

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

PAGE = 500


@dataclass(frozen=True, slots=True)
class Check:
    """A check. `differing` selects subject, account, currency, and the recorded and derived values; `counted` the rows
    checked.

    `{game}` in it is a game's id as text with hyphens.
    """

    what: str
    about: str
    of: str
    counted: str
    differing: str

    def run(self) -> Iterator[Found]:
        # Accounts name a game by its id with hyphens.
        game = "game::text" if connection.vendor == "postgresql" else hyphened("game")
        yield from _named(
            self.what,
            "SELECT subject, account, currency, recorded, derived "
            f"FROM ({self.differing.format(game=game)}) found WHERE recorded <> derived",
        )
        [number] = _one_row(f"SELECT count(*) FROM {self.counted}")
        yield Checked(self.what, self.of, number)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a pass: of the rows `among`, those that are `wrong` have `recorded` instead of `derived`."""

    what: str
    about: str
    recorded: str
    derived: str
    wrong: str
    among: str = "true"


@dataclass(frozen=True, slots=True)
class Pass:
    """Conditions on the rows of one source, counted in one pass.

    Rows are read again only if a condition fails. `named` selects subject, account, and currency of the wrong rows.
    """

    of: str
    source: str
    named: str
    conditions: tuple[Condition, ...]

    def run(self) -> Iterator[Found]:
        counts = iter(_one_row(f"SELECT {', '.join(self._counts())} FROM {self.source}"))
        for each, number, wrong in zip(self.conditions, counts, counts, strict=True):
            if wrong:
                yield from _named(
                    each.what,
                    f"SELECT {self.named}, {each.recorded}, {each.derived} FROM {self.source} "
                    f"WHERE {each.among} AND ({each.wrong})",
                )
            yield Checked(each.what, self.of, number)

    def _counts(self) -> Iterator[str]:
        for each in self.conditions:
            yield f"count(*) FILTER (WHERE {each.among})"
            yield f"count(*) FILTER (WHERE {each.among} AND ({each.wrong}))"


def _named(what: str, differing: str) -> Iterator[Difference]:
    with connection.cursor() as cursor:
        cursor.execute(differing)
        while rows := cursor.fetchmany(PAGE):
            for subject, account, currency, recorded, derived in rows:
                yield Difference(account, currency, what, _plain(recorded), _plain(derived), subject)


def _plain(value: int | str | Decimal) -> int | str:
    return value if isinstance(value, str) else int(value)


def _one_row(statement: str) -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return tuple(cursor.fetchone())


def reconcile() -> Iterator[Difference]:
    """Yield the differences within the ledger."""
    return (found for found in check_books() if isinstance(found, Difference))


def check_books() -> Iterator[Found]:
    for check in (*PASSES, *CHECKS):
        yield from check.run()


def about() -> dict[str, str]:
    """Return what each check verifies, by name."""
    conditions = {each.what: each.about for one in PASSES for each in one.conditions}
    return conditions | {each.what: each.about for each in CHECKS}


def account_name(row: str) -> str:
    """Return SQL for the `owner/purpose` of an account row."""
    return f"CASE {row}.key WHEN '' THEN {row}.kind ELSE {row}.kind || ':' || {row}.key END || '/' || {row}.purpose"


# --- balances -----------------------------------------------------------------------------------------


def _balance(what: str, about: str, recorded: str, derived: str, among: str = "true") -> Condition:
    return Condition(what, about, recorded, derived, f"{recorded} <> {derived}", among)


def _sums(name: str, side: str, table: str = "ledger_transfer", where: str = "") -> str:
    return (
        f"LEFT JOIN (SELECT {side}, sum(amount) AS amount FROM {table} {where} GROUP BY {side}) {name} "
        f"ON {name}.{side} = a.id"
    )


_BOUNDED = "a.purpose NOT IN ('external', 'receivable')"
_AVAILABLE = "a.credits - a.debits - a.held"

BALANCES = Pass(
    "accounts",
    f"ledger_account a {_sums('paid', 'debit_id')} {_sums('received', 'credit_id')} "
    + _sums("promised", "account_id", "ledger_hold", "WHERE state = 'held'"),
    f"'', {account_name('a')}, a.currency",
    (
        _balance(
            "debits",
            "an account's debits are the sum of its transfers",
            "a.debits",
            "coalesce(paid.amount, 0)",
        ),
        _balance(
            "credits",
            "an account's credits are the sum of its transfers",
            "a.credits",
            "coalesce(received.amount, 0)",
        ),
        _balance(
            "held", "the amount held is the sum of the open holds", "a.held", "coalesce(promised.amount, 0)"
        ),
        # A lower floor would allow an overdraft.
        _balance(
            "the least balance",
            "only external accounts and receivables may be overdrawn",
            "coalesce(a.min_balance, -1)",
            f"CASE WHEN {_BOUNDED} THEN 0 ELSE -1 END",
        ),
        _balance(
            "what is available",
            "no other account has less than it holds",
            _AVAILABLE,
            f"CASE WHEN {_AVAILABLE} < 0 THEN 0 ELSE {_AVAILABLE} END",
            among=_BOUNDED,
        ),
    ),
)

TOTALS = Pass(
    "currencies",
    "(SELECT currency, sum(credits - debits) AS amount FROM ledger_account GROUP BY currency) totals",
    "'', 'all accounts', currency",
    (_balance("the total", "the balances of a currency add up to zero", "amount", "0"),),
)

# --- transfers ----------------------------------------------------------------------------------------

_TRANSFER = "t.subject, 'transfer ' || t.key || ' leg ' || t.leg, t.currency"
_HEADER = ("posting", "fingerprint", "currency", "subject", "actor")
_SAME_HEADER = " AND ".join(f"p.{column} = t.{column}" for column in _HEADER)

TRANSFERS = Pass(
    "transfers",
    "ledger_transfer t LEFT JOIN ledger_account d ON d.id = t.debit_id "
    "LEFT JOIN ledger_account c ON c.id = t.credit_id",
    _TRANSFER,
    (
        Condition(
            "the currency of both sides",
            "both accounts of a transfer exist and have its currency",
            "coalesce(d.currency, 'no account') || ' to ' || coalesce(c.currency, 'no account')",
            "t.currency || ' to ' || t.currency",
            "d.id IS NULL OR c.id IS NULL OR d.currency <> t.currency OR c.currency <> t.currency",
        ),
        Condition(
            "the amount",
            "the amount of a transfer is positive and within the limit",
            "t.amount",
            f"CASE WHEN t.amount < 1 THEN 1 ELSE {MOST_PENCE} END",
            f"t.amount < 1 OR t.amount > {MOST_PENCE}",
        ),
        Condition(
            "the number of accounts",
            "a transfer has two different accounts",
            "1",
            "2",
            "t.debit_id = t.credit_id",
        ),
    ),
)

# By induction: every leg has the one before it, of the same posting, down to leg 0.
LEGS = Pass(
    "transfers",
    "(SELECT * FROM ledger_transfer WHERE leg <> 0) t "
    "LEFT JOIN ledger_transfer p ON p.key = t.key AND p.leg = t.leg - 1",
    _TRANSFER,
    (
        Condition(
            "the leg before it in its posting",
            "a posting is complete, and its legs have one currency, subject, and actor",
            "CASE WHEN p.position IS NULL THEN 'missing' ELSE 'of another posting' END",
            "'there'",
            f"p.position IS NULL OR NOT ({_SAME_HEADER})",
        ),
    ),
)

REVERSALS = Pass(
    "transfers",
    "(SELECT * FROM ledger_transfer WHERE reverses_id IS NOT NULL) t "
    "LEFT JOIN ledger_transfer o ON o.position = t.reverses_id",
    _TRANSFER,
    (
        Condition(
            "what it reverses",
            "a reversal mirrors its transfer, which is no reversal itself",
            "CASE WHEN o.position IS NULL THEN 'missing' ELSE 'no mirror of it' END",
            "'its mirror'",
            "o.position IS NULL OR o.reverses_id IS NOT NULL OR o.debit_id <> t.credit_id "
            "OR o.credit_id <> t.debit_id OR o.amount <> t.amount OR o.currency <> t.currency",
        ),
    ),
)

PASSES = (BALANCES, TOTALS, TRANSFERS, LEGS, REVERSALS)

# --- holds --------------------------------------------------------------------------------------------

HOLDS = (
    Check(
        "what a captured hold paid",
        "a captured hold paid no more than it held",
        "holds",
        "ledger_hold WHERE state = 'captured'",
        f"SELECT h.subject, {account_name('a')} AS account, a.currency, coalesce(paid.amount, 0) AS recorded, "
        "CASE WHEN paid.amount <= h.amount THEN paid.amount ELSE h.amount END AS derived "
        # One posting may capture several holds of an account, as for a batch.
        "FROM (SELECT posting, account_id, min(subject) AS subject, sum(amount) AS amount FROM ledger_hold "
        "WHERE state = 'captured' GROUP BY posting, account_id) h "
        "JOIN ledger_account a ON a.id = h.account_id LEFT JOIN "
        "(SELECT posting, debit_id, sum(amount) AS amount FROM ledger_transfer WHERE posting IN "
        "(SELECT posting FROM ledger_hold WHERE state = 'captured') GROUP BY posting, debit_id) paid "
        "ON paid.posting = h.posting AND paid.debit_id = h.account_id",
    ),
)

# --- subjects -----------------------------------------------------------------------------------------

_STAKE = (
    "FROM ledger_gamestake s JOIN ledger_staketable e ON e.id = s.stake_table_id "
    "LEFT JOIN ledger_hold h ON h.id = s.reserve_id"
)


def _stake_row(what: str, about: str, recorded: str, posting: str, leg: int, where: str) -> Check:
    """Check a staked game's row against the leg that moved it, because reports and pages read the row."""
    return Check(
        what,
        about,
        "games",
        f"ledger_gamestake s WHERE {where}",
        "SELECT 'game:' || {game} AS subject, 'house:' || e.slug || '/bank' AS account, e.currency, "
        f"{recorded} AS recorded, coalesce(t.amount, 0) AS derived {_STAKE} LEFT JOIN ledger_transfer t "
        f"ON t.key = 'game:' || {{game}} || ':{posting}' AND t.leg = {leg} WHERE {where}",
    )


_STANDING = "SELECT coalesce(sum(stake), 0) FROM ledger_bet WHERE market_id = m.id AND status <> 'cancelled'"


def _of_markets(
    what: str, about: str, recorded: str, derived: str, source: str = "", where: str = "true"
) -> Check:
    return Check(
        what,
        about,
        "markets",
        f"ledger_market m WHERE {where}",
        f"SELECT m.subject, {account_name('a')} AS account, a.currency, {recorded} AS recorded, {derived} AS derived "
        f"FROM ledger_market m JOIN ledger_account a ON a.id = m.escrow_id {source} WHERE {where}",
    )


ESCROWS = (
    Check(
        "the escrow of an ended game",
        "the escrow of a game that has ended is zero",
        "games",
        "ledger_gamestake WHERE status <> 'open'",
        "SELECT '' AS subject, " + account_name("a") + " AS account, a.currency, "
        "a.credits - a.debits AS recorded, 0 AS derived "
        "FROM ledger_account a JOIN ledger_gamestake ON {game} = a.key "
        "WHERE a.kind = 'game' AND a.purpose = 'escrow' AND status <> 'open'",
    ),
    # During settlement the escrow holds the returns of unpaid bets; afterwards it is zero.
    _of_markets(
        "the escrow of a market",
        "the escrow has the accepted stakes while the market is open or closed, and zero after settlement",
        "a.credits - a.debits",
        f"CASE WHEN m.status IN ('open', 'closed') THEN ({_STANDING}) ELSE 0 END",
        where="m.status <> 'settling'",
    ),
    Check(
        "the escrow of a pot",
        "the escrow has the buy-ins while the pot is open, and zero afterwards",
        "pots",
        "ledger_pot",
        f"SELECT '' AS subject, {account_name('a')} AS account, a.currency, a.credits - a.debits AS recorded, "
        "CASE WHEN p.status = 'open' THEN coalesce((SELECT sum(amount) FROM ledger_buyin "
        "WHERE pot_id = p.id AND status = 'in'), 0) ELSE 0 END AS derived "
        "FROM ledger_pot p JOIN ledger_account a ON a.id = p.escrow_id",
    ),
)
"""The escrow of an ended game, market, or pot is zero; that of an open one has the stakes."""

SUBJECTS = (
    Check(
        "what the bank holds for a game",
        "the bank holds the largest possible win of an open game, and nothing for others",
        "games",
        "ledger_gamestake",
        "SELECT 'game:' || {game} AS subject, 'house:' || e.slug || '/bank' AS account, e.currency, "
        "CASE WHEN h.state = 'held' THEN h.amount ELSE 0 END AS recorded, "
        "CASE WHEN s.status = 'open' AND s.max_win > s.stake THEN s.max_win - s.stake ELSE 0 END AS derived "
        + _STAKE,
    ),
    _stake_row(
        "the stake of a game", "the row has the stake that was transferred", "s.stake", "stake", 0, "true"
    ),
    _stake_row(
        "the winnings of a game",
        "the row has the winnings that were transferred",
        "s.winnings",
        "settlement",
        1,
        "s.status = 'settled'",
    ),
    # Caps and reserves depend on the sums of the runners.
    _of_markets(
        "what is staked on the runners of a market",
        "the stakes of the runners are the sum of the accepted bets",
        "(SELECT coalesce(sum(stakes), 0) FROM ledger_runner WHERE market_id = m.id)",
        f"({_STANDING})",
    ),
    _of_markets(
        "what the bank holds for a market",
        "the bank holds the largest possible loss on the market",
        "coalesce(h.amount, 0)",
        "(SELECT CASE WHEN max(r.returns - r.stakes) > 0 THEN max(r.returns - r.stakes) ELSE 0 END "
        "FROM ledger_runner r WHERE r.market_id = m.id)",
        "LEFT JOIN ledger_hold h ON h.id = m.reserve_id",
        "m.status IN ('open', 'closed')",
    ),
)

CHECKS = (*HOLDS, *ESCROWS, *SUBJECTS)
