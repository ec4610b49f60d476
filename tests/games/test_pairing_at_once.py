"""Players who ask for opponents at the same moment meet at as few tables as there are seats for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from django.utils import timezone

from accounts.models import Player
from games import services
from games.models import GameRecord, Seat, Status
from tests.concurrency import at_once
from tests.conftest import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

ROUNDS = 4


def asking(player: Player, seats: int = 2) -> Callable[[], GameRecord]:
    return partial(services.pair, player=player, rules="ace-race", config={}, seats=seats, now=timezone.now())


def test_two_players_who_ask_at_once_end_at_one_table(player: Player, rival: Player) -> None:
    for number in range(1, ROUNDS + 1):
        one, other = at_once(asking(player), asking(rival))
        assert one.pk == other.pk
        assert GameRecord.objects.filter(status=Status.ACTIVE).count() == number
        assert Seat.objects.filter(game=one.pk).count() == 2
    assert GameRecord.objects.count() == ROUNDS


def test_five_players_who_ask_at_once_fill_two_tables_and_one_waits() -> None:
    people = [person(name) for name in ("bea", "cid", "dan", "fay", "gil")]
    found = at_once(*(asking(who) for who in people))
    assert sorted(Counter(game.pk for game in found).values()) == [1, 2, 2]
    assert sorted(GameRecord.objects.values_list("status", flat=True)) == ["active", "active", "open"]


def test_a_player_who_asks_twice_at_once_sits_at_one_table(player: Player) -> None:
    found = at_once(*(asking(player) for _ in range(ROUNDS)))
    assert len({game.pk for game in found}) == 1
    assert Seat.objects.count() == 1


def test_a_seat_that_is_taken_meanwhile_is_not_lost(player: Player, rival: Player, stranger: Player) -> None:
    waiting = asking(player)()
    sit = partial(services.take_seat, game=waiting, player=stranger, client_seed="", now=timezone.now())
    found, taken = at_once(asking(rival), sit)
    assert isinstance(found, GameRecord), found
    assert Seat.objects.filter(game=waiting).count() == 2
    assert (found.pk == waiting.pk) == isinstance(taken, Exception)
    assert Seat.objects.filter(player=rival).count() == 1
