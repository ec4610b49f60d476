"""Settling markets: judged once, paid bet by bet, and after a ruling reversed and settled anew.

A settlement goes in steps, each a transaction of its own or all of them in the caller's: whatever the settlement before
it moved is reversed, the bets are judged and the house's part is moved, the bets are paid in chunks, the market ends.
A crash between two steps leaves the money in the market's escrow and the next step to be done. Small markets are
settled at once, large ones by a durable job.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from jobs.services import schedule
from ledger import participants
from ledger.betting.bets import ACTOR, bank_of, keep_reserve, lock_reserve
from ledger.betting.judging import House, judge, judgement, moved_by, standing
from ledger.betting.markets import locked
from ledger.betting.models import ENDED, BetStatus, Market, MarketKind, MarketStatus, Settlement
from ledger.betting.paying import pay_chunk
from ledger.errors import BadMarket, BankLimit, MarketEnded, MarketNotClosed, MarketNotEnded, UnknownRunner
from ledger.models import Account, OwnerKind, Purpose, Transfer
from ledger.posting import account, lock, reverse

SETTLE = "ledger.settle_market"
AT_ONCE = 500
"""Bets that are settled in the caller's transaction. More are paid by a job, which begins once that is committed."""

PAID_AT_ONCE = 5000
"""Bets that one step pays: an account is written once a step, however many of the bets are its player's."""

REVERSED_AT_ONCE = 100
"""Transfers that one step reverses."""


def settle_market(
    *,
    market: UUID | Market,
    winners: Sequence[str],
    event: int | None = None,
    at: datetime,
    off: datetime | None = None,
    actor: str = ACTOR,
    reason: str = "settled",
) -> Market:
    """Settle a closed market on its winners: several that tied, or none, for which the terms say what happens.

    `off`: bets made at that time or later came too late and are refunded, whatever they were accepted as. Settled again
    with the same winners, it answers what stands. While a large market is paid it is `settling`.

    Raises UnknownMarket, InterestedParty, UnknownRunner, MarketNotClosed, MarketEnded.
    """
    with transaction.atomic():
        settled = locked(market)
        participants.refuse(settled.subject, actor)
        _check_winners(settled, winners)
        if settled.settlement:
            if _last(settled).winners == _ordered(settled, winners) and not _last(settled).void:
                return settled
            raise MarketEnded()
        if settled.status == MarketStatus.OPEN:
            raise MarketNotClosed()
        return _begin(settled, winners, False, event, reason, actor, at, off)


def void_market(
    *, market: UUID | Market, reason: str, at: datetime, actor: str = ACTOR, event: int | None = None
) -> Market:
    """Give every stake back, from an open or a closed market. Voided again it stays as it is.

    Raises UnknownMarket, InterestedParty, and MarketEnded if it was settled: then `resettle_market` voids it by a
    ruling.
    """
    with transaction.atomic():
        settled = locked(market)
        participants.refuse(settled.subject, actor)
        if settled.settlement:
            if _last(settled).void:
                return settled
            raise MarketEnded()
        return _begin(settled, (), True, event, reason, actor, at, None)


def resettle_market(
    *,
    market: UUID | Market,
    winners: Sequence[str] | None,
    reason: str,
    actor: str,
    at: datetime,
    off: datetime | None = None,
) -> Market:
    """After a ruling: take back what the last settlement moved, and settle anew; `winners` None voids the market.

    What a winner no longer has is owed (see `posting.reverse`). The bank must be able to pay the difference before
    anything is taken back. The same ruling again is the same settlement.

    Raises UnknownMarket, InterestedParty, UnknownRunner, MarketNotEnded, BankLimit; BadMarket for play money, which has
    been bet again since: its event corrects what it comes to.
    """
    with transaction.atomic():
        settled = locked(market)
        participants.refuse(settled.subject, actor)
        if settled.play:
            raise BadMarket("Where play money was bet, what a race came to stands.")
        void, named = winners is None, winners or ()
        _check_winners(settled, named)
        if not settled.settlement:
            raise MarketNotEnded()
        last = _last(settled)
        if (last.void, last.winners, last.reason, last.actor, last.off) == (
            void,
            _ordered(settled, named),
            reason,
            actor,
            off,
        ):
            return settled
        if settled.status not in ENDED:
            raise MarketNotEnded("The market is being settled just now.")
        return _begin(settled, named, void, last.event, reason, actor, at, off)


@dataclass(frozen=True, slots=True)
class Returned:
    """What a bet returned, and would return; in pence."""

    bet: UUID
    runner: str
    stake: int
    was: int
    now: int


def would_return(*, market: UUID | Market, winners: Sequence[str]) -> list[Returned]:
    """The bets of a settled market that a ruling for these winners would change, in order of betting. Moves nothing.

    Raises UnknownMarket, UnknownRunner, BadMarket, MarketNotEnded.
    """
    with transaction.atomic():
        settled = locked(market)
        _check_winners(settled, winners)
        if settled.status not in ENDED:
            raise MarketNotEnded()
        new = Settlement(
            market=settled, void=False, winners=_ordered(settled, winners), off=_last(settled).off
        )
        bets = standing(settled, new)
        returns = judgement(settled, new, bets).returns
        now = {bet.number: returned for bet, returned in zip(bets, returns, strict=True)}
        made = (
            settled.bets.filter(number__in=now)
            .order_by("number")
            .values_list("number", "pk", "runner__name", "stake", "returned")
        )
        return [
            Returned(id, runner, stake, was or 0, now[number])
            for number, id, runner, stake, was in made
            if was != now[number]
        ]


def carry_on(*, settlement: UUID, at: datetime) -> None:
    """Take every step that a settlement still needs, each in a transaction of its own."""
    while step(settlement=settlement, at=at):
        pass


def step(*, settlement: UUID, at: datetime) -> bool:
    """Take the next step of a settlement; False if there is none left."""
    with transaction.atomic():
        made = Settlement.objects.get(pk=settlement)
        market = locked(made.market_id)
        made.refresh_from_db()
        if made.done_at is not None:
            return False
        _next(market, made)(market, made, at)
        return True


# --- beginning ---------------------------------------------------------------------------------------


def _begin(
    market: Market,
    winners: Sequence[str],
    void: bool,
    event: int | None,
    reason: str,
    actor: str,
    at: datetime,
    off: datetime | None,
) -> Market:
    market.status = MarketStatus.SETTLING
    market.version += 1
    market.settlement += 1
    market.closed_at = market.closed_at or at
    market.ended_at = None
    market.save(update_fields=["status", "version", "settlement", "closed_at", "ended_at"])
    made = Settlement.objects.create(
        market=market,
        number=market.settlement,
        void=void,
        winners=_ordered(market, winners),
        off=off,
        event=event,
        reason=reason,
        actor=actor,
        at=at,
    )
    at_once = market.bets_made <= AT_ONCE
    if at_once:
        # All its steps are one transaction with the caller's, so all their accounts are locked first, in their order.
        _lock_all(market)
    if made.number > 1:
        _reserve_difference(market, made, at)
    if at_once:
        carry_on(settlement=made.pk, at=at)
        market.refresh_from_db()
    else:
        schedule(kind=SETTLE, key=f"settlement:{made.pk}", payload={"settlement": str(made.pk)}, due=at)
    return market


def _check_winners(market: Market, winners: Sequence[str]) -> None:
    if len(set(winners)) != len(winners):
        raise BadMarket("A winner is named once.")
    if unknown := set(winners) - {runner.name for runner in market.runners.all()}:
        raise UnknownRunner(f"The market has no runner {min(unknown)[:64]}.")
    if market.runners.filter(name__in=winners, withdrawn_at__isnull=False).exists():
        raise BadMarket("Who withdrew has not won.")


def _ordered(market: Market, winners: Sequence[str]) -> list[str]:
    return [runner.name for runner in market.runners.all() if runner.name in winners]


def _last(market: Market) -> Settlement:
    return Settlement.objects.get(market=market, number=market.settlement)


def accounts_to_settle(market: UUID | Market) -> list[Account]:
    """The accounts between which a pool is settled, or voided, in its caller's transaction; none if a job will do that.

    For a caller that moves other money as well: it locks these together with its own (see `posting.lock`).
    Raises UnknownMarket.
    """
    settled = locked(market)
    return _accounts(settled) if settled.settlement == 0 and settled.bets_made <= AT_ONCE else []


def accounts_to_resettle(market: UUID | Market) -> list[Account]:
    """As `accounts_to_settle`, of a market that was settled and may be settled anew."""
    settled = locked(market)
    if not settled.settlement or settled.bets_made > AT_ONCE:
        return []
    return [*_accounts(settled), *_debts(settled)]


def _lock_all(market: Market) -> None:
    lock_reserve(market)
    lock(_accounts(market))


def _accounts(market: Market) -> list[Account]:
    bets = market.bets.exclude(status=BetStatus.CANCELLED)
    accounts = [market.escrow, *House.of(market).accounts]
    accounts += Account.objects.filter(pk__in=bets.values("purse"))
    return accounts + _debts(market) if market.settlement > 1 else accounts


def _debts(market: Market) -> list[Account]:
    """Where it stands what a winner owes who has spent what is taken back."""
    bets = market.bets.exclude(status=BetStatus.CANCELLED)
    owners = sorted(str(player) for player in set(bets.values_list("player", flat=True)))
    return [
        account(owner=f"{OwnerKind.PLAYER}:{owner}", purpose=Purpose.RECEIVABLE, currency=market.currency)
        for owner in owners
    ]


def _reserve_difference(market: Market, made: Settlement, at: datetime) -> None:
    """Let the bank hold what the house must pay when the old result is taken back and the new one is made."""
    if market.kind != MarketKind.FIXED:
        return
    old = Settlement.objects.get(market=market, number=made.number - 1).bank
    assert old is not None
    bets = standing(market, made)
    new = sum(bet.stake for bet in bets) - judgement(market, made, bets).paid
    needed = max(old, old - new, 0)
    lock([market.escrow, bank_of(market)])
    if needed > bank_of(market).available:
        raise BankLimit("The bank cannot pay what this ruling would cost it; fund it first.")
    keep_reserve(market, needed, at, limited=False)
    market.save(update_fields=["reserve"])


# --- steps -------------------------------------------------------------------------------------------

Step = Callable[[Market, Settlement, datetime], None]


def _next(market: Market, made: Settlement) -> Step:
    if made.gross is None:
        left = made.number > 1 and moved_by(market, made.number - 1).payouts().exists()
        return _take_back if left else _judge
    return _pay if made.paid_through < market.bets_made else _end


def _take_back(market: Market, made: Settlement, at: datetime) -> None:
    payouts = list(moved_by(market, made.number - 1).payouts().with_accounts()[:REVERSED_AT_ONCE])
    lendable = [
        account(owner=owner, purpose=Purpose.RECEIVABLE, currency=market.currency)
        for owner in sorted({payout.credit.owner for payout in payouts})
    ]
    lock([market.escrow, *lendable, *(payout.credit for payout in payouts)])
    for payout in payouts:
        _reverse(market, payout, made, at)


def _reverse(market: Market, transfer: Transfer, made: Settlement, at: datetime) -> None:
    reverse(
        transfer=transfer.uuid,
        key=f"{market.owner}:reversal:{transfer.position}",
        actor=made.actor,
        reason=made.reason,
        at=at,
        settles_escrow=True,
    )


def _judge(market: Market, made: Settlement, at: datetime) -> None:
    house = House.of(market)
    lock_reserve(market)
    lock([market.escrow, *house.accounts])
    if market.kind == MarketKind.FIXED:
        keep_reserve(market, 0, at)
        market.save(update_fields=["reserve"])
    if made.number > 1:
        for transfer in moved_by(market, made.number - 1).house().order_by("-position"):
            _reverse(market, transfer, made, at)
        Settlement.objects.filter(market=market, number=made.number - 1).update(reversed_at=at)
    judge(market, made)
    house.post(market, made, at)


def _pay(market: Market, made: Settlement, at: datetime) -> None:
    pay_chunk(market, made, PAID_AT_ONCE, at)


def _end(market: Market, made: Settlement, at: datetime) -> None:
    made.done_at = at
    made.save(update_fields=["done_at"])
    market.status = MarketStatus.VOID if made.void else MarketStatus.SETTLED
    market.version += 1
    market.ended_at = at
    market.save(update_fields=["status", "version", "ended_at"])
