"""What a bot is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

Move = dict[str, Any]


class UnknownBot(LookupError):
    """No bot of that name plays that game."""


class Bot(Protocol):
    """Chooses by its seat's view and legal moves alone: it cannot know more than a person in that seat.

    A bot's games end: whatever it chooses from, it does not go round in circles for ever.
    """

    @property
    def name(self) -> str: ...

    def choose(self, view: Mapping[str, Any], legal_moves: Sequence[Move], rng: random.Random) -> Move:
        """One of `legal_moves`, which is not empty. All chance comes from `rng`."""
