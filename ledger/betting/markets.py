"""Markets: opened, priced, closed by the event that ends betting, and reopened at new prices.

Functions join the caller's transaction. The market's row is locked before any account and orders concurrent calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core.errors import Forbidden, first_or_raise
from core.prepared import Prepared
from ledger.betting import prices as odds
from ledger.betting.kinds import KINDS
from ledger.betting.models import Market, MarketStatus, Runner
from ledger.betting.terms import MOST_RUNNERS, Terms
from ledger.core.keys import once
from ledger.core.postings import account, fingerprint
from ledger.errors import (
    BadMarket,
    MarketClosed,
    MarketEnded,
    MarketNotClosed,
    StakeTableClosed,
    UnknownCurrency,
    UnknownMarket,
    UnknownRunner,
)
from ledger.models import OwnerKind, Purpose
from ledger.money import money
from ledger.stakes.tables import stake_table, terms_at


def open_market(
    *,
    subject: str,
    kind: str,
    runners: Sequence[str],
    currency: str,
    terms: Terms,
    opened_by: str,
    at: datetime,
    key: str | None = None,
    field_open: bool = False,
) -> Market:
    """Open a market on `subject`: fixed odds (`fixed`, quoted before the first bet) or a `pool`.

    The bounds of stakes are those of the stake table now. Without a key, a subject has one market of each kind. The
    same key with the same content returns the same market. With `field_open` a pool may begin with fewer than two
    runners, because others are added later (`add_runner`).

    Raises BadMarket, StakeTableClosed, UnknownStakeTable, UnknownCurrency, KeyReused.
    """
    key = f"market:{subject}:{kind}" if key is None else key
    print_ = fingerprint("market", subject, kind, list(runners), currency, str(terms), opened_by)
    _check_form(subject, kind, runners, terms, may_be_empty=field_open)
    table = stake_table(terms.stake_table)
    offered = terms_at(table, at)
    if not offered.open:
        raise StakeTableClosed()
    if table.currency != currency:
        raise UnknownCurrency(f"{table.slug} plays in {table.currency}.")
    return made_once(
        key,
        print_,
        runners,
        terms,
        subject=subject,
        kind=kind,
        currency=currency,
        stake_table=table,
        cap=terms.cap,
        minimum=offered.minimum,
        maximum=offered.maximum,
        stake_step=offered.step,
        opened_by=opened_by,
        opened_at=at,
    )


def made_once(
    key: str, print_: str, runners: Sequence[str], terms: Terms, *, currency: str, **columns: Any
) -> Market:
    """Return the market of a key; create it with its escrow and runners if it is missing. Raises KeyReused."""

    def make() -> Market:
        id = uuid4()
        market = Market.objects.create(
            id=id,
            key=key,
            fingerprint=print_,
            currency=currency,
            escrow=account(owner=f"{OwnerKind.MARKET}:{id}", purpose=Purpose.ESCROW, currency=currency),
            margin=terms.margin,
            takeout=terms.takeout,
            step=terms.step,
            on_draw=terms.on_draw,
            cancellable=terms.cancellable,
            in_running=terms.in_running,
            **columns,
        )
        Runner.objects.bulk_create(
            Runner(market=market, number=number, name=name) for number, name in enumerate(runners)
        )
        return market

    return once(Market, key, print_, make)


_by_key = Prepared(Market, "key")


def market_with_key(key: str) -> Market | None:
    return _by_key.find(key)


def quote(*, market: UUID | Market, prices: Mapping[str, Fraction], at: datetime) -> Market:
    """Offer fixed odds while betting is open, from the fair return of one unit on each runner.

    The margin is deducted and the rest rounded down to the ladder. A runner without a fair return, or whose price is
    not on the ladder, is not offered. Unchanged prices change nothing.

    Raises UnknownMarket, UnknownRunner, BadMarket, MarketEnded.
    """
    with transaction.atomic():
        locked = locked_market(market)
        if locked.status != MarketStatus.OPEN:
            raise MarketEnded("Prices are quoted while betting is open.")
        if _price(locked, prices):
            locked.version += 1
            locked.save(update_fields=["version"])
        return locked


def close_market(*, market: UUID | Market, event: int, at: datetime) -> Market:
    """Close betting in the transaction of the event (by version) that ends it. A closed market is unchanged.

    Raises UnknownMarket.
    """
    with transaction.atomic():
        closing = locked_market(market)
        if closing.status == MarketStatus.OPEN:
            closing.status = MarketStatus.CLOSED
            closing.version += 1
            closing.closed_event = event
            closing.closed_at = at
            closing.save(update_fields=["status", "version", "closed_event", "closed_at"])
        return closing


def reopen_market(
    *, market: UUID | Market, prices: Mapping[str, Fraction], event: int, at: datetime
) -> Market:
    """Reopen a closed market at fixed odds with new prices, as `quote` takes them. Idempotent per event.

    Bets of an earlier round remain and can no longer be cancelled. Raises UnknownMarket, UnknownRunner, BadMarket,
    MarketEnded, MarketNotClosed.
    """
    with transaction.atomic():
        opening = locked_market(market)
        if opening.status == MarketStatus.OPEN:
            if opening.opened_event == event:
                return opening
            raise MarketNotClosed()
        if opening.status != MarketStatus.CLOSED:
            raise MarketEnded()
        if not opening.in_running:
            raise BadMarket("This market does not reopen.")
        opening.status = MarketStatus.OPEN
        opening.version += 1
        opening.round += 1
        opening.opened_event = event
        opening.closed_at = None
        opening.save(update_fields=["status", "version", "round", "opened_event", "closed_at"])
        _price(opening, prices)
        return opening


def bet_seeds(market: UUID | Market) -> list[str]:
    """Return the client seeds of all bets in order, including cancelled bets."""
    id = market.pk if isinstance(market, Market) else market
    return list(Market.objects.get(pk=id).bets.order_by("number").values_list("client_seed", flat=True))


# --- parts -------------------------------------------------------------------------------------------


def locked_market(market: UUID | Market) -> Market:
    """Return the market, locked until the transaction ends. Raises UnknownMarket."""
    id = market.pk if isinstance(market, Market) else market
    return first_or_raise(
        Market.objects.select_for_update(of=("self",), no_key=True)
        .select_related("escrow", "stake_table")
        .filter(pk=id),
        UnknownMarket,
    )


def check_name(runner: str) -> None:
    """Check the name of a runner. Raises BadMarket."""
    if not (1 <= len(runner) <= 64 and runner.isprintable()):
        raise BadMarket("A runner's name is 1 to 64 printable characters.")


def _check_form(subject: str, kind: str, runners: Sequence[str], terms: Terms, *, may_be_empty: bool) -> None:
    rules = KINDS.get(kind)
    if rules is None:
        raise BadMarket(f"A market is of kind {' or '.join(KINDS)}.")
    if faults := rules.faults(terms):
        raise BadMarket(" ".join(faults))
    least = 0 if may_be_empty and not rules.priced else 2
    if not least <= len(runners) <= MOST_RUNNERS or len(set(runners)) != len(runners):
        raise BadMarket(f"A market has {least} to {MOST_RUNNERS} different runners.")
    for name in runners:
        check_name(name)
    if not 1 <= len(subject) <= 80:
        raise BadMarket("A market's subject is 1 to 80 characters.")


def _price(market: Market, fair: Mapping[str, Fraction]) -> bool:
    """Set the prices that follow from the fair returns; return whether any changed."""
    if not market.rules.priced:
        raise BadMarket("A pool has no prices.")
    runners = list(market.runners.all())
    if unknown := set(fair) - {runner.name for runner in runners}:
        raise UnknownRunner(f"The market has no runner {min(unknown)}.")
    moved = []
    for runner in runners:
        price = odds.offered(fair[runner.name], market.margin) if runner.name in fair else None
        if odds.stored(price) != runner.price:
            runner.price, runner.price_hundredths = odds.stored(price), price
            moved.append(runner)
    Runner.objects.bulk_update(moved, ["price", "price_hundredths"])
    return bool(moved)


def add_runner(*, market: UUID | Market, name: str) -> Runner:
    """Add a runner to an open pool. A runner that exists is unchanged.

    Raises UnknownMarket, MarketClosed, BadMarket.
    """
    check_name(name)
    with transaction.atomic():
        locked = _open_pool(market)
        runners = locked.runners.all()
        if known := runners.filter(name=name).first():
            return known
        number = runners.count()
        if number >= MOST_RUNNERS:
            raise BadMarket(f"A market has at most {MOST_RUNNERS} runners.")
        return Runner.objects.create(market=locked, number=number, name=name)


def withdraw_runner(*, market: UUID | Market, name: str, at: datetime) -> None:
    """Take no more bets on a runner of an open pool. Bets on it are void: refunded without takeout at the settlement.

    Until betting closes, their players may cancel them whatever the terms are.

    Raises UnknownMarket, UnknownRunner, MarketClosed, BadMarket.
    """
    with transaction.atomic():
        locked = _open_pool(market)
        if not locked.runners.filter(name=name).exists():
            raise UnknownRunner(f"The market has no runner {name[:64]}.")
        locked.runners.filter(name=name, withdrawn_at=None).update(withdrawn_at=at)


def _open_pool(market: UUID | Market) -> Market:
    locked = locked_market(market)
    if locked.rules.priced:
        # The prices of the other runners would no longer be fair.
        raise BadMarket("At fixed odds the runners cannot change.")
    if locked.status != MarketStatus.OPEN:
        raise MarketClosed()
    return locked


def allowed_terms(user: Any, terms: Terms) -> Terms:
    """Return the terms on which this user may open a market. An organizer's terms without a cap get the highest cap.

    Raises Forbidden.
    """
    if user.has_perm("ledger.open_market"):
        return terms
    if not user.has_perm("ledger.offer_market"):
        raise Forbidden("Markets are opened by administrators, and by organizers within their limit.")
    most = settings.RACECARD_ORGANIZER_MARKET_CAP
    if terms.cap is None:
        return replace(terms, cap=most)
    if terms.cap > most:
        raise Forbidden(
            f"An organizer's market is capped at {money(most, settings.RACECARD_CURRENCY)} at most."
        )
    return terms


def markets() -> QuerySet[Market]:
    return Market.objects.select_related("stake_table").prefetch_related("runners")


def market(id: UUID) -> Market:
    """Return a market with its runners. Raises UnknownMarket."""
    return first_or_raise(markets().filter(pk=id), UnknownMarket)
