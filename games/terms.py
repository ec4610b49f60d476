"""What a table may be opened with: seats, bots, clocks and hints, by the game that is played at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games import bots as strategies
from games import clocks
from games.errors import InvalidTable
from games.rules import Game


@dataclass(frozen=True, slots=True)
class BotSeat:
    """A seat that the server plays, and how."""

    seat: int
    bot: str = strategies.DEFAULT


def require_seats(game: Game, seats: int) -> None:
    """Each of these raises InvalidTable, naming the field."""
    if seats not in game.seats:
        raise InvalidTable(f"It is played with {', '.join(map(str, game.seats))} seats.", field="seats")


def require_bots(game: Game, seats: int, bots: Sequence[BotSeat], *, staked: bool) -> None:
    taken = [bot.seat for bot in bots]
    if len(set(taken)) != len(taken) or any(not 0 <= seat < seats for seat in taken):
        raise InvalidTable(f"Bots sit in different seats from 0 to {seats - 1}.", field="bots")
    if staked and bots:
        raise InvalidTable("A bot has no money to stake.", field="bots")
    known = strategies.names(game.slug)
    for bot in bots:
        if bot.bot not in known:
            raise InvalidTable(f"The bots of this game are {', '.join(known) or 'none'}.", field="bots")


def require_clocks(
    game: Game, config: Any, *, draw_every: int | None, move_limit: int | None, game_limit: int | None
) -> None:
    """All in seconds."""
    if draw_every is not None and 0 not in game.seats:
        raise InvalidTable("In this game every move belongs to a seat.", field="draw_every")
    for field, limit, least, most in (
        ("move_limit", move_limit, clocks.SHORTEST_MOVE, clocks.LONGEST_MOVE),
        ("game_limit", game_limit, clocks.SHORTEST_GAME, clocks.LONGEST_GAME),
    ):
        if limit is None:
            continue
        if not least <= limit <= most:
            raise InvalidTable(f"{least} to {most} seconds.", field=field)
        if clocks.everybody_at_once(game, config):
            raise InvalidTable(
                "All seats play at once and nobody is waited for: `time_limit` ends the game.", field=field
            )


def hints(game: Game, wanted: bool | None, *, for_points: bool) -> bool:
    """Whether the seat that is to act may ask for a hint; None means wherever it can be."""
    known = strategies.hint(game.slug) is not None
    if wanted and not known:
        raise InvalidTable("There are no hints for this game.", field="hints")
    if wanted and not for_points:
        raise InvalidTable("Where something is at stake there are no hints.", field="hints")
    return known and for_points if wanted is None else wanted
