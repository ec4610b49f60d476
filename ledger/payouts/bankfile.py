"""The file that a batch of payouts goes to the bank in: CSV by RFC 4180, safe to open in a spreadsheet. Pure."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.decimals import as_decimal
from ledger.spreadsheets import harmless

HEAD = ("reference", "amount", "currency", "destination", "player", "username")
TOTAL = "TOTAL"


@dataclass(frozen=True, slots=True)
class Order:
    """One payment; `amount` in the currency's smallest unit."""

    reference: str
    amount: int
    destination: str
    player: str
    username: str


def bank_file(orders: Sequence[Order], *, currency: str, digits: int) -> str:
    """A line each in the order given, and a last one with their number and sum.

    `digits` are those behind the currency's decimal point.
    """
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerow(HEAD)
    for order in orders:
        lines.writerow(
            [
                order.reference,
                as_decimal(order.amount, digits),
                currency,
                harmless(order.destination),
                order.player,
                harmless(order.username),
            ]
        )
    total = sum(order.amount for order in orders)
    lines.writerow([TOTAL, as_decimal(total, digits), currency, str(len(orders)), "", ""])
    return written.getvalue()


def checksum_of(file: str) -> str:
    """SHA-256 of the file's bytes, in hex."""
    return hashlib.sha256(file.encode()).hexdigest()
