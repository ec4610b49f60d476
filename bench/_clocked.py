"""Loaded into a Celery worker (`--include bench._clocked`): how long it has been at what, told in a file a process.

The functions that a tournament's work is made of are wrapped; what one of them calls is taken off its own time.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from celery.signals import task_postrun

from games import services as games
from jobs import services as jobs
from tournaments.prizes import settlement
from tournaments.rounds import services as rounds

FOLDER = "RACECARD_BENCH_CLOCKS"
PARTS = (
    (rounds, "_pair", "pairing"),
    (rounds, "_lay_out", "laying out"),
    (rounds, "_seat", "seating"),
    (rounds, "_deal", "dealing"),
    (rounds, "_open", "opening"),
    (games, "play_bots", "moves"),
    (rounds, "game_ended", "scoring"),
    (rounds, "_close", "closing"),
    (settlement, "finish", "standings and prizes"),
    (jobs, "carry_out", "jobs"),
)

_spent: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
_within: list[list[float]] = []


def _clocked(part: str, work: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(work)
    def timed(*args: Any, **kwargs: Any) -> Any:
        began, used = time.perf_counter(), time.process_time()
        _within.append([0.0, 0.0])
        try:
            return work(*args, **kwargs)
        finally:
            wall, processor = time.perf_counter() - began, time.process_time() - used
            inner = _within.pop()
            if _within:
                _within[-1][0] += wall
                _within[-1][1] += processor
            spent = _spent[part]
            spent[0] += 1
            spent[1] += wall - inner[0]
            spent[2] += processor - inner[1]

    return timed


for module, name, part in PARTS:
    setattr(module, name, _clocked(part, getattr(module, name)))


@task_postrun.connect
def tell(**_: Any) -> None:
    """After each task: a worker may be stopped at any time."""
    told = {"processor": time.process_time(), "parts": _spent}
    path = Path(os.environ[FOLDER]) / f"{os.getpid()}.json"
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(told))
    draft.replace(path)
