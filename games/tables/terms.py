"""The terms of a table: seats, bots, clocks, and hints that the rules allow, and its place in a tournament."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from accounts.errors import BotRefused
from accounts.models import NameShown, Player
from games import bots as strategies
from games.errors import InvalidTable
from games.models import BotPace, GameRecord
from games.play import clocks
from games.rules import Game
from games.rules.buy_in import BuyIn


@dataclass(frozen=True, slots=True)
class BotSeat:
    """A seat that a bot plays."""

    seat: int
    bot: str = strategies.DEFAULT


@dataclass(frozen=True, slots=True)
class TournamentRef:
    """The place of a game in a tournament. Games of one `deal_group` share their deal and hide it from each other.

    `commitment` and `entropy` are the tournament's. `ended_job` is the kind of the job that is scheduled when the game
    ends, with {"game", "tournament", "round"}.
    """

    id: UUID
    round: int
    deal: int
    deal_group: str
    commitment: str
    entropy: str
    ended_job: str

    def columns(self) -> dict[str, Any]:
        """Return the fields of the game's record."""
        return {
            "tournament": self.id,
            "round": self.round,
            "deal": self.deal,
            "deal_group": self.deal_group,
            "tournament_commitment": self.commitment,
            "entropy": self.entropy,
            "ended_job": self.ended_job,
        }


@dataclass(frozen=True, slots=True)
class Sitter:
    """A player of a planned table. `bot` is the strategy of a bot and has no meaning for a person; `shown_as` says to
    whom the name is shown.
    """

    player: UUID
    bot: str = ""
    shown_as: str = NameShown.MEMBERS


@dataclass(frozen=True, slots=True)
class Place:
    """A planned table: the id of its game, the seed of its deal, and its players from seat 0."""

    game: UUID
    server_seed: bytes
    tournament: TournamentRef
    sitters: Sequence[Sitter]


def require_seats(game: Game, seats: int) -> None:
    """Raise InvalidTable, naming the field. So do the other functions here, unless they say otherwise."""
    if seats not in game.seats:
        raise InvalidTable(f"It is played with {', '.join(map(str, game.seats))} seats.", field="seats")


def require_person(player: Player | None) -> None:
    """Raise BotRefused for a player's bot, which has no money."""
    if player is not None and player.is_owned_bot:
        raise BotRefused


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


def require_bot_pace(game: Game, config: Any, pace: str) -> None:
    if pace != BotPace.NORMAL and not clocks.all_seats_at_once(game, config):
        raise InvalidTable("In this game bots move when it is their turn.", field="bot_pace")


def require_clocks(
    game: Game, config: Any, *, draw_every: int | None, move_limit: int | None, game_limit: int | None
) -> None:
    """All limits are in seconds."""
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
        if clocks.all_seats_at_once(game, config):
            raise InvalidTable(
                "All seats play at once and no seat is waited for: `time_limit` ends the game.", field=field
            )


def hints(game: Game, wanted: bool | None, *, for_points: bool, people: int) -> bool:
    """Return whether the seat to act may request a hint, at a table of so many people.

    None means: if the game has hints, nothing is at stake, and no other person plays.
    """
    known = strategies.hint(game.slug) is not None
    if wanted and not known:
        raise InvalidTable("There are no hints for this game.", field="hints")
    if wanted and not for_points:
        raise InvalidTable("Where something is at stake there are no hints.", field="hints")
    if wanted and people > 1:
        raise InvalidTable("Where people play against each other there are no hints.", field="hints")
    return known and for_points and people <= 1 if wanted is None else wanted


def pairing_key(table: GameRecord, pot: BuyIn | None) -> str:
    """Return the key that tables on the same terms share, as the hexadecimal SHA-256 of the terms.

    It contains the version of the rules and the terms of the pot, so that a table opened before either changed is not
    mixed with later ones.
    """
    known: list[Any] = [table.rules, table.rules_version, table.config, table.seats, table.hints]
    known += [table.move_limit, table.game_limit, table.draw_every, None if pot is None else pot.document()]
    return hashlib.sha256(orjson.dumps(known, option=orjson.OPT_SORT_KEYS)).hexdigest()
