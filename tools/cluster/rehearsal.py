"""The rehearsal: bots and clients play on a cluster, faults happen, and everything is compared at the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.cluster.faults import FAULTS, Unsafe
from tools.cluster.hosts import Host, Network, Service
from tools.cluster.installation import ROOT, Installation
from tools.cluster.services import PASSWORDS, Servers
from tools.services import until

STALL_TIMEOUT = 180.0
"""Seconds without a new event after which tournaments are not expected to end."""

EXAMINATION_TIMEOUT = 1800.0
"""Seconds for one step of the comparison at the end."""

STARTS = 3
"""A program of a host that has ended so often while the cluster is built does not start at all."""

MOST_TOURNAMENTS = 3
"""Each is run once more undisturbed at the end, which takes time."""

EVENTS = "tests/faults/stage_events.py"


@dataclass(frozen=True)
class Plan:
    bots: int
    clients: int
    rounds: int
    gap: int
    """Seconds between two rounds."""
    think: float
    """Seconds between two commands of a client, on average."""
    seed: str
    faults: Sequence[str]
    previous: str
    """The revision with which the processes begin; empty: the present one."""


@dataclass
class Window:
    """A fault, from its beginning until the cluster is whole again."""

    title: str
    began: float
    ended: float = 0.0
    note: str = ""
    failure: str = ""


class Rehearsal:
    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        (folder / "logs").mkdir()
        self.present, self.present_name = ROOT, _revision("HEAD")
        self.previous_name = _revision(plan.previous) if plan.previous else self.present_name
        network = Network()
        self.servers = Servers(network, folder)
        self.installation = Installation(network, self.servers, self._checkout())
        self.spare = network.host("spare", 4)
        self.windows: list[Window] = []
        self.failure = ""
        """Why play was cut off."""
        self.tournaments: list[tuple[str, str]] = []
        """Seed and id of each."""
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._play: Service | None = None

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:6.1f} s  {text}", flush=True)

    def _checkout(self) -> Path:
        """The files of the previous revision."""
        if not self.plan.previous:
            return ROOT
        folder = self.folder / "previous"
        folder.mkdir()
        archive = subprocess.run(
            ["git", "archive", self.plan.previous], cwd=ROOT, check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
        return folder

    # --- bringing it up ---

    def bring_up(self) -> None:
        threading.Thread(target=self._supervise, daemon=True).start()
        servers, installation = self.servers, self.installation
        servers.start_etcd()
        first, *others = servers.databases
        servers.start_patroni(first)
        servers.start_redis()
        until(servers.primary, "a first primary", 90)
        for host in others:
            servers.start_patroni(host)
        primary = servers.await_members(3, 120)
        servers.create_database(primary)
        for host in installation.hosts:
            servers.start_sidecars(host)
        servers.start_front(installation.front, installation.web, installation.streams)
        self.say(f"PostgreSQL: primary {primary.name}, with a synchronous and an asynchronous standby")
        until(lambda: self._answers(installation.workers[0]), "PgBouncer leads to the primary", 60)
        installation.prepare()
        installation.start_all()
        for host in (*installation.web, *installation.streams):
            until(lambda host=host: self._serves(host), f"{host.name} serves", 120)  # type: ignore[misc]
        self.say(f"Racecard {self.previous_name} serves at {installation.url}")

    def _serves(self, host: Host) -> bool:
        """Raises RuntimeError with the log of a program that ends again and again."""
        for service in self.servers.services.values():
            if service.host is host and service.restarts >= STARTS:
                raise RuntimeError(f"{service.host.name} {service.name} does not start:\n{service.said()}")
        return self.installation.serves(host)

    def _answers(self, host: Host) -> bool:
        command = [
            "psql",
            "-X",
            "-q",
            "-h",
            "127.0.0.1",
            "-p",
            "6432",
            "-U",
            "racecard",
            "-c",
            "SELECT 1",
            "racecard",
        ]
        environment = {"PATH": "/usr/bin:/bin", "PGPASSWORD": PASSWORDS["racecard"], "PGCONNECT_TIMEOUT": "3"}
        try:
            host.run(command, env=environment, seconds=15)
        except (RuntimeError, subprocess.TimeoutExpired):
            return False
        return True

    def _supervise(self) -> None:
        while not self._ended.wait(0.25):
            for service in list(self.servers.services.values()):
                service.tend()

    # --- play ---

    def begin_play(self) -> None:
        config = self.installation.stage("prepare", players=self.plan.clients)
        tournament = self.begin_tournament()
        document = {
            **config,
            "url": self.installation.url,
            "tournament": tournament,
            "think": self.plan.think,
            "seed": self.plan.seed,
        }
        self.betting = config["betting"]
        (self.folder / "play.json").write_text(json.dumps(document))
        paths = (ROOT, ROOT / "platform", ROOT / "clients" / "python")
        self._play = self.servers.service(
            "play",
            self.installation.players,
            [sys.executable, "-m", "tools.cluster.play", str(self.folder)],
            environment={"PYTHONPATH": ":".join(map(str, paths))},
            is_restarted=False,
        )
        (self.folder / "journal.jsonl").touch()
        self._play.start()
        self.await_writes()
        self.say(f"{self.plan.clients} clients play, and a tournament of {self.plan.bots} bots")

    def event(self, seed: str) -> Mapping[str, Any]:
        """The terms of a tournament, as the stage of events takes them. Those after the first one are short."""
        is_first = seed.endswith(" 1")
        return {
            "seed": seed,
            "bots": self.plan.bots,
            "format": "swiss",
            "rules": "ace-race",
            "seats": 4,
            "rounds": self.plan.rounds if is_first else 1,
            "gap_seconds": self.plan.gap if is_first else 0,
        }

    def begin_tournament(self) -> str:
        seed = f"{self.plan.seed} {len(self.tournaments) + 1}"
        id = str(self.installation.stage("begin", script=EVENTS, **self.event(seed)))
        self.tournaments.append((seed, id))
        return id

    # --- faults ---

    def fault(self, name: str) -> None:
        title, cause = FAULTS[name]
        self._keep_tournament()
        self.await_writes()
        self.say(f"fault: {title}")
        window = Window(title, time.time(), failure="cut off before the cluster was whole again")
        self.windows.append(window)
        try:
            note, failure = self._cause(cause)
            time.sleep(3)
            window.note, window.failure = note, failure
        finally:
            window.ended = time.time()
        self.say(f"       {window.note or window.failure[:1500]}")

    def _cause(self, cause: Callable[[Rehearsal], str]) -> tuple[str, str]:
        """Return the note of a fault from which the cluster recovered, or its failure."""
        try:
            note = cause(self)
            self.await_writes()
        except (TimeoutError, RuntimeError, OSError, Unsafe, subprocess.SubprocessError) as error:
            return "", f"{type(error).__name__}: {error}"
        return note, ""

    def _keep_tournament(self) -> None:
        """Begin another tournament if the last one has ended."""
        if len(self.tournaments) < MOST_TOURNAMENTS and self._are_over([id for _, id in self.tournaments]):
            self.begin_tournament()

    def _are_over(self, tournaments: Sequence[str]) -> bool:
        ended = "SELECT count(*) FROM tournaments_tournament WHERE status IN ('finished', 'cancelled') AND id IN ({})"
        ids = ", ".join(f"'{id}'" for id in tournaments)
        rows = self.servers.sql(self.primary(), ended.format(ids), database="racecard")
        return rows == [[str(len(tournaments))]]

    def primary(self) -> Host:
        found: Host = until(self.servers.primary, "a primary", 60)
        return found

    def lines(self, tail: int | None = None) -> list[dict[str, Any]]:
        """The journal of the clients so far, or the lines of so many bytes at its end."""
        with (self.folder / "journal.jsonl").open("rb") as file:
            if tail is not None:
                file.seek(max(0, file.seek(0, os.SEEK_END) - tail))
                file.readline()
            return [
                json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith(b"\n")
            ]

    def await_writes(self) -> None:
        """Wait until a write that begins from now on is answered. Raises RuntimeError if the players have ended."""
        since = time.time()

        def is_answered() -> bool:
            if self._play is not None and not self._play.is_running:
                raise RuntimeError(f"the players have ended:\n{self._play.said()}")
            time.sleep(0.25)
            writes = (line for line in self.lines(tail=50_000) if line["kind"] == "probe-write")
            return any(line["status"] == "done" and line["began"] > since for line in writes)

        until(is_answered, "a write is answered", 120)

    # --- the end ---

    def end_play(self) -> None:
        """Stop the clients, whose last games end, and let the tournaments come to their end."""
        self.say("the clients finish their games")
        self.stop_clients(patience=90)
        self.installation.stage("settle", betting=self.betting)
        self._await_tournaments([self.betting, *(id for _, id in self.tournaments)])
        self.say("the tournaments have ended")

    def _await_tournaments(self, ids: Sequence[str]) -> None:
        """Wait until they are over, as long as something happens in them."""
        while not self._are_over(ids):
            before = self._last_event()
            changed = lambda before=before: self._are_over(ids) or self._last_event() != before  # noqa: E731
            until(changed, "the tournaments go on", STALL_TIMEOUT, pause=1.0)

    def _last_event(self) -> list[list[str]]:
        query = "SELECT max(position) FROM eventstore_event"
        return self.servers.sql(self.primary(), query, database="racecard")

    def stop_clients(self, patience: float) -> None:
        """End the clients after the command in their hands, or after so many seconds."""
        if self._play is not None and self._play.is_running:
            self._play.stop(patience)
            if said := self._play.said():
                self.say(said)

    def examine(self) -> dict[str, Any]:
        """Compare what was answered with what is stored, audit, and compare with the undisturbed tournaments.

        What an error has cut off is named in `unfinished`.
        """
        stage, found = self.installation.stage, dict[str, Any](unfinished=self.failure, tournaments=[])
        try:
            undisturbed = [self._undisturbed(seed) for seed, _ in self.tournaments]
            found |= stage("compare", journal=str(self.folder / "journal.jsonl"), seconds=EXAMINATION_TIMEOUT)
            self.say("the journals are compared")
            found["audit"] = stage("audit", seconds=EXAMINATION_TIMEOUT)
            found["state"] = stage("state", ids=[id for _, id in self.tournaments])
            self.say("audited")
            for (_, id), process in zip(self.tournaments, undisturbed, strict=True):
                summary = stage("summary", script=EVENTS, id=id, is_alone=False)
                found["tournaments"].append(self._same(summary, process))
            self.say("compared with the undisturbed tournaments")
        except (TimeoutError, RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
            found["unfinished"] = f"{type(error).__name__}: {error}"
        return found

    def _undisturbed(self, seed: str) -> subprocess.Popen[str]:
        """Run the same tournament in one process, in its own installation."""
        host = self.installation.workers[1]
        environment = self.installation.environment(host)
        data = self.folder / f"undisturbed-{len(seed)}-{seed.rpartition(' ')[2]}"
        kept = {name: environment[name] for name in ("PATH", "PYTHONPATH", "RACECARD_PLAY_CREDIT")}
        command = [
            sys.executable,
            "-P",
            ROOT / EVENTS,
            "undisturbed",
            json.dumps({"is_alone": False, **self.event(seed)}),
        ]
        return subprocess.Popen(
            list(map(str, command)),
            env={**kept, "RACECARD_DATA": str(data)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _same(self, found: Mapping[str, Any], undisturbed: subprocess.Popen[str]) -> dict[str, Any]:
        output, _ = undisturbed.communicate(timeout=EXAMINATION_TIMEOUT)
        expected = json.loads(output.splitlines()[-1])
        parts = ("events", "games", "money")
        return {
            "games": len(found["games"]),
            "stored": found["stored"],
            "differ": [part for part in parts if found[part] != expected[part]],
        }

    def close(self) -> None:
        self._ended.set()
        for service in self.servers.services.values():
            service.down()


def _revision(name: str) -> str:
    """Raises SystemExit if this clone does not have it."""
    command = ["git", "rev-parse", "--verify", "--short=8", name]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"racecard: {name}: {done.stderr.strip()}; name another revision with --previous")
    return done.stdout.strip()
