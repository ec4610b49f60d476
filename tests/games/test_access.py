"""Permissions of every endpoint. Games that a caller may not see are not found."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from accounts.models import Player
from core.errors import NotFound
from games import access, services
from games.models import GameRecord
from games.services import TournamentRef
from ledger.models import Hold, Transfer
from tests.config.test_grown_lists import steps_of
from tests.games.conftest import NOON

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Vegas = Callable[..., GameRecord]

GAMES = "/api/v1/games/"
READS = ["", "legal-moves/", "events/", "replay/", "verification/"]


def path(game: GameRecord, tail: str = "") -> str:
    return f"{GAMES}{game.pk}/{tail}"


def test_a_public_game_has_spectators(api: Api, player: Player, rival: Player, vegas: Vegas) -> None:
    game = vegas(player)
    for tail in READS:
        assert api(rival).get(path(game, tail)).status_code == 200
    assert api(None).get(path(game)).status_code == api(None).get(GAMES).status_code == 200
    for tail in [*READS[1:], "bundle/"]:
        assert api(None).get(path(game, tail)).status_code == 401
    seen = api(rival).get(path(game)).json()
    assert (seen["legal_moves"], seen["seat"]) == ([], None)
    assert api(rival).get(path(game, "legal-moves/")).json() == []
    problem = api(rival).get(path(game, "bundle/"))
    assert (problem.status_code, problem.json()["code"]) == (409, "game-in-play")
    problem = api(player).get(path(game, "replay/?all=true"))
    assert (problem.status_code, problem.json()["code"]) == (409, "game-in-play")


@pytest.mark.postgres
def test_no_seat_is_read_to_list_public_games(player: Player, vegas: Vegas) -> None:
    """PostgreSQL would read all seats of the player to learn about one."""
    vegas(player)
    requested = access.visible_games(player).order_by("-created_at", "-id")[:50]
    assert [game.private for game in requested] == [False]
    [explained] = json.loads(requested.explain(format="json", analyze=True))
    seats = [step for step in steps_of(explained["Plan"]) if step.get("Relation Name") == "games_seat"]
    assert seats
    assert {step["Actual Loops"] for step in seats} == {0}


def test_a_private_game_is_visible_to_its_players_and_by_its_link(
    api: Api, player: Player, rival: Player, stranger: Player, auditor: Player
) -> None:
    body = {"rules": "racing-aces", "seats": 2, "private": True}
    opened = api(player).post(GAMES, body)
    game, invite = opened["Location"], opened.json()["invite"]
    assert len(invite) >= 40
    for tail in [*READS, "bundle/"]:
        assert api(stranger).get(f"{game}{tail}").status_code == 404
    assert api(None).get(game).status_code == 404
    assert api(stranger).get(f"{game}?invite=guess").status_code == 404
    assert api(stranger).get(f"{game}?invite=").status_code == 404
    assert api(stranger).get(GAMES).json()["results"] == []
    assert api(stranger).post(f"{game}seats/", {}).status_code == 404
    assert api(stranger).post(f"{game}start/", {}).status_code == 404
    assert api(stranger).delete(f"{game}seats/me/").status_code == 404

    assert api(rival).get(f"{game}?invite={invite}").json()["invite"] is None
    assert api(rival).post(f"{game}seats/", {"invite": invite}).status_code == 201
    assert api(rival).get(game).json()["invite"] == invite
    assert api(auditor).get(game).status_code == 200
    assert [each["id"] for each in api(auditor).get(GAMES).json()["results"]] == [opened.json()["id"]]


def test_an_auditor_can_see_a_private_table_but_not_join_it(
    api: Api, player: Player, auditor: Player
) -> None:
    opened = api(player).post(GAMES, {"rules": "racing-aces", "seats": 2, "private": True})
    game = opened["Location"]
    assert api(auditor).post(f"{game}seats/", {}).status_code == 404
    assert api(auditor).post(f"{game}seats/", {"invite": opened.json()["invite"]}).status_code == 201
    assert api(auditor).post(f"{game}seats/", {}).json()["code"] == "already-seated"


@pytest.fixture
def shared(player: Player, rival: Player, vegas: Vegas) -> tuple[GameRecord, GameRecord]:
    """Return two games of one tournament round with the same deal."""
    tournament = uuid.uuid4()

    def place(deal: int) -> TournamentRef:
        return TournamentRef(
            id=tournament,
            round=1,
            deal=deal,
            deal_group=f"{tournament}:1",
            commitment="0" * 64,
            entropy="e" * 64,
            ended_job="",
        )

    games = [vegas(who, tournament=place(1)) for who in (player, rival)]
    GameRecord.objects.update(creator=None)
    return games[0], games[1]


def collect(game: GameRecord, who: Player) -> None:
    services.play(game_id=game.pk, player=who, move={"type": "collect"}, now=game.created_at)


def test_a_game_of_a_shared_deal_is_visible_to_its_own_seat_only(
    api: Api,
    player: Player,
    rival: Player,
    stranger: Player,
    administrator: Player,
    shared: tuple[GameRecord, GameRecord],
) -> None:
    mine, theirs = shared
    for tail in [*READS, "bundle/"]:
        for who in (rival, stranger, administrator):
            assert api(who).get(path(mine, tail)).status_code == 404
    assert api(None).get(path(mine)).status_code == 404
    assert api(player).get(path(mine)).json()["seat"] == 0
    assert {each["id"] for each in api(player).get(GAMES).json()["results"]} == {str(mine.pk)}
    assert api(stranger).get(GAMES).json()["results"] == []
    assert access.visible_games(rival).get() == theirs


def test_a_finished_game_of_a_shared_deal_is_hidden_while_others_play(
    api: Api, player: Player, rival: Player, shared: tuple[GameRecord, GameRecord]
) -> None:
    mine, theirs = shared
    collect(mine, player)
    ended = api(player).get(path(mine)).json()
    assert ended["status"] == "finished"
    assert ended["fairness"]["server_seed"] is None
    assert all(event["private"] is None for event in api(player).get(path(mine, "events/")).json()["results"])
    assert api(player).get(path(mine, "replay/?at=3")).json()["views"] is None
    for tail in ("bundle/", "replay/?all=true"):
        problem = api(player).get(path(mine, tail))
        assert (problem.status_code, problem.json()["code"]) == (409, "deal-in-play")
    assert api(player).get(path(mine, "verification/")).json()["checks"]["deal"] == "not-run"
    assert api(rival).get(path(mine)).status_code == 404

    collect(theirs, rival)
    assert len(api(player).get(path(mine)).json()["fairness"]["server_seed"]) == 64
    assert api(rival).get(path(mine, "bundle/")).status_code == 200
    assert api(player).get(path(mine, "verification/")).json()["ok"] is False, "the seeds are not the entropy"


def test_only_a_tournament_seats_and_starts_its_games(
    api: Api, player: Player, shared: tuple[GameRecord, GameRecord]
) -> None:
    for answer in (
        api(player).post(path(shared[0], "seats/"), {}),
        api(player).post(path(shared[0], "start/"), {}),
        api(player).delete(path(shared[0], "seats/me/")),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "tournament-table")


def test_no_one_opens_more_tables_than_allowed(api: Api, player: Player, settings: Any) -> None:
    settings.OPEN_TABLES_PER_PLAYER = 2
    client = api(player)
    for _ in range(2):
        assert client.post(GAMES, {"rules": "racing-aces"}).status_code == 201
    assert client.post(GAMES, {"rules": "racing-aces"}).json()["code"] == "too-many-tables"


def test_a_game_is_visible_exactly_if_it_is_listed(
    player: Player,
    stranger: Player,
    auditor: Player,
    shared: tuple[GameRecord, GameRecord],
    subtests: pytest.Subtests,
) -> None:
    """If a game's own rows show that it is visible, no query of the list is made."""

    def opened(**terms: Any) -> GameRecord:
        config = {"draw": 1, "stake": 0}
        return services.create_game(
            rules="vegas-solitaire", config=config, seats=1, creator=player, now=NOON, **terms
        )

    private = opened(private=True)
    for viewer in (None, player, stranger, auditor):
        for invite in ("", "guess", private.invite):
            for game in (opened(), private, *shared):
                with subtests.test(viewer=str(viewer), invite=invite, game=str(game.pk)):
                    listed = access.visible_games(viewer, invite=invite).filter(pk=game.pk).exists()
                    try:
                        shown = access.visible_game(viewer, game.pk, invite=invite) == game
                    except NotFound:
                        shown = False
                    assert shown == listed
    hidden = [game.pk for game in (private, *shared)]
    assert not access.visible_games(stranger).filter(pk__in=hidden).exists()
    with pytest.raises(NotFound):
        access.visible_game(player, uuid.uuid4())


def plan(requested: QuerySet[Any]) -> str:
    if connection.vendor == "postgresql":  # PostgreSQL scans small tables unless that is disabled
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
    return str(requested.explain())


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("requested", "index"),
    [
        (lambda: access.visible_games(None).order_by("-created_at", "-id")[:50], "game_newest"),
        (lambda: GameRecord.objects.running().filter(deal_group="one").order_by(), "game_deal_group"),
        (lambda: GameRecord.objects.filter(tournament=uuid.uuid4()).order_by(), "game_tournament"),
        (lambda: Transfer.objects.filter(subject="game:one").order_by(), "transfer_subject"),
        (lambda: Hold.objects.filter(subject="game:one").order_by(), "hold_subject"),
    ],
)
def test_frequent_queries_use_an_index(requested: Any, index: str) -> None:
    assert index in plan(requested())
