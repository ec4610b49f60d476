"""The heartbeats of several event streams are read together, and each stream is authorized for itself."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from knox.models import AuthToken

from accounts.models import Player
from config.streams.reads import Beat, Follower, Source, beat, take_stream_place
from core.errors import NotAuthenticated, NotFound, TooManyRequests
from eventstore import feed, suspension
from games.models import GameRecord
from tests.conftest import NOW
from tests.games.tables import dealt

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _same_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of the server closes its connection when its age or its state asks for it; a test's holds its data."""
    monkeypatch.setattr("config.streams.reads.close_old_connections", lambda: None)


@pytest.fixture
def game(player: Player) -> GameRecord:
    return dealt("vegas-solitaire", [player], now=NOW)


def version(game: GameRecord) -> int:
    return feed.statuses([game.pk])[game.pk].version


def follower(viewer: Player, game: GameRecord, after: int, **token: Any) -> Follower:
    bearer = AuthToken.objects.create(viewer, **token)[1]
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/v1/games/{game.pk}/events/",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {bearer}".encode())],
        "client": ("198.51.100.7", 1),
    }
    place = take_stream_place(uuid.uuid4().hex)
    return Follower(place, scope, {Source("game", game.pk): after})


def test_each_stream_gets_what_is_new_to_it(player: Player, rival: Player, game: GameRecord) -> None:
    head = version(game)
    up_to_date, behind = beat([follower(rival, game, head), follower(player, game, head - 1)])
    assert isinstance(up_to_date, Beat)
    assert isinstance(behind, Beat)
    assert [len(events) for events in up_to_date.page.found.values()] == [0]
    assert [[event["version"] for event in events] for events in behind.page.found.values()] == [[head]]
    suspension.suspend(game.pk, at=NOW)
    assert beat([follower(rival, game, head)]) == [Beat(up_to_date.page, {game.pk})]


def test_who_may_not_follow_any_more_is_closed_alone(player: Player, rival: Player, game: GameRecord) -> None:
    head = version(game)
    private: GameRecord = dealt("vegas-solitaire", [player], now=NOW, private=True)
    revoked = follower(rival, game, head)
    AuthToken.objects.filter(user=rival).delete()
    expired = follower(rival, game, head, expiry=timedelta(days=-1))
    inactive = follower(Player.objects.create_user("gone", is_active=False), game, head)
    hidden, own = follower(rival, private, version(private)), follower(player, private, version(private))
    answers = beat([revoked, expired, inactive, hidden, own, follower(rival, game, head)])
    assert [type(answer) for answer in answers] == [
        NotAuthenticated,
        NotAuthenticated,
        NotAuthenticated,
        NotFound,
        Beat,
        Beat,
    ]


def test_a_place_is_renewed(player: Player, game: GameRecord, settings: Any) -> None:
    settings.STREAMS_PER_PLAYER = 1
    place = take_stream_place(str(player.pk))
    place.release()
    beat([follower(player, game, version(game))._replace(place=place)])
    with pytest.raises(TooManyRequests):
        take_stream_place(str(player.pk))


def test_a_stream_more_costs_one_statement(
    player: Player, rival: Player, django_assert_num_queries: Any
) -> None:
    games = [dealt("vegas-solitaire", [player], now=timezone.now()) for _ in range(3)]
    followers = [follower(rival, game, version(game)) for game in games]
    beat(followers)
    with django_assert_num_queries(3):  # tokens, versions, the game
        beat(followers[:1])
    with django_assert_num_queries(5):
        beat(followers)
