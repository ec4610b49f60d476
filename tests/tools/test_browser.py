"""How `make browser` runs a failed test once more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import browser

NAMES = [f"tests/browser/test_any.py::test_{letter}" for letter in "abc"]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[set[str]]:
    """What fails in each run that follows; a run takes its first."""
    runs: list[set[str]] = []
    monkeypatch.setattr(browser, "CACHE", tmp_path / "lastfailed")

    def pytest_once(chromium: str, servers: dict[str, str], options: list[str]) -> int:
        failed = runs.pop(0)
        browser.CACHE.write_text(
            json.dumps(dict.fromkeys([*failed, "tests/jobs/test_old.py::test_old"], True))
        )
        return pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK

    monkeypatch.setattr(browser, "pytest", pytest_once)
    return runs


def test_a_test_that_passes_the_second_time_is_named(
    runs: list[set[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    runs += [{NAMES[0]}, set()]
    assert browser.run("", {}, ["--retry"]) == 0
    assert f"FLAKY, failed and then passed: {NAMES[0]}" in capsys.readouterr().out


def test_a_test_that_fails_twice_fails_the_run(
    runs: list[set[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    runs += [{NAMES[0], NAMES[1]}, {NAMES[1]}]
    assert browser.run("", {}, ["--retry"]) == 1
    printed = capsys.readouterr().out
    assert f"FLAKY, failed and then passed: {NAMES[0]}" in printed
    assert NAMES[1] not in printed


def test_a_run_with_two_flaky_tests_fails(runs: list[set[str]]) -> None:
    runs += [{NAMES[0], NAMES[1]}, set()]
    assert browser.run("", {}, ["--retry"]) == browser.TESTS_FAILED


@pytest.mark.parametrize(("failed", "words"), [(3, ["--retry"]), (1, [])])
def test_many_failures_and_runs_without_the_option_are_not_retried(
    runs: list[set[str]], failed: int, words: list[str]
) -> None:
    runs += [set(NAMES[:failed])]
    assert browser.run("", {}, words) == 1
