"""The position of Vegas Solitaire, and the names of its piles (RULEBOOK 3)."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from games.rules.cards import KING, SUITS

COLUMNS = range(7)

WASTE = -1
"""Piles a move can name: a column by its number, the waste, the foundation of a suit as FOUNDATION + suit."""
FOUNDATION = 10
ANY_FOUNDATION = FOUNDATION - 1
"""As a target: a card goes to the foundation of its own suit."""

SOURCES = {
    "waste": WASTE,
    **{f"foundation:{letter}": FOUNDATION + suit for suit, letter in enumerate(SUITS)},
    **{f"column:{column}": column for column in COLUMNS},
}
TARGETS = {"foundation": ANY_FOUNDATION, **{f"column:{column}": column for column in COLUMNS}}
PILE_NAMES = {pile: name for name, pile in (SOURCES | TARGETS).items()}


class Config(NamedTuple):
    draw: int
    stake: int
    win_rate: str

    @property
    def pence_per_card(self) -> int:
        """Pence, or the one point of a game without money."""
        return _share(self.stake, self.win_rate) if self.stake else 1


@lru_cache
def _share(stake: int, win_rate: str) -> int:
    return int(stake * Fraction(win_rate))


class Layout(NamedTuple):
    """The piles. The last card of a pile is its top."""

    stock: tuple[int, ...]
    waste: tuple[int, ...]
    fan: int
    """The number of cards of the waste that are shown."""
    columns: tuple[tuple[int, ...], ...]
    down: tuple[int, ...]
    """The number of face-down cards of each column."""
    foundations: tuple[int, ...]
    """The value of each suit's top card, C D H S; 0 for none."""
    passes_left: int


class State(NamedTuple):
    config: Config
    layout: Layout | None
    """None before the deal."""
    before: Layout | None
    """The layout that an undo restores, or None."""
    collected: bool


def laid_out(pack: tuple[int, ...], *, passes: int) -> Layout:
    """Deal row by row, each row one column shorter at the left; the first card of each row is face up."""
    stock = list(pack)
    columns: list[list[int]] = [[] for _ in COLUMNS]
    for row in COLUMNS:
        for column in columns[row:]:
            column.append(stock.pop())
    return Layout(
        stock=tuple(stock),
        waste=(),
        fan=0,
        columns=tuple([tuple(column) for column in columns]),
        down=tuple(COLUMNS),
        foundations=(0, 0, 0, 0),
        passes_left=passes,
    )


EMPTY_TABLE = Layout((), (), 0, ((),) * 7, (0,) * 7, (0,) * 4, 1)


def is_complete(layout: Layout) -> bool:
    return layout.foundations == (KING, KING, KING, KING)


def on_its_last_pass(layout: Layout) -> bool:
    return layout.passes_left == 1


def head(layout: Layout, source: int, target: int, count: int) -> int:
    """Return the card that would be placed on the target."""
    if source == WASTE:
        return layout.waste[-1]
    if source >= FOUNDATION:
        suit = source - FOUNDATION
        return 13 * suit + layout.foundations[suit] - 1
    return layout.columns[source][-1 if target == ANY_FOUNDATION else -count]
