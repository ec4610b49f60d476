"""Well-formed moves of each game, legal or not: all of them, or enough for every refusal."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from games.rules.cards import SUITS, TEXT
from games.rules.protocol import Move

SINGLES = ("draw", "recycle", "redeal", "undo", "collect", "resign", "turn", "stuck", "pass", "decline")
RULES: tuple[dict[str, Any], ...] = (
    *({"name": name} for name in ("multiples", "series", "high", "medium", "low", "prime", "above-below")),
    *({"name": "suits", "suit": suit} for suit in SUITS),
)


def moves(rules: str, seats: int) -> list[Move]:
    """Return moves that include those of other games, which are refused by their form."""
    return [*({"type": kind} for kind in SINGLES), *_OF[rules](seats)]


def _vegas(seats: int) -> list[Move]:
    columns = [f"column:{column}" for column in range(7)]
    sources = ["waste", *(f"foundation:{suit}" for suit in SUITS), *columns]
    return [
        *({"type": "flip", "column": column} for column in range(7)),
        *(
            {"type": "move", "from": source, "to": target, **count}
            for source, target in product(sources, ["foundation", *columns])
            for count in ({}, {"count": 2}, {"count": 13})
        ),
    ]


def _idle(seats: int) -> list[Move]:
    piles = [f"{name}:{pile}" for name in ("twos", "kings") for pile in range(4)]
    return [
        {"type": "play", "from": source, "to": target}
        for source, target in product(["waste", *piles], [*piles, "aces"])
    ]


def _race(seats: int) -> list[Move]:
    return []


def _demons(seats: int) -> list[Move]:
    work = [f"work:{pile}" for pile in range(4)]
    targets = [*work, "foundation:new", *(f"foundation:{number}" for number in range(4 * seats))]
    return [
        {"type": "move", "from": source, "to": target, **count}
        for source, target in product(["demon", "waste", *work], targets)
        for count in ({}, {"count": 3})
    ]


def _ace_race(seats: int) -> list[Move]:
    plays: list[Move] = []
    for card in TEXT:
        plays += [
            {"type": "play", "cards": [card]},
            {"type": "play", "cards": [card], "direction": "higher"},
            *({"type": "play", "cards": [card], "joker": joker} for joker in ("X1", "X2")),
        ]
    plays += [{"type": "play", "cards": [f"A{suit}"], "rule": rule} for suit in SUITS for rule in RULES]
    # Groups of two and three cards: of one value, in a row, and some others.
    values = [list(TEXT[value:52:13]) for value in range(13)]
    plays += [{"type": "play", "cards": list(pair)} for of in values for pair in combinations(of, 2)]
    plays += [
        {"type": "play", "cards": [values[low][0], values[low + 1][1], values[low + 2][2]]}
        for low in range(11)
    ]
    gifts = [{"card": card, "to": to} for card in TEXT for to in range(min(seats, 2))]
    return [
        *plays,
        *({"type": "bid", "cards": cards} for cards in range(-1, 9)),
        *({"type": "rule", "rule": rule} for rule in RULES),
        *({"type": "give", "gifts": [gift]} for gift in gifts),
        *({"type": "give", "gifts": [one, other]} for one, other in zip(gifts, gifts[7:], strict=False)),
    ]


_OF = {
    "vegas-solitaire": _vegas,
    "idle-aces": _idle,
    "racing-aces": _race,
    "racing-demons": _demons,
    "ace-race": _ace_race,
}
