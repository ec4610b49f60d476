"""Who asks, as a process remembers it, to be proven by the statement that does what is asked.

Looking a token up costs a request as much as all that it wants. What was found once is kept as a claim: the statement
that changes something holds the claim's condition too, so that a token which had ended when that statement began
changes nothing. Before anything else is told, a claim is proven by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any, NamedTuple


class Condition(NamedTuple):
    """What must hold in a statement: SQL, and its parameters as the database has them."""

    sql: str
    parameters: tuple[Any, ...]


class Claim(ABC):
    proven = False

    @abstractmethod
    def condition(self, now: datetime) -> Condition:
        """Holds while the claim is good. Who has acted under it sets `proven`."""

    @abstractmethod
    def prove(self) -> None:
        """Unless it has been proven, ask the database. Raises what authentication raises."""
