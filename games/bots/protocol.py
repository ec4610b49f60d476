"""What a bot is."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

Move = dict[str, Any]
View = Mapping[str, Any]
Event = Mapping[str, Any]


class UnknownBot(LookupError):
    """No bot of that name plays that game."""


def no_history() -> Sequence[Event]:
    return ()


class Sight(NamedTuple):
    """What lies before a seat: nothing that a person in it could not know."""

    view: View
    legal_moves: Sequence[Move]
    config: Mapping[str, Any] = {}
    """As `created` carries it, defaults included."""
    seat: int | None = 0
    history: Callable[[], Sequence[Event]] = no_history
    """The events of the game so far, as this seat received them; made when asked for."""


class Bot(Protocol):
    """Chooses by what its seat has seen alone: it cannot know more than a person in that seat.

    A bot's games end: whatever it chooses from, it does not go round in circles for ever.
    """

    @property
    def name(self) -> str: ...

    def choose(self, sight: Sight, rng: random.Random) -> Move:
        """One of the sight's legal moves, of which there is one at least. All chance comes from `rng`."""


@runtime_checkable
class Patient(Protocol):
    """A bot that, where all play at once, may leave the next moves to the others."""

    def waits(self, sight: Sight) -> bool:
        """Whether it would only pass the time until somebody else has moved."""
