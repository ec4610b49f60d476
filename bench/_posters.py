"""Processes that make postings on request, each side with separate settings.

A poster reads the name of an action and a duration from its standard input, and answers with its count, the seconds
that it took, and its processor seconds.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from bench._common import size
from bench._meters import Pace, server_seconds

ACCOUNTS = size(500, 100)
"""The number of players on each side."""

WARM = size(10, 1)


def serve(prepare: Callable[[], None], poster: Callable[[], Any]) -> None:
    """Run a child process: `prepare` if requested, else one action after the other until the input ends."""
    if sys.argv[1:] == ["prepare"]:
        prepare()
        return
    actions = poster()
    print("ready", flush=True)
    for line in sys.stdin:
        name, seconds = line.split()
        action = getattr(actions, name)
        for _ in range(WARM):
            action()
        print("warm", flush=True)
        sys.stdin.readline()
        used, began, count = time.process_time(), time.perf_counter(), 0
        while (took := time.perf_counter() - began) < float(seconds):
            action()
            count += 1
        answer = {"count": count, "seconds": took, "processor": time.process_time() - used}
        print(json.dumps(answer), flush=True)


class Posters:
    """Several processes of one side, which post concurrently."""

    def __init__(self, module: str, number: int, environment: Mapping[str, str]) -> None:
        self._children = [
            subprocess.Popen(
                [sys.executable, "-m", module],
                env=environment,
                cwd=Path(__file__).parent.parent,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(number)
        ]

    def __enter__(self) -> Posters:
        for child in self._children:
            self._read(child)
        return self

    def pace(self, action: str, seconds: float) -> Pace:
        """Measure all processes together, which begin when all are warm."""
        self._ask(f"{action} {seconds}")
        before = server_seconds()
        answers = [json.loads(line) for line in self._ask("go")]
        used = server_seconds() - before + sum(answer["processor"] for answer in answers)
        rate = sum(answer["count"] / answer["seconds"] for answer in answers)
        return Pace(rate, 1000 * used / sum(answer["count"] for answer in answers))

    def _ask(self, word: str) -> list[str]:
        for child in self._children:
            self._send(child, word)
        return [self._read(child) for child in self._children]

    def _send(self, child: subprocess.Popen[str], word: str) -> None:
        assert child.stdin is not None
        child.stdin.write(word + "\n")
        child.stdin.flush()

    def _read(self, child: subprocess.Popen[str]) -> str:
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line:
            raise RuntimeError("a poster has died")
        return line

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        for child in self._children:
            assert child.stdin is not None
            child.stdin.close()
            child.wait(30)


def prepare(module: str, environment: Mapping[str, str]) -> None:
    subprocess.run(
        [sys.executable, "-m", module, "prepare"],
        env=environment,
        cwd=Path(__file__).parent.parent,
        check=True,
    )


class PgBench:
    """One connection of pgbench, which sends one prepared statement again and again."""

    def __init__(self, statement: str) -> None:
        self._statement = statement

    @staticmethod
    def program() -> str | None:
        """Return the path of pgbench; None, with a message, if it is not installed."""
        found = shutil.which("pgbench", path=os.environ.get("PG_BIN")) or shutil.which("pgbench")
        if found is None:
            print(
                "  not measured: pgbench is not installed here; PG_BIN names the folder of PostgreSQL's programs"
            )
        return found

    def pace(self, _: str, seconds: float) -> Pace:
        program = self.program()
        assert program is not None
        length = ["-T", str(round(seconds))] if seconds >= 1 else ["-t", "20"]
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(self._statement)
            script.flush()
            before = _children_seconds() + server_seconds()
            done = subprocess.run(
                [program, "-n", "-M", "prepared", *length, "-f", script.name, os.environ["DATABASE_URL"]],
                capture_output=True,
                text=True,
                check=True,
            )
            used = _children_seconds() + server_seconds() - before
        rate = re.search(r"tps = ([\d.]+)", done.stdout)
        count = re.search(r"actually processed: (\d+)", done.stdout)
        assert rate is not None and count is not None, done.stdout  # noqa: PT018
        return Pace(float(rate[1]), 1000 * used / int(count[1]))


def _children_seconds() -> float:
    """Return the processor seconds of the children of this process that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
