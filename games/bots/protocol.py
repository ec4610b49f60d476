"""The interface of a bot, and the bots that make no decision."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

Move = dict[str, Any]
View = Mapping[str, Any]
Event = Mapping[str, Any]


class UnknownBot(LookupError):
    """No bot of that name plays that game."""


def no_history() -> Sequence[Event]:
    return ()


class Observation(NamedTuple):
    """The observation of a seat: only what a person in it could know."""

    view: View
    legal_moves: Sequence[Move]
    config: Mapping[str, Any] = {}
    """The config as in `created`, defaults included."""
    seat: int | None = 0
    history: Callable[[], Sequence[Event]] = no_history
    """The events of the game so far, as this seat received them; read when requested."""


class Bot(Protocol):
    """Chooses moves from its seat's observation alone.

    A bot's games end: it never repeats positions for ever.
    """

    @property
    def name(self) -> str: ...

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        """Return one of the observation's legal moves, of which there is at least one. All chance comes from `rng`."""


@runtime_checkable
class Patient(Protocol):
    """A bot that may wait for the other seats if all play at once."""

    def waits(self, observation: Observation) -> bool:
        """Return whether its next move would only pass the time."""


@dataclass(frozen=True)
class Searching:
    """A bot that searches for a move."""

    playouts: int
    """Its budget."""


class Random:
    """Chooses any legal move of any game. The cap of moves ends its longest games."""

    name = "random"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        return rng.choice(observation.legal_moves)


class FirstMove:
    """Makes the first legal move: in Racing Aces the operator's draw is the only one."""

    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        return observation.legal_moves[0]
