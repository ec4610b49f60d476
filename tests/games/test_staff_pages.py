"""Staff pages of games: read, search, and verify, without changes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import Player
from games import early_access, services
from games.models import GameRecord
from games.services import TournamentRef
from ledger.models import PlaySession

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
LIST = "/admin/games/gamerecord/"


@pytest.fixture
def staff_client() -> Client:
    root = Player.objects.create_superuser("root", password="root")
    client = Client()
    client.force_login(root)
    return client


def test_the_list_is_searched_by_any_text(
    staff_client: Client, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    assert str(game.pk) in staff_client.get(f"{LIST}?q={game.pk}").content.decode()
    for text in ("abc", "7", "'"):
        assert staff_client.get(f"{LIST}?q={text}").status_code == 200
    assert staff_client.get(f"{LIST}?q=%00").status_code == 400


def test_a_game_is_shown_with_its_events_and_its_verification(
    staff_client: Client, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    page = staff_client.get(f"{LIST}{game.pk}/change/").content.decode()
    assert 'id="event-3"' in page
    assert "sealed" in page
    assert "packs" not in page
    for after in ("2", "99", "x", "-1", "9" * 40):
        assert staff_client.get(f"{LIST}{game.pk}/change/?after={after}").status_code == 200
    assert (
        "The others need the end of the game" in staff_client.get(f"{LIST}{game.pk}/verify/").content.decode()
    )
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=game.created_at)
    assert "packs" in staff_client.get(f"{LIST}{game.pk}/change/").content.decode()
    assert "Verified: " in staff_client.get(f"{LIST}{game.pk}/verify/").content.decode()


def events_of(page: str) -> list[tuple[str, str]]:
    """Return who acted in each event and what happened, as the page describes it."""
    return re.findall(r'<td class="unbroken">([^<]*)</td>\s*<td class="words">(.*?)</td>', page)


def test_events_are_described_with_people_by_name(
    staff_client: Client, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game, name = vegas(player), player.staff_name
    for move in ("draw", "collect"):
        services.play(game_id=game.pk, player=player, move={"type": move}, now=game.created_at)
    page = staff_client.get(f"{LIST}{game.pk}/change/").content.decode()
    opened, seated, dealt, drawn, collected, finished = events_of(page)
    assert opened == (name, "The table is opened.")
    assert seated == (name, f"{name} sits down.")
    assert dealt == ("–", "The cards are dealt.")
    assert drawn[0] == name
    assert re.fullmatch(rf"{name} draws (?:(?:10|[A2-9JQK])[♣♦♥♠] ?)+ from the stock\.", drawn[1])
    assert collected == (name, f"{name} collects: 0 cards on the foundations, winnings 0.")
    assert finished[1].startswith("The game is over: ")
    read, _, folded = page.partition("<summary>Technical details of the events</summary>")
    assert "client_seed" not in read
    assert "client_seed" in folded


def outcome_of(page: str) -> list[str]:
    """Return what a page says of the outcome; each database keeps its keys in its own order."""
    [outcome] = re.findall("<dt>Outcome</dt><dd>(.*?)</dd>", page)
    return str(outcome).split(", ")


def test_a_game_is_named_and_its_amounts_are_written_as_money(
    staff_client: Client, player: Player, staked: Callable[..., tuple[GameRecord, PlaySession]]
) -> None:
    game, _ = staked(player, stake=520)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=game.created_at)
    page = staff_client.get(f"{LIST}{game.pk}/change/").content.decode()
    assert f">Session of {game.created_at:%d %b %Y}" in page
    name = f"Vegas Solitaire of {game.created_at:%d %b %Y %H:%M}"
    assert f"› {name}</div>" in page
    assert f"<h2>{name}</h2>" in page
    assert "<dt>Settings</dt><dd>cards drawn at once: 1, stake: 5.20 play money, win rate: 1/13</dd>" in page
    assert {"winnings 0.00 play money", "complete no"} <= set(outcome_of(page))
    sections = set(re.findall(r"<h2>([A-Z][a-z ]+)</h2>", page))
    assert {"Table", "Money", "Times"} <= sections
    assert not sections & {"Match", "Tournament", "Continued from"}


def test_the_outcome_is_withheld_while_others_play_the_deal(
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
    assert "Withheld until every game with its deal has ended" in page()
    assert "collected" not in page()
    services.play(game_id=running.pk, player=rival, move={"type": "collect"}, now=ended.created_at)
    assert "collected" in page()


def test_the_pages_are_read_only(
    staff_client: Client, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    before = GameRecord.objects.values().get()
    assert staff_client.get(f"{LIST}add/").status_code == 403
    assert staff_client.post(f"{LIST}{game.pk}/change/", {"status": "void"}).status_code == 403
    assert staff_client.post(f"{LIST}{game.pk}/delete/", {"post": "yes"}).status_code == 403
    assert GameRecord.objects.values().get() == before


def test_early_access_is_listed(
    staff_client: Client, player: Player, auditor: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    early_access.record(viewer=auditor, game=game, what="bundle", version=3, now=game.created_at)
    assert str(game.pk) in staff_client.get("/admin/games/earlyaccess/").content.decode()


def test_players_have_no_access(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game, client = vegas(player), Client()
    client.force_login(player)
    for path in (LIST, f"{LIST}{game.pk}/change/", f"{LIST}{game.pk}/verify/"):
        assert client.get(path).status_code == 302
