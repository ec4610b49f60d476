"""Markets: opened, priced, closed by the event that ends betting, opened again at new prices.

All of it runs inside the caller's transaction where there is one. The market's row is locked before any account, and
decides between two that come at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction

from api.prepared import Prepared
from ledger import selectors
from ledger.betting import prices as odds
from ledger.betting.models import Market, MarketKind, MarketStatus, Runner
from ledger.betting.terms import KINDS, MOST_RUNNERS, Terms
from ledger.errors import (
    BadMarket,
    KeyReused,
    MarketEnded,
    MarketNotClosed,
    StakeTableClosed,
    UnknownCurrency,
    UnknownMarket,
    UnknownRunner,
)
from ledger.models import OwnerKind, Purpose
from ledger.posting import account, fingerprint
from ledger.rows import locking, select, stored


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
    """A market on what `subject` comes to: fixed odds (`fixed`, to be quoted before anybody can bet) or a `pool`.

    The bounds of stakes are those that the stake table has now. Without a key of its own a subject has one market of
    each kind; the same key with the same content is the same market. `field_open`: a pool may begin with fewer than two
    runners, or with none, since others will join it (`runners.add_runner`).

    Raises BadMarket, StakeTableClosed, UnknownStakeTable, UnknownCurrency, KeyReused.
    """
    key = f"market:{subject}:{kind}" if key is None else key
    print_ = fingerprint("market", subject, kind, list(runners), currency, str(terms), opened_by)
    _check_form(subject, kind, runners, terms, least=0 if field_open and kind == MarketKind.POOL else 2)
    table = selectors.stake_table(terms.stake_table)
    offered = selectors.terms_at(table, at)
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
    """The market of that key, its escrow and runners: made now, or as it was made before. Raises KeyReused."""
    id = uuid4()
    try:
        with transaction.atomic():
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
    except IntegrityError as error:
        known = with_key(key)
        if known is None:
            raise
        if known.fingerprint != print_:
            raise KeyReused() from error
        return known


_by_key = Prepared(Market, "key")


def with_key(key: str) -> Market | None:
    return _by_key.find(key)


def quote(*, market: UUID | Market, prices: Mapping[str, Fraction], at: datetime) -> Market:
    """Offer fixed odds while betting is open: for each runner what a unit on it would return fairly.

    The market's margin is taken off that; a runner that is not named, or on which nothing could be won, is not offered.
    Prices that stay as they are change nothing. Raises UnknownMarket, UnknownRunner, BadMarket, MarketEnded.
    """
    with transaction.atomic():
        standing = locked(market)
        if standing.status != MarketStatus.OPEN:
            raise MarketEnded("Prices are quoted while betting is open.")
        if _price(standing, prices):
            standing.version += 1
            standing.save(update_fields=["version"])
        return standing


def close_market(*, market: UUID | Market, event: int, at: datetime) -> Market:
    """End betting, in the transaction of the event (by its version) that ends it. One that is closed stays as it is.

    Raises UnknownMarket.
    """
    with transaction.atomic():
        closing = locked(market)
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
    """Open a closed market of fixed odds again at new prices (as `quote` takes them); again for one event is once.

    Bets of an earlier round stand and can no longer be cancelled.
    Raises UnknownMarket, UnknownRunner, BadMarket, MarketEnded, MarketNotClosed.
    """
    with transaction.atomic():
        opening = locked(market)
        if opening.status == MarketStatus.OPEN:
            if opening.opened_event == event:
                return opening
            raise MarketNotClosed()
        if opening.status != MarketStatus.CLOSED:
            raise MarketEnded()
        if not opening.in_running:
            raise BadMarket("This market does not open again.")
        opening.status = MarketStatus.OPEN
        opening.version += 1
        opening.round += 1
        opening.opened_event = event
        opening.closed_at = None
        opening.save(update_fields=["status", "version", "round", "opened_event", "closed_at"])
        _price(opening, prices)
        return opening


def bet_seeds(market: UUID | Market) -> list[str]:
    """The client seeds of all bets in order of betting; those that were cancelled keep their place."""
    id = market.pk if isinstance(market, Market) else market
    return list(Market.objects.get(pk=id).bets.order_by("number").values_list("client_seed", flat=True))


# --- parts -------------------------------------------------------------------------------------------


def locked(market: UUID | Market) -> Market:
    """The market as it stands, locked until the transaction ends. Raises UnknownMarket."""
    id = market.pk if isinstance(market, Market) else market
    found = (
        Market.objects.select_for_update(of=("self",), no_key=True)
        .select_related("escrow", "stake_table")
        .filter(pk=id)
        .first()
    )
    if found is None:
        raise UnknownMarket()
    return found


def locked_alone(market: UUID) -> Market:
    """As `locked`, but its escrow and stake table are read when they are asked for. Raises UnknownMarket."""
    # Written out, since every bet waits for this row.
    found = list(Market.objects.raw(f"{select(Market)} WHERE id = %s {locking()}", [stored(market)]))
    if not found:
        raise UnknownMarket()
    return found[0]


def check_name(runner: str) -> None:
    """Raises BadMarket."""
    if not (1 <= len(runner) <= 64 and runner.isprintable()):
        raise BadMarket("A runner's name is 1 to 64 printable characters.")


def _check_form(subject: str, kind: str, runners: Sequence[str], terms: Terms, *, least: int) -> None:
    if kind not in KINDS:
        raise BadMarket("A market is of kind fixed or pool.")
    if faults := terms.faults(kind):
        raise BadMarket(" ".join(faults))
    if not least <= len(runners) <= MOST_RUNNERS or len(set(runners)) != len(runners):
        raise BadMarket(f"A market has {least} to {MOST_RUNNERS} runners, each of them once.")
    for name in runners:
        check_name(name)
    if not 1 <= len(subject) <= 80:
        raise BadMarket("A market's subject is 1 to 80 characters.")


def _price(market: Market, fair: Mapping[str, Fraction]) -> bool:
    """Whether the prices that follow from the fair returns are others than those that stood."""
    if market.kind != MarketKind.FIXED:
        raise BadMarket("A pool has no prices.")
    runners = list(market.runners.all())
    if unknown := set(fair) - {runner.name for runner in runners}:
        raise UnknownRunner(f"The market has no runner {min(unknown)}.")
    moved = []
    for runner in runners:
        price = _text(odds.offered(fair[runner.name], market.margin)) if runner.name in fair else ""
        if price != runner.price:
            runner.price = price
            moved.append(runner)
    Runner.objects.bulk_update(moved, ["price"])
    return bool(moved)


def _text(price: Fraction | None) -> str:
    text = "" if price is None else odds.as_text(price)
    if len(text) > odds.LONGEST:
        raise BadMarket(f"A price has at most {odds.LONGEST} characters.")
    return text
