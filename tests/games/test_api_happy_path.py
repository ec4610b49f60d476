"""Games over REST, from the table to the verified bundle."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from games import bots
from games.bots import Observation
from games.play import clocks
from games.rules.bundles.verification import verify
from tests.due_jobs import run_due

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

GAMES = "/api/v1/games/"


def open_and_start(client: Any, body: dict[str, Any], *, seated: bool = True) -> str:
    opened = client.post(GAMES, body)
    assert opened.status_code == 201, opened.json()
    game = opened["Location"]
    assert opened.json()["status"] == "open"
    if seated:
        assert client.post(f"{game}seats/", {"client_seed": "mine"}).status_code == 201
    started = client.post(f"{game}start/", {})
    assert started.status_code == 200, started.json()
    assert started.json()["status"] == "active"
    return str(game)


def test_the_list_of_rules_is_public(api: Api) -> None:
    found = {each["slug"]: each for each in api(None).get("/api/v1/rules/").json()}
    assert found.keys() >= {"racing-aces", "vegas-solitaire"}
    assert found["vegas-solitaire"]["config_schema"]["properties"]["draw"]["enum"] == [1, 3]


def test_a_practice_game_of_vegas_is_played_and_verified(api: Api, player: Player) -> None:
    client = api(player)
    game = open_and_start(client, {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}})
    dealt = client.get(game).json()
    nothing = {"bot": None, "owner": None, "suit": None}
    assert dealt["seats"] == [
        {"seat": 0, "player": str(player.pk), "name": "ann", "kind": "human", **nothing}
    ]
    assert dealt["version"] == 3
    assert dealt["created_at"].endswith("Z")
    assert dealt["to_act"] == [0]
    fairness = dealt["fairness"]
    assert fairness.keys() == {"commitment", "client_seeds", "server_seed"}
    assert (fairness["client_seeds"], fairness["server_seed"]) == (["mine"], None)
    assert {"type": "draw"} in dealt["legal_moves"]
    assert client.get(f"{game}legal-moves/").json() == dealt["legal_moves"]

    drawn = client.post(f"{game}moves/", {"move": {"type": "draw"}})
    assert drawn.status_code == 201
    assert drawn["ETag"] == '"4"'
    receipt = drawn.json()
    assert list(receipt) == ["version", "hash", "events", "view", "legal_moves"]
    assert receipt["version"] == 4
    assert receipt["view"]["waste_count"] == 3
    assert [event["type"] for event in receipt["events"]] == ["draw"]
    assert receipt["events"][0]["hash"] == receipt["hash"]
    assert client.get(drawn["Location"]).json()["view"] == receipt["view"]

    collected = client.post(f"{game}moves/", {"move": {"type": "collect"}}).json()
    assert [event["type"] for event in collected["events"]] == ["collect", "finished"]
    ended = client.get(game).json()
    assert ended["status"] == "finished"
    assert ended["outcome"]["result"] == "collected"
    assert len(ended["fairness"]["server_seed"]) == 64

    page = client.get(f"{game}events/?after=1&limit=2").json()
    assert [event["version"] for event in page["results"]] == [2, 3]
    following = client.get(page["next"]).json()
    assert [event["version"] for event in following["results"]] == [4, 5]
    rest = client.get(f"{game}events/?after=5").json()["results"]
    assert client.get(following["next"]).json() == {"results": rest, "next": None}

    report = client.get(f"{game}verification/").json()
    assert report["ok"] is True
    assert {report["checks"][name] for name in ("chain", "deal", "moves", "head", "record")} == {"passed"}
    bundle = client.get(f"{game}bundle/").json()
    assert verify(bundle).ok
    replayed = client.get(f"{game}replay/?at=3&all=true").json()
    assert replayed["view"] == dealt["view"]
    assert replayed["views"] == [dealt["view"]]


def test_a_race_is_drawn_by_its_operator(api: Api, player: Player, rival: Player) -> None:
    client = api(player)
    game = open_and_start(client, {"rules": "racing-aces", "config": {"cards_per_draw": 4}}, seated=False)
    watched = api(rival).get(game).json()
    assert watched["legal_moves"] == []
    assert watched["view"]["stock"] == 48
    draws = 0
    while client.get(f"{game}legal-moves/").json() == [{"type": "draw"}]:
        assert client.post(f"{game}moves/", {"move": {"type": "draw"}}).status_code == 201
        draws += 1
    ended = api(rival).get(game).json()
    assert ended["outcome"]["draws"] == draws
    assert verify(api(rival).get(f"{game}bundle/").json()).ok


def test_the_lobby_has_filters_and_pages(api: Api, player: Player, rival: Player) -> None:
    client = api(player)
    body = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}}
    mine = [client.post(GAMES, body).json()["id"] for _ in range(3)]
    api(rival).post(GAMES, {"rules": "racing-aces"})

    first = client.get(f"{GAMES}?rules=vegas-solitaire&status=open&limit=2").json()
    assert [game["id"] for game in first["results"]] == [mine[2], mine[1]]
    rest = client.get(first["next"]).json()
    assert [game["id"] for game in rest["results"]] == [mine[0]]
    assert rest["next"] is None
    assert len(api(None).get(GAMES).json()["results"]) == 4

    client.post(f"{GAMES}{mine[1]}/seats/", {})
    assert [game["id"] for game in client.get(f"{GAMES}?mine=true").json()["results"]] == [mine[1]]


def test_a_player_may_leave_before_the_deal(api: Api, player: Player) -> None:
    client = api(player)
    game = client.post(GAMES, {"rules": "racing-aces", "seats": 2})["Location"]
    client.post(f"{game}seats/", {"client_seed": "first thought"})
    assert client.delete(f"{game}seats/me/").status_code == 204
    client.post(f"{game}seats/", {"client_seed": "second thought"})
    events = client.get(f"{game}events/").json()["results"]
    assert [event["type"] for event in events] == ["created", "seated", "left", "seated"]
    assert client.get(game).json()["fairness"]["client_seeds"] == ["second thought"]


@pytest.fixture
def client(api: Api, player: Player) -> Any:
    return api(player)


@pytest.fixture
def game(client: Any) -> str:
    """Return a dealt game without redeals."""
    opened = client.post(GAMES, {"rules": "idle-aces", "config": {"redeals": 0}})
    assert opened.status_code == 201, opened.json()
    address = str(opened["Location"])
    assert client.post(f"{address}seats/", {"client_seed": "mine"}).status_code == 201
    assert client.post(f"{address}start/", {}).status_code == 200
    return address


def proved(client: Any, game: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(client.get(f"{game}bundle/").content)
    assert verify(document).ok
    return document


def test_the_server_ends_a_lost_game(client: Any, game: str) -> None:
    steady = bots.get("idle-aces")
    now = client.get(game).json()
    while True:
        move = steady.choose(Observation(now["view"], now["legal_moves"]), random.Random(0))
        answer = client.post(f"{game}moves/", {"move": move})
        assert answer.status_code == 201, answer.json()
        now = answer.json()
        if now["events"][-1]["type"] == "finished":
            break
    assert [event["type"] for event in now["events"]] in (["draw", "finished"], ["play", "finished"])
    assert now["legal_moves"] == []
    assert client.get(game).json()["outcome"]["result"] == "lost"
    assert proved(client, game)["outcome"] == now["events"][-1]["data"]["outcome"]


def test_resigning_loses_immediately(client: Any, game: str) -> None:
    resigned = client.post(f"{game}moves/", {"move": {"type": "resign"}}).json()
    assert [event["type"] for event in resigned["events"]] == ["resign", "finished"]
    assert proved(client, game)["outcome"] == {"result": "lost", "cards": 8, "plays": 0}


def test_an_absent_player_resigns(client: Any, game: str) -> None:
    run_due(datetime.now(UTC) + clocks.idle("idle-aces") + timedelta(hours=1))
    *_, expired, finished = client.get(f"{game}events/").json()["results"]
    assert (expired["type"], finished["type"]) == ("expired", "finished")
    assert expired["data"] == {"seat": 0, "move": {"type": "resign"}, "facts": {}}
    assert proved(client, game)["outcome"]["result"] == "lost"
