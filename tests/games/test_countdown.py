"""A countdown to the deal where all seats play at once, and the pace of bots there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from eventstore.feed import Reader
from games import presence, services
from games.errors import InvalidTable, NotStarted
from games.models import BotPace, GameRecord, Status
from games.play.bots import PACES
from games.services import BotSeat
from tests.due_jobs import run_due
from tests.games.conftest import NOON
from tests.games.races import draw, open_market, open_table, types

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
Api = Callable[[Player | None], Any]
SECONDS = 3


@pytest.fixture
def full(player: Player, rival: Player) -> GameRecord:
    """A table of Racing Demons whose seats are taken."""
    game = services.create_game(rules="racing-demons", config={}, seats=2, creator=player, now=NOON)
    for who in (player, rival):
        services.take_seat(game=game, player=who, client_seed="", now=NOON)
    return game


def begun(game: GameRecord, player: Player, now: datetime = NOON) -> datetime:
    """Begin the countdown, and return its end."""
    ends = services.count_down(game=game, actor=player, seconds=SECONDS, now=now).starts_at
    assert ends is not None
    return ends


def status(game: GameRecord) -> str:
    return GameRecord.objects.values_list("status", flat=True).get(pk=game.pk)


def test_the_deal_is_made_when_the_countdown_has_ended(full: GameRecord, player: Player) -> None:
    ends = begun(full, player)
    assert ends == NOON + timedelta(seconds=SECONDS)
    run_due(ends - timedelta(milliseconds=1))
    assert status(full) == Status.OPEN
    run_due(ends)
    assert status(full) == Status.ACTIVE
    assert store.read(full.pk)[-1].type == "dealt"


def test_every_player_sees_when_it_ends(api: Api, full: GameRecord, player: Player, rival: Player) -> None:
    address = f"/api/v1/games/{full.pk}/"
    assert api(rival).get(address).json()["clock"]["starts_at"] is None
    started = api(player).post(f"{address}start/", {"countdown": SECONDS})
    assert (started.status_code, started.json()["status"]) == (200, "open")
    ends, latest = (started.json()["clock"][name] for name in ("starts_at", "deal_by"))
    assert datetime.fromisoformat(latest) == datetime.fromisoformat(ends) + presence.AWAITED
    again = api(rival).post(f"{address}start/", {"countdown": 10}).json()
    assert ends == again["clock"]["starts_at"] == api(rival).get(address).json()["clock"]["starts_at"]
    shortened = api(rival).post(f"{address}start/", {}).json()
    assert (shortened["status"], shortened["clock"]["starts_at"]) == ("open", ends)
    assert api(rival).get("/api/v1/players/me/waiting/").json()["games"] == []
    services.deal_after_countdown(game_id=full.pk, now=datetime.fromisoformat(ends))
    GameRecord.objects.filter(pk=full.pk).update(starts_at=NOON)
    late = api(rival).post(f"{address}start/", {})
    assert (late.status_code, late.json()["status"]) == (200, "active")
    assert api(rival).get(address).json()["clock"]["starts_at"] is None


def test_leaving_a_seat_ends_it(full: GameRecord, player: Player, rival: Player) -> None:
    ends = begun(full, player)
    services.leave_seat(game=full, player=rival, now=NOON)
    services.take_seat(game=full, player=rival, client_seed="", now=NOON)
    run_due(ends)
    assert status(full) == Status.OPEN
    later = begun(full, player, ends)
    run_due(later)
    assert status(full) == Status.ACTIVE


def test_there_is_none_where_seats_play_in_turn(api: Api, player: Player, rival: Player) -> None:
    game = services.create_game(rules="ace-race", config={}, seats=2, creator=player, now=NOON)
    for who in (player, rival):
        services.take_seat(game=game, player=who, client_seed="", now=NOON)
    asked = api(player).post(f"/api/v1/games/{game.pk}/start/", {"countdown": SECONDS})
    assert (asked.status_code, asked.json()["code"]) == (400, "invalid-table")
    assert api(player).post(f"/api/v1/games/{game.pk}/start/", {"countdown": 11}).status_code == 400


def test_who_may_start_sees_it(
    api: Api, player: Player, rival: Player, stranger: Player, organizer: Player
) -> None:
    def seen(game: GameRecord) -> list[bool]:
        return [api(who).get(f"/api/v1/games/{game.pk}/").json()["may_start"] for who in everyone]

    everyone = [organizer, player, rival, stranger, None]
    game = services.create_game(rules="ace-race", config={}, seats=2, creator=organizer, now=NOON)
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    assert not any(seen(game))
    services.take_seat(game=game, player=rival, client_seed="", now=NOON)
    assert seen(game) == [True, True, True, False, False]
    services.start_game(game=game, actor=organizer, now=NOON)
    assert not any(seen(game))


@pytest.fixture
def race(organizer: Player) -> GameRecord:
    """A race with a market, before its first draw."""
    game = open_table(organizer)
    open_market(game)
    return game


def test_the_end_of_betting_is_counted_down(api: Api, race: GameRecord, organizer: Player) -> None:
    address = f"/api/v1/games/{race.pk}/"
    assert api(None).get(f"{address}market/").json()["starts_at"] is None
    shown = api(organizer).get(address).json()
    assert (shown["may_start"], shown["legal_moves"]) == (True, [{"type": "draw"}])
    ends = begun(race, organizer)
    assert api(organizer).get(address).json()["legal_moves"] == []
    clock = api(organizer).post(f"{address}start/", {"countdown": 60}).json()["clock"]
    assert datetime.fromisoformat(clock["starts_at"]) == ends
    assert clock["starts_at"] == clock["deal_by"] == api(None).get(f"{address}market/").json()["starts_at"]
    run_due(ends - timedelta(milliseconds=1))
    assert (status(race), api(None).get(f"{address}market/").json()["status"]) == (Status.OPEN, "open")
    run_due(ends)
    assert types(race) == ["created", "dealt", "draw"]
    ended = api(None).get(f"{address}market/").json()
    assert (ended["status"], ended["starts_at"]) == ("closed", None)


def test_nobody_closes_betting_before_the_countdown_has_ended(
    api: Api, race: GameRecord, organizer: Player
) -> None:
    ends = begun(race, organizer)
    with pytest.raises(NotStarted):
        draw(race, organizer)
    with pytest.raises(NotStarted):
        services.start_game(game=race, actor=organizer, now=ends - timedelta(milliseconds=1))
    assert types(race) == ["created"]
    services.start_game(game=race, actor=organizer, now=ends)
    run_due(ends)
    assert types(race) == ["created", "dealt", "draw"]


def test_a_player_who_is_away_delays_no_race(organizer: Player, player: Player) -> None:
    game = open_table(organizer, seats=1)
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    open_market(game)
    ends = begun(game, organizer)
    presence.record_presence([Reader(player.pk, game.pk)], now=NOON)
    presence.record_absence(player.pk, [game.pk], now=NOON)
    run_due(ends)
    assert status(game) == Status.ACTIVE


def test_a_countdown_has_a_longest_time(api: Api, full: GameRecord, race: GameRecord, player: Player) -> None:
    asked = api(player).post(f"/api/v1/games/{full.pk}/start/", {"countdown": 11})
    assert (asked.status_code, asked.json()["code"]) == (400, "invalid-table")
    assert api(race.creator).post(f"/api/v1/games/{race.pk}/start/", {"countdown": 61}).status_code == 400
    without = open_table(race.creator)
    assert api(race.creator).post(f"/api/v1/games/{without.pk}/start/", {"countdown": 5}).status_code == 400


@pytest.mark.parametrize("pace", list(BotPace))
def test_bots_move_at_the_chosen_pace(player: Player, pace: BotPace) -> None:
    game = services.create_game(
        rules="racing-demons",
        config={},
        seats=2,
        creator=player,
        bots=[BotSeat(1, "random")],
        bot_pace=pace,
        now=NOON,
    )
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    services.start_game(game=game, actor=player, now=NOON)
    run_due(NOON)
    assert services.bots_due(game_id=game.pk, now=NOON) == NOON + PACES[pace]


def test_the_pace_is_that_of_a_race(api: Api, player: Player) -> None:
    body = {"rules": "racing-demons", "seats": 2, "bots": [1], "bot_pace": "fast"}
    assert api(player).post("/api/v1/games/", body).json()["bot_pace"] == "fast"
    del body["bot_pace"]
    assert api(player).post("/api/v1/games/", body).json()["bot_pace"] == "normal"
    with pytest.raises(InvalidTable):
        services.create_game(rules="ace-race", config={}, seats=2, creator=player, bot_pace="fast", now=NOON)
    refused = api(player).post("/api/v1/games/", {**body, "bot_pace": "hasty"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid-input")
