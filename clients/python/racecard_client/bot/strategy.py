"""What a bot's author writes: a strategy. The runner does everything else."""

from __future__ import annotations

import random
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable
from uuid import UUID

from racecard_client.errors import RacecardError
from racecard_client.rest.models import GameOutput

Move = Mapping[str, Any]
"""A move in the form of the game's page, such as `{"type": "draw"}`."""
View = Mapping[str, Any]
"""The table as the bot's seat may see it; the page of the game describes it."""
Event = Mapping[str, Any]
"""An event of the game as the bot's seat received it: `version`, `type`, `seat`, `data`, `private`, `at`."""


class StrategyInvalid(RacecardError):
    """`module:Strategy` does not name a strategy."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a game."""

    id: UUID
    rules: str
    """The game, such as `ace-race`."""
    config: Mapping[str, Any]
    """The options of the game, defaults included."""
    seats: int
    seat: int | None
    """The bot's seat; None before it has one, and for the operator of a race."""
    free_suits: Sequence[str] | None
    """The suits that can still be chosen, before the deal; None where seats have no suit."""

    @classmethod
    def of(cls, game: GameOutput) -> Table:
        free = None if game.free_suits is None else [str(suit.value) for suit in game.free_suits]
        return cls(game.id, game.rules, game.config.to_dict(), len(game.seats), game.seat, free)

    @classmethod
    def of_challenge(cls, challenge: Mapping[str, Any]) -> Table:
        id, config = UUID(challenge["game"]), challenge["config"]
        return cls(id, challenge["rules"], config, challenge["seats"], None, challenge["free_suits"])


class Strategy(Protocol):
    """Chooses the moves of one game. The runner makes an instance for each game.

    A method may also be a coroutine function. One that is not runs in a separate thread. Methods of one instance are
    called one after the other.
    """

    def choose(self, view: View, legal: Sequence[Move]) -> Move | Awaitable[Move | None] | None:
        """Return a legal move, or None to wait until something happens in the game.

        `legal` has at least one move. To wait is of use where all seats play at once; elsewhere the clock runs down.
        """


@runtime_checkable
class Opens(Protocol):
    def open(self, table: Table) -> object:
        """Called before the first move, also for a game that continues after a restart of the runner."""


@runtime_checkable
class Observes(Protocol):
    def observe(self, event: Event) -> object:
        """Called with each event of the game from the first, in order, before the next `choose`."""


@runtime_checkable
class Closes(Protocol):
    def close(self, outcome: Mapping[str, Any] | None) -> object:
        """Called when the game has ended; without an outcome if it was called off."""


@runtime_checkable
class Seats(Protocol):
    def seat(self, table: Table) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]]:
        """Return members of the request that takes a seat: `client_seed`, `suit`, or `seat`."""


@runtime_checkable
class Accepts(Protocol):
    def accept(self, challenge: Mapping[str, Any]) -> bool | Awaitable[bool]:
        """Return whether to accept a challenge that the options of the runner permit."""


class Random:
    """Makes any legal move. It gives up a game only if nothing else is legal."""

    def __init__(self, seed: str | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - it deals nothing

    def choose(self, view: View, legal: Sequence[Move]) -> Move:
        return self._random.choice([move for move in legal if move["type"] != "resign"] or legal)


Make = Callable[[], Strategy]
"""Makes the strategy of one game: a class, or a function without arguments."""


def plays(make: Make, rules: str) -> bool:
    """Return whether the strategy plays the game. Without the attribute `rules` it plays every game."""
    names: Collection[str] | str | None = getattr(make, "rules", None)
    return names is None or rules in ([names] if isinstance(names, str) else names)


def load(name: str) -> Make:
    """Return the class or function that `module:Strategy` names. Raises StrategyInvalid."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise StrategyInvalid(f"{name!r}: write module:Strategy, such as my_bot:MyBot")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        make = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise StrategyInvalid(f"{name}: no module {error.name!r} here or in the environment") from error
    except AttributeError as error:
        raise StrategyInvalid(f"{name}: {module} has no {attribute!r}") from error
    if not callable(make) or (isinstance(make, type) and not hasattr(make, "choose")):
        raise StrategyInvalid(f"{name}: a class with the method choose(view, legal) is needed")
    found: Make = make
    return found
