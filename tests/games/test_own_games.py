"""A player's own games: their results, money, and filters, and what a wallet says of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from games import services
from games.models import GameRecord
from games.rules.results import result_for
from games.tables import mine
from ledger import services as ledger
from tests.games.conftest import NOON
from tests.games.staked import BUY_IN, dealt, match_of, play_out, provide
from tests.money import CURRENCY, fresh_key

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
OWN = "/api/v1/games/?mine=true"


def own(api: Api, who: Player, query: str = "") -> list[Any]:
    answer = api(who).get(f"{OWN}{query}")
    assert answer.status_code == 200, answer.json()
    results: list[Any] = answer.json()["results"]
    return results


def played(rules: str, player: Player, number: int = 0) -> GameRecord:
    """Deal and end a game for points: Idle Aces is lost by resigning, Vegas Solitaire collected."""
    now = NOON + timedelta(minutes=number)
    config = {"draw": 1, "stake": 0} if rules == "vegas-solitaire" else {}
    game = services.create_game(rules=rules, config=config, seats=1, creator=player, now=now)
    services.take_seat(game=game, player=player, client_seed="", now=now)
    services.start_game(game=game, actor=player, now=now)
    move = {"type": "resign" if rules == "idle-aces" else "collect"}
    services.play(game_id=game.pk, player=player, move=move, now=now)
    return game


@pytest.mark.parametrize(
    ("outcome", "stake", "results"),
    [
        ({"winnings": 560}, 520, ["won"]),
        ({"winnings": 520}, 520, ["drawn"]),
        ({"winnings": 0}, 520, ["lost"]),
        ({"result": "collected", "winnings": 12, "complete": False}, 0, ["played"]),
        ({"result": "collected", "winnings": 52, "complete": True}, 0, ["won"]),
        ({"result": "won", "cards": 104}, 0, ["won"]),
        ({"result": "lost", "cards": 8}, 0, ["lost"]),
        ({"result": "blocked", "winners": [0, 2], "places": [[0, 2], [1]]}, 0, ["drawn", "lost", "drawn"]),
        ({"places": [[1], [0]]}, 0, ["lost", "won"]),
        ({"result": "won", "winner": "H", "suits": ["H", "S"], "winners": [0]}, 0, ["won", "lost"]),
        ({"result": "won", "winner": "C", "suits": ["H", "S"], "winners": []}, 0, ["drawn", "drawn"]),
        ({"result": "no-winner", "winner": None}, 0, ["played"]),
    ],
)
def test_a_result_follows_from_the_outcome(outcome: dict[str, Any], stake: int, results: list[str]) -> None:
    assert [result_for(outcome, seat, stake=stake) for seat in range(len(results))] == results


def test_finished_games_for_points_are_listed_with_their_results(
    api: Api, player: Player, vegas: Any
) -> None:
    collected, resigned, running = (
        played("vegas-solitaire", player),
        played("idle-aces", player, 1),
        vegas(player),
    )
    results = {line["id"]: line["own"] for line in own(api, player)}
    points = {"seat": 0, "stake": 0, "returned": None, "currency": None}
    assert results == {
        str(collected.pk): {**points, "result": "played"},
        str(resigned.pk): {**points, "result": "lost"},
        str(running.pk): {**points, "result": "running"},
    }


def test_a_stake_is_listed_with_what_it_returned(api: Api, player: Player, staked: Any) -> None:
    game, _ = staked(player)
    part = {"seat": 0, "stake": 520, "currency": "XTS"}
    assert own(api, player)[0]["own"] == {**part, "result": "running", "returned": None}
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert own(api, player)[0]["own"] == {**part, "result": "lost", "returned": 0}


def test_each_player_of_a_pot_sees_the_own_part(api: Api, player: Player, rival: Player) -> None:
    game = play_out(dealt("ace-race", [player, rival]), [player, rival])
    parts = [own(api, who)[0]["own"] for who in (player, rival)]
    expected = [(0, BUY_IN, "XTS"), (1, BUY_IN, "XTS")]
    assert [(part["seat"], part["stake"], part["currency"]) for part in parts] == expected
    by_result = {part["result"]: part["returned"] for part in parts}
    assert by_result.keys() == {"won", "lost"}
    assert by_result["lost"] == 0 < by_result["won"] <= 2 * BUY_IN
    assert game.outcome is not None


def test_the_buy_in_of_a_match_is_listed_with_its_first_deal(api: Api, player: Player, rival: Player) -> None:
    _, first = match_of([player, rival], deals=2)
    [line] = own(api, player)
    assert (line["id"], line["own"]["stake"], line["own"]["returned"]) == (str(first.pk), BUY_IN, None)


def test_the_games_are_filtered(api: Api, player: Player, rival: Player, staked: Any) -> None:
    collected, resigned = played("vegas-solitaire", player), played("idle-aces", player, 1)
    at_stake, _ = staked(player)
    played("idle-aces", rival)
    for query, expected in (
        ("&result=lost", {resigned}),
        ("&result=played", {collected}),
        ("&result=running", {at_stake}),
        ("&result=won", set()),
        ("&stake=money", {at_stake}),
        ("&stake=points", {collected, resigned}),
        ("&stake=points&rules=idle-aces&result=lost", {resigned}),
        ("&rules=vegas-solitaire", {collected, at_stake}),
        ("&status=finished", {collected, resigned}),
        ("&free=true", set()),
    ):
        assert {line["id"] for line in own(api, player, query)} == {str(game.pk) for game in expected}, query


def test_a_void_game_has_no_winner(api: Api, player: Player) -> None:
    game = services.create_game(rules="idle-aces", config={}, seats=1, creator=player, now=NOON)
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    services.expire_game(game_id=game.pk, now=NOON + timedelta(days=2))
    assert [line["own"]["result"] for line in own(api, player, "&result=void")] == ["void"]


def test_results_are_those_of_a_seat(api: Api, player: Player) -> None:
    refused = api(player).get("/api/v1/games/?result=won")
    assert (refused.status_code, refused.json()["detail"]) == (400, "result: only with mine=true.")
    unknown = api(player).get(f"{OWN}&result=good")
    assert unknown.status_code == 400
    assert "won, lost" in unknown.json()["detail"]
    assert api(None).get(f"{OWN}&result=won").json() == {"results": [], "next": None}


def test_pages_of_a_rare_filter_continue_until_every_game_was_read(
    api: Api, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request reads at most `WINDOWS` windows, and returns what it has found."""
    monkeypatch.setattr(mine, "WINDOW", 2)
    monkeypatch.setattr(mine, "WINDOWS", 2)
    rare = [played("vegas-solitaire", player, 0), played("vegas-solitaire", player, 6)]
    for number in (1, 2, 3, 4, 5, 7):
        played("idle-aces", player, number)
    client, found, sizes = api(player), list[str](), list[int]()
    place = f"{OWN}&rules=vegas-solitaire&limit=1"
    while place:
        with CaptureQueriesContext(connection) as sent:
            page = client.get(place).json()
        assert len([query for query in sent if "games_gamerecord" in query["sql"]]) <= 4
        found += [line["id"] for line in page["results"]]
        sizes.append(len(page["results"]))
        place = page["next"]
    assert found == [str(game.pk) for game in reversed(rare)]
    assert len(sizes) > 2


def test_pages_without_filters_are_full(api: Api, player: Player) -> None:
    games = [str(played("idle-aces", player, number).pk) for number in range(5)]
    client, found, place = api(player), list[list[str]](), f"{OWN}&limit=2"
    while place:
        page = client.get(place).json()
        found.append([line["id"] for line in page["results"]])
        place = page["next"]
    newest = games[::-1]
    assert found == [newest[:2], newest[2:4], newest[4:]]


STATEMENT = "/api/v1/wallet/statement/?account=all"


def lines(api: Api, who: Player, address: str = STATEMENT) -> list[Any]:
    found: list[Any] = api(who).get(address).json()["results"]
    return found


def test_a_stake_names_the_game_and_at_its_end_the_cards(api: Api, player: Player, staked: Any) -> None:
    game, _ = staked(player)
    name = {"rules": "vegas-solitaire", "title": None, "place": None, "of": None, "cards": None}
    [line, deposit] = lines(api, player)
    assert (line["purpose"], line["about"], line["name"]) == ("stake", f"game:{game.pk}", name)
    assert (deposit["purpose"], deposit["name"]) == ("deposit", None)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert lines(api, player)[0]["name"] == {**name, "cards": 0}


def test_a_pot_names_the_place(api: Api, player: Player, rival: Player) -> None:
    play_out(dealt("ace-race", [player, rival]), [player, rival])
    paid = {who: lines(api, who) for who in (player, rival)}
    assert sorted(len(found) for found in paid.values()) == [2, 3]  # the deposit, the buy-in, and one prize
    for found in paid.values():
        assert {line["purpose"] for line in found} <= {"deposit", "buy-in", "prize"}
        place = found[0]["name"]["place"]
        assert (found[0]["purpose"] == "prize") == (place == 1)
        expected = {"rules": "ace-race", "title": None, "place": place, "of": 2, "cards": None}
        assert found[0]["name"] == expected


def test_the_buy_in_of_a_match_is_named(api: Api, player: Player, rival: Player) -> None:
    match_of([player, rival], deals=2)
    [buy_in, _] = lines(api, player)
    assert (buy_in["purpose"], buy_in["name"]["rules"]) == ("buy-in", "ace-race")


def test_the_number_of_queries_does_not_depend_on_the_lines(api: Api, player: Player, rival: Player) -> None:
    counts = []
    for _ in range(2):
        play_out(dealt("ace-race", [player, rival]), [player, rival])
        client = api(player)
        client.get(STATEMENT)
        with CaptureQueriesContext(connection) as sent:
            assert client.get(STATEMENT).status_code == 200
        counts.append(len(sent))
    assert counts[0] == counts[1]


def test_held_money_says_why(api: Api, player: Player, rival: Player) -> None:
    game = play_out(dealt("ace-race", [player, rival]), [player, rival])
    provide([player])
    ledger.request_withdrawal(
        player=player.pk, amount=300, currency=CURRENCY, destination="my bank", key=fresh_key(), at=NOON
    )
    ledger.freeze(subject=f"game:{game.pk}", player=None, claim="claim:1", actor="player:eve", at=NOON)
    client = api(player)
    assert client.get("/api/v1/wallet/").json()["holds"] is None
    holds = client.get("/api/v1/wallet/?holds=true").json()["holds"]
    payout = next(hold for hold in holds if hold["reason"] == "payout")
    assert (payout["amount"], payout["name"]) == (300, None)
    frozen = [
        hold
        for who in (player, rival)
        for hold in api(who).get("/api/v1/wallet/?holds=true").json()["holds"]
        if hold["reason"] == "dispute"
    ]
    assert [(hold["about"], hold["name"]["rules"]) for hold in frozen] == [(f"game:{game.pk}", "ace-race")]
