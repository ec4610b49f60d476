"""Bets: placed while a market is open, cancelled if its terms allow it, voided before they arrive.

A bet moves its stake from the player's cash to the market's escrow. At fixed odds the bank holds the largest net win of
any one runner. Stakes on other runners are not offset, so a cancellation never leaves the bank short.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import QuerySet

from core.errors import KeyReused
from core.prepared import Prepared
from core.sql import Statement, select, stored, write_all
from ledger import hooks
from ledger.betting import play, prices
from ledger.betting.markets import locked_market
from ledger.betting.models import (
    BET_SEED_LENGTH,
    Bet,
    BetStatus,
    Market,
    MarketStatus,
    Runner,
    VoidedBet,
)
from ledger.core.holds import hold, release
from ledger.core.holds import locked as locked_hold
from ledger.core.postings import Leg, Name, account, check_amount, fingerprint, lock, lock_numbered, post
from ledger.errors import (
    BadBet,
    BankLimit,
    BetEnded,
    BetNotCancellable,
    BetVoided,
    InsufficientFunds,
    MarketClosed,
    MarketFull,
    PriceMoved,
    RunnerWithdrawn,
    UnknownBet,
    UnknownCurrency,
    UnknownMarket,
    UnknownRunner,
)
from ledger.limits.protection import check_play_allowed, check_stake_allowed
from ledger.models import Account, OwnerKind, Purpose
from ledger.money import MOST_PENCE
from ledger.stakes.tables import terms_at

MARKET_ACTOR = "system:markets"


def place_bet(
    *,
    market: UUID | Market,
    player: UUID,
    runner: str,
    stake: int,
    price: str | None = None,
    client_seed: str = "",
    currency: str | None = None,
    key: str,
    at: datetime,
) -> Bet:
    """Place a bet of `stake` pence of cash or play money on a runner. The same key with the same content returns the
    same bet.

    At fixed odds `price` is the price that the player saw, as text such as "5/2"; in a pool it is None. `currency`, if
    given, must be the market's. The market's row, not `at`, decides whether the bet came before betting closed.

    Raises BadAmount, BadBet, UnknownMarket, UnknownCurrency, UnknownRunner, RunnerWithdrawn, MarketClosed, PriceMoved,
    PlayStopped, LimitReached, NoPlayMoney, MarketFull, BankLimit, InsufficientFunds, BetVoided, KeyReused.
    """
    check_amount(stake)
    check_client_seed(client_seed)
    asked = _asked(price)
    id = market.pk if isinstance(market, Market) else market
    print_ = fingerprint("bet", str(id), str(player), runner, stake, price, client_seed)
    with transaction.atomic():
        standing = _locked(id)
        if currency not in (None, standing.currency):
            raise UnknownCurrency(f"Stakes in this market are {standing.currency}.")
        runners, known = _runners(standing, key, print_)
        if known:
            return known
        if standing.status != MarketStatus.OPEN:
            raise MarketClosed()
        backed = runners.get(runner)
        if backed is None:
            raise UnknownRunner(f"The market has no runner {runner[:64]}.")
        if backed.withdrawn_at is not None:
            raise RunnerWithdrawn()
        _check_bounds(standing, stake)
        _check_price(standing, backed, asked)
        hooks.check_bet(standing, backed, player)
        purse, bank = _purse(standing, player, stake, at)
        bet = Bet(
            id=uuid4(),
            key=key,
            fingerprint=print_,
            market=standing,
            number=standing.bets_made + 1,
            round=standing.round,
            player=player,
            purse=purse,
            runner=backed,
            stake=stake,
            price=backed.price,
            most=None if asked is None else prices.payout(stake, prices.parse(backed.price)),
            client_seed=client_seed,
            placed_at=at,
        )
        _accept(standing, bet, bank, list(runners.values()), at)
        return bet


def cancel_bet(*, bet: UUID | Bet, player: UUID, key: str, at: datetime) -> Bet:
    """Cancel a bet in the betting round in which it was placed, if the market's terms allow it or the runner has
    withdrawn.

    Its client seed keeps its place. Raises UnknownBet (also for another player's bet), BetNotCancellable, BetEnded,
    MarketClosed.
    """
    id = bet.pk if isinstance(bet, Bet) else bet
    with transaction.atomic():
        market = Bet.objects.filter(pk=id, player=player).values_list("market", flat=True).first()
        if market is None:
            raise UnknownBet()
        standing = locked_market(market)
        cancelling = Bet.objects.select_related("runner", "purse").get(pk=id)
        if cancelling.status == BetStatus.CANCELLED and cancelling.cancel_key == key:
            return cancelling
        _take_back(standing, cancelling, key, at)
        return cancelling


def void_bet(*, market: UUID | Market, player: UUID, bet_key: str, key: str, at: datetime) -> Bet | None:
    """Cancel the bet that was placed under a key. If it has not arrived, return None and refuse it when it arrives.

    Raises what `cancel_bet` does, and UnknownMarket.
    """
    with transaction.atomic():
        standing = locked_market(market)
        known = Bet.objects.filter(key=bet_key).first()
        if known is not None:
            return cancel_bet(bet=known, player=player, key=key, at=at)
        VoidedBet.objects.get_or_create(
            key=bet_key, defaults={"market": standing, "player": player, "at": at}
        )
        return None


def check_client_seed(text: object) -> None:
    """Check the client seed of a bet, which has the form of a seat's seed (RULEBOOK 1). Raises BadBet."""
    if (
        not isinstance(text, str)
        or len(text) > BET_SEED_LENGTH
        or "|" in text
        or "\0" in text
        or any("\ud800" <= character <= "\udfff" for character in text)
    ):
        raise BadBet("A client seed is text of at most 64 characters without '|', NUL and lone surrogates.")


# --- the bank's risk -----------------------------------------------------------------------------------


def bank_of(market: Market) -> Account:
    """Return the bank of a market at fixed odds."""
    assert market.stake_table is not None
    return account(owner=market.stake_table.bank_owner, purpose=Purpose.BANK, currency=market.currency)


def risk(runners: Iterable[Runner]) -> int:
    """Return the largest net win of any one runner's bets. Tied runners never win more."""
    return max((runner.returns - runner.stakes for runner in runners), default=0)


def keep_reserve(
    market: Market, amount: int, at: datetime, *, bank: Account | None = None, limited: bool = True
) -> None:
    """Make the bank hold exactly this amount for the market. Lock the old hold, then the bank, first.

    `bank` is the bank if the caller has locked and read it before.

    The stake table's limit applies to new bets only: not to a smaller hold, and not to a ruling (`limited` False).

    Raises BankLimit.
    """
    old = market.reserve
    if old is not None and old.amount == amount:
        return
    if old is not None:
        market.reserve = None
        release(hold=old, actor=MARKET_ACTOR, at=at)
    if amount > 0:
        if bank is None:
            bank = bank_of(market)
            other = bank.held
        else:
            other = bank.held - (0 if old is None else old.amount)
        grows = limited and (old is None or amount > old.amount)
        if amount > MOST_PENCE or (grows and _beyond_limit(market, other + amount, at)):
            raise BankLimit()
        try:
            market.reserve = hold(
                key=f"{market.owner}:reserve:{uuid4()}",
                account=bank,
                amount=amount,
                subject=market.owner,
                expires_at=None,
                actor=MARKET_ACTOR,
                at=at,
            )
        except InsufficientFunds as error:
            raise BankLimit() from error


def _beyond_limit(market: Market, held: int, at: datetime) -> bool:
    assert market.stake_table is not None
    limit = terms_at(market.stake_table, at).bank_limit
    return limit is not None and held > limit


def lock_reserve(market: Market) -> None:
    if market.reserve_id is not None:
        market.reserve = locked_hold(market.reserve_id)


# --- parts -------------------------------------------------------------------------------------------


_markets = Prepared(Market, "id", related="stake_table")


def _locked(market: UUID) -> Market:
    """Return the locked market with its stake table and without its escrow. Raises UnknownMarket."""
    lock = "FOR NO KEY UPDATE OF ledger_market" if connection.vendor == "postgresql" else ""
    found = _markets.find(market, locking=lock)
    if found is None:
        raise UnknownMarket()
    return found


def _runners(market: Market, key: str, print_: str) -> tuple[dict[str, Runner], Bet | None]:
    """Return the runners by name, and the bet that was placed under this key, if any. Raises KeyReused, BetVoided."""
    # Read after the market is locked. Raw SQL, because other bets wait.
    runners = {each.name: each for each in Runner.objects.raw(_RUNNERS, [key, key, stored(market.pk)])}
    first: Any = next(iter(runners.values()), None)
    if first is None:
        return {}, None
    if first.placed is not None and first.placed != print_:
        raise KeyReused()
    if first.placed is not None:
        return runners, Bet.objects.get(key=key)
    if first.voided:
        raise BetVoided()
    return runners, None


_PLACED = "(SELECT fingerprint FROM ledger_bet WHERE key = %s) AS placed"
_VOIDED = "EXISTS (SELECT 1 FROM ledger_voidedbet WHERE key = %s) AS voided"
_RUNNERS = f"{select(Runner, _PLACED, _VOIDED)} WHERE market_id = %s"


def _purse(market: Market, player: UUID, stake: int, at: datetime) -> tuple[Account, Account | None]:
    """Return the locked accounts that pay a stake and, at fixed odds, the winnings, after checking the player's limits
    and locking all accounts of the bet.

    Limits do not count play money. Raises PlayStopped, LimitReached, NoPlayMoney, InsufficientFunds.
    """
    ids, names = [market.escrow_id], []
    if market.play:
        check_play_allowed(player=player, at=at)
        own = play.bank_of(market.play, player)
        paying = own.text
        ids.append(own.pk)
    else:
        check_stake_allowed(player=player, amount=stake, currency=market.currency, at=at)
        cash = Name(f"{OwnerKind.PLAYER}:{player}", Purpose.CASH, market.currency)
        paying = f"{cash.owner}/{cash.purpose}"
        names.append(cash)
    lock_reserve(market)
    if market.rules.priced:
        assert market.stake_table is not None
        names.append(Name(market.stake_table.bank_owner, Purpose.BANK, market.currency))
    standing = {each.text: each for each in lock_numbered(ids, named=names).values()}
    market.escrow = next(each for each in standing.values() if each.pk == market.escrow_id)
    purse = standing.get(paying)
    if purse is None or purse.available < stake:
        available = 0 if purse is None else purse.available
        raise InsufficientFunds(
            f"There are {available} pence.", account=paying, available=available, currency=market.currency
        )
    return purse, next((each for each in standing.values() if each.purpose == Purpose.BANK), None)


def _asked(price: object) -> Fraction | None:
    if price is None:
        return None
    try:
        return prices.parse(price if isinstance(price, str) else "")
    except ValueError as error:
        raise BadBet("A price is odds to one as a fraction, such as 5/2.") from error


def _check_bounds(market: Market, stake: int) -> None:
    if not market.minimum <= stake <= market.maximum or stake % market.stake_step:
        raise BadBet(
            f"Stakes here are multiples of {market.stake_step} pence from {market.minimum} to {market.maximum}.",
            reason="stake",
            step=market.stake_step,
            minimum=market.minimum,
            maximum=market.maximum,
            currency=market.currency,
        )


def _check_price(market: Market, runner: Runner, asked: Fraction | None) -> None:
    if not market.rules.priced:
        if asked is not None:
            raise BadBet("A pool has no prices.")
        return
    if asked is None:
        raise BadBet("A bet at fixed odds states the displayed price.")
    if not runner.price or asked != prices.parse(runner.price):
        raise PriceMoved(price=runner.price or None)


def _accept(market: Market, bet: Bet, bank: Account | None, runners: Sequence[Runner], at: datetime) -> None:
    """Store a bet whose money is locked and sufficient."""
    runner = bet.runner
    runner.stakes += bet.stake
    runner.returns += bet.most or 0
    if market.rules.priced:
        if bet.most is None or bet.most > MOST_PENCE:
            raise BankLimit()
        _cover(market, risk(runners), bank, at)
    elif market.cap is not None and sum(each.stakes for each in runners) > market.cap:
        raise MarketFull()
    market.bets_made = bet.number
    write_all(
        Statement(_BACK, [runner.stakes, runner.returns, runner.pk]),
        Statement(_COUNT, [market.bets_made, stored(market.reserve_id), stored(market.pk)]),
    )
    bet.save(force_insert=True)
    # The bet is new, so its key is too.
    _post(market, bet, Leg(bet.purse, market.escrow, bet.stake, "bet"), "stake", at, prechecked=True)


_BACK = "UPDATE ledger_runner SET stakes = %s, returns = %s WHERE id = %s"
_COUNT = "UPDATE ledger_market SET bets_made = %s, reserve_id = %s WHERE id = %s"


def _cover(market: Market, amount: int, bank: Account | None, at: datetime) -> None:
    if market.cap is not None and amount > market.cap:
        raise MarketFull()
    keep_reserve(market, amount, at, bank=bank)


def _take_back(market: Market, bet: Bet, key: str, at: datetime) -> None:
    if bet.status != BetStatus.OPEN:
        raise BetEnded()
    if market.status != MarketStatus.OPEN or bet.round != market.round:
        raise MarketClosed()
    if not market.cancellable and bet.runner.withdrawn_at is None:
        raise BetNotCancellable("The terms of this market do not allow cancellation.")
    lock_reserve(market)
    lock([bet.purse, market.escrow, *([bank_of(market)] if market.rules.priced else [])])
    runner = bet.runner
    runner.stakes -= bet.stake
    runner.returns -= bet.most or 0
    runner.save(update_fields=["stakes", "returns"])
    bet.status = BetStatus.CANCELLED
    bet.cancelled_at = at
    bet.cancel_key = key
    bet.save(update_fields=["status", "cancelled_at", "cancel_key"])
    if market.rules.priced:
        keep_reserve(market, risk(market.runners.all()), at)
        market.save(update_fields=["reserve"])
    _post(market, bet, Leg(market.escrow, bet.purse, bet.stake, "bet cancelled"), "cancelled", at)


def _post(market: Market, bet: Bet, leg: Leg, what: str, at: datetime, *, prechecked: bool = False) -> None:
    post(
        key=f"bet:{bet.pk}:{what}",
        legs=[leg],
        subject=market.owner,
        actor=f"{OwnerKind.PLAYER}:{bet.player}",
        at=at,
        prechecked=prechecked,
    )


def bets_of(player: UUID) -> QuerySet[Bet]:
    """Return a player's own bets."""
    return Bet.objects.filter(player=player).select_related("market", "runner")


def bet(*, player: UUID, id: UUID) -> Bet:
    """Return a player's own bet. Raises UnknownBet, also for another player's bet."""
    found = bets_of(player).filter(pk=id).first()
    if found is None:
        raise UnknownBet()
    return found
