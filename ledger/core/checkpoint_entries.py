"""Entries of transfers in checkpoints. A signed transfer cannot be altered, omitted, or added unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

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
        rows = Transfer.objects.using(using).raw(
            "SELECT * FROM ledger_transfer WHERE (epoch, xact, position) > (%s, %s, %s) "
            "AND (epoch, xact, position) <= (%s, %s, %s) ORDER BY epoch, xact, position",
            [*(after or BEGINNING), *until],
        )
        for row in rows.prefetch_related("debit", "credit", "reverses"):
            yield Leaf(transfer_leaf(row), row.uuid)


def is_covered(posting: UUID) -> bool:
    """Return whether a signed checkpoint covers every transfer of a posting."""
    last = Transfer.objects.filter(posting=posting).order_by("-epoch", "-xact", "-position").first()
    reached = checkpoint.reached("transfers")
    return last is not None and reached is not None and (last.epoch, last.xact, last.position) <= reached


def transfer_leaf(row: Transfer) -> bytes:
    """Return all fields of a transfer as canonical JSON."""
    return canonical(
        {
            "id": str(row.uuid),
            "posting": str(row.posting),
            "key": row.key,
            "leg": row.leg,
            "debit": row.debit.text,
            "credit": row.credit.text,
            "currency": row.currency,
            "amount": row.amount,
            "reason": row.reason,
            "subject": row.subject,
            "event": row.event,
            "actor": row.actor,
            "at": format_at(row.at),
            "reverses": None if row.reverses is None else str(row.reverses.uuid),
        }
    )
