"""The end of Idle Aces (RULEBOOK 4 (5) and (6)): an exact test of a lost game, by a theorem instead of a search.

Call two piles *neighbours* when a twos pile shows v and a kings pile shows v + 1. Let the stock be empty and no redeal
be left. A card from 2 to King can be made playable exactly when it fits now or there are neighbours; an Ace, when it
fits now.

- Neighbours can walk. The v goes onto the v + 1, and the same two piles are neighbours at v - 1; or the v + 1 goes onto
  the v, and they are neighbours at v + 1. Bases stop that only at the ends, v = 2 and v = 12. So any v from 2 to 12 can
  be had: at v a card of value v fits on the kings pile, and at 12 a King fits on the twos pile.
- Without neighbours the only plays are within a kind, where two piles change places, and Aces into the cells. What the
  twos show and what the kings show stays the same, but that a bared 2 may take the place of an Ace. A bared 2 makes no
  neighbours (no twos pile shows an Ace) and takes nothing but an Ace.
- An Ace fits a free cell and a shown 2. With a free cell it fits now. With none, the 2s of the kings piles and the Aces
  on them can only change places: as many 2s are shown as before, whatever is played.

tests/games/rules/test_idle_aces_lost.py searches whole positions and finds the same.
"""

from __future__ import annotations

from games.rules.cards import ACE, KING
from games.rules.idle_aces.position import CELLS, VALUE

Piles = tuple[tuple[int, ...], ...]


def result_of(
    stock: tuple[int, ...],
    waste: tuple[int, ...],
    redeals_left: int,
    piles: Piles,
    aces: tuple[int, ...],
) -> str | None:
    """Return `won`, `lost`, or None during the game. With stock and waste empty, all 104 cards are built."""
    if stock:
        return None
    if not waste:
        return "won"
    return "lost" if not redeals_left and never_playable(VALUE[waste[-1]], piles, aces) else None


def never_playable(value: int, piles: Piles, aces: tuple[int, ...]) -> bool:
    """Return whether no sequence of plays between the piles can make a card of that value playable."""
    twos = kings = 0  # the values shown, as bits
    for pile in piles[:4]:
        twos |= 2 << len(pile)
    for pile in piles[4:]:
        kings |= 2 << KING - len(pile)
    if twos << 1 & 1 << value or kings >> 1 & 1 << value:
        return False
    if value == ACE:
        return len(aces) == CELLS
    return not twos << 1 & kings
