"""A conformance test: what a bot relies on at an installation, and a strategy in each game at sandbox tables."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from racecard_client.bot.game import Record, result
from racecard_client.bot.runner import Options, Runner
from racecard_client.bot.strategy import Make, plays
from racecard_client.client import AsyncClient, answered, new_key
from racecard_client.errors import (
    BadRequest,
    Conflict,
    NotAuthenticated,
    PreconditionFailed,
    ProblemError,
    RacecardError,
)
from racecard_client.examples.ace_race import AceRace
from racecard_client.examples.idle_aces import IdleAces
from racecard_client.examples.racing_aces import RacingAces
from racecard_client.examples.racing_demons import RacingDemons
from racecard_client.examples.vegas_solitaire import VegasSolitaire
from racecard_client.rest.api.rules import rules_list
from racecard_client.rest.models import GameOutput
from racecard_client.streams import Waiting

T = TypeVar("T")

BUILT_IN: Sequence[Make] = (RacingAces, VegasSolitaire, IdleAces, AceRace, RacingDemons)

TABLES: Mapping[str, Mapping[str, Any]] = {
    "racing-aces": {"config": {"suits": "chosen"}, "seats": 2, "bots": [1]},
    "vegas-solitaire": {"config": {"draw": 3, "stake": 0}},
    "idle-aces": {},
    "ace-race": {"seats": 2, "bots": [1]},
    "racing-demons": {"config": {"time_limit": 15}, "seats": 2, "bots": [1]},
}
"""The sandbox tables: private, for points, and against bots of the server. Other games have their least seats."""
WITHOUT_MOVE_LIMIT = ("racing-aces", "racing-demons")
"""Games that wait for no seat."""
PACE = 0.2
"""Seconds between two moves where all seats play at once."""
MOVES_BEFORE_RESTART = 2
LIVE = 5.0
"""The seconds in which an event has to arrive."""
STOPS = 5.0
"""The seconds in which a runner has to stop."""
PATIENCE = 180.0
"""The seconds in which a game has to end."""


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    passed: bool | None
    """None if it was not possible."""
    found: str
    right: str
    """What would be right."""

    def document(self) -> dict[str, Any]:
        return {"name": self.name, "passed": self.passed, "found": self.found, "right": self.right}


class Wrong(Exception):
    """A check has failed; the text is what was found."""


async def check(
    url: str,
    token: str,
    strategies: Sequence[Make] | None = None,
    *,
    games: Sequence[str] = (),
    move_limit: int = 30,
) -> list[Check]:
    """Run every check. `strategies`: by default the examples; `games`: by default all of the installation.

    `move_limit` is the longest decision in seconds. Raises RacecardError if the server cannot be reached at all.
    """
    async with AsyncClient(url, token) as client:
        rules = {one.slug: one for one in answered(await rules_list.asyncio(client=client.rest))}
        found = [await _checked(one, client) for one in OF_THE_INSTALLATION]
        for name in games or rules:
            make = next((make for make in strategies or BUILT_IN if plays(make, name)), None)
            if name not in rules:
                found.append(Check(name, False, "the installation has no such game", ", ".join(rules)))
            elif make is None:
                found.append(Check(name, None, "no strategy plays it", "name a strategy that plays it"))
            else:
                found += await _Played(client, name, make, move_limit, rules[name].seats).checks()
        return found


# --- the installation ---


class Probe(NamedTuple):
    name: str
    right: str
    run: Callable[[AsyncClient], Awaitable[str]]


async def _checked(probe: Probe, client: AsyncClient) -> Check:
    try:
        return Check(probe.name, True, await probe.run(client), probe.right)
    except (Wrong, RacecardError) as error:
        return Check(probe.name, False, str(error), probe.right)
    except TimeoutError:
        return Check(probe.name, False, f"nothing within {LIVE:g} s", probe.right)


@asynccontextmanager
async def sandbox(client: AsyncClient) -> AsyncIterator[GameOutput]:
    """A private game of Idle Aces, which is given up at the end."""
    game = await client.play("idle-aces", private=True)
    try:
        yield game
    finally:
        with suppress(ProblemError):
            await client.move(game.id, {"type": "resign"})


async def refused(work: Awaitable[object], kind: type[ProblemError], code: str = "") -> str:
    try:
        await work
    except kind as error:
        if code and error.code != code:
            raise Wrong(f"refused with {error.status} {error.code}") from error
        return f"{error.status} {error.code}"
    raise Wrong("not refused")


async def unchanged(client: AsyncClient, game: GameOutput, version: int) -> None:
    if (now := (await client.game(game.id)).version) != version:
        raise Wrong(f"the game is at version {now} instead of {version}")


async def token_has_scopes(client: AsyncClient) -> str:
    scopes = set((await client.session.get("/api/v1/tokens/current/")).json()["scopes"])
    if not {"read", "play"} <= scopes:
        raise Wrong(f"scopes {', '.join(sorted(scopes))}")
    return ", ".join(sorted(scopes))


async def account_is_a_bot(client: AsyncClient) -> str:
    if not (await client.session.get("/api/v1/tokens/current/")).json()["bot"]:
        raise Wrong("a person's account")
    return "a bot"


async def no_token_is_refused(client: AsyncClient) -> str:
    async with AsyncClient(str(client.session.base_url)) as stranger:
        return await refused(stranger.session.get("/api/v1/tokens/current/"), NotAuthenticated)


async def unknown_move_is_refused(client: AsyncClient) -> str:
    async with sandbox(client) as game:
        found = await refused(client.move(game.id, {"type": "fly"}), BadRequest, "unknown-move")
        await unchanged(client, game, game.version)
        return found


async def illegal_move_is_refused(client: AsyncClient) -> str:
    async with sandbox(client) as game:
        found = await refused(client.move(game.id, {"type": "redeal"}), Conflict)
        await unchanged(client, game, game.version)
        return found


async def same_key_moves_once(client: AsyncClient) -> str:
    async with sandbox(client) as game:
        key = new_key()
        first, second = [await client.move(game.id, {"type": "draw"}, idempotency_key=key) for _ in range(2)]
        if first != second:
            raise Wrong(f"two answers: versions {first.version} and {second.version}")
        await unchanged(client, game, game.version + 1)
        return f"one move, version {first.version}"


async def key_of_another_command_is_refused(client: AsyncClient) -> str:
    async with sandbox(client) as game:
        key = new_key()
        played = await client.move(game.id, {"type": "draw"}, idempotency_key=key)
        work = client.move(game.id, {"type": "resign"}, idempotency_key=key)
        found = await refused(work, ProblemError, "idempotency-key-reused")
        await unchanged(client, game, played.version)
        return found


async def stale_move_is_refused(client: AsyncClient) -> str:
    async with sandbox(client) as game:
        played = await client.move(game.id, {"type": "draw"}, version=game.version)
        work = client.move(game.id, {"type": "draw"}, version=game.version)
        found = await refused(work, PreconditionFailed, "stale-version")
        await unchanged(client, game, played.version)
        return found


async def events_arrive_at_once(client: AsyncClient) -> str:
    async with sandbox(client) as game, aclosing(client.events(game.id)) as events:
        for _ in range(game.version):
            await asyncio.wait_for(anext(events), LIVE)
        began = time.monotonic()
        played = await client.move(game.id, {"type": "draw"})
        event = await asyncio.wait_for(anext(events), LIVE)
        if event.version != played.version:
            raise Wrong(f"event {event.version} after the move of version {played.version}")
        return f"after {1000 * (time.monotonic() - began):.0f} ms"


async def lost_stream_resumes(client: AsyncClient) -> str:
    async with sandbox(client) as game:
        first = await _versions(client, game.id, 0, game.version)
        for _ in range(3):
            played = await client.move(game.id, {"type": "draw"})
        versions = first + await _versions(client, game.id, first[-1], played.version - first[-1])
        if versions != list(range(1, played.version + 1)):
            raise Wrong(f"versions {versions}")
        return f"events 1 to {played.version}, each once"


async def _versions(client: AsyncClient, game: UUID, after: int, count: int) -> list[int]:
    """The versions of so many events, over a connection of their own."""
    async with aclosing(client.events(game, after)) as events:
        return [(await asyncio.wait_for(anext(events), LIVE)).version for _ in range(count)]


async def waiting_game_is_listed(client: AsyncClient) -> str:
    async with sandbox(client) as game, aclosing(client.waiting()) as stream:
        await _until(stream, lambda waiting: str(game.id) in _games(waiting))
        await client.move(game.id, {"type": "resign"})
        await _until(stream, lambda waiting: str(game.id) not in _games(waiting))
        return "listed while it waits"


def _games(waiting: Waiting) -> set[str]:
    return {item["game"] for item in waiting.games}


async def _until(stream: AsyncIterator[T], is_met: Callable[[T], bool]) -> None:
    async with asyncio.timeout(LIVE):
        async for item in stream:
            if is_met(item):
                return


OF_THE_INSTALLATION = (
    Probe("token", "a token with the scopes read and play", token_has_scopes),
    Probe("account", "a bot with an account of its own, which its owner creates", account_is_a_bot),
    Probe("request without a token", "401 not-authenticated", no_token_is_refused),
    Probe("unknown move", "400 unknown-move, and the game unchanged", unknown_move_is_refused),
    Probe("illegal move", "409 with the reason, and the game unchanged", illegal_move_is_refused),
    Probe("command sent twice", "one move, and the same answer to both", same_key_moves_once),
    Probe("key of another command", "409 idempotency-key-reused", key_of_another_command_is_refused),
    Probe("move at an old version", "412 stale-version, and the game unchanged", stale_move_is_refused),
    Probe("event stream", f"an event within {LIVE:g} s; a proxy must not buffer it", events_arrive_at_once),
    Probe("lost event stream", "resumes without a gap and without an event twice", lost_stream_resumes),
    Probe("stream of what waits", f"a game appears and goes within {LIVE:g} s", waiting_game_is_listed),
)


# --- a strategy ---


class _Played:
    """The checks of one strategy in one game, which is played once, with a restart in the middle."""

    def __init__(
        self, client: AsyncClient, rules: str, make: Make, move_limit: int, seats: Sequence[int]
    ) -> None:
        self._client, self._rules, self._make, self._move_limit = client, rules, make, move_limit
        least = max(min(seats), 1)
        table = {"seats": least, "bots": list(range(1, least)), **TABLES.get(rules, {})}
        limit = {} if rules in WITHOUT_MOVE_LIMIT else {"move_limit": move_limit}
        self._options = Options(
            open=[rules], table={"private": True, **limit, **table}, games=1, fallback="random", pace=PACE
        )
        self._records: list[Record] = []
        self._game: UUID | None = None
        self._stopped_after = 0.0

    async def checks(self) -> list[Check]:
        began = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._play()
        except (RacecardError, TimeoutError) as error:
            found = str(error) or f"not after {PATIENCE:g} s"
            return [self._check("plays to the end", False, found, "the game ends")]
        return self._results(await self._client.game(self._game or UUID(int=0)), time.monotonic() - began)

    async def _play(self) -> None:
        """Play a few moves, stop, and continue with a new runner and a new instance of the strategy."""
        first = Runner(self._client, [self._make], self._options)
        running = asyncio.create_task(first.run())
        while not running.done() and self._moves(first) < MOVES_BEFORE_RESTART:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        first.stop()
        await running
        self._stopped_after = time.monotonic() - began
        [(self._game, record)] = first.records.items()
        self._records.append(record)
        if (await self._client.game(self._game)).ended_at is None:
            second = Runner(self._client, [self._make], Options(games=1, fallback="random", pace=PACE))
            second.play(self._game, self._make)
            await second.run()
            self._records.append(second.records[self._game])

    @staticmethod
    def _moves(runner: Runner) -> int:
        return sum(record.moves for record in runner.records.values())

    def _results(self, game: GameOutput, seconds: float) -> list[Check]:
        moves = sum(record.moves for record in self._records)
        refusals = sum(record.refused for record in self._records)
        errors = sum(record.errors for record in self._records)
        slowest = max(record.slowest for record in self._records)
        problem = next((line for record in self._records for line in record.problems), "")
        last, outcome = self._records[-1], None if game.outcome is None else game.outcome.to_dict()
        return [
            self._check(
                "plays to the end",
                outcome is not None,
                f"{result(outcome, game.seat)}; {moves} moves in {seconds:.1f} s",
                "the game ends with an outcome",
            ),
            self._check(
                "legal moves", not refusals, f"{refusals} refused{_after(problem)}", "moves of `legal` only"
            ),
            self._check(
                "no exceptions", not errors, f"{errors} raised{_after(problem)}", "choose returns a move"
            ),
            self._check(
                "in time",
                slowest < self._move_limit,
                f"slowest {slowest:.3f} s",
                f"below {self._move_limit} s",
            ),
            self._check(
                "continues after a restart",
                last.moves > 0 if len(self._records) > 1 else None,
                f"{last.moves} moves of a new instance" if len(self._records) > 1 else "ended before",
                "an instance that is made in the middle of a game plays on",
            ),
            self._check(
                "stops",
                self._stopped_after < STOPS,
                f"after {self._stopped_after:.1f} s",
                f"within {STOPS:g} s, whatever the strategy does",
            ),
        ]

    def _check(self, name: str, passed: bool | None, found: str, right: str) -> Check:
        return Check(f"{self._rules}: {name}", passed, found, right)


def _after(problem: str) -> str:
    return f": {problem}" if problem else ""
