"""What a stake can come to, before it is made: the game's part from its own rules, the player's from the books."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from api.errors import refusal_of
from ledger.errors import InsufficientFunds
from ledger.limits.checks import foresee_stake
from ledger.models import OwnerKind, Purpose, StakeTable
from ledger.selectors import balance
from ledger.stakes import kinds
from ledger.stakes.selectors import check_stake


def of(table: StakeTable, *, amount: int, seats: int, player: UUID | None, at: datetime) -> dict[str, Any]:
    """Raises what `check_stake` raises for a stake that the table does not take now."""
    terms = check_stake(stake=amount, stake_table=table, at=at)
    kind = kinds.kind_of(table.rules)
    found = kind.prospects(table.mode, terms.figures, stake=amount, seats=seats)
    told = {name: getattr(found, name) for name in found.__slots__}
    left, obstacle = (None, None) if player is None else _of_player(table, amount, player, kind.from_cash, at)
    return {"amount": amount, "currency": table.currency, **told, "left": left, "obstacle": obstacle}


def _of_player(
    table: StakeTable, amount: int, player: UUID, from_cash: bool, at: datetime
) -> tuple[int | None, dict[str, Any] | None]:
    """A buy-in is paid from cash, a stake against the house from the play session."""
    owner, purpose = f"{OwnerKind.PLAYER}:{player}", Purpose.CASH if from_cash else Purpose.SESSION
    available = balance(owner=owner, purpose=purpose, currency=table.currency).available
    left = available - amount if available >= amount else None

    def stake() -> None:
        foresee_stake(player=player, amount=amount, currency=table.currency, at=at)
        if left is None:
            raise InsufficientFunds(account=f"{owner}/{purpose}")

    refused = refusal_of(stake)
    return left, None if refused is None else refused.document()
