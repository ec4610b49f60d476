"""Concurrent postings: one effect for each key, no balance below zero, no money lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import transaction

from accounts.models import Player
from ledger.models import GameStake, Hold, PlaySession, StakeTable, Transfer
from ledger.services import Leg, cash_out, open_session, post, reverse, settle_stake, take_stake
from tests.concurrency import endings
from tests.money import AT, CURRENCY, available, bankroll, cash, fresh_key, fund

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases, pytest.mark.slow]


def at_once(*calls: Callable[[], object]) -> Counter[str]:
    """Run all calls concurrently, and count their results."""
    return Counter(endings(*calls))


def test_concurrent_postings_with_one_key_move_money_once() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    leg = Leg(rich, poor, 600, "x")
    ended = at_once(*[lambda: post(key="same", legs=[leg], actor="test", at=AT)] * 6)
    assert ended == {"done": 6}
    assert (available(poor.owner), Transfer.objects.filter(key="same").count()) == (600, 1)


def test_of_concurrent_postings_with_one_key_and_other_legs_one_is_accepted() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    one, two = [Leg(rich, poor, 1, "x")], [Leg(rich, poor, 1, "x"), Leg(rich, poor, 1, "y")]
    ended = at_once(
        *[lambda legs=legs: post(key="same", legs=legs, actor="test", at=AT) for legs in (one, two) * 3]
    )
    assert ended == {"done": 3, "idempotency-key-reused": 3}
    assert available(poor.owner) in (1, 2)


def test_concurrent_payments_spend_money_once() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    ended = at_once(
        *[lambda: post(key=fresh_key(), legs=[Leg(rich, poor, 400, "x")], actor="test", at=AT)] * 6
    )
    assert ended == {"done": 2, "insufficient-funds": 4}
    assert (available(rich.owner), available(poor.owner)) == (200, 800)


def test_opposite_transfers_do_not_deadlock() -> None:
    one, two = cash(uuid4()), cash(uuid4())
    fund(one, 1000)
    fund(two, 1000)

    def forth_and_back(debit_first: bool) -> None:
        there, here = (one, two) if debit_first else (two, one)
        for _ in range(15):
            legs = [Leg(there, here, 3, "x"), Leg(here, there, 2, "y")]
            post(key=fresh_key(), legs=legs, actor="test", at=AT)

    assert at_once(*[lambda way=way: forth_and_back(way) for way in (True, False) * 2]) == {"done": 4}
    assert available(one.owner) + available(two.owner) == 2000


def test_one_of_concurrent_sessions_opens(player: Player) -> None:
    fund(cash(player.pk), 1000)
    ended = at_once(
        *[lambda: open_session(player=player.pk, amount=100, currency=CURRENCY, key=fresh_key(), at=AT)] * 5
    )
    assert ended == {"done": 1, "session-open": 4}
    assert available(f"player:{player.pk}") == 900


def stake(session: PlaySession, table: StakeTable) -> GameStake:
    return take_stake(
        session=session, game=uuid4(), stake=520, max_win=2080, stake_table=table, event=3, at=AT
    )


def test_one_of_concurrent_stakes_is_taken(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    assert at_once(*[lambda: stake(cashed_in, vegas)] * 5) == {"done": 1, "game-in-progress": 4}
    assert available(f"player:{player.pk}", "session") == 1480
    assert Hold.objects.filter(state="held").count() == 1


def test_of_a_concurrent_stake_and_cash_out_one_takes_effect(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    ended = at_once(
        lambda: stake(cashed_in, vegas), lambda: cash_out(session=cashed_in, key=fresh_key(), at=AT)
    )
    assert ended in ({"done": 1, "game-in-progress": 1}, {"done": 1, "session-closed": 1})
    session = PlaySession.objects.get(pk=cashed_in.pk)
    assert session.is_open == GameStake.objects.exists()


def test_concurrent_settlements_pay_once(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = stake(cashed_in, vegas).game
    calls = [lambda: settle_stake(game=game, winnings=800, event=9, at=AT)] * 3
    ended = at_once(*calls, *[lambda: settle_stake(game=game, winnings=40, event=9, at=AT)] * 3)
    assert ended == {"done": 3, "stake-ended": 3}
    assert available(f"player:{player.pk}", "session") in (2280, 1520)


def test_concurrent_reserves_do_not_exceed_the_bank(player: Player, rival: Player, stranger: Player) -> None:
    table = bankroll(2 * 1560 + 1559)
    sessions = []
    for who in (player, rival, stranger):
        fund(cash(who.pk), 520)
        sessions.append(open_session(player=who.pk, amount=520, currency=CURRENCY, key=fresh_key(), at=AT))
    ended = at_once(*[lambda session=session: stake(session, table) for session in sessions])
    assert ended == {"done": 2, "bank-limit": 1}


def test_concurrent_reversals_reverse_once() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    (paid,) = post(key=fresh_key(), legs=[Leg(rich, poor, 600, "x")], actor="test", at=AT).transfers
    ended = at_once(
        *[lambda: reverse(transfer=paid.uuid, key=fresh_key(), actor="test", reason="x", at=AT)] * 4
    )
    assert ended == {"done": 1, "already-reversed": 3}
    assert (available(rich.owner), available(poor.owner)) == (1000, 0)


def test_postings_roll_back_with_the_outer_transaction() -> None:
    rich, poor = cash(uuid4()), cash(uuid4())
    fund(rich, 1000)
    leg = Leg(rich, poor, 600, "x")

    def fail() -> None:
        with transaction.atomic():
            post(key="x", legs=[leg], actor="test", at=AT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert available(poor.owner) == 0
    assert not post(key="x", legs=[leg], actor="test", at=AT).replayed
