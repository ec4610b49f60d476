"""The games that are played for money against the house, and the terms of a stake."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts.models import Player
from games.errors import StakeNeedsSession, StakeNotOffered
from games.modes import Banked, Staked, fits
from games.rules import Game
from games.rules.ace_race import AceRace
from games.rules.racing_aces import RacingAces
from games.rules.racing_demons import RacingDemons
from games.rules.vegas_solitaire import VegasSolitaire
from ledger.models import PlaySession, StakeTable
from ledger.services import check_stake
from ledger.stakes import kinds
from ledger.stakes.selectors import terms_at


def stake_of(config: Any) -> int:
    """Pence; 0 for a game without a stake."""
    stake: int = getattr(config, "stake", 0)
    return stake


def max_win(game: Game, config: Any) -> int:
    """Pence that the house may have to pay."""
    most: int = game.view(game.initial(config, 1), None)["max_win"]
    return most


def completed(config: Any, stake_table: StakeTable | None, at: datetime) -> Any:
    """A config as it was asked for, with the stake and the pay table that its stake table proposes where it says none.

    Raises StakeTableClosed for a table that was not there yet.
    """
    if stake_table is None or not isinstance(config, Mapping) or stake_table.rules != VegasSolitaire.slug:
        return config
    terms = terms_at(stake_table, at)
    return {"stake": terms.default, "win_rate": terms.win_rate, **config}


def register_kinds() -> None:
    """Tell the ledger which games are played at its stake tables, and what their rules say of figures."""
    kinds.register(VegasSolitaire.slug, Banked(VegasSolitaire()))
    kinds.register(RacingAces.slug, Staked(RacingAces(), pooled=False))
    kinds.register(AceRace.slug, Staked(AceRace(), pooled=True))
    kinds.register(RacingDemons.slug, Staked(RacingDemons(), pooled=True))


def require_mode(game: Game, config: Any, stake_table: StakeTable | None) -> None:
    """Raises StakeNotOffered where the stake table is for games of another mode."""
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
    """Raise unless the stake, if there is one, is on offer to the creator.

    Raises StakeNeedsSession, StakeNotOffered and what the ledger's `check_stake` raises.
    """
    stake = stake_of(config)
    if not stake and stake_table is None and play_session is None:
        return
    if creator is None or stake_table is None or play_session is None:
        raise StakeNeedsSession
    if play_session.player != creator.pk or not play_session.is_open:
        raise StakeNeedsSession("The play session is not an open one of yours.")
    if stake_table.rules != game.slug:
        raise StakeNotOffered(f"{stake_table.slug} is a stake table of {stake_table.rules}.")
    if play_session.currency != stake_table.currency:
        raise StakeNotOffered(f"{stake_table.slug} is played for {stake_table.currency}.")
    terms = check_stake(stake=stake, stake_table=stake_table, at=at)
    if config.win_rate != terms.win_rate:
        raise StakeNotOffered(f"The win rate of {stake_table.slug} is {terms.win_rate}.")
