"""The heartbeats of several event streams are read together, and each stream is authorized for itself."""

from __future__ import annotations

import uuid
from typing import Any
from unittest.mock import ANY

import pytest
from django.db import OperationalError

from accounts.authentication import Credential
from accounts.models import Player, Token
from accounts.services import issue_token
from config.streams.reads import Follower, Source, beat, suspended, take_stream_place
from core.errors import NotAuthenticated, NotFound, TooManyRequests
from eventstore import feed, suspension
from games.models import GameRecord, Seat
from notifications.models import Watch
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


def follower(viewer: Player, game: GameRecord, **given: Any) -> Follower:
    token, bearer = issue_token(player=viewer, **given)
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/v1/games/{game.pk}/events/",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {bearer}".encode())],
        "client": ("198.51.100.7", 1),
    }
    place = take_stream_place(uuid.uuid4().hex)
    credential, source = Credential(viewer.pk, digest=token.digest), Source("game", game.pk)
    return Follower(place, credential, scope, {source: source.reader(credential)})


def test_a_heartbeat_finds_the_head_and_the_suspension(
    player: Player, rival: Player, game: GameRecord
) -> None:
    suspension.suspend(game.pk, at=NOW)
    problems, statuses, _ = beat([follower(rival, game), follower(player, game)])
    assert problems == [None, None]
    assert statuses[game.pk].version == version(game)
    assert suspended([Source("game", game.pk)], statuses) == {game.pk}


def test_who_may_not_follow_any_more_is_closed_alone(player: Player, rival: Player, game: GameRecord) -> None:
    private: GameRecord = dealt("vegas-solitaire", [player], now=NOW, private=True)
    revoked = follower(rival, game)
    Token.objects.filter(player=rival).delete()
    expired = follower(rival, game, days=-1)
    inactive = follower(Player.objects.create_user("gone", is_active=False), game)
    hidden, own = follower(rival, private), follower(player, private)
    problems = beat([revoked, expired, inactive, hidden, own, follower(rival, game)]).problems
    assert [type(problem) for problem in problems] == [
        NotAuthenticated,
        NotAuthenticated,
        NotAuthenticated,
        NotFound,
        type(None),
        type(None),
    ]


def test_a_place_is_renewed(player: Player, game: GameRecord, settings: Any) -> None:
    settings.STREAMS_PER_PLAYER = 1
    place = take_stream_place(str(player.pk))
    place.release()
    beat([follower(player, game)._replace(place=place)])
    with pytest.raises(TooManyRequests):
        take_stream_place(str(player.pk))


def test_those_who_play_in_a_game_are_recorded_as_watching_it(
    player: Player, rival: Player, game: GameRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    private: GameRecord = dealt("vegas-solitaire", [player], now=NOW, private=True)
    streams = [follower(viewer, one) for viewer in (player, rival) for one in (game, private)]
    beat(streams)
    assert set(Watch.objects.values_list("player", "stream")) == {
        (player.pk, game.pk),
        (player.pk, private.pk),
    }

    def broken(readers: Any, versions: Any, now: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("games.selectors.record_presence", broken)
    assert beat(streams[:1]) == ([None], ANY, {})


def test_more_streams_cost_no_more_statements(
    player: Player, rival: Player, django_assert_num_queries: Any
) -> None:
    """Tokens, games, heads, who is here; for private games also seats and staff.

    None of the games shares its deal. The first heartbeat of a stream in a while also finds and records who plays.
    """
    public = [dealt("vegas-solitaire", [player], now=NOW) for _ in range(3)]
    private = [dealt("vegas-solitaire", [player], now=NOW, private=True) for _ in range(3)]
    followers = [follower(viewer, game) for game in public for viewer in (player, rival)]
    seated = [follower(rival, game) for game in private]
    for game in private:
        GameRecord.objects.filter(pk=game.pk).update(creator=None)
        Seat.objects.filter(game=game).update(player=rival)
    beat(seated + followers)
    for streams, statements in (
        (followers[:1], 4),
        (followers[1:2], 4),
        (followers, 4),
        (seated[:1], 6),
        (seated + followers, 6),
    ):
        with django_assert_num_queries(statements):
            assert set(beat(streams)[0]) == {None}
