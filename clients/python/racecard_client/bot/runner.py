"""Plays everything that waits for a bot: games, challenges, and tables that it opens or joins."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from racecard_client.bot.game import RACE_PACE, Fallback, GamePlayer, Record, called
from racecard_client.bot.strategy import Accepts, Make, Seats, Strategy, Table, plays
from racecard_client.client import AsyncClient, answered, new_key
from racecard_client.errors import (
    Conflict,
    Forbidden,
    NotAuthenticated,
    NotFound,
    ProblemError,
    RacecardError,
)
from racecard_client.rest.api.games import games_list
from racecard_client.rest.models import GameOutput, GamesListStake, GamesListStatus
from racecard_client.streams import Item, StreamEvent, Suspension, Waiting

log = logging.getLogger("racecard.bot")

MOST_FOLLOWED = 100
"""The most games of one event stream."""
MOST_RECORDS = 1000
"""The number of games whose records are stored."""
TOGETHER = 0.05
"""Seconds in which games are gathered before the event stream is connected again for them."""
JOIN_EVERY = 5.0
"""Seconds between two readings of the list of tables with a free seat."""
LEAVING = 5.0
"""The most seconds that leaving the tables may take at the end."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the runner does besides playing the games that wait."""

    accept: bool = False
    """Accept challenges to games that a strategy plays. Otherwise all challenges are declined."""
    join: bool = False
    """Take free seats at tables for points."""
    open: Sequence[str] = ()
    """Open tables of these games, again after each end. The other seats are for anyone, or for `bots` of the table."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """Members of the request that opens a table: `config`, `seats`, `bots`, `private`, `move_limit`, …"""
    at_once: int = 1
    """The most tables of each game to have open at a time, and the most joined tables that wait for the deal."""
    games: int | None = None
    """End after so many games."""
    fallback: Fallback = "wait"
    """After an exception or an illegal move: wait for the next event, or make a random legal move."""
    pace: float = RACE_PACE
    """Seconds between two moves where all seats play at once."""


class Runner:
    """Plays with strategies until it is stopped.

    Each game is played by the first of the strategies that plays it. Everything is decided by the present state of the
    server, so a runner that was killed continues its games when it is started again.
    """

    def __init__(
        self, client: AsyncClient, strategies: Sequence[Make], options: Options | None = None
    ) -> None:
        self.client, self.options = client, options or Options()
        self.records: dict[UUID, Record] = {}
        """Of the games of this run, the latest ones."""
        self.played = 0
        """The number of games that have ended, or were given up."""
        self.left = 0
        """The number of games that were in play when the run has ended."""
        self._strategies = strategies
        self._instances: dict[UUID, Strategy] = {}
        """Of games that were not dealt yet."""
        self._players: dict[UUID, GamePlayer] = {}
        self._tables: dict[UUID, Make] = {}
        """Where the bot sits, before the deal."""
        self._answered, self._unplayed = set[str](), set[UUID]()
        self._followed: dict[UUID, int] = {}
        self._follows_more, self._stopping = asyncio.Event(), asyncio.Event()
        self._changed = asyncio.Condition()
        self._tasks = set[asyncio.Task[None]]()
        self._error: Exception | None = None
        self._opened = 0

    def stop(self) -> None:
        """End `run` soon. Games in play stay as they are, and continue with the next run."""
        self._stopping.set()

    async def run(self) -> None:
        """Play until `stop`, or until the number of games in the options has been played.

        Raises RacecardError if the server refuses the token, or cannot be reached.
        """
        self._start(self._listen())
        self._start(self._follow())
        if self.options.join:
            self._start(self._join())
        for rules in self.options.open:
            for _ in range(self.options.at_once):
                self._start(self._open(rules))
        try:
            await self._stopping.wait()
        finally:
            tasks, self.left = list(self._tasks), len(self._players)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._leave_tables()
        if self._error is not None:
            raise self._error

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        """End the run by an error that the task has not handled."""
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._error = self._error or error
            self.stop()

    # --- what waits ---

    async def _listen(self) -> None:
        async with aclosing(self.client.waiting()) as stream:
            async for waiting in stream:
                await self._handle(waiting)

    async def _handle(self, waiting: Waiting) -> None:
        for item in waiting.games:
            await self._handle_game(item)
        for challenge in waiting.challenges:
            if not challenge["yours"] and challenge["key"] not in self._answered:
                self._answered.add(challenge["key"])
                await self._tolerant(self._answer(challenge))
        self._answered &= {item["key"] for item in waiting.challenges}

    async def _handle_game(self, item: Item) -> None:
        game = UUID(item["game"])
        if item["kind"] == "start":
            await self._tolerant(self.client.start(game))
        elif (make := self._strategy_for(item["rules"])) is not None:
            self.play(game, make, item["version"])
        elif game not in self._unplayed:
            self._unplayed.add(game)
            log.warning("game %s waits, but no strategy plays %s", game, item["rules"])

    def _strategy_for(self, rules: str) -> Make | None:
        return next((make for make in self._strategies if plays(make, rules)), None)

    async def _tolerant(self, work: Coroutine[Any, Any, object]) -> None:
        """Do what may have become impossible meanwhile, such as starting a game that has started."""
        try:
            await work
        except (Conflict, NotFound, Forbidden) as error:
            log.info("refused: %s", error)

    # --- games ---

    def play(self, game: UUID, make: Make, version: int | None = None) -> None:
        """Start a player of the game, or wake the one that plays it."""
        if game in self._players:
            self._players[game].wake(version)
        if game in self.records:
            return
        instance = self._instances.pop(game, None)
        player = GamePlayer(
            self.client,
            game,
            make if instance is None else lambda: instance,
            follow=self._follow_game,
            fallback=self.options.fallback,
            pace=self.options.pace,
        )
        self._players[game], self.records[game] = player, player.record
        self._tables.pop(game, None)
        self._start(self._played(player))

    async def _played(self, player: GamePlayer) -> None:
        try:
            await player.play()
        except NotAuthenticated:
            raise
        except ProblemError as error:
            log.error("game %s is given up: %s", player.id, error)
        finally:
            self._players.pop(player.id, None)
            self._followed.pop(player.id, None)
        self.played += 1
        self._forget()
        await self._notify()
        if self.options.games is not None and self.played >= self.options.games:
            self.stop()

    def _forget(self) -> None:
        """Drop the records of old games, since a bot may run for months."""
        for game in list(self.records)[:-MOST_RECORDS]:
            if game not in self._players:
                del self.records[game]

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _follow_game(self, game: UUID, version: int) -> None:
        """Wake the game's player at each event after the version."""
        if game not in self._followed:
            self._followed[game] = version
            self._follows_more.set()

    async def _follow(self) -> None:
        """Keep one event stream of the games that wait for others. It is connected again for each further game."""
        while True:
            await self._follows_more.wait()
            await asyncio.sleep(TOGETHER)
            self._follows_more.clear()
            more = asyncio.create_task(self._follows_more.wait())
            reading = asyncio.create_task(self._read_events())
            try:
                done, _ = await asyncio.wait({more, reading}, return_when=asyncio.FIRST_COMPLETED)
                if reading in done:
                    self._after_failed_stream(reading)
            finally:
                more.cancel()
                reading.cancel()
                await asyncio.gather(more, reading, return_exceptions=True)

    async def _read_events(self) -> None:
        after: dict[UUID | str, int] = dict(list(self._followed.items())[-MOST_FOLLOWED:])
        if not after:
            return
        async with aclosing(self.client.feed(games=after, after=after)) as feed:
            async for item in feed:
                if isinstance(item, Suspension):
                    self._wake(item.game)
                else:
                    await self._event(item)

    async def _event(self, event: StreamEvent) -> None:
        if event.id in self._followed:
            self._followed[event.id] = event.version
        if event.id not in self._tables:
            self._wake(event.id, event.version)
        elif event.type == "dealt":
            self.play(event.id, self._tables[event.id])
        elif event.type == "voided":
            del self._tables[event.id]
            await self._notify()

    def _wake(self, game: UUID, version: int | None = None) -> None:
        if game in self._players:
            self._players[game].wake(version)

    def _after_failed_stream(self, reading: asyncio.Task[None]) -> None:
        """If a game may no longer be seen, let its player read it, and follow the others again."""
        error = reading.exception()
        if error is None:
            return
        if not isinstance(error, NotFound | Forbidden):
            raise error
        self._followed.clear()
        for player in self._players.values():
            player.wake()

    # --- challenges and tables ---

    async def _answer(self, challenge: Item) -> None:
        """Accept or decline a challenge. One that others have to accept as well is played when it is dealt."""
        reason, game = await self._reason_to_decline(challenge), UUID(challenge["game"])
        path = f"/api/v1/challenges/{challenge['id']}"
        if reason is None:
            make = self._strategy_for(challenge["rules"])
            assert make is not None
            seat = await self._seat(Table.of_challenge(challenge), make)
            seat.pop("seat", None)  # the challenge reserves one
            await self._post(f"{path}/accept/", seat)
            self._tables[game] = make
            self._follow_game(game, 0)
        else:
            await self._post(f"{path}/decline/", {"reason": reason})
        done = "accepted" if reason is None else f"declined ({reason})"
        challenger = challenge["challenger"]["name"]
        log.info("game %s %s: challenge of %s %s", game, challenge["rules"], challenger, done)

    async def _reason_to_decline(self, challenge: Item) -> str | None:
        if not self.options.accept:
            return "generic"
        make = self._strategy_for(challenge["rules"])
        if make is None:
            return "game"
        game = UUID(challenge["game"])
        strategy = await self._instance(game, make)
        if isinstance(strategy, Accepts) and not await self._asked(strategy.accept, challenge, default=False):
            self._instances.pop(game)
            return "options"
        return None

    async def _instance(self, game: UUID, make: Make) -> Strategy | None:
        """The strategy of a game, made before the deal; None if it raises."""
        if game not in self._instances:
            made: Strategy | None = await self._asked(make, default=None)
            if made is None:
                return None
            self._instances[game] = made
        return self._instances[game]

    async def _asked(self, function: Any, *arguments: Any, default: Any) -> Any:
        """What a method of a strategy returns, or the default if it raises."""
        try:
            return await called(function, *arguments)
        except Exception:
            log.exception("a strategy failed")
            return default

    async def _post(self, path: str, body: Mapping[str, Any]) -> None:
        await self.client.session.post(path, json=dict(body), headers={"Idempotency-Key": new_key()})

    async def _seat(self, table: Table, make: Make) -> dict[str, Any]:
        """The members of the request that takes a seat. A strategy that has no wish gets the first free suit."""
        strategy = await self._instance(table.id, make)
        wishes: Mapping[str, Any] = {}
        if isinstance(strategy, Seats):
            wishes = await self._asked(strategy.seat, table, default=wishes)
        suit = {"suit": table.free_suits[0]} if table.free_suits else {}
        return {"client_seed": new_key(), **suit, **wishes}

    async def _open(self, rules: str) -> None:
        """Open tables of a game one after the other, and play at them."""
        make = self._strategy_for(rules)
        if make is None:
            raise RacecardError(f"no strategy plays {rules}")
        while self.options.games is None or self._opened < self.options.games:
            self._opened += 1
            members = dict(self.options.table)
            game = await self.client.open_game(rules, members.pop("config", None), **members)
            if game.seats:
                game = await self._take_seat(game, make)
            if all(seat.kind is not None for seat in game.seats):
                await self.client.start(game.id)
                self.play(game.id, make)
            await self._until_over(game.id)

    async def _take_seat(self, game: GameOutput, make: Make) -> GameOutput:
        """Take a seat, and play when the game is dealt."""
        taken = await self.client.take_seat(game.id, **await self._seat(Table.of(game), make))
        self._tables[game.id] = make
        self._follow_game(game.id, taken.version)
        log.info("game %s %s: waiting for the deal", game.id, game.rules)
        return taken

    async def _until_over(self, game: UUID) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: game not in self._players and game not in self._tables)

    async def _join(self) -> None:
        while True:
            if len(self._tables) < self.options.at_once:
                await self._tolerant(self._join_one())
            await asyncio.sleep(JOIN_EVERY)

    async def _join_one(self) -> None:
        """Take a free seat at a table for points, if there is one."""
        page = answered(
            await games_list.asyncio(
                client=self.client.rest,
                free=True,
                you=True,
                stake=GamesListStake.POINTS,
                status=GamesListStatus.OPEN,
            )
        )
        for line in page.results:
            make, you = self._strategy_for(line.rules), line.you
            if make is not None and you is not None and you.obstacle is None and you.seat is None:
                await self._take_seat(await self.client.game(line.id), make)
                return

    async def _leave_tables(self) -> None:
        """Leave the tables that were not dealt, so that others do not wait for the bot."""
        with suppress(TimeoutError, RacecardError):
            async with asyncio.timeout(LEAVING):
                for game in self._tables:
                    with suppress(ProblemError):
                        await self.client.session.delete(f"/api/v1/games/{game}/seats/me/")
