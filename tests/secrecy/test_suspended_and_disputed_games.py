"""Test that suspended, disputed, and continued games reveal nothing hidden."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from games import state
from games.access import deal_in_play
from games.models import GameRecord
from tests.secrecy import suspended
from tests.secrecy.suspended import PAUSE
from tests.secrecy.visits import AT, GAMES, OUTSIDE, SEATED, Courses, Visit, courses, for_role, received, same
from tests.secrecy.worlds import Course
from tests.security.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet"), pytest.mark.slow]

FEW = ("ace-race", "vegas-solitaire")
"""The games of the suite: one with hands that others do not see, one alone against the pack. The soak plays all."""
AUDIENCES = (SEATED[:1], SEATED[1:2], SEATED[2:], OUTSIDE)
Ask = Callable[[Visit], None]


def some_of(rules: Sequence[str], chance: random.Random, most: int) -> dict[str, Course]:
    played = courses(chance, most=most)
    return {each: played[each] for each in rules}


def split(of: Courses) -> tuple[dict[str, Course], dict[str, Course]]:
    """Split each course into its first half and the remaining steps."""
    halves = {rules: len(course.steps) // 2 for rules, course in of.items()}
    before = {rules: replace(course, steps=course.steps[: halves[rules]]) for rules, course in of.items()}
    after = {rules: replace(course, steps=course.steps[halves[rules] :]) for rules, course in of.items()}
    return before, after


def suspend_and_continue(of: Courses) -> Ask:
    """Play to the middle, dispute, suspend, continue, and play to the end of the course."""
    before, after = split(of)

    def play(visit: Visit) -> None:
        visit.courses = before
        visit.play()
        suspended.disputed(visit)
        for rules, course in after.items():
            reason = suspended.words_of(visit, rules)
            child = suspended.continue_game(visit, rules, state.load(GAMES[rules])[0].version, reason)
            visit.go_through(rules, child, course, now=AT + PAUSE)
        visit.now = AT + 2 * PAUSE

    return play


def only_suspend(visit: Visit) -> None:
    visit.play()
    suspended.disputed(visit)


def test_suspended_game_reveals_nothing_to_seats(world: World) -> None:
    """What others receive of a continued game is covered by the tests of moves below."""
    _compare_cards(world, random.Random(6), False, most=6, audiences=[SEATED[:1]], rules=FEW)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("continued", [False, True], ids=["suspended", "continued"])
@pytest.mark.parametrize("seed", range(2))
def test_suspended_game_reveals_nothing_to_anyone(world: World, continued: bool, seed: int) -> None:
    """All games and all roles, in longer games than the short test."""
    chance, rules = random.Random(seed), tuple(GAMES)
    _compare_cards(world, chance, continued, most=40, audiences=AUDIENCES, rules=rules, thorough=True)


def _compare_cards(
    world: World,
    chance: random.Random,
    continued: bool,
    *,
    most: int,
    audiences: Sequence[Sequence[str]],
    rules: Sequence[str],
    thorough: bool = False,
) -> None:
    """Compare worlds that differ in hidden cards, and in the claims, notes, and reasons."""
    here, ask = some_of(rules, chance, most), partial(suspended.ask, thorough=thorough)
    for roles in audiences:
        there = for_role(roles[0], here, chance)
        assert any(there[each].orders != here[each].orders for each in rules)
        one, other = (
            received(
                world, of, ask, roles=roles, play=suspend_and_continue(of) if continued else only_suspend
            )
            for of in (here, there)
        )
        assert one
        same(one, other)


def continue_differently(seed: int, moves: int, back: int) -> Ask:
    """Continue from an earlier version or the last one, with other moves, in another number, and at other times."""

    def play(visit: Visit) -> None:
        visit.play()
        suspended.disputed(visit)
        for rules, course in visit.courses.items():
            from_these = [*suspended.versions(GAMES[rules])]
            version = from_these[min(back, len(from_these) - 1)]
            child = suspended.continue_game(visit, rules, version, f"from {version}")
            suspended.played_on(visit, child, course, seed, moves, now=AT + (1 + back) * PAUSE)
            assert deal_in_play(GameRecord.objects.get(pk=GAMES[rules]))
        visit.now = AT + 9 * PAUSE

    return play


def test_continued_game_is_visible_to_its_seats_only(world: World) -> None:
    _compare_moves(world, random.Random(7), most=5, roles=("administrator", "stranger"), rules=FEW[:1])


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2))
def test_continued_game_is_hidden_from_everyone_else(world: World, seed: int) -> None:
    """All games and all roles outside, in longer games than the short test. Auditors have recorded early access."""
    roles = [role for role in OUTSIDE if role != "auditor"]
    _compare_moves(world, random.Random(seed), most=30, roles=roles, rules=tuple(GAMES), thorough=True)


def _compare_moves(
    world: World,
    chance: random.Random,
    *,
    most: int,
    roles: Sequence[str],
    rules: Sequence[str],
    thorough: bool = False,
) -> None:
    here, ask = some_of(rules, chance, most), partial(suspended.ask, thorough=thorough)
    there = for_role(roles[0], here, chance)
    one, other = (
        received(world, of, ask, roles=roles, play=play)
        for of, play in ((here, continue_differently(1, 2, 0)), (there, continue_differently(2, 5, 1)))
    )
    assert one
    same(one, other)
