"""Games in the back office are read, searched and verified; nothing there changes one."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import Player
from games import audit, services
from games.models import GameRecord
from games.services import TournamentRef

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
LIST = "/admin/games/gamerecord/"


@pytest.fixture
def office() -> Client:
    root = Player.objects.create_superuser("root", password="root")
    client = Client()
    client.force_login(root)
    return client


def test_the_list_is_searched_by_anything(
    office: Client, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    assert str(game.pk) in office.get(f"{LIST}?q={game.pk}").content.decode()
    for text in ("abc", "7", "'"):
        assert office.get(f"{LIST}?q={text}").status_code == 200
    assert office.get(f"{LIST}?q=%00").status_code == 400


def test_a_game_is_shown_with_its_events_and_its_verification(
    office: Client, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    page = office.get(f"{LIST}{game.pk}/change/").content.decode()
    assert 'id="event-3"' in page
    assert "sealed" in page
    assert "packs" not in page
    for after in ("2", "99", "x", "-1", "9" * 40):
        assert office.get(f"{LIST}{game.pk}/change/?after={after}").status_code == 200
    assert (
        "What can be checked before the end has passed"
        in office.get(f"{LIST}{game.pk}/verify/").content.decode()
    )
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=game.created_at)
    assert "packs" in office.get(f"{LIST}{game.pk}/change/").content.decode()
    assert "Every check that was run has passed" in office.get(f"{LIST}{game.pk}/verify/").content.decode()


def test_the_outcome_is_kept_back_while_others_play_the_deal(
    player: Player, rival: Player, organizer: Player, vegas: Callable[..., GameRecord]
) -> None:
    shared = {"id": uuid.uuid4(), "round": 1, "deal": 1, "deal_group": "cup:1:1"}
    place = TournamentRef(**shared, commitment="", entropy="", ended_job="")  # type: ignore[arg-type]
    ended, running = vegas(player, tournament=place), vegas(rival, tournament=place)
    client = Client()
    client.force_login(organizer)

    def page() -> str:
        return client.get(f"{LIST}{ended.pk}/change/").content.decode()

    services.play(game_id=ended.pk, player=player, move={"type": "collect"}, now=ended.created_at)
    assert "kept back until its deal is played out" in page()
    assert "collected" not in page()
    services.play(game_id=running.pk, player=rival, move={"type": "collect"}, now=ended.created_at)
    assert "collected" in page()


def test_nothing_can_be_written(office: Client, player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    before = GameRecord.objects.values().get()
    assert office.get(f"{LIST}add/").status_code == 403
    assert office.post(f"{LIST}{game.pk}/change/", {"status": "void"}).status_code == 403
    assert office.post(f"{LIST}{game.pk}/delete/", {"post": "yes"}).status_code == 403
    assert GameRecord.objects.values().get() == before


def test_early_looks_are_listed(
    office: Client, player: Player, auditor: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    audit.look(looker=auditor, game=game, what="bundle", version=3, now=game.created_at)
    assert str(game.pk) in office.get("/admin/games/earlylook/").content.decode()


def test_a_player_has_no_business_there(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game, client = vegas(player), Client()
    client.force_login(player)
    for path in (LIST, f"{LIST}{game.pk}/change/", f"{LIST}{game.pk}/verify/"):
        assert client.get(path).status_code == 302
