"""What a bracket is drawn of: matches or larger tables, whose slots say who has come, or from where somebody will."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["winners", "losers", "third-place", "final", "decider"]
SIDES: tuple[Side, ...] = ("winners", "losers", "third-place", "final", "decider")
"""`final` is where both brackets of a double knockout meet, `decider` the same again where it leaves both with a loss.

A knockout has neither: its last round is the winners' last.
"""

State = Literal["waiting", "playing", "decided", "bye", "empty", "not-needed"]
STATES: tuple[State, ...] = ("waiting", "playing", "decided", "bye", "empty", "not-needed")
"""A `bye` is won by who is there alone; an `empty` match has nobody, since who should have come has left."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where somebody comes from: the winner or the loser of a match.

    At larger tables it is a place at one; `match` is None as long as all tables of that round can send somebody.
    """

    match: int | None
    won: bool
    round: int | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """`entry` is who has come, None as long as nobody has; with no `source` either nobody ever will."""

    entry: int | None
    source: Source | None
    score: int | None = None
    """What the first measure came to at the table; None before it is closed, and without a table."""
    place: int | None = None
    """At a larger table that is closed."""
    lives: int | None = None
    """That they had when they sat down, where two losses put somebody out of larger tables."""


@dataclass(frozen=True, slots=True)
class Match:
    """`number` counts from 1 through the bracket, `round` is the tournament's, `table` the round's.

    `winner_to` and `loser_to` are the numbers of the matches where they go on; None where that is nowhere, or where
    several go on.
    """

    number: int
    round: int
    side: Side
    slots: tuple[Slot, ...]
    state: State
    table: int | None = None
    winner: int | None = None
    winner_to: int | None = None
    loser_to: int | None = None
    through: int = 1
    """How many of a table go on, or keep their lives."""
    goes_on: tuple[int, ...] = ()
    """Who does, once that is known; the winner alone of the table that decides."""
