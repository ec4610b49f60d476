"""Limits hold for concurrent stakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from django.db import models

from accounts.models import Player
from ledger import services
from ledger.limits import usage
from ledger.limits.models import LimitChange, PlayStop, ProtectedPlayer
from ledger.limits.services import exclude, set_limit
from ledger.models import Account, Hold, PlaySession
from tests.ledger.betting.markets import bank, bet, open_fixed, open_pool
from tests.ledger.locks import in_order, taken_too_early
from tests.ledger.test_concurrency import at_once
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key, fund

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def limit(player: Player, kind: str, amount: int, **more: Any) -> LimitChange:
    terms = {"kind": kind, "period": "day", "amount": amount, "currency": CURRENCY, "key": fresh_key()}
    return set_limit(player=player.pk, actor="test", at=AT, **{**terms, **more})


def staked(player: Player) -> int:
    name = ("stake", "day")
    starts = {name: AT - timedelta(days=1)}
    return usage.used(player=player.pk, currency=CURRENCY, starts=starts)[name]


@pytest.mark.parametrize("kind", ["stake", "loss"])
def test_concurrent_bets_stay_within_the_limit(player: Player, kind: str) -> None:
    bank()
    fund(cash(player.pk), 5000)
    limit(player, kind, 500)
    markets = [open_pool() for _ in range(3)] + [open_fixed() for _ in range(3)]
    ended = at_once(*[lambda on=on: bet(on, "H", 200, player.pk) for on in markets])
    assert ended == {"done": 2, "limit-reached": 4}
    assert staked(player) == 400


def test_a_bet_a_deal_and_an_entry_share_one_limit(player: Player) -> None:
    table, market = bankroll(), open_pool()
    fund(cash(player.pk), 5000)
    session = services.open_session(player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
    limit(player, "stake", 600)

    def deal() -> None:
        services.take_stake(
            session=session, game=uuid4(), stake=520, max_win=2080, stake_table=table, event=3, at=AT
        )

    calls: list[Callable[[], object]] = [deal, *[lambda: bet(market, "H", 400, player.pk)] * 3]
    ended = at_once(*calls)
    assert ended == {"done": 1, "limit-reached": 3}
    assert staked(player) in (400, 520)


def test_concurrent_deposits_stay_within_the_limit(player: Player) -> None:
    limit(player, "deposit", 500)

    def pay() -> None:
        order = {"currency": CURRENCY, "key": fresh_key(), "actor": "test", "reason": "in cash", "at": AT}
        services.deposit(player=player.pk, amount=200, **order)

    assert at_once(*[pay] * 5) == {"done": 2, "limit-reached": 3}


def test_concurrent_deposits_with_one_key_count_once(player: Player) -> None:
    limit(player, "deposit", 500)
    same = {
        "amount": 500,
        "currency": CURRENCY,
        "key": "same",
        "actor": "test",
        "reason": "in cash",
        "at": AT,
    }
    assert at_once(*[lambda: services.deposit(player=player.pk, **same)] * 4) == {"done": 4}


def test_concurrent_first_limits_are_all_stored(player: Player) -> None:
    amounts = [900, 700, 800, 600]
    assert at_once(*[lambda amount=amount: limit(player, "stake", amount) for amount in amounts]) == {
        "done": 4
    }
    rows = list(LimitChange.objects.order_by("pk"))
    assert {row.amount for row in rows} == set(amounts)
    for before, after in pairwise(rows):
        assert after.was == before.terms.in_force(after.at)


def test_concurrent_changes_with_one_key_are_stored_once(player: Player) -> None:
    def wish() -> None:
        exclude(player=player.pk, months=6, key="same", actor="test", at=AT)

    assert at_once(*[wish] * 4) == {"done": 4}
    assert PlayStop.objects.count() == 1


def test_no_stake_after_a_concurrent_exclusion(player: Player) -> None:
    fund(cash(player.pk), 5000)
    limit(player, "stake", 5000)
    market = open_pool()
    bets: list[Callable[[], object]] = [lambda: bet(market, "H", 200, player.pk)] * 3
    ended = at_once(lambda: exclude(player=player.pk, months=6, key="k", actor="test", at=AT), *bets)
    assert set(ended) <= {"done", "play-stopped"}
    assert at_once(*bets) == Counter({"play-stopped": 3})
    assert staked(player) == 200 * (ended["done"] - 1)


@pytest.mark.postgres
@pytest.mark.parametrize("kind", ["pool", "fixed"])
def test_bet_locks_market_then_player_then_hold(player: Player, kind: str) -> None:
    bank()
    fund(cash(player.pk), 5000)
    limit(player, "stake", 5000)
    market = open_pool() if kind == "pool" else open_fixed()
    bet(market, "H", 200, player.pk)
    rows: list[models.Model] = [market, *PlaySession.objects.all(), *ProtectedPlayer.objects.all()]
    rows += [*Hold.objects.filter(state="held"), *in_order(Account.objects.all())]
    waited, early = taken_too_early(lambda: bet(market, "H", 100, player.pk), rows)
    assert waited
    assert early == []
