"""Racing Aces with chosen suits over REST: seats, the end of a race, and the agreed pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from accounts.models import Player
from accounts.services import create_bot
from games import services
from games.models import GameRecord
from games.rules.bundles.verification import verify
from games.tables import services as table_services
from ledger.reconciliation.services import reconcile_all
from ledger.selectors import reconcile
from ledger.stakes.models import Pot
from tests.conftest import known
from tests.games import chosen
from tests.games.chosen import BUY_IN
from tests.games.conftest import NOON, SEED
from tests.games.staked import in_escrow, money_of, provide

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]
V1 = "/api/v1"
RACE = {"rules": "racing-aces", "config": {"suits": "chosen"}}
POOL = {**RACE, "stake_table": "race-bets", "buy_in": BUY_IN}


@pytest.fixture(autouse=True)
def known_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_services, "secrets", SimpleNamespace(token_bytes=lambda size: SEED[:size]))


@pytest.fixture
def people(player: Player, rival: Player, stranger: Player) -> list[Player]:
    return [player, rival, stranger, known("cora"), known("dora"), known("edna")]


def opened(api: Api, creator: Player, **body: Any) -> str:
    answer = api(creator).post(f"{V1}/games/", {**RACE, **body})
    assert answer.status_code == 201, answer.json()
    return f"{V1}/games/{answer.json()['id']}"


def sit(api: Api, at: str, people: Sequence[Player], suits: Sequence[str]) -> list[dict[str, Any]]:
    answers = [api(who).post(f"{at}/seats/", {"suit": suit}) for who, suit in zip(people, suits, strict=True)]
    assert [answer.status_code for answer in answers] == [201] * len(people)
    return [answer.json() for answer in answers]


def race(api: Api, at: str, operator: Player) -> dict[str, Any]:
    """Return the game after the deal and all draws."""
    client = api(operator)
    assert client.post(f"{at}/start/", {}).status_code == 200
    while client.get(f"{at}/").json()["status"] == "active":
        assert client.post(f"{at}/moves/", {"move": {"type": "draw"}}).status_code == 201
    ended: dict[str, Any] = client.get(f"{at}/").json()
    return ended


def test_a_race_with_chosen_suits_from_its_opening_to_the_winner(api: Api, people: list[Player]) -> None:
    at = opened(api, people[0], seats=3)
    empty = api(None).get(f"{at}/").json()
    assert empty["free_suits"] == ["C", "D", "H", "S"]
    suits = chosen.suits(3, winners=[1])
    seated = sit(api, at, people[:3], suits)
    assert [seat["suit"] for seat in seated[1]["seats"]] == [*suits[:2], None]
    assert seated[1]["free_suits"] == [suit for suit in "CDHS" if suit not in suits[:2]]
    line = next(one for one in api(None).get(f"{V1}/games/").json()["results"] if one["id"] == empty["id"])
    assert [seat["suit"] for seat in line["seats"]] == suits
    assert line["free_suits"] == seated[2]["free_suits"]
    api(people[1]).post(f"{at}/start/", {})
    running = api(people[2]).get(f"{at}/").json()
    assert (running["view"]["suits"], running["view"]["winners"], running["free_suits"]) == (suits, [], None)
    while api(people[0]).post(f"{at}/moves/", {"move": {"type": "draw"}}).status_code == 201:
        pass
    ended = api(None).get(f"{at}/").json()
    assert (ended["outcome"]["suits"], ended["outcome"]["winners"]) == (suits, [1])
    assert (ended["view"]["suits"], ended["view"]["winners"]) == (suits, [1])
    bundle = api(people[2]).get(f"{at}/bundle/").json()
    assert [seat["suit"] for seat in bundle["game"]["seats"]] == suits
    assert verify(bundle).faults == ()
    assert api(people[2]).get(f"{at}/verification/").json()["ok"]
    events = api(people[2]).get(f"{at}/events/").json()["results"]
    assert [event["data"]["suit"] for event in events if event["type"] == "seated"] == suits
    replay = api(people[2]).get(f"{at}/replay/?at={bundle['events'][-1]['version']}").json()
    assert replay["view"]["winners"] == [1]


def test_invalid_choices_of_a_suit_are_refused(
    api: Api, people: list[Player], subtests: pytest.Subtests
) -> None:
    at = opened(api, people[0], seats=4)
    sit(api, at, people[:1], "H")
    for body, status, code in [
        *((body, 400, "suit-needed") for body in ({}, {"suit": None})),
        *(({"suit": suit}, 400, "no-such-suit") for suit in ("X", "h", "hearts", "CD")),
        *(({"suit": suit}, 400, "invalid-input") for suit in ("", 1, ["H"])),
        ({"suit": "H"}, 409, "suit-taken"),
    ]:
        with subtests.test(body=body):
            answer = api(people[1]).post(f"{at}/seats/", body)
            assert (answer.status_code, answer.json()["code"]) == (status, code)
    none = opened(api, people[0], seats=2, config={})
    answer = api(people[1]).post(f"{none}/seats/", {"suit": "H"})
    assert (answer.status_code, answer.json()["code"]) == (400, "no-suits")
    plain = api(people[1]).post(f"{none}/seats/", {}).json()
    assert (plain["free_suits"], plain["seats"][0]["suit"]) == (None, None)
    assert "suits" not in plain["config"]


def test_standing_up_frees_the_suit(api: Api, people: list[Player]) -> None:
    at = opened(api, people[0], seats=2)
    sit(api, at, people[:1], "H")
    assert api(people[0]).delete(f"{at}/seats/me/").status_code == 204
    assert api(None).get(f"{at}/").json()["free_suits"] == ["C", "D", "H", "S"]
    assert [seat["suit"] for seat in sit(api, at, people[1:2], "H")[0]["seats"]] == ["H", None]


def test_bots_take_the_first_free_suit(api: Api, people: list[Player]) -> None:
    at = opened(api, people[0], seats=4, bots=[1, 3])
    seats = api(None).get(f"{at}/").json()["seats"]
    assert [seat["suit"] for seat in seats] == [None, "C", None, "D"]
    sit(api, at, people[:2], "HS")
    assert race(api, at, people[0])["outcome"]["suits"] == ["H", "C", "S", "D"]


def test_a_tournament_of_races_has_no_suits(api: Api, organizer: Player) -> None:
    body = {"name": "Races", "rules": "racing-aces", "config": {"suits": "chosen"}, "format": "bets_table"}
    answer = api(organizer).post(f"{V1}/tournaments/", body)
    assert answer.status_code == 400


# --- pool ----------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_pool_by_agreement(api: Api, people: list[Player], subtests: pytest.Subtests) -> None:
    """Won by one seat, by two with a remaining penny, by a suit that no seat has, and by no suit."""
    for name, suits, burn, shares in [
        ("one of three", chosen.suits(3, winners=[2]), 0, [0, 0, 303]),
        ("two of five", chosen.suits(5, winners=[1, 4]), 0, [0, 253, 0, 0, 252]),
        ("no seat has the suit", chosen.suits(2, winners=[]), 0, [101, 101]),
        ("no suit wins", ["H", "C"], chosen.NO_WINNER, [101, 101]),
    ]:
        with subtests.test(name):
            players = people[: len(suits)]
            provide(players)
            before = money_of(players)
            at = opened(
                api, players[0], **{**POOL, "config": {"suits": "chosen", "burn": burn}}, seats=len(suits)
            )
            seated = sit(api, at, players, suits)
            game = GameRecord.objects.get(pk=at.rsplit("/", 1)[1])
            assert seated[-1]["pot"]["amount"] == in_escrow(game) == BUY_IN * len(suits)
            assert money_of(players) == [had - BUY_IN for had in before]
            ended = race(api, at, players[0])
            assert ended["pot"]["paid"] == [
                {"seat": seat, "amount": amount} for seat, amount in enumerate(shares)
            ]
            assert ended["pot"]["status"] == ("settled" if ended["outcome"]["winners"] else "void")
            assert money_of(players) == [
                had - BUY_IN + share for had, share in zip(before, shares, strict=True)
            ]
            assert (in_escrow(game), sum(shares)) == (0, BUY_IN * len(suits))
            report = verify(api(players[0]).get(f"{at}/bundle/").json())
            expected = ((), "passed", "passed")
            assert (report.faults, report.checks["money"], report.checks["escrow"]) == expected
    assert list(reconcile()) == []
    for replay in (False, True):
        assert reconcile_all(replay=replay).differences == []


@pytest.mark.both_databases
def test_a_voided_race_refunds_the_stakes(api: Api, people: list[Player]) -> None:
    provide(people[:2])
    for dealt in (False, True):
        at = opened(api, people[0], **POOL, seats=2)
        sit(api, at, people[:2], "HC")
        if dealt:
            assert api(people[1]).post(f"{at}/start/", {}).status_code == 200
        game = GameRecord.objects.get(pk=at.rsplit("/", 1)[1])
        services.void_game(game_id=game.pk, reason="power cut", now=NOON)
        assert (money_of(people[:2]), in_escrow(game)) == ([1000, 1000], 0)
        report = verify(api(people[0]).get(f"{at}/bundle/").json())
        assert (report.faults, report.checks["money"]) == ((), "passed")
    assert reconcile_all(replay=True).differences == []


def test_invalid_pools_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    create_bot(name="steady 1")
    for wrong, status, code, field in [
        ({"config": {}}, 400, "invalid-table", "buy_in"),
        ({"config": {"suits": "none"}}, 400, "invalid-table", "buy_in"),
        ({"seats": 1}, 400, "invalid-table", "seats"),
        ({"seats": 0}, 400, "invalid-table", "seats"),
        ({"bots": [1]}, 400, "invalid-table", "bots"),
        ({"buy_in": None}, 400, "invalid-table", "buy_in"),
        ({"stake_table": None}, 400, "invalid-table", "stake_table"),
        ({"stake_table": "ace-race-table"}, 409, "stake-not-offered", None),
        ({"buy_in": 1_000_001}, 400, "stake-off-step", None),
    ]:
        with subtests.test(wrong=wrong):
            answer = api(player).post(f"{V1}/games/", {**POOL, "seats": 2, **wrong})
            problem = answer.json()
            assert (answer.status_code, problem["code"], problem.get("field")) == (status, code, field)
    assert not Pot.objects.exists()


def test_without_money_a_player_gets_neither_seat_nor_suit(api: Api, people: list[Player]) -> None:
    at = opened(api, people[0], **POOL, seats=2)
    answer = api(people[0]).post(f"{at}/seats/", {"suit": "H"})
    assert (answer.status_code, answer.json()["code"]) == (409, "insufficient-funds")
    assert api(None).get(f"{at}/").json()["free_suits"] == ["C", "D", "H", "S"]


def test_the_offer_contains_the_pool(api: Api, player: Player) -> None:
    provide([player], 500)
    offer = api(player).get(f"{V1}/stakes/race-bets/offer/?amount=101&seats=5").json()
    assert (offer["pot"], offer["rake"], offer["places"]) == (505, 0, [505, 0, 0, 0, 0])
    assert (offer["balance_after"], offer["obstacle"]) == (399, None)
