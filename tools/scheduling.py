"""A pytest plugin of `make test`: one run on several databases, each with workers of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest
from xdist.remote import Producer
from xdist.scheduler import WorkStealingScheduling
from xdist.workermanage import WorkerController

from tools.worker_services import DATABASE, database_of, environments


class Databases:
    """The scheduler of a run: the workers of each database share the tests of that database among themselves."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        names = [one[DATABASE] for one in environments()]
        self._parts = {name: WorkStealingScheduling(config, log) for name in names}
        for name, part in self._parts.items():
            part.numnodes = names.count(name)

    def _part(self, node: WorkerController) -> WorkStealingScheduling:
        return self._parts[database_of(node.gateway.id)]

    @property
    def nodes(self) -> list[WorkerController]:
        return list(chain.from_iterable(part.nodes for part in self._parts.values()))

    @property
    def collection_is_completed(self) -> bool:
        return all(part.collection_is_completed for part in self._parts.values())

    @property
    def tests_finished(self) -> bool:
        return all(part.tests_finished for part in self._parts.values())

    @property
    def has_pending(self) -> bool:
        return any(part.has_pending for part in self._parts.values())

    def schedule(self) -> None:
        for part in self._parts.values():
            part.schedule()

    def add_node(self, node: WorkerController) -> None:
        self._part(node).add_node(node)

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        self._part(node).add_node_collection(node, collection)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        self._part(node).mark_test_complete(node, item_index, duration)

    def remove_pending_tests_from_node(self, node: WorkerController, indices: Sequence[int]) -> None:
        self._part(node).remove_pending_tests_from_node(node, indices)

    def remove_node(self, node: WorkerController) -> str | None:
        crashed: str | None = self._part(node).remove_node(node)
        return crashed


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Databases:
    return Databases(config, log)
