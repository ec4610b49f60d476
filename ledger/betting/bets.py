"""Bets: placed while a market is open, cancelled if its terms allow it, voided before they arrive.

A bet moves its stake from the player's cash to the market's escrow. At fixed odds the bank holds the largest net win of
any one runner. Stakes on other runners are not offset, so a cancellation never leaves the bank short.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from core.errors import KeyReused, Unavailable, first_or_raise
from core.prepared import Joined, Prepared
from core.sql import Statement, columns, in_one_transaction, insertion, locking, stored, write_all
from ledger import hooks
from ledger.betting import prices
from ledger.betting.kinds import PRICED
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
from ledger.core.holds import hold, new_hold, release, releasing
from ledger.core.holds import locked as locked_hold
from ledger.core.models import player_owner
from ledger.core.postings import IN_ORDER, Leg, account, check_amount, fingerprint, lock, post, posting
from ledger.errors import (
    BadBet,
    BalanceTooLarge,
    BankLimit,
    BetEnded,
    BetNotCancellable,
    BetVoided,
    InsufficientFunds,
    MarketClosed,
    MarketFull,
    NoPlayMoney,
    PriceMoved,
    RunnerWithdrawn,
    UnknownBet,
    UnknownCurrency,
    UnknownMarket,
    UnknownRunner,
)
from ledger.limits.protection import check_play_allowed, precheck_stake, protect_by_default
from ledger.models import Account, Hold, OwnerKind, Purpose, StakeTable
from ledger.money import MOST_PENCE, money
from ledger.stakes.tables import terms_at

MARKET_ACTOR = "system:markets"


def place_bet(
    *,
    market: UUID | Market,
    player: UUID,
    runner: str,
    stake: int,
    price: str | None = None,
    price_hundredths: int | None = None,
    client_seed: str = "",
    currency: str | None = None,
    key: str,
    at: datetime,
    market_locked: bool = False,
) -> Bet:
    """Place a bet of `stake` pence of cash or play money on a runner. The same key with the same content returns the
    same bet.

    At fixed odds the price that the player saw is `price_hundredths`, such as 350, or `price`, the odds as text such as
    "5/2"; in a pool both are None. `currency`, if given, must be the market's. The market's row, not `at`, decides
    whether the bet came before betting closed. `market_locked` says that an earlier statement of this transaction has
    locked it.

    Raises BadAmount, BadBet, UnknownMarket, UnknownCurrency, UnknownRunner, RunnerWithdrawn, MarketClosed, PriceMoved,
    PlayStopped, LimitReached, NoPlayMoney, MarketFull, BankLimit, InsufficientFunds, BetVoided, KeyReused.
    """
    check_amount(stake)
    check_client_seed(client_seed)
    asked = _asked(price, price_hundredths)
    id = market.pk if isinstance(market, Market) else market
    print_ = fingerprint("bet", str(id), str(player), runner, stake, price or price_hundredths, client_seed)
    with in_one_transaction():
        if not market_locked:
            _lock(id)
        protect_by_default(player, at=at)
        read = _read(id, player, runner, key, at)
        locked = read.market
        if currency not in (None, locked.currency):
            raise UnknownCurrency(f"Stakes in this market are {locked.currency}.")
        if read.placed is not None:
            if read.placed != print_:
                raise KeyReused()
            return Bet.objects.get(key=key)
        backed = _backed(read, runner)
        _check_bounds(locked, stake)
        _check_price(locked, backed, asked)
        hooks.check_bet(locked, backed, player)
        if read.protected:
            _check_limits(locked, player, stake, at)
        bet = Bet(
            id=uuid4(),
            key=key,
            fingerprint=print_,
            market=locked,
            number=locked.bets_made + 1,
            round=locked.round,
            player=player,
            purse=_purse(read, player, stake),
            runner=backed,
            stake=stake,
            price=backed.price,
            price_hundredths=backed.price_hundredths,
            most=None if asked is None else prices.payout(stake, prices.parse(backed.price)),
            client_seed=client_seed,
            placed_at=at,
        )
        if not _store(read, bet, at):
            hooks.explain_refused_bet(locked, backed, player)
            raise Unavailable(retry_after=1)
        return bet


def _backed(read: _Read, runner: str) -> Runner:
    """Return the runner if a bet on it can be placed now."""
    if read.voided:
        raise BetVoided()
    if read.market.status != MarketStatus.OPEN:
        raise MarketClosed()
    if read.runner is None:
        raise UnknownRunner(f"The market has no runner {runner[:64]}.")
    if read.runner.withdrawn_at is not None:
        raise RunnerWithdrawn()
    return read.runner


def cancel_bet(*, bet: UUID | Bet, player: UUID, key: str, at: datetime) -> Bet:
    """Cancel a bet in the betting round in which it was placed, if the market's terms allow it or the runner has
    withdrawn.

    Its client seed keeps its place. Raises UnknownBet (also for another player's bet), BetNotCancellable, BetEnded,
    MarketClosed.
    """
    id = bet.pk if isinstance(bet, Bet) else bet
    with transaction.atomic():
        market = first_or_raise(
            Bet.objects.filter(pk=id, player=player).values_list("market", flat=True), UnknownBet
        )
        locked = locked_market(market)
        cancelling = Bet.objects.select_related("runner", "purse").get(pk=id)
        if cancelling.status == BetStatus.CANCELLED and cancelling.cancel_key == key:
            return cancelling
        _take_back(locked, cancelling, key, at)
        return cancelling


def void_bet(*, market: UUID | Market, player: UUID, bet_key: str, key: str, at: datetime) -> Bet | None:
    """Cancel the bet that was placed under a key. If it has not arrived, return None and refuse it when it arrives.

    Raises what `cancel_bet` does, and UnknownMarket.
    """
    with transaction.atomic():
        locked = locked_market(market)
        known = Bet.objects.filter(key=bet_key).first()
        if known is not None:
            return cancel_bet(bet=known, player=player, key=key, at=at)
        VoidedBet.objects.get_or_create(key=bet_key, defaults={"market": locked, "player": player, "at": at})
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


def keep_reserve(market: Market, amount: int, at: datetime, *, limited: bool = True) -> None:
    """Make the bank hold exactly this amount for the market. Lock the old hold, then the bank, first.

    The stake table's limit does not apply to a smaller hold, nor to a ruling (`limited` False). Raises BankLimit.
    """
    old = market.reserve
    if old is not None and old.amount == amount:
        return
    if old is not None:
        market.reserve = None
        release(hold=old, actor=MARKET_ACTOR, at=at)
    if amount > 0:
        bank = bank_of(market)
        grows = limited and (old is None or amount > old.amount)
        if amount > MOST_PENCE or (grows and _beyond_limit(market, bank.held + amount, at)):
            raise BankLimit()
        try:
            market.reserve = hold(**_reserve(market, bank, amount, at))
        except InsufficientFunds as error:
            raise BankLimit() from error


def _reserve(market: Market, bank: Account, amount: int, at: datetime) -> dict[str, Any]:
    """Return the hold of a market's possible loss."""
    return {
        "key": f"{market.owner}:reserve:{uuid4()}",
        "account": bank,
        "amount": amount,
        "subject": market.owner,
        "expires_at": None,
        "actor": MARKET_ACTOR,
        "at": at,
    }


def _beyond_limit(market: Market, held: int, at: datetime) -> bool:
    assert market.stake_table is not None
    limit = terms_at(market.stake_table, at).bank_limit
    return limit is not None and held > limit


def lock_reserve(market: Market) -> None:
    if market.reserve_id is not None:
        market.reserve = locked_hold(market.reserve_id)


# --- parts -------------------------------------------------------------------------------------------


class _Read(NamedTuple):
    """What a bet depends on. The market's row has been locked before; player, hold, and accounts are locked as well."""

    market: Market
    table: StakeTable | None
    runner: Runner | None
    reserve: Hold | None
    purse: Account | None
    bank: Account | None
    placed: str | None
    """The fingerprint of the bet that was placed under this key."""
    voided: bool
    protected: bool
    """Whether the player may have limits."""
    staked: int
    """The stakes on all runners."""
    others: int
    """The largest net win of the bets on another runner."""
    bank_limit: int | None


def _lock(market: UUID) -> None:
    """Lock the market. A later statement sees what earlier holders of the lock have written."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM ledger_market WHERE id = %s {locking()}", [stored(market)])  # noqa: S608


def _read(market: UUID, player: UUID, runner: str, key: str, at: datetime) -> _Read:
    """Return what a bet depends on, in one statement, which locks in the order of the ledger. Raises UnknownMarket."""
    id, owner = stored(market), stored(player)
    rows = _reading.rows(
        market,
        *(owner, id),  # player and hold
        *(id, id, owner, id, str(player), id),  # accounts
        *(key, key, runner, connection.ops.adapt_datetimefield_value(at)),  # further values
        runner,
        before=_LOCKING[connection.vendor],
    )
    if not rows:
        raise UnknownMarket()
    return _Read(*rows[0])


# A player's cash is found by its name. A condition that counts the rows of the part before orders the locks.
_ACCOUNTS = f"""
SELECT escrow_id FROM ledger_market WHERE id = %s
UNION ALL SELECT b.account_id FROM ledger_market m JOIN ledger_playbank b ON b.event = m.play
WHERE m.id = %s AND b.player = %s
UNION ALL SELECT a.id FROM ledger_market m JOIN ledger_account a ON a.currency = m.currency
WHERE m.id = %s AND m.play = '' AND a.kind = '{OwnerKind.PLAYER}' AND a.key = %s AND a.purpose = '{Purpose.CASH}'
UNION ALL SELECT a.id FROM ledger_market m JOIN ledger_staketable t ON t.id = m.stake_table_id
JOIN ledger_account a ON a.currency = m.currency AND a.key = t.slug
WHERE m.id = %s AND m.kind IN ({", ".join(repr(name) for name in PRICED)})
AND a.kind = '{OwnerKind.HOUSE}' AND a.purpose = '{Purpose.BANK}'"""  # noqa: S608 (names of our own)


def _locking_clause(materialized: str, lock: str, accounts: str) -> str:
    return (
        f"WITH player AS {materialized} (SELECT 1 FROM ledger_protectedplayer WHERE player = %s {lock}), "  # noqa: S608
        f"reserve AS {materialized} (SELECT {columns(Hold)} FROM ledger_hold WHERE id = (SELECT reserve_id "
        f"FROM ledger_market WHERE id = %s) AND (SELECT count(*) FROM player) >= 0 {lock}), "
        f"accounts AS {materialized} (SELECT {columns(Account)} FROM ledger_account WHERE id {accounts} "
        f"AND (SELECT count(*) FROM reserve) >= 0 {IN_ORDER} {lock}) "
    )


_LOCKING = {
    "postgresql": _locking_clause("MATERIALIZED", "FOR NO KEY UPDATE", f"= ANY(ARRAY({_ACCOUNTS}))"),
    "sqlite": _locking_clause("", "", f"IN ({_ACCOUNTS})"),
}
_RUNNERS = "FROM ledger_runner WHERE market_id = ledger_market.id"
_reading = Prepared(
    Market,
    "id",
    related="stake_table",
    joined=[
        Joined("runner", Runner, "runner.market_id = ledger_market.id AND runner.name = %s"),
        Joined("reserve", Hold, "1 = 1", source="reserve"),
        Joined("purse", Account, "purse.kind IN ('player', 'play')", source="accounts"),
        Joined("bank", Account, "bank.kind = 'house'", source="accounts"),
    ],
    more=[
        "(SELECT fingerprint FROM ledger_bet WHERE key = %s)",
        "EXISTS (SELECT 1 FROM ledger_voidedbet WHERE key = %s)",
        "EXISTS (SELECT 1 FROM player)",
        f"(SELECT CAST(coalesce(sum(stakes), 0) AS bigint) {_RUNNERS})",
        f"(SELECT coalesce(max(returns - stakes), 0) {_RUNNERS} AND name <> %s)",
        "(SELECT bank_limit FROM ledger_staketerms WHERE table_id = ledger_market.stake_table_id "
        "AND effective_from <= %s ORDER BY number DESC LIMIT 1)",
    ],
)


def _check_limits(market: Market, player: UUID, stake: int, at: datetime) -> None:
    """Raises PlayStopped, LimitReached. Limits do not count play money."""
    if market.play:
        check_play_allowed(player=player, at=at)
    else:
        precheck_stake(player=player, amount=stake, currency=market.currency, at=at)


def _purse(read: _Read, player: UUID, stake: int) -> Account:
    """Return the account that pays the stake. Raises NoPlayMoney, InsufficientFunds."""
    purse, market = read.purse, read.market
    if purse is None and market.play:
        raise NoPlayMoney
    if purse is None or purse.available < stake:
        available = 0 if purse is None else purse.available
        raise InsufficientFunds(
            f"There are {money(available, market.currency)}.",
            account=f"{player_owner(player)}/{Purpose.CASH}" if purse is None else purse.text,
            available=available,
            currency=market.currency,
        )
    return purse


def _asked(price: object, hundredths: int | None) -> Fraction | None:
    """Return the odds that a bet states. Raises BadBet."""
    if price is None:
        return None if hundredths is None else prices.of_hundredths(hundredths)
    if hundredths is not None:
        raise BadBet("A bet states its price once: `price_hundredths`, or `price`.")
    try:
        return prices.parse(price if isinstance(price, str) else "")
    except ValueError as error:
        raise BadBet("A price is odds to one as a fraction, such as 5/2.") from error


def _check_bounds(market: Market, stake: int) -> None:
    if not market.minimum <= stake <= market.maximum or stake % market.stake_step:
        step, minimum, maximum = (
            money(amount, market.currency) for amount in (market.stake_step, market.minimum, market.maximum)
        )
        raise BadBet(
            f"Stakes here are multiples of {step} from {minimum} to {maximum}.",
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
        raise PriceMoved(price=prices.shown(runner.price), price_hundredths=runner.price_hundredths)


def _store(read: _Read, bet: Bet, at: datetime) -> bool:
    """Store a bet with its money, unless a guard's condition is false. Raises BankLimit, MarketFull."""
    market, runner = read.market, bet.runner
    runner.stakes += bet.stake
    runner.returns += bet.most or 0
    replaced: list[Statement] = []
    if market.rules.priced:
        replaced = _cover(read, bet, at)
    elif market.cap is not None and read.staked + bet.stake > market.cap:
        raise MarketFull()
    market.bets_made = bet.number
    allowed = hooks.bet_condition(market, bet.player)
    # The bet is new, so its key is too.
    leg = Leg(bet.purse, Account(pk=market.escrow_id, currency=market.currency), bet.stake, "bet")
    try:
        return write_all(
            Statement(
                f"{_COUNT} AND {allowed.sql}",
                [market.bets_made, stored(market.reserve_id), stored(market.pk), *allowed.parameters],
            ),
            *replaced,
            Statement(_BACK, [runner.stakes, runner.returns, runner.pk]),
            insertion(bet),
            posting(leg=leg, at=at, **_named(market, bet, "stake")),
        )
    except IntegrityError as error:
        raise (BalanceTooLarge() if "account_sums_bounded" in str(error) else error) from error


_COUNT = "UPDATE ledger_market SET bets_made = %s, reserve_id = %s{after} WHERE ledger_market.id = %s"
_BACK = "UPDATE ledger_runner SET stakes = %s, returns = %s{after} WHERE ledger_runner.id = %s"


def _cover(read: _Read, bet: Bet, at: datetime) -> list[Statement]:
    """Return the statements that make the bank hold the largest net win with this bet.

    Raises BankLimit, MarketFull.
    """
    market, old, bank = read.market, read.reserve, read.bank
    amount = max(read.others, bet.runner.returns - bet.runner.stakes)
    if bet.most is None or max(bet.most, amount) > MOST_PENCE:
        raise BankLimit()
    if market.cap is not None and amount > market.cap:
        raise MarketFull()
    was = 0 if old is None else old.amount
    if amount == was:
        return []
    held = (0 if bank is None else bank.held) - was + amount
    if bank is None or bank.total < held:
        raise BankLimit()
    if amount > was and read.bank_limit is not None and held > read.bank_limit:
        raise BankLimit()
    new = new_hold(**_reserve(market, bank, amount, at))
    market.reserve = new
    return [*([] if old is None else [releasing(old, actor=MARKET_ACTOR, at=at)]), insertion(new)]


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
    leg = Leg(market.escrow, bet.purse, bet.stake, "bet cancelled")
    post(legs=[leg], at=at, **_named(market, bet, "cancelled"))


def _named(market: Market, bet: Bet, what: str) -> dict[str, Any]:
    """Return the key, the subject, and the actor of a posting for a bet."""
    return {
        "key": f"bet:{bet.pk}:{what}",
        "subject": market.owner,
        "actor": player_owner(bet.player),
    }


def bets_of(player: UUID) -> QuerySet[Bet]:
    """Return a player's own bets."""
    return Bet.objects.filter(player=player).select_related("market", "runner")


def bet(*, player: UUID, id: UUID) -> Bet:
    """Return a player's own bet. Raises UnknownBet, also for another player's bet."""
    return first_or_raise(bets_of(player).filter(pk=id), UnknownBet)
