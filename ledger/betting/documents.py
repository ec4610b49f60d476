"""Output documents of markets and bets."""

from __future__ import annotations

from typing import Annotated, TypedDict

from ledger.betting import prices
from ledger.betting.kinds import CHOICES, Kind
from ledger.betting.models import Bet, BetStatus, Market, MarketStatus, Runner, Settlement
from rest.documents import Moment, Uuid, moment, one_of


class RunnerOutput(TypedDict):
    runner: str
    price: Annotated[str | None, "odds to one as a fraction; null: not offered, or a pool"]
    decimal: Annotated[str | None, "the return of one unit including the stake, rounded down"]
    price_hundredths: Annotated[int | None, "the decimal price in hundredths: 410 is 4.10; null as `price`"]
    staked: Annotated[int | None, "pool: pence on this runner; null at fixed odds"]
    withdrawn_at: Annotated[Moment | None, "no bets are taken after this; bets on it are refunded"]


def _runner(runner: Runner, rules: Kind) -> RunnerOutput:
    return {
        "runner": runner.name,
        "price": prices.shown(runner.price),
        "decimal": runner.decimal or None,
        "price_hundredths": runner.price_hundredths,
        "staked": runner.stakes if not rules.priced else None,
        "withdrawn_at": moment(runner.withdrawn_at),
    }


class TermsOutput(TypedDict):
    margin: Annotated[int, "fixed odds: basis points"]
    takeout: Annotated[int, "pool: basis points"]
    step: Annotated[int, "pool: pence to which a dividend is rounded down; 0: not at all"]
    on_draw: str
    cancellable: bool
    in_running: bool
    cap: int | None
    stake_table: Annotated[str | None, "null for markets in play money"]
    minimum: int
    maximum: int
    stake_step: int


class MarketOutput(TypedDict):
    id: Uuid
    subject: Annotated[str, "the subject that is bet on, such as game:…"]
    kind: Annotated[str, one_of(CHOICES)]
    priced: Annotated[
        bool, "whether each bet has the price at which it was made; otherwise the winners share the stakes"
    ]
    currency: str
    status: Annotated[str, one_of(MarketStatus)]
    version: int
    round: Annotated[int, "the number of the betting round"]
    terms: TermsOutput
    runners: list[RunnerOutput]
    opened_at: Moment
    closed_at: Moment | None
    ended_at: Moment | None


def market_document(market: Market) -> MarketOutput:
    return {
        "id": str(market.pk),
        "subject": market.subject,
        "kind": market.kind,
        "priced": market.rules.priced,
        "currency": market.currency,
        "status": market.status,
        "version": market.version,
        "round": market.round,
        "terms": {
            "margin": market.margin,
            "takeout": market.takeout,
            "step": market.step,
            "on_draw": market.on_draw,
            "cancellable": market.cancellable,
            "in_running": market.in_running,
            "cap": market.cap,
            "stake_table": None if market.stake_table is None else market.stake_table.slug,
            "minimum": market.minimum,
            "maximum": market.maximum,
            "stake_step": market.stake_step,
        },
        "runners": [_runner(runner, market.rules) for runner in market.runners.all()],
        "opened_at": moment(market.opened_at),
        "closed_at": moment(market.closed_at),
        "ended_at": moment(market.ended_at),
    }


class SettlementOutput(TypedDict):
    number: int
    void: bool
    winners: list[str]
    reason: str
    at: Moment
    done_at: Moment | None
    gross: int | None
    paid: int | None
    takeout: int | None
    breakage: int | None
    reversed_at: Moment | None


def _settlement(settlement: Settlement) -> SettlementOutput:
    return {
        "number": settlement.number,
        "void": settlement.void,
        "winners": settlement.winners,
        "reason": settlement.reason,
        "at": moment(settlement.at),
        "done_at": moment(settlement.done_at),
        "gross": settlement.gross,
        "paid": settlement.paid,
        "takeout": settlement.takeout,
        "breakage": settlement.breakage,
        "reversed_at": moment(settlement.reversed_at),
    }


class MarketDetailOutput(MarketOutput):
    settlements: Annotated[list[SettlementOutput], "the last one is in effect"]


def market_detail_document(market: Market) -> MarketDetailOutput:
    settlements = [_settlement(settlement) for settlement in market.settlements.all()]
    return {**market_document(market), "settlements": settlements}


class BetOutput(TypedDict):
    id: Uuid
    market: Uuid
    subject: str
    number: Annotated[int, "the position in the order of betting"]
    round: int
    runner: str
    stake: int
    currency: str
    price: Annotated[str | None, "odds to one as a fraction; null in a pool"]
    decimal: Annotated[str | None, "the return of one unit including the stake, rounded down"]
    price_hundredths: Annotated[
        int | None, "the decimal price in hundredths; null in a pool, and for bets at fractions of 0.2.0"
    ]
    max_return: Annotated[int | None, "fixed odds: the return if the runner wins alone"]
    client_seed: str
    placed_at: Moment
    status: Annotated[str, one_of(BetStatus)]
    returned: int | None
    net: int | None
    cancelled_at: Moment | None


def bet_document(bet: Bet) -> BetOutput:
    return {
        "id": str(bet.pk),
        "market": str(bet.market_id),
        "subject": bet.market.subject,
        "number": bet.number,
        "round": bet.round,
        "runner": bet.runner.name,
        "stake": bet.stake,
        "currency": bet.market.currency,
        "price": prices.shown(bet.price),
        "decimal": bet.decimal or None,
        "price_hundredths": bet.price_hundredths,
        "max_return": bet.most,
        "client_seed": bet.client_seed,
        "placed_at": moment(bet.placed_at),
        "status": bet.status,
        "returned": bet.returned,
        "net": bet.net,
        "cancelled_at": moment(bet.cancelled_at),
    }
