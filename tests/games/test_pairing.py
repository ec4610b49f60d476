"""Quick pairing: a player joins the oldest open table on the same terms, or opens one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import bots
from accounts.models import Player
from accounts.moderation import block
from accounts.services import create_guest, suspend
from games import services
from games.models import GameRecord, Seat, Status
from games.tables import pairing
from tests.conftest import NOW, Client, person
from tests.games.staked import money_of, provide

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

API = "/api/v1/"
PAIRING = f"{API}games/pairing/"
Api = Callable[[Player | None], Client]
TERMS: dict[str, Any] = {"rules": "ace-race", "seats": 2, "move_limit": 60}
BUY_IN: dict[str, Any] = {"stake_table": "ace-race-table", "buy_in": 520}


def asked(client: Client, **terms: Any) -> Any:
    answer = client.post(PAIRING, TERMS | terms)
    assert answer.status_code == 201, answer.content
    return answer.json()


def refused(client: Client, **terms: Any) -> tuple[int, str]:
    answer = client.post(PAIRING, TERMS | terms)
    return answer.status_code, answer.json()["code"]


def opened(player: Player, **more: Any) -> GameRecord:
    terms = {"rules": "ace-race", "config": {}, "seats": 2, "move_limit": 60} | more
    game = services.create_game(creator=player, now=timezone.now(), **terms)
    services.take_seat(game=game, player=player, client_seed="", now=timezone.now())
    return game


def test_two_players_meet_and_the_game_starts(player: Player, rival: Player, api: Api) -> None:
    waiting = asked(api(player), client_seed="mine")
    assert (waiting["status"], waiting["seat"], waiting["private"]) == ("open", 0, False)
    met = asked(api(rival), client_seed="theirs")
    assert (met["id"], met["status"], met["seat"]) == (waiting["id"], "active", 1)
    assert met["fairness"]["client_seeds"] == ["mine", "theirs"]
    assert asked(api(rival))["id"] != met["id"]


def test_a_table_for_four_is_dealt_when_the_fourth_sits_down(player: Player, api: Api) -> None:
    people = [player, *(person(name) for name in ("bea", "cid", "dan"))]
    found = [asked(api(who), seats=4) for who in people]
    assert len({game["id"] for game in found}) == 1
    assert [game["status"] for game in found] == ["open", "open", "open", "active"]


def test_a_player_who_asks_again_returns_to_the_table(player: Player, rival: Player, api: Api) -> None:
    waiting = asked(api(player))
    asked(api(rival), seats=4)
    assert asked(api(player)) | {"clock": None} == waiting | {"clock": None}
    assert GameRecord.objects.count() == 2


def test_a_repeated_request_sits_down_once(player: Player, api: Api) -> None:
    client = api(player)
    first, again = (client.post(PAIRING, TERMS, key="one") for _ in range(2))
    assert first.json() == again.json()
    assert again["Idempotent-Replay"] == "true"
    assert Seat.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [
        {"move_limit": 120},
        {"move_limit": None},
        {"game_limit": 600},
        {"seats": 3},
        {"config": {"dealer": 1}},
        {"rules": "racing-demons", "config": {"pace": "turns"}},
    ],
)
def test_other_terms_are_another_table(
    player: Player, rival: Player, api: Api, other: dict[str, Any]
) -> None:
    waiting = asked(api(player))
    assert asked(api(rival), **other)["id"] != waiting["id"]


def test_a_default_is_the_same_as_its_value(player: Player, rival: Player, api: Api) -> None:
    waiting = asked(api(player))
    assert asked(api(rival), config=waiting["config"])["id"] == waiting["id"]


def test_a_table_of_the_lobby_is_joined(player: Player, rival: Player, api: Api) -> None:
    game = opened(player)
    met = asked(api(rival))
    assert (met["id"], met["status"]) == (str(game.pk), "active")


@pytest.mark.parametrize("more", [{"private": True}, {"bots": [services.BotSeat(2)], "seats": 3}])
def test_private_tables_and_tables_with_bots_are_not_joined(
    player: Player, rival: Player, api: Api, more: dict[str, Any]
) -> None:
    game = opened(player, **more)
    assert asked(api(rival), seats=game.seats)["id"] != str(game.pk)


def test_a_table_to_which_a_bot_was_added_is_not_joined(player: Player, rival: Player, api: Api) -> None:
    waiting = asked(api(player), seats=3)
    assert api(player).post(f"{API}games/{waiting['id']}/bots/", {}).status_code == 201
    assert asked(api(rival), seats=3)["id"] != waiting["id"]


def test_an_old_table_is_not_joined(player: Player, rival: Player, api: Api) -> None:
    game = opened(player)
    GameRecord.objects.filter(pk=game.pk).update(
        created_at=timezone.now() - pairing.RECENT - timedelta(seconds=1)
    )
    assert asked(api(rival))["id"] != str(game.pk)


def test_the_table_of_a_suspended_player_is_not_joined(player: Player, rival: Player, api: Api) -> None:
    game = opened(player)
    suspend(player=player, reason="cheated")
    assert asked(api(rival))["id"] != str(game.pk)


@pytest.mark.parametrize("blocks", ["player", "rival"])
def test_players_who_block_each_other_do_not_meet(
    player: Player, rival: Player, stranger: Player, api: Api, blocks: str
) -> None:
    one, other = (player, rival) if blocks == "player" else (rival, player)
    block(player=one, other=other.pk, now=NOW)
    waiting = asked(api(player))
    assert asked(api(rival))["id"] != waiting["id"]
    assert asked(api(stranger))["id"] == waiting["id"]


def test_suits_are_chosen_or_the_first_free_one(
    player: Player, rival: Player, stranger: Player, api: Api
) -> None:
    race = {
        "rules": "racing-aces",
        "config": {"suits": "chosen"},
        "seats": 3,
        "move_limit": None,
        "draw_every": 2,
    }
    waiting = asked(api(player), suit="C", **race)
    assert asked(api(rival), **race)["seats"][1]["suit"] == "D"
    other = asked(api(stranger), suit="C", **race)
    assert (other["id"] != waiting["id"], other["seats"][0]["suit"]) == (True, "C")


def test_only_players_who_chose_the_stake_meet_at_a_staked_table(
    player: Player, rival: Player, stranger: Player, api: Api
) -> None:
    provide([player, rival, stranger], 2000)
    staked = asked(api(player), **BUY_IN)
    assert asked(api(stranger))["id"] != staked["id"]
    assert asked(api(stranger), **BUY_IN | {"buy_in": 1040})["id"] != staked["id"]
    met = asked(api(rival), **BUY_IN)
    assert (met["id"], met["status"], met["pot"]["amount"]) == (staked["id"], "active", 1040)
    assert money_of([player, rival, stranger]) == [1480, 1480, 960]


def test_who_cannot_pay_is_refused_and_opens_no_table(player: Player, rival: Player, api: Api) -> None:
    provide([rival])
    assert refused(api(player), **BUY_IN) == (409, "insufficient-funds")
    asked(api(rival), **BUY_IN)
    assert refused(api(player), **BUY_IN) == (409, "insufficient-funds")
    assert (GameRecord.objects.count(), Seat.objects.count()) == (1, 1)


def test_guests_meet_for_points_only(player: Player, api: Api) -> None:
    guest = create_guest(now=timezone.now())
    waiting = asked(api(guest))
    assert asked(api(player))["id"] == waiting["id"]
    assert refused(api(guest), **BUY_IN) == (403, "account-needed")


def test_bots_are_not_paired(player: Player) -> None:
    bot = bots.create(owner=player, name="Deep Ace", owner_only=False, now=NOW)
    with pytest.raises(Exception, match="not paired"):
        services.pair(player=bot, now=timezone.now(), config={}, **TERMS)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ({"seats": 1}, (400, "invalid-input")),
        ({"seats": 5}, (400, "invalid-table")),
        ({"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}}, (400, "invalid-table")),
        ({"rules": "chess"}, (400, "unknown-rules")),
        ({"config": {"dealer": "x"}}, (400, "invalid-config")),
        ({"suit": "H"}, (400, "no-suits")),
        ({"client_seed": "a|b"}, (400, "invalid-client-seed")),
        ({"private": True}, (400, "invalid-input")),
    ],
)
def test_wrong_terms_are_refused(
    player: Player, api: Api, terms: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert refused(api(player), **terms) == expected
    assert not GameRecord.objects.exists()


def test_pairing_opens_no_more_tables_than_allowed(player: Player, api: Api, settings: Any) -> None:
    settings.OPEN_TABLES_PER_PLAYER = 1
    asked(api(player))
    assert refused(api(player), seats=3) == (429, "too-many-tables")


def test_requests_are_throttled(player: Player, api: Api, settings: Any) -> None:
    settings.API_RATES = settings.API_RATES | {"pairings": (1, 3600)}
    asked(api(player))
    assert refused(api(player)) == (429, "too-many-requests")


def test_the_bots_of_a_table_are_added_by_its_people(
    player: Player, rival: Player, stranger: Player, api: Api
) -> None:
    waiting = asked(api(player), seats=4)
    asked(api(rival), seats=4)
    path = f"{API}games/{waiting['id']}/bots/"
    assert api(stranger).post(path, {}).json()["code"] == "not-seated"
    assert api(rival).post(path, {"bot": "deep"}).json()["code"] == "invalid-table"
    shown = api(rival).post(path, {"bot": "strong"}).json()
    assert [(seat["kind"], seat["bot"]) for seat in shown["seats"][2:]] == [("bot", "strong"), (None, None)]
    full = api(player).post(path, {}).json()
    assert [seat["bot"] for seat in full["seats"]] == [None, None, "strong", "steady"]
    assert api(player).post(path, {}).json()["code"] == "seats-taken"
    started = api(player).post(f"{API}games/{waiting['id']}/start/", {}).json()
    assert started["status"] == Status.ACTIVE
    assert api(player).post(path, {}).status_code == 409


def test_no_bot_buys_in(player: Player, api: Api) -> None:
    provide([player])
    waiting = asked(api(player), **BUY_IN)
    answer = api(player).post(f"{API}games/{waiting['id']}/bots/", {})
    assert (answer.status_code, answer.json()["field"]) == (400, "bot")
