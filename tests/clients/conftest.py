"""A running server in both run modes, and players of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.browser.relay import Relay, relay
from tests.installation import Installation, Process, installation, until
from tools import python_client

python_client.generate()  # before the test modules import it; at most once for each state of docs/openapi.json

from racecard_client import Client, Retry, answered  # noqa: E402
from racecard_client.rest.api.players import players_create  # noqa: E402
from racecard_client.rest.models import SignUpInputRequest  # noqa: E402

PASSWORD = "a horse on the stairs"
QUICK = Retry(first_wait=0.05, longest_wait=5.0)
SCOPES = ("read", "play", "enter", "wallet", "account")
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """`racecard serve` on SQLite; on PostgreSQL and Valkey the processes that a service manager starts."""
    with installation(Installation(tmp_path_factory.mktemp("clients"))) as place:
        place.migrate()
        if place.has_pool:
            place.start_ticker()
            place.start_worker()
            place.serve_web()
        else:
            served = place.start("serve", "manage.py", "serve", kind=Process)
            until(lambda: "serving at" in served.said(), "it serves")
        yield place


def player(address: str, scopes: tuple[str, ...] = SCOPES) -> Client:
    """A client with a token of a new player."""
    name = f"ann{next(_numbers)}"
    with Client(address) as guest:
        body = SignUpInputRequest(username=name, password=PASSWORD)
        answered(players_create.sync(client=guest.rest, body=body))
    return Client.sign_in(address, name, PASSWORD, scopes, retry=QUICK)


@pytest.fixture
def client(server: Installation) -> Iterator[Client]:
    with player(server.address) as client:
        yield client


@pytest.fixture
def wire(server: Installation) -> Iterator[Relay]:
    with relay(server.address) as wire:
        yield wire


@pytest.fixture
def relayed(client: Client, wire: Relay) -> Iterator[Client]:
    """The client's token, through a relay."""
    authorization = client.rest.token
    with Client(wire.address, authorization, retry=QUICK) as relayed:
        yield relayed
