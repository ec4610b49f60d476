"""The time that a Celery worker (`--include bench._clocked`) spends in each part, written to a file for each process.

The functions of a tournament's work are wrapped. The time of inner ones is subtracted from that of outer ones.
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
    (rounds, "_create_round", "creating rounds"),
    (rounds, "_seat", "seating"),
    (rounds, "_deal", "dealing"),
    (rounds, "_open", "opening"),
    (games, "play_bots", "moves"),
    (rounds, "games_ended", "scoring"),
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
def write(**_: Any) -> None:
    """Write the times after each task, because a worker may be stopped at any time."""
    times = {"processor": time.process_time(), "parts": _spent}
    path = Path(os.environ[FOLDER]) / f"{os.getpid()}.json"
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(times))
    draft.replace(path)
