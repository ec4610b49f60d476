"""Entries of transfers in checkpoints. A signed transfer cannot be altered, omitted, or added unnoticed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

import orjson
from django.db import connection

from core.sql import hyphened
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import Leaf
from eventstore.store import (
    BEGINNING,
    Position,
    position_after,
    position_is,
    position_order,
    position_values,
)
from ledger.models import Transfer


class TransferLeaves:
    """One entry per transfer, in an order that concurrent postings cannot precede (see `eventstore.store.read_all`)."""

    def until(self, after: Position | None, limit: int) -> Position | None:
        return position_after(after, limit, table="ledger_transfer", key=True)

    def leaves(self, after: Position | None, until: Position) -> Iterator[Leaf]:
        """The canonical JSON of all fields of each transfer."""
        with connection.cursor() as cursor:
            between = (
                f"{position_is('>', 'transfer.', key=True)} AND {position_is('<=', 'transfer.', key=True)}"
            )
            cursor.execute(
                _TRANSFERS[connection.vendor].format(
                    between=between, order=position_order("transfer.", key=True)
                ),
                [*position_values(after or BEGINNING, key=True), *position_values(until, key=True)],
            )
            rows = cursor.fetchall()
        # orjson writes texts and integers, with keys in their order, as RFC 8785 does.
        return (Leaf.of(orjson.dumps(dict(zip(_FIELDS, row, strict=True))), row[_ID]) for row in rows)


_FIELDS = (
    *("actor", "amount", "at", "credit", "currency", "debit", "event"),
    *("id", "key", "leg", "posting", "reason", "reverses", "subject"),
)
_ID = _FIELDS.index("id")


def _account(row: str) -> str:
    """Return SQL for `Account.text`."""
    return f"{row}.kind || CASE {row}.key WHEN '' THEN '' ELSE ':' || {row}.key END || '/' || {row}.purpose"


def _transfers(ids: Sequence[str], at: str) -> str:
    # One statement, and no model instances: an import or a long pause leaves hundreds of thousands of transfers.
    uuid, posting, reversed = ids
    return f"""
SELECT transfer.actor, transfer.amount, {at}, {_account("credit")}, transfer.currency, {_account("debit")},
       transfer.event, {uuid}, transfer.key, transfer.leg, {posting}, transfer.reason, {reversed}, transfer.subject
FROM ledger_transfer AS transfer
JOIN ledger_account AS debit ON debit.id = transfer.debit_id
JOIN ledger_account AS credit ON credit.id = transfer.credit_id
LEFT JOIN ledger_transfer AS reversed ON reversed.position = transfer.reverses_id
WHERE {{between}}
ORDER BY {{order}}
"""  # noqa: S608 (names of our own)


_IDS = ("transfer.uuid", "transfer.posting", "reversed.uuid")
_TRANSFERS = {
    "postgresql": _transfers(
        [f"{id}::text" for id in _IDS],
        at="""to_char(transfer.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
    ),
    # SQLite stores a time as text in UTC, without microseconds if there are none.
    "sqlite": _transfers(
        [hyphened(id) for id in _IDS],
        at="replace(transfer.at, ' ', 'T') || CASE length(transfer.at) WHEN 19 THEN '.000000Z' ELSE 'Z' END",
    ),
}


def is_covered(posting: UUID) -> bool:
    """Return whether a signed checkpoint covers every transfer of a posting."""
    last = Transfer.objects.filter(posting=posting).order_by("-epoch", "-xact", "-position").first()
    reached = checkpoint.reached("transfers")
    return last is not None and reached is not None and (last.epoch, last.xact, last.position) <= reached
