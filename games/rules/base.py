"""The usual members of a game, for rules to inherit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from games.rules.forms import Fields, MoveForms, object_schema, read_config
from games.rules.protocol import MOVE_CAP, ConfigError, Fact, MatchRules


class BaseGame(ABC):
    """A game with a config of `fields` in `config_type`, and moves of `forms`.

    By default it has no stake, no matches, no suits of seats, and no time limit. No seat receives private parts of
    events before the end, and the game pays nothing by itself.
    """

    fields: Fields
    forms: MoveForms
    config_type: Any
    """A named tuple with a member for each of `fields`."""

    version = 1
    move_cap: int | None = MOVE_CAP
    match_rules: MatchRules | None = None
    config_schema: dict[str, Any]
    move_schema: dict[str, Any]

    def __init_subclass__(cls) -> None:
        cls.config_schema, cls.move_schema = object_schema(cls.fields), cls.forms.schema()

    def parse_config(self, raw: object, *, staked: bool = False) -> Any:
        if staked:
            raise ConfigError("", "this game is played without a stake")
        return self.config_type(**read_config(raw, self.fields))

    def config_json(self, config: Any) -> dict[str, Any]:
        document: dict[str, Any] = config._asdict()
        return document

    def check_form(self, move: object) -> None:
        self.forms.check(move)

    def seats_of_a_suit(self, config: Any, seats: int) -> int:
        return 0

    def with_suits(self, state: Any, suits: Sequence[str]) -> Any:
        return state

    def time_limit(self, config: Any) -> int | None:
        return None

    def redact_private(self, fact: Fact, seat: int | None) -> dict[str, Any] | None:
        return None

    @abstractmethod
    def outcome(self, state: Any) -> dict[str, Any] | None: ...

    def finished(self, state: Any) -> tuple[Fact, ...]:
        """Return the event that ends the game; nothing while it is on."""
        outcome = self.outcome(state)
        return () if outcome is None else (Fact("finished", None, {"outcome": outcome}),)

    def gains(self, state: Any) -> Sequence[int] | None:
        return ()
