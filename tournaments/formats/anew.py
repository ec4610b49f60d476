"""Games of a round that got a new deal: a replacement counts as a further game of its table, or, where all share their
deals, of the round (RULEBOOK 1, Fairness)."""

from __future__ import annotations

from collections.abc import Mapping

from tournaments.formats.protocol import Format

Anew = Mapping[tuple[int, int, int], int]
"""By round, table and number of the game the deal that it is played with instead of its first."""


def further_deal(form: Format, anew: Anew, *, round: int, table: int, tables: int, games: int) -> int:
    """The deal of the next replacement at a table, `games` being how many the terms ask for.

    >>> from tournaments import formats
    >>> further_deal(formats.get("swiss"), {(1, 2, 1): 8}, round=1, table=2, tables=3, games=2)
    11
    """
    used = {deal for (played, _, _), deal in anew.items() if played == round}
    game = games + 1
    while (deal := form.deal(tables=tables, game=game, table=table)) in used:
        game += 1
    return deal
