"""Win markets on races: one to a race, opened before the deal, closed by the first draw, settled by the result.

RULEBOOK 2 (3) and (4). Bets and their money are the ledger's, which knows the race as a subject alone. Whoever locks
several locks a race's stream first, then its record, its market, the accounts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from django.db import transaction

from eventstore import store
from games import state
from games.errors import NoRaceMarket, RaceBegun, RaceHasMarket, StakeNotOffered
from games.models import GameRecord
from games.rules.cards import SUITS
from games.rules.odds import OnDraw, fair_return, odds
from games.rules.racing_aces import RacingAces
from games.rules.table import Table
from ledger import participants
from ledger import services as ledger
from ledger.betting.markets import locked, with_key
from ledger.betting.models import Market, MarketKind, MarketStatus
from ledger.errors import BadMarket
from ledger.selectors import stake_table
from ledger.services import Terms

_CALLED_OFF = "The race was called off."


def open_market(*, game: GameRecord, kind: str, terms: Terms, opened_by: str, now: datetime) -> Market:
    """Open betting on which suit wins a race that has not been dealt; whoever asks may do so (`ledger.betting.access`).

    Fixed odds are the exact fair returns for the table's config less the terms' margin.
    Raises NoRaceMarket, InterestedParty, RaceBegun, RaceHasMarket, StakeNotOffered, and what `ledger.open_market`
    raises.
    """
    _require_public_race(game)
    table_of_stakes = stake_table(terms.stake_table)
    if table_of_stakes.rules != game.rules:
        raise StakeNotOffered(f"{table_of_stakes.slug} is a stake table of {table_of_stakes.rules}.")
    with transaction.atomic():
        store.lock(game.pk)
        participants.refuse(_subject(game.pk), opened_by)
        _, table = state.load(game.pk)
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
        if market.kind == MarketKind.FIXED:
            market = ledger.quote(market=market, prices=_fair_returns(table, market), at=now)
            if not any(runner.price for runner in market.runners.all()):
                raise BadMarket("With this margin no suit could be offered.")
        return market


def open_play_market(*, game_id: UUID, event: str, opened_by: str, now: datetime) -> Market:
    """Open betting of an event's play money on a race of that event, which has not been dealt; once.

    Raises RaceBegun, and what `ledger.open_play_market` raises.
    """
    with transaction.atomic():
        store.lock(game_id)
        _, table = state.load(game_id)
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
    """The win market of a race, whatever has become of it."""
    return with_key(_key(game_id))


def race_of(market: Market) -> UUID | None:
    """The race that a market is the win market of; None for every other market."""
    game_id = market.subject.removeprefix("game:")
    return UUID(game_id) if market.key == f"game:{game_id}:win" else None


def takes_markets(rules: str) -> bool:
    return rules == RacingAces.slug


def waits_for_off(game: GameRecord, table: Table) -> bool:
    """Whether the first draw of this race makes its deal."""
    return table.status == "open" and takes_markets(game.rules) and market_on(game.pk) is not None


# --- as the race goes on, each in its transaction -----------------------------------------------------


def close_market(market: Market, *, event: int, at: datetime) -> Sequence[str]:
    """End betting with the first draw, and tell what the bets bring to the deal, in order of betting."""
    ledger.close_market(market=market, event=event, at=at)
    return ledger.bet_seeds(market)


def follow_draw(game_id: UUID, table: Table, *, event: int, at: datetime) -> None:
    """Close and open again, at the prices of the rows as they stand, a market that runs with the race.

    A bet at the price of before is made before the draw or is refused. One that an administrator has ruled on stays.
    """
    market = market_on(game_id)
    if market is None or not market.in_running:
        return
    standing = locked(market)
    if standing.settlement == 0:
        ledger.close_market(market=standing, event=event, at=at)
        prices = _fair_returns(table, standing)
        ledger.reopen_market(market=standing, prices=prices, event=event, at=at)


def end_market(game_id: UUID, table: Table, *, event: int, at: datetime) -> None:
    """Settle the market of a race that has ended, or void it with the race.

    What an administrator has ruled on before stays as it was ruled.
    """
    market = market_on(game_id)
    if market is None:
        return
    standing = locked(market)
    if standing.settlement:
        return
    if table.outcome is None:
        ledger.void_market(market=standing, reason=_CALLED_OFF, event=event, at=at)
        return
    if standing.status == MarketStatus.OPEN:
        ledger.close_market(market=standing, event=event, at=at)
    winner = table.outcome["winner"]
    ledger.settle_market(market=standing, winners=[] if winner is None else [winner], event=event, at=at)


# --- parts --------------------------------------------------------------------------------------------


def _subject(game_id: UUID) -> str:
    return f"game:{game_id}"


def _key(game_id: UUID) -> str:
    """The database has one market of a key, so a race has one win market."""
    return f"{_subject(game_id)}:win"


def _require_public_race(game: GameRecord) -> None:
    if not takes_markets(game.rules) or game.private or game.tournament is not None:
        raise NoRaceMarket


def _fair_returns(table: Table, market: Market) -> dict[str, Fraction]:
    """By suit, of those that can win."""
    on_draw: OnDraw = "refund" if market.on_draw == "refund" else "lose"
    found = odds(table.state)
    returns = {letter: fair_return(found, suit, on_draw=on_draw) for suit, letter in enumerate(SUITS)}
    return {letter: fair for letter, fair in returns.items() if fair is not None}
