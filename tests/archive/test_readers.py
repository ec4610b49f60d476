"""Every reader of an archived game receives the same bytes as before, and the same after a restore."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from eventstore import store
from eventstore.models import ArchivedStream, Event
from games import archive
from tests.archive.conftest import addresses, archived, forget, sign
from tests.conftest import headers_of
from tests.games.test_every_game_over_rest import SIZES, Played

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

HIDDEN = "ace-race"
"""A game with cards that only one seat sees: what readers receive of it differs most."""


TIME_OF_THE_ANSWER = re.compile(rb'"(now|verified_at)":"[^"]+"')


@pytest.fixture
def readers(
    api: Any,
    player: Player,
    rival: Player,
    stranger: Player,
    organizer: Player,
    auditor: Player,
    administrator: Player,
) -> Mapping[str, Any]:
    people = {
        "player": player,
        "rival": rival,
        "stranger": stranger,
        "organizer": organizer,
        "auditor": auditor,
        "administrator": administrator,
        "nobody": None,
    }
    return {name: api(person) for name, person in people.items()}


def received(readers: Mapping[str, Any], game: Played, last: int) -> dict[tuple[str, str], Any]:
    """Return status, headers, and bytes of every address for every reader; 304 for the ETag that it gave."""
    found = {}
    for name, client in readers.items():
        for address in addresses(game, last):
            answer = client.get(address)
            again = client.get(address, HTTP_IF_NONE_MATCH=answer["ETag"]) if "ETag" in answer else None
            found[name, address] = (
                answer.status_code,
                headers_of(answer),
                TIME_OF_THE_ANSWER.sub(b"", b"".join(answer) if answer.streaming else answer.content),
                again and again.status_code,
            )
    return found


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=() if slug == HIDDEN else pytest.mark.nightly) for slug in SIZES]
)
def test_readers_receive_the_same_bytes_before_and_after(
    play: Callable[[str], Played], readers: Mapping[str, Any], later: datetime, slug: str
) -> None:
    game = play(slug)
    play("racing-aces")
    sign()
    last = store.head(game.id).version
    forget()
    before = received(readers, game, last)
    assert before["player", game.path][0] == 200
    assert {answer[3] for answer in before.values()} >= {304}

    archived(later)

    assert ArchivedStream.objects.filter(stream=game.id).exists()
    assert not Event.objects.filter(stream=game.id).exists()
    assert received(readers, game, last) == before

    archive.restore(game_id=game.id, now=later)
    forget()

    assert Event.objects.filter(stream=game.id).count() == last
    assert received(readers, game, last) == before


def test_an_archived_game_costs_few_statements(finished: Played, later: datetime) -> None:
    addresses = [
        f"{finished.path}{rest}" for rest in ("", "events/", "bundle/", "replay/?at=3", "recording/")
    ]
    before = {address: statements(finished, address) for address in addresses}
    archived(later)
    for address, number in before.items():
        assert statements(finished, address) <= number + 3, address


def statements(game: Played, address: str) -> int:
    """Return the number of statements of a request by a process that has read the game from nowhere yet."""
    forget()
    with CaptureQueriesContext(connection) as queries:
        assert game.owner.get(address).status_code == 200
    return len(queries)
