"""A rematch: one table for the players of a finished game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from accounts.moderation import block
from games import services, state
from games.matches import services as matches
from games.models import GameRecord, Match, MatchStatus, Status
from games.services import BotSeat
from tests.concurrency import at_once
from tests.conftest import NOW
from tests.games import staked, tables
from tests.games import test_matches as matches_of
from tests.games.conftest import NOON
from tests.games.staked import BUY_IN, table_of
from tests.games.test_joining import time_out
from tests.money import bankroll, change

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]


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


# --- staked tables and matches -----------------------------------------------------------------------------


def staked_and_finished(*people: Player) -> GameRecord:
    """Play a staked game to its end. Everyone has 10.00 before it and pays 5.20."""
    return staked.play_out(staked.dealt("ace-race", people), people)


def test_each_player_pays_by_a_request_of_their_own(api: Api, player: Player, rival: Player) -> None:
    game = staked_and_finished(player, rival)
    staked.provide((player, rival))
    before = staked.money_of((player, rival))
    opened = api(player).post(address(game), {"buy_in": BUY_IN})
    assert (opened.status_code, opened.json()["buy_in"], opened.json()["status"]) == (201, BUY_IN, "open")
    assert staked.money_of((player, rival)) == [before[0] - BUY_IN, before[1]]
    joined = api(rival).post(address(game), {"buy_in": BUY_IN}).json()
    assert (joined["id"], joined["status"]) == (opened.json()["id"], "active")
    assert staked.money_of((player, rival)) == [money - BUY_IN for money in before]
    assert staked.in_escrow(GameRecord.objects.get(pk=joined["id"])) == 2 * BUY_IN
    again = api(rival).post(address(game), {})  # only shows the table
    assert (again.status_code, again.json()["id"]) == (201, joined["id"])
    assert staked.money_of((player, rival)) == [money - BUY_IN for money in before]


@pytest.mark.parametrize("agreed", [None, 1, BUY_IN + 1])
def test_nobody_pays_what_they_have_not_agreed_to(
    api: Api, player: Player, rival: Player, agreed: int | None
) -> None:
    game = staked_and_finished(player, rival)
    staked.provide((player, rival))
    before = staked.money_of((player, rival))
    refused = api(player).post(address(game), {"buy_in": agreed})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid-input")
    assert "buy_in: 520 is needed: you pay 5.20 play money." in refused.json()["detail"]
    assert not GameRecord.objects.filter(rematch_of=game).exists()
    api(player).post(address(game), {"buy_in": BUY_IN})
    assert api(rival).post(address(game), {"buy_in": agreed}).status_code == 400
    assert staked.money_of((player, rival)) == [before[0] - BUY_IN, before[1]]


def test_a_game_for_points_takes_no_money(api: Api, player: Player, rival: Player) -> None:
    asked = api(player).post(address(finished(player, rival)), {"buy_in": BUY_IN})
    assert (asked.status_code, asked.json()["code"]) == (400, "invalid-input")


def test_a_player_who_cannot_pay_opens_no_table(api: Api, player: Player, rival: Player) -> None:
    game = staked_and_finished(player, rival)
    has = dict(zip((player, rival), staked.money_of((player, rival)), strict=True))
    [poor] = [who for who, money in has.items() if money < BUY_IN]
    refused = api(poor).post(address(game), {"buy_in": BUY_IN})
    assert (refused.status_code, refused.json()["code"]) == (409, "insufficient-funds")
    assert not GameRecord.objects.filter(rematch_of=game).exists()
    assert staked.money_of([poor]) == [has[poor]]


def test_a_player_who_leaves_or_waits_without_success_is_refunded(
    api: Api, player: Player, rival: Player
) -> None:
    game = staked_and_finished(player, rival)
    staked.provide((player, rival))
    before = staked.money_of((player, rival))
    table = api(player).post(address(game), {"buy_in": BUY_IN}).json()["id"]
    assert api(player).delete(f"/api/v1/games/{table}/seats/me/").status_code in (200, 204)
    assert staked.money_of((player, rival)) == before
    assert api(player).post(address(game), {"buy_in": BUY_IN}).json()["id"] == table
    services.void_game(game_id=GameRecord.objects.get(pk=table).pk, reason="not-started", now=NOW)
    assert staked.money_of((player, rival)) == before


@pytest.mark.parametrize("terms", [{"rake": 500}, {"split": (6000, 4000)}])
def test_nobody_pays_on_other_terms_than_they_know(
    api: Api, player: Player, rival: Player, terms: dict[str, Any]
) -> None:
    game = staked_and_finished(player, rival)
    staked.provide((player, rival))
    before = staked.money_of((player, rival))
    change(table_of("ace-race"), **terms)
    refused = api(player).post(address(game), {"buy_in": BUY_IN})
    assert (refused.status_code, refused.json()["code"]) == (409, "no-rematch")
    assert not GameRecord.objects.filter(rematch_of=game).exists()
    assert staked.money_of((player, rival)) == before


def test_a_solitaire_for_money_is_opened_again(api: Api, player: Player) -> None:
    staked.provide([player])
    config = {"config": {"stake": BUY_IN}, "stake_table": bankroll()}
    game = tables.dealt("vegas-solitaire", [player], now=NOON, **config)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    asked = api(player).post(address(game), {})
    assert (asked.status_code, asked.json()["code"]) == (409, "no-rematch")


def test_the_rematch_of_a_match_is_a_match(api: Api, player: Player, rival: Player) -> None:
    match, first = matches_of.opened([player, rival], deals=2, pause=60)
    matches_of.play_out(first, [player, rival])
    running = api(player).post(address(first), {})
    assert (running.status_code, running.json()["detail"]) == (409, "Its match is not over.")
    last = end_match(match, player, rival)
    earlier = api(player).post(address(first), {})
    assert (earlier.status_code, earlier.json()["detail"]) == (409, "It was not the last deal of its match.")
    api(player).post(address(last), {})
    table = api(rival).post(address(last), {}).json()
    assert (table["status"], table["match"]["number"]) == ("active", 1)
    again = Match.objects.get(pk=table["match"]["id"])
    assert again != match
    assert (again.deals, again.pause, again.config) == (2, 60, match.config)
    assert api(rival).get(f"/api/v1/games/{last.pk}/").json()["rematch"] == table["id"]
    expected = {0: player.get_full_name(), 1: rival.get_full_name()}
    assert {seat["seat"]: seat["name"] for seat in table["seats"]} == expected


@pytest.mark.parametrize(
    ("refuse", "why"),
    [
        (lambda player, rival: block(player=player, other=rival.pk, now=NOON), (403, "seat-refused")),
        (lambda player, rival: time_out(rival), (409, "play-stopped")),
    ],
    ids=["blocked", "may not play"],
)
def test_the_rematch_of_a_match_begins_a_game(
    api: Api, player: Player, rival: Player, refuse: Callable[[Player, Player], object], why: tuple[int, str]
) -> None:
    match, first = matches_of.opened([player, rival], deals=2, pause=60)
    matches_of.play_out(first, [player, rival])
    last = end_match(match, player, rival)
    api(player).post(address(last), {})
    refuse(player, rival)
    refused = api(rival).post(address(last), {})
    assert (refused.status_code, refused.json()["code"]) == why
    assert not GameRecord.objects.get(rematch_of=last).seatings.filter(player=rival).exists()


def end_match(match: Match, *people: Player) -> GameRecord:
    """Play the further deals to the end of the match, and return the last one."""
    while True:
        last: GameRecord = match.games.order_by("-match_number")[0]
        if last.status == Status.FINISHED:
            matches.open_next_deal(game_id=last.pk, now=NOON)
        match.refresh_from_db()
        if match.status != MatchStatus.RUNNING:
            return last
        game = match.games.order_by("-match_number")[0]
        if game.status == Status.OPEN:
            matches.deal_after_pause(game_id=game.pk, now=NOON)
        matches_of.play_out(game, list(people))


def test_a_staked_match_is_paid_once_for_all_deals(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    match, game = staked.match_of((player, rival), deals=1, private=True)
    staked.play_out(game, (player, rival))
    last = end_match(match, player, rival)
    staked.provide((player, rival))
    before = staked.money_of((player, rival))
    assert api(player).post(address(last), {}).status_code == 400
    table = api(player).post(address(last), {"buy_in": BUY_IN}).json()
    assert api(stranger).get(f"/api/v1/games/{table['id']}/").status_code == 404
    assert api(rival).post(address(last), {"buy_in": BUY_IN}).json()["status"] == "active"
    assert staked.money_of((player, rival)) == [money - BUY_IN for money in before]
    again = Match.objects.get(pk=table["match"]["id"])
    assert (again.private, staked.in_escrow(again)) == (True, 2 * BUY_IN)


# --- at once -------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_players_who_ask_at_once_meet_at_one_table(api: Api, player: Player, rival: Player) -> None:
    game = finished(player, rival)
    clients = [api(who) for who in (player, rival) for _ in range(2)]
    answers = at_once(*(partial(client.post, address(game), {}) for client in clients))
    assert {answer.status_code for answer in answers} == {201}
    [table] = GameRecord.objects.filter(rematch_of=game)
    assert {answer.json()["id"] for answer in answers} == {str(table.pk)}
    assert table.status == Status.ACTIVE
    assert set(table.seatings.values_list("seat", "player")) == {(0, player.pk), (1, rival.pk)}
