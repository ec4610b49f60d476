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

    Who is disqualified takes nothing: the others divide it. `rake` and `basis_points` are of 10,000; the standings are
    in order. Raises ValueError as `ledger.splits` does, also when nobody may be paid.
    """
    taken, left = splits.rake(pool, rake)
    staying = [standing for standing in standings if not standing.disqualified]
    places = [
        [standing.entry for standing in sharing]
        for _, sharing in groupby(staying, key=lambda standing: standing.place)
    ]
    nothing = {standing.entry: 0 for standing in standings if standing.disqualified}
    return taken, splits.prizes(left, basis_points, places) | nothing
