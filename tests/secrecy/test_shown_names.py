"""Test that the name of an anonymous entrant changes no response to others (docs/api.md, Names)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from accounts.models import NameShown, Player
from accounts.services import change_profile
from config.streams.reads import Source
from core.errors import NotFound
from ledger.services import Terms as MarketTerms
from tests.conftest import person
from tests.due_jobs import run_due
from tests.secrecy import table
from tests.secrecy.visits import AT, Received, Visit, received, same
from tests.security.world import ANONYMOUS, World, address, operations
from tests.tournaments.playing import SEED, games_of, terms
from tournaments import record, services
from tournaments.betting import outrights
from tournaments.models import Rating, Status, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]

NAMES = ("Zoe Example", "Yan Specimen-Smith")
OPPONENT, STRANGER, RUNS_IT = "player", "another organizer", "organizer"

KNOCKOUT = {
    "format": "knockout",
    "rules": "ace-race",
    "config": {},
    "rounds": 0,
    "seats": 2,
    "sizes": (2,),
    "capacity": 2,
    "fee": 0,
    "prizes": (),
}
LATER = AT + timedelta(seconds=600)
"""The end of the first round of the finished tournament, when the others begin."""


def entered(name: str) -> Callable[[Visit], None]:
    """Return how a player called `name` plays, has played, and waits in three tournaments, anonymously in all."""

    def play(visit: Visit) -> None:
        people, hidden = visit.world.people, person("zed")
        change_profile(player=hidden, display_name=name)

        finished = _published(people, hidden, people["player"])
        _start(finished)
        run_due(LATER)
        finished.refresh_from_db()
        assert finished.status == Status.FINISHED
        assert Rating.objects.filter(player=hidden).exists()

        visit.now = LATER
        running = _published(people, hidden, people["player"], at=LATER, with_market=True)
        _start(running, at=LATER)
        full = _published(people, people["player"], people["rival"], at=LATER, waiting_list=1)
        services.enter_or_wait(
            tournament_id=full.pk, player=hidden, client_seed="mine", shown_as=NameShown.ANONYMOUS, now=LATER
        )
        visit.ids = {
            "player_id": hidden.pk,
            "places": [
                (one.pk, next((each.game for each in games_of(one, 1)), None))
                for one in (finished, running, full)
            ],
        }

    return play


def _published(
    people: Any, *entrants: Player, at: datetime = AT, with_market: bool = False, **changes: Any
) -> Tournament:
    made = services.create(organizer=people[RUNS_IT], terms=terms(**{**KNOCKOUT, **changes}), now=at)
    services.publish(tournament_id=made.pk, actor=people[RUNS_IT], seed=SEED, now=at)
    if with_market:
        outrights.open_market(tournament_id=made.pk, terms=MarketTerms(), opened_by="player:adam", now=at)
    for entrant in entrants:
        shown = NameShown.ANONYMOUS if entrant.username == "zed" else NameShown.MEMBERS
        services.enter(tournament_id=made.pk, player=entrant, client_seed="mine", shown_as=shown, now=at)
    return made


def _start(tournament: Tournament, at: datetime = AT) -> None:
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=at)
    run_due(at)


def ask(visit: Visit, thorough: bool = False) -> None:
    """Send the GETs on the tournaments, their tables, and the player. Only `make soak` also sends commands and the
    requests of the stranger.
    """
    places: list[tuple[UUID, UUID | None]] = visit.ids["places"]
    known = {**visit.world.ids, "player_id": visit.ids["player_id"]}
    paths = dict.fromkeys(_paths(known, places, thorough))
    running = {**known, "tournament_id": places[1][0]}
    visit.undone(RUNS_IT, "get", address("api/v1/tournaments/<uuid:tournament_id>/standings/", running))
    for method, name, route, _ in operations() if thorough else ():
        if method != "get" and "tournament_id" in route:
            body = dict(table.request_data(f"{method} {name}")[1])
            visit.undone(OPPONENT, method, address(route, running), body)
    for role in visit.roles:
        if role in (RUNS_IT, ANONYMOUS):
            continue
        for path in paths:
            visit.undone(role, "get", path)
        for tournament, game in places:
            visit.streamed(role, Source(record.KIND, tournament))
            if game is not None:
                with suppress(NotFound):  # to others the game is hidden while it is played
                    visit.streamed(role, Source("game", game))
    for tournament, _ in places:
        for kind in ("standings", "bracket"):
            visit.browse(ANONYMOUS, f"/embed/tournaments/{tournament}/{kind}/")


def _paths(known: dict[str, Any], places: list[tuple[UUID, UUID | None]], thorough: bool) -> Iterator[str]:
    for tournament, game in places:
        ids = {**known, "tournament_id": tournament, "game_id": game}
        for method, name, route, _ in operations():
            of_game = "game_id>" in route
            if method != "get" or (of_game and game is None):
                continue
            if of_game or "tournament_id>" in route or "player_id>" in route:
                line = table.line_of(f"get {name}")
                queries = (*line.queries, *line.early) if thorough else line.queries[:1]
                yield from (address(route, ids) + query for query in queries)
        yield from (f"/api/v1/tournaments/{tournament}/entries/?search={text}" for text in (NAMES[0], "zed"))
        yield f"/api/v1/games/?tournament={tournament}"
    yield from ("/api/v1/ratings/?rules=ace-race", "/api/v1/changes/", "/api/v1/tournaments/")


def _of(role: str, found: Received) -> Received:
    return {label: what for label, what in found.items() if label.startswith(f"{role} ")}


def _compare(world: World, roles: tuple[str, ...], thorough: bool = False) -> None:
    requested = partial(ask, thorough=thorough)
    one, other = (received(world, {}, requested, roles=roles, play=entered(name)) for name in NAMES)
    for role in roles:
        assert _of(role, one), "nothing was asked"
        if role == RUNS_IT:
            assert NAMES[0] in repr(_of(role, one).values())
        else:
            same(_of(role, one), _of(role, other))


def test_the_name_of_an_anonymous_entrant_changes_no_response_to_an_opponent(world: World) -> None:
    _compare(world, (OPPONENT, RUNS_IT, ANONYMOUS))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_the_name_of_an_anonymous_entrant_changes_no_response_to_others(world: World) -> None:
    """Sends every operation, with all its queries, and compares what a stranger receives as well."""
    _compare(world, (OPPONENT, STRANGER, RUNS_IT, ANONYMOUS), thorough=True)
