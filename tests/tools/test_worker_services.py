"""The workers of one run share neither servers, nor data, nor ports, and each begins with the slowest tests."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

import pytest

from tools import worker_services
from tools.services import PORTS, free_port


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [{"DATABASE_URL": f"postgresql://{n}", "RACECARD_DATA": f"/data/{n}"} for n in range(3)]
    others = [{"RACECARD_TEST_DATABASE": "sqlite"}] * 2
    monkeypatch.setenv(worker_services.WORKERS, json.dumps([*own, *others]))
    monkeypatch.delenv("RACECARD_TEST_DATABASE", raising=False)
    for name in own[0]:
        monkeypatch.setenv(name, "everybody's")


@pytest.mark.parametrize(("worker", "number"), [("gw0", 0), ("gw1", 1), ("gw2", 2)])
def test_a_worker_takes_what_is_its_own(
    workers: None, monkeypatch: pytest.MonkeyPatch, worker: str, number: int
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
    importlib.reload(worker_services)
    assert os.environ["DATABASE_URL"] == f"postgresql://{number}"
    assert os.environ["RACECARD_DATA"] == f"/data/{number}"
    first = 20_000 + number * PORTS
    assert all(first <= free_port() < first + PORTS for _ in range(50))


def test_without_workers_no_test_is_taken(workers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    importlib.reload(worker_services)
    assert os.environ["DATABASE_URL"] == "everybody's"


class Item:
    def __init__(self, name: str, *marks: str) -> None:
        self.name, self.marks = name, marks

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def test_each_worker_begins_with_its_share_of_the_slowest(workers: None) -> None:
    others = [Item(str(number)) for number in range(9)]
    long = [Item("A", "long"), Item("B", "long", "processes")]
    items: list[Any] = [*others[:4], Item("p", "processes"), *others[4:], *long, Item("q", "processes")]
    worker_services.pytest_collection_modifyitems(items)
    assert "".join(item.name for item in items) == "Aq012" + "B345" + "p678"
