"""Resettle the money of a game outside tournaments: its stake, its pot, and the bets on it.

The ledger reverses the last settlement of each and settles it by the new result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from disputes.errors import MatchInPlay
from disputes.rulings import results
from disputes.rulings.results import BalanceChange, Document, Result
from games.models import GameRecord, MatchStatus, Seat, Status
from games.rules.buy_in import places
from games.selectors import buy_in_subject, market_of, places_of_match
from ledger import services as ledger
from ledger.models import BetStatus, GameStake, Market, Pot
from ledger.services import BETS_SETTLED_AT_ONCE, lock_pot, lock_stake

Outcome = Mapping[str, Any]


def lock(game: GameRecord) -> None:
    """Lock the stake and the pot of the game. They are locked before any account."""
    if GameStake.objects.filter(game=game.pk).exists():
        lock_stake(game.pk)
    if game.buy_in:
        lock_pot(buy_in_subject(game))


def resettle(
    game: GameRecord, result: Result, *, reason: str, actor: str, at: datetime
) -> Iterator[Document]:
    """Settle the game's money by `result`. Yields kind, subject, and number of each settlement made.

    Raises MatchInPlay, and the errors of the ledger's resettling services.
    """
    outcome = outcome_of(game, result)
    if GameStake.objects.filter(game=game.pk).exists():
        winnings = None if outcome is None else int(outcome["winnings"])
        made = ledger.resettle_stake(game=game.pk, winnings=winnings, reason=reason, actor=actor, at=at)
        if made is not None and made.reason == reason:
            yield {"kind": "stake", "subject": f"game:{game.pk}", "number": made.number}
    if game.buy_in:
        yield from _pot(game, outcome, reason, actor, at)
    if (market := market_of(game)) is not None:
        yield from _market(market, outcome, reason, actor, at)


def outcome_of(game: GameRecord, result: Result) -> Outcome | None:
    """Return the outcome with which the game counts; None if it is void."""
    if result.kind == results.VOID:
        return None
    recorded: Outcome | None = game.outcome
    return result.value if result.kind == results.CORRECTED else recorded


# --- pots ------------------------------------------------------------------------------------------------


def _pot(
    game: GameRecord, outcome: Outcome | None, reason: str, actor: str, at: datetime
) -> Iterator[Document]:
    subject = buy_in_subject(game)
    places = _places_of_table(game, outcome) if game.match is None else _places_of_match(game, outcome)
    before = Pot.objects.values_list("division", flat=True).get(subject=subject)
    pot = ledger.resettle_pot(subject=subject, places=places, reason=reason, actor=actor, at=at)
    if pot.division != before:
        yield {"kind": "pot", "subject": subject, "number": pot.division}


def _places_of_table(game: GameRecord, outcome: Outcome | None) -> list[list[UUID]] | None:
    by_place = places(outcome)
    return None if by_place is None else _named(by_place, game.seatings.all())


def _places_of_match(game: GameRecord, outcome: Outcome | None) -> list[list[UUID]] | None:
    """Return the places of the match, with this deal as ruled and the others by their effective results."""
    match = game.match
    assert match is not None
    if match.status == MatchStatus.RUNNING:
        raise MatchInPlay
    counted = [
        found
        for one in match.games.order_by("match_number")
        if (found := _counts(one, game, outcome)) is not None
    ]
    if not counted:
        return None
    first = Seat.objects.filter(game__match=match, game__match_number=1)
    return _named(places_of_match(match, counted), first)


def _counts(deal: GameRecord, ruled: GameRecord, outcome: Outcome | None) -> Outcome | None:
    if deal.pk == ruled.pk:
        return outcome
    result = results.effective(deal.pk)
    if deal.status != Status.FINISHED and result.kind != results.CORRECTED:
        return None
    return outcome_of(deal, result)


def _named(places: Sequence[Sequence[int]], seats: Any) -> list[list[UUID]]:
    players: dict[int, UUID] = dict(seats.values_list("seat", "player"))
    return [[players[seat] for seat in place] for place in places]


# --- bets ------------------------------------------------------------------------------------------------


def _market(
    market: Market, outcome: Outcome | None, reason: str, actor: str, at: datetime
) -> Iterator[Document]:
    made = ledger.resettle_market(
        market=market, winners=winners_of(outcome), reason=reason, actor=actor, at=at
    )
    if made.settlement != market.settlement:
        yield {"kind": "market", "subject": made.owner, "number": made.settlement}


def winners_of(outcome: Outcome | None) -> list[str] | None:
    """Return the winning selections; None if the market is void."""
    if outcome is None:
        return None
    return [] if outcome["winner"] is None else [outcome["winner"]]


def deferred_bets(game: GameRecord, result: Result) -> tuple[int, list[BalanceChange]]:
    """Return the number of bets that a job resettles later, and the balance changes of their players.

    Only a market too large to settle at once is deferred.
    """
    market = market_of(game)
    if market is None or market.bets_made <= BETS_SETTLED_AT_ONCE:
        return 0, []
    winners = winners_of(outcome_of(game, result))
    changes: dict[str, int] = defaultdict(int)
    count = 0
    if winners is None:
        bets = market.bets.exclude(status=BetStatus.CANCELLED)
        for player, stake, returned in bets.values_list("player", "stake", "returned"):
            changes[str(player)] += stake - (returned or 0)
            count += 1
    else:
        changed = ledger.would_return(market=market, winners=winners)
        owners = dict(market.bets.values_list("pk", "player"))
        for one in changed:
            changes[str(owners[one.bet])] += one.now - one.was
        count = len(changed)
    return count, [
        BalanceChange(f"player:{player}", market.currency, amount)
        for player, amount in sorted(changes.items())
        if amount
    ]
