"""What the open transaction has moved since a moment in it: who has how much more, or less."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.db import connection

from ledger.models import OwnerKind


class Changed(NamedTuple):
    """`owner` is `player:…`, `house` or `house:…`; `amount` in pence, below 0 where it has less."""

    owner: str
    currency: str
    amount: int


def mark() -> int:
    """The moment: what comes behind it is `changes`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(position), 0) FROM ledger_transfer")
        return int(cursor.fetchone()[0])


def changes(since: int) -> list[Changed]:
    """By owner and currency, in that order; over all accounts of an owner, and without escrows."""
    # Others may post and commit at the same time: only rows of this transaction count.
    own = " AND t.xact = pg_current_xact_id()::text::bigint" if connection.vendor == "postgresql" else ""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    with connection.cursor() as cursor:
        for side, sign in (("credit_id", 1), ("debit_id", -1)):
            cursor.execute(
                "SELECT a.kind, a.key, t.currency, sum(t.amount) FROM ledger_transfer t "  # noqa: S608
                f"JOIN ledger_account a ON a.id = t.{side} WHERE t.position > %s{own} AND a.kind IN (%s, %s, %s) "
                "GROUP BY a.kind, a.key, t.currency",
                [since, OwnerKind.PLAYER, OwnerKind.HOUSE, OwnerKind.PLAY],
            )
            for kind, key, currency, amount in cursor.fetchall():
                sums[f"{kind}:{key}" if key else kind, currency] += sign * int(amount)
    return [Changed(owner, currency, amount) for (owner, currency), amount in sorted(sums.items()) if amount]
