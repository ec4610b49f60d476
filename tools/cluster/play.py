"""The players of the rehearsal: REST clients that keep a journal of every command and its answer.

`python -m tools.cluster.play FOLDER` plays until SIGTERM. FOLDER/play.json names the server, the tokens, and the
market; FOLDER/journal.jsonl is appended: a line for each command that was answered, each probe, and each event stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import httpx

from racecard_client import (
    AsyncClient,
    ConnectionLost,
    ProblemError,
    Retry,
    TooManyRequests,
    Unavailable,
    new_key,
)

MOVES = 24
"""Moves of a player in one game, after which the next game is opened."""

PATIENCE = 180.0
"""Seconds for which a command is repeated."""

PROBE_PERIOD = 0.25
PROBE_TIMEOUT = 8.0
RULES: Sequence[Mapping[str, Any]] = (
    {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}},
    {"rules": "ace-race", "seats": 2, "bots": [1]},
)


class Journal:
    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, kind: str, began: float, **members: Any) -> None:
        line = {"kind": kind, "began": began, "ended": time.time(), **members}
        self._file.write(json.dumps(line, default=str) + "\n")
        self._file.flush()


class Player:
    """A client as a program of a player has it: it repeats a command with its key until it is answered."""

    def __init__(self, url: str, person: Mapping[str, str], journal: Journal, stop: asyncio.Event) -> None:
        self.id, self.journal, self.stop = person["id"], journal, stop
        self.client = AsyncClient(url, person["token"], retry=Retry(longest_wait=2.0), timeout=20.0)
        self._sent: Counter[str] = Counter()
        self.client.session.event_hooks = {"request": [self._count]}

    async def _count(self, request: httpx.Request) -> None:
        self._sent[request.headers.get("Idempotency-Key", "")] += 1

    async def command(
        self, kind: str, path: str, body: Mapping[str, Any], **named: Any
    ) -> dict[str, Any] | None:
        """Send a command until it is answered; None if it was refused, or never answered."""
        key, began = new_key(), time.time()
        outcome: dict[str, Any] = {"status": "unanswered"}
        answer: dict[str, Any] | None = None
        while time.time() < began + PATIENCE:
            try:
                response = await self.client.session.post(
                    f"/api/v1/{path}", json=dict(body), headers={"Idempotency-Key": key}
                )
            except (ConnectionLost, Unavailable, TooManyRequests) as error:
                outcome["code"] = getattr(error, "code", "connection-lost")
                await asyncio.sleep(1.0)
                continue
            except ProblemError as error:
                outcome = {"status": "refused", "code": error.code, "detail": str(error)[:300]}
                break
            answer = response.json()
            outcome = {"status": "done"}
            break
        answered = answer or {}
        receipt = {name: answered[name] for name in ("id", "version", "hash", "posting") if name in answered}
        self.journal.write(
            kind, began, key=key, sent=self._sent.pop(key, 0), player=self.id, **named, **outcome, **receipt
        )
        return answer

    async def read(self, path: str) -> dict[str, Any] | None:
        """Read until there is an answer; None without one."""
        began = time.time()
        while time.time() < began + PATIENCE:
            try:
                answer: dict[str, Any] = (await self.client.session.get(f"/api/v1/{path}")).json()
                return answer
            except (ConnectionLost, Unavailable, TooManyRequests):
                await asyncio.sleep(1.0)
            except ProblemError as error:
                self.journal.write("read", began, status="refused", code=error.code, path=path)
                return None
        return None

    # --- games ---

    async def play(self, rules: Mapping[str, Any], chance: random.Random, think: float) -> None:
        """Play a game for some moves, and follow its event stream meanwhile."""
        opened = await self.command("open", "games/", rules)
        if opened is None:
            return
        game = opened["id"]
        seated = await self.command("seat", f"games/{game}/seats/", {"client_seed": "rehearsal"}, game=game)
        if seated is None:
            return
        follower = Follower(self, game)
        stream = asyncio.create_task(follower.run())
        try:
            last = await self._moves(game, chance, think)
            await follower.reach(last)
        finally:
            stream.cancel()
            await asyncio.gather(stream, return_exceptions=True)
            follower.record()

    async def _moves(self, game: str, chance: random.Random, think: float) -> int:
        """The version that the last answer named."""
        shown = await self.command("start", f"games/{game}/start/", {}, game=game)
        last = int(shown["version"]) if shown else 0
        for _ in range(MOVES):
            if self.stop.is_set():
                return last
            await asyncio.sleep(think * chance.uniform(0.5, 1.5))
            while shown is not None and not shown.get("legal_moves") and not self.stop.is_set():
                shown = await self.read(f"games/{game}/")
                if shown is None or shown["status"] != "active":
                    return last
                if not shown["legal_moves"]:
                    await asyncio.sleep(think)
            if shown is None or not shown.get("legal_moves"):
                return last
            move = chance.choice(shown["legal_moves"])
            shown = await self.command("move", f"games/{game}/moves/", {"move": move}, game=game)
            last = int(shown["version"]) if shown else last
        return last

    async def bet(self, market: str, runner: str) -> None:
        await self.command("bet", f"markets/{market}/bets/", {"runner": runner, "stake": 1}, market=market)


class Follower:
    """An event stream of a game, as a client follows it: each version must come once, in order."""

    def __init__(self, player: Player, game: str) -> None:
        self.player, self.game = player, game
        self.began = time.time()
        self.version = 0
        self.wanted = 0
        self.faults: list[str] = []

    async def run(self) -> None:
        try:
            async for event in self.player.client.events(self.game):
                if event.version != self.version + 1:
                    self.faults.append(f"{event.version} after {self.version}")
                self.version = event.version
        except (ProblemError, ConnectionLost) as error:
            self.faults.append(str(error)[:300])

    async def reach(self, version: int) -> None:
        """Wait until all events up to that version have come."""
        self.wanted = version
        deadline = time.time() + PATIENCE
        while self.version < version and not self.faults and time.time() < deadline:
            await asyncio.sleep(0.2)
        if self.version < version:
            self.faults.append(f"ends at {self.version} of {version}")

    def record(self) -> None:
        members = {"game": self.game, "version": self.version, "wanted": self.wanted, "faults": self.faults}
        self.player.journal.write("stream", self.began, **members)


class Probe:
    """Single requests at a fixed rate, which are not repeated: they show when the cluster answers."""

    def __init__(self, url: str, journal: Journal, token: str = "") -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        limits = httpx.Limits(max_connections=200)
        self.http = httpx.AsyncClient(base_url=url, headers=headers, timeout=PROBE_TIMEOUT, limits=limits)
        self.journal = journal
        self._running: set[asyncio.Task[None]] = set()

    async def run(self, what: str, path: str, body: Mapping[str, Any] | None, player: str = "") -> None:
        while True:
            task = asyncio.create_task(self._once(what, path, body, player))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            await asyncio.sleep(PROBE_PERIOD)

    async def _once(self, what: str, path: str, body: Mapping[str, Any] | None, player: str) -> None:
        key, began = new_key(), time.time()
        code, receipt = "connection-lost", {}
        with contextlib.suppress(httpx.HTTPError):
            if body is None:
                response = await self.http.get(f"/api/v1/{path}")
            else:
                response = await self.http.post(
                    f"/api/v1/{path}", json=dict(body), headers={"Idempotency-Key": key}
                )
            code = str(response.status_code)
            if response.is_success and body is not None:
                receipt = {"posting": response.json()["posting"]}
        status = "done" if code in ("200", "201") else "failed"
        self.journal.write(what, began, key=key, status=status, code=code, player=player, **receipt)


async def play_on(player: Player, number: int, config: Mapping[str, Any]) -> None:
    chance = random.Random(f"{config['seed']} {number}")  # noqa: S311 - the choice of moves
    await asyncio.sleep(chance.uniform(0, config["think"] * 2))
    while not player.stop.is_set():
        for _ in range(3):
            await player.bet(config["market"], chance.choice(config["runners"]))
        await player.play(RULES[number % len(RULES)], chance, config["think"])


async def main(folder: Path) -> None:
    config = json.loads((folder / "play.json").read_text())
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    with (folder / "journal.jsonl").open("a") as file:
        journal = Journal(file)
        writer = Probe(config["url"], journal, config["administrator"]["token"])
        # Without a token: who has just written reads from the primary for a while.
        reader = Probe(config["url"], journal)
        deposit = {"player": config["players"][0]["id"], "amount": 1, "reason": "probe"}
        work: list[Coroutine[Any, Any, None]] = [
            play_on(Player(config["url"], person, journal, stop), number, config)
            for number, person in enumerate(config["players"])
        ]
        probes = [
            asyncio.create_task(writer.run("probe-write", "deposits/", deposit, deposit["player"])),
            asyncio.create_task(reader.run("probe-read", f"tournaments/{config['tournament']}/", None)),
        ]
        results = await asyncio.gather(*work, return_exceptions=True)
        for task in probes:
            task.cancel()
        for result in results:
            if isinstance(result, BaseException):
                journal.write("defect", time.time(), detail=repr(result))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
