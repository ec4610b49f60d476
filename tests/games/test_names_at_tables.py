"""Names of players at tables, shown to signed-in callers; a name costs no query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from accounts.services import change_profile, erase_player
from games import services
from games.models import GameRecord
from tests.conftest import NOW, person

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def table(people: list[Player], **more: Any) -> GameRecord:
    game = services.create_game(rules="ace-race", config={}, creator=people[0], now=NOW, **more)
    for who in people:
        services.take_seat(game=game, player=who, client_seed="", now=NOW)
    return game


def names(answer: Any) -> list[str | None]:
    return [seat["name"] for seat in answer["seats"]]


def test_seated_players_and_spectators_read_the_same_names(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    change_profile(player=rival, display_name="Bea the Brave")
    game = table([player, rival], seats=4, bots=[services.BotSeat(seat=2, bot="strong")])
    for who in (player, rival, stranger):
        expected = ["ann", "Bea the Brave", "strong 2", None]
        assert names(api(who).get(f"{V1}/games/{game.pk}/").json()) == expected
        listed = api(who).get(f"{V1}/games/").json()["results"]
        assert [names(line) for line in listed] == [["ann", "Bea the Brave", "strong 2", None]]


def test_anonymous_visitors_see_no_names_of_people(api: Api, player: Player, rival: Player) -> None:
    game = table([player, rival], seats=3, bots=[services.BotSeat(seat=2)])
    for answer in (api(None).get(f"{V1}/games/{game.pk}/"), api(None).get(f"{V1}/games/")):
        assert b"steady 2" in answer.content
        assert b"ann" not in answer.content
        assert rival.username.encode() not in answer.content


def test_names_of_a_private_table_need_access_to_it(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    game = table([player, rival], seats=2, private=True)
    assert api(stranger).get(f"{V1}/games/{game.pk}/").status_code == 404
    expected = ["ann", rival.username]
    assert names(api(stranger).get(f"{V1}/games/{game.pk}/?invite={game.invite}").json()) == expected


def test_an_erased_player_has_no_name(api: Api, player: Player, rival: Player, administrator: Player) -> None:
    change_profile(player=rival, display_name="Bea the Brave")
    game = table([player, rival], seats=2)
    erase_player(player=rival, now=NOW)
    _, shown = names(api(player).get(f"{V1}/games/{game.pk}/").json())
    assert shown is not None
    assert shown.startswith("erased-")


def test_a_match_names_its_players(api: Api, player: Player, rival: Player) -> None:
    wanted = {"rules": "ace-race", "seats": 2, "deals": 2, "bots": [1]}
    opened = api(player).post(f"{V1}/matches/", wanted).json()
    api(player).post(f"{V1}/games/{opened['game']}/seats/", {})
    address = f"{V1}/matches/{opened['id']}/"
    assert names(api(rival).get(address).json()) == ["ann", "steady 1"]
    assert names(api(None).get(address).json()) == [None, "steady 1"]
    assert [names(line) for line in api(None).get(f"{V1}/matches/").json()["results"]] == [[None, "steady 1"]]


def test_the_number_of_queries_does_not_depend_on_the_seats(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    def queries_made() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api(stranger).get(f"{V1}/games/").status_code == 200
        return len(queries)

    table([player], seats=2)
    few = queries_made()
    for number in range(3):
        table([player, rival, person(f"visitor-{number}")], seats=6)
    assert queries_made() == few
