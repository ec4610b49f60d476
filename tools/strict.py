"""A pytest plugin of `make test`: a skipped test is a failed run."""

from __future__ import annotations

import pytest

SKIPPED = 6
"""The exit status of a run with a skipped test; pytest's own end at 5. `make browser` retries only failures."""


class NoSkips:
    def __init__(self) -> None:
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            session.exitstatus = SKIPPED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.skipped:
            terminalreporter.section("skipped, and therefore failed", red=True)
            for node in sorted(self.skipped):
                terminalreporter.write_line(node)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(NoSkips(), "racecard-no-skips")
