"""Plackett-Luce ratings (openskill), updated by the places at each rated table.

A rating estimates the strength as `mu` with the uncertainty `sigma`. Both are integers in thousandths of a point
and rounded after every table, so that the same results give the same ratings on every machine. Players are ranked
by the conservative estimate mu - 3 sigma, which is 0 for a new player.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from openskill.models import PlackettLuce

from tournaments.formats.history import History
from tournaments.formats.scoring import points

UNIT = 1000
"""The unit is a thousandth of a point."""

# The defaults of openskill (25, 25/3, 25/6, 25/300), scaled so that the first rating is 1500 ± 500.
_MODEL = PlackettLuce(mu=1500.0, sigma=500.0, beta=250.0, tau=5.0)


@dataclass(frozen=True, slots=True, order=True)
class Rating:
    """A rating in thousandths of a point."""

    mu: int = 1500 * UNIT
    sigma: int = 500 * UNIT

    @property
    def worth(self) -> int:
        """mu - 3 sigma, in thousandths."""
        return self.mu - 3 * self.sigma

    @property
    def points(self) -> int:
        """The conservative estimate in whole points, halves up."""
        return (2 * self.worth + UNIT) // (2 * UNIT)


UNRATED = Rating()


@dataclass(frozen=True, slots=True)
class TableResult:
    """The place of each player at a table; equal players share a place."""

    table: int
    places: Mapping[str, int]


def rate(places: Mapping[str, int], known: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return the ratings of a table's players after it. A player who is not `known` starts unrated."""
    # Floating-point sums depend on their order, so each table is passed to the model in a fixed order.
    order = sorted(places, key=lambda player: (places[player], known.get(player, UNRATED), player))
    before = [known.get(player, UNRATED) for player in order]
    teams = [[_MODEL.rating(mu=one.mu / UNIT, sigma=one.sigma / UNIT)] for one in before]
    after = _MODEL.rate(teams, ranks=[float(places[player]) for player in order])
    return {
        player: Rating(round(one.mu * UNIT), max(1, round(one.sigma * UNIT)))
        for player, [one] in zip(order, after, strict=True)
    }


def rated_tables(history: History, round: int) -> Iterator[TableResult]:
    """Return the rated tables of a closed round.

    Bots are left out. A table is rated if at least two people met there, at least one came, and not all of its
    games were void. Absent players are last.
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
