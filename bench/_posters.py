"""Processes that post when they are told to, each side with settings of its own.

A poster reads a line from its standard input, the name of a deed and for how long, and answers how many it did.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

ACCOUNTS = 500
"""Of players, on either side."""

WARM = 10


def serve(prepare: Callable[[], None], poster: Callable[[], Any]) -> None:
    """In the child: `prepare` once if it is told to, then one deed after the other until the input ends."""
    if sys.argv[1:] == ["prepare"]:
        prepare()
        return
    deeds = poster()
    print("ready", flush=True)
    for line in sys.stdin:
        name, seconds = line.split()
        deed = getattr(deeds, name)
        for _ in range(WARM):
            deed()
        print("warm", flush=True)
        sys.stdin.readline()
        count, began = 0, time.perf_counter()
        while (took := time.perf_counter() - began) < float(seconds):
            deed()
            count += 1
        print(json.dumps({"rate": count / took}), flush=True)


class Posters:
    """So many processes of one side, which post at once."""

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
            self._hear(child)
        return self

    def rate(self, deed: str, seconds: float) -> float:
        """Of all together, a second; they begin when all of them are warm."""
        for word in (f"{deed} {seconds}", "go"):
            for child in self._children:
                self._say(child, word)
            heard = [self._hear(child) for child in self._children]
        return sum(float(json.loads(line)["rate"]) for line in heard)

    def _say(self, child: subprocess.Popen[str], word: str) -> None:
        assert child.stdin is not None
        child.stdin.write(word + "\n")
        child.stdin.flush()

    def _hear(self, child: subprocess.Popen[str]) -> str:
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
