"""Play all five games in several worlds, and record everything that is received.

A world is played through the API in a transaction that is rolled back. Its clock does not move, random values are the
same each time, packs are shuffled as its courses say, and a seal depends on its place only: a real one is an
HMAC under a secret key, of equal length for every card. So the data received in two worlds can be compared byte by
byte, the hashes over the seals and the receipts included.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client as Browser
from django.utils import timezone

from accounts import authentication
from accounts.models import Player
from config.streams.application import Page, Source, StreamRequest, _Stream
from eventstore import store
from games import context, services, state, turns
from games.rules import GameKey
from rest import throttles
from tests.conftest import headers_of
from tests.databases import sequences_restored
from tests.secrecy.worlds import Audience, Course, other_world, played
from tests.security.world import ANONYMOUS, World
from tournaments import embeds, record

AT = datetime.now(UTC).replace(microsecond=0)

SEATED = ("player", "rival", "another organizer")
"""The roles that sit in seats 0, 1 and 2, as far as a game has them; the first opens all the tables."""
OUTSIDE = ("administrator", "stranger", ANONYMOUS, "organizer", "auditor")
"""The roles without a seat. The auditor has no early access."""

STAFF = ("administrator", "organizer", "auditor", "superuser")
"""The roles that open staff pages."""

CONFIGS: dict[str, tuple[dict[str, Any], int]] = {
    "racing-aces": ({"burn": 5, "cards_per_draw": 2, "finish_line": 13}, 3),
    "vegas-solitaire": ({"draw": 1, "stake": 0}, 1),
    "idle-aces": ({}, 1),
    "ace-race": ({"previous_winner": 1}, 3),
    "racing-demons": ({"pace": "turns"}, 3),
}
GAMES = {rules: UUID(int=0xCAFE0000 + number, version=4) for number, rules in enumerate(CONFIGS)}

LOTS = random.Random(1)
"""Replaces the machine's random numbers: those of a request do not depend on earlier requests."""

Courses = Mapping[str, Course]
Received = dict[str, tuple[Any, ...]]
"""By request: status, headers, body, and SQL statements."""
Ask = Callable[["Visit"], None]


def courses(chance: random.Random, *, most: int) -> dict[str, Course]:
    """Return one course of each game."""
    return {
        rules: played(
            Course(rules, config, seats, hashlib.sha256(rules.encode()).digest()), chance, most=most
        )
        for rules, (config, seats) in CONFIGS.items()
    }


def for_role(role: str, of: Courses, chance: random.Random) -> dict[str, Course]:
    """Return the games of another world that the role cannot distinguish from this one."""
    return {rules: other_world(course, seat_of(role, course), chance) for rules, course in of.items()}


def seat_of(role: str, course: Course) -> Audience:
    seats = SEATED[: course.seats]
    return seats.index(role) if role in seats else None


# --- worlds ---------------------------------------------------------------------------------------------


class Undone(Exception):
    """Rolls a world back."""


def received(
    world: World, of: Courses, ask: Ask, *, roles: Sequence[str], play: Ask | None = None
) -> Received:
    """Return what these roles receive while the games are played and in the requests of `ask` afterwards.

    By default `play` plays every course of every game through the API.
    """
    visit = Visit(world, of, roles)
    with _alike(visit):
        try:
            with transaction.atomic():
                (play or Visit.play)(visit)
                _announce_turns(visit)
                ask(visit)
                raise Undone
        except Undone:
            return visit.received


def _announce_turns(visit: Visit) -> None:
    """Notify those who are on turn, so that the lists of notifications are compared with something in them."""
    turns.note([event for game in GAMES.values() for event in store.read(game)], visit.now)
    turns.look(now=visit.now + timedelta(hours=1))


@contextmanager
def _alike(visit: Visit) -> Iterator[None]:
    result = {course.seed: course.orders for course in visit.courses.values()}
    shuffle = GameKey.shuffle

    def shuffled(key: GameKey, cards: Sequence[Any], label: str) -> list[Any]:
        orders = result.get(key.server_seed, {})
        return list(orders[label]) if label in orders else shuffle(key, cards, label)

    def sealed(key: GameKey, stream: str, version: int, private: Mapping[str, Any]) -> str:
        return hashlib.sha256(f"{stream}|{version}".encode()).hexdigest()

    _forget()
    LOTS.seed(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GameKey, "shuffle", shuffled)
        patch.setattr(GameKey, "seal", sealed)
        patch.setattr(os, "urandom", LOTS.randbytes)
        patch.setattr(secrets, "token_bytes", lambda size=32: LOTS.randbytes(size))
        patch.setattr(timezone, "now", lambda: visit.now)
        patch.setattr(embeds, "_page", embeds._page.__wrapped__)  # kept for a while by the clock
        with sequences_restored():
            yield
    _forget()


def _forget() -> None:
    """Clear the caches of the previous world."""
    state.cache.clear()
    record.cache.clear()
    context.clear_cache()
    authentication._remembered.clear()
    cache.clear()
    throttles.forget()
    embeds._page.cache_clear()


class Visit:
    """A world during its transaction."""

    def __init__(self, world: World, of: Courses, roles: Sequence[str]) -> None:
        self.world, self.courses, self.roles = world, of, roles
        self.received: Received = {}
        world.ids |= GAMES
        self.clients = {role: world.client(role) for role in (*SEATED, *roles)}
        self.now = AT
        """The time of day in it."""
        self.ids: dict[str, Any] = {}
        """Ids of rows that exist in this world only."""
        self.browsers: dict[str, Browser] = {}
        self._sent: dict[str, tuple[str, str, dict[str, Any], str]] = {}

    def play(self) -> None:
        """Play every course, move by move, through the API."""
        for rules, course in self.courses.items():
            self._deal(rules, course)
            self.go_through(rules, GAMES[rules], course)
        for role, path, body, key in self._sent.values():
            self.ask(role, "post", path, body, key=key, again="again")

    def go_through(self, rules: str, game: UUID, course: Course, now: datetime = AT) -> None:
        """Play every step of a course, in a game of those rules."""
        self.now = now
        for number, step in enumerate(course.steps):
            if step.move is None:
                services.expire_game(game_id=game, now=now)
            else:
                self._move(rules, game, SEATED[step.seat or 0], step.move, f"{game}-{number}")

    def _deal(self, rules: str, course: Course) -> None:
        people = [self.world.people[role] for role in SEATED[: course.seats]]
        game = services.create_game(
            rules=rules,
            config=course.config,
            seats=course.seats,
            creator=people[0],
            server_seed=course.seed,
            game_id=GAMES[rules],
            now=AT,
        )
        for who in people:
            services.take_seat(game=game, player=who, client_seed=who.username, now=AT)
        services.start_game(game=game, actor=people[0], now=AT)

    def _move(self, rules: str, game: UUID, role: str, move: Mapping[str, Any], key: str) -> None:
        path, body = f"/api/v1/games/{game}/moves/", {"move": dict(move)}
        answer = self.ask(role, "post", path, body, key=key)
        assert answer.status_code == 201, answer.content
        self._sent[f"{rules} {role}"] = (role, path, body, key)

    def ask(
        self,
        role: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str = "",
        again: str = "",
        **headers: str,
    ) -> Any:
        """Send a request as a role, and record the response if the role is compared."""
        sent = {"Idempotency-Key": key or f"{method}-{path}", **headers}
        data = b"" if body is None else orjson.dumps(body)
        return self._kept(
            role,
            " ".join([role, method, path, data.decode(), key, again, *headers.values()]),
            lambda: self.clients[role].generic(
                method.upper(), path, data, content_type="application/json", headers=sent
            ),
        )

    def _kept(self, role: str, label: str, requested: Callable[[], Any]) -> Any:
        statements: list[str] = []
        LOTS.seed(label)
        with connection.execute_wrapper(_into(statements)):
            answer = requested()
            content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        if role in self.roles:
            assert label not in self.received, f"asked twice: {label}"
            # `Expires` follows the real clock.
            result = [(name, value) for name, value in headers_of(answer).items() if name != "Expires"]
            # A repeated move is decided before it is recognized: see docs/secrecy.md.
            asked_with = None if "Idempotent-Replay" in answer.headers else statements
            self.received[label] = (answer.status_code, result, _without_lots(content), asked_with)
        return answer

    def undone(self, role: str, method: str, path: str, body: Any = None, **more: str) -> None:
        """Send a request, and roll it back."""
        with transaction.atomic():
            self.ask(role, method, path, body, **more)
            transaction.set_rollback(True)

    def browse(self, role: str, path: str) -> None:
        """Open a page, signed in with a session."""
        if role not in self.browsers:
            self.browsers[role] = self.world.browser(role)
        with transaction.atomic():
            self._kept(role, f"{role} looks at {path}", lambda: self.browsers[role].get(path))
            transaction.set_rollback(True)

    def legal_moves(self, rules: str, seat: Audience) -> list[Any]:
        """Return the legal moves, including those of the operator in a race."""
        return state.load(GAMES[rules])[1].legal_moves(None if rules == "racing-aces" else seat)

    def streamed(self, role: str, source: Source) -> None:
        """Return what an event stream sends from its beginning."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def stream(events: list[dict[str, Any]]) -> None:
            answer = _Stream(StreamRequest({source: 0}, many=False), send, {})
            await answer.begin()
            answer.have_read(Page({source: events}, set(), 0))
            await answer.send_pending()

        viewer: Player = self.world.people[role]
        asyncio.run(stream(source.events(viewer, 0)))
        self.received[f"{role} stream {source.kind} {source.id}"] = (sent,)


_LOTS = re.compile(
    rb'(csrfmiddlewaretoken" value=")[A-Za-z0-9]{64}'
    rb"|(reset-password/\?key=[0-9a-f]{32}-)[0-9a-z]+-[0-9a-f]{32}"
    rb'|("display_name":"Guest )\d{6}'
)


def _without_lots(content: bytes) -> bytes:
    """Remove what differs each time: how a CSRF token is masked, the key of a reset, and the number of a guest."""
    return _LOTS.sub(rb"\1\2\3", content)


def _into(statements: list[str]) -> Callable[..., Any]:
    """Records the SQL statements without their values."""

    def written(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        # The names of savepoints are random.
        statements.append(sql.partition(" ")[0] if "SAVEPOINT" in sql else sql)
        return execute(sql, *given)

    return written


def warmed() -> None:
    """Run the queries that a process caches before statements are counted."""
    ContentType.objects.get_for_models(*apps.get_models())


def same(one: Received, other: Received) -> None:
    differing = [label for label in one if one[label] != other[label]]
    assert not differing, "\n\n".join(_difference(label, one[label], other[label]) for label in differing[:8])


def _difference(label: str, one: Sequence[Any], other: Sequence[Any]) -> str:
    """Return both texts from shortly before the first difference."""
    for here, there in zip(map(str, one), map(str, other), strict=True):
        if here != there:
            pairs = zip(here, there, strict=False)
            first = next((at for at, (one, two) in enumerate(pairs) if one != two), 0)
            start = max(0, first - 60)
            return f"{label}\n  {here[start : start + 300]}\n  {there[start : start + 300]}"
    return label
