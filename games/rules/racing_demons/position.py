"""The position of Racing Demons, its owners, and the names of piles and moves (RULEBOOK 6).

A card is a small integer, 52 × seat + the card of the canonical pack. A seat plays nothing but its own pack, so the
cards of a seat, or those that a pile takes whosever they are, are also sets of bits, one for each canonical card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from games.rules import cards as canonical
from games.rules.cards import KING, PACK
from games.rules.protocol import MOVE_CAP, Move

SEATS = tuple(range(2, 13))
PILES = range(4)
"""The work piles of a seat."""
DEMON_CARDS = 13
MOST_FOUNDATIONS = 4 * SEATS[-1]

MOVES_OF_A_SEAT = MOVE_CAP
"""The most accepted moves of a seat."""

CARDS = range(len(PACK) * SEATS[-1])
TEXT = tuple(f"{canonical.TEXT[card % 52]}.{card // 52}" for card in CARDS)
CARD = {text: card for card, text in enumerate(TEXT)}
BASE = tuple(card % 52 for card in CARDS)
"""The card of the canonical pack."""
PACK_OF = tuple(card // 52 for card in CARDS)
"""The seat whose card it is."""
VALUE = tuple(canonical.VALUE[base] for base in BASE)
SUIT = tuple(canonical.SUIT[base] for base in BASE)
RED = tuple(canonical.RED[base] for base in BASE)
BIT = tuple(1 << base for base in BASE)
ACES = sum(1 << 13 * suit for suit in range(4))
TAKES = tuple(
    sum(1 << other for other in PACK if VALUE[other] == VALUE[card] - 1 and RED[other] != RED[card])
    for card in CARDS
)
"""The cards that go on a card of a work pile, as bits."""

COMPLETE = -1
"""The card that a complete foundation accepts: none."""

# Piles that a move can name: a work pile by its number, the others by these.
DEMON, WASTE = 4, 5
FOUNDATION = 4
"""As a target: foundation n is FOUNDATION + n."""
NEW_FOUNDATION = FOUNDATION + MOST_FOUNDATIONS
SOURCES = {"demon": DEMON, "waste": WASTE, **{f"work:{pile}": pile for pile in PILES}}
SOURCE_NAMES = {pile: name for name, pile in SOURCES.items()}
TARGETS = {
    **{f"work:{pile}": pile for pile in PILES},
    **{f"foundation:{number}": FOUNDATION + number for number in range(MOST_FOUNDATIONS)},
    "foundation:new": NEW_FOUNDATION,
}
TARGET_NAMES = {pile: name for name, pile in TARGETS.items()}

TURN, STUCK, PASS, FIRST_MOVE = range(4)
_NAMES = ("turn", "stuck", "pass")
_COUNTS = 13
_TARGETS = NEW_FOUNDATION + 1

MOVES = tuple(
    (source, target, count)
    for source in range(len(SOURCES))
    for target in range(_TARGETS)
    for count in range(1, _COUNTS + 1)
)
"""Source, target and count of each action from FIRST_MOVE on."""


class Config(NamedTuple):
    turn: int
    """Cards turned at a time."""
    pace: str
    stuck: str
    time_limit: int
    """Seconds from the deal."""

    @property
    def by_turns(self) -> bool:
        return self.pace == "turns"


class Side(NamedTuple):
    """The cards before one seat. The last card of a pile is its top; no work pile is ever empty."""

    demon: tuple[int, ...]
    work: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    fan: int
    """The number of cards of the waste that are shown."""
    loose: int
    """The cards of stock and waste, as bits."""
    takes: int
    """The cards that the work piles take, as bits."""


class State(NamedTuple):
    config: Config
    sides: tuple[Side, ...]
    """By seat; empty before the deal."""
    foundations: tuple[tuple[int, ...], ...]
    """In the order in which they were started."""
    nexts: tuple[int, ...]
    """By foundation, the canonical card that it takes next."""
    wanted: int
    """The cards that some foundation takes, the Aces included, as bits."""
    marks: int
    """The seats that are stuck, as bits."""
    spent: int
    """The seats that have played their last move, as bits; they are stuck for good."""
    burns: int
    """Burns since a card last left a demon or a waste, or was played to a foundation."""
    moves: tuple[int, ...]
    """Accepted moves, by seat."""
    turn: int
    """Under `turns` the seat whose turn it is."""
    result: str | None
    """How the game ended."""
    ender: int | None

    @property
    def everybody(self) -> int:
        """All seats, as bits."""
        return (1 << len(self.sides)) - 1


def undealt(config: Config) -> State:
    return State(config, (), (), (), ACES, 0, 0, 0, (), 0, None, None)


def dealt(config: Config, packs: Iterable[Sequence[int]]) -> State:
    """Each pack's last card is dealt first."""
    sides = tuple([side_of(pack) for pack in packs])
    return undealt(config)._replace(sides=sides, moves=(0,) * len(sides))


def side_of(pack: Sequence[int]) -> Side:
    """Thirteen cards form the demon, the last of them on top, four more the work piles."""
    in_order = tuple(reversed(pack))
    rest = len(PILES) + DEMON_CARDS
    work = tuple([(card,) for card in in_order[DEMON_CARDS:rest]])
    return side(in_order[:DEMON_CARDS], work, stock=in_order[: rest - 1 : -1])


def side(
    demon: tuple[int, ...],
    work: tuple[tuple[int, ...], ...],
    *,
    stock: tuple[int, ...] = (),
    waste: tuple[int, ...] = (),
    fan: int = 0,
) -> Side:
    """A side whose bits follow from its cards."""
    return Side(demon, work, stock, waste, fan, bits((*stock, *waste)), taken_by(work))


def bits(cards: Iterable[int]) -> int:
    union = 0
    for card in cards:
        union |= BIT[card]
    return union


def taken_by(work: Sequence[tuple[int, ...]]) -> int:
    one, two, three, four = work
    return TAKES[one[-1]] | TAKES[two[-1]] | TAKES[three[-1]] | TAKES[four[-1]]


def texts(cards: Iterable[int]) -> list[str]:
    return [TEXT[card] for card in cards]


def is_complete(foundation: tuple[int, ...]) -> bool:
    return len(foundation) == KING


def encoded(source: int, target: int, count: int = 1) -> int:
    return FIRST_MOVE + (source * _TARGETS + target) * _COUNTS + count - 1


def between_work_piles(source: int, target: int) -> bool:
    """Only there does `count` matter."""
    return source < DEMON and target < FOUNDATION


def action_of(move: Move) -> int:
    """The action of a legal move, whose piles are there."""
    kind = move["type"]
    if kind != "move":
        return _NAMES.index(kind)
    source, target = SOURCES[move["from"]], TARGETS[move["to"]]
    return encoded(source, target, move.get("count", 1) if between_work_piles(source, target) else 1)


def move_of(action: int) -> Move:
    if action < FIRST_MOVE:
        return {"type": _NAMES[action]}
    source, target, count = MOVES[action - FIRST_MOVE]
    move: Move = {"type": "move", "from": SOURCE_NAMES[source], "to": TARGET_NAMES[target]}
    if between_work_piles(source, target):
        move["count"] = count
    return move
