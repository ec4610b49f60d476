"""A pytest plugin of `make test`: prints one line per finished package, and at the end the cost of each package.

A package is a folder below tests/. Its seconds are those that the workers of all databases spent in its tests,
including set-up, divided by how much slower this machine was than the one that the budgets were measured on. With
`--budgets` a package that costs too much fails the run. The budgets are in tests/plan.toml.
"""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping
from statistics import median
from typing import Any

import pytest

from tools.plan import PLAN, TESTS, Plan, lines_of_tests, lines_over_http
from tools.worker_services import DATABASE, database_of

SLOWEST = 10
OVER_BUDGET = 7
"""The exit status of a run that cost too much."""

PACKAGE_FACTOR, PACKAGE_SECONDS = 1.25, 10
"""A package may cost this much more than its budget, and this many seconds more: whichever allows more."""
SUM_FACTOR = 1.1

LOOP = 3_000_000
"""Rounds of the calibration loop, about 25 ms on an idle core."""
INTERVAL = 3.0
"""Seconds between two runs of the loop."""


def package_of(node: str) -> str:
    """The folder of a test below tests/; "tests" for a test in tests/ itself."""
    parts = node.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "tests"


def excesses(spent: Mapping[str, float], budgets: Mapping[str, float]) -> list[str]:
    """What costs too much, in words; `spent` and `budgets` are worker seconds by package."""
    words = [
        f"{package} took {seconds:.0f} s; its budget is {budgets.get(package, 0):.0f} s"
        for package, seconds in sorted(spent.items())
        if seconds > max(PACKAGE_FACTOR * budgets.get(package, 0), budgets.get(package, 0) + PACKAGE_SECONDS)
    ]
    total, allowed = sum(spent.values()), sum(budgets.values())
    if total > SUM_FACTOR * allowed:
        words.append(f"all packages took {total:.0f} s; their budgets are {allowed:.0f} s together")
    return words


class Calibration:
    """How busy the machine is: the time that a loop takes, again and again while the tests run."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._measure, daemon=True)
        self._thread.start()

    def _measure(self) -> None:
        while not self._over.wait(INTERVAL):
            started = time.perf_counter()
            for _ in range(LOOP):
                pass
            self._times.append(time.perf_counter() - started)

    def end(self) -> float:
        """Stop, and return the median in milliseconds; 0 for a run that was too short."""
        self._over.set()
        self._thread.join()
        return 1000 * median(self._times) if self._times else 0.0


class Report:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.plan = Plan.read(PLAN)
        self.calibration = Calibration()
        self.left: Counter[str] = Counter()
        self.own = os.environ.get(DATABASE, "")
        self.databases: set[str] = set()
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: dict[tuple[str, str], float] = defaultdict(float)
        """By database and test."""

    def expect(self, database: str, nodes: Iterable[str]) -> None:
        if database not in self.databases:
            self.databases.add(database)
            self.left.update(package_of(node) for node in nodes)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self.expect(database_of(node.gateway.id), ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.expect(self.own, (item.nodeid for item in session.items))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """A run has collected tests if one database has: pytest-xdist counts what the last worker collected."""
        result = yield
        session.testscollected = max(session.testscollected, len(self.seconds))
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Print nothing for a passed test."""
        return (report.outcome if report.when == "call" else "", "", "") if report.passed else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if isinstance(report, pytest.SubtestReport) and report.passed:
            return  # the test itself is counted
        package = package_of(report.nodeid)
        self.seconds[self.database(report), report.nodeid] += report.duration
        if report.when == "call" or not report.passed:
            self.outcomes[package][report.outcome] += 1
        if report.when == "teardown":
            self.left[package] -= 1
            if not self.left[package]:
                self.write(self.line(package))

    def database(self, report: pytest.TestReport) -> str:
        worker = getattr(report, "node", None)
        return database_of(worker.gateway.id) if worker else self.own

    def spent(self, package: str, database: str = "") -> float:
        return sum(
            seconds
            for (place, node), seconds in self.seconds.items()
            if package_of(node) == package and database in ("", place)
        )

    def line(self, package: str) -> str:
        outcomes = self.outcomes[package]
        failed = f"{outcomes['failed']} FAILED" if outcomes["failed"] else ""
        return f"{package:16} {outcomes['passed']:5} passed {failed:10} {self.spent(package):6.1f} s"

    def write(self, text: str) -> None:
        terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        terminal.write_line(text)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.milliseconds = self.calibration.end()
        self.slowdown = self.milliseconds / self.plan.calibration or 1.0
        spent = {package: self.spent(package) / self.slowdown for package in self.outcomes}
        self.excesses = []
        if self.config.getoption("budgets"):
            self.excesses = [*excesses(spent, self.plan.budgets), *self.plan.over_caps(counts())]
        if self.excesses and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = OVER_BUDGET

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        seed = self.config.getoption("randomly_seed", None)
        write = terminalreporter.write_line
        for failed in terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", []):
            place = self.database(failed)
            write(f"repeat: make one TEST={shlex.quote(failed.nodeid)} DATABASE={place} SEED={seed}")
        write("slowest:")
        for place, node in sorted(self.seconds, key=self.seconds.__getitem__, reverse=True)[:SLOWEST]:
            write(f"{self.seconds[place, node]:8.2f} s  {place:10}  {node}")
        for place in sorted(self.databases):
            on = [seconds for (name, _), seconds in self.seconds.items() if name == place]
            write(f"{sum(on):8.0f} s  {place}, {len(on)} tests")
        if self.config.getoption("budgets"):
            write("worker seconds by package, at the speed of the budgets:")
            for package in sorted(self.outcomes):
                seconds = self.spent(package) / self.slowdown
                write(f"{seconds:8.1f} of {self.plan.budgets.get(package, 0):4.0f}  {package}")
            for name, count in counts().items():
                write(f"{count:8} of {self.plan.caps[name]:6}  {name}")
        total = sum(self.seconds.values())
        write(
            f"{total:.0f} worker seconds in all, {total / self.slowdown:.0f} at the speed of the budgets (a loop took "
            f"{self.milliseconds:.0f} ms, there {self.plan.calibration:.0f}); order and examples from seed {seed}"
        )
        for excess in self.excesses:
            write(f"TOO EXPENSIVE: {excess}", red=True)


def counts() -> dict[str, int]:
    """What the caps hold besides seconds."""
    return {"lines over HTTP": lines_over_http(TESTS), "lines": lines_of_tests(TESTS)}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the random order of packages and within each package, but run each package as a whole."""
    order = {
        package: number for number, package in enumerate(dict.fromkeys(package_of(i.nodeid) for i in items))
    }
    items.sort(key=lambda item: order[package_of(item.nodeid)])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budgets", action="store_true", help="fail a run that costs more than tests/plan.toml allows"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Report(config), "racecard-report")
