"""People of a load generator, who play over REST and event streams as the web client has them play.

A person opens a page, follows what waits, plays a game to its end, and begins the next one. After an event of another
seat the table is read again, as the web client does. Moves are due at times that do not depend on the server's answers:
a move that is due while an answer is late is counted from the time at which it was due, so that a slow server does not
slow its load down ("coordinated omission").
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from bench._lines import Answer, Line, StreamRefused, streamed
from racecard_client.examples.ace_race import AceRace
from racecard_client.examples.idle_aces import IdleAces
from racecard_client.examples.racing_aces import RacingAces
from racecard_client.examples.racing_demons import RacingDemons
from racecard_client.examples.vegas_solitaire import VegasSolitaire
from tools.scaling.figures import Assumptions

STRATEGIES: Mapping[str, Callable[[], Any]] = {
    strategy.rules[0]: strategy  # type: ignore[attr-defined]
    for strategy in (AceRace, IdleAces, RacingAces, RacingDemons, VegasSolitaire)
}
FIELD = 8
"""The people of a tournament; as many bots fill the field."""
BETTING = 6.0
"""Seconds between the opening of a market and the first draw."""
ALONE = 8.0
"""Seconds for which a person waits for an opponent, or for a race, before a game with bots."""
IDLE = 20.0
"""Seconds without an event after which a person looks at the table again."""
LONGEST_THOUGHT = 60.0
STAKE = 520
LOST = (OSError, TimeoutError, asyncio.IncompleteReadError, StreamRefused)


class Done(NamedTuple):
    due: float
    done: float
    status: int
    """0: no answer."""


@dataclass
class Tally:
    """What people did, by kind of request, and the delays of events, in seconds of the monotonic clock."""

    requests: dict[str, list[Done]] = field(default_factory=lambda: defaultdict(list))
    due: list[float] = field(default_factory=list)
    """When moves were due, answered or not."""
    under_way: dict[object, float] = field(default_factory=dict)
    """When the moves were due that are not answered yet, by person."""
    delays: list[tuple[float, float]] = field(default_factory=list)
    """Of each event in a stream: when it arrived, and the seconds since the server's time in it."""
    streams: int = 0
    reconnects: int = 0
    faults: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Refusals and failures, by code."""

    def forget(self) -> None:
        """Begin a new step."""
        self.requests.clear()
        self.due.clear()
        self.delays.clear()


class Identity(NamedTuple):
    """How a person proves who they are: a session of the web client with its CSRF token, or a token."""

    kind: str
    """`account`, `organizer`, or `guest`."""
    headers: Mapping[str, str]


@dataclass
class World:
    """What all people share."""

    web: int
    streams: int
    """The ports of requests and of event streams."""
    assumptions: Assumptions
    tally: Tally
    chance: random.Random
    faster: float = 1.0
    """How many times faster than people they think: for the thin form."""
    races: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Races that take bets: the game, and its market."""
    entering: list[tuple[Person, asyncio.Future[str]]] = field(default_factory=list)

    def thought(self, rules: str) -> float:
        """Return seconds of thinking."""
        game = self.assumptions.games[rules]
        seconds = game.think * self.chance.lognormvariate(0, game.spread)
        return min(seconds, LONGEST_THOUGHT) / self.faster

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.faster)


class Person:
    def __init__(self, world: World, identity: Identity | None) -> None:
        """A person without an identity becomes a guest on arrival."""
        self.world, self.identity = world, identity
        self._address = {
            "X-Forwarded-For": ".".join(["10", *(str(world.chance.randrange(1, 255)) for _ in range(3))])
        }
        """As a proxy names it: each person has another address."""
        self._line = Line(world.web, self._headers)
        self._waiting: dict[str, Mapping[str, Any]] = {}
        self._woken = asyncio.Event()

    @property
    def _headers(self) -> Mapping[str, str]:
        return {**self._address, **(self.identity.headers if self.identity else {})}

    @property
    def has_account(self) -> bool:
        return self.identity is not None and self.identity.kind != "guest"

    async def live(self) -> None:
        """Play until cancelled. What a person cannot do now is tried again later."""
        try:
            await self._arrive()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow("players/me/waiting/", self._wait_changed))
                group.create_task(self._browse())
                group.create_task(self._play_on())
        finally:
            self._line.close()

    async def _arrive(self) -> None:
        if self.identity is None:
            while not (answer := await self.send("guest", "POST", "guests/", {})).ok:
                await self.world.sleep(5)
            self.identity = Identity("guest", {"Authorization": f"Bearer {answer.body['token']}"})
            self._line = Line(self.world.web, self._headers)
        await self.look_around()

    async def look_around(self) -> None:
        """Open the first page: the wallet or the rules, the lobby, and the tournaments."""
        first = "wallet/" if self.has_account else "rules/"
        for path in (first, "games/?you=true&free=true&limit=20", "tournaments/?limit=20"):
            await self.send("read", "GET", path)

    async def _browse(self) -> None:
        """Open pages besides the table, in another tab with another connection."""
        tab = Person(self.world, self.identity)
        try:
            while True:
                await self.world.sleep(
                    self.world.chance.expovariate(self.world.assumptions.site.reads_a_minute / 60)
                )
                await tab.look_around()
        finally:
            tab._line.close()

    async def _play_on(self) -> None:
        rules = list(self.world.assumptions.games)
        shares = [self.world.assumptions.games[name].share for name in rules]
        while True:
            [name] = self.world.chance.choices(rules, shares)
            try:
                await self._play_one(name)
            except (LookupError, TypeError, Refused) as refusal:
                self.world.tally.faults[str(refusal)] += 1
                await self.world.sleep(2)

    async def _play_one(self, rules: str) -> None:
        chance = self.world.chance
        if self.has_account and chance.random() < self.world.assumptions.tournaments.players:
            return await self._enter()
        match rules:
            case "racing-aces" if self.has_account:
                await self._bet()
            case "racing-aces":
                await self._table(rules, seats=2, bots=[1], config={"suits": "chosen"})
            case "ace-race" | "racing-demons":
                await self._pair(rules)
            case _:
                await self._table(rules, **self._staked(rules))
        return None

    def _staked(self, rules: str) -> dict[str, Any]:
        if rules != "vegas-solitaire":
            return {}
        if not self.has_account or self.world.chance.random() >= self.world.assumptions.money.staked:
            return {"config": {"draw": 3, "stake": 0}}
        return {"stake_table": "vegas-classic", "config": {"draw": 3, "stake": STAKE}}

    # --- requests and streams ---

    async def send(
        self, kind: str, method: str, path: str, body: object = None, due: float | None = None
    ) -> Answer:
        """Send a request, and count it from the time at which it was due."""
        due = time.monotonic() if due is None else due
        tally = self.world.tally
        try:
            answer = await self._line.send(method, path, body)
        except LOST as lost:
            tally.requests[kind].append(Done(due, time.monotonic(), 0))
            tally.faults[type(lost).__name__] += 1
            return Answer(599, {})
        tally.requests[kind].append(Done(due, time.monotonic(), answer.status))
        if not answer.ok:
            tally.faults[
                f"{kind}: {answer.status} {answer.body.get('code')} {answer.body.get('detail')}"
            ] += 1
        return answer

    async def demand(self, kind: str, method: str, path: str, body: object = None) -> Any:
        """Return the document of an answer. Raises Refused."""
        answer = await self.send(kind, method, path, body)
        if not answer.ok:
            raise Refused(f"given up: {kind} {answer.status}")
        return answer.body

    async def _follow(self, path: str, heard: Callable[[str, Any], None]) -> None:
        """Follow a stream until cancelled, over connections that are lost now and then as in mobile networks."""
        world, last_id = self.world, ""
        while True:
            life = world.chance.expovariate(world.assumptions.site.reconnects_a_minute / 60)
            lost = asyncio.get_running_loop().time() + life / world.faster
            try:
                async with (
                    asyncio.timeout_at(lost),
                    streamed(world.streams, path, self._headers, last_id) as (messages, parser),
                ):
                    world.tally.streams += 1
                    try:
                        async for name, text in messages:
                            heard(name, json.loads(text))
                    finally:
                        world.tally.streams -= 1
                        last_id = parser.last_id
            except TimeoutError:
                world.tally.reconnects += 1
            except LOST as fault:
                world.tally.faults[f"stream: {type(fault).__name__} {fault}"] += 1
            await world.sleep(world.chance.uniform(0.2, 1.0))

    def _wait_changed(self, name: str, document: Any) -> None:
        if name == "waiting":
            self._waiting.clear()
        for item in document.get("games", ()):
            self._waiting[item["key"]] = item
        for key in document.get("gone", ()):
            self._waiting.pop(key, None)
        self._woken.set()

    @asynccontextmanager
    async def following(self, game: str, version: int = 0) -> AsyncIterator[Seen]:
        """Follow the events of a game after a version."""
        seen = Seen(self.world.tally)
        task = asyncio.create_task(self._follow(f"feed/?game={game}@{version}", seen.hear))
        try:
            yield seen
        finally:
            task.cancel()

    # --- games ---

    async def _table(self, rules: str, **terms: Any) -> None:
        game = await self.demand("open", "POST", "games/", {"rules": rules, "config": {}, **terms})
        free = game.get("free_suits")
        seat = {"suit": free[0]} if free else {}
        game = await self.demand("seat", "POST", f"games/{game['id']}/seats/", seat)
        if game["status"] == "open":
            game = await self.demand("start", "POST", f"games/{game['id']}/start/")
        await self.play(game)

    async def _pair(self, rules: str) -> None:
        """Play against the first player who comes, or against a bot if no one does."""
        seats = {"seats": 2, "move_limit": 120} if rules == "ace-race" else {"seats": 2}
        game = await self.demand("pair", "POST", "games/pairing/", {"rules": rules, **seats})
        async with self.following(game["id"], game["version"]) as seen:
            await seen.after(game["version"] if game["status"] == "open" else -1, ALONE / self.world.faster)
        game = await self.demand("read", "GET", f"games/{game['id']}/")
        if game["status"] != "open":
            return await self.play(game)
        left = await self.send("leave", "DELETE", f"games/{game['id']}/seats/me/")
        if not left.ok:  # it was dealt at the same moment
            return await self.play(await self.demand("read", "GET", f"games/{game['id']}/"))
        return await self._table(rules, seats=2, bots=[1])

    async def play(self, game: dict[str, Any]) -> None:
        """Play a game to its end."""
        path, rules, choose = f"games/{game['id']}/", game["rules"], STRATEGIES[game["rules"]]().choose
        async with self.following(game["id"], game["version"]) as seen:
            due = time.monotonic() + self.world.thought(rules)
            while game["status"] == "active":
                move = choose(game["view"], game["legal_moves"]) if game["legal_moves"] else None
                if move is None:
                    await seen.after(game["version"], IDLE)
                    game = await self.demand("read", "GET", path)
                    due = time.monotonic() + self.world.thought(rules)
                    continue
                self.world.tally.due.append(due)
                await asyncio.sleep(due - time.monotonic())
                answer = await self._move(f"{path}moves/", move, due)
                due += self.world.thought(rules)
                if answer.ok:
                    played = answer.body
                    is_over = played["events"][-1]["type"] in ("finished", "voided")
                    game = {**game, **played, "status": "finished" if is_over else "active"}
                else:
                    game = await self.demand("read", "GET", path)
                    due = max(due, time.monotonic())

    async def _move(self, path: str, move: Mapping[str, Any], due: float) -> Answer:
        under_way = self.world.tally.under_way
        under_way[self] = due
        try:
            return await self.send("move", "POST", path, {"move": move}, due)
        finally:
            del under_way[self]

    async def watch(self, game: str) -> None:
        """Read the table after each event, to the end of the game."""
        shown = await self.demand("read", "GET", f"games/{game}/")
        async with self.following(game, shown["version"]) as seen:
            while shown["status"] not in ("finished", "void"):
                await seen.after(shown["version"], IDLE)
                shown = await self.demand("read", "GET", f"games/{game}/")

    # --- bets ---

    async def _bet(self) -> None:
        """Bet on a race that takes bets, and watch it; play a solitaire if there is none."""
        if not self.world.races:
            return await self._table("vegas-solitaire", **self._staked("vegas-solitaire"))
        game, market = self.world.chance.choice(self.world.races)
        for _ in range(1 + (self.world.chance.random() < 0.5)):
            await self.world.sleep(self.world.chance.uniform(0.3, 2.0))
            bet = {"runner": self.world.chance.choice("CDHS"), "stake": 100}
            await self.send("bet", "POST", f"markets/{market['id']}/bets/", bet)
        await self.watch(game)
        await self.send("read", "GET", "wallet/")
        return None

    # --- tournaments ---

    async def _enter(self) -> None:
        """Enter a tournament as soon as there is one, play its games, and read the standings after each."""
        entered: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.world.entering.append((self, entered))
        try:
            tournament = await asyncio.wait_for(entered, 3 * ALONE / self.world.faster)
        except TimeoutError:
            self.world.entering = [one for one in self.world.entering if one[0] is not self]
            return
        while (await self.demand("read", "GET", f"tournaments/{tournament}/"))["status"] in (
            "published",
            "running",
        ):
            for item in [one for one in self._waiting.values() if one["tournament"] == tournament]:
                await self.play(await self.demand("read", "GET", f"games/{item['game']}/"))
                await self.send("read", "GET", f"tournaments/{tournament}/standings/")
            self._woken.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), IDLE)


class Refused(Exception):
    """A person cannot go on with what they were doing; the argument says what was refused."""


class Seen:
    """The newest version of a game that its stream has brought."""

    def __init__(self, tally: Tally) -> None:
        self._tally, self._version, self._changed = tally, 0, asyncio.Event()
        self._began = time.time()

    def hear(self, name: str, document: Any) -> None:
        if name != "message":
            return
        event = document["event"]
        if event["version"] > self._version:
            self._version = event["version"]
            happened = datetime.fromisoformat(event["at"]).timestamp()
            if happened > self._began:  # not one of those with which the stream begins
                self._tally.delays.append((time.monotonic(), time.time() - happened))
        self._changed.set()

    async def after(self, version: int, patience: float) -> None:
        """Wait until the stream has brought a later version, or for the given seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while self._version <= version:
                    self._changed.clear()
                    await self._changed.wait()


class Organizer(Person):
    """An organizer, who holds races with markets, one after the other, and tournaments for those who wait for one."""

    async def live(self) -> None:
        await self.look_around()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repeat(self._hold_race))
            group.create_task(self._repeat(self._hold_tournament))

    async def _repeat(self, hold: Callable[[], Any]) -> None:
        while True:
            try:
                await hold()
            except Refused as refusal:
                self.world.tally.faults[str(refusal)] += 1
                await self.world.sleep(5)

    async def _hold_race(self) -> None:
        terms = {"rules": "racing-aces", "config": {}, "seats": 0, "draw_every": 2}
        game = await self.demand("open", "POST", "games/", terms)
        market = await self.demand(
            "market", "POST", f"games/{game['id']}/market/", {"kind": "pool", "takeout": 500}
        )
        self.world.races.append((game["id"], market))
        await self.world.sleep(BETTING)
        self.world.races.remove((game["id"], market))
        await self.demand("start", "POST", f"games/{game['id']}/start/")
        await self.watch(game["id"])

    async def _hold_tournament(self) -> None:
        field = self.world.entering[:FIELD]
        if len(field) < FIELD:
            return await self.world.sleep(1)
        del self.world.entering[:FIELD]
        terms = {
            "name": "Under load",
            "format": "swiss",
            "rules": "ace-race",
            "config": {},
            "seats": 4,
            "rounds": 2,
            "capacity": 2 * FIELD,
            "fill_to": 2 * FIELD,
            "fee": 0,
        }
        made = await self.demand("tournament", "POST", "tournaments/", terms)
        path = f"tournaments/{made['id']}/"
        await self.demand("tournament", "POST", f"{path}publish/")
        for person, entered in field:
            has_entered = (await person.send("enter", "POST", f"{path}entries/", {})).ok
            if has_entered and not entered.done():  # who has given up meanwhile does not appear
                entered.set_result(made["id"])
        await self.demand("tournament", "POST", f"{path}start/")
        return None


def arrivals(chance: random.Random, count: int, seconds: float) -> Sequence[float]:
    """Return the times of a Poisson process of `count` arrivals within the seconds."""
    return sorted(chance.uniform(0, seconds) for _ in range(count))
