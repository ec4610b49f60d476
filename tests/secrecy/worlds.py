"""Pairs of worlds: two deals of one game that are equal in everything that an audience has been shown.

A course is a played game: the orders of its shuffled cards, and its steps. Another world for an audience (a seat, or
None for all without a seat) is derived from it. Every card that the audience does not see after a shuffle is exchanged
with others of the same shuffle, and the steps of other seats use the cards in their places. Both worlds agree in every
fact that the rulebook has made public so far, including `settled`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.rules import Fact, GameKey, Refused
from games.rules import get as get_rules
from games.rules import table as tables
from games.rules.cards import TEXT as ONE_PACK
from games.rules.idle_aces.position import TEXT as TWO_PACKS
from games.rules.protocol import Move
from games.rules.racing_demons.position import TEXT as EIGHT_PACKS
from games.rules.table import Table

Audience = int | None
Orders = dict[str, tuple[int, ...]]
"""By label, the cards of a shuffle: the last is the top."""

TEXTS = {
    "racing-aces": ONE_PACK,
    "vegas-solitaire": ONE_PACK,
    "idle-aces": TWO_PACKS,
    "ace-race": ONE_PACK,
    "racing-demons": EIGHT_PACKS,
}
ENDINGS = ("collect", "resign")
"""Moves that would open everything."""
TRIES = 12
"""Pairs of cards that are exchanged one by one, where exchanging all at once would change what has settled."""


@dataclass(frozen=True, slots=True)
class Step:
    seat: int | None
    move: Move | None
    """None: the server plays for who is to act."""


@dataclass(frozen=True, slots=True)
class Course:
    rules: str
    config: dict[str, Any]
    seats: int
    seed: bytes
    """The server seed, which distinguishes the games of one world."""
    orders: Orders = field(default_factory=dict)
    steps: tuple[Step, ...] = ()


class Key(GameKey):
    """A key that shuffles in the given orders, and records further ones."""

    __slots__ = ("given_orders", "made")

    def __init__(self, seed: bytes, seats: int, given: Orders) -> None:
        super().__init__(seed, [""] * seats)
        self.given_orders, self.made = given, dict[str, tuple[int, ...]]()

    def shuffle(self, cards: Sequence[Any], label: str) -> list[Any]:
        if label in self.given_orders:
            assert sorted(self.given_orders[label]) == sorted(cards), f"{label} is of other cards"
            self.made[label] = self.given_orders[label]
        else:
            self.made[label] = tuple(super().shuffle(cards, label))
        return list(self.made[label])


@dataclass(slots=True)
class Stage:
    """A game after its deal or after a step: its table, and the events that were appended last."""

    table: Table
    facts: tuple[Fact, ...]
    shuffled: tuple[str, ...]
    """The labels of the shuffles that the facts stand for."""


def opened(course: Course) -> Table:
    game = get_rules(course.rules)
    created = tables.create(game, game.parse_config(course.config), commitment="0" * 64)
    table = _after(None, [created])
    for seat in range(course.seats):
        table = _after(table, [tables.seat(table, seat, player=f"p{seat}", seed="")])
    return table


def _after(table: Table | None, facts: Sequence[Fact]) -> Table:
    for fact in facts:
        table = tables.evolve(table, fact.type, fact.seat, fact.data, fact.private)
    assert table is not None
    return table


def unfolded(course: Course) -> Iterator[Stage]:
    """Return the stages of the deal and of every step. Raises Refused if a step is illegal."""
    key = Key(course.seed, course.seats, course.orders)
    table = opened(course)
    dealt = tables.deal(table, key)
    table = _after(table, [dealt])
    known = set(key.made)
    yield Stage(table, (dealt,), tuple(known))
    for step in course.steps:
        facts = _made(table, step, key)
        table = _after(table, facts)
        yield Stage(table, facts, tuple(key.made.keys() - known))
        known = set(key.made)


def _made(table: Table, step: Step, key: GameKey) -> tuple[Fact, ...]:
    if step.move is None:
        return tables.expire(table, step.seat, key)
    return tables.decide(table, step.seat, step.move, key)


def played(course: Course, rng: random.Random, *, most: int, absent: float = 0.05) -> Course:
    """Return the course with up to `most` random steps, none of which ends the game."""
    key = Key(course.seed, course.seats, {})
    table = opened(course)
    table = _after(table, [tables.deal(table, key)])
    steps: list[Step] = []
    may_be_absent = course.rules == "ace-race" or course.config.get("pace") == "turns"
    for _ in range(most):
        before = dict(key.made)
        step = _some_step(table, rng, absent=absent if may_be_absent else 0)
        if step is None:
            break
        following = _after(table, _made(table, step, key))
        if following.ended:
            key.made = before
            break
        table, steps = following, [*steps, step]
    return Course(course.rules, course.config, course.seats, course.seed, key.made, tuple(steps))


def _some_step(table: Table, rng: random.Random, *, absent: float) -> Step | None:
    waiting = table.to_act()
    seat = rng.choice(waiting) if waiting else None
    if absent and rng.random() < absent:
        return Step(seat, None)
    moves = [move for move in table.legal_moves(seat) if move["type"] not in ENDINGS]
    # One move of each kind, because there may be a hundred ways to give and only one to draw.
    kinds = sorted({move["type"] for move in moves} - {"stuck"} or {move["type"] for move in moves})
    if not kinds:
        return None
    kind = rng.choice(kinds)
    return Step(seat, rng.choice([move for move in moves if move["type"] == kind]))


# --- visible data --------------------------------------------------------------------------------------


def shown(stage: Stage, audience: Audience) -> dict[str, Any]:
    """Return all output of the rules for an audience at a stage."""
    table = stage.table
    return {
        "view": table.view(audience),
        "legal_moves": [] if audience is None else table.legal_moves(audience),
        "to_act": table.to_act(),
        "outcome": table.outcome,
        "events": [_redacted(table, fact, audience) for fact in stage.facts],
    }


def _redacted(table: Table, fact: Fact, audience: Audience) -> dict[str, Any]:
    sealed = fact.private is not None
    private = table.game.redact_private(fact, audience) if sealed else None
    return {"type": fact.type, "seat": fact.seat, "data": fact.data, "private": private, "sealed": sealed}


def cards_in(document: Any, texts: frozenset[str]) -> set[str]:
    if isinstance(document, dict):
        return {card for value in document.values() for card in cards_in(value, texts)}
    if isinstance(document, list | tuple):
        return {card for value in document for card in cards_in(value, texts)}
    return {document} if isinstance(document, str) and document in texts else set()


# --- other worlds --------------------------------------------------------------------------------------


def other_world(course: Course, audience: Audience, rng: random.Random) -> Course:
    """Return a world that the audience cannot distinguish from this one, or this one if nothing is hidden from it."""
    other = _exchanged(course, audience, rng)
    if _settles_alike(course, other):
        return other
    other = course
    for _ in range(TRIES):
        tried = _exchanged(other, audience, rng, most=2)
        if _settles_alike(course, tried):
            other = tried
    return other


def _exchanged(course: Course, audience: Audience, rng: random.Random, most: int | None = None) -> Course:
    """Exchange `most` cards of each shuffle, by default as many as possible."""
    text = TEXTS[course.rules]
    number = {name: card for card, name in enumerate(text)}
    stages = list(unfolded(course))
    seen = _seen_from(stages, audience, frozenset(text))
    orders: Orders = {}
    steps: list[Step] = []
    swap: dict[int, int] = {}
    for place, stage in enumerate(stages):
        if place:
            step = course.steps[place - 1]
            steps.append(Step(step.seat, _renamed(step.move, swap, text, number)))
        for label in sorted(stage.shuffled):
            order = course.orders[label]
            hidden = [card for card in order if text[card] not in seen[place]]
            moved = rng.sample(hidden, len(hidden) if most is None else min(most, len(hidden)))
            turned = [swap.get(card, card) for card in moved]
            swap |= dict(zip(moved, turned[1:] + turned[:1], strict=True))
            orders[label] = tuple(swap.get(card, card) for card in order)
    return Course(course.rules, course.config, course.seats, course.seed, orders, tuple(steps))


def _seen_from(stages: list[Stage], audience: Audience, texts: frozenset[str]) -> list[set[str]]:
    """Return by stage the cards that the audience is shown then or later."""
    later: set[str] = set()
    found: list[set[str]] = []
    for stage in reversed(stages):
        later = later | cards_in(shown(stage, audience), texts)
        found.append(later)
    return found[::-1]


def _renamed(document: Any, swap: dict[int, int], text: Sequence[str], number: dict[str, int]) -> Any:
    if isinstance(document, dict):
        return {key: _renamed(value, swap, text, number) for key, value in document.items()}
    if isinstance(document, list):
        return [_renamed(value, swap, text, number) for value in document]
    if isinstance(document, str) and document in number:
        return text[swap.get(number[document], number[document])]
    return document


def _settles_alike(course: Course, other: Course) -> bool:
    """Return whether the server's marks, burns, and ends are equal in both."""
    if course.rules != "racing-demons":
        return True
    try:
        return _settled(course) == _settled(other)
    except Refused:
        return False


def _settled(course: Course) -> list[Any]:
    return [
        (fact.type, fact.data.get("facts", {}).get("settled"))
        for stage in unfolded(course)
        for fact in stage.facts
    ]
