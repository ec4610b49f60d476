"""Early access of auditors is recorded first, refused to interested parties, and closes the game to them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import Player
from eventstore import store
from eventstore.feed import Reader
from games import access, early_access, hooks, services
from games.errors import EarlyAccessUsed
from games.models import EarlyAccess, GameRecord
from games.rules.bundles.verification import verify
from games.services import TournamentRef
from ledger.errors import InterestedParty

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Vegas = Callable[..., GameRecord]


def path(game: GameRecord, tail: str = "") -> str:
    return f"/api/v1/games/{game.pk}/{tail}"


def looks() -> list[tuple[str, str]]:
    return [(event.data["game"], event.data["what"]) for event in store.read(early_access.STREAM)]


def test_an_early_bundle_is_recorded_and_excludes_the_seed(
    api: Api, player: Player, auditor: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    head = store.head(game.pk)
    early = api(auditor).get(path(game, "bundle/")).json()
    assert early["game"]["server_seed"] is None
    assert early["outcome"] is None
    assert early["events"][2]["private"]["packs"]["deck"]
    assert verify(early).ok
    assert looks() == [(str(game.pk), "bundle")]
    assert store.head(game.pk) == head, "nothing of it stands in the game's own stream"
    assert list(EarlyAccess.objects.values_list("viewer", "game", "event")) == [(auditor.pk, game.pk, 1)]


def test_an_early_replay_shows_every_seat_and_is_recorded(
    api: Api, player: Player, auditor: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    plain = api(auditor).get(path(game, "replay/?at=3")).json()
    assert (plain["views"], plain["event"]["private"], looks()) == (None, None, [])
    opened = api(auditor).get(path(game, "replay/?at=3&all=true")).json()
    assert opened["event"]["private"]["packs"]["deck"]
    assert looks() == [(str(game.pk), "replay")]


@pytest.mark.parametrize(
    "tail", ["replay/?all=true&", "recording/?all=true&", "bundle/?", "evidence/?", "evidence/3/?"]
)
def test_the_reason_of_early_access_is_recorded(
    api: Api, player: Player, auditor: Player, vegas: Vegas, tail: str
) -> None:
    game = vegas(player)
    too_long = api(auditor).get(path(game, f"{tail}reason={'x' * 201}"))
    assert (too_long.status_code, looks()) == (400, [])
    assert api(auditor).get(path(game, f"{tail}reason=a player rang")).status_code == 200
    assert [event.data["reason"] for event in store.read(early_access.STREAM)] == ["a player rang"]
    assert [look.reason for look in EarlyAccess.objects.all()] == ["a player rang"]


def test_after_the_end_no_access_is_early(api: Api, player: Player, auditor: Player, vegas: Vegas) -> None:
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=game.created_at)
    assert api(auditor).get(path(game, "bundle/")).json()["game"]["server_seed"]
    assert looks() == []


def test_interested_parties_get_no_early_access(
    api: Api, auditor: Player, player: Player, vegas: Vegas
) -> None:
    own = vegas(auditor)
    problem = api(auditor).get(path(own, "bundle/"))
    assert (problem.status_code, problem.json()["code"]) == (403, "interested-party")
    problem = api(auditor).get(path(own, "replay/?all=true"))
    assert (problem.status_code, problem.json()["code"]) == (403, "interested-party")
    assert looks() == []


def test_other_packages_can_register_interests(
    auditor: Player, player: Player, vegas: Vegas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "_has_interest", [])
    game, other = vegas(player), vegas(player)
    hooks.register_interest(lambda who, record: record.pk == game.pk)
    with pytest.raises(InterestedParty):
        early_access.record(viewer=auditor, game=game, what="bundle", version=None, now=game.created_at)
    early_access.record(viewer=auditor, game=other, what="bundle", version=None, now=game.created_at)


def test_players_with_early_access_may_not_join(api: Api, player: Player, auditor: Player) -> None:
    game = services.create_game(
        rules="racing-aces", config={}, seats=1, creator=player, now=player.date_joined
    )
    api(auditor).get(path(game, "bundle/"))
    problem = api(auditor).post(path(game, "seats/"), {})
    assert (problem.status_code, problem.json()["code"]) == (403, "early-access-used")


def test_early_access_to_a_game_closes_its_tournament(player: Player, auditor: Player, vegas: Vegas) -> None:
    tournament = uuid.uuid4()
    place = TournamentRef(tournament, 1, 1, "", "0" * 64, "e" * 64, "")
    early_access.require_unseen(auditor.pk, tournament=tournament)
    game = vegas(player, tournament=place)
    early_access.record(viewer=auditor, game=game, what="bundle", version=None, now=game.created_at)
    with pytest.raises(EarlyAccessUsed):
        early_access.require_unseen(auditor.pk, tournament=tournament)
    early_access.require_unseen(auditor.pk, tournament=uuid.uuid4())
    early_access.require_unseen(player.pk, tournament=tournament)


def test_opening_a_shared_deal_is_early_access(
    api: Api, player: Player, auditor: Player, organizer: Player, vegas: Vegas
) -> None:
    place = TournamentRef(uuid.uuid4(), 1, 1, "group", "0" * 64, "e" * 64, "")
    game = vegas(player, tournament=place)
    GameRecord.objects.update(creator=None)
    client, reader = api(auditor), Reader(auditor.pk, game.pk)
    assert client.get("/api/v1/games/").json()["results"] == []
    assert reader not in access.followable([reader])
    assert api(organizer).get(path(game)).status_code == 404
    assert client.get(path(game)).status_code == 200
    assert reader in access.followable([reader])
    assert client.get(path(game)).status_code == 200
    assert looks() == [(str(game.pk), "view")], "asked twice, recorded once"
    assert len(client.get("/api/v1/games/").json()["results"]) == 1


def test_an_auditor_with_a_seat_in_the_tournament_sees_only_their_own(
    api: Api, player: Player, auditor: Player, vegas: Vegas
) -> None:
    place = TournamentRef(uuid.uuid4(), 1, 1, "group", "0" * 64, "e" * 64, "")
    theirs, own = vegas(player, tournament=place), vegas(auditor, tournament=place)
    GameRecord.objects.update(creator=None)
    assert api(auditor).get(path(own)).status_code == 200
    assert api(auditor).get(path(theirs)).status_code == 403
    assert looks() == []


def test_only_auditors_get_early_access(
    api: Api, player: Player, organizer: Player, administrator: Player, vegas: Vegas
) -> None:
    game = vegas(player)
    for who in (organizer, administrator):
        assert api(who).get(path(game, "bundle/")).status_code == 409
        assert api(who).get(path(game, "replay/?all=true")).status_code == 409


@pytest.mark.django_db(transaction=True)
def test_a_player_taking_a_seat_gets_no_early_access(auditor: Player, player: Player) -> None:
    game = services.create_game(
        rules="racing-aces", config={}, seats=1, creator=player, now=datetime(2026, 3, 1, 12, tzinfo=UTC)
    )

    def look() -> None:
        try:
            early_access.record(viewer=auditor, game=game, what="bundle", version=None, now=game.created_at)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            services.take_seat(game=game, player=auditor, client_seed="", now=game.created_at)
            looked = pool.submit(look)
            with pytest.raises(TimeoutError):
                looked.result(timeout=0.5)
        with pytest.raises(InterestedParty):
            looked.result(timeout=30)
    assert looks() == []
