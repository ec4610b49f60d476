"""Win markets on races: at most one per race, opened before the deal and settled by the result.

RULEBOOK 2 (3) and (4). The ledger takes the bets and knows the race only as a subject. Locks are taken in this order:
the race's stream, its record, its market, the accounts. Players with a bet on a race have an interest in it and get no
early access; players with early access may not bet (RULEBOOK 8). The market's row, which every bet locks, decides which
came first.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from core.commands import Condition
from core.sql import stored
from eventstore import store
from games import early_access, hooks, state
from games.errors import (
    GameSuspended,
    NoRaceMarket,
    RaceBegun,
    RaceHasMarket,
    StakeNotOffered,
)
from games.models import GameRecord
from games.rules.cards import SUITS
from games.rules.manifest import OnDraw, WinMarket
from games.rules.registry import manifest
from games.rules.table import Table
from ledger import services as ledger
from ledger.errors import BadMarket
from ledger.hooks import register_bet_guard, register_participants
from ledger.models import Market, MarketStatus, Runner
from ledger.selectors import market_with_key, stake_table
from ledger.selectors import takes_part as is_participant
from ledger.services import Terms, locked_market, refuse_participant

_CALLED_OFF = "The race was called off."


def open_market(*, game: GameRecord, kind: str, terms: Terms, opened_by: str, now: datetime) -> Market:
    """Open betting on which suit wins a race that has not been dealt; the caller has checked the permission.

    Fixed odds are the exact fair returns for the table's config less the terms' margin.
    Raises NoRaceMarket, InterestedParty, RaceBegun, RaceHasMarket, StakeNotOffered, and what `ledger.open_market`
    raises.
    """
    _require_public_race(game)
    table_of_stakes = stake_table(terms.stake_table)
    if table_of_stakes.rules != game.rules:
        raise StakeNotOffered(f"{table_of_stakes.slug} is a stake table of {table_of_stakes.rules}.")
    with state.locked(game.pk) as (_, table):
        refuse_participant(_subject(game.pk), opened_by)
        if table.status != "open":
            raise RaceBegun
        if market_on(game.pk) is not None:
            raise RaceHasMarket
        market = ledger.open_market(
            subject=_subject(game.pk),
            kind=kind,
            runners=list(SUITS),
            currency=table_of_stakes.currency,
            terms=terms,
            opened_by=opened_by,
            at=now,
            key=_key(game.pk),
        )
        if market.rules.priced:
            market = ledger.quote(market=market, prices=_fair_returns(table, market), at=now)
            if not any(runner.price for runner in market.runners.all()):
                raise BadMarket("On these terms no suit has a price from 1.01 to 1000.00.")
        return market


def open_play_market(*, game_id: UUID, event: str, opened_by: str, now: datetime) -> Market:
    """Open a market in an event's play money on a race that has not been dealt. At most one per race.

    Raises RaceBegun, and what `ledger.open_play_market` raises.
    """
    with state.locked(game_id) as (_, table):
        if table.status != "open":
            raise RaceBegun
        return ledger.open_play_market(
            event=event,
            subject=_subject(game_id),
            runners=list(SUITS),
            opened_by=opened_by,
            at=now,
            key=_key(game_id),
        )


def market_on(game_id: UUID) -> Market | None:
    """Return the win market of a race, in any state."""
    return market_with_key(_key(game_id))


def market_of(game: GameRecord) -> Market | None:
    """Return the win market of a game, in any state; None, without a query, if its rules take no bets."""
    return market_on(game.pk) if takes_markets(game.rules) else None


def race_of(market: Market) -> UUID | None:
    """Return the race of a win market; None for other markets."""
    game_id = market.subject.removeprefix("game:")
    return UUID(game_id) if market.key == f"game:{game_id}:win" else None


def takes_markets(rules: str) -> bool:
    return manifest(rules).market is not None


def of_rules(rules: str) -> WinMarket:
    """Return what can be bet on in a game that takes bets. Raises NoRaceMarket for other games."""
    market = manifest(rules).market
    if market is None:
        raise NoRaceMarket
    return market


def waits_for_first_draw(game: GameRecord, table: Table) -> bool:
    """Return whether the first draw of this race also makes its deal."""
    return table.status == "open" and market_of(game) is not None


# --- during the race, in the transaction of each event -----------------------------------------------------


def close_market(market: Market, *, event: int, at: datetime) -> Sequence[str]:
    """Close betting with the first draw. Returns the seeds of the bets, in order of betting."""
    ledger.close_market(market=market, event=event, at=at)
    return ledger.bet_seeds(market)


def reprice_in_running(game_id: UUID, table: Table, *, event: int, at: datetime) -> None:
    """Close a market in running and reopen it at new prices.

    A bet at an old price is made before the draw or refused. A market that an administrator has ruled on is unchanged.
    """
    market = market_on(game_id)
    if market is None or not market.in_running:
        return
    locked = locked_market(market)
    if locked.settlement == 0:
        ledger.close_market(market=locked, event=event, at=at)
        prices = _fair_returns(table, locked)
        ledger.reopen_market(market=locked, prices=prices, event=event, at=at)


def end_market(game_id: UUID, table: Table, *, event: int, at: datetime) -> None:
    """Settle the market of a race that has ended, or void it with the race.

    A market that an administrator has ruled on is unchanged.
    """
    market = market_on(game_id)
    if market is None:
        return
    locked = locked_market(market)
    if locked.settlement:
        return
    if table.outcome is None:
        ledger.void_market(market=locked, reason=_CALLED_OFF, event=event, at=at)
        return
    if locked.status == MarketStatus.OPEN:
        ledger.close_market(market=locked, event=event, at=at)
    winner = table.outcome["winner"]
    ledger.settle_market(market=locked, winners=[] if winner is None else [winner], event=event, at=at)


# --- helpers --------------------------------------------------------------------------------------------


def _subject(game_id: UUID) -> str:
    return f"game:{game_id}"


def _key(game_id: UUID) -> str:
    """Return the market's unique key, which limits a race to one win market."""
    return f"{_subject(game_id)}:win"


def _require_public_race(game: GameRecord) -> None:
    if not takes_markets(game.rules) or game.private or game.tournament is not None:
        raise NoRaceMarket


def _fair_returns(table: Table, market: Market) -> dict[str, Fraction]:
    """Return the fair returns by suit, for the suits that can win."""
    on_draw: OnDraw = "refund" if market.on_draw == "refund" else "lose"
    found = of_rules(table.game.slug).odds(table.state)
    returns = {letter: found.fair_return(suit, on_draw=on_draw) for suit, letter in enumerate(SUITS)}
    return {letter: fair for letter, fair in returns.items() if fair is not None}


def takes_part(game_id: UUID, player: UUID) -> bool:
    """Return whether the player sits in the game or its match, or takes part in its tournament."""
    game = GameRecord.objects.filter(pk=game_id).first()
    if game is None:
        return False
    if early_access.is_seated(player, game):
        return True
    return game.tournament is not None and is_participant(f"tournament:{game.tournament}", player)


def register() -> None:
    register_participants("game", takes_part)


@hooks.register_interest
def has_bet(player: Player, game: GameRecord) -> bool:
    """Return whether the player has bet on the race. Withdrawn bets count: their seeds stay in the deal."""
    market = market_of(game)
    if market is None:
        return False
    with transaction.atomic():
        return locked_market(market).bets.filter(player=player.pk).exists()


def _may_bet_on_race(market: Market, player: UUID) -> Condition:
    """Return the check of `check_bet_on_race` as a condition of the statement that stores the bet."""
    game_id = race_of(market)
    if game_id is None:
        return Condition("1 = 1", ())
    running = Condition(
        "NOT EXISTS (SELECT 1 FROM eventstore_stream WHERE id = %s AND suspended_at IS NOT NULL)",
        (stored(game_id),),
    )
    return early_access.unseen(player, game=game_id) & running


@register_bet_guard("game", _may_bet_on_race)
def check_bet_on_race(market: Market, runner: Runner, player: UUID) -> None:
    """Raise EarlyAccessUsed if the player has had early access to the race, GameSuspended while it is suspended."""
    game_id = race_of(market)
    if game_id is None:
        return
    early_access.require_unseen(player, game=game_id)
    if store.suspended_at(game_id) is not None:
        raise GameSuspended
