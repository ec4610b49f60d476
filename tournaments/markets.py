"""The outright market of a tournament: a pool on who wins it, from its publication to its start.

The field is the market's: who enters becomes a runner, who withdraws takes no bet with them. Betting closes with the
entries, before any card of the tournament is seated or dealt, so no bet can know how anybody plays. Whoever locks
several locks the tournament's row first, then its market, then the accounts; and the accounts of all that is paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeGuard
from uuid import UUID

from django.db import transaction

from games.errors import StakeNotOffered
from games.rules.racing_aces import RacingAces
from ledger import participants
from ledger import services as ledger
from ledger.betting.markets import locked, with_key
from ledger.betting.models import ENDED, Bet, BetStatus, Market, MarketKind, MarketStatus
from ledger.betting.terms import MOST_RUNNERS, Terms
from ledger.models import Account
from ledger.selectors import stake_table
from tournaments import record
from tournaments.formats.protocol import Standing
from tournaments.models import Status, Tournament
from tournaments.problems import BetsOnRivals, NoOutright, OutrightExists, WrongStatus

BETS_TABLE_RULES = RacingAces.slug
"""What stake tables for bets are for; the others have the stakes of one game."""


def open_market(*, tournament_id: UUID, terms: Terms, opened_by: str, now: datetime) -> Market:
    """Open betting on the winner; whoever asks may do so (`ledger.betting.access`).

    Raises NotFound, InterestedParty, WrongStatus, NoOutright, OutrightExists, StakeNotOffered, and what
    `ledger.open_market` raises.
    """
    table = stake_table(terms.stake_table)
    if table.rules != BETS_TABLE_RULES:
        raise StakeNotOffered(f"{table.slug} is a stake table of {table.rules}.")
    with transaction.atomic():
        tournament = record.locked(tournament_id)
        participants.refuse(tournament.subject, opened_by)
        if tournament.status != Status.PUBLISHED:
            raise WrongStatus(f"The tournament is {tournament.status}; bets are taken on a published one.")
        if tournament.capacity > MOST_RUNNERS:
            raise NoOutright(f"This one has room for {tournament.capacity}.")
        if market_on(tournament.pk) is not None:
            raise OutrightExists
        return ledger.open_market(
            subject=tournament.subject,
            kind=MarketKind.POOL,
            runners=[runner_of(entry.number) for entry in tournament.entries.standing()],
            currency=table.currency,
            terms=terms,
            opened_by=opened_by,
            at=now,
            key=_key(tournament.pk),
            field_open=True,
        )


def market_on(tournament_id: UUID) -> Market | None:
    """The outright market of a tournament, whatever has become of it."""
    return with_key(_key(tournament_id))


def locked_on(tournament: Tournament) -> Market | None:
    """As `market_on`, locked until the transaction ends. The tournament is locked before."""
    market = market_on(tournament.pk)
    return None if market is None else locked(market)


def has_backed(market: Market | None, player: UUID) -> bool:
    """Also who has lost or been paid; not who took every bet back. The market is locked: no bet is on its way."""
    return (
        market is not None and market.bets.filter(player=player).exclude(status=BetStatus.CANCELLED).exists()
    )


def tournament_of(market: Market) -> UUID | None:
    """The tournament that a market is the outright of; None for every other market."""
    tournament_id = market.subject.removeprefix("tournament:")
    return UUID(tournament_id) if market.key == f"tournament:{tournament_id}:win" else None


def runner_of(entry: int) -> str:
    """An entry number stays whose it was. Names of people change hands and are not for everybody."""
    return f"entry {entry}"


# --- as the tournament goes on, each in its transaction -----------------------------------------------


def refuse_rival(market: Market | None, player: UUID) -> None:
    """Who has bet on somebody else does not play against them. Raises BetsOnRivals."""
    if market is None or market.status in ENDED:
        return
    open_bets = Bet.objects.filter(market=market, player=player, status=BetStatus.OPEN)
    if open_bets.filter(runner__withdrawn_at=None).exists():
        raise BetsOnRivals


def join(market: Market | None, entry: int) -> None:
    """Let an entrant be backed. One more than a market can have runners is none: nobody can have backed him, then."""
    if _is_open(market) and market.runners.count() < MOST_RUNNERS:
        ledger.add_runner(market=market, name=runner_of(entry))


def leave(market: Market | None, entry: int, now: datetime) -> None:
    if _is_open(market) and market.runners.filter(name=runner_of(entry)).exists():
        ledger.withdraw_runner(market=market, name=runner_of(entry), at=now)


def close(market: Market | None, *, event: int, now: datetime) -> None:
    if market is not None:
        ledger.close_market(market=market, event=event, at=now)


def accounts(market: Market | None) -> Sequence[Account]:
    """What `settle` or `void` will move money between, to be locked with what the tournament itself pays."""
    return [] if market is None else ledger.accounts_to_settle(market)


def settle(market: Market | None, standings: Iterable[Standing], *, event: int, now: datetime) -> None:
    """Pay who backed a winner; those who share the first place tie. What was ruled before stays as it was ruled."""
    if market is not None and not market.settlement:
        winners = [standing.entry for standing in standings if standing.place == 1]
        ledger.settle_market(market=market, winners=_runners(market, winners), event=event, at=now)


def void(market: Market | None, *, event: int, now: datetime) -> None:
    if market is not None and not market.settlement:
        ledger.void_market(market=market, reason="The tournament was cancelled.", event=event, at=now)


def follows(market: Market, winners: Sequence[int]) -> bool:
    """Whether the market was last settled on these entries; what was ruled by hand stays as it was ruled."""
    last = market.settlements.order_by("-number").first()
    return last is not None and not last.void and set(last.winners) == set(_runners(market, winners))


def would_return(market: Market, winners: Sequence[int]) -> list[ledger.Returned]:
    """The bets that `correct` would change. Raises MarketNotEnded."""
    return ledger.would_return(market=market, winners=_runners(market, winners))


def correct(*, tournament_id: UUID, winners: Sequence[int], reason: str, actor: str, now: datetime) -> None:
    """After results were corrected: settle anew on these entries. Without a market that was settled, nothing.

    Raises MarketNotEnded while it is still being paid, and what `ledger.resettle_market` raises.
    """
    with transaction.atomic():
        market = locked_on(record.locked(tournament_id))
        if market is not None and market.settlement:
            runners = _runners(market, winners)
            ledger.resettle_market(market=market, winners=runners, reason=reason, actor=actor, at=now)


# --- parts --------------------------------------------------------------------------------------------


def _key(tournament_id: UUID) -> str:
    """The database has one market of a key, so a tournament has one outright."""
    return f"tournament:{tournament_id}:win"


def _is_open(market: Market | None) -> TypeGuard[Market]:
    return market is not None and market.status == MarketStatus.OPEN


def _runners(market: Market, entries: Sequence[int]) -> list[str]:
    named = [runner_of(entry) for entry in entries]
    return list(market.runners.filter(name__in=named).values_list("name", flat=True))
