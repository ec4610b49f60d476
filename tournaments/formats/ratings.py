"""How strong a player seems at a game: Plackett-Luce ratings (openskill), moved by the places at each rated table.

A rating is a belief: the strength is about `mu`, give or take `sigma`. Both are whole thousandths of a point, rounded
after every table, so that the same results give the same ratings on every machine. Ranked and shown is what can be
relied on, mu - 3 sigma, which is 0 for who has not played yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from openskill.models import PlackettLuce

from tournaments.formats import points
from tournaments.formats.history import History

UNIT = 1000
"""Thousandths of a point are counted."""

# Openskill's own proportions (25, 25/3, 25/6, 25/300) on a scale on which the first rating is 1500 ± 500.
_MODEL = PlackettLuce(mu=1500.0, sigma=500.0, beta=250.0, tau=5.0)


@dataclass(frozen=True, slots=True, order=True)
class Rating:
    """In thousandths of a point."""

    mu: int = 1500 * UNIT
    sigma: int = 500 * UNIT

    @property
    def worth(self) -> int:
        """mu - 3 sigma, in thousandths."""
        return self.mu - 3 * self.sigma

    @property
    def points(self) -> int:
        """The worth in whole points, halves up."""
        return (2 * self.worth + UNIT) // (2 * UNIT)


UNRATED = Rating()


@dataclass(frozen=True, slots=True)
class TableResult:
    """Who came where at a table: by player, the place, shared by those who are level."""

    table: int
    places: Mapping[str, int]


def rate(places: Mapping[str, int], known: Mapping[str, Rating]) -> dict[str, Rating]:
    """The ratings of a table's players after it; who is not `known` had none. The seats' order changes nothing."""
    # Sums of floating point depend on their order: equal tables are given to the model in one order.
    order = sorted(places, key=lambda player: (places[player], known.get(player, UNRATED), player))
    before = [known.get(player, UNRATED) for player in order]
    teams = [[_MODEL.rating(mu=one.mu / UNIT, sigma=one.sigma / UNIT)] for one in before]
    after = _MODEL.rate(teams, ranks=[float(places[player]) for player in order])
    return {
        player: Rating(round(one.mu * UNIT), max(1, round(one.sigma * UNIT)))
        for player, [one] in zip(order, after, strict=True)
    }


def rated_tables(history: History, round: int) -> Iterator[TableResult]:
    """What a closed round tells of its players' strength, table by table.

    Bots have no rating and are left out; a table counts if at least two people met there, somebody came, and not all
    of its games were void. Who did not come is last.
    """
    if not history.rated:
        return
    people = {one.entry: one.player for one in history.entrants if not one.bot}
    played = {result.table for result in history.results if result.round == round and result.ended in _PLAYED}
    for table, places in points.places(history.snapshot(), round).items():
        met = {people[entry]: place for entry, place in places.items() if entry in people}
        if table in played and len(met) > 1:
            best = sorted(set(met.values()))
            yield TableResult(table, {player: 1 + best.index(place) for player, place in met.items()})


_PLAYED = ("finished", "expired")
