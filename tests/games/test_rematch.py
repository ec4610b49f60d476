"""A rematch: one table for the players of a finished game."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any

import pytest
from django.db import connections

from accounts.models import Player
from games import services, state
from games.models import GameRecord, Status
from games.services import BotSeat
from tests.conftest import NOW
from tests.games import tables

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def address(game: GameRecord) -> str:
    return f"/api/v1/games/{game.pk}/rematch/"


def finished(*people: Player, rules: str = "ace-race", **more: Any) -> GameRecord:
    """Deal a game, and let the server play it to its end."""
    game = tables.dealt(rules, list(people), now=NOON, **more)
    while not state.load(game.pk)[1].ended:
        services.expire_game(game_id=game.pk, now=NOON)
    game.refresh_from_db()
    return game


def test_the_first_to_ask_opens_the_table_and_the_last_makes_the_deal(
    api: Api, player: Player, rival: Player
) -> None:
    game = finished(player, rival, move_limit=60, private=True)
    opened = api(player).post(address(game), {"client_seed": "mine"})
    assert opened.status_code == 201
    table = opened.json()
    assert (table["status"], table["seat"], table["private"]) == ("open", 0, True)
    assert table["clock"]["move_limit"] == 60
    assert opened["Location"] == f"/api/v1/games/{table['id']}/"
    for viewer, seen in ((player, table["id"]), (rival, table["id"])):
        assert api(viewer).get(f"/api/v1/games/{game.pk}/").json()["rematch"] == seen
    joined = api(rival).post(address(game), {}).json()
    assert (joined["id"], joined["status"], joined["seat"]) == (table["id"], "active", 1)
    assert [seat["name"] for seat in joined["seats"]] == [player.get_full_name(), rival.get_full_name()]


def test_who_has_a_seat_already_returns_to_it(api: Api, player: Player, rival: Player) -> None:
    game = finished(player, rival)
    first, again = (api(player).post(address(game), {}).json() for _ in range(2))
    assert (again["id"], again["seat"], again["status"]) == (first["id"], 0, "open")
    assert GameRecord.objects.filter(rematch_of=game).count() == 1


def test_bots_have_their_seats_and_their_strategy_again(api: Api, player: Player) -> None:
    bots = [BotSeat(1, "random"), BotSeat(2)]
    game = services.create_game(
        rules="ace-race", config={}, seats=3, creator=player, bots=bots, now=NOON, hints=False
    )
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    services.start_game(game=game, actor=player, now=NOON)
    while not state.load(game.pk)[1].ended:
        services.expire_game(game_id=game.pk, now=NOON)
    again = api(player).post(address(game), {}).json()
    assert again["status"] == "active"
    assert [seat["bot"] for seat in again["seats"]] == [None, "random", "steady"]


def test_the_chosen_suits_are_the_same(api: Api, player: Player, rival: Player) -> None:
    game = services.create_game(
        rules="racing-aces", config={"suits": "chosen"}, seats=2, creator=player, draw_every=1, now=NOON
    )
    for who, suit in ((player, "H"), (rival, "S")):
        services.take_seat(game=game, player=who, client_seed="", suit=suit, now=NOON)
    services.start_game(game=game, actor=player, now=NOON)
    while services.draw(game_id=game.pk, now=NOON):
        pass
    api(player).post(address(game), {})
    again = api(rival).post(address(game), {}).json()
    assert [seat["suit"] for seat in again["seats"]] == ["H", "S"]


def test_strangers_have_no_part_in_it(api: Api, player: Player, rival: Player, stranger: Player) -> None:
    game = finished(player, rival)
    asked = api(stranger).post(address(game), {})
    assert (asked.status_code, asked.json()["code"]) == (403, "not-seated")
    table = api(player).post(address(game), {}).json()
    assert api(stranger).get(f"/api/v1/games/{game.pk}/").json()["rematch"] is None
    seats = api(stranger).post(f"/api/v1/games/{table['id']}/seats/", {})
    assert (seats.status_code, seats.json()["code"]) == (409, "seats-taken")
    assert api(rival).post(f"/api/v1/games/{table['id']}/seats/", {}).json()["seat"] == 1


def test_quick_pairing_and_the_lobby_leave_it_to_its_players(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    game = finished(player, rival, move_limit=60)
    table = api(player).post(address(game), {}).json()
    assert table["private"] is False
    assert GameRecord.objects.get(pk=table["id"]).pairing_key is None
    terms = {"rules": "ace-race", "seats": 2, "move_limit": 60}
    paired = api(stranger).post("/api/v1/games/pairing/", terms).json()
    assert (paired["status"], paired["seat"]) == ("open", 0)
    free = api(stranger).get("/api/v1/games/?free=true").json()["results"]
    assert [line["id"] for line in free] == [paired["id"]]


def test_only_finished_games_have_one(api: Api, player: Player, rival: Player) -> None:
    running = tables.dealt("ace-race", [player, rival], now=NOON)
    asked = api(player).post(address(running), {})
    assert (asked.status_code, asked.json()["code"]) == (409, "no-rematch")
    assert "not finished" in asked.json()["detail"]


def test_a_table_that_was_not_used_does_not_prevent_another(api: Api, player: Player, rival: Player) -> None:
    game = finished(player, rival)
    unused = api(player).post(address(game), {}).json()["id"]
    services.void_game(game_id=GameRecord.objects.get(pk=unused).pk, reason="not-started", now=NOW)
    assert api(rival).get(f"/api/v1/games/{game.pk}/").json()["rematch"] is None
    another = api(rival).post(address(game), {}).json()
    assert another["id"] != unused
    assert another["seat"] == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_players_who_ask_at_once_meet_at_one_table(api: Api, player: Player, rival: Player) -> None:
    game = finished(player, rival)
    clients, together = [api(who) for who in (player, rival) for _ in range(2)], Barrier(4)

    def ask(client: Any) -> Any:
        try:
            together.wait(60)
            return client.post(address(game), {})
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(ask, clients))
    assert {answer.status_code for answer in answers} == {201}
    [table] = GameRecord.objects.filter(rematch_of=game)
    assert {answer.json()["id"] for answer in answers} == {str(table.pk)}
    assert table.status == Status.ACTIVE
    assert set(table.seatings.values_list("seat", "player")) == {(0, player.pk), (1, rival.pk)}
