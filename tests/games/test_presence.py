"""Who is here: the players of a game who have an event stream of it open. Only the players of the game see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from eventstore import feed
from eventstore.feed import Reader
from games import presence, services
from games.models import GameRecord, Status
from games.services import BotSeat
from notifications import watching
from notifications.models import Watch
from tests.due_jobs import run_due
from tests.games.conftest import NOON
from tests.games.tables import dealt

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def _no_earlier_streams() -> Iterator[None]:
    """Each test is a process without streams."""
    watching._recorded.clear()
    yield
    watching._recorded.clear()


def come(player: Player, game: GameRecord, now: datetime) -> Any:
    """Open an event stream, or confirm it by a heartbeat, and return who is here."""
    return presence.record_presence([Reader(player.pk, game.pk)], now=now).get(game.pk)


def shown(api: Api, viewer: Player | None, game: GameRecord) -> Any:
    return api(viewer).get(f"/api/v1/games/{game.pk}/").json()["presence"]


def seat(number: int, *, here: bool = False, away_since: str | None = None) -> dict[str, Any]:
    return {"seat": number, "here": here, "away_since": away_since}


def test_players_see_who_is_here_and_who_has_left(api: Api, player: Player, rival: Player) -> None:
    game, now = dealt("ace-race", [player, rival], now=NOON), timezone.now().replace(microsecond=0)
    assert shown(api, player, game) == [seat(0), seat(1)]
    come(player, game, now)
    come(rival, game, now)
    assert shown(api, rival, game) == [seat(0, here=True), seat(1, here=True)]
    presence.record_absence(rival.pk, [game.pk], now=now)
    left = now.isoformat().replace("+00:00", "Z")
    assert shown(api, player, game) == [seat(0, here=True), seat(1, away_since=left)]
    come(rival, game, now + SECOND)
    assert shown(api, player, game) == [seat(0, here=True), seat(1, here=True)]


def test_nobody_else_sees_it(api: Api, player: Player, rival: Player, stranger: Player) -> None:
    game = dealt("ace-race", [player, rival], now=NOON)
    for who in (player, rival, stranger):
        come(who, game, timezone.now())
    assert set(Watch.objects.values_list("player", flat=True)) == {player.pk, rival.pk}
    assert shown(api, stranger, game) == shown(api, None, game) == []
    assert stranger.pk not in come(stranger, game, timezone.now())


def test_a_table_that_waits_shows_it_and_one_that_has_ended_does_not(api: Api, player: Player) -> None:
    game = services.create_game(
        rules="ace-race", config={}, seats=3, creator=player, bots=[BotSeat(1)], now=NOON
    )
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    come(player, game, timezone.now())
    assert shown(api, player, game) == [seat(0, here=True)]
    services.void_game(game_id=game.pk, reason="not-started", now=NOON)
    assert shown(api, player, game) == []


def test_a_stream_that_no_process_confirms_is_closed(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], now=NOON)
    come(player, game, NOON)
    later = NOON + watching.FRESH
    assert come(rival, game, later) == {player.pk: NOON, rival.pk: None}
    assert watching.watchers(game.pk, [player.pk, rival.pk], now=later) == {rival.pk}


def test_a_player_with_two_streams_is_here_after_one_is_closed(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], now=NOON)
    come(player, game, NOON)
    presence.record_absence(player.pk, [game.pk], now=NOON + SECOND)
    assert come(rival, game, NOON + SECOND)[player.pk] == NOON + SECOND
    assert come(player, game, NOON + 2 * SECOND)[player.pk] is None
    assert come(rival, game, NOON + 2 * SECOND)[player.pk] is None


def test_heartbeats_write_once_in_a_while(
    player: Player, rival: Player, django_assert_num_queries: Any
) -> None:
    game = dealt("ace-race", [player, rival], now=NOON)
    readers = [Reader(who.pk, game.pk) for who in (player, rival)]
    presence.record_presence(readers, now=NOON)
    with django_assert_num_queries(1):
        presence.record_presence(readers, now=NOON + SECOND)
    assert set(Watch.objects.values_list("seen_at", flat=True)) == {NOON}


def test_spectators_are_looked_up_when_a_seat_may_have_been_taken(
    player: Player, rival: Player, stranger: Player, django_assert_num_queries: Any
) -> None:
    waiting = services.create_game(rules="ace-race", config={}, seats=2, creator=player, now=NOON)
    services.take_seat(game=waiting, player=player, client_seed="", now=NOON)

    def heartbeat(game: GameRecord) -> set[Any]:
        readers = [Reader(who.pk, game.pk) for who in (player, rival, stranger)]
        versions = {game.pk: feed.statuses([game.pk])[game.pk].version}
        return set(presence.record_presence(readers, versions, now=timezone.now())[game.pk])

    assert heartbeat(waiting) == {player.pk}
    with django_assert_num_queries(2):  # the version, and who is away
        assert heartbeat(waiting) == {player.pk}
    services.take_seat(game=waiting, player=rival, client_seed="", now=NOON)
    assert heartbeat(waiting) == {player.pk, rival.pk}
    playing = dealt("vegas-solitaire", [player], now=NOON)
    assert heartbeat(playing) == {player.pk}
    services.play(game_id=playing.pk, player=player, move={"type": "draw"}, now=NOON)
    with django_assert_num_queries(2):
        assert heartbeat(playing) == {player.pk}


def test_who_sits_down_or_stands_up_with_the_page_open_is_here_or_not(
    api: Api, player: Player, rival: Player
) -> None:
    game = services.create_game(rules="ace-race", config={}, seats=2, creator=player, now=NOON)
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    now = timezone.now()
    assert rival.pk not in (come(rival, game, now) or {})
    services.take_seat(game=game, player=rival, client_seed="", now=NOON)
    come(rival, game, now)
    assert shown(api, player, game) == [seat(0), seat(1, here=True)]
    services.leave_seat(game=game, player=rival, now=NOON)
    assert shown(api, player, game) == [seat(0)]
    assert rival.pk not in (come(rival, game, now) or {})


@pytest.mark.both_databases
def test_the_deal_after_a_countdown_waits_for_a_lost_player(player: Player, rival: Player) -> None:
    game, ends = counted_down(player, rival)
    presence.record_absence(rival.pk, [game.pk], now=NOON + SECOND)
    run_due(ends)
    assert status(game) == Status.OPEN
    come(rival, game, ends + SECOND)
    run_due(ends + SECOND)
    assert status(game) == Status.ACTIVE


def test_it_waits_no_longer_than_it_says(player: Player, rival: Player) -> None:
    game, ends = counted_down(player, rival)
    presence.record_absence(rival.pk, [game.pk], now=NOON + SECOND)
    run_due(ends)
    run_due(ends + presence.AWAITED - SECOND)
    assert status(game) == Status.OPEN
    run_due(ends + presence.AWAITED)
    assert status(game) == Status.ACTIVE


def test_it_does_not_wait_for_programs_without_a_stream(player: Player, rival: Player) -> None:
    game, ends = counted_down(player, rival, streams=False)
    run_due(ends)
    assert status(game) == Status.ACTIVE


def counted_down(player: Player, rival: Player, *, streams: bool = True) -> tuple[GameRecord, datetime]:
    """Return a full table of Racing Demons with its countdown begun, and the end of the countdown."""
    game = services.create_game(rules="racing-demons", config={}, seats=2, creator=player, now=NOON)
    for who in (player, rival):
        services.take_seat(game=game, player=who, client_seed="", now=NOON)
        if streams:
            come(who, game, NOON)
    ends = services.count_down(game=game, actor=player, seconds=3, now=NOON).starts_at
    assert ends is not None
    return game, ends


def status(game: GameRecord) -> str:
    return GameRecord.objects.values_list("status", flat=True).get(pk=game.pk)
