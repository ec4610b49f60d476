"""How much of a limit is used: moves of money within the window that ends now. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Move:
    """Money that counts for a limit, by the time it was moved: positive uses it, negative gives it back."""

    at: datetime
    amount: int


def used(moves: Iterable[Move], *, at: datetime, length: timedelta) -> int:
    """Pence of the window that ends now; what has come back beyond the stakes is no allowance."""
    return max(0, sum(move.amount for move in moves if at - length < move.at))


def frees_up(
    moves: Iterable[Move], *, limit: int, amount: int, at: datetime, length: timedelta
) -> datetime | None:
    """When `amount` would first be within the limit if nothing else happened; None: never, it is more than the limit.

    As time goes, moves leave the window one after the other, the oldest first.
    """
    if amount > limit:
        return None
    within = sorted((move for move in moves if at - length < move.at), key=lambda move: move.at)
    left = sum(move.amount for move in within)
    free: datetime | None = at if max(0, left) + amount <= limit else None
    for number, move in enumerate(within):
        left -= move.amount
        last_of_its_time = number + 1 == len(within) or within[number + 1].at != move.at
        if free is None and last_of_its_time and max(0, left) + amount <= limit:
            free = move.at + length
    return free


def standing(stakes: Iterable[Move], refunded: int) -> list[Move]:
    """What is left of stakes in one escrow of which so many pence came back: in doubt the oldest were undone.

    Otherwise who took back an old bet could stake its amount again beside the new ones.
    """
    left = []
    for stake in sorted(stakes, key=lambda stake: stake.at):
        undone = min(stake.amount, refunded)
        refunded -= undone
        if undone < stake.amount:
            left.append(Move(stake.at, stake.amount - undone))
    return left
