"""The money of a disputed game outside tournaments: hold what it has paid, and settle it again by a ruling.

A hold covers what the game itself paid, as long as a dispute of it is open: winnings of its stake, its pot, and the
bets on it. The ledger reverses the last settlement of each and settles it by the new result. A tournament game pays
nothing itself, so nothing is held for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from disputes import results, states
from disputes.errors import MatchInPlay
from disputes.models import Dispute
from disputes.results import Document, Result
from games import early_access
from games.models import GameRecord, Match, MatchStatus, Seat, Status
from games.rules.buy_in import places
from games.selectors import buy_in_subject, market_of, places_of_match
from jobs import services as jobs
from ledger import services as ledger
from ledger.models import BetStatus, Freeze, GameStake, Market, Pot
from ledger.selectors import BalanceChange
from ledger.services import BETS_SETTLED_AT_ONCE, lock_pot, lock_stake

ACTOR = "system:disputes"
HOLD = "disputes.hold"
REASON = "disputed"

Outcome = Mapping[str, Any]


def update_hold(game: GameRecord, *, now: datetime) -> None:
    """Hold what the game has paid if a dispute of it is open, and release the hold otherwise."""
    if game.tournament is not None:
        return
    _lock(game)
    if not is_disputed(game):
        _release(game, now=now)
    elif has_paid(game) and current_hold(game) is None:
        subject = buy_in_subject(game)
        number = Freeze.objects.filter(subject=subject, actor=ACTOR).count() + 1
        ledger.freeze(
            subject=subject,
            player=None,
            claim=f"{REASON}:{subject}:{number}",
            actor=ACTOR,
            reason=REASON,
            at=now,
        )


def _lock(game: GameRecord) -> None:
    """Lock the game, or its match, so that changes of disputes about the same money run one after the other."""
    if game.match_id is not None:
        Match.objects.select_for_update().get(pk=game.match_id)
    else:
        early_access.lock(game.pk)


def _release(game: GameRecord, *, now: datetime) -> None:
    """Release the hold on a game, if there is one.

    The freeze is locked before its state is read, because staff may release it at the same time.
    """
    if (held := _held(game).select_for_update(no_key=True).first()) is not None:
        ledger.release_freeze(freeze=held.pk, actor=ACTOR, reason="decided", at=now)


def current_hold(game: GameRecord) -> Freeze | None:
    """Return the hold on what the game paid, if there is one."""
    return _held(game).first()


def _held(game: GameRecord) -> QuerySet[Freeze]:
    return Freeze.objects.filter(subject=buy_in_subject(game), actor=ACTOR, released_at=None)


def is_disputed(game: GameRecord) -> bool:
    """Return whether a dispute of the game, or of a deal of its match, is open."""
    of = Q(game=game)
    if game.match_id is not None:
        of |= Q(game__match=game.match_id)
    return Dispute.objects.filter(of, status__in=states.PENDING).exists()


def has_paid(game: GameRecord) -> bool:
    """Return whether the game's money is settled. A match is settled after its last deal."""
    if game.match is not None:
        return game.match.status != MatchStatus.RUNNING
    return game.ended


def schedule_hold(game_id: UUID, at: datetime) -> None:
    """Schedule the hold on a game that ends while it is disputed."""
    game = GameRecord.objects.get(pk=game_id)
    if is_disputed(game):
        jobs.schedule(kind=HOLD, key=f"{HOLD}:{game_id}", payload={"game": str(game_id)}, due=at)


# --- settlement by a ruling ------------------------------------------------------------------------------


def resettle(game: GameRecord, result: Result, *, reason: str, actor: str, at: datetime) -> list[Document]:
    """Settle the game's money by `result`. Return kind, subject, and number of each settlement made.

    Raises MatchInPlay, and the errors of the ledger's resettling services.
    """
    _lock(game)
    # The stake and the pot are locked before any account.
    if GameStake.objects.filter(game=game.pk).exists():
        lock_stake(game.pk)
    if game.buy_in:
        lock_pot(buy_in_subject(game))
    # Money on hold cannot be reversed; the ledger would record a debt instead.
    _release(game, now=at)
    return list(_resettled(game, result, reason, actor, at))


def _resettled(game: GameRecord, result: Result, reason: str, actor: str, at: datetime) -> Iterator[Document]:
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
