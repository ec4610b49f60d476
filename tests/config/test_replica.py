"""Reads that may be a moment old come from the replica; everything else, and every write, uses the primary.

The replica of these tests is a second connection to the same database, on which nothing can be written.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import cache
from django.db import OperationalError, connections
from django.test import Client as DjangoClient
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from redis.exceptions import RedisError

from accounts.models import Player, Token
from accounts.roles import Role
from config import replica
from config.replica import FOR_CALLERS
from core import replicas
from games import services as games
from tests.conftest import NOW, PASSWORD, Client, person

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

Clients = Callable[[Player | None], Client]

STALE_FOR_CALLERS = {
    "audit/reports/",
    "audit/reports/<int:report_id>/",
    "changes/",
    "checkpoints/",
    "checkpoints/<int:number>/",
    "checkpoints/keys/",
    "checkpoints/latest/",
    "matches/",
    "ratings/",
    "rules/",
    "tournaments/",
    "tournaments/<uuid:tournament_id>/",
    "tournaments/<uuid:tournament_id>/bracket/",
    "tournaments/<uuid:tournament_id>/entries.csv",
    "tournaments/<uuid:tournament_id>/entries/",
    "tournaments/<uuid:tournament_id>/events/",
    "tournaments/<uuid:tournament_id>/pairings.csv",
    "tournaments/<uuid:tournament_id>/pairings/",
    "tournaments/<uuid:tournament_id>/pairs/",
    "tournaments/<uuid:tournament_id>/ratings/",
    "tournaments/<uuid:tournament_id>/rounds/",
    "tournaments/<uuid:tournament_id>/rounds/<int:number>.csv",
    "tournaments/<uuid:tournament_id>/rounds/<int:number>/",
    "tournaments/<uuid:tournament_id>/standings.csv",
    "tournaments/<uuid:tournament_id>/standings/",
    "tournaments/<uuid:tournament_id>/standings/<int:entry>/",
}
ROOT = "api/v1/"
EXAMPLES = {"uuid": str(UUID(int=7)), "int": "7", "slug": "vegas-solitaire", "str": "7"}


def routes(patterns: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, route)
        elif isinstance(one, URLPattern) and route.startswith(ROOT):
            yield (
                route.removeprefix(ROOT),
                getattr(one.callback, "view_class", getattr(one.callback, "cls", None)),
            )


def example(route: str) -> str:
    return f"/{ROOT}" + re.sub(r"<(\w+):\w+>", lambda found: EXAMPLES[found[1]], route)


ALL = dict(routes(get_resolver().url_patterns))


@pytest.fixture
def sent(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """The number of statements by connection."""
    counted: Counter[str] = Counter()
    default = connections.settings["default"]
    options = {**default["OPTIONS"], "options": "-c default_transaction_read_only=on"}
    monkeypatch.setitem(connections.settings, replicas.ALIAS, {**default, "OPTIONS": options})
    settings.RACECARD_REPLICA_URL = "postgresql://replica"
    monkeypatch.setattr(replicas, "lag", lambda: 0.0)
    monkeypatch.setattr(replicas, "primary_is_away", lambda: False)
    monkeypatch.setattr(replica, "_is_shared", lambda: True)
    monkeypatch.setattr(replica, "_not_noted_until", float("-inf"))

    def counting(alias: str) -> Callable[..., Any]:
        def execute(run: Any, *given: Any) -> Any:
            counted[alias] += 1
            return run(*given)

        return execute

    connections[replicas.ALIAS].connect()  # Django's tests refuse to open a connection that is not theirs
    with ExitStack() as stack:
        for alias in ("default", replicas.ALIAS):
            stack.enter_context(connections[alias].execute_wrapper(counting(alias)))
        yield counted
    connections[replicas.ALIAS].close()
    del connections[replicas.ALIAS]


def test_what_callers_read_from_the_replica_is_listed() -> None:
    reads = {route for route, view in ALL.items() if hasattr(view, "get")}
    found = {route for route in reads if FOR_CALLERS.fullmatch(example(route))}
    assert found == STALE_FOR_CALLERS


def test_a_spectator_reads_from_the_replica(sent: Counter[str], api: Clients, player: Player) -> None:
    game = games.create_game(
        rules="vegas-solitaire", config={"draw": 1, "stake": 0}, seats=1, creator=player, now=NOW
    )
    sent.clear()
    for path in ("games/", f"games/{game.pk}/", "tournaments/", "checkpoints/"):
        answer = api(None).get(f"/{ROOT}{path}")
        assert answer.status_code == 200, path
        assert sent.keys() == {"replica"}, path
        sent.clear()


def test_a_caller_reads_what_may_be_stale(sent: Counter[str], api: Clients) -> None:
    books = api(person("booker", Role.AUDITOR))
    for path in ("tournaments/", "matches/", "audit/reports/", "checkpoints/"):
        books.get(f"/{ROOT}{path}")  # a new token is recorded as used
        sent.clear()
        assert books.get(f"/{ROOT}{path}").status_code == 200, path
        assert sent.keys() == {"replica"}, path


@pytest.mark.parametrize(
    "path",
    ["wallet/", "games/", "players/me/", "markets/", "bets/", "buy-ins/", "trial-balance/", "reports/days/"],
)
def test_money_and_seats_are_read_from_the_primary(sent: Counter[str], api: Clients, path: str) -> None:
    client = api(person("booker", Role.AUDITOR))
    sent.clear()
    assert client.get(f"/{ROOT}{path}").status_code == 200
    assert sent.keys() == {"default"}


def test_no_write_reaches_the_replica(sent: Counter[str], api: Clients, administrator: Player) -> None:
    tried = 0
    for caller in (None, administrator):
        client = api(caller)
        for route, view in ALL.items():
            for method in {"post", "put", "patch", "delete"} & {name for name in dir(view) if name.islower()}:
                getattr(client, method)(example(route), {})
                tried += 1
                assert sent["replica"] == 0, f"{method} {route}"
    assert tried > 150


def test_a_caller_who_has_written_reads_from_the_primary_for_a_moment(
    sent: Counter[str], api: Clients, organizer: Player, stranger: Player
) -> None:
    client, other = api(organizer), api(stranger)
    for each in (client, other):
        each.get(f"/{ROOT}tournaments/")
    client.post(f"/{ROOT}tournaments/", {})
    sent.clear()
    client.get(f"/{ROOT}tournaments/")
    assert sent.keys() == {"default"}
    sent.clear()
    other.get(f"/{ROOT}tournaments/")
    assert sent.keys() == {"replica"}
    cache.clear()  # the moment is over
    sent.clear()
    client.get(f"/{ROOT}tournaments/")
    assert sent.keys() == {"replica"}


def test_a_session_that_has_begun_a_moment_ago_reads_from_the_primary(
    sent: Counter[str], player: Player
) -> None:
    browser = DjangoClient()
    signed_in = browser.post(
        "/_allauth/browser/v1/auth/login",
        {"username": player.username, "password": PASSWORD},
        content_type="application/json",
    )
    assert signed_in.status_code == 200, signed_in.content
    sent.clear()
    assert browser.get(f"/{ROOT}tournaments/").status_code == 200
    assert sent.keys() == {"default"}


def test_a_session_that_the_replica_does_not_know_yet_continues(
    sent: Counter[str], player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = DjangoClient()
    browser.force_login(player)
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME].value
    found = SessionStore.get_model_class().objects
    get = found.get

    def not_on_the_replica(**which: Any) -> Any:
        return found.none().get() if replicas.is_reading() else get(**which)

    monkeypatch.setattr(found, "get", not_on_the_replica)
    sent.clear()
    answer = browser.get(f"/{ROOT}tournaments/")
    assert answer.status_code == 200
    assert sent["replica"] > 0
    assert sent["default"] > 0
    assert browser.cookies[settings.SESSION_COOKIE_NAME].value == cookie


def test_what_the_replica_does_not_find_the_primary_may_have(sent: Counter[str], api: Clients) -> None:
    assert api(None).get(f"/{ROOT}games/{UUID(int=7)}/").status_code == 404
    assert sent["default"] > 0
    assert sent["replica"] > 0


def test_the_use_of_a_token_is_recorded_on_the_primary(
    sent: Counter[str], api: Clients, player: Player
) -> None:
    client = api(player)
    Token.objects.update(last_used=timezone.now() - timedelta(days=1))
    sent.clear()
    assert client.get(f"/{ROOT}tournaments/").status_code == 200
    assert sent["default"] == 1
    assert timezone.now() - Token.objects.get().last_used < timedelta(minutes=1)


@pytest.mark.parametrize("lag", [float("inf"), 6.0])
def test_a_replica_that_is_behind_or_away_is_not_read(
    sent: Counter[str], api: Clients, monkeypatch: pytest.MonkeyPatch, lag: float
) -> None:
    monkeypatch.setattr(replicas, "lag", lambda: lag)
    assert api(None).get(f"/{ROOT}tournaments/").status_code == 200
    assert sent.keys() == {"default"}


def refuse(*_: object) -> None:
    raise RedisError("connection refused")


@pytest.mark.parametrize("failure", ["no notes", "no redis", "a write is not noted"])
def test_callers_whose_writes_may_not_be_noted_read_from_the_primary(
    sent: Counter[str], api: Clients, player: Player, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    client = api(player)
    if failure == "no notes":
        monkeypatch.setattr("config.replica.cache.get", refuse)
    elif failure == "no redis":
        monkeypatch.setattr(replica, "_is_shared", lambda: False)
    else:
        with monkeypatch.context() as away:
            away.setattr("config.replica.cache.set", refuse)
            client.post(f"/{ROOT}tournaments/", {})
    sent.clear()
    assert client.get(f"/{ROOT}tournaments/").status_code == 200
    assert sent.keys() == {"default"}


def test_while_the_primary_is_away_only_the_replica_answers(
    sent: Counter[str], api: Clients, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(player)
    client.get(f"/{ROOT}tournaments/")  # a new token is recorded as used
    monkeypatch.setattr(replicas, "primary_is_away", lambda: True)
    sent.clear()
    for answer in (client.post(f"/{ROOT}games/", {}), client.get(f"/{ROOT}wallet/")):
        assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "unavailable", "1")
    assert not sent
    assert [who.get(f"/{ROOT}tournaments/").status_code for who in (client, api(None))] == [200, 200]
    assert sent.keys() == {"replica"}


@pytest.fixture
def primary(monkeypatch: pytest.MonkeyPatch) -> Iterator[replicas._Primary]:
    """The primary, by a process that has not asked it yet."""
    asked = replicas._Primary()
    monkeypatch.setattr(replicas, "_primary", asked)
    monkeypatch.setattr(replicas, "ANSWERED_WITHIN", 30.0)
    yield asked
    asked._submit(connections.close_all).result()


@pytest.fixture
def measured(
    sent: Counter[str], primary: replicas._Primary, monkeypatch: pytest.MonkeyPatch
) -> pytest.MonkeyPatch:
    """The lag is measured, by a process that knows nothing yet."""
    monkeypatch.undo()
    monkeypatch.setattr(replicas, "_primary", primary)
    monkeypatch.setattr(replicas, "_known", replicas._Known())
    monkeypatch.setitem(connections.settings, replicas.ALIAS, connections.settings["default"])
    return monkeypatch


def test_a_primary_that_keeps_a_query_is_away_until_it_answers(
    measured: pytest.MonkeyPatch, primary: replicas._Primary
) -> None:
    answers = Event()
    position = primary._position

    def late() -> str | None:
        answers.wait()
        return position()

    measured.setattr(primary, "_position", late)
    measured.setattr(replicas, "ANSWERED_WITHIN", 0.01)
    assert replicas.lag() == 0.0  # against what the replica has received
    assert not replicas.primary_is_away()
    measured.setattr(replicas, "AWAY_AFTER", 0.0)
    assert replicas.primary_is_away()
    answers.set()
    assert primary._ask().result() is not None
    assert not replicas.primary_is_away()


def test_a_primary_that_refuses_connections_is_asked_again(
    measured: pytest.MonkeyPatch, primary: replicas._Primary
) -> None:
    measured.setattr(replicas, "AWAY_AFTER", 0.0)
    with measured.context() as away:
        away.setattr(replicas, "_WRITTEN", "SELECT nothing")
        assert primary._ask().result() is None
        assert replicas.primary_is_away()
    assert replicas.primary_is_away()
    primary._asked_at -= replicas.CHECKED_EVERY
    replicas.primary_is_away()  # asks
    assert primary._answer is not None
    assert primary._answer.result() is not None
    assert not replicas.primary_is_away()


def test_a_query_that_failed_long_ago_does_not_count(
    measured: pytest.MonkeyPatch, primary: replicas._Primary
) -> None:
    with measured.context() as away:
        away.setattr(replicas, "_WRITTEN", "SELECT nothing")
        assert primary._ask().result() is None
    for time_of in ("_asked_at", "_ended_at", "_silent_since"):
        setattr(primary, time_of, getattr(primary, time_of) - 60)
    answers = Event()
    measured.setattr(primary, "_position", answers.wait)
    assert not replicas.primary_is_away()
    answers.set()


def test_the_lag_is_measured_once_a_second(measured: pytest.MonkeyPatch) -> None:
    assert replicas.lag() == 0.0
    measured.setattr(replicas, "_measured", lambda: 9.0)
    assert replicas.lag() == 0.0
    replicas._known.check_at = float("-inf")
    assert replicas.lag() == 9.0


def test_nobody_reads_from_a_replica_that_takes_long_to_answer(measured: pytest.MonkeyPatch) -> None:
    assert replicas.lag() == 0.0
    meanwhile = []

    def hang() -> None:
        meanwhile.append(replicas.lag())
        replicas._known.check_at -= replicas.CHECKED_EVERY
        meanwhile.append(replicas.lag())

    measured.setattr(replicas, "_measured", hang)
    replicas._known.check_at = time.monotonic()
    assert replicas.lag() == float("inf")
    assert meanwhile == [0.0, float("inf")]


def test_a_replica_that_does_not_answer_is_asked_less_and_less(measured: pytest.MonkeyPatch) -> None:
    measured.setattr(replicas, "_measured", lambda: None)
    pauses = []
    for _ in range(6):
        asked = time.monotonic()
        assert replicas.lag() == float("inf")
        pauses.append(round(replicas._known.check_at - asked))
        replicas.failed()  # does not shorten the pause
        assert replicas._known.check_at > asked
        replicas._known.check_at = float("-inf")
    assert pauses == [2, 4, 8, 16, 30, 30]
    measured.setattr(replicas, "_measured", lambda: 0.0)
    assert replicas.lag() == 0.0
    assert replicas._known.pause == replicas.CHECKED_EVERY


def test_after_a_failed_request_the_replica_is_measured_first(
    sent: Counter[str], api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OperationalError("the connection was lost")

    monkeypatch.setattr(replicas, "_known", replicas._Known(lag=0.0, check_at=float("inf")))
    with connections[replicas.ALIAS].execute_wrapper(refuse):
        assert api(None).get(f"/{ROOT}tournaments/").status_code == 200
    assert sent["default"] > 0
    assert replicas._known.lag == float("inf")
    assert replicas._known.check_at == float("-inf")


STANDBY = {
    "pg_is_in_recovery": "boolean AS $$ SELECT true $$",
    "pg_last_wal_receive_lsn": "pg_lsn AS $$ SELECT '0/2'::pg_lsn $$",
    "pg_last_wal_replay_lsn": "pg_lsn AS $$ SELECT '0/2'::pg_lsn $$",
    "pg_last_xact_replay_timestamp": "timestamptz AS $$ SELECT now() - interval '1 hour' $$",
}


@pytest.fixture
def standby(
    sent: Counter[str], primary: replicas._Primary, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.MonkeyPatch]:
    """The replica says that it has replayed all that it has received, up to 0/2, an hour ago."""
    with connections["default"].cursor() as cursor:
        cursor.execute("CREATE SCHEMA standby")
        for name, body in STANDBY.items():
            cursor.execute(f"CREATE FUNCTION standby.{name}() RETURNS {body} LANGUAGE sql")
    with connections[replicas.ALIAS].cursor() as cursor:
        cursor.execute("SET search_path = standby, pg_catalog, public")
    yield monkeypatch
    with connections["default"].cursor() as cursor:
        cursor.execute("DROP SCHEMA standby CASCADE")


def test_a_replica_that_no_longer_receives_anything_is_behind(standby: pytest.MonkeyPatch) -> None:
    assert 3600 <= replicas._measured() < 3700


@pytest.mark.parametrize("written", ["0/1", "0/2", None], ids=["before", "all", "the primary is away"])
def test_a_replica_that_has_all_that_was_written_is_not_behind(
    standby: pytest.MonkeyPatch, written: str | None
) -> None:
    standby.setattr(replicas._primary, "written", lambda: written)
    assert replicas._measured() == 0.0
