"""The base class of games, and the types of their events and matches."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from games.rules.fairness import GameKey
from games.rules.forms import Fields, MoveForms, object_schema, read_config
from games.rules.refusals import ConfigError, Ruling

Move = dict[str, Any]

MOVE_CAP = 10_000
"""After this many moves a game is stopped and judged in its present position (RULEBOOK 1, Absent seats)."""


class Fact(NamedTuple):
    """An event before it is appended. `private` contains the values that `data` shows as `??`."""

    type: str
    seat: int | None
    data: dict[str, Any]
    private: dict[str, Any] | None = None


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


class Game(ABC):
    """A card game. Config and state are frozen types; no function reads a clock or a random source.

    `decide` may refuse; `evolve` never judges, so that an old stream always replays. By default a game has no stake, no
    matches, no suits of seats, and no time limit; no seat receives private parts of events before the end, and the game
    pays nothing by itself.
    """

    slug: str
    name: str
    version: int = 1
    seats: tuple[int, ...]
    """The numbers of seats it can be played with."""
    fields: Fields
    """The keys of its config."""
    config_type: Any
    """A named tuple with a member for each of `fields`."""
    forms: MoveForms
    move_cap: int | None = MOVE_CAP
    """The number of moves after which the table stops the game; None if the game counts moves per seat."""
    match_rules: MatchRules | None = None
    """None where the games at a table do not depend on one another."""
    rulings: tuple[Ruling, ...]
    config_schema: dict[str, Any]
    move_schema: dict[str, Any]

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "fields"):
            cls.config_schema, cls.move_schema = object_schema(cls.fields), cls.forms.schema()

    def parse_config(self, raw: object, *, staked: bool = False) -> Any:
        """The config with its defaults; `staked` asks that money be at stake. Raises ConfigError."""
        if staked:
            raise ConfigError("", "this game is played without a stake")
        return self.config_type(**read_config(raw, self.fields))

    def config_json(self, config: Any) -> dict[str, Any]:
        """Return the config as `created` contains it: every key, defaults included."""
        document: dict[str, Any] = config._asdict()
        return document

    def check_form(self, move: object) -> None:
        """Check the form only. Raises Refused (`unknown-move`, `malformed-move`)."""
        self.forms.check(move)

    def time_limit(self, config: Any) -> int | None:
        """Return the time limit in seconds from the deal, if the config sets one."""
        return None

    def seats_of_a_suit(self, config: Any, seats: int) -> int:
        """The most seats that may have the same suit, at a table of `seats`; 0 where the seats have no suit."""
        return 0

    def with_suits(self, state: Any, suits: Sequence[str]) -> Any:
        """The state before the deal, with the suit of each seat from seat 0. Raises ValueError for what is no suit."""
        return state

    @abstractmethod
    def deal(self, config: Any, seats: int, key: GameKey) -> Fact: ...

    @abstractmethod
    def initial(self, config: Any, seats: int) -> Any:
        """The state before `dealt`."""

    @abstractmethod
    def decide(
        self, state: Any, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        """The move's event, and `finished` when it ends the game. Raises Refused.

        `key` is for games that shuffle again while they are played.
        """

    @abstractmethod
    def expire(self, state: Any, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """Return the server's move for an absent seat; for None, the end by the time limit.

        Raises Refused where nothing is to be played.
        """

    @abstractmethod
    def stop(self, state: Any) -> tuple[Fact, ...]:
        """`expired` and `finished` of a game that has reached the cap of moves."""

    @abstractmethod
    def evolve(
        self,
        state: Any,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> Any: ...

    @abstractmethod
    def to_act(self, state: Any) -> list[int]: ...

    @abstractmethod
    def legal_moves(self, state: Any, seat: int | None) -> list[Move]: ...

    @abstractmethod
    def view(self, state: Any, seat: int | None) -> dict[str, Any]:
        """Return the view of a seat (None: a spectator), built from the fields it may see."""

    def redact_private(self, fact: Fact, seat: int | None) -> dict[str, Any] | None:
        """The part of an event's `private` that goes to a seat while the game is on; None for nothing.

        The fact's seat says who made the move.
        """
        return None

    @abstractmethod
    def outcome(self, state: Any) -> dict[str, Any] | None: ...

    def finished(self, state: Any) -> tuple[Fact, ...]:
        """Return the event that ends the game; nothing while it is on."""
        outcome = self.outcome(state)
        return () if outcome is None else (Fact("finished", None, {"outcome": outcome}),)

    def gains(self, state: Any) -> Sequence[int] | None:
        """Each seat's gain in pence by the outcome; None if the outcome alone does not determine it."""
        return ()


class Searchable(Game):
    """A game whose moves are small integers as well, for search and playouts: OpenSpiel's words, our states.

    Actions and moves say the same: `legal_actions` has one action for each of `legal_moves`, in their order.
    """

    @abstractmethod
    def legal_actions(self, state: Any, seat: int | None) -> Sequence[int]: ...

    @abstractmethod
    def apply_action(
        self, state: Any, seat: int | None, action: int, rng: random.Random | None = None
    ) -> Any:
        """Return the state after a legal action, without judging it; `rng` provides shuffles."""

    @abstractmethod
    def move_of(self, state: Any, action: int) -> Move: ...

    @abstractmethod
    def is_over(self, state: Any) -> bool: ...

    def legal_moves(self, state: Any, seat: int | None) -> list[Move]:
        return [self.move_of(state, action) for action in self.legal_actions(state, seat)]
