"""Four processes post at random; then every balance is recomputed."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from django.db import connections

from core.errors import Problem
from ledger import selectors
from ledger.models import Account, GameStake, Hold, PlaySession, Transfer
from ledger.services import (
    Leg,
    capture,
    cash_out,
    hold,
    open_session,
    post,
    refund_stake,
    release,
    reverse,
    settle_stake,
    take_stake,
)
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key, fund

pytestmark = [pytest.mark.both_databases, pytest.mark.slow]

PLAYERS = [UUID(int=n) for n in range(1, 7)]
EXPECTED = {
    "insufficient-funds",
    "bank-limit",
    "session-open",
    "session-closed",
    "event-money",
    "game-in-progress",
    "stake-ended",
    "hold-resolved",
    "already-reversed",
    "not-reversible",
}


def act(chance: random.Random) -> None:
    """Do one thing that a player, a game, or an administrator may do."""
    who = chance.choice(PLAYERS)
    open_stakes = GameStake.objects.filter(status="open")
    match chance.randrange(9):
        case 0 | 1:
            ring = [cash(each) for each in chance.sample(PLAYERS, chance.randrange(2, 5))]
            legs = [Leg(one, other, chance.randrange(1, 400), "ring") for one, other in pairwise(ring)]
            post(key=fresh_key(), legs=legs, actor="test", at=AT)
        case 2:
            amount = chance.randrange(1, 3000)
            open_session(player=who, amount=amount, currency=CURRENCY, key=fresh_key(), at=AT)
        case 3:
            for session in PlaySession.objects.filter(player=who, closed_at=None):
                cash_out(session=session, key=fresh_key(), at=AT)
        case 4:
            table = selectors.stake_table("vegas-classic")
            for session in PlaySession.objects.filter(player=who, closed_at=None):
                stake = 104 * chance.randrange(1, 9)
                take_stake(
                    session=session,
                    game=uuid4(),
                    stake=stake,
                    max_win=4 * stake,
                    stake_table=table,
                    event=3,
                    at=AT,
                )
        case 5:
            for staked in open_stakes.filter(player=who):
                winnings = chance.randrange(53) * staked.stake // 13
                settle_stake(game=staked.game, winnings=winnings, event=9, at=AT)
        case 6:
            for staked in open_stakes.filter(player=who):
                refund_stake(game=staked.game, event=9, at=AT)
        case 7:
            made = hold(
                key=fresh_key(),
                account=cash(who),
                amount=chance.randrange(1, 500),
                subject="",
                expires_at=None,
                actor="test",
                at=AT,
            )
            if chance.random() < 0.5:
                release(hold=made.pk, actor="test", at=AT)
            else:
                credit = cash(chance.choice(PLAYERS))
                if credit.pk != made.account_id:
                    capture(hold=made.pk, credit=credit, key=fresh_key(), reason="x", actor="test", at=AT)
        case 8:
            newest = Transfer.objects.filter(reverses=None).order_by("-position")[:20]
            if rows := list(newest):
                reverse(transfer=chance.choice(rows).uuid, key=fresh_key(), actor="test", reason="x", at=AT)


def work(seed: int, actions: int, results: multiprocessing.Queue[Counter[str]]) -> None:
    connections.close_all()
    chance = random.Random(seed)
    ended: Counter[str] = Counter()
    for _ in range(actions):
        try:
            act(chance)
            ended["done"] += 1
        except Problem as problem:
            ended[problem.code] += 1
        except Exception as error:
            ended[f"{type(error).__name__}: {str(error)[:300]}"] += 1
    connections.close_all()
    results.put(ended)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "actions", [100, pytest.param(2000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_random_commands_of_four_processes_lose_no_money(actions: int) -> None:
    bankroll(20_000)
    for player in PLAYERS:
        fund(cash(player), 3000)
    connections.close_all()
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[Counter[str]] = context.Queue()
    processes = [context.Process(target=work, args=(seed, actions, results)) for seed in range(4)]
    for process in processes:
        process.start()
    ended = sum((results.get(timeout=200 + actions / 2) for _ in processes), Counter())
    for process in processes:
        process.join()

    assert set(ended) <= EXPECTED | {"done"}, ended
    assert sum(ended.values()) == 4 * actions
    assert ended["done"] > actions, ended
    assert [str(difference) for difference in selectors.reconcile()] == []
    assert selectors.trial_balance(CURRENCY).total == 0
    assert not [each.text for each in Account.objects.exclude(min_balance=None) if each.available < 0]
    open_games = {f"game:{row.game}" for row in GameStake.objects.filter(status="open")}
    in_escrow = {each.owner for each in Account.objects.filter(purpose="escrow") if each.total}
    assert in_escrow == open_games
    reserved = Hold.objects.filter(state="held", key__endswith=":reserve").values_list("subject", flat=True)
    assert set(reserved) == open_games
