"""A tournament that takes entries, and one that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from tests import books
from tests.conftest import known
from tests.databases import shared
from tests.tournaments.playing import NOW, SEED, begin, terms
from tournaments import services
from tournaments.models import Tournament

Publish = Callable[..., Tournament]


@pytest.fixture
def published(organizer: Player) -> Publish:
    """`published(rounds=3, …)`: a tournament that takes entries, with a known seed."""

    return partial(publish, organizer)


def publish(organizer: Player, **changes: Any) -> Tournament:
    draft = services.create(organizer=organizer, terms=terms(**changes), now=NOW)
    return services.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)


@shared
def pair() -> Tournament:
    """A running tournament of one round and no fee, of cid and dan."""
    return begin(partial(publish, known("olga", Role.ORGANIZER)), rounds=1, fee=0)


@pytest.fixture(autouse=True)
def ledger_is_reconciled_with_tournaments(request: pytest.FixtureRequest) -> Iterator[None]:
    """After every test with a database, derive every balance from transfers, and these from tournaments."""
    yield from books.reconciled(request)
