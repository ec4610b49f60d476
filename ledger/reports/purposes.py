"""The trial balance from kept sums: debits and credits by kind of owner and purpose, and the open holds."""

# ruff: noqa: S608 (only our own names and texts are put into these statements)

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.core.selectors import TrialBalance, TrialRowOutput
from ledger.reconciliation.models import Checked, Difference, Found
from ledger.reports.flows import Span, rows
from ledger.reports.models import PurposeSum
from ledger.reports.progress import execute, numbers, reached

_KEY = "currency, kind, purpose"


def trial_balances() -> list[TrialBalance]:
    """Return the trial balance of each currency with transfers. Reads kept sums and the transfers after them."""
    later, given = _derived(Span(None, after=reached()))
    sql = (
        f"SELECT {_KEY}, sum(debits), sum(credits), sum(held) FROM ("
        f"SELECT {_KEY}, debits, credits, 0 AS held FROM ledger_purposesum "
        f"UNION ALL SELECT {_KEY}, debits, credits, 0 FROM ({later}) d "
        # The state is part of the SQL, because SQLite does not use a partial index for a parameter.
        "UNION ALL SELECT a.currency, a.kind, a.purpose, 0, 0, h.amount FROM ledger_hold h "
        "JOIN ledger_account a ON a.id = h.account_id WHERE h.state = 'held'"
        f") s GROUP BY {_KEY} ORDER BY {_KEY}"
    )
    found: dict[str, list[TrialRowOutput]] = {}
    for currency, kind, purpose, *sums in rows(sql, given):
        debits, credits, held = map(int, sums)
        row: TrialRowOutput = {
            "kind": kind,
            "purpose": purpose,
            "debits": debits,
            "credits": credits,
            "held": held,
            "balance": credits - debits,
        }
        found.setdefault(currency, []).append(row)
    return [TrialBalance(currency, lines) for currency, lines in found.items()]


def add(span: Span) -> None:
    """Add the transfers of a part of the order of checkpoints to the sums."""
    derived, given = _derived(span)
    execute(
        f"INSERT INTO ledger_purposesum ({_KEY}, debits, credits) SELECT * FROM ({derived}) d WHERE 1 = 1 "
        f"ON CONFLICT ({_KEY}) DO UPDATE SET debits = ledger_purposesum.debits + excluded.debits, "
        "credits = ledger_purposesum.credits + excluded.credits",
        given,
    )


def _derived(span: Span) -> tuple[str, list[Any]]:
    within, given = span.conditions()
    sides = " UNION ALL ".join(
        f"SELECT t.currency, a.kind, a.purpose, {amounts} FROM ledger_transfer t "
        f"JOIN ledger_account a ON a.id = t.{side} WHERE {' AND '.join(within)}"
        for side, amounts in (
            ("debit_id", "t.amount AS debits, 0 AS credits"),
            ("credit_id", "0 AS debits, t.amount AS credits"),
        )
    )
    return (
        f"SELECT {_KEY}, sum(debits) AS debits, sum(credits) AS credits FROM ({sides}) s GROUP BY {numbers(3)}",
        given * 2,
    )


CHECK = "the sums of a purpose"
CHECKS = {CHECK: "the debits and credits of each purpose are those of the transfers that they contain"}


def check(span: Span) -> Iterator[Found]:
    """Compare the sums with the transfers of the span that they contain."""
    derived, given = _derived(span)
    sql = (
        f"SELECT {_KEY}, sum(debits), sum(credits) FROM (SELECT {_KEY}, debits, credits FROM ledger_purposesum "
        f"UNION ALL SELECT {_KEY}, -debits, -credits FROM ({derived}) d) c GROUP BY {_KEY} "
        "HAVING sum(debits) <> 0 OR sum(credits) <> 0"
    )
    for currency, kind, purpose, debits, credits in rows(sql, given):
        wrong = f"{int(debits):+} debits and {int(credits):+} credits too much"
        yield Difference(f"{kind}/{purpose}", currency, CHECK, wrong, "none too much")
    yield Checked(CHECK, "sums", PurposeSum.objects.count())
