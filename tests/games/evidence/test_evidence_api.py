"""The evidence of a game over REST: its content, its permissions, and recorded early access."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from games import services
from games.models import EarlyAccess, GameRecord
from tests.conftest import NOW
from tests.games.tables import CONFIGS, dealt, next_to_act, some_move

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]


def path(game: GameRecord, rest: str = "") -> str:
    return f"/api/v1/games/{game.pk}/evidence/{rest}"


def played(rules: str, people: list[Player], moves: int = 6) -> GameRecord:
    """Make a few random moves, then void the game."""
    game, rng = dealt(rules, people, now=NOW), random.Random(rules)
    for _ in range(moves):
        who, move = some_move(game, people, rng)
        services.play(game_id=game.pk, player=who, move=move, now=NOW)
    services.void_game(game_id=game.pk, reason="test", now=NOW)
    game.refresh_from_db()
    return game


@pytest.mark.parametrize("rules", CONFIGS)
def test_every_event_of_every_game_has_a_verdict_and_a_text(
    api: Api, player: Player, rival: Player, rules: str
) -> None:
    people = [player] if "solitaire" in rules or "idle" in rules else [player, rival]
    game = played(rules, people)
    client = api(player)
    shown = client.get(path(game)).json()
    assert shown["divergence"] is None
    assert shown["seed_revealed"] is True
    assert [line["version"] for line in shown["results"]] == list(range(1, shown["version"] + 1))
    assert {(line["chain"], line["rules"]) for line in shown["results"]} == {("passed", "passed")}
    assert [line["hash"] for line in shown["results"]] == [event.hash for event in store.read(game.pk)]
    for line in shown["results"]:
        one = client.get(path(game, f"{line['version']}/")).json()
        assert {key: one[key] for key in line} == line
        assert (one["before"] is None) == (line["version"] == 1)
        assert one["text"][-1] == "."


def test_transfers_are_listed_with_their_event(api: Api, player: Player, staked: Callable[..., Any]) -> None:
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOW)
    lines = api(player).get(path(game)).json()["results"]
    paid = {line["type"]: [posting["reason"] for posting in line["postings"]] for line in lines}
    assert paid["dealt"] == ["stake"]
    assert paid["collect"] != []
    assert paid["created"] == paid["seated"] == paid["finished"] == []


def test_pages_continue_after_a_version(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOW)
    client = api(player)
    first = client.get(path(game, "?limit=2")).json()
    assert [line["version"] for line in first["results"]] == [1, 2]
    second = client.get(first["next"]).json()
    assert [line["version"] for line in second["results"]] == [3, 4]
    last = client.get(second["next"]).json()
    assert ([line["version"] for line in last["results"]], last["next"]) == ([5], None)


def test_players_open_the_evidence_after_the_end_and_strangers_never(
    api: Api, player: Player, stranger: Player, organizer: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    addresses = ["", "2/", "refused/", "received/?at=2"]
    for rest in addresses:
        assert api(player).get(path(game, rest)).json()["code"] == "game-in-play", rest
        assert api(organizer).get(path(game, rest)).json()["code"] == "game-in-play", rest
        assert api(stranger).get(path(game, rest)).json()["code"] == "not-seated", rest
        assert api(None).get(path(game, rest)).status_code == 401, rest
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOW)
    for rest in addresses:
        assert api(player).get(path(game, rest)).status_code == 200, rest
        assert api(organizer).get(path(game, rest)).status_code == 200, rest
        assert api(stranger).get(path(game, rest)).json()["code"] == "not-seated", rest


def test_an_uninvolved_auditor_opens_the_evidence_early_and_is_recorded(
    api: Api, player: Player, auditor: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    shown = api(auditor).get(path(game)).json()
    assert shown["seed_revealed"] is False
    assert {line["rules"] for line in shown["results"]} == {"passed"}
    api(auditor).get(path(game, "3/"))
    assert list(EarlyAccess.objects.values_list("viewer", "game", "what")) == [
        (auditor.pk, game.pk, "evidence")
    ], "asked twice, recorded once"
    own = vegas(auditor)
    assert api(auditor).get(path(own)).json()["code"] == "interested-party"


@pytest.mark.both_databases
def test_a_change_by_sql_is_the_first_divergence(
    api: Api, player: Player, auditor: Player, vegas: Callable[..., GameRecord], tampered: Callable[..., None]
) -> None:
    game = vegas(player)
    for move in ("draw", "draw", "collect"):
        services.play(game_id=game.pk, player=player, move={"type": move}, now=NOW)
    tampered("UPDATE eventstore_event SET seat = 7 WHERE version = 5 AND stream_id = %s", game)
    shown = api(auditor).get(path(game)).json()
    assert (shown["divergence"]["version"], shown["divergence"]["check"]) == (5, "chain")
    assert [line["chain"] for line in shown["results"]] == ["passed"] * 4 + ["failed"] + ["not-run"] * 2
    tampered("UPDATE eventstore_event SET data = %s WHERE version = 1 AND stream_id = %s", b"{}", game)
    shown = api(auditor).get(path(game))
    assert shown.status_code == 200, shown.content
    assert shown.json()["divergence"]["version"] == 1
    assert api(auditor).get(path(game, "4/")).json()["before"] is None
    assert api(auditor).get(path(game, "received/?at=4&seat=0")).status_code == 404


def test_tokens_are_visible_to_their_owner_and_staff(
    api: Api, player: Player, rival: Player, auditor: Player
) -> None:
    game = dealt("ace-race", [player, rival], now=NOW)
    mover = next_to_act(game, [player, rival])
    other = rival if mover == player else player
    answer = api(mover).post(
        f"/api/v1/games/{game.pk}/moves/",
        {"move": {"type": "pass"}},
        headers={"Client-Time": "2026-03-01T12:00:01Z"},
    )
    assert answer.status_code == 201
    services.void_game(game_id=game.pk, reason="test", now=NOW)
    for who, sees in ((mover, True), (other, False), (auditor, True)):
        origin = api(who).get(path(game, "5/")).json()["origin"]
        assert origin["actor"] == str(mover.pk)
        assert origin["client_at"] == "2026-03-01T12:00:01.000000Z"
        assert (origin["token"] is not None) == sees
    assert api(mover).get(path(game, "4/")).json()["origin"] is None, "the server dealt"


def test_an_invalid_version_is_refused(api: Api, player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOW)
    client = api(player)
    assert client.get(path(game, "6/")).status_code == 404
    assert client.get(path(game, f"{2**53 - 1}/")).status_code == 404
    for wrong in ("0", "-1", "1.5", "x", "9" * 5000):
        assert client.get(path(game, f"{wrong}/")).status_code in (400, 404), wrong
    assert client.get(path(game, "received/")).status_code == 400
    assert client.get(path(game, "received/?at=4&seat=1")).status_code == 400


def test_a_replay_shows_any_seat_and_every_card_once_the_game_is_over(
    api: Api, player: Player, rival: Player, auditor: Player
) -> None:
    game = dealt("ace-race", [player, rival], now=NOW)
    replay = f"/api/v1/games/{game.pk}/replay/"
    for client, rest in ((api(player), "?seat=1"), (api(player), "?all=true"), (api(rival), "?seat=0&at=4")):
        assert client.get(replay + rest).json()["code"] == "game-in-play"
    own = api(player).get(f"{replay}?seat=0").json()
    assert (own["seat"], own["cards"]) == (0, None)
    assert own["view"] == api(player).get(replay).json()["view"]
    early = api(auditor).get(f"{replay}?seat=1&at=4").json()
    assert EarlyAccess.objects.get().what == "replay"
    services.void_game(game_id=game.pk, reason="test", now=NOW)
    late = api(player).get(f"{replay}?seat=1&at=4").json()
    assert late["view"] == early["view"]
    assert late["view"]["hand"] != own["view"]["hand"]
    assert late["event"]["private"] is None, "as the seat saw it then"
    assert late["cards"]["hands"][1] == late["view"]["hand"]
    assert len(late["cards"]["draw_pile"]) == 54 - 24
