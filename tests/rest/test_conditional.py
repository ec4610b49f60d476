"""Documents with an ETag: 304 while they are the same, and never after a change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from eventstore import store
from eventstore.checkpoints import service as checkpoint
from games import services as games
from games.matches import services as matches
from games.models import GameRecord
from tests.conftest import NOW, Client
from tests.games.tables import dealt
from tests.money import bankroll, change
from tests.tournaments import playing
from tournaments import services as tournaments
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Client]


def again(client: Client, path: str, first: Any, **headers: str) -> Any:
    return client.get(path, headers={"If-None-Match": first["ETag"], **headers})


def is_same(answer: Any, first: Any) -> bool:
    assert answer.status_code in (200, 304)
    if answer.status_code == 304:
        assert (answer.content, answer["ETag"]) == (b"", first["ETag"])
        assert "Content-Type" not in answer
        return True
    assert answer["ETag"] != first["ETag"]
    assert answer["Content-Type"] == "application/json"
    return False


@pytest.fixture
def contest(organizer: Player) -> Tournament:
    drafted = tournaments.create(organizer=organizer, terms=playing.terms(), now=NOW)
    return tournaments.publish(tournament_id=drafted.pk, actor=organizer, now=NOW, seed=playing.SEED)


@pytest.fixture
def finished(player: Player) -> GameRecord:
    game = dealt("idle-aces", [player], now=NOW)
    games.play(game_id=game.pk, player=player, move={"type": "resign"}, now=NOW)
    game.refresh_from_db()
    assert game.ended
    return game


def test_the_rules(api: Api) -> None:
    client, path = api(None), "/api/v1/rules/"
    first = client.get(path)
    assert first.json()
    assert is_same(again(client, path, first), first)
    for named in ("*", f'"other", {first["ETag"]}', f"W/{first['ETag']}"):
        assert client.get(path, headers={"If-None-Match": named}).status_code == 304
    for named in ('"other"', "", first["ETag"].strip('"')):
        answer = client.get(path, headers={"If-None-Match": named})
        assert (answer.status_code, answer.content, answer["ETag"]) == (200, first.content, first["ETag"])


def test_a_tournament_changes_with_its_entries_and_its_reader(
    api: Api, organizer: Player, contest: Tournament
) -> None:
    path = f"/api/v1/tournaments/{contest.pk}/"
    client = api(None)
    first = client.get(path)
    assert is_same(again(client, path, first), first)
    assert not is_same(again(api(organizer), path, first), first), "who may manage it"
    playing.enter(contest, playing.rich("ann"), playing.rich("bob"))
    second = again(client, path, first)
    assert not is_same(second, first)
    playing.start(contest)
    assert not is_same(again(client, path, second), second)


@pytest.mark.parametrize("part", ["standings", "bracket"])
def test_standings_and_bracket_change_with_the_tournament(api: Api, organizer: Player, part: str) -> None:
    knockout = {
        "format": "knockout",
        "rules": "ace-race",
        "config": {},
        "rounds": 0,
        "seats": 2,
        "sizes": (2,),
    }
    terms = playing.terms(**knockout, prizes=(10_000,), fewest=2)
    drafted = tournaments.create(organizer=organizer, terms=terms, now=NOW)
    contest = tournaments.publish(tournament_id=drafted.pk, actor=organizer, now=NOW, seed=playing.SEED)
    client, path = api(None), f"/api/v1/tournaments/{contest.pk}/{part}/"
    first = client.get(path)
    assert is_same(again(client, path, first), first)
    playing.enter(contest, playing.rich("ann"), playing.rich("bob"))
    playing.start(contest)
    assert not is_same(again(client, path, first), first)


def test_a_match_changes_with_its_players(api: Api, player: Player, rival: Player) -> None:
    match = matches.open_match(rules="ace-race", creator=player, seats=2, now=NOW, config={}, deals=2)
    client, path = api(None), f"/api/v1/matches/{match.pk}/"
    first = client.get(path)
    assert is_same(again(client, path, first), first)
    table = match.games.get()
    games.take_seat(game=table, player=rival, client_seed="", now=NOW)
    assert not is_same(again(client, path, first), first)


def test_a_stake_table_changes_with_its_terms(api: Api) -> None:
    table = bankroll()
    client, path = api(None), f"/api/v1/stakes/{table.slug}/"
    first = client.get(path)
    assert is_same(again(client, path, first), first)
    change(table, timezone.now(), open=False)
    assert not is_same(again(client, path, first), first)


@pytest.mark.django_db(transaction=True)  # a checkpoint covers committed rows
def test_a_checkpoint_is_the_same_and_the_newest_one_changes(
    api: Api, player: Player, finished: GameRecord
) -> None:
    checkpoint.make(NOW)
    client, one, newest = api(None), "/api/v1/checkpoints/1/", "/api/v1/checkpoints/latest/"
    first, second = client.get(one), client.get(newest)
    dealt("idle-aces", [player], now=NOW)
    checkpoint.make(NOW)
    assert is_same(again(client, one, first), first)
    assert not is_same(again(client, newest, second), second)


@pytest.mark.both_databases
def test_a_finished_game(
    api: Api, player: Player, stranger: Player, finished: GameRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/v1/games/{finished.pk}/"
    client = api(stranger)
    first = client.get(path)
    assert first["ETag"].startswith('W/"')
    later = timezone.now() + timedelta(minutes=5)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert is_same(again(client, path, first), first)
    assert not is_same(again(api(player), path, first), first)
    Player.objects.filter(pk=player.pk).update(display_name="Another")
    assert not is_same(again(client, path, first), first)


def test_a_running_game_has_its_version(api: Api, player: Player) -> None:
    path = f"/api/v1/games/{dealt('idle-aces', [player], now=NOW).pk}/"
    client = api(player)
    first = client.get(path)
    assert first["ETag"] == f'"{first.json()["version"]}"'
    assert again(client, path, first).status_code == 200, "its clock runs"


def test_a_bundle_is_not_read_again(
    api: Api, player: Player, stranger: Player, finished: GameRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/v1/games/{finished.pk}/bundle/"
    client = api(stranger)
    first = client.get(path)
    assert first["Content-Disposition"].startswith("inline")
    with monkeypatch.context() as patch:
        patch.delattr(store, "written")
        assert is_same(again(client, path, first), first)
    assert not is_same(again(api(player), path, first), first), "with transfers"


def test_a_ruling_changes_the_bundle(
    api: Api, stranger: Player, finished: GameRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/v1/games/{finished.pk}/bundle/"
    client = api(stranger)
    first = client.get(path)
    monkeypatch.setattr("games.hooks.rulings_on", lambda game, with_transfers: [{"remedy": "void"}])
    changed = again(client, path, first)
    assert not is_same(changed, first)
    assert changed.json()["rulings"] == [{"remedy": "void"}]


def test_the_bundle_of_a_private_game_opens_with_its_invitation(
    api: Api, player: Player, stranger: Player
) -> None:
    game = dealt("idle-aces", [player], now=NOW, private=True)
    path = f"/api/v1/games/{game.pk}/"
    assert api(player).post(f"{path}moves/", {"move": {"type": "resign"}}).status_code == 201
    assert api(stranger).get(f"{path}bundle/").status_code == 404
    assert api(stranger).get(f"{path}bundle/?invite=guess").status_code == 404
    opened = api(stranger).get(f"{path}bundle/?invite={game.invite}")
    assert opened.json()["game"]["id"] == str(game.pk)


def test_what_may_not_be_seen_is_not_said_to_be_the_same(api: Api, player: Player, stranger: Player) -> None:
    game = dealt("idle-aces", [player], now=NOW, private=True)
    path = f"/api/v1/games/{game.pk}/"
    first = api(player).get(path)
    for named in ("*", first["ETag"]):
        assert api(stranger).get(path, headers={"If-None-Match": named}).status_code == 404
