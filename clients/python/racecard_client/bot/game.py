"""One game of a bot, from the deal to the end: read the position, ask the strategy, move, wait."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from racecard_client.bot.strategy import Closes, Make, Move, Observes, Opens, Random, Strategy, Table, View
from racecard_client.client import ENDS, AsyncClient, new_key
from racecard_client.errors import BadRequest, Conflict, PreconditionFailed, ProblemError, TooManyRequests
from racecard_client.rest.models import GameOutput, PlayedOutput

log = logging.getLogger("racecard.bot")

Fallback = Literal["wait", "random"]
CHANCE = Random()
MOST_PROBLEMS = 20
"""The most problems of one game that are logged; all are counted."""
RACE_PACE = 1.5
"""Seconds between two moves where all seats play at once: those of the server's bots, and of a practised player."""


@dataclass(slots=True)
class Record:
    """What happened in one game."""

    moves: int = 0
    refused: int = 0
    """Moves that the server refused in the position for which they were chosen."""
    late: int = 0
    """Moves that another seat's event preceded, so that they were chosen again."""
    errors: int = 0
    """Calls of the strategy that raised."""
    slowest: float = 0.0
    """The longest decision, in seconds."""
    problems: list[str] = field(default_factory=list)
    """A line for each refused move and each exception, of the first ones."""
    outcome: Mapping[str, Any] | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    version: int
    view: View
    legal: Sequence[Move]
    ended: bool

    @classmethod
    def of(cls, game: GameOutput) -> Position:
        view = {} if game.view is None else game.view.to_dict()
        legal = [move.to_dict() for move in game.legal_moves]
        return cls(game.version, view, legal, game.status.value in ("finished", "void"))

    @classmethod
    def after(cls, played: PlayedOutput) -> Position:
        legal = [move.to_dict() for move in played.legal_moves]
        ended = any(event.type_ in ENDS for event in played.events)
        return cls(played.version, played.view.to_dict(), legal, ended)


async def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a method of a strategy: a coroutine function here, another in a thread, which the end does not wait for."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if answer.cancelled():
            return
        if error is None:
            answer.set_result(result)
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            answer.set_exception(error)
        else:  # one that would end more than the call
            answer.set_exception(RuntimeError(f"{type(error).__name__}: {error}"))

    def call() -> None:
        result, failure = None, None
        try:
            result = function(*arguments)
        except BaseException as error:
            failure = error
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=call, daemon=True).start()
    return await answer


class GamePlayer:
    """Plays one game with its own strategy."""

    def __init__(
        self,
        client: AsyncClient,
        game: UUID,
        make: Make,
        *,
        follow: Callable[[UUID, int], None],
        fallback: Fallback = "wait",
        pace: float = RACE_PACE,
    ) -> None:
        self.client, self.id, self.record = client, game, Record()
        self._make, self._follow, self._fallback, self._pace = make, follow, fallback, pace
        self._strategy: Strategy | None = None
        self._table: Table | None = None
        self._woken, self._must_read = asyncio.Event(), False
        self._newest = 0
        """The newest version that an event has named."""
        self._position: Position | None = None
        self._seen = 0
        self._waited_at = 0
        """The version at which the strategy has chosen to wait, or has failed."""
        self._moved_at = 0.0
        self._at_once = False

    @property
    def version(self) -> int:
        return 0 if self._position is None else self._position.version

    def wake(self, version: int | None = None) -> None:
        """Read the game again, unless it is known up to this version."""
        self._newest = max(self._newest, version or 0)
        self._must_read = self._must_read or version is None
        if self._is_behind:
            self._woken.set()

    @property
    def _is_behind(self) -> bool:
        return self._must_read or self._newest > self.version

    async def play(self) -> Record:
        """Play until the game has ended."""
        started = time.monotonic()
        await self._begin()
        while not self._now.ended:
            self._woken.clear()
            if self._is_behind:
                await self._read()
            if self._now.ended:
                break
            if not self._may_move():
                self._follow(self.id, self.version)
                await self._woken.wait()
            elif (wait := self._pause()) > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), wait)
                await asyncio.sleep(self._pause())
            else:
                await self._decide()
        await self._end(time.monotonic() - started)
        return self.record

    @property
    def _now(self) -> Position:
        assert self._position is not None
        return self._position

    async def _begin(self) -> None:
        game = await self.client.game(self.id)
        self._position, self._table = Position.of(game), Table.of(game)
        self._at_once = len(game.to_act) > 1
        self._strategy = await self._call("the constructor", self._make)
        if isinstance(self._strategy, Opens):
            await self._call("open", self._strategy.open, self._table)
        if self._at_once:
            self._follow(self.id, self.version)

    async def _read(self) -> None:
        self._must_read = False
        game = await self.client.game(self.id)
        if game.version >= self.version:
            self._position = Position.of(game)
            self.record.outcome = None if game.outcome is None else game.outcome.to_dict()

    def _may_move(self) -> bool:
        return bool(self._now.legal) and self._waited_at != self.version

    def _pause(self) -> float:
        """The seconds until the next move, so that a bot does not overrun people who play at the same time."""
        return self._moved_at + self._pace - time.monotonic() if self._at_once else 0.0

    async def _decide(self) -> None:
        position = self._now
        await self._catch_up()
        move = await self._choice(position)
        if move is None:
            self._waited_at = position.version
        else:
            await self._move(position, move)

    async def _choice(self, position: Position) -> Move | None:
        errors, began = self.record.errors, time.monotonic()
        move: Move | None = None
        if self._strategy is not None:
            move = await self._call("choose", self._strategy.choose, position.view, position.legal)
            self.record.slowest = max(self.record.slowest, time.monotonic() - began)
        if move is not None and not isinstance(move, Mapping):
            self._failed("choose", TypeError(f"returned {move!r}: a move of `legal` or None is needed"))
            move = None
        failed = self._strategy is None or self.record.errors > errors
        return self._instead(position) if failed else move

    def _instead(self, position: Position) -> Move | None:
        return CHANCE.choose(position.view, position.legal) if self._fallback == "random" else None

    async def _move(self, position: Position, move: Move) -> None:
        """Make a move. One that comes too late is chosen again; one that is illegal is replaced or left out."""
        version = None if self._at_once else position.version
        self._moved_at = time.monotonic()
        try:
            played = await self.client.move(self.id, move, version=version, idempotency_key=new_key())
        except TooManyRequests as error:
            await asyncio.sleep(error.retry_after or RACE_PACE)
        except PreconditionFailed:
            self.record.late += 1
            await self._read()
        except (BadRequest, Conflict) as error:
            await self._read()
            if self.version != position.version:
                self.record.late += 1
            elif self._now.legal:  # else the game was suspended
                await self._refused(position, move, error)
        else:
            self.record.moves += 1
            self._position = Position.after(played)
            if self._now.ended:
                await self._read()

    async def _refused(self, position: Position, move: Move, error: ProblemError) -> None:
        self.record.refused += 1
        self._problem(f"version {position.version}: the move {dict(move)} was refused: {error}")
        self._waited_at = position.version
        instead = self._instead(position)
        if instead is not None and move not in position.legal:
            await self._move(position, instead)

    # --- the strategy's other methods ---

    async def _catch_up(self) -> None:
        """Show the strategy the events that it has not seen."""
        strategy = self._strategy
        if not isinstance(strategy, Observes):
            return
        while self._seen < self.version:
            page = await self.client.session.get(f"/api/v1/games/{self.id}/events/?after={self._seen}")
            for event in page.json()["results"]:
                self._seen = event["version"]
                await self._call("observe", strategy.observe, event)

    async def _end(self, seconds: float) -> None:
        self.record.ended = True
        if self.record.outcome is None:
            await self._read()
        await self._catch_up()
        if isinstance(self._strategy, Closes):
            await self._call("close", self._strategy.close, self.record.outcome)
        log.info("%s", self._summary(seconds))

    def _summary(self, seconds: float) -> str:
        assert self._table is not None
        one = self.record
        seat = "operator" if self._table.seat is None else f"seat {self._table.seat} of {self._table.seats}"
        return (
            f"game {self.id} {self._table.rules}, {seat}: {result(one.outcome, self._table.seat)}; "
            f"{one.moves} moves, {one.refused} refused, {one.errors} errors, {seconds:.1f} s"
        )

    async def _call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the strategy. Return None if it raises, which is logged."""
        try:
            return await called(function, *arguments)
        except Exception as error:
            self._failed(name, error)
            return None

    def _failed(self, method: str, error: Exception) -> None:
        self.record.errors += 1
        self._problem(f"version {self.version}: {method} raised {type(error).__name__}: {error}", error)

    def _problem(self, line: str, error: Exception | None = None) -> None:
        """Log a problem, the first ones of a game only; an exception with its traceback the first time."""
        problems = self.record.problems
        if len(problems) < MOST_PROBLEMS:
            log.error("game %s, %s", self.id, line, exc_info=None if problems else error)
            problems.append(line)


def result(outcome: Mapping[str, Any] | None, seat: int | None) -> str:
    """The result of a seat in words."""
    if outcome is None:
        return "called off"
    places: Sequence[Sequence[int]] = outcome.get("places", ())
    for place, seats in enumerate(places, start=1):
        if seat in seats:
            return f"place {place}"
    words = str(outcome.get("result", "ended"))
    return f"{words}, {outcome['cards']} cards" if "cards" in outcome else words
