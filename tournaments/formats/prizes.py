"""Who is paid what: the rake off the fees, the guarantee on top of them, then fixed prizes and shares, ties pooled.

Nothing is left over, and nothing is paid that is not there: prizes and rake are together exactly fees and overlay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ledger import splits
from tournaments.formats.protocol import Standing


def overlay(fees: int, *, rake: int, guarantee: int) -> int:
    """What the house adds, in pence: by how much the fees less the rake fall short of the prizes guaranteed."""
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
    """The rake, and every entry's prize (0 for none), in pence: together exactly the fees and the `overlay`.

    Who is disqualified takes nothing: the others divide it. `rake` and `basis_points` are of 10,000; the standings are
    in order. Raises ValueError as `ledger.splits` does, also when nobody may be paid.
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
    """What each place that has a prize pays if so many come to the end and no two share a place."""
    _, left = splits.rake(fees, rake)
    ranks = [[rank] for rank in range(min(entrants, max(len(basis_points), len(amounts))))]
    return list(splits.prizes(max(left, guarantee), basis_points, ranks, amounts).values())


def shares_like(amounts: Sequence[int]) -> list[int]:
    """Basis points in proportion to fixed prizes: what the fees bring beyond them goes the same way."""
    return splits.largest_remainder(splits.WHOLE, amounts)
