"""Staff pages of games: read, search, and verify, without changes, and the page that opens a market on a race."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from games import early_access, services
from games.models import GameRecord
from games.services import TournamentRef
from ledger.betting.models import Market
from ledger.models import PlaySession
from staff.models import ActionRecord
from tests.conftest import NOW
from tests.ledger.betting.markets import bank

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


@pytest.fixture
def race(organizer: Player) -> GameRecord:
    bank()
    return services.create_game(creator=organizer, rules="racing-aces", config={}, seats=0, now=NOW)


def signed_in(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def url(race: GameRecord) -> str:
    return reverse("admin:games_gamerecord_market", args=[race.pk])


def form(**changes: object) -> dict[str, object]:
    terms = {
        "kind": "pool",
        "stake_table": "race-bets",
        "takeout": 15,
        "step": 0,
        "margin": 0,
        "on_draw": "refund",
    }
    return {**terms, "cancellable": "on", "reason": "race night", "key": uuid4().hex, **changes}


def page(race: GameRecord) -> str:
    return reverse("admin:games_gamerecord_change", args=[race.pk])


def test_a_pool_is_previewed_and_opened(administrator: Player, race: GameRecord) -> None:
    client = signed_in(administrator)
    assert url(race) in client.get(page(race)).content.decode()
    preview = client.post(url(race), form()).content.decode()
    for result in (
        "15%",
        "none: a pool pays from its stakes",
        "Clubs, Diamonds, Hearts, Spades",
        "bets are refunded",
        "race night",
    ):
        assert result in preview
    assert not Market.objects.exists()
    done = client.post(url(race), form(confirmed="yes"))
    market = Market.objects.get()
    assert done["Location"] == reverse("admin:ledger_market_change", args=[market.pk])
    assert (market.kind, market.takeout, market.cap, market.status) == ("pool", 1500, None, "open")
    assert market.opened_by == f"player:{administrator.pk}"
    kept = ActionRecord.objects.get(action="open-market")
    assert (kept.subject, kept.made, kept.reason) == (f"game:{race.pk}", f"market:{market.pk}", "race night")
    assert url(race) not in client.get(page(race)).content.decode(), "there is already has a market"
    assert "already has a market" in client.post(url(race), form(confirmed="yes")).content.decode()


def test_fixed_odds_show_prices_and_the_banks_risk(administrator: Player, race: GameRecord) -> None:
    preview = (
        signed_in(administrator).post(url(race), form(kind="fixed", takeout=0, margin=5)).content.decode()
    )
    for result in ("5%", "Hearts at ", "each bet reserves its possible loss", "Without a cap"):
        assert result in preview


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "fixed"}, "a pool has a takeout"),
        ({"takeout": 100}, "less than or equal to 99.99"),
        ({"stake_table": "vegas-classic"}, "not one of the available choices"),
        ({"cap": "0.001"}, "Write an amount"),
        ({"reason": ""}, "required"),
    ],
)
def test_invalid_terms_are_explained(
    administrator: Player, race: GameRecord, change: dict[str, object], why: str
) -> None:
    for more in ({}, {"confirmed": "yes"}):
        assert why in signed_in(administrator).post(url(race), form(**change, **more)).content.decode()
    assert not Market.objects.exists()


def test_organizers_open_a_market_within_their_limit_and_return_to_the_race(
    organizer: Player, race: GameRecord
) -> None:
    client = signed_in(organizer)
    most = settings.RACECARD_ORGANIZER_MARKET_CAP
    refused = client.post(url(race), form(cap=f"{most / 100 + 1:.2f}", confirmed="yes"))
    assert "capped at" in refused.content.decode()
    done = client.post(url(race), form(confirmed="yes"))
    assert (done["Location"], Market.objects.get().cap) == (page(race), most)


def test_other_roles_cannot_open_a_market(auditor: Player, player: Player, race: GameRecord) -> None:
    assert signed_in(auditor).post(url(race), form(confirmed="yes")).status_code == 403
    assert signed_in(player).post(url(race), form(confirmed="yes")).status_code == 302, "to the sign-in"
    assert url(race) not in signed_in(auditor).get(page(race)).content.decode()
    assert not Market.objects.exists()


def test_other_games_cannot_have_a_market(administrator: Player, race: GameRecord) -> None:
    other = services.create_game(
        creator=administrator, rules="vegas-solitaire", config={"draw": 3, "stake": 0}, seats=1, now=NOW
    )
    client = signed_in(administrator)
    assert url(other) not in client.get(page(other)).content.decode()
    assert client.post(url(other), form(confirmed="yes")).status_code == 200
    assert client.get(reverse("admin:games_gamerecord_market", args=[uuid4()])).status_code == 404
    assert not Market.objects.exists()
