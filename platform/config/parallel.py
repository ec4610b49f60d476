"""Parallel work of a command, in parts that are added up in any order, with a progress bar."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Part = TypeVar("Part")
Found = TypeVar("Found")

AHEAD = 4
"""Parts queued for each process."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(games: int, *, jobs: int, largest: int) -> list[range]:
    """Split the numbers of the games into parts: several per process, each small enough for the progress bar."""
    size = max(1, min(largest, -(-games // (4 * jobs))))
    return [range(first, min(first + size, games)) for first in range(0, games, size)]


def spread(work: Callable[[Part], Found], parts: Sequence[Part], *, jobs: int) -> Iterator[Found]:
    """Yield the result of each part as it is ready; with one job all work is done in this process.

    Raises BrokenProcessPool if a process has died, rather than wait for it.
    """
    if jobs == 1:
        yield from map(work, parts)
        return
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=fresh) as pool:
        left = iter(parts)
        given = {pool.submit(work, part) for part in islice(left, AHEAD * jobs)}
        while given:
            done, given = wait(given, return_when=FIRST_COMPLETED)
            given |= {pool.submit(work, part) for part in islice(left, len(done))}
            for one in done:
                yield one.result()


class Weighted(Protocol):
    @property
    def weight(self) -> int: ...


Piece = TypeVar("Piece", bound=Weighted)

FEW = 300_000
"""The weight up to which one process is done before others, which have to start first, would be."""


def spread_over_cores(work: Callable[[Piece], Found], pieces: Sequence[Piece]) -> Iterator[Found]:
    """Yield the result of each piece as it is ready, from one process for each core, or from this one if it is few."""
    few = sum(piece.weight for piece in pieces) < FEW
    return spread(work, pieces, jobs=1 if few else min(cores(), len(pieces)))


def progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
