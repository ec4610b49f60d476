"""A time-out or self-exclusion stops new play, but not play that has begun or payments to the player."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Player
from games import services, state
from games.models import GameRecord
from ledger import services as ledger
from ledger.betting.models import Bet, BetStatus
from ledger.errors import PlayStopped
from ledger.limits.services import exclude, take_time_out
from ledger.models import PlaySession
from tests.due_jobs import run_due
from tests.games.conftest import at_stake_table
from tests.ledger.betting.markets import bet, open_pool
from tests.ledger.stakes import pots
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund
from tests.tournaments.playing import rich, terms
from tournaments import services as tournaments
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

AFTER = AT + timedelta(hours=3)
STOPS: dict[str, Callable[[Player], object]] = {
    "time-out": lambda player: take_time_out(player=player.pk, hours=3, key=fresh_key(), actor="test", at=AT),
    "self-exclusion": lambda player: exclude(
        player=player.pk, months=None, key=fresh_key(), actor="test", at=AT
    ),
}


@pytest.fixture(params=STOPS)
def stop(request: pytest.FixtureRequest) -> Callable[[Player], object]:
    return STOPS[request.param]


def race(creator: Player, now: datetime) -> GameRecord:
    return services.create_game(rules="racing-aces", config={}, seats=1, creator=creator, now=now)


def published(organizer: Player, fee: int = 500) -> Tournament:
    draft = tournaments.create(organizer=organizer, terms=terms(fee=fee), now=AT)
    return tournaments.publish(tournament_id=draft.pk, actor=organizer, now=AT)


def beginnings(player: Player, others: GameRecord, organizer: Player) -> dict[str, Callable[[datetime], Any]]:
    market, pot = open_pool(), pots.open_pot(520)
    with_fee, free = published(organizer), published(organizer, fee=0)
    me = {"player": player.pk, "currency": CURRENCY}
    return {
        "open a table": lambda now: race(player, now),
        "take a seat": lambda now: services.take_seat(game=others, player=player, client_seed="", now=now),
        "cash in": lambda now: ledger.open_session(**me, amount=500, key=fresh_key(), at=now),
        "bet": lambda now: bet(market, "H", 100, player.pk, at=now),
        "buy in": lambda now: ledger.take_buy_in(subject=pot.subject, player=player.pk, event=2, at=now),
        "enter": lambda now: tournaments.enter(
            tournament_id=with_fee.pk, player=player, client_seed="a", now=now
        ),
        "enter for nothing": lambda now: tournaments.enter(
            tournament_id=free.pk, player=player, client_seed="a", now=now
        ),
        "pay in": lambda now: ledger.deposit(
            **me, amount=500, key=fresh_key(), actor="test", reason="in cash", at=now
        ),
    }


BEGINNINGS = [
    "open a table", "take a seat", "cash in", "bet", "buy in", "enter", "enter for nothing", "pay in",
]  # fmt: skip


@pytest.mark.parametrize("name", BEGINNINGS)
def test_new_play_is_refused_until_the_time_out_ends(
    player: Player, rival: Player, organizer: Player, name: str
) -> None:
    fund(cash(player.pk), 5000)
    doing = beginnings(player, race(rival, AT), organizer)
    assert set(doing) == set(BEGINNINGS)
    STOPS["time-out"](player)
    with pytest.raises(PlayStopped):
        doing[name](AFTER - timedelta(seconds=1))
    assert available(f"player:{player.pk}") == 5000
    doing[name](AFTER)


@pytest.mark.parametrize("name", BEGINNINGS)
def test_an_exclusion_without_end_never_expires(
    player: Player, rival: Player, organizer: Player, name: str
) -> None:
    fund(cash(player.pk), 5000)
    doing = beginnings(player, race(rival, AT), organizer)
    STOPS["self-exclusion"](player)
    with pytest.raises(PlayStopped):
        doing[name](AT + timedelta(days=20_000))
    assert available(f"player:{player.pk}") == 5000


def test_a_staked_table_opened_before_the_time_out_is_not_dealt(
    player: Player, classic: Any, cashed_in: Callable[..., PlaySession], stop: Callable[[Player], object]
) -> None:
    game = at_stake_table(player, classic, cashed_in(player), now=AT)
    stop(player)
    with pytest.raises(PlayStopped):
        services.start_game(game=game, actor=player, now=AT)
    assert state.load(game.pk)[1].status == "open"


def test_a_staked_game_can_be_played_collected_and_cashed_out(
    player: Player, staked: Callable[..., tuple[GameRecord, PlaySession]], stop: Callable[[Player], object]
) -> None:
    game, session = staked(player)
    stop(player)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=AT)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=AT)
    assert state.load(game.pk)[1].status == "finished"
    ledger.cash_out(session=session, key=fresh_key(), at=AT)
    assert available(f"player:{player.pk}") > 0


def test_a_bet_can_be_cancelled_and_an_entry_withdrawn(
    player: Player, organizer: Player, stop: Callable[[Player], object]
) -> None:
    fund(cash(player.pk), 5000)
    made, tournament = bet(open_pool(), "H", 100, player.pk), published(organizer)
    tournaments.enter(tournament_id=tournament.pk, player=player, client_seed="a", now=AT)
    pot = pots.open_pot(520)
    ledger.take_buy_in(subject=pot.subject, player=player.pk, event=2, at=AT)
    stop(player)
    ledger.cancel_bet(bet=made, player=player.pk, key=fresh_key(), at=AT)
    tournaments.withdraw(tournament_id=tournament.pk, player=player, now=AT)
    ledger.give_back_buy_in(subject=pot.subject, player=player.pk, event=3, at=AT)
    assert Bet.objects.get().status == BetStatus.CANCELLED
    assert available(f"player:{player.pk}") == 5000


def test_a_seat_can_be_left(player: Player, rival: Player, stop: Callable[[Player], object]) -> None:
    game = race(rival, AT)
    services.take_seat(game=game, player=player, client_seed="", now=AT)
    stop(player)
    services.leave_seat(game=game, player=player, now=AT)
    assert not state.load(game.pk)[1].seats


def test_a_tournament_entered_before_the_time_out_can_be_played(
    player: Player, organizer: Player, stop: Callable[[Player], object]
) -> None:
    tournament, other = published(organizer), rich("otto")
    fund(cash(player.pk), 500)
    for who in (player, other):
        tournaments.enter(tournament_id=tournament.pk, player=who, client_seed="a", now=AT)
    stop(player)
    tournaments.start(tournament_id=tournament.pk, actor=organizer, now=AT)
    run_due(AT)
    game = GameRecord.objects.get(tournament=tournament.pk, seatings__player=player)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=AT)


def test_a_repeated_cash_in_after_the_time_out_has_the_first_response(
    player: Player, stop: Callable[[Player], object]
) -> None:
    fund(cash(player.pk), 5000)
    order = {"player": player.pk, "amount": 500, "currency": CURRENCY, "key": "k", "at": AT}
    session = ledger.open_session(**order)
    stop(player)
    assert ledger.open_session(**order).pk == session.pk
    with pytest.raises(PlayStopped):
        ledger.open_session(**{**order, "key": str(uuid4())})
