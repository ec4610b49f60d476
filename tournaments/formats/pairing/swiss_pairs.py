"""Swiss pairings at tables of two: a minimum-cost matching of the field, or of slices of a large one.

The cost of a pair is an integer whose digits are the criteria by weight: separated pairs, repeated byes, rematches,
unequal points, upper half against lower half within equal points, and a lot. A matching of least cost satisfies a
lighter criterion only if no heavier one suffers. Every pair has a finite cost, so a matching always exists (J.
Edmonds, Paths, Trees, and Flowers, 1965; implemented by rustworkx).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd

from tournaments.formats.pairing.past import Past, pair
from tournaments.formats.protocol import Pairing, Snapshot, Table
from tournaments.formats.scoring.points import so_far
from tournaments.formats.scoring.tiebreaks import lot

NAME = "swiss-pairs@1"

WHOLE = 500
"""The largest field that is matched as a whole."""
SLICE = 64
"""The slice size of larger fields, from the top; an unpaired entrant moves to the next slice."""

_LOT_BITS = 10
_SITS_OUT = 0
"""The node of the bye in a matching; entries count from 1."""


@dataclass(frozen=True, slots=True)
class _Place:
    """An entrant's position: `group` from the top by points, `rank` within it from 0, of `size`."""

    entry: int
    points: int
    group: int
    rank: int
    size: int
    lot: int


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """Return the tables of a Swiss round, the best first. The first seat goes to the entrant who has had it less
    often.

    `together` is always satisfied. Only an odd field has a bye.
    """
    past = Past.of(snapshot, round)
    places = _places(snapshot, round)
    fixed = [two for two in sorted(snapshot.together) if two[0] in places and two[1] in places]
    given = {entry for two in fixed for entry in two}
    free = [place for place in places.values() if place.entry not in given]
    matched = _match(free, past, snapshot)
    byes = tuple(sorted(other for one, other in matched if one == _SITS_OUT))
    pairs = [two for two in matched if two[0] != _SITS_OUT] + fixed
    order = {entry: number for number, entry in enumerate(places)}
    ordered = sorted(pairs, key=lambda two: sorted((order[two[0]], order[two[1]])))
    tables = tuple(
        Table(number, _seated(two, past, order, snapshot.lot, round))
        for number, two in enumerate(ordered, start=1)
    )
    return Pairing(round, tables, byes, past.relaxed(tables, byes, 2))


def _seated(
    two: tuple[int, int], past: Past, order: Mapping[int, int], lots: str, round: int
) -> tuple[int, int]:
    """Return the pair with the first seat for the entrant who has had it less often, or by lot."""
    one, other = sorted(
        two, key=lambda entry: (past.first[entry], lot(lots, f"seat|{round}", entry), order[entry])
    )
    return one, other


def _places(snapshot: Snapshot, round: int) -> dict[int, _Place]:
    """Return all entrants in slicing order: by points, alternating between the upper and lower half."""
    points = so_far(snapshot, round)
    groups: dict[int, list[tuple[int, int]]] = {}
    for entrant in snapshot.present(round):
        groups.setdefault(points[entrant.entry], []).append((entrant.seeding, entrant.entry))
    unit = gcd(*groups) or 1
    places: dict[int, _Place] = {}
    for number, total in enumerate(sorted(groups, reverse=True)):
        group = sorted(groups[total])
        half = (len(group) + 1) // 2
        folded = [index for rank in range(half) for index in (rank, rank + half) if index < len(group)]
        for rank in folded:
            entry = group[rank][1]
            drawn = lot(snapshot.lot, f"round|{round}", entry)
            places[entry] = _Place(entry, total // unit, number, rank, len(group), drawn)
    return places


# --- matching ----------------------------------------------------------------------------------------


def _match(places: Sequence[_Place], past: Past, snapshot: Snapshot) -> list[tuple[int, int]]:
    if len(places) <= WHOLE:
        return _whole(places, past)
    return _sliced(places, past)


def _sliced(places: Sequence[_Place], past: Past) -> list[tuple[int, int]]:
    """Match slices without relaxations; the end of the field is matched as a whole.

    The end grows until it needs no relaxation, or reaches the largest size that is matched whole.
    """
    left = list(places)
    sitting_out = _last_without_bye(left, past) if len(left) % 2 else None
    if sitting_out is not None:
        left.remove(sitting_out)
    matched: list[list[tuple[int, int]]] = []
    waiting: list[_Place] = []
    while len(left) > SLICE + SLICE // 2:
        slice_, left = waiting + left[:SLICE], left[SLICE:]
        pairs = _least_cost(slice_, past, strict=True)
        paired = {entry for two in pairs for entry in two}
        waiting = [place for place in slice_ if place.entry not in paired]
        matched.append(pairs)
    by_entry = {place.entry: place for place in places}
    end = waiting + left
    while True:
        pairs = _whole(end, past)
        if not matched or len(end) > WHOLE or not past.relaxed([Table(0, two) for two in pairs], (), 2):
            byes = [] if sitting_out is None else [(_SITS_OUT, sitting_out.entry)]
            return [two for slice_pairs in matched for two in slice_pairs] + pairs + byes
        end = [by_entry[entry] for two in matched.pop() for entry in two] + end


def _last_without_bye(places: Sequence[_Place], past: Past) -> _Place:
    return max(places, key=lambda place: (-past.byes[place.entry], place.group, place.rank))


def _whole(places: Sequence[_Place], past: Past) -> list[tuple[int, int]]:
    return _least_cost(places, past, strict=False)


def _least_cost(places: Sequence[_Place], past: Past, *, strict: bool) -> list[tuple[int, int]]:
    """Return the matching of least cost; (0, entry) is a bye.

    With `strict`, entrants who need a relaxation stay unpaired, and no one has a bye.
    """
    import rustworkx  # takes a tenth of a second, which processes that pair no one save

    costs = _Costs(places, past)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([place.entry for place in places])
    edges = [
        (index, other, cost)
        for (index, one), (other, two) in combinations(enumerate(places), 2)
        if (cost := costs.of(one, two)) < costs.overlooked or not strict
    ]
    if not strict and len(places) % 2:
        bye = graph.add_node(_SITS_OUT)
        edges += [(index, bye, costs.of_bye(place)) for index, place in enumerate(places)]
    # The library maximises integer weights, so nothing is rounded.
    most = max((cost for *_, cost in edges), default=0) + 1
    graph.add_edges_from([(one, other, most - cost) for one, other, cost in edges])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted(pair(graph[one], graph[other]) for one, other in found)


class _Costs:
    """The digits of a cost for a field of this size: the sum of a digit over all pairs never carries into the next."""

    def __init__(self, places: Sequence[_Place], past: Past) -> None:
        self.past = past
        pairs = len(places) // 2 + 1
        spread = max((place.points for place in places), default=0) - min(
            (place.points for place in places), default=0
        )
        largest = max((place.size for place in places), default=0)
        self._low = min((place.points for place in places), default=0)
        self._fold = 1 << _LOT_BITS + pairs.bit_length()
        self._points = self._fold << (4 * largest * largest * pairs).bit_length()
        self.overlooked = self._points << ((spread + 1) * (spread + 1) * pairs).bit_length()
        times = max([1, *past.met.values(), *past.byes.values()])
        self._again = self.overlooked << (times * pairs).bit_length()
        self._apart = self._again << (times * pairs).bit_length()

    def of(self, one: _Place, two: _Place) -> int:
        known = pair(one.entry, two.entry)
        cost = (one.lot ^ two.lot) & (1 << _LOT_BITS) - 1
        if one.group == two.group:
            off = 2 * abs(one.rank - two.rank) - one.size
            cost += self._fold * off * off
        else:
            upper, lower = (one, two) if one.group < two.group else (two, one)
            # The last of the upper group is paired with the first of the lower one.
            off = upper.size - 1 - upper.rank + lower.rank
            cost += self._fold * off * off + self._points * (upper.points - lower.points) ** 2
        if times := self.past.met.get(known):
            cost += self.overlooked * times
        if known in self.past.apart:
            cost += self._apart
        return cost

    def of_bye(self, place: _Place) -> int:
        cost = place.lot & (1 << _LOT_BITS) - 1
        cost += self._fold * (place.size - 1 - place.rank) ** 2
        cost += self._points * (place.points - self._low) ** 2
        return cost + self._again * self.past.byes[place.entry]
