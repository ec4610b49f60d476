"""The interface of a game, and the types that games share: facts, refusals, rulings."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from games.rules.fairness import GameKey
from games.rules.grounds import Ground

Move = dict[str, Any]

MOVE_CAP = 10_000
"""After this many moves a game is stopped and judged in its present position (RULEBOOK 1, Absent seats)."""


class Fact(NamedTuple):
    """An event before it is appended. `private` contains the values that `data` shows as `??`."""

    type: str
    seat: int | None
    data: dict[str, Any]
    private: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """A sentence that a refusal cites, its place in the rulebook, and the source sentence that it settles."""

    key: str
    reference: str
    text: str
    source: str = ""

    def document(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "reference": self.reference,
            "text": self.text,
            "source": self.source or None,
        }


class Refused(Exception):
    """An illegal move: a stable code, the ruling that it breaks, and the ground if the seat may know it.

    Nothing has changed when this is raised.
    """

    def __init__(self, code: str, ruling: Ruling, ground: Ground | None = None) -> None:
        self.code = code
        self.ruling = ruling
        self.ground = ground
        super().__init__(f"{code}: {self.rule}" + (f" ({self.fact})" if ground else ""))

    @property
    def rule(self) -> str:
        """The ruling's sentence."""
        return self.ruling.text

    @property
    def fact(self) -> str | None:
        """The ground in words."""
        return None if self.ground is None else self.ground.text


class ConfigError(ValueError):
    """An invalid config; `field` names the key (empty: the whole config)."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}" if field else why)
        self.field = field
        self.why = why


class UnknownGame(LookupError):
    """No game of that slug, or not in that version."""


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The rules by which several games at one table form a match."""

    next_config: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    """The config of the next game, from the config and the outcome of a game that was finished."""
    standings: Callable[[Sequence[Mapping[str, Any]], int], Sequence[Any]]
    """The seats ranked after these outcomes, the best first; the number is that of the seats."""

    def config_after(self, config: Mapping[str, Any], outcome: Mapping[str, Any] | None) -> dict[str, Any]:
        """The config of the next game. After a void game (no outcome) it is the same: the same dealer deals again."""
        return dict(config) if outcome is None else self.next_config(config, outcome)


class Game(Protocol):
    """A card game. Config and state are frozen types; no function reads a clock or a random source.

    `decide` may refuse; `evolve` never judges, so that an old stream always replays.
    """

    @property
    def slug(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def seats(self) -> tuple[int, ...]:
        """The numbers of seats it can be played with."""

    @property
    def move_cap(self) -> int | None:
        """The number of moves after which the table stops the game; None if the game counts moves per seat."""

    @property
    def match_rules(self) -> MatchRules | None:
        """None where the games at a table do not depend on one another."""

    @property
    def config_schema(self) -> dict[str, Any]: ...
    @property
    def move_schema(self) -> dict[str, Any]: ...
    @property
    def rulings(self) -> tuple[Ruling, ...]: ...

    def parse_config(self, raw: object, *, staked: bool = False) -> Any:
        """The config with its defaults; `staked` asks that money be at stake. Raises ConfigError."""

    def config_json(self, config: Any) -> dict[str, Any]:
        """Return the config as `created` contains it: every key, defaults included."""

    def check_form(self, move: object) -> None:
        """Check the form only. Raises Refused (`unknown-move`, `malformed-move`)."""

    def time_limit(self, config: Any) -> int | None:
        """Return the time limit in seconds from the deal, if the config sets one."""

    def seats_of_a_suit(self, config: Any, seats: int) -> int:
        """The most seats that may have the same suit, at a table of `seats`; 0 where the seats have no suit."""

    def with_suits(self, state: Any, suits: Sequence[str]) -> Any:
        """The state before the deal, with the suit of each seat from seat 0. Raises ValueError for what is no suit."""

    def deal(self, config: Any, seats: int, key: GameKey) -> Fact: ...

    def initial(self, config: Any, seats: int) -> Any:
        """The state before `dealt`."""

    def decide(
        self, state: Any, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        """The move's event, and `finished` when it ends the game. Raises Refused.

        `key` is for games that shuffle again while they are played.
        """

    def expire(self, state: Any, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """Return the server's move for an absent seat; for None, the end by the time limit.

        Raises Refused where nothing is to be played.
        """

    def stop(self, state: Any) -> tuple[Fact, ...]:
        """`expired` and `finished` of a game that has reached the cap of moves."""

    def evolve(
        self,
        state: Any,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> Any: ...

    def to_act(self, state: Any) -> list[int]: ...

    def legal_moves(self, state: Any, seat: int | None) -> list[Move]: ...

    def view(self, state: Any, seat: int | None) -> dict[str, Any]:
        """Return the view of a seat (None: a spectator), built from the fields it may see."""

    def redact_private(self, fact: Fact, seat: int | None) -> dict[str, Any] | None:
        """The part of an event's `private` that goes to a seat while the game is on; None for nothing.

        The fact's seat says who made the move.
        """

    def outcome(self, state: Any) -> dict[str, Any] | None: ...

    def gains(self, state: Any) -> Sequence[int] | None:
        """Return each seat's gain in pence by the outcome; None if the outcome alone does not determine it."""


class Searchable(Game, Protocol):
    """A game whose moves are small integers as well, for search and playouts: OpenSpiel's words, our states.

    Actions and moves say the same: `legal_actions` has one action for each of `legal_moves`, in their order.
    """

    def legal_actions(self, state: Any, seat: int | None) -> Sequence[int]: ...

    def apply_action(
        self, state: Any, seat: int | None, action: int, rng: random.Random | None = None
    ) -> Any:
        """Return the state after a legal action, without judging it; `rng` provides shuffles."""

    def move_of(self, state: Any, action: int) -> Move: ...

    def is_over(self, state: Any) -> bool: ...
