"""A pytest plugin of `make browser`: distributes the tests between the two installations and reports the results.

A test runs once, on any free worker. Tests marked `both_databases` run on SQLite and on PostgreSQL. Those marked
`on_sqlite` run on SQLite, because they use an installation that only they need. With `--budgets` a run of more tests
than tests/plan.toml allows fails.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScheduling
from xdist.workermanage import WorkerController

from tools.plan import PLAN, Plan
from tools.report import OVER_BUDGET

DATABASES = {"gw0": "sqlite", "gw1": "postgresql"}
"""The database of each worker."""

_PINNED = re.compile(rf"\[(?:.*-)?({'|'.join(DATABASES.values())})(?:-.*)?\]$")


def database_of(node: str) -> str | None:
    """The database that a test's id names; None for a test that runs on either."""
    found = _PINNED.search(node)
    return found[1] if found else None


def queue(collection: list[str], pending: Iterable[int], database: str) -> list[int]:
    """The tests that a worker on this database may run, with those that only it may run first."""
    mine = [index for index in pending if database_of(collection[index]) in {None, database}]
    return sorted(mine, key=lambda index: database_of(collection[index]) is None)


def command(nodes: Iterable[str]) -> str:
    """The command that repeats tests, by their ids."""
    names = dict.fromkeys(node.rpartition("::")[2].partition("[")[0] for node in nodes)
    return f"make browser ARGS={shlex.quote('-k ' + shlex.quote(' or '.join(names)))}"


class Stories(LoadScheduling):  # type: ignore[misc]
    """Sends each worker two tests at a time: the running one and the next one."""

    pending: list[int]

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self.maxschedchunk = 1

    def _queue(self, node: WorkerController) -> list[int]:
        return queue(self.collection or [], self.pending, DATABASES.get(node.gateway.id, ""))

    def _send_tests(self, node: WorkerController, num: int) -> None:
        chosen = self._queue(node)[:num]
        if chosen:
            self.pending = [index for index in self.pending if index not in chosen]
            self.node2pending[node].extend(chosen)
            node.send_runtest_some(chosen)

    def check_schedule(self, node: WorkerController, duration: float = 0) -> None:
        if node.shutting_down:
            return
        if self._queue(node):
            super().check_schedule(node, duration)
        # A worker runs its last test once it has another one or knows that there is none.
        if not self._queue(node):
            node.shutdown()

    def schedule(self) -> None:
        super().schedule()
        for node in self.nodes:
            self.check_schedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScheduling:
    return Stories(config, log)


@dataclass(slots=True)
class Story:
    node: str
    database: str
    seconds: float = 0.0
    failed: bool = False


class Summary:
    """The tests of each installation, their durations, and a command that repeats the failed ones."""

    def __init__(self) -> None:
        self.stories: dict[tuple[str, str], Story] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        worker = getattr(report, "node", None)
        database = DATABASES.get(worker.gateway.id, "") if worker else ""
        story = self.stories.setdefault((report.nodeid, database), Story(report.nodeid, database))
        story.seconds += report.duration
        story.failed |= report.failed

    def excesses(self, config: pytest.Config) -> list[str]:
        """What is over its cap, in words."""
        if not config.getoption("budgets"):
            return []
        return Plan.read(PLAN).over_caps({"stories": len(self.stories)})

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and self.excesses(session.config):
            session.exitstatus = OVER_BUDGET

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        stories = sorted(self.stories.values(), key=lambda one: -one.seconds)
        files: dict[str, list[Story]] = defaultdict(list)
        for one in stories:
            files[one.node.partition("::")[0]].append(one)
        write = terminalreporter.write_line
        terminalreporter.section("seconds, by installation and by file")
        for database in DATABASES.values():
            on = [one for one in stories if one.database == database]
            write(f"{sum(one.seconds for one in on):5.0f}  {database}: {len(on)} stories")
        for file, own in sorted(files.items(), key=lambda item: -sum(one.seconds for one in item[1])):
            write(f"{sum(one.seconds for one in own):5.0f}  {file}")
            for one in own:
                write(f"       {one.seconds:5.1f}  {one.database:10}  {one.node.partition('::')[2]}")
        for excess in self.excesses(terminalreporter.config):
            write(f"TOO EXPENSIVE: {excess}", red=True)
        if failed := [one.node for one in stories if one.failed]:
            terminalreporter.section("to repeat what failed", red=True)
            write(f"seed {terminalreporter.config.getoption('randomly_seed', 'unknown')}")
            write(command(failed))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budgets", action="store_true", help="fail a run of more stories than tests/plan.toml allows"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Summary(), "racecard-stories")
