"""The outright market of a tournament: a pool on its winner, open from publication to the start.

Each entrant is a runner. The market of an entrant who withdraws refunds the bets on them. Betting closes with the
entries, before any card is dealt, so that no bet can use knowledge of play. Locks are taken in this order: the
tournament's row, its market, and then all accounts that are paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeGuard
from uuid import UUID

from django.db import transaction

from games.errors import StakeNotOffered
from ledger import services as ledger
from ledger.betting.kinds import POOL
from ledger.betting.terms import MOST_RUNNERS, Terms
from ledger.hooks import betting_games
from ledger.models import ENDED, Account, Bet, BetStatus, Market, MarketStatus
from ledger.selectors import market_with_key, stake_table
from ledger.services import locked_market, refuse_participant
from tournaments import record
from tournaments.errors import BetsOnRivals, NoOutright, OutrightExists, WrongStatus
from tournaments.formats.protocol import Standing
from tournaments.models import Status, Tournament


def open_market(*, tournament_id: UUID, terms: Terms, opened_by: str, now: datetime) -> Market:
    """Open betting on the winner. `ledger.betting.markets` checks the caller.

    Raises NotFound, InterestedParty, WrongStatus, NoOutright, OutrightExists, StakeNotOffered, and the errors of
    `ledger.open_market`.
    """
    table = stake_table(terms.stake_table)
    if table.rules not in betting_games():
        raise StakeNotOffered(f"{table.slug} is a stake table of {table.rules}.")
    with transaction.atomic():
        tournament = record.locked(tournament_id)
        refuse_participant(tournament.subject, opened_by)
        if tournament.status != Status.PUBLISHED:
            raise WrongStatus(f"The tournament is {tournament.status}; only a published one takes bets.")
        if tournament.capacity > MOST_RUNNERS:
            raise NoOutright(
                f"Its capacity is {tournament.capacity}; with a market it may be {MOST_RUNNERS} at most."
            )
        if market_on(tournament.pk) is not None:
            raise OutrightExists
        return ledger.open_market(
            subject=tournament.subject,
            kind=POOL.name,
            runners=[runner_of(entry.number) for entry in tournament.entries.standing()],
            currency=table.currency,
            terms=terms,
            opened_by=opened_by,
            at=now,
            key=_key(tournament.pk),
            field_open=True,
        )


def market_on(tournament_id: UUID) -> Market | None:
    """Return the outright market of a tournament in any status."""
    return market_with_key(_key(tournament_id))


def locked_on(tournament: Tournament) -> Market | None:
    """Return `market_on`, locked until the transaction ends. The tournament must be locked before."""
    market = market_on(tournament.pk)
    return None if market is None else locked_market(market)


def has_backed(market: Market | None, player: UUID) -> bool:
    """Return whether the player has bet on the market, cancelled bets aside. The market must be locked."""
    return (
        market is not None and market.bets.filter(player=player).exclude(status=BetStatus.CANCELLED).exists()
    )


def tournament_of(market: Market) -> UUID | None:
    """Return the tournament whose outright this market is; None for other markets."""
    tournament_id = market.subject.removeprefix("tournament:")
    return UUID(tournament_id) if market.key == f"tournament:{tournament_id}:win" else None


def runner_of(entry: int) -> str:
    """Return the name of an entry's runner. It contains the entry number, since names of people change and are not
    public.
    """
    return f"entry {entry}"


# --- during the tournament, in the caller's transaction -----------------------------------------------


def refuse_rival(market: Market | None, player: UUID) -> None:
    """Raise BetsOnRivals for a player with open bets on others."""
    if market is None or market.status in ENDED:
        return
    open_bets = Bet.objects.filter(market=market, player=player, status=BetStatus.OPEN)
    if open_bets.filter(runner__withdrawn_at=None).exists():
        raise BetsOnRivals


def join(market: Market | None, entry: int) -> None:
    """Add a runner for an entrant, unless the market has as many runners as it may have."""
    if _is_open(market) and market.runners.count() < MOST_RUNNERS:
        ledger.add_runner(market=market, name=runner_of(entry))


def leave(market: Market | None, entry: int, now: datetime) -> None:
    if _is_open(market) and market.runners.filter(name=runner_of(entry)).exists():
        ledger.withdraw_runner(market=market, name=runner_of(entry), at=now)


def close(market: Market | None, *, event: int, now: datetime) -> None:
    if market is not None:
        ledger.close_market(market=market, event=event, at=now)


def accounts(market: Market | None) -> Sequence[Account]:
    """Return the accounts between which `settle` or `void` moves money, to be locked with others."""
    return [] if market is None else ledger.accounts_to_settle(market)


def settle(market: Market | None, standings: Iterable[Standing], *, event: int, now: datetime) -> None:
    """Pay the bets on the winners; entrants who share the first place tie. An earlier ruling stays in effect."""
    if market is not None and not market.settlement:
        winners = [standing.entry for standing in standings if standing.place == 1]
        ledger.settle_market(market=market, winners=_runners(market, winners), event=event, at=now)


def void(market: Market | None, *, event: int, now: datetime) -> None:
    if market is not None and not market.settlement:
        ledger.void_market(market=market, reason="The tournament was cancelled.", event=event, at=now)


def follows(market: Market, winners: Sequence[int]) -> bool:
    """Return whether the market was last settled on these entries. A manual ruling stays in effect."""
    last = market.settlements.order_by("-number").first()
    return last is not None and not last.void and set(last.winners) == set(_runners(market, winners))


def would_return(market: Market, winners: Sequence[int]) -> list[ledger.Returned]:
    """Return the bets that `correct` would change. Raises MarketNotEnded."""
    return ledger.would_return(market=market, winners=_runners(market, winners))


def correct(*, tournament_id: UUID, winners: Sequence[int], reason: str, actor: str, now: datetime) -> None:
    """Settle a settled market again on these entries, after a correction.

    Raises MarketNotEnded while it is still being paid, and the errors of `ledger.resettle_market`.
    """
    with transaction.atomic():
        market = locked_on(record.locked(tournament_id))
        if market is not None and market.settlement:
            runners = _runners(market, winners)
            ledger.resettle_market(market=market, winners=runners, reason=reason, actor=actor, at=now)


# --- parts --------------------------------------------------------------------------------------------


def _key(tournament_id: UUID) -> str:
    """Return the unique key that makes the outright of a tournament the only one."""
    return f"tournament:{tournament_id}:win"


def _is_open(market: Market | None) -> TypeGuard[Market]:
    return market is not None and market.status == MarketStatus.OPEN


def _runners(market: Market, entries: Sequence[int]) -> list[str]:
    named = [runner_of(entry) for entry in entries]
    return list(market.runners.filter(name__in=named).values_list("name", flat=True))
