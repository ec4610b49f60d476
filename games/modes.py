"""What stake tables may say of a game: the options that it has there, and the figures that its rules can be played for.

A mode is written as `draw=3`; several options as `draw=3,passes=2`, in alphabetical order; none: whatever is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.rules import Game
from games.rules.protocol import ConfigError
from ledger.buyins.terms import PotTerms
from ledger.stakes.figures import MOST, WINNER_TAKES_ALL, Figures
from ledger.stakes.kinds import Prospects

OF_STAKES = ("stake", "win_rate")


def options(mode: str) -> dict[str, str]:
    """Option and value, both as text. Raises ValueError for what is no mode."""
    pairs = [part.partition("=") for part in mode.split(",")] if mode else []
    if any(not option or not value for option, _, value in pairs):
        raise ValueError("a mode is option=value")
    if [option for option, _, _ in pairs] != sorted({option for option, _, _ in pairs}):
        raise ValueError("options are named once, in alphabetical order")
    return {option: value for option, _, value in pairs}


def fits(mode: str, config: Mapping[str, Any]) -> bool:
    """Whether a game of this config (as its rules write it) is one of the mode."""
    return all(_text(config.get(option)) == value for option, value in options(mode).items())


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def example(game: Game, mode: str) -> dict[str, Any]:
    """A config of the game in this mode, with the first choice for what is left open.

    Raises ValueError for an option that the game does not have, or has not like this.
    """
    schema = game.config_schema
    properties: dict[str, Any] = schema["properties"]
    config = {name: _choices(properties[name])[0] for name in schema["required"]}
    for option, value in options(mode).items():
        if option in OF_STAKES or option not in properties:
            raise ValueError(f"{game.name} has no option {option} for a mode")
        like = [choice for choice in _choices(properties[option]) if _text(choice) == value]
        if not like:
            raise ValueError(f"{option} is never {value} in {game.name}")
        config[option] = like[0]
    return config


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [False, True]
    if schema.get("type") == "integer" and "minimum" in schema and "maximum" in schema:
        return list(range(schema["minimum"], min(schema["maximum"], schema["minimum"] + 999) + 1))
    return [schema["default"]] if "default" in schema else []


class Staked:
    """A game that is played for money among its players, or on which one bets: it has no pay table."""

    from_cash = True

    def __init__(self, game: Game, *, pooled: bool) -> None:
        self.game = game
        self.pooled = pooled

    def mode_faults(self, mode: str) -> list[str]:
        try:
            self.game.parse_config(example(self.game, mode))
        except (ValueError, ConfigError) as error:
            return [f"{error}."]
        return []

    def faults(self, mode: str, figures: Figures) -> list[str]:
        found = [f"{self.game.name} has no pay table."] if figures.win_rate else []
        if not self.pooled:
            found += _unpooled(self.game, figures)
        return found

    def risk(self, mode: str, figures: Figures) -> int:
        return 0

    def prospects(self, mode: str, figures: Figures, *, stake: int, seats: int) -> Prospects:
        pot = stake * seats
        shares = PotTerms(stake_table="", rake=figures.rake, split=figures.split).divide(
            pot, [[place] for place in range(seats)]
        )
        places = tuple(shares.awards[place] for place in range(seats))
        return Prospects(pot=pot, rake=shares.rake, places=places)


class Banked(Staked):
    """A game that is played against the house: its rules say which stakes and pay tables it knows."""

    from_cash = False

    def __init__(self, game: Game) -> None:
        super().__init__(game, pooled=False)

    def faults(self, mode: str, figures: Figures) -> list[str]:
        found = _unpooled(self.game, figures)
        # Every stake is the minimum and so many steps more: what the rules say of these two they say of all.
        tried = {figures.minimum, min(figures.minimum + figures.step, figures.maximum), figures.maximum}
        try:
            configs = [self._config(mode, figures, stake) for stake in sorted(tried)]
        except ConfigError as error:
            return [*found, f"{error}."]
        if max(self._wins(config) for config in configs) > MOST:
            found.append("A win at the maximum stake would be more than a bank can pay.")
        return found

    def risk(self, mode: str, figures: Figures) -> int:
        return max(0, self._wins(self._config(mode, figures, figures.maximum)) - figures.maximum)

    def prospects(self, mode: str, figures: Figures, *, stake: int, seats: int) -> Prospects:
        shown = self._shown(self._config(mode, figures, stake))
        card: int = shown["win_rate"]
        return Prospects(card=card, most=shown["max_win"], even_at=-(-stake // card))

    def _config(self, mode: str, figures: Figures, stake: int) -> Any:
        asked = {**example(self.game, mode), "stake": stake, "win_rate": figures.win_rate}
        return self.game.parse_config(asked, staked=True)

    def _wins(self, config: Any) -> int:
        most: int = self._shown(config)["max_win"]
        return most

    def _shown(self, config: Any) -> Mapping[str, Any]:
        return self.game.view(self.game.initial(config, 1), None)


def _unpooled(game: Game, figures: Figures) -> list[str]:
    if (figures.rake, figures.split) == (0, WINNER_TAKES_ALL):
        return []
    return [f"{game.name} has no pot that is raked or split by places."]
