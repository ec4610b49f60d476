"""Invalid requests get a 4xx with a stable code, and stream, wallet, and record do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from games.models import GameRecord, Seat
from jobs.models import Job
from ledger.models import Account, PlaySession, StakeTable, Transfer

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

GAMES = "/api/v1/games/"


@pytest.fixture
def unchanged(db: None) -> Callable[[], Any]:
    """Return everything that a refusal must not change, to compare before and after."""

    def everything() -> Any:
        return (
            [(game.pk, game.status, store.head(game.pk)) for game in GameRecord.objects.order_by("pk")],
            list(Seat.objects.order_by("pk").values_list()),
            list(Transfer.objects.order_by("pk").values_list("pk", flat=True)),
            list(Account.objects.order_by("pk").values_list("pk", "debits", "credits", "held")),
            list(Job.objects.order_by("pk").values_list("key", flat=True)),
        )

    return everything


def refused(response: Any, status: int, code: str) -> dict[str, Any]:
    problem: dict[str, Any] = response.json()
    assert (response.status_code, problem["code"]) == (status, code), problem
    assert response["Content-Type"] == "application/problem+json"
    assert problem["status"] == status
    return problem


VEGAS = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}}

TABLES: list[tuple[Any, int, str]] = [
    *((body, 400, "invalid-input") for body in ([], "text", {}, {"rules": 7})),
    ({"rules": "patience"}, 400, "unknown-rules"),
    ({"rules": "vegas-solitaire", "config": [1]}, 400, "invalid-input"),
    ({"rules": "vegas-solitaire", "config": {}}, 400, "invalid-config"),
    *(
        ({**VEGAS, "config": {"draw": draw, "stake": 0}}, 400, "invalid-config")
        for draw in (2, True, 1.0, "1")
    ),
    ({"rules": "ace-race", "seats": 2, "config": {"dealer": 2}}, 400, "invalid-config"),
    ({"rules": "ace-race", "seats": 3, "config": {"previous_winner": 3}}, 400, "invalid-config"),
    ({"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0, "colour": "red"}}, 400, "invalid-config"),
    *(
        ({**VEGAS, "config": {"draw": 1, "stake": stake}}, 400, "invalid-config")
        for stake in (-104, 5.2, 105, 10**15)
    ),
    ({"rules": "vegas-solitaire", "config": {"draw": 1}}, 400, "stake-needs-session"),
    ({"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 520}}, 400, "stake-needs-session"),
    ({**VEGAS, "seats": 2}, 400, "invalid-table"),
    *(({**VEGAS, "seats": seats}, 400, "invalid-input") for seats in (13, -1, True)),
    ({**VEGAS, "private": 1}, 400, "invalid-input"),
    ({**VEGAS, "bots": [1]}, 400, "invalid-table"),
    ({**VEGAS, "bots": [0, 0]}, 400, "invalid-table"),
    ({**VEGAS, "bots": "0"}, 400, "invalid-input"),
    ({**VEGAS, "draw_every": 2}, 400, "invalid-table"),
    ({**VEGAS, "stake_table": "no-such"}, 404, "unknown-stake-table"),
    ({**VEGAS, "play_session": "7"}, 400, "invalid-input"),
    ({**VEGAS, "play_session": "00000000-0000-4000-8000-000000000000"}, 404, "unknown-session"),
    ({**VEGAS, "server_seed": "00" * 32}, 400, "invalid-input"),
    ({**VEGAS, "id": "mine"}, 400, "invalid-input"),
    ({"rules": "racing-aces", "config": {"burn": 40, "finish_line": 10}}, 400, "invalid-config"),
    ({"rules": "racing-aces", "draw_every": 0}, 400, "invalid-input"),
    ({"rules": "racing-aces", "draw_every": 1e3}, 400, "invalid-input"),
]


def test_an_impossible_table_is_refused(
    api: Api, player: Player, unchanged: Callable[[], Any], subtests: pytest.Subtests
) -> None:
    client, before = api(player), unchanged()
    for body, status, code in TABLES:
        with subtests.test(body=body, status=status, code=code):
            refused(client.post(GAMES, body), status, code)
            assert unchanged() == before


def test_a_body_with_more_or_less_than_a_move_is_refused(
    api: Api, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    client, moves, draw = api(player), f"{GAMES}{vegas(player).pk}/moves/", {"move": {"type": "draw"}}
    for body in ({}, {**draw, "seat": 0}):
        refused(client.post(moves, body), 400, "invalid-input")
    refused(client.post(moves, draw, headers={"If-Match": "yesterday"}), 400, "malformed-if-match")


def test_moves_before_the_deal_and_after_the_end_are_refused(api: Api, player: Player) -> None:
    client = api(player)
    game = client.post(GAMES, VEGAS)["Location"]
    refused(client.post(f"{game}start/", {}), 409, "seats-open")
    client.post(f"{game}seats/", {})
    refused(client.post(f"{game}moves/", {"move": {"type": "draw"}}), 409, "not-started")
    refused(client.post(f"{game}seats/", {}), 409, "already-seated")
    client.post(f"{game}start/", {})
    refused(client.post(f"{game}start/", {}), 409, "rule-forbids")
    refused(client.delete(f"{game}seats/me/"), 409, "rule-forbids")
    client.post(f"{game}moves/", {"move": {"type": "collect"}})
    refused(client.post(f"{game}moves/", {"move": {"type": "draw"}}), 409, "game-over")
    refused(client.post(f"{game}moves/", {"move": {"type": "fly"}}), 400, "unknown-move")
    refused(client.post(f"{game}start/", {}), 409, "game-over")


def test_a_public_game_refuses_what_only_its_seats_may_do(
    api: Api, player: Player, stranger: Player, vegas: Callable[..., GameRecord], unchanged: Callable[[], Any]
) -> None:
    game = f"{GAMES}{vegas(player).pk}/"
    client, before = api(stranger), unchanged()
    refused(client.post(f"{game}moves/", {"move": {"type": "collect"}}), 403, "not-seated")
    refused(client.delete(f"{game}seats/me/"), 403, "not-seated")
    refused(client.post(f"{game}start/", {}), 403, "not-seated")
    assert unchanged() == before


def test_a_taken_seat_is_refused(api: Api, player: Player, rival: Player) -> None:
    game = api(player).post(GAMES, VEGAS)["Location"]
    api(player).post(f"{game}seats/", {})
    refused(api(rival).post(f"{game}seats/", {}), 409, "seats-taken")
    refused(api(rival).post(f"{game}seats/", {"seat": 0}), 409, "seat-taken")
    refused(api(rival).post(f"{game}seats/", {"seat": 1}), 400, "invalid-table")
    other = api(player).post(GAMES, VEGAS)["Location"]
    refused(api(rival).post(f"{other}seats/", {"client_seed": "a|b"}), 400, "invalid-client-seed")
    refused(api(rival).post(f"{other}seats/", {"client_seed": "x" * 65}), 400, "invalid-input")
    refused(api(rival).post(f"{other}seats/", {"client_seed": 5}), 400, "invalid-input")


def test_only_the_operator_draws_a_race(
    api: Api, player: Player, rival: Player, unchanged: Callable[[], Any]
) -> None:
    race = api(player).post(GAMES, {"rules": "racing-aces", "seats": 1})["Location"]
    api(rival).post(f"{race}seats/", {})
    api(player).post(f"{race}start/", {})
    before = unchanged()
    refused(api(rival).post(f"{race}moves/", {"move": {"type": "draw"}}), 409, "not-your-turn")
    assert unchanged() == before
    assert api(player).post(f"{race}moves/", {"move": {"type": "draw"}}).status_code == 201


def test_invalid_query_parameters_are_refused(
    api: Api, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    client, game = api(player), vegas(player)
    for path in (
        *("?status=lost", "?colour=red", "?mine=perhaps", "?tournament=7", "?limit=0"),
        *(f"{game.pk}/events/?{query}" for query in ("after=-1", "after=x", "limit=501", "after=1&after=2")),
        *(
            f"{game.pk}/{query}"
            for query in ("replay/?at=0", "replay/?all=1", "legal-moves/?x=1", "bundle/?x=1")
        ),
    ):
        refused(client.get(GAMES + path), 400, "invalid-input")
    refused(client.get(f"{GAMES}?cursor=xyz"), 400, "bad-cursor")
    refused(client.get(f"{GAMES}?rules=patience"), 400, "unknown-rules")
    refused(client.get(f"{GAMES}{game.pk}/replay/?at=99"), 404, "no-such-version")
    refused(client.get(f"{GAMES}{game.pk}/replay/?at={2**53 - 1}"), 404, "no-such-version")
    assert client.get(f"{GAMES}7/").status_code == 404


STAKES: list[tuple[dict[str, Any], int, str]] = [
    ({"config": {"draw": 1, "stake": 0}}, 400, "invalid-config"),
    ({"config": {"draw": 1, "stake": 520, "win_rate": "5/52"}}, 409, "stake-not-offered"),
    ({"config": {"draw": 1, "stake": 1_040_104}}, 400, "invalid-config"),
    ({"bots": [0]}, 400, "invalid-table"),
    ({"stake_table": None}, 400, "stake-needs-session"),
    ({"rules": "racing-aces", "config": {}}, 400, "invalid-config"),
    ({"play_session": "that of another player"}, 404, "unknown-session"),
]


def test_a_stake_outside_the_offer_is_refused(
    api: Api,
    player: Player,
    rival: Player,
    classic: StakeTable,
    cashed_in: Callable[..., PlaySession],
    unchanged: Callable[[], Any],
    subtests: pytest.Subtests,
) -> None:
    body = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 520}, "stake_table": classic.slug}
    own, other = (str(cashed_in(who).pk) for who in (player, rival))
    client, before = api(player), unchanged()
    for wrong, status, code in STAKES:
        with subtests.test(wrong=wrong, status=status, code=code):
            session = {"play_session": other if "play_session" in wrong else own}
            refused(client.post(GAMES, {**body, **wrong, **session}), status, code)
            assert unchanged() == before
