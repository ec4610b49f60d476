"""While several tables play one deal, a table learns nothing about the others: neither moves nor their number
nor its disputes.

This includes players who have finished, the organizer, and administrators; standings show scores of closed rounds.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

import pytest

from accounts.models import Player
from accounts.roles import Role
from disputes import services as disputes
from disputes.rulings import services as rulings
from disputes.rulings.services import Decision
from games import services as games
from games import state
from games.rules.fairness import tournament_server_seed
from tests.conftest import person
from tests.due_jobs import run_due
from tests.secrecy.staff import OF_GAMES, pages
from tests.secrecy.table import games_of as games_asked
from tests.secrecy.table import line_of, request_data, requested_in_the_suite
from tests.secrecy.visits import AT, LOTS, Visit, received, same
from tests.secrecy.worlds import Course, Step, other_world, played
from tests.security.world import ANONYMOUS, World, operations
from tests.tournaments.playing import SEED, enter, games_of, terms
from tournaments import services

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet"), pytest.mark.slow]

AUDIENCE = ("player", "stranger", ANONYMOUS, "organizer", "administrator")
"""The first has played the deal to its end, all others have no part in it."""
SOME = ("player", "administrator")
DEAL = Course("vegas-solitaire", {"draw": 3, "stake": 0}, 1, tournament_server_seed(SEED, round=1, deal=1))
COLLECT = Step(0, {"type": "collect"})
GAMES = ("own", "ended", "others")
DISPUTES = ("dispute ended", "dispute others")
Play = Callable[[Visit], None]


def held(course: Course, rivals: Sequence[Step], others: Sequence[Step]) -> Play:
    """A duplicate in which the player plays a course and collects, the rival makes other moves and collects too, and a
    third plays on."""

    def play(visit: Visit) -> None:
        people = visit.world.people
        draft = services.create(organizer=people["organizer"], terms=terms(fee=0, prizes=()), now=AT)
        services.publish(tournament_id=draft.pk, actor=people["organizer"], now=AT, seed=SEED)
        entered = [people[role] for role in ("player", "rival", "helper")]
        enter(draft, *entered)
        services.start(tournament_id=draft.pk, actor=people["organizer"], now=AT)
        run_due(AT)
        of = {one.table.seats.get().entry.player: one.game for one in games_of(draft, 1)}
        ended = [*course.steps, COLLECT], [*rivals, COLLECT], others
        for who, steps in zip(entered, ended, strict=True):
            for step in steps:
                games.play(game_id=of[who], player=who, move=step.move, now=AT)
        run_due(AT)
        own, rival, third = entered
        visit.ids = {"tournament_id": draft.pk, "own": of[own], "ended": of[rival], "others": of[third]}
        dispute_both(visit, rival, third)
        visit.now = AT + timedelta(minutes=2)

    return play


def dispute_both(visit: Visit, rival: Player, third: Player) -> None:
    """Dispute both games with claims that name their last events. Rule on one; suspend the other and pin its events."""
    LOTS.seed("disputes")
    auditor = person("alma", Role.AUDITOR)
    for name, who in (("ended", rival), ("others", third)):
        version = state.load(visit.ids[name])[0].version
        claim = f"event {version} is wrong"
        opened = disputes.open_dispute(
            game_id=visit.ids[name], actor=who, version=version, claim=claim, now=AT
        )
        disputes.pin(dispute_id=opened.pk, actor=auditor, version=version, note=claim, now=AT)
        visit.ids[f"dispute {name}"] = opened.pk
    disputes.suspend(dispute_id=opened.pk, actor=auditor, reason=claim, now=AT)
    decision = Decision(finding="rejected", remedy="dismissed", reason=claim, terms={})
    ruled = visit.ids["dispute ended"]
    shown = rulings.preview(dispute_id=ruled, decision=decision, actor=auditor, now=AT)
    LOTS.seed("ruling")
    rulings.rule(dispute_id=ruled, decision=decision, token=shown.token, actor=auditor, now=AT)


def ask(visit: Visit, thorough: bool = False) -> None:
    """Send all requests about the games of others. In the suite, each command and page is requested for one game."""
    games = GAMES if thorough else GAMES[1:]
    world, ids = visit.world, dict(visit.world.ids)
    world.ids |= visit.ids
    try:
        for role in visit.roles:
            for method, name, route, _ in operations():
                operation = f"{method} {name}"
                if "game_id" in route:
                    paths = [
                        world.address(route, game_id=game) for game in games_asked(operation, games, thorough)
                    ]
                elif not (thorough or requested_in_the_suite(operation)):
                    continue
                elif "dispute_id>" in route:
                    paths = [world.address(route, dispute_id=each) for each in DISPUTES]
                elif "tournament" in route or name in ("games", "tournaments", "disputes"):
                    paths = [world.address(route)]
                else:
                    continue
                line, (_, body) = line_of(operation), request_data(operation)
                for path in paths:
                    for query in (*line.queries, *line.early):
                        visit.undone(role, method, path + query, None if method == "get" else dict(body))
            if role in ("organizer", "administrator"):
                looked = []
                for each in DISPUTES if thorough else DISPUTES[1:]:
                    known = {**world.ids, "dispute_id": visit.ids[each]}
                    of_games = [visit.ids[game] for game in (GAMES if thorough else GAMES[2:])]
                    of_all = pages(known, visit.ids["tournament_id"], of_games)
                    looked += [page for page in of_all if _is_asked(page, thorough)]
                for game in GAMES:
                    address = f"/admin/games/gamerecord/{visit.ids[game]}/"
                    looked += [f"{address}change/", f"{address}verify/"]
                for page in dict.fromkeys(looked):
                    visit.browse(role, page)
    finally:
        world.ids.clear()
        world.ids |= ids


def _is_asked(page: str, thorough: bool) -> bool:
    """Return whether to request a page. In the suite, only the list of games is ordered and filtered."""
    in_every_way = thorough or "?" not in page or OF_GAMES.match(page) is not None
    return in_every_way and re.search("/(tournament|games/|jobs/|dispute)", page) is not None


def some_moves(course: Course, seed: int, *, most: int) -> tuple[Step, ...]:
    """Return other moves with the same deal."""
    base = Course(course.rules, course.config, course.seats, course.seed, course.orders)
    return played(base, random.Random(seed), most=most).steps


def _compare(world: World, seed: int, *, most: int, roles: Sequence[str], thorough: bool = False) -> None:
    """Compare worlds with other face-down cards, and other moves of the other players in another number."""
    here = played(DEAL, random.Random(seed), most=most)
    there = other_world(here, 0, random.Random(seed))
    assert there.orders != here.orders
    result = [
        received(
            world,
            {"vegas-solitaire": course},
            partial(ask, thorough=thorough),
            roles=roles,
            play=held(course, some_moves(course, 1, most=few), some_moves(course, 2, most=many)),
        )
        for course, few, many in ((here, 2, 9), (there, 11, 4))
    ]
    same(*result)


@pytest.mark.long
def test_shared_deal_is_hidden_from_other_tables(world: World) -> None:
    _compare(world, 3, most=6, roles=SOME)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(3))
def test_shared_deal_is_hidden_from_everyone(world: World, seed: int) -> None:
    """Compares the responses to all roles, in longer games than the short test."""
    _compare(world, seed, most=30, roles=AUDIENCE, thorough=True)
