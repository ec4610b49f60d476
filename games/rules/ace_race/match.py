"""A match: several deals at one table, the dealer moving on and the winner carried over (RULEBOOK 5).

The source counts no score over deals. Here the seats stand by deals won, a shared win counting for each who shares it;
then by fewer cards left in hand over all deals; equal seats share the place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Standing(NamedTuple):
    seat: int
    place: int
    """From 1; equal seats share it."""
    wins: int
    cards: int
    """Left in hand over all deals."""


def next_config(config: Mapping[str, Any], outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The next deal's config after a deal that ended: the deal is the next seat's, clockwise.

    `previous_winner` is the one winner, or None after a shared win; the rest stays.

    >>> next_config({"dealer": 1, "continuation": "strict"}, {"winners": [0], "hands": [0, 3]})
    {'dealer': 0, 'continuation': 'strict', 'previous_winner': 0}
    """
    winners = outcome["winners"]
    return {
        **config,
        "dealer": (config.get("dealer", 0) + 1) % len(outcome["hands"]),
        "previous_winner": winners[0] if len(winners) == 1 else None,
    }


def standings(outcomes: Sequence[Mapping[str, Any]], seats: int) -> list[Standing]:
    """The best first, equal seats by number. Deals without an outcome (void) are left out by the caller."""
    wins = [sum(seat in outcome["winners"] for outcome in outcomes) for seat in range(seats)]
    cards = [sum(outcome["hands"][seat] for outcome in outcomes) for seat in range(seats)]
    merits = [(-wins[seat], cards[seat]) for seat in range(seats)]
    return [
        Standing(seat, 1 + sum(merit < merits[seat] for merit in merits), wins[seat], cards[seat])
        for seat in sorted(range(seats), key=merits.__getitem__)
    ]
