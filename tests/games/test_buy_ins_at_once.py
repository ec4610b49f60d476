"""Concurrent commands of a staked table have the effect of some serial order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from accounts.models import Player
from games import services, state
from games.errors import AlreadySeated, SeatsTaken
from games.matches import services as matches
from games.models import GameRecord, Status
from games.rules import Refused
from ledger.errors import InsufficientFunds
from ledger.selectors import reconcile
from ledger.stakes.models import BuyIn, Pot
from tests.concurrency import at_once
from tests.games.staked import (
    BUY_IN,
    NOON,
    dealt,
    in_escrow,
    match_of,
    money_of,
    opened,
    play_out,
    provide,
    sit_down,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(autouse=True)
def ledger_balances() -> Iterator[None]:
    yield
    assert [str(difference) for difference in reconcile()] == []


def seat(game: GameRecord, who: Player) -> partial[int]:
    return partial(services.take_seat, game=game, player=who, client_seed="", now=NOON)


def test_the_last_seat_is_sold_once(player: Player, rival: Player, stranger: Player) -> None:
    provide([player, rival, stranger])
    game = opened("ace-race", player, seats=2)
    sit_down(game, [player])
    answers = at_once(seat(game, rival), seat(game, stranger))
    lost = [isinstance(answer, (SeatsTaken, Refused)) for answer in answers]
    assert sorted(lost) == [False, True], answers
    assert in_escrow(game) == 2 * BUY_IN
    assert money_of([rival, stranger]) == ([1000, 480] if lost[0] else [480, 1000])


def test_money_for_one_seat_buys_one_of_two(player: Player, rival: Player) -> None:
    provide([player], BUY_IN)
    games = [opened("ace-race", rival, seats=2), opened("racing-demons", rival, seats=2)]
    answers = at_once(*(seat(game, player) for game in games))
    broke = [isinstance(answer, InsufficientFunds) for answer in answers]
    assert sorted(broke) == [False, True], answers
    assert money_of([player]) == [0]
    assert [in_escrow(game) for game in games] == [0 if each else BUY_IN for each in broke]
    assert [game.seatings.count() for game in games] == [0 if each else 1 for each in broke]


def test_two_concurrent_requests_for_a_seat_with_one_key_are_one(player: Player) -> None:
    provide([player])
    game = opened("ace-race", player, seats=2)
    answers = at_once(seat(game, player), seat(game, player))
    assert sorted(isinstance(answer, AlreadySeated) for answer in answers) == [False, True], answers
    assert (money_of([player]), BuyIn.objects.count()) == ([480], 1)


def test_leaving_during_the_start_is_refused_or_refunded(player: Player, rival: Player) -> None:
    """Either the cards are dealt and the buy-in stays, or the seat is empty and the buy-in is refunded."""
    for _ in range(3):
        game = opened("ace-race", player, seats=2)
        provide([player, rival])
        sit_down(game, [player, rival])
        before = money_of([rival])[0]
        started, left = at_once(
            partial(services.start_game, game=game, actor=player, now=NOON),
            partial(services.leave_seat, game=game, player=rival, now=NOON),
        )
        dealt = state.load(game.pk)[1].status == "active"
        assert dealt == (not isinstance(started, Exception))
        assert dealt == isinstance(left, Refused), (started, left)
        assert in_escrow(game) == (2 if dealt else 1) * BUY_IN
        assert money_of([rival])[0] == before + (0 if dealt else BUY_IN)


def test_a_void_concurrent_with_the_end_moves_money_once(player: Player, rival: Player) -> None:
    people = [player, rival]
    game = dealt("ace-race", people)
    answers = at_once(
        partial(play_out, game, people, moves=0),
        partial(services.void_game, game_id=game.pk, reason="power cut", now=NOON),
        partial(services.void_game, game_id=game.pk, reason="power cut", now=NOON),
    )
    assert not [answer for answer in answers if isinstance(answer, Exception)], answers
    status, pot = GameRecord.objects.get(pk=game.pk).status, Pot.objects.get()
    assert (status, pot.status) in [(Status.FINISHED, "settled"), (Status.VOID, "void")]
    assert (pot.division, in_escrow(game), sum(money_of(people))) == (1, 0, 2000)


def test_a_repeated_end_of_a_match_pays_once(player: Player, rival: Player) -> None:
    people = [player, rival]
    match, game = match_of(people, deals=1)
    play_out(game, people)
    answers = at_once(*(partial(matches.open_next_deal, game_id=game.pk, now=NOON) for _ in range(3)))
    assert not [answer for answer in answers if isinstance(answer, Exception)], answers
    assert (Pot.objects.get().division, in_escrow(match), sum(money_of(people))) == (1, 0, 2000)
