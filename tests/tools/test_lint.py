"""The runner of `make lint`."""

from __future__ import annotations

import re

import pytest

from tools import lint


def without_seconds(printed: str) -> str:
    return re.sub(r"  \(\d+ s\)", "", printed)


def test_every_check_runs_and_is_printed_and_the_failed_ones_are_named_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checks = {
        name: ("python", "-c", f"import sys; print('{name}', 1); print('{name}', 2); sys.exit({code})")
        for name, code in (("types", 1), ("style", 0), ("links", 2))
    }
    assert lint.main(checks) == 1
    printed = without_seconds(capsys.readouterr().out)
    assert "racecard: passed  style\nstyle 1\nstyle 2\n" in printed
    assert "racecard: FAILED  links\nlinks 1\nlinks 2\n" in printed
    last = printed.partition("lint: 1 passed, 2 failed\n")[2]
    assert sorted(last.split()) == ["links", "types"]


def test_it_passes_if_all_checks_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint.main({"style": ("python", "-c", "")}) == 0
    printed = without_seconds(capsys.readouterr().out)
    assert printed == "racecard: passed  style\nlint: 1 passed, 0 failed\n"
