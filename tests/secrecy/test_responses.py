"""Test that hidden data changes no byte of a response, for all games, operations, and roles."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from config.streams.reads import Source
from games import state
from tests.secrecy import forms
from tests.secrecy.staff import OF_GAMES, pages
from tests.secrecy.table import OPERATIONS, Line, games_of, line_of, request_data, requested_in_the_suite
from tests.secrecy.visits import (
    GAMES,
    OUTSIDE,
    SEATED,
    STAFF,
    Visit,
    courses,
    for_role,
    received,
    same,
    seat_of,
    warmed,
)
from tests.security.world import ANONYMOUS, World, operations

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet"), pytest.mark.slow]

EVERYBODY = (SEATED[:1], SEATED[1:2], SEATED[2:], OUTSIDE)
"""Roles in whose eyes the same cards are hidden, together."""
SOME = (SEATED[:1], OUTSIDE[:1])
ILLEGAL = 3
"""Moves of each game that are tried and refused over the API."""


def test_every_operation_is_listed() -> None:
    known = {f"{method} {name}" for method, name, _, _ in operations()}
    missing = sorted(known - set(OPERATIONS))
    assert not missing, (
        f"No line in tests/secrecy/table.py: {missing}. Add one: to OF_A_GAME where a game stands in the address "
        "(with the queries and bodies that matter), else to WITHOUT_A_GAME. Then what it answers is compared in worlds "
        "that differ in hidden cards."
    )
    assert sorted(set(OPERATIONS) - known) == [], "lines of operations that are gone"


@pytest.mark.long
def test_hidden_differences_change_no_response() -> None:
    _compare(random.Random(5), most=6, audiences=SOME)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(2))
def test_hidden_differences_change_no_response_in_many_worlds(seed: int) -> None:
    """Longer games, and every role, command of every game, and page. The short test uses a selection."""
    _compare(random.Random(seed), most=60, audiences=EVERYBODY, thorough=True)


def _compare(
    chance: random.Random, *, most: int, audiences: Sequence[Sequence[str]], thorough: bool = False
) -> None:
    world, here = World(), courses(chance, most=most)
    everyone = [role for roles in audiences for role in roles]

    def ask(visit: Visit) -> None:
        ask_for_everything(visit, thorough)

    warmed()
    base = received(world, here, ask, roles=everyone)
    for roles in audiences:
        there = for_role(roles[0], here, chance)
        assert any(there[rules].orders != here[rules].orders for rules in GAMES)
        other = received(world, there, ask, roles=roles)
        assert other, "nothing was asked"
        same({label: base[label] for label in other}, other)


def ask_for_everything(visit: Visit, thorough: bool) -> None:
    for role in visit.roles:
        state.cache.clear()  # of what other roles have asked: statements are compared, too
        for method, name, route, _ in operations():
            operation = f"{method} {name}"
            line, (of, body) = line_of(operation), request_data(operation)
            queries = line.queries if role == "auditor" else (*line.queries, *line.early)
            if "<uuid:game_id>" in route:
                paths = [
                    visit.world.address(route, game_id=rules)
                    for rules in games_of(operation, [*GAMES], thorough)
                ]
            elif thorough or requested_in_the_suite(operation):
                paths = [visit.world.address(route, **of)]
            else:
                continue
            for path in paths:
                for query in queries:
                    for number, sent in enumerate(_bodies(method, line, body)):
                        visit.undone(role, method, path + query, sent, key=f"{name}-{number}")
        _request_refusals(visit, role)
        if role in STAFF:
            found = pages(visit.world.ids, visit.world.ids["tournament_id"], list(GAMES.values()))
            for page in dict.fromkeys(found):  # a form that replaces Django's has its address
                if role == "auditor" and "/evidence/" in page:  # that is early access
                    continue
                if thorough or OF_GAMES.match(page):
                    visit.browse(role, page)
        if role != ANONYMOUS:
            for game in GAMES.values():
                visit.streamed(role, Source("game", game))


def _bodies(method: str, line: Line, usual: Mapping[str, Any]) -> list[Any]:
    if method == "get":
        return [None]
    bodies = [dict(body) for body in line.bodies]
    return bodies if usual in bodies else [*bodies, dict(usual)]


def _request_refusals(visit: Visit, role: str) -> None:
    if role == ANONYMOUS:
        return
    for rules, course in visit.courses.items():
        seat = seat_of(role, course)
        legal = visit.legal_moves(rules, seat)
        refused = [move for move in forms.moves(rules, course.seats) if move not in legal]
        for number, move in enumerate(random.Random(rules).sample(refused, min(ILLEGAL, len(refused)))):
            path = f"/api/v1/games/{GAMES[rules]}/moves/"
            visit.undone(role, "post", path, {"move": move}, key=f"refused-{number}")
