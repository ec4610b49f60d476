"""A pytest plugin: gives each worker of a run its own database, servers and data folder, and its part of the slowest
tests.

Emptying Redis empties one whole database, with the counters that another worker is just counting. In PostgreSQL a
transaction in one database delays what readers of all events see in every other database of the server.
The plugin is loaded before the settings read the environment.
"""

from __future__ import annotations

import json
import os

import pytest

WORKERS = "RACECARD_TEST_WORKERS"
"""The environment variable that holds a JSON list with an object of environment variables for each worker."""

DATABASE = "RACECARD_TEST_DATABASE"
"""The environment variable that names the database of a worker."""

FIRST = ("long", "processes")
"""The marks of the tests that are begun first."""


def environments() -> list[dict[str, str]]:
    """The environment variables of each worker of the run, by its number."""
    return json.loads(os.environ.get(WORKERS, "[]"))  # type: ignore[no-any-return]


def database_of(worker: str) -> str:
    """The database of a worker, such as `gw0`."""
    return environments()[int(worker.removeprefix("gw"))][DATABASE]


_worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")

if _worker.isdecimal() and WORKERS in os.environ:
    os.environ.update(environments()[int(_worker)])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long tests and with those that start processes.

    One of them that was left for the end would run alone. pytest-xdist cuts the list into one part for each worker of
    the same database; each part begins with its share of them.
    """
    own = os.environ.get(DATABASE)
    workers = sum(one.get(DATABASE) == own for one in environments()) or 1
    slow = sorted((item for item in items if _rank(item) < len(FIRST)), key=_rank)
    others = [item for item in items if _rank(item) == len(FIRST)]
    cuts = [len(others) * worker // workers for worker in range(workers + 1)]
    items[:] = [
        item
        for worker in range(workers)
        for item in (*slow[worker::workers], *others[cuts[worker] : cuts[worker + 1]])
    ]


def _rank(item: pytest.Item) -> int:
    return next((n for n, mark in enumerate(FIRST) if item.get_closest_marker(mark)), len(FIRST))
