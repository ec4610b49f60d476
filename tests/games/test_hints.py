"""Hints at solitaires and odds of races: what a table tells, and to whom. Neither depends on hidden cards."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from accounts.models import Player
from games import bots, context, services, state
from games.models import GameRecord, Status
from games.play import stream
from games.play.bots import hint_for
from games.rules import table as tables
from games.rules.cards import TEXT
from games.services import TournamentRef
from ledger.models import PlaySession
from tests.games.conftest import NOON, SEED

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]

GAMES = "/api/v1/games/"

SOLITAIRES: dict[str, dict[str, Any]] = {"vegas-solitaire": {"draw": 3, "stake": 0}, "idle-aces": {}}


def opened(client: Any, rules: str, config: dict[str, Any], **more: Any) -> str:
    game = client.post(GAMES, {"rules": rules, "config": config, **more})
    assert game.status_code == 201, game.json()
    client.post(f"{game['Location']}seats/", {})
    return str(game["Location"])


def problem(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.parametrize(("rules", "config"), SOLITAIRES.items())
def test_the_hint_is_a_legal_move_of_the_seat_to_act(
    api: Api, player: Player, rules: str, config: dict[str, Any]
) -> None:
    client = api(player)
    game = opened(client, rules, config)
    assert client.get(game).json()["hints"] is True
    assert problem(client.get(f"{game}hint/")) == (409, "not-started")
    client.post(f"{game}start/", {})
    for _ in range(3):
        shown = client.get(game).json()
        result = client.get(f"{game}hint/")
        assert result.json() == client.get(f"{game}hint/").json(), "a second hint is the same"
        assert result.json()["version"] == shown["version"]
        assert result["ETag"] == f'"{shown["version"]}"'
        assert result.json()["legal"] is True
        assert result.json()["move"] in shown["legal_moves"]
        assert client.post(f"{game}moves/", {"move": result.json()["move"]}).status_code == 201
    client.post(f"{game}moves/", {"move": {"type": "collect" if rules == "vegas-solitaire" else "resign"}})
    assert problem(client.get(f"{game}hint/")) == (409, "game-over")


def test_queries_of_a_hint_are_refused(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    assert problem(api(player).get(f"{GAMES}{vegas(player).pk}/hint/?deep=1")) == (400, "invalid-input")


def test_a_table_can_be_opened_without_hints(api: Api, player: Player) -> None:
    client = api(player)
    game = opened(client, "vegas-solitaire", {"draw": 1, "stake": 0}, hints=False)
    client.post(f"{game}start/", {})
    assert client.get(game).json()["hints"] is False
    assert problem(client.get(f"{game}hint/")) == (403, "hints-off")


def test_staked_games_have_no_hints(
    api: Api,
    player: Player,
    staked: Callable[..., tuple[GameRecord, PlaySession]],
    vegas: Callable[..., GameRecord],
) -> None:
    game, _ = staked(player)
    assert problem(api(player).get(f"{GAMES}{game.pk}/hint/")) == (403, "hints-off")
    place = TournamentRef(uuid.uuid4(), 1, 1, "", "0" * 64, "e" * 64, "")
    entered = vegas(player, tournament=place)
    assert problem(api(player).get(f"{GAMES}{entered.pk}/hint/")) == (403, "hints-off")


def test_races_have_no_hints(api: Api, player: Player) -> None:
    client = api(player)
    assert problem(client.post(GAMES, {"rules": "racing-aces", "hints": True})) == (400, "invalid-table")
    game = opened(client, "racing-aces", {}, seats=1)
    client.post(f"{game}start/", {})
    assert problem(client.get(f"{game}hint/")) == (404, "no-hints")


def test_hints_are_throttled(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    client, game = api(player), vegas(player)
    rates = {"requests": (5000, 10), "moves": (1000, 10), "hints": (2, 3600)}
    with override_settings(API_RATES=rates):
        answers = [client.get(f"{GAMES}{game.pk}/hint/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert problem(answers[-1]) == (429, "too-many-requests")


def dealt_with(player: Player, pack: list[str]) -> GameRecord:
    game = services.create_game(
        rules="vegas-solitaire",
        config={"draw": 3, "stake": 0},
        seats=1,
        creator=player,
        server_seed=SEED,
        game_id=uuid.UUID(int=77),
        now=NOON,
    )
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    head, table = state.load(game.pk)
    key = table.key(SEED)
    dealt = tables.deal(table, key)._replace(private={"packs": {"deck": pack}})
    stream.append(game.pk, head, [dealt], stream.after(table, [dealt]), now=NOON, key=key)
    GameRecord.objects.filter(pk=game.pk).update(status=Status.ACTIVE, started_at=NOON)
    return game


def test_hints_do_not_depend_on_hidden_cards(player: Player) -> None:
    """Worlds that differ only in hidden cards give the same hints throughout."""
    whole = list(TEXT[:52])
    random.Random(3).shuffle(whole)
    result = []
    for world in range(3):
        pack = list(whole)
        with transaction.atomic():
            state.cache.clear()
            context.clear_cache()
            game = dealt_with(player, whole)
            layout = state.load(game.pk)[1].state.layout
            hidden = {TEXT[card] for card in layout.stock}
            for column, down in zip(layout.columns, layout.down, strict=True):
                hidden |= {TEXT[card] for card in column[:down]}
            transaction.set_rollback(True)
        places = [place for place, card in enumerate(whole) if card in hidden]
        random.Random(world).shuffle(places)
        for place, source in zip(sorted(places), places, strict=True):
            pack[place] = whole[source]
        with transaction.atomic():
            state.cache.clear()
            context.clear_cache()
            game = dealt_with(player, pack)
            result.append((pack, hint_for(game=game, player=player).move))
            transaction.set_rollback(True)
    assert len({str(pack) for pack, _ in result}) == 3
    assert len({str(move) for _, move in result}) == 1


def test_hints_come_from_the_strongest_bot() -> None:
    for slug in (*SOLITAIRES, "ace-race", "racing-demons"):
        adviser = bots.hint(slug)
        assert adviser is not None
        assert adviser.name == ("strong" if "strong" in bots.names(slug) else bots.DEFAULT)
    assert bots.hint("racing-aces") is None


@pytest.mark.parametrize("rules", ["ace-race", "racing-demons"])
def test_one_person_with_bots_gets_hints(api: Api, player: Player, rules: str) -> None:
    client = api(player)
    game = opened(client, rules, {}, seats=2, bots=[1])
    assert client.get(game).json()["hints"] is True
    client.post(f"{game}start/", {})
    shown = client.get(game).json()
    asked = client.get(f"{game}hint/")
    if 0 in shown["to_act"]:
        assert asked.json()["move"] in shown["legal_moves"]
    else:
        assert problem(asked) == (409, "no-hint-now")


def test_people_who_play_against_each_other_have_no_hints(api: Api, player: Player) -> None:
    client = api(player)
    game = opened(client, "ace-race", {}, seats=3, bots=[2])
    assert client.get(game).json()["hints"] is False
    wanted = {"rules": "ace-race", "seats": 3, "bots": [2], "hints": True}
    assert problem(client.post(GAMES, wanted)) == (400, "invalid-table")


Race = Callable[..., GameRecord]


def address(game: GameRecord) -> str:
    return f"/api/v1/games/{game.pk}/odds/"


def test_before_the_first_draw_all_suits_have_equal_odds(api: Api, organizer: Player, race: Race) -> None:
    answer = api(None).get(address(race(organizer)))
    assert answer.status_code == 200
    suit = {"probability": "1/4", "fair_return": {"lose": "4/1", "refund": "4/1"}}
    assert answer.json() == {"suits": dict.fromkeys("CDHS", suit), "no_winner": "0/1", "version": 2}
    assert answer["ETag"] == '"2"'


def test_an_open_table_has_odds(api: Api, organizer: Player) -> None:
    game = services.create_game(
        rules="racing-aces", config={"burn": 25}, seats=0, creator=organizer, now=NOON
    )
    odds = api(None).get(address(game)).json()
    assert odds["version"] == 1
    assert Fraction(odds["no_winner"]) + 4 * Fraction(odds["suits"]["H"]["probability"]) == 1
    assert Fraction(odds["suits"]["H"]["fair_return"]["refund"]) == 4
    assert Fraction(odds["suits"]["H"]["fair_return"]["lose"]) == 1 / Fraction(
        odds["suits"]["H"]["probability"]
    )


def test_odds_follow_the_race_to_its_end(api: Api, organizer: Player, race: Race) -> None:
    game = race(organizer, config={"finish_line": 4, "burn": 30})
    client = api(organizer)
    last = 2
    while True:
        odds = client.get(address(game)).json()
        chances = {suit: Fraction(result["probability"]) for suit, result in odds["suits"].items()}
        assert sum(chances.values()) + Fraction(odds["no_winner"]) == 1
        assert odds["version"] >= last
        last = odds["version"]
        shown = client.get(f"/api/v1/games/{game.pk}/").json()
        if shown["outcome"]:
            break
        drawn = client.post(f"/api/v1/games/{game.pk}/moves/", {"move": {"type": "draw"}})
        assert drawn.status_code == 201
    winner = shown["outcome"]["winner"]
    assert chances == {suit: int(suit == winner) for suit in "CDHS"}
    for suit, result in odds["suits"].items():
        sure = "1/1" if suit == winner else None
        assert result["fair_return"] == {"lose": sure, "refund": sure}


def test_odds_of_an_invisible_race_are_not_found(
    api: Api, player: Player, stranger: Player, race: Race
) -> None:
    game = race(player, private=True)
    assert api(stranger).get(address(game)).json()["code"] == "not-found"
    assert api(None).get(address(game)).status_code == 404
    assert api(stranger).get(address(game), {"invite": game.invite}).status_code == 200
    assert api(player).get(address(game)).status_code == 200


def test_other_games_have_no_odds(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    answer = api(player).get(address(vegas(player)))
    assert answer.status_code == 404
    assert answer.json()["code"] == "no-odds"


def test_a_void_race_has_no_odds(api: Api, organizer: Player, race: Race) -> None:
    game = race(organizer)
    services.void_game(game_id=game.pk, reason="a torn card", now=NOON)
    assert api(organizer).get(address(game)).json()["code"] == "no-odds"


def test_odds_do_not_depend_on_hidden_cards(api: Api, organizer: Player) -> None:
    """Two races dealt from different seeds have the same odds before a card is seen."""
    result = []
    for seed in (bytes(32), bytes(range(32))):
        game = services.create_game(
            rules="racing-aces", config={"burn": 10}, seats=0, creator=organizer, server_seed=seed, now=NOON
        )
        services.start_game(game=game, actor=organizer, now=NOON)
        result.append(api(None).get(address(game)).json())
    assert result[0] == result[1]
