"""What other packages register to hear of games, or to answer questions about them.

Every hook is called in the transaction of the change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.models import Player
from games.models import GameRecord
from games.tables.terms import Place

# --- ends of games ---------------------------------------------------------------------------------

OnEnd = Callable[[UUID, datetime], None]
_on_end: list[OnEnd] = []


def register_end(hook: OnEnd) -> None:
    """Call `hook` at the end of each game that belongs to no tournament."""
    _on_end.append(hook)


def game_ended(game_id: UUID, at: datetime) -> None:
    for hook in _on_end:
        hook(game_id, at)


# --- interest in a game ----------------------------------------------------------------------------

HasInterest = Callable[[Player, GameRecord], bool]
_has_interest: list[HasInterest] = []


def register_interest(check: HasInterest) -> HasInterest:
    """Add a check whether a player has an interest in a game, such as an entry in its tournament or a bet on it."""
    _has_interest.append(check)
    return check


def has_interest(player: Player, game: GameRecord) -> bool:
    return any(check(player, game) for check in _has_interest)


# --- rulings ---------------------------------------------------------------------------------------

RulingsOn = Callable[[UUID, bool], list[dict[str, Any]]]
_rulings_on: list[RulingsOn] = []


def register_rulings(source: RulingsOn) -> RulingsOn:
    """Add a source of the rulings on a game for its bundle. The flag says whether their transfers are included."""
    _rulings_on.append(source)
    return source


def rulings_on(game_id: UUID, *, with_transfers: bool) -> list[dict[str, Any]]:
    return [ruling for source in _rulings_on for ruling in source(game_id, with_transfers)]


# --- archive ---------------------------------------------------------------------------------------

Needed = Callable[[Collection[UUID], datetime], Collection[UUID]]
_needed: list[Needed] = []


def register_needed(source: Needed) -> Needed:
    """Add a source of the games that must not be archived, such as those of a running tournament.

    It gets ended games, and the time of the youngest end of a game that may be archived.
    """
    _needed.append(source)
    return source


def needed(games: Collection[UUID], before: datetime) -> set[UUID]:
    return {game for source in _needed for game in source(games, before)}


# --- owners of games -------------------------------------------------------------------------------


class GameOwner:
    """The package whose games these are. It learns when one is suspended, continued, or dealt again.

    This class itself is the owner of the games outside tournaments, about which no one needs to know.
    """

    def may_rule(self, player: Player, game: GameRecord) -> bool:
        """Return whether the player is an organizer or arbiter of the game's tournament."""
        return False

    def naming(self, viewer: Player, tournaments: Collection[UUID]) -> Collection[UUID]:
        """Return those of the tournaments whose anonymous entrants `viewer` sees by name."""
        return ()

    def lock(self, tournament: UUID) -> None:
        """Take the locks that come before the locks of its games."""

    def suspended(self, game: GameRecord, *, by: Player | None, reason: str, now: datetime) -> None:
        pass

    def resumed(
        self, game: GameRecord, *, lost: timedelta, by: Player | None, reason: str, now: datetime
    ) -> None:
        """`lost` is the time for which the game was suspended."""

    def continued(
        self, parent: GameRecord, child: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None:
        """The child replaces the parent."""

    def redeal_place(self, game: GameRecord) -> Place:
        """Return the table of a redeal of an ended game. Raises NotRedealable."""
        raise NotImplementedError

    def redealt(
        self, game: GameRecord, redeal: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None:
        """The redeal replaces the game."""


_no_owner = GameOwner()
_owner_of_tournaments = _no_owner


def register_owner(owner: GameOwner) -> None:
    """Register the owner of the games of tournaments."""
    global _owner_of_tournaments
    _owner_of_tournaments = owner


def owner_of(game: GameRecord) -> GameOwner:
    return _no_owner if game.tournament is None else _owner_of_tournaments


def naming(viewer: Player, tournaments: Collection[UUID]) -> Collection[UUID]:
    """Return those of the tournaments whose anonymous entrants `viewer` sees by name."""
    return _owner_of_tournaments.naming(viewer, tournaments) if tournaments else ()


def lock(game_id: UUID) -> None:
    """Take the locks of the game's owner, which come before the game's own."""
    tournament = GameRecord.objects.values_list("tournament", flat=True).filter(pk=game_id).first()
    if tournament is not None:
        _owner_of_tournaments.lock(tournament)
