"""Entries of transfers in checkpoints. A signed transfer cannot be altered, omitted, or added unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from eventstore.chain import canonical, format_at
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import Leaf
from eventstore.store import BEGINNING, Position, position_after
from ledger.models import Transfer


class TransferLeaves:
    """One entry per transfer, in an order that concurrent postings cannot precede (see `eventstore.store.read_all`)."""

    def until(self, after: Position | None, limit: int, *, using: str = DEFAULT_DB_ALIAS) -> Position | None:
        return position_after(after, limit, table="ledger_transfer", using=using)

    def leaves(
        self, after: Position | None, until: Position, *, using: str = DEFAULT_DB_ALIAS
    ) -> Iterator[Leaf]:
        with connections[using].cursor() as cursor:
            cursor.execute(_TRANSFERS, [*(after or BEGINNING), *until])
            while rows := cursor.fetchmany(AT_ONCE):
                for row in rows:
                    yield Leaf(transfer_leaf(*row), _uuid(row[0]))


# One statement, and no model instances: an import or a long pause leaves hundreds of thousands of transfers to cover.
_TRANSFERS = """
SELECT transfer.uuid, transfer.posting, transfer.key, transfer.leg,
       debit.kind, debit.key, debit.purpose, credit.kind, credit.key, credit.purpose,
       transfer.currency, transfer.amount, transfer.reason, transfer.subject, transfer.event, transfer.actor,
       transfer.at, reversed.uuid
FROM ledger_transfer AS transfer
JOIN ledger_account AS debit ON debit.id = transfer.debit_id
JOIN ledger_account AS credit ON credit.id = transfer.credit_id
LEFT JOIN ledger_transfer AS reversed ON reversed.position = transfer.reverses_id
WHERE (transfer.epoch, transfer.xact, transfer.position) > (%s, %s, %s)
  AND (transfer.epoch, transfer.xact, transfer.position) <= (%s, %s, %s)
ORDER BY transfer.epoch, transfer.xact, transfer.position
"""
AT_ONCE = 2_000
"""Rows read at a time."""


def is_covered(posting: UUID) -> bool:
    """Return whether a signed checkpoint covers every transfer of a posting."""
    last = Transfer.objects.filter(posting=posting).order_by("-epoch", "-xact", "-position").first()
    reached = checkpoint.reached("transfers")
    return last is not None and reached is not None and (last.epoch, last.xact, last.position) <= reached


def transfer_leaf(
    uuid: UUID | str,
    posting: UUID | str,
    key: str,
    leg: int,
    debit_kind: str,
    debit_key: str,
    debit_purpose: str,
    credit_kind: str,
    credit_key: str,
    credit_purpose: str,
    currency: str,
    amount: int,
    reason: str,
    subject: str,
    event: int | None,
    actor: str,
    at: datetime,
    reverses: UUID | str | None,
) -> bytes:
    """Return all fields of a transfer as canonical JSON."""
    return canonical(
        {
            "id": str(_uuid(uuid)),
            "posting": str(_uuid(posting)),
            "key": key,
            "leg": leg,
            "debit": _account(debit_kind, debit_key, debit_purpose),
            "credit": _account(credit_kind, credit_key, credit_purpose),
            "currency": currency,
            "amount": amount,
            "reason": reason,
            "subject": subject,
            "event": event,
            "actor": actor,
            "at": format_at(at.replace(tzinfo=UTC) if at.tzinfo is None else at),
            "reverses": None if reverses is None else str(_uuid(reverses)),
        }
    )


def _account(kind: str, key: str, purpose: str) -> str:
    """Return what `Account.text` is."""
    return f"{kind}:{key}/{purpose}" if key else f"{kind}/{purpose}"


def _uuid(value: UUID | str) -> UUID:
    """Return an id as SQLite (text) or PostgreSQL has it."""
    return value if isinstance(value, UUID) else UUID(value)
