"""Test that before entries close, no response to others depends on a client seed.

No entrant therefore knows the source of the lots while a client seed can still be chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest

from config.streams.reads import Source
from games.rules.fairness import CLIENT_SEED_LENGTH
from tests.secrecy import table
from tests.secrecy.staff import pages
from tests.secrecy.visits import AT, Visit, received, same
from tests.security.world import ANONYMOUS, World, operations
from tests.tournaments.playing import SEED, terms
from tournaments import record, services

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet"), pytest.mark.slow]

SOME = ("player", "organizer")
AUDIENCE = ("player", "stranger", ANONYMOUS, "organizer", "administrator", "auditor")
CLOSES_ENTRIES = "post tournament-start"


def entered(seed: str) -> Callable[[Visit], None]:
    """Return a full tournament in which all except the player use `seed`: rival, withdrawn entrant, waiting player."""

    def play(visit: Visit) -> None:
        people = visit.world.people
        of = terms(fee=0, prizes=(), capacity=2, waiting_list=2, seeding="lot")
        tournament = services.create(organizer=people["organizer"], terms=of, now=AT)
        at = {"tournament_id": tournament.pk, "now": AT}
        services.publish(actor=people["organizer"], seed=SEED, **at)
        services.enter(player=people["another organizer"], client_seed=seed, **at)
        services.withdraw(player=people["another organizer"], **at)
        services.enter(player=people["player"], client_seed="mine", **at)
        services.enter(player=people["rival"], client_seed=seed, **at)
        services.enter_or_wait(player=people["helper"], client_seed=seed, **at)
        visit.ids = {"tournament_id": tournament.pk}

    return play


def ask(visit: Visit, thorough: bool = False) -> None:
    """Send all requests. Only `make soak` orders and filters the lists of the staff pages."""
    world, ids = visit.world, dict(visit.world.ids)
    world.ids |= visit.ids
    tournament = visit.ids["tournament_id"]
    try:
        for role in visit.roles:
            for method, name, route, _ in operations():
                if "tournament_id" not in route and name != "tournaments":
                    continue
                operation = f"{method} {name}"
                if operation == CLOSES_ENTRIES:
                    continue
                body = None if method == "get" else dict(table.request_data(operation)[1])
                for query in table.line_of(operation).queries:
                    visit.undone(role, method, world.address(route) + query, body)
            if role != ANONYMOUS:
                visit.streamed(role, Source(record.KIND, tournament))
            if role in ("organizer", "administrator"):
                for page in dict.fromkeys(pages(world.ids, tournament, ())):
                    if re.search("/tournament", page) and (thorough or "?" not in page):
                        visit.browse(role, page)
    finally:
        world.ids.clear()
        world.ids |= ids


def _compare(world: World, *seeds: str, roles: tuple[str, ...], thorough: bool = False) -> None:
    requested = partial(ask, thorough=thorough)
    same(*[received(world, {}, requested, roles=roles, play=entered(seed)) for seed in seeds])


def test_client_seed_changes_no_response_to_others(world: World) -> None:
    _compare(world, "", "x" * CLIENT_SEED_LENGTH, roles=SOME)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_client_seed_changes_no_response_to_anyone(world: World) -> None:
    """Compares the responses to all roles."""
    _compare(world, "é", "another", roles=AUDIENCE, thorough=True)
