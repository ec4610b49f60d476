"""The market on a race over REST: permissions to open it, to bet, and to see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Player
from games import services
from games.models import GameRecord
from games.rules.bundles.verification import verify
from ledger import services as ledger
from ledger.betting.models import Bet, Market
from ledger.errors import InterestedParty
from tests.conftest import Client
from tests.games.conftest import NOON
from tests.games.races import open_market, open_table, status_of, to_the_end
from tests.ledger.betting.markets import bank, bet
from tests.money import cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Client]
V1 = "/api/v1"


def address(game: GameRecord) -> str:
    return f"{V1}/games/{game.pk}/market/"


def problem(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def bet_on(api: Api, player: Player, market: str, runner: str, **more: Any) -> Any:
    fund(cash(player.pk), 1_000)
    return api(player).post(f"{V1}/markets/{market}/bets/", {"runner": runner, "stake": 100, **more})


def test_a_race_with_a_market_from_its_opening_to_the_verified_bundle(
    api: Api, administrator: Player, organizer: Player, player: Player, rival: Player
) -> None:
    bank()
    game = open_table(organizer)
    assert api(None).get(f"{V1}/games/{game.pk}/").json()["market"] is None
    answer = api(administrator).post(address(game), {"kind": "fixed", "margin": 500})
    assert answer.status_code == 201
    market = answer.json()
    assert answer["Location"] == f"{V1}/markets/{market['id']}/"
    assert market["subject"] == f"game:{game.pk}"
    assert [(each["runner"], each["price"]) for each in market["runners"]] == [
        (suit, "14/5") for suit in "CDHS"
    ]
    assert market == api(player).get(answer["Location"]).json()
    assert api(None).get(address(game)).json() == {**market, "starts_at": None}

    placed = bet_on(api, player, market["id"], "H", price="14/5", client_seed="ann's")
    other = bet_on(api, rival, market["id"], "S", price="14/5")
    assert (placed.status_code, other.status_code) == (201, 201)

    moves = f"{V1}/games/{game.pk}/moves/"
    shown = api(organizer).get(f"{V1}/games/{game.pk}/").json()
    assert (shown["status"], shown["legal_moves"]) == ("open", [{"type": "draw"}])
    assert shown["market"] == market["id"]
    assert problem(api(player).post(moves, {"move": {"type": "draw"}})) == (403, "not-seated")
    operator = api(organizer)
    first = operator.post(moves, {"move": {"type": "draw"}}, key="the-off")
    assert [event["type"] for event in first.json()["events"]] == ["dealt", "draw"]
    assert operator.post(moves, {"move": {"type": "draw"}}, key="the-off").json() == first.json()
    assert problem(bet_on(api, rival, market["id"], "S", price="14/5")) == (409, "market-closed")

    while not (outcome := operator.get(f"{V1}/games/{game.pk}/").json()["outcome"]):
        assert operator.post(moves, {"move": {"type": "draw"}}).status_code == 201
    bets = api(player).get(placed["Location"]).json(), api(rival).get(other["Location"]).json()
    for made in bets:
        assert made["returned"] == (380 if made["runner"] == outcome["winner"] else 0)
    settled = api(None).get(address(game)).json()
    assert (settled["status"], settled["settlements"][0]["winners"]) == ("settled", [outcome["winner"]])
    bundle = api(player).get(f"{V1}/games/{game.pk}/bundle/").json()
    assert bundle["game"]["bet_seeds"] == ["ann's", ""]
    assert verify(bundle).ok


def test_a_stale_first_draw_is_refused(api: Api, organizer: Player, player: Player) -> None:
    game = open_table(organizer, seats=1)
    market = open_market(game, "pool")
    moves = f"{V1}/games/{game.pk}/moves/"
    api(player).post(f"{V1}/games/{game.pk}/seats/", {})
    stale = api(organizer).post(moves, {"move": {"type": "draw"}}, headers={"If-Match": '"1"'})
    assert problem(stale) == (412, "stale-version")
    market.refresh_from_db()
    assert market.status == "open"
    assert (
        api(organizer).post(moves, {"move": {"type": "draw"}}, headers={"If-Match": '"2"'}).status_code == 201
    )


def test_organizers_open_a_market_only_within_their_limit(
    api: Api, organizer: Player, player: Player, auditor: Player
) -> None:
    game = open_table(player)
    body, above = {"kind": "pool"}, settings.RACECARD_ORGANIZER_MARKET_CAP + 1
    for who, terms in ((player, body), (auditor, body), (organizer, {**body, "cap": above})):
        assert problem(api(who).post(address(game), terms)) == (403, "forbidden")
    assert not Market.objects.exists()
    opened = api(organizer).post(address(game), body)
    assert opened.json()["terms"]["cap"] == settings.RACECARD_ORGANIZER_MARKET_CAP
    assert problem(api(organizer).post(address(game), body)) == (409, "race-has-market")


def test_impossible_terms_are_refused(
    api: Api, administrator: Player, organizer: Player, subtests: pytest.Subtests
) -> None:
    client, markets = api(administrator), address(open_table(organizer))
    for body in [
        *({}, {"kind": "tote"}),
        *({"kind": "fixed", **wrong} for wrong in ({"takeout": 1}, {"margin": 10_000}, {"margin": 1.5})),
        *(
            {"kind": "pool", **wrong}
            for wrong in ({"margin": 1}, {"in_running": True}, {"step": 7}, {"cap": 0})
        ),
        *({"kind": "pool", **wrong} for wrong in ({"on_draw": "keep"}, {"runners": ["H"]})),
    ]:
        with subtests.test(body=body):
            answer = client.post(markets, body)
            assert answer.status_code in (400, 409), answer.json()
            assert not Market.objects.exists()


def test_games_without_markets_are_refused(api: Api, administrator: Player, organizer: Player) -> None:
    game = open_table(organizer)
    client = api(administrator)
    assert problem(client.get(address(game))) == (404, "no-market")
    client_of_operator = api(organizer)
    client_of_operator.post(f"{V1}/games/{game.pk}/start/", {})
    assert problem(client.post(address(game), {"kind": "pool"})) == (409, "race-begun")
    hidden = open_table(organizer, private=True)
    assert client.post(address(hidden), {"kind": "pool"}).status_code in (404, 409)
    assert not Market.objects.exists()


def test_bets_and_early_access_exclude_each_other(api: Api, organizer: Player, auditor: Player) -> None:
    bundle = "{}/games/{}/bundle/".format
    betting, looking = open_table(organizer), open_table(organizer)
    markets = {game.pk: str(open_market(game, "pool").pk) for game in (betting, looking)}
    made = bet_on(api, auditor, markets[betting.pk], "H")
    assert problem(api(auditor).get(bundle(V1, betting.pk))) == (403, "interested-party")
    assert api(auditor).post(f"{made['Location']}cancel/", {}).status_code == 200
    refused = api(auditor).get(bundle(V1, betting.pk))
    assert problem(refused) == (403, "interested-party"), "the seed of the bet is in the deal all the same"
    assert api(auditor).get(bundle(V1, looking.pk)).status_code == 200
    assert problem(bet_on(api, auditor, markets[looking.pk], "H")) == (403, "early-access-used")
    assert Bet.objects.count() == 1


def commands(market: Market) -> dict[str, Callable[[Player], Any]]:
    why: dict[str, Any] = {"market": market, "reason": "because", "at": NOON}
    return {
        "settle": lambda by: ledger.settle_market(**why, winners=["S"], actor=f"player:{by.pk}"),
        "void": lambda by: ledger.void_market(**why, actor=f"player:{by.pk}"),
        "settle again": lambda by: ledger.resettle_market(**why, winners=["S"], actor=f"player:{by.pk}"),
    }


def test_participants_cannot_settle_the_market_of_their_race(
    player: Player,
    rival: Player,
    stranger: Player,
    organizer: Player,
    administrator: Player,
    subtests: pytest.Subtests,
) -> None:
    race = open_table(organizer, seats=2)
    market = open_market(race, "pool")
    for one in (player, rival):
        services.take_seat(game=race, player=one, client_seed="", now=NOON)
    fund(cash(stranger.pk), 100)
    bet(market, "S", 100, stranger.pk)
    to_the_end(race, organizer)
    before = status_of(market)
    for name, command in commands(market).items():
        for kind, participant in {"seated": player, "bet": stranger}.items():
            with subtests.test(command=name, participant=kind), pytest.raises(InterestedParty):
                command(participant)
    assert status_of(market) == before
    commands(market)["settle again"](administrator)


def test_a_player_cannot_open_a_market_on_their_race(player: Player, organizer: Player) -> None:
    race = open_table(organizer, seats=2)
    services.take_seat(game=race, player=player, client_seed="", now=NOON)
    with pytest.raises(InterestedParty):
        open_market(race, "pool", opened_by=f"player:{player.pk}")
    assert open_market(race, "pool").status == "open"
