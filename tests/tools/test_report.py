"""The cost of a run: budgets, caps, and the calibration."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.installation import ROOT
from tools import report
from tools.plan import PLAN, Plan
from tools.report import OVER_BUDGET, excesses

BUDGETS = {"jobs": 5.0, "ledger": 100.0}


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        ({"jobs": 14, "ledger": 99}, []),
        ({"jobs": 16, "ledger": 1}, ["jobs took 16 s; its budget is 5 s"]),
        ({"ledger": 115}, []),
        ({"jobs": 5, "ledger": 112}, ["all packages took 117 s; their budgets are 105 s together"]),
        ({"new": 11}, ["new took 11 s; its budget is 0 s"]),
    ],
)
def test_a_package_fails_a_quarter_and_ten_seconds_above_its_budget(
    spent: dict[str, float], words: list[str]
) -> None:
    assert excesses(spent, BUDGETS) == words


def run(folder: Path, seconds: float, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "tests" / "jobs").mkdir(parents=True)
    test = f"import time\ndef test_waits(): time.sleep({seconds})\ndef test_more(): pass"
    (folder / "tests" / "jobs" / "test_any.py").write_text(test)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(
        "from tools import report\nreport.PACKAGE_SECONDS = 0\nreport.SUM_FACTOR = 1e9\n"
        "report.counts = dict\nreport.INTERVAL = 0.01\n"
        "report.Plan.read = lambda file: report.Plan(1e6, {'jobs': 1}, {}, (), ())\n"
    )
    plugins = ["-p", "conftest", "-p", "tools.report", "-p", "no:django", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *options, "."]
    environment = {"PATH": "", "PYTHONPATH": f"{folder}:{ROOT}:{ROOT}/platform", "HOME": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.processes
def test_a_run_that_costs_too_much_fails_with_its_packages(tmp_path: Path) -> None:
    done = run(tmp_path, 0.2, "--budgets")
    assert done.returncode == OVER_BUDGET, done.stdout + done.stderr
    assert "TOO EXPENSIVE: jobs took" in done.stdout


def test_every_package_has_a_budget_and_every_count_a_cap() -> None:
    plan = Plan.read(PLAN)
    folders = {
        path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")
    }
    assert folders - {"browser"} <= plan.budgets.keys()
    assert {*report.counts(), "stories"} == plan.caps.keys()
    assert plan.over_caps({"stories": plan.caps["stories"] + 1}) != []
    assert plan.over_caps({"stories": plan.caps["stories"]}) == []


def test_a_loop_takes_time() -> None:
    calibration: Any = report.Calibration()
    assert calibration.end() == 0.0
