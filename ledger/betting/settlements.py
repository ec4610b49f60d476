"""Settlement of markets: judge all bets once, pay them in chunks, and resettle after a ruling.

Each step is a transaction, or all steps share the caller's: reverse the previous settlement, judge the bets and move
the site's part, pay the bets in chunks, end the market. After a crash between two steps the money is in the market's
escrow and the next step remains. Small markets are settled at once, large ones by a durable job.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, ExpressionWrapper, Q

from core.sql import stored
from jobs.services import schedule
from ledger.betting import prices
from ledger.betting.bets import MARKET_ACTOR, bank_of, keep_reserve, lock_reserve
from ledger.betting.markets import locked_market
from ledger.betting.models import ENDED, BetStatus, Market, MarketStatus, Settlement
from ledger.betting.terms import Judgement, Wager, refund_all
from ledger.core.participants import refuse_participant
from ledger.core.postings import Leg, account, fingerprint, lock, player_accounts, post, post_query, reverse
from ledger.errors import BadMarket, BankLimit, MarketEnded, MarketNotClosed, MarketNotEnded, UnknownRunner
from ledger.models import Account, OwnerKind, Purpose, Transfer, TransferQuerySet

SETTLE = "ledger.settle_market"
BETS_SETTLED_AT_ONCE = 500
"""Bets that are settled in the caller's transaction. A job pays a larger number after the commit."""

PAID_AT_ONCE = 5000
"""Bets that one step pays. Each account is written once a step, however many bets its player has."""

REVERSED_AT_ONCE = 100
"""Transfers that one step reverses."""


def settle_market(
    *,
    market: UUID | Market,
    winners: Sequence[str],
    event: int | None = None,
    at: datetime,
    off: datetime | None = None,
    actor: str = MARKET_ACTOR,
    reason: str = "settled",
) -> Market:
    """Settle a closed market on its winners: several if they tied, none if no runner won.

    Bets made at `off` or later are refunded. The same winners again return the settled market. A large market is
    `settling` while it is paid.

    Raises UnknownMarket, InterestedParty, UnknownRunner, MarketNotClosed, MarketEnded.
    """
    with transaction.atomic():
        settled = locked_market(market)
        refuse_participant(settled.subject, actor)
        _check_winners(settled, winners)
        if settled.settlement:
            if _last(settled).winners == _ordered(settled, winners) and not _last(settled).void:
                return settled
            raise MarketEnded()
        if settled.status == MarketStatus.OPEN:
            raise MarketNotClosed()
        return _begin(settled, winners, False, event, reason, actor, at, off)


def void_market(
    *, market: UUID | Market, reason: str, at: datetime, actor: str = MARKET_ACTOR, event: int | None = None
) -> Market:
    """Return every stake of an open or closed market. A void market is unchanged.

    Raises UnknownMarket, InterestedParty, and MarketEnded if it was settled; then `resettle_market` voids it.
    """
    with transaction.atomic():
        settled = locked_market(market)
        refuse_participant(settled.subject, actor)
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
    """Resettle a market after a ruling: reverse the last settlement and settle again. `winners` None voids the market.

    A player who has spent the money owes it (see `postings.reverse`). The bank must be able to pay the difference
    first. The same ruling again returns the same settlement.

    Raises UnknownMarket, InterestedParty, UnknownRunner, MarketNotEnded, BankLimit; BadMarket for play money, which may
    have been bet since: its event corrects the result.
    """
    with transaction.atomic():
        settled = locked_market(market)
        refuse_participant(settled.subject, actor)
        if settled.play:
            raise BadMarket("A market of play money cannot be settled again.")
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
            raise MarketNotEnded("The market is being settled.")
        return _begin(settled, named, void, last.event, reason, actor, at, off)


@dataclass(frozen=True, slots=True)
class Returned:
    """The return of a bet before and after a ruling, in pence."""

    bet: UUID
    runner: str
    stake: int
    was: int
    now: int


def would_return(*, market: UUID | Market, winners: Sequence[str]) -> list[Returned]:
    """Return the bets that a ruling for these winners would change, in order. Moves nothing.

    Raises UnknownMarket, UnknownRunner, BadMarket, MarketNotEnded.
    """
    with transaction.atomic():
        settled = locked_market(market)
        _check_winners(settled, winners)
        if settled.status not in ENDED:
            raise MarketNotEnded()
        new = Settlement(
            market=settled, void=False, winners=_ordered(settled, winners), off=_last(settled).off
        )
        bets = counted_bets(settled, new)
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
    """Take all remaining steps of a settlement, each in its own transaction."""
    while step(settlement=settlement, at=at):
        pass


def step(*, settlement: UUID, at: datetime) -> bool:
    """Take the next step of a settlement. Return False if none is left."""
    with transaction.atomic():
        made = Settlement.objects.get(pk=settlement)
        market = locked_market(made.market_id)
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
    at_once = market.bets_made <= BETS_SETTLED_AT_ONCE
    if at_once:
        # All steps share the caller's transaction, so all their accounts are locked first, in order.
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
        raise BadMarket("The winners must be different.")
    if unknown := set(winners) - {runner.name for runner in market.runners.all()}:
        raise UnknownRunner(f"The market has no runner {min(unknown)[:64]}.")
    if market.runners.filter(name__in=winners, withdrawn_at__isnull=False).exists():
        raise BadMarket("A withdrawn runner cannot win.")


def _ordered(market: Market, winners: Sequence[str]) -> list[str]:
    return [runner.name for runner in market.runners.all() if runner.name in winners]


def _last(market: Market) -> Settlement:
    return Settlement.objects.get(market=market, number=market.settlement)


def accounts_to_settle(market: UUID | Market) -> list[Account]:
    """Return the accounts of a pool's settlement or voiding in the caller's transaction; none if a job will do it.

    A caller that moves other money too locks these with its own accounts (see `postings.lock`). Raises UnknownMarket.
    """
    settled = locked_market(market)
    return _accounts(settled) if settled.settlement == 0 and settled.bets_made <= BETS_SETTLED_AT_ONCE else []


def accounts_to_resettle(market: UUID | Market) -> list[Account]:
    """Like `accounts_to_settle`, for a settled market that may be settled again."""
    settled = locked_market(market)
    if not settled.settlement or settled.bets_made > BETS_SETTLED_AT_ONCE:
        return []
    return [*_accounts(settled), *_debts(settled)]


def _lock_all(market: Market) -> None:
    lock_reserve(market)
    lock(_accounts(market))


def _accounts(market: Market) -> list[Account]:
    bets = market.bets.exclude(status=BetStatus.CANCELLED)
    accounts = [market.escrow, *SiteAccounts.of(market).accounts]
    accounts += Account.objects.filter(pk__in=bets.values("purse"))
    return accounts + _debts(market) if market.settlement > 1 else accounts


def _debts(market: Market) -> list[Account]:
    """Return the accounts that record what players owe after a reversal."""
    bets = market.bets.exclude(status=BetStatus.CANCELLED)
    return _receivable(market, bets.values_list("player", flat=True))


def _receivable(market: Market, players: Iterable[UUID]) -> list[Account]:
    found = player_accounts(set(players), purpose=Purpose.RECEIVABLE, currency=market.currency)
    return [*found.values()]


def _reserve_difference(market: Market, made: Settlement, at: datetime) -> None:
    """Make the bank hold what the site must pay when the old result is replaced by the new one."""
    if not market.rules.priced:
        return
    old = Settlement.objects.get(market=market, number=made.number - 1).bank
    assert old is not None
    bets = counted_bets(market, made)
    new = sum(bet.stake for bet in bets) - judgement(market, made, bets).paid
    needed = max(old, old - new, 0)
    lock([market.escrow, bank_of(market)])
    if needed > bank_of(market).available:
        raise BankLimit("The bank cannot cover this ruling; fund it first.")
    keep_reserve(market, needed, at, limited=False)
    market.save(update_fields=["reserve"])


# --- steps -------------------------------------------------------------------------------------------

Step = Callable[[Market, Settlement, datetime], None]


def _next(market: Market, made: Settlement) -> Step:
    if made.gross is None:
        left = made.number > 1 and payouts_of(market, made.number - 1).exists()
        return _take_back if left else _judge
    return _pay if made.paid_through < market.bets_made else _end


def _take_back(market: Market, made: Settlement, at: datetime) -> None:
    payouts = list(payouts_of(market, made.number - 1).with_accounts()[:REVERSED_AT_ONCE])
    lendable = _receivable(market, (UUID(payout.credit.key) for payout in payouts))
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
    site = SiteAccounts.of(market)
    lock_reserve(market)
    lock([market.escrow, *site.accounts])
    if market.rules.priced:
        keep_reserve(market, 0, at)
        market.save(update_fields=["reserve"])
    if made.number > 1:
        for transfer in site_transfers_of(market, made.number - 1).order_by("-position"):
            _reverse(market, transfer, made, at)
        Settlement.objects.filter(market=market, number=made.number - 1).update(reversed_at=at)
    judge(market, made)
    site.post(market, made, at)


def _pay(market: Market, made: Settlement, at: datetime) -> None:
    pay_chunk(market, made, PAID_AT_ONCE, at)


def _end(market: Market, made: Settlement, at: datetime) -> None:
    made.done_at = at
    made.save(update_fields=["done_at"])
    market.status = MarketStatus.VOID if made.void else MarketStatus.SETTLED
    market.version += 1
    market.ended_at = at
    market.save(update_fields=["status", "version", "ended_at"])


def pay_chunk(market: Market, made: Settlement, most: int, at: datetime) -> None:
    """Pay the returns of the next `most` bets by number in one statement, and store the last number paid."""
    after, through = made.paid_through, min(made.paid_through + most, market.bets_made)
    post_query(
        key=f"{settlement_key(market, made.number)}:pay:{after}",
        fingerprint=fingerprint("settlement", str(market.pk), made.number, after, through),
        debit=market.escrow,
        legs=_RETURNS,
        parameters=[stored(market.pk), made.number, after, through],
        subject=market.owner,
        event=made.event,
        actor=made.actor,
        at=at,
    )
    made.paid_through = through
    made.save(update_fields=["paid_through"])


_RETURNS = """
SELECT row_number() OVER (ORDER BY number) - 1 AS leg, purse_id AS credit_id, returned AS amount,
    CASE status WHEN 'refunded' THEN 'bet refunded' ELSE 'bet won' END AS reason
FROM ledger_bet
WHERE market_id = %s AND settlement = %s AND number > %s AND number <= %s AND returned > 0"""


# --- results of bets --------------------------------------------------------------------------------


class Standing(NamedTuple):
    """The columns of a bet that decide its result."""

    number: int
    runner: str
    stake: int
    price: str
    void: bool


def counted_bets(market: Market, made: Settlement) -> list[Standing]:
    """Return the bets that were not cancelled, in order. Bets after the start or on a withdrawn runner are void."""
    void = Q(runner__withdrawn_at__isnull=False)
    if made.off is not None:
        void |= Q(placed_at__gte=made.off)
    bets = market.bets.exclude(status=BetStatus.CANCELLED).order_by("number")
    # The database compares the times, because loading ten thousand of them costs more than judging the bets.
    rows = bets.annotate(void=ExpressionWrapper(void, BooleanField())).values_list(
        "number", "runner__name", "stake", "price", "void"
    )
    return [Standing(*row) for row in rows.iterator(chunk_size=2000)]


def judgement(market: Market, made: Settlement, bets: Sequence[Standing]) -> Judgement:
    """Compute the results of these bets for a settlement. Writes nothing."""
    wagers = [Wager(bet.runner, bet.stake, _odds(bet), bet.void) for bet in bets]
    if made.void:
        return refund_all(wagers)
    return market.rules.judge(wagers, made.winners, market.terms)


def _odds(bet: Standing) -> Fraction | None:
    return prices.parse(bet.price) if bet.price else None


def judge(market: Market, made: Settlement) -> None:
    """Write the return of each bet, and the totals of the settlement."""
    bets = counted_bets(market, made)
    found = judgement(market, made, bets)
    _write(market, made, bets, found)
    made.gross = sum(bet.stake for bet in bets)
    made.paid = found.paid
    made.takeout = found.takeout
    made.breakage = found.breakage
    made.bank = made.gross - found.paid - found.takeout - found.breakage
    made.save(update_fields=["gross", "paid", "takeout", "breakage", "bank"])


def _write(market: Market, made: Settlement, bets: Sequence[Standing], found: Judgement) -> None:
    won = frozenset(made.winners)
    rows: list[tuple[int, str, int]] = []
    for bet, returned, refunded in zip(bets, found.returns, found.refunded, strict=True):
        if refunded:
            status = BetStatus.REFUNDED
        elif bet.runner in won:
            status = BetStatus.WON
        else:
            status = BetStatus.LOST
        rows.append((bet.number, status.value, returned))
    id: Any = Market._meta.pk.get_db_prep_value(market.pk, connection)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_JUDGE_ALL, [json.dumps(rows), made.number, id])
        else:
            # SQLite has no index for a join with JSON values.
            cursor.executemany(
                _JUDGE_ONE, [(status, returned, made.number, id, number) for number, status, returned in rows]
            )


_JUDGE_ALL = (
    "WITH judged (number, status, returned) AS "
    "(SELECT (value->>0)::int, value->>1, (value->>2)::bigint FROM json_array_elements(%s::json)) "
    "UPDATE ledger_bet SET status = judged.status, returned = judged.returned, settlement = %s "
    "FROM judged WHERE ledger_bet.market_id = %s AND ledger_bet.number = judged.number"
)
_JUDGE_ONE = (
    "UPDATE ledger_bet SET status = %s, returned = %s, settlement = %s WHERE market_id = %s AND number = %s"
)


# --- the site's part -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SiteAccounts:
    """The site's accounts that take part in a market's settlement."""

    bank: Account | None
    takeout: Account | None
    breakage: Account | None

    @classmethod
    def of(cls, market: Market) -> SiteAccounts:
        if market.play:
            return cls(None, None, None)
        if market.rules.priced:
            return cls(bank_of(market), None, None)
        return cls(None, _site_account(Purpose.TAKEOUT, market), _site_account(Purpose.BREAKAGE, market))

    @property
    def accounts(self) -> list[Account]:
        return [each for each in (self.bank, self.takeout, self.breakage) if each is not None]

    def post(self, market: Market, made: Settlement, at: datetime) -> None:
        """Move takeout, breakage, and the bank's result, so that the escrow holds exactly the returns of the bets."""
        assert made.takeout is not None
        assert made.breakage is not None
        assert made.bank is not None
        legs = []
        if self.bank is not None and made.bank > 0:
            legs.append(Leg(market.escrow, self.bank, made.bank, "stakes kept"))
        if self.bank is not None and made.bank < 0:
            legs.append(Leg(self.bank, market.escrow, -made.bank, "winnings at fixed odds"))
        if self.takeout is not None and made.takeout:
            legs.append(Leg(market.escrow, self.takeout, made.takeout, "takeout"))
        if self.breakage is not None and made.breakage:
            legs.append(Leg(market.escrow, self.breakage, made.breakage, "breakage"))
        if legs:
            post(
                key=f"{settlement_key(market, made.number)}:house",
                legs=legs,
                subject=market.owner,
                event=made.event,
                actor=made.actor,
                at=at,
            )


def _site_account(purpose: Purpose, market: Market) -> Account:
    return account(owner=OwnerKind.HOUSE, purpose=purpose, currency=market.currency)


# --- transfers of a settlement --------------------------------------------------------------------------


def settlement_key(market: Market, number: int) -> str:
    return f"{market.owner}:settlement:{number}"


def payouts_of(market: Market, number: int) -> TransferQuerySet:
    """Return the payments of a settlement to bettors that are not reversed, in order."""
    key = f"{settlement_key(market, number)}:pay:"
    return _not_reversed(market).filter(key__startswith=key).order_by("position")


def site_transfers_of(market: Market, number: int) -> TransferQuerySet:
    """Return the transfers of a settlement to and from the site that are not reversed."""
    return _not_reversed(market).filter(key=f"{settlement_key(market, number)}:house")


def _not_reversed(market: Market) -> TransferQuerySet:
    return Transfer.objects.filter(subject=market.owner, reversed_by=None)


def transfers_of_resettlement(owner: str, number: int) -> list[Transfer]:
    """Return the transfers of a market's settlement after a ruling: its reversals and its payments."""
    before, made = f"{owner}:settlement:{number - 1}:", f"{owner}:settlement:{number}:"
    # Includes amounts lent for a reversal, which are in the same posting.
    back = Transfer.objects.filter(subject=owner, reverses__key__startswith=before).values("key")
    rows = Transfer.objects.with_accounts().filter(subject=owner)
    rows = rows.filter(Q(key__in=back) | Q(key__startswith=made, reverses=None))
    return list(rows.order_by("epoch", "xact", "position"))
