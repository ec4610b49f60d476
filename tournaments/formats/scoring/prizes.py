"""Division of prizes: the rake on the fees, the guarantee, fixed prizes, and shares; ties are pooled.

Prizes and rake are together exactly the fees and the overlay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ledger import splits
from tournaments.formats.protocol import Standing


def overlay(fees: int, *, rake: int, guarantee: int) -> int:
    """Return what the bank adds, in pence: the shortfall of the fees less the rake against the guaranteed prizes."""
    _, left = splits.rake(fees, rake)
    return max(0, guarantee - left)


def divide(
    fees: int,
    *,
    rake: int,
    basis_points: Sequence[int],
    standings: Sequence[Standing],
    amounts: Sequence[int] = (),
    guarantee: int = 0,
) -> tuple[int, dict[int, int]]:
    """Return the rake and every entry's prize (0 for none), in pence: together exactly the fees and the `overlay`.

    Disqualified entrants take nothing, and the others divide it. `rake` and `basis_points` are of 10,000; the
    standings are in order. Raises ValueError as `ledger.splits` does, and if no one may be paid.
    """
    taken, left = splits.rake(fees, rake)
    staying = [standing for standing in standings if not standing.disqualified]
    places = [
        [standing.entry for standing in sharing]
        for _, sharing in groupby(staying, key=lambda standing: standing.place)
    ]
    nothing = {standing.entry: 0 for standing in standings if standing.disqualified}
    return taken, splits.prizes(max(left, guarantee), basis_points, places, amounts) | nothing


def by_place(
    fees: int,
    *,
    rake: int,
    basis_points: Sequence[int],
    entrants: int,
    amounts: Sequence[int] = (),
    guarantee: int = 0,
) -> list[int]:
    """Return the prize of each place if that many entrants finish and no two share a place."""
    _, left = splits.rake(fees, rake)
    ranks = [[rank] for rank in range(min(entrants, max(len(basis_points), len(amounts))))]
    return list(splits.prizes(max(left, guarantee), basis_points, ranks, amounts).values())


def shares_like(amounts: Sequence[int]) -> list[int]:
    """Return basis points in proportion to fixed prizes, by which the rest of the fees is divided."""
    return splits.largest_remainder(splits.WHOLE, amounts)
