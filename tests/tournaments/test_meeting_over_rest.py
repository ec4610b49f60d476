"""A meeting over REST: the card, bets on the markets of its races, the bank, and permissions."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from tests.due_jobs import run_due, run_due_soon
from tests.money import available, cash, fund
from tests.tournaments.conftest import Publish
from tests.tournaments.meetings import BANK, MEETING, open_race, run_race
from tests.tournaments.playing import FEE, promotion
from tests.tournaments.test_api import LIST, Api
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def started(api: Api, organizer: Player, player: Player, rival: Player) -> Tournament:
    """A meeting of two people and two bots, with betting open on the first race of two."""
    promotion()
    client = api(organizer)
    drafted = client.post(LIST, {**MEETING, "fee": FEE, "prizes": [7000, 3000], "fill_to": 4})
    assert drafted.status_code == 201, drafted.json()
    path = f"{LIST}{drafted.json()['id']}/"
    assert drafted.json()["bank"] == BANK
    assert client.post(f"{path}publish/").status_code == 200
    for one in (player, rival):
        fund(cash(one.pk), FEE)
        assert api(one).post(f"{path}entries/", {}).status_code == 201
    assert client.post(f"{path}start/").status_code == 200
    run_due_soon()
    return Tournament.objects.get(pk=drafted.json()["id"])


def card(api: Api, tournament: Tournament, viewer: Player | None) -> dict[str, Any]:
    answer = api(viewer).get(f"{LIST}{tournament.pk}/meeting/")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def test_a_meeting_is_run_over_rest(
    api: Api, started: Tournament, player: Player, rival: Player, stranger: Player
):
    for number in (1, 2):
        open_race(started, number)
        shown = card(api, started, player)
        assert [one["round"] for one in shown["races"]] == list(range(1, number + 1))
        assert (shown["bank"], shown["currency"]) == (BANK, "XXX")
        race = shown["races"][-1]
        assert (race["status"], race["closed"]) == ("open", False)
        bets = f"/api/v1/markets/{race['market']}/bets/"
        for one, runner in ((player, "C"), (rival, "D")):
            has = card(api, started, one)["own"]["available"]
            if has:
                made = api(one).post(bets, {"runner": runner, "stake": max(1, has // 2), "currency": "XXX"})
                assert made.status_code == 201, made.json()
                assert made.json()["currency"] == "XXX"
                assert card(api, started, one)["own"]["available"] == has - max(1, has // 2)
        for wrong, status, code in (
            ({"runner": "C", "stake": 10**9}, 409, "insufficient-funds"),
            ({"runner": "C", "stake": 1, "currency": "XTS"}, 400, "unknown-currency"),
            ({"runner": "C", "stake": 1, "price": "3/1"}, 400, "bad-bet"),
        ):
            refused = api(player).post(bets, wrong)
            assert (refused.status_code, refused.json()["code"]) == (status, code)
        refused = api(stranger).post(bets, {"runner": "C", "stake": 1})
        assert (refused.status_code, refused.json()["code"]) == (403, "no-play-money")
        run_race(started, number)
        late = api(player).post(bets, {"runner": "C", "stake": 1})
        assert (late.status_code, late.json()["code"]) == (409, "market-closed")
        bundle = api(player).get(f"/api/v1/games/{race['game']}/bundle/").json()
        assert bundle["outcome"]["result"] == "won", bundle
        assert len(bundle["game"]["bet_seeds"]) >= 2

        for viewer in (None, stranger):
            assert card(api, started, viewer)["own"] is None
    sheet = text(api(None).get(f"{LIST}{started.pk}/rounds/1.csv"))
    assert sheet.splitlines()[0].endswith("returned,staked")
    assert len(sheet.splitlines()) == 5
    assert ",bank,ahead,best," in text(api(None).get(f"{LIST}{started.pk}/standings.csv")).splitlines()[0]

    run_due(timezone.now().replace(year=2030))
    over = api(None).get(f"{LIST}{started.pk}/").json()
    assert (over["status"], over["pool"], over["stalled"]) == ("finished", 0, None)
    standings = api(None).get(f"{LIST}{started.pk}/standings/").json()["standings"]
    assert sum(one["totals"][0] for one in standings) == 4 * BANK
    assert sum(one["prize"] for one in standings) == 4 * FEE
    assert standings[0]["prize"] == max(one["prize"] for one in standings)
    for one in standings:
        document = api(None).get(f"{LIST}{started.pk}/standings/{one['entry']}/").json()["columns"]
        assert [column["value"] for column in document] == one["totals"]
    shown = card(api, started, player)
    assert shown["own"]["available"] == 0
    assert shown["own"]["bank"] == next(
        one["totals"][0] for one in standings if one["player"] == str(player.pk)
    )
    mine = sum(one["prize"] for one in standings if one["player"] == str(player.pk))
    assert available(f"player:{player.pk}") == mine, "the prize, and no penny of play money"


def test_only_a_meeting_has_a_card(api: Api, published: Publish, organizer: Player):
    assert api(organizer).get(f"{LIST}{published().pk}/meeting/").status_code == 404


def text(response: Any) -> str:
    return b"".join(response.streaming_content).decode()
