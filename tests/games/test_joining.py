"""Prechecks in the lobby equal the responses to joining. Filters of the list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from ledger.limits.services import set_limit, take_time_out
from ledger.models import PlaySession
from tests.games.staked import BUY_IN, provide
from tests.money import CURRENCY, bankroll, fresh_key

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
V1 = "/api/v1"
STAKED = {"rules": "ace-race", "seats": 2, "stake_table": "ace-race-table", "buy_in": BUY_IN}


def opened(api: Api, by: Player, **table: Any) -> str:
    answer = api(by).post(f"{V1}/games/", table or {"rules": "ace-race", "seats": 2})
    assert answer.status_code == 201, answer.json()
    return str(answer.json()["id"])


def line(api: Api, who: Player | None, game: str) -> Any:
    results = api(who).get(f"{V1}/games/?you=true").json()["results"]
    return next(one for one in results if one["id"] == game)


def listed(api: Api, who: Player | None, query: str) -> set[str]:
    return {one["id"] for one in api(who).get(f"{V1}/games/?{query}").json()["results"]}


def time_out(player: Player) -> None:
    take_time_out(player=player.pk, hours=3, key=fresh_key(), actor="test", at=timezone.now())


def limit(player: Player) -> None:
    set_limit(
        player=player.pk,
        kind="stake",
        period="day",
        amount=BUY_IN - 1,
        currency=CURRENCY,
        key=fresh_key(),
        actor="test",
        at=timezone.now(),
    )


@pytest.mark.parametrize(
    ("table", "before", "code"),
    [
        ({}, lambda player: None, None),
        ({}, time_out, "play-stopped"),
        ({}, limit, None),
        (STAKED, lambda player: None, "insufficient-funds"),
        (STAKED, lambda player: provide([player]), None),
        (STAKED, lambda player: (provide([player]), limit(player)), "limit-reached"),
        (STAKED, lambda player: (provide([player]), time_out(player)), "play-stopped"),
    ],
    ids=["free", "time-out", "limit, no stake", "no money", "money", "money, limit", "money, time-out"],
)
def test_the_precheck_equals_the_refusal(
    api: Api, player: Player, rival: Player, table: Any, before: Callable[[Player], Any], code: str | None
) -> None:
    game = opened(api, rival, **table)
    before(player)
    for result in (
        line(api, player, game)["you"]["obstacle"],
        api(player).get(f"{V1}/games/{game}/").json()["obstacle"],
    ):
        assert (result and result["code"]) == code
    answer = api(player).post(f"{V1}/games/{game}/seats/", {})
    if code is None:
        assert answer.status_code == 201
        assert line(api, player, game)["you"] == {"seat": 0, "to_act": False, "obstacle": None}
    else:
        assert {**answer.json(), "request_id": None} == {**result, "request_id": None}


def test_prechecks_of_full_and_staked_tables_equal_their_refusals(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    full = opened(api, player)
    for who in (player, rival):
        assert api(who).post(f"{V1}/games/{full}/seats/", {}).status_code == 201
    bankroll()
    provide([player], 2000)
    cashed_in = api(player).post(f"{V1}/play-sessions/", {"amount": 1000}).json()
    assert PlaySession.objects.filter(pk=cashed_in["id"]).exists()
    staked = opened(
        api,
        player,
        rules="vegas-solitaire",
        config={"draw": 3, "stake": 520},
        stake_table="vegas-classic",
        play_session=cashed_in["id"],
    )
    for game, code in ((full, "seats-taken"), (staked, "own-session-only")):
        assert line(api, stranger, game)["you"]["obstacle"]["code"] == code
        assert api(stranger).post(f"{V1}/games/{game}/seats/", {}).json()["code"] == code
    assert line(api, None, full)["you"] is None


def test_the_list_shows_whose_turn_it_is(api: Api, player: Player, rival: Player) -> None:
    game = opened(api, player)
    for who in (player, rival):
        api(who).post(f"{V1}/games/{game}/seats/", {})
    assert api(player).post(f"{V1}/games/{game}/start/", {}).status_code == 200
    to_act = api(player).get(f"{V1}/games/{game}/").json()["to_act"]
    for seat, who in enumerate((player, rival)):
        assert line(api, who, game)["you"] == {"seat": seat, "to_act": seat in to_act, "obstacle": None}
        assert next(iter(api(who).get(f"{V1}/games/?mine=true").json()["results"]))["you"] is None


def test_filters_by_free_seats_and_stake(api: Api, player: Player, rival: Player) -> None:
    provide([player])
    points, money = opened(api, player), opened(api, player, **STAKED)
    race = opened(api, player, rules="racing-aces", seats=0)
    assert {points, money, race} <= listed(api, rival, "status=open")
    assert {points, money, race} & listed(api, rival, "free=true") == {points, money}
    assert {points, money, race} & listed(api, rival, "stake=points") == {points, race}
    assert {points, money, race} & listed(api, rival, "stake=money") == {money}
    for who in (player, rival):
        api(who).post(f"{V1}/games/{points}/seats/", {})
    assert points not in listed(api, rival, "free=true")
    assert points in listed(api, rival, "free=false&mine=true")
    for wrong in ("stake=much", "free=1", "you=yes"):
        answer = api(rival).get(f"{V1}/games/?{wrong}")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid-input")


def test_a_private_table_requires_an_invitation(api: Api, player: Player, rival: Player) -> None:
    made = api(player).post(f"{V1}/games/", {"rules": "ace-race", "seats": 2, "private": True}).json()
    at = f"{V1}/games/{made['id']}/"
    assert api(rival).get(at).status_code == 404
    assert api(rival).get(f"{at}?invite={made['invite']}").json()["obstacle"] is None
    assert made["obstacle"] is None
