"""The cast of the tests, and how they speak to the API."""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from rest_framework.test import APIClient
from whitenoise.middleware import WhiteNoiseMiddleware

from accounts import services
from accounts.models import Player
from accounts.roles import Role
from config.checkpoints import published_file
from rest import throttles
from rest.scopes import STAFF, Scope
from tools.worker_services import DATABASE

pytest_plugins = ["tests.databases"]

PASSWORD = "correct horse battery"
PLAYER_SCOPES = [scope for scope in Scope if scope not in STAFF]
"""The scopes that every player may give to a token."""

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

# Nothing of Hypothesis is timed: a busy machine is no fault of the code.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
hypothesis_settings.register_profile("quick", max_examples=15, **UNTIMED)
hypothesis_settings.register_profile("thorough", max_examples=500, **UNTIMED)
hypothesis_settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    # Argon2 is slow on purpose, and the cast signs up in nearly every test.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.RACECARD_PLAY_CREDIT = 0  # balances are what a test deposits
    # A test replays within seconds what people look at for hours.
    settings.API_BUDGETS = dict.fromkeys(settings.API_BUDGETS, (2000, 6000, 60))
    if connection.vendor == "sqlite":
        # The test database outlives every process that a test kills, and no loss of power.
        settings.DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"
    expected = os.environ.get(DATABASE)
    if expected and expected != connection.vendor:
        raise pytest.UsageError(f"This run is for {expected}, but the settings have {connection.vendor}.")


@pytest.fixture
def quiet() -> Iterator[None]:
    """No log, for a test that makes thousands of refusals."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="session", autouse=True)
def one_process() -> Iterator[None]:
    """What an installation leaves to later or to other threads happens at once, in the process of the tests.

    Refused moves are stored without a thread; the tests of the writer undo this. A bot plays until another seat is to
    move, however long that takes: a job that yields would continue after the moment at which a test runs due jobs.
    WhiteNoise looks for the static files once instead of for each test client.
    """
    from games import tasks
    from games.evidence import refused

    find = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[tuple[str, ...], dict[str, Any]] = {}

    def once(self: WhiteNoiseMiddleware) -> None:
        key = (settings.STATIC_URL, *map(str, settings.STATICFILES_DIRS))
        if key not in found:
            find(self)
            found[key] = dict(self.files)
        self.files.update(found[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", once)
        patch.setattr(refused, "keep", lambda row: refused.write([row]))
        patch.setattr(tasks, "MOVES_AT_A_TIME", 100_000)
        patch.setattr(tasks, "TIME_AT_A_TIME", timedelta(hours=1))
        yield


@pytest.fixture(autouse=True)
def nothing_left_over() -> Iterator[None]:
    """Counters of the rate limits start at zero, and the file of checkpoints is as before the test.

    A checkpoint that a test has published would be missing from the database of the next one.
    """
    cache.clear()
    throttles.forget()
    file = published_file()
    before = file.read_bytes() if file.exists() else None
    yield
    cache.clear()
    if before is None:
        file.unlink(missing_ok=True)
    elif not file.exists() or file.read_bytes() != before:
        file.write_bytes(before)


def headers_of(response: Any) -> dict[str, str]:
    """The headers of a response that another response to the same request has too."""
    return {name: value for name, value in response.items() if name != "X-Request-ID"}


def person(username: str, *roles: Role) -> Player:
    """Sign up an account and give it roles as an administrator does."""
    player = services.sign_up(username=username, password=PASSWORD, now=NOW)
    if roles:
        services.set_roles(player=player, roles=frozenset(roles))
    return player


def known(username: str, *roles: Role, new: Callable[..., Player] = person) -> Player:
    """The account of that name among the rows that the test shares with others, else a new one."""
    from tests.databases import shared_rows  # a plugin, which pytest imports itself

    found = Player.objects.filter(username=username).first() if shared_rows.used else None
    return found or new(username, *roles)


@pytest.fixture
def player(db: None) -> Player:
    return known("ann")


@pytest.fixture
def rival(db: None) -> Player:
    return known("bob")


@pytest.fixture
def stranger(db: None) -> Player:
    return known("eve")


@pytest.fixture
def organizer(db: None) -> Player:
    return known("olga", Role.ORGANIZER)


@pytest.fixture
def auditor(db: None) -> Player:
    return known("audrey", Role.AUDITOR)


@pytest.fixture
def administrator(db: None) -> Player:
    return known("adam", Role.ADMINISTRATOR)


class Client(APIClient):
    """Sends JSON, and a fresh Idempotency-Key with every POST unless the test gives one (`key=""`: none)."""

    def post(self, path: str, data: Any = None, *args: Any, key: str | None = None, **kwargs: Any) -> Any:
        sent = str(uuid.uuid4()) if key is None else key
        if sent:
            kwargs["headers"] = {"Idempotency-Key": sent, **(kwargs.get("headers") or {})}
        return super().post(path, data, *args, **kwargs)


@pytest.fixture
def api() -> Callable[[Player | None], Client]:
    """`api(player)`: a client with the player's token; `api(None)`: one without a token."""

    def client(who: Player | None = None) -> Client:
        made = Client(raise_request_exception=False)
        if who is not None:
            made.credentials(HTTP_AUTHORIZATION=f"Bearer {services.issue_token(player=who)[1]}")
        return made

    return client
