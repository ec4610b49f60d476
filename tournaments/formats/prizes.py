"""Who is paid what: the rake off the pool, then the shares of the places, ties pooled, nothing left over."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ledger import splits
from tournaments.formats.protocol import Standing


def divide(
    pool: int, *, rake: int, basis_points: Sequence[int], standings: Sequence[Standing]
) -> tuple[int, dict[int, int]]:
    """The rake, and every entry's prize (0 for none), in pence: together exactly `pool`.

    `rake` and `basis_points` are of 10,000; the standings are in order. Raises ValueError as `ledger.splits` does.
    """
    taken, left = splits.rake(pool, rake)
    places = [
        [standing.entry for standing in sharing]
        for _, sharing in groupby(standings, key=lambda standing: standing.place)
    ]
    return taken, splits.prizes(left, basis_points, places)
