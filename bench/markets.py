"""Accepting bets, and settling a pool of 10,000 bets that are all paid, on the configured database."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.utils import timezone

from bench._common import size
from ledger import selectors, services
from ledger.betting.settlements import payouts_of, step
from ledger.models import Account, Bet, Market, Settlement

BETS = size(10_000, 60)
TAKEN = size(500, 20)
PLAYERS = size(2_000, 20)
RUNNERS = ["C", "D", "H", "S"]
TARGETS = {"payouts_per_second": 15_000}


def measure() -> dict[str, Any]:
    """Return payouts a second, from the first step of the settlement to the end of the market. Each step is committed.

    All four runners tie, so every bet is paid. Needs a separate database, because postings remain.
    """
    players = [_funded() for _ in range(PLAYERS)]
    market = services.open_market(
        subject="bench",
        kind="pool",
        runners=RUNNERS,
        currency="XTS",
        terms=services.Terms(takeout=0),
        opened_by="bench",
        at=timezone.now(),
    )
    began = time.perf_counter()
    for number in range(TAKEN):
        _bet(market, players[number % PLAYERS], number)
    taking = time.perf_counter() - began
    _fill(market, players)
    services.close_market(market=market, event=1, at=timezone.now())
    began = time.perf_counter()
    services.settle_market(market=market, winners=RUNNERS, event=2, at=timezone.now())
    made = Settlement.objects.get(market=market)
    steps = []
    while True:
        start_of_step = time.perf_counter()
        if not step(settlement=made.pk, at=timezone.now()):
            break
        steps.append(time.perf_counter() - start_of_step)
    took = time.perf_counter() - began
    market.refresh_from_db()
    paid = payouts_of(market, 1).count()
    figures = {
        "database": connection.vendor,
        "bets": Bet.objects.filter(market=market).count(),
        "payouts": paid,
        "status": market.status,
        "bets_per_second": round(TAKEN / taking),
        "settled_in_seconds": round(took, 3),
        "longest_step_seconds": round(max(steps, default=took), 3),
        "payouts_per_second": round(paid / took),
        "differences": sum(1 for _ in selectors.reconcile()),
    }
    print(f"markets on {connection.vendor}")
    print(f"  bets taken       {figures['bets_per_second']:>9,} a second, each a commit")
    print(
        f"  pool settled     {figures['payouts_per_second']:>9,} payouts a second, {paid:,} in {took:.3f} s"
    )
    return figures


def _funded() -> UUID:
    player = uuid4()
    outside = services.account(owner="house", purpose="external", currency="XTS")
    purse = services.account(owner=f"player:{player}", purpose="cash", currency="XTS")
    leg = services.Leg(outside, purse, 100_000, "bench")
    services.post(key=f"bench:{player}", legs=[leg], actor="bench", at=timezone.now())
    return player


def _bet(market: Market, player: UUID, number: int) -> None:
    services.place_bet(
        market=market,
        player=player,
        runner=RUNNERS[number % 4],
        stake=1 + number % 997,
        key=f"bench:bet:{number}",
        at=timezone.now(),
    )


def _fill(market: Market, players: list[UUID]) -> None:
    """Make the remaining bets in bulk, with the same rows as `place_bet`."""
    runners = {runner.name: runner for runner in market.runners.all()}
    purses = {each.key: each for each in Account.objects.filter(kind="player", purpose="cash")}
    for start in range(TAKEN, BETS, 500):
        legs = []
        with transaction.atomic():
            for number in range(start, min(start + 500, BETS)):
                player = players[number % PLAYERS]
                runner, stake = runners[RUNNERS[number % 4]], 1 + number % 997
                purse = purses[str(player)]
                Market.objects.filter(pk=market.pk).update(bets_made=number + 1)
                Bet.objects.create(
                    key=f"bench:bet:{number}",
                    fingerprint="bench",
                    market=market,
                    number=number + 1,
                    round=1,
                    player=player,
                    purse=purse,
                    runner=runner,
                    stake=stake,
                    placed_at=timezone.now(),
                )
                runner.stakes += stake
                legs.append(services.Leg(purse, market.escrow, stake, "bet"))
            for runner in runners.values():
                runner.save(update_fields=["stakes"])
            services.post(
                key=f"bench:bets:{start}", legs=legs, subject=market.owner, actor="bench", at=timezone.now()
            )
