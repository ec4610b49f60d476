"""Hints: what the game's strongest bot would do in the player's place, from what the player sees and nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from accounts.models import Player
from games import access, bots, state
from games.errors import GameSuspended, HintsOff, NoHints, NotSeated, NotStarted
from games.models import GameRecord
from games.rules import Refused
from games.rules.refusals import ENDED
from games.sights import sight


@dataclass(frozen=True, slots=True)
class Hint:
    version: int
    """Of the game that was looked at."""
    move: dict[str, Any]
    """One of the seat's legal moves at that version."""


def hint(*, game: GameRecord, player: Player) -> Hint:
    """The same hint for the same position, however often it is asked for.

    Raises NotSeated, NoHints, HintsOff, NotStarted, GameSuspended, Refused (the game is over).
    """
    head, table = state.load(game.pk)
    seat = access.seat_of(table, player)
    if seat is None:
        raise NotSeated
    bot = bots.hint(table.game.slug)
    if bot is None:
        raise NoHints
    if not game.hints:
        raise HintsOff
    if table.ended:
        raise Refused("game-over", ENDED)
    if table.status == "open":
        raise NotStarted
    if game.suspended_at is not None:
        raise GameSuspended
    # In a game for one, whose hints these are, that seat is always to act.
    chance = random.Random(f"hint|{game.pk}|{head.version}")  # noqa: S311 - the adviser's whim, nothing is dealt by it
    return Hint(head.version, bot.choose(sight(game.pk, table, seat), chance))
