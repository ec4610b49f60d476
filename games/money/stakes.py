"""Stakes: which games can be played for money, the modes of stake tables, and the terms of a stake.

A mode is written as `draw=3`, or for several options `draw=3,passes=2` in alphabetical order. An empty mode allows any
options.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from accounts.errors import AccountNeeded
from accounts.models import Player
from games.errors import StakeNeedsSession, StakeNotOffered
from games.models import GameRecord
from games.rules import Game
from games.rules.refusals import ConfigError
from games.rules.registry import manifest, manifests
from games.rules.table import Table
from ledger import hooks
from ledger import services as ledger
from ledger.errors import SessionClosed
from ledger.hooks import StakeQuote
from ledger.models import PlaySession, StakeTable
from ledger.selectors import terms_at
from ledger.splits import WHOLE
from ledger.stakes.terms import MOST, WINNER_TAKES_ALL, Figures, PotTerms


def stake_of(config: Any) -> int:
    """Return the stake in pence; 0 for a game without a stake."""
    stake: int = getattr(config, "stake", 0)
    return stake


def take(game: GameRecord, table: Table, *, event: int, at: datetime) -> None:
    """Take the stake of a dealt game, if it has one.

    If its session was closed since it was opened, as by another game, its place is taken as in `session_for`. Raises
    what this and the ledger's `take_stake` raise.
    """
    if not game.stake:
        return
    try:
        _take(game, table, event=event, at=at)
    except SessionClosed:
        game.play_session = session_for(game, at=at)
        game.save(update_fields=["play_session"])
        _take(game, table, event=event, at=at)


def _take(game: GameRecord, table: Table, *, event: int, at: datetime) -> None:
    assert game.play_session is not None
    assert game.stake_table is not None
    ledger.take_stake(
        session=game.play_session,
        game=game.pk,
        stake=game.stake,
        max_win=table.game.view(table.game.initial(table.config, 1), None)["max_win"],
        stake_table=game.stake_table,
        event=event,
        at=at,
        win_rate=game.config["win_rate"],
        summary={"rules": game.rules, "config": game.config},
    )


def with_default_stake(config: Any, stake_table: StakeTable | None, at: datetime) -> Any:
    """Return the requested config with the default stake and pay table of its stake table.

    Raises StakeTableClosed if the table was not open at that time.
    """
    if stake_table is None or not isinstance(config, Mapping) or not _is_banked(stake_table.rules):
        return config
    terms = terms_at(stake_table, at)
    return {"stake": terms.default, "win_rate": terms.win_rate, **config}


def register_staked_games() -> None:
    """Register the games that are played at stake tables, and the initial stake tables."""
    for slug, about in manifests().items():
        if about.stakes is None:
            continue
        banked = about.stakes.kind == "bank"
        pooled = about.stakes.kind == "pot"
        staked = (
            Banked(about.newest, about.stakes.mean_cards) if banked else Staked(about.newest, pooled=pooled)
        )
        hooks.register_staked_game(slug, staked)
        for table, figures in about.stakes.tables.items():
            hooks.register_stake_table(table, slug, figures)


def _is_banked(rules: str) -> bool:
    stakes = manifest(rules).stakes
    return stakes is not None and stakes.kind == "bank"


def require_mode(game: Game, config: Any, stake_table: StakeTable | None) -> None:
    """Raise StakeNotOffered if the stake table is for another mode."""
    if stake_table is not None and not fits(stake_table.mode, game.config_json(config)):
        raise StakeNotOffered(f"{stake_table.slug} is for games of {stake_table.mode}.")


def require_terms(
    game: Game,
    config: Any,
    *,
    creator: Player | None,
    stake_table: StakeTable | None,
    play_session: PlaySession | None,
    at: datetime,
) -> None:
    """Raise unless the stake, if any, is on offer to the creator.

    `play_session` None is the one that `session_for` returns. Raises StakeNeedsSession, StakeNotOffered, and what the
    ledger's `check_stake` raises.
    """
    stake = stake_of(config)
    if not stake and stake_table is None and play_session is None:
        return
    if creator is None or stake_table is None:
        raise StakeNeedsSession
    if play_session is not None and (play_session.player != creator.pk or not play_session.is_open):
        raise StakeNeedsSession("This is not an open play session of yours.")
    if stake_table.rules != game.slug:
        raise StakeNotOffered(f"{stake_table.slug} is a stake table of {stake_table.rules}.")
    if play_session is not None and play_session.currency != stake_table.currency:
        raise StakeNotOffered(f"{stake_table.slug} is played for {stake_table.currency}.")
    terms = ledger.check_stake(stake=stake, stake_table=stake_table, at=at)
    if config.win_rate != terms.win_rate:
        raise StakeNotOffered(f"The win rate of {stake_table.slug} is {terms.win_rate}.")


def session_for(game: GameRecord, *, at: datetime) -> PlaySession:
    """Return the play session that pays the stake of a game, filled from the balance if it holds less.

    Raises AccountNeeded, and what the ledger's `session_for_game` raises.
    """
    assert game.creator is not None
    assert game.stake_table is not None
    if game.creator.is_guest:
        raise AccountNeeded
    return ledger.session_for_game(
        player=game.creator.pk,
        game=game.pk,
        stake=game.stake,
        currency=game.stake_table.currency,
        at=at,
        after=game.play_session,
    )


OF_STAKES = ("stake", "win_rate")


def options(mode: str) -> dict[str, str]:
    """Return the options of a mode with their values as text. Raises ValueError for a malformed mode."""
    pairs = [part.partition("=") for part in mode.split(",")] if mode else []
    if any(not option or not value for option, _, value in pairs):
        raise ValueError("a mode is option=value")
    if [option for option, _, _ in pairs] != sorted({option for option, _, _ in pairs}):
        raise ValueError("options are named once, in alphabetical order")
    return {option: value for option, _, value in pairs}


def fits(mode: str, config: Mapping[str, Any]) -> bool:
    """Return whether a config belongs to the mode."""
    return all(_text(config.get(option)) == value for option, value in options(mode).items())


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def example(game: Game, mode: str) -> dict[str, Any]:
    """Return a config of the game in this mode, with the first choice for open options.

    Raises ValueError for an option or value that the game does not have.
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
    """A game that is played among players or bet on; it has no pay table."""

    from_cash = True

    def __init__(self, game: Game, *, pooled: bool) -> None:
        self.game = game
        self.pooled = pooled
        self.takes_bets = not pooled

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

    def quote(self, mode: str, figures: Figures, *, stake: int, seats: int) -> StakeQuote:
        pot = stake * seats
        shares = PotTerms(stake_table="", rake=figures.rake, split=figures.split).divide(
            pot, [[place] for place in range(seats)]
        )
        places = tuple(shares.awards[place] for place in range(seats))
        return StakeQuote(pot=pot, rake=shares.rake, places=places)


class Banked(Staked):
    """A game that is played against the bank; its rules determine the stakes and pay tables."""

    from_cash = False

    def __init__(self, game: Game, mean_cards: Mapping[str, Fraction]) -> None:
        super().__init__(game, pooled=False)
        self.takes_bets = False
        self.mean_cards = mean_cards

    def faults(self, mode: str, figures: Figures) -> list[str]:
        found = _unpooled(self.game, figures)
        # Every stake is the minimum plus whole steps, so these stakes represent all.
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

    def quote(self, mode: str, figures: Figures, *, stake: int, seats: int) -> StakeQuote:
        shown = self._shown(self._config(mode, figures, stake))
        card: int = shown["win_rate"]
        returns = {mode: round(WHOLE * cards * card / stake) for mode, cards in self.mean_cards.items()}
        return StakeQuote(
            pay_per_card=card,
            max_win=shown["max_win"],
            break_even_cards=-(-stake // card),
            returns=returns,
        )

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
