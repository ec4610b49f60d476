"""Processes that make postings on request, each side with separate settings.

A poster reads the name of an action and a duration from its standard input, and answers with a rate.
"""

from __future__ import annotations

import json
import os
import re
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
        count, began = 0, time.perf_counter()
        while (took := time.perf_counter() - began) < float(seconds):
            action()
            count += 1
        print(json.dumps({"rate": count / took}), flush=True)


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

    def rate(self, action: str, seconds: float) -> float:
        """Return the rate of all processes together, which begin when all are warm."""
        for word in (f"{action} {seconds}", "go"):
            for child in self._children:
                self._send(child, word)
            answers = [self._read(child) for child in self._children]
        return sum(float(json.loads(line)["rate"]) for line in answers)

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

    def rate(self, _: str, seconds: float) -> float:
        program = self.program()
        assert program is not None
        length = ["-T", str(round(seconds))] if seconds >= 1 else ["-t", "20"]
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(self._statement)
            script.flush()
            done = subprocess.run(
                [program, "-n", "-M", "prepared", *length, "-f", script.name, os.environ["DATABASE_URL"]],
                capture_output=True,
                text=True,
                check=True,
            )
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        assert found is not None, done.stdout
        return float(found[1])
