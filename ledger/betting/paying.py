"""Paying bets out of a market's escrow: one statement for thousands, amounts taken from the judged bets."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import connection
from django.db.models import Model

from ledger.betting.judging import settlement_key
from ledger.betting.models import Bet, Market, Settlement
from ledger.models import Transfer
from ledger.posting import EPOCH, fingerprint

_UUID = {
    "postgresql": "gen_random_uuid()",
    # Django keeps a UUID as its 32 hexadecimal digits there; this is one of version 4.
    "sqlite": "lower(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) "
    "|| '8' || substr(hex(randomblob(2)), 2) || hex(randomblob(6)))",
}


def pay_chunk(market: Market, made: Settlement, most: int, at: datetime) -> None:
    """Pay what is due to the next `most` bets that were made, and remember how far that went."""
    after, through = made.paid_through, min(made.paid_through + most, market.bets_made)
    key = f"{settlement_key(market, made.number)}:pay:{after}"
    print_ = fingerprint("settlement", str(market.pk), made.number, after, through)
    sql = f"""
INSERT INTO ledger_transfer (uuid, posting, key, leg, fingerprint, debit_id, credit_id, currency, amount, reason,
    subject, event, actor, at, epoch)
SELECT {_UUID[connection.vendor]}, %s, %s, row_number() OVER (ORDER BY number) - 1, %s, %s, purse_id, %s, returned,
    CASE status WHEN 'refunded' THEN 'bet refunded' ELSE 'bet won' END, %s, %s, %s, %s, {EPOCH}
FROM ledger_bet
WHERE market_id = %s AND settlement = %s AND number > %s AND number <= %s AND returned > 0
ORDER BY number"""  # noqa: S608 (names of our own)
    with connection.cursor() as cursor:
        cursor.execute(
            sql,
            [
                _stored(Transfer, "posting", uuid4()),
                key,
                print_,
                market.escrow_id,
                market.currency,
                market.owner,
                made.event,
                made.actor,
                _stored(Transfer, "at", at),
                _stored(Bet, "market", market.pk),
                made.number,
                after,
                through,
            ],
        )
    made.paid_through = through
    made.save(update_fields=["paid_through"])


def _stored(model: type[Model], field: str, value: object) -> Any:
    """A value as the database keeps it in that field."""
    return model._meta.get_field(field).get_db_prep_save(value, connection)  # type: ignore[union-attr]
