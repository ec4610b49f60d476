"""A pytest plugin of `make test`: prints one line per finished package, and at the end the cost of each package.

A package is a folder below tests/. Its seconds are those that the workers spent in its tests, including set-up. The
budgets are in docs/testing.md; a package over its budget is a warning, not a failure.
"""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

BUDGETS = Path(__file__).resolve().parent.parent / "docs" / "testing.md"
SLOWEST = 10
DATABASE = "RACECARD_TEST_DATABASE"


def package_of(node: str) -> str:
    """The folder of a test below tests/; "tests" for a test in tests/ itself."""
    parts = node.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "tests"


def budgets(database: str, text: str) -> dict[str, float]:
    """Seconds by package, from the table of docs/testing.md whose header names the databases."""
    return {
        row["package"].strip("`"): float(row[database])
        for row in table(text, "package")
        if re.fullmatch(r"\d+", row.get(database, ""))
    }


def soak_plan(text: str) -> list[tuple[float, str, str]]:
    """Seconds, stage (such as "SQLite"), and test, the longest first, from docs/testing.md."""
    return sorted(
        (
            (float(row["Seconds"]), where, row["Soak test"])
            for row in table(text, "Soak test")
            for where in row["Where"].split(" and ")
        ),
        reverse=True,
    )


def table(text: str, first: str) -> list[dict[str, str]]:
    """The rows of the Markdown table whose first column has this heading, by heading."""
    lines = iter(text.splitlines())
    for line in lines:
        heads = cells(line)
        if heads[0] == first:
            next(lines, "")
            return [dict(zip(heads, cells(row), strict=False)) for row in takewhile(is_row, lines)]
    return []


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def is_row(line: str) -> bool:
    return line.startswith("|")


class Report:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.left: Counter[str] = Counter()
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: dict[str, float] = defaultdict(float)

    def expect(self, nodes: Iterable[str]) -> None:
        if not self.left:
            self.left = Counter(package_of(node) for node in nodes)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        self.expect(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.expect(item.nodeid for item in session.items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Print nothing for a passed test."""
        return (report.outcome if report.when == "call" else "", "", "") if report.passed else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if isinstance(report, pytest.SubtestReport) and report.passed:
            return  # the test itself is counted
        package = package_of(report.nodeid)
        self.seconds[report.nodeid] += report.duration
        if report.when == "call" or not report.passed:
            self.outcomes[package][report.outcome] += 1
        if report.when == "teardown":
            self.left[package] -= 1
            if not self.left[package]:
                self.write(self.line(package))

    def spent(self, package: str) -> float:
        return sum(seconds for node, seconds in self.seconds.items() if package_of(node) == package)

    def line(self, package: str) -> str:
        outcomes = self.outcomes[package]
        failed = f"{outcomes['failed']} FAILED" if outcomes["failed"] else ""
        return f"{package:12} {outcomes['passed']:5} passed {failed:10} {self.spent(package):6.1f} s"

    def write(self, text: str) -> None:
        terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        terminal.write_line(text)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        database = os.environ.get(DATABASE, "")
        seed = self.config.getoption("randomly_seed", None)
        write = terminalreporter.write_line
        for failed in terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", []):
            write(f"repeat: make one TEST={shlex.quote(failed.nodeid)} DATABASE={database} SEED={seed}")
        allowed = budgets(database, BUDGETS.read_text()) if BUDGETS.exists() else {}
        for package in sorted(self.outcomes):
            if package in allowed and self.spent(package) > allowed[package]:
                write(
                    f"warning: {package} took {self.spent(package):.1f} s; its budget is {allowed[package]:.0f} s"
                )
        write("slowest:")
        for node in sorted(self.seconds, key=self.seconds.__getitem__, reverse=True)[:SLOWEST]:
            write(f"{self.seconds[node]:8.2f} s  {node}")
        write(f"{sum(self.seconds.values()):.0f} worker seconds in all; order and examples from seed {seed}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the random order of packages and within each package, but run each package as a whole."""
    order = {
        package: number for number, package in enumerate(dict.fromkeys(package_of(i.nodeid) for i in items))
    }
    items.sort(key=lambda item: order[package_of(item.nodeid)])


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Report(config), "racecard-report")
