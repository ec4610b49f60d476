"""What a request brings to a change: the identity of its command, its origin, and the claim of its caller.

Looking up a token costs as much as the rest of a request. A process therefore remembers the player of a token as a
claim. The statement that changes something includes the claim's condition, so a token that has ended by then changes
nothing. A claim is proven separately before any other response.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Origin:
    """The request metadata of a command as the server saw it. It is stored with the event and is not part of its
    hash.
    """

    actor: UUID
    token: str | None = None
    """The id of the token; None for a session."""
    client_at: str | None = None
    """The time by the client's clock, in UTC: `2026-03-01T12:00:00.250000Z`; None if the client sent none."""


@dataclass(frozen=True, slots=True)
class Command:
    """The identity of a request, by which it is recognised when it is sent again.

    `id` is the SHA-256 (hex) of actor, endpoint, and Idempotency-Key; `fingerprint` that of the body.
    """

    id: str
    fingerprint: str
    origin: Origin | None = None


class Condition(NamedTuple):
    """A condition of a statement: SQL, and its parameters as the database stores them."""

    sql: str
    parameters: tuple[Any, ...]

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"{self.sql} AND {other.sql}", (*self.parameters, *other.parameters))


class Claim(ABC):
    proven = False

    @abstractmethod
    def condition(self, now: datetime) -> Condition:
        """True while the claim is valid. Code that acts under the claim then sets `proven`."""

    @abstractmethod
    def prove(self) -> None:
        """Query the database unless the claim is already proven. Raises what authentication raises."""
