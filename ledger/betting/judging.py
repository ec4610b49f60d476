"""What every bet of a market comes to, written to the bets at once, and the house's part of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Q

from ledger.betting import pools, prices
from ledger.betting.bets import bank_of
from ledger.betting.models import BetStatus, Market, MarketKind, Settlement
from ledger.betting.wagers import Judgement, Wager, refund_all
from ledger.models import Account, OwnerKind, Purpose, Transfer, TransferQuerySet
from ledger.posting import Leg, account, post


class Standing(NamedTuple):
    """What of a bet decides what it comes to."""

    number: int
    runner: str
    stake: int
    price: str
    void: bool


def standing(market: Market, made: Settlement) -> list[Standing]:
    """The bets that were not cancelled, in order of betting; void are those after the off or on who withdrew."""
    void = Q(runner__withdrawn_at__isnull=False)
    if made.off is not None:
        void |= Q(placed_at__gte=made.off)
    bets = market.bets.exclude(status=BetStatus.CANCELLED).order_by("number")
    # The database compares the times: reading ten thousand of them would cost more than judging their bets.
    rows = bets.annotate(void=ExpressionWrapper(void, BooleanField())).values_list(
        "number", "runner__name", "stake", "price", "void"
    )
    return [Standing(*row) for row in rows.iterator(chunk_size=2000)]


def judgement(market: Market, made: Settlement, bets: Sequence[Standing]) -> Judgement:
    """What these bets come to by a settlement. Nothing is written."""
    wagers = [Wager(bet.runner, bet.stake, _odds(bet), bet.void) for bet in bets]
    if made.void:
        return refund_all(wagers)
    if market.kind == MarketKind.POOL:
        return pools.divide(
            wagers, made.winners, takeout=market.takeout, step=market.step, on_draw=market.on_draw
        )
    return prices.settle(wagers, made.winners, market.on_draw)


def _odds(bet: Standing) -> Fraction | None:
    return prices.parse(bet.price) if bet.price else None


def judge(market: Market, made: Settlement) -> None:
    """Write what each bet returns, and the sums into the settlement."""
    bets = standing(market, made)
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
            # A join with what JSON holds would have no index to go by there.
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


# --- the house's part ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class House:
    """The accounts of the house that a market's settlement moves money to or from."""

    bank: Account | None
    takeout: Account | None
    breakage: Account | None

    @classmethod
    def of(cls, market: Market) -> House:
        if market.play:
            return cls(None, None, None)
        if market.kind == MarketKind.FIXED:
            return cls(bank_of(market), None, None)
        return cls(None, _of_house(Purpose.TAKEOUT, market), _of_house(Purpose.BREAKAGE, market))

    @property
    def accounts(self) -> list[Account]:
        return [each for each in (self.bank, self.takeout, self.breakage) if each is not None]

    def post(self, market: Market, made: Settlement, at: datetime) -> None:
        """Move takeout, breakage and the bank's result, so that the escrow has what the bets return, to the penny."""
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


def _of_house(purpose: Purpose, market: Market) -> Account:
    return account(owner=OwnerKind.HOUSE, purpose=purpose, currency=market.currency)


# --- what was moved ------------------------------------------------------------------------------------


def settlement_key(market: Market, number: int) -> str:
    return f"{market.owner}:settlement:{number}"


@dataclass(frozen=True, slots=True)
class Moved:
    """The transfers of a settlement that have not been reversed."""

    rows: TransferQuerySet
    key: str

    def payouts(self) -> TransferQuerySet:
        return self.rows.filter(key__startswith=f"{self.key}:pay:").order_by("position")

    def house(self) -> TransferQuerySet:
        return self.rows.filter(key=f"{self.key}:house")


def moved_by(market: Market, number: int) -> Moved:
    rows = Transfer.objects.filter(subject=market.owner, reversed_by=None)
    return Moved(rows, settlement_key(market, number))


def moved_by_ruling(owner: str, number: int) -> list[Transfer]:
    """What a settlement of a market (`market:…`) after a ruling has moved: what it took back, and what it paid."""
    before, made = f"{owner}:settlement:{number - 1}:", f"{owner}:settlement:{number}:"
    # With what was lent for a reversal, which is in the same posting.
    back = Transfer.objects.filter(subject=owner, reverses__key__startswith=before).values("key")
    rows = Transfer.objects.with_accounts().filter(subject=owner)
    rows = rows.filter(Q(key__in=back) | Q(key__startswith=made, reverses=None))
    return list(rows.order_by("epoch", "xact", "position"))
