"""Payouts for tests: players with money, requests, and two administrators who decide."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from ledger import services
from ledger.models import Account
from ledger.payouts.models import Payout, PayoutBatch
from ledger.services import Leg
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

LATER = AT + timedelta(hours=1)
ADAM, BEA = "player:adam", "player:bea"
"""Two administrators."""
SUBJECT = "game:7"


def rich(amount: int = 10_000) -> UUID:
    player = uuid4()
    fund(cash(player), amount)
    return player


def money_of(player: UUID) -> int:
    return available(f"player:{player}")


def ask(amount: int = 400, player: UUID | None = None, **more: Any) -> Payout:
    """Request a withdrawal, by a new player unless one is given."""
    given = {"destination": "IBAN XT00 1234", "key": fresh_key(), "at": AT, "currency": CURRENCY, **more}
    return services.request_withdrawal(player=player or rich(), amount=amount, **given)


def approved(amount: int = 400, player: UUID | None = None, **more: Any) -> Payout:
    return services.approve_payout(payout=ask(amount, player, **more).pk, actor=ADAM, at=LATER)


def escrow(subject: str = "tournament:7") -> Account:
    return services.account(owner=subject, purpose="escrow", currency=CURRENCY)


def prize(
    amount: int = 900, player: UUID | None = None, subject: str = "tournament:7", **more: Any
) -> Payout:
    """Make a prize that waits for approval, as a tournament does."""
    winner = player or uuid4()
    fund(escrow(subject), amount)
    leg = Leg(escrow(subject), services.payable(winner, CURRENCY), amount, "prize")
    services.post(key=fresh_key(), legs=[leg], subject=subject, actor="tournaments", at=AT)
    given = {"key": fresh_key(), "requested_by": "tournaments", "at": AT, **more}
    return services.request_prize(player=winner, amount=amount, currency=CURRENCY, subject=subject, **given)


def win(player: UUID, amount: int, subject: str = SUBJECT, purpose: str = "cash") -> UUID:
    """Pay a player from a subject, and return the id of the transfer."""
    fund(escrow(subject), amount)
    goes = services.account(owner=f"player:{player}", purpose=purpose, currency=CURRENCY)
    leg = Leg(escrow(subject), goes, amount, "winnings")
    [made] = services.post(key=fresh_key(), legs=[leg], subject=subject, actor="test", at=AT).transfers
    return made.uuid


def batch(*payouts: Payout, **more: Any) -> PayoutBatch:
    given = {"currency": CURRENCY, "key": fresh_key(), "actor": ADAM, "at": LATER, **more}
    return services.make_batch(payouts=[one.pk for one in payouts] or None, **given)


def reread(payout: Payout) -> Payout:
    payout.refresh_from_db()
    return payout


def steps(payout: Payout) -> list[str]:
    return [f"{one.was}>{one.becomes}" for one in payout.steps.all()]
