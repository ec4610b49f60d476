"""Work of a command spread over the cores, in parts that are added up in any order, under a progress bar."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Part = TypeVar("Part")
Found = TypeVar("Found")


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(games: int, *, jobs: int, largest: int) -> list[range]:
    """The numbers of the games in parts: some for each process, none so large that the bar stands still."""
    size = max(1, min(largest, -(-games // (4 * jobs))))
    return [range(first, min(first + size, games)) for first in range(0, games, size)]


def spread(work: Callable[[Part], Found], parts: Sequence[Part], *, jobs: int) -> Iterator[Found]:
    """What each part comes to, as it is found; with one job all of it is done in this process."""
    if jobs == 1:
        yield from map(work, parts)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(work, parts)


def progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
