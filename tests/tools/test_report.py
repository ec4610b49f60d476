"""Budgets and the plan of the soak are read from the tables of docs/testing.md."""

from __future__ import annotations

import re

import pytest

from tests.installation import ROOT
from tools.report import BUDGETS, budgets, soak_plan, table
from tools.suite import SOAK, announce_soak, minutes_of, stages

TEXT = """
| package | tests | sqlite | postgresql |
|---|---|---|---|
| `docs` | 37 | 30 | – |
| `jobs` | 32 | 5 | 30 |

| Soak test | Count | Where | Seconds |
|---|---|---|---|
| jobs: many kills | 60 jobs | PostgreSQL | 90 |
| ledger: many clients | 250 kills | SQLite and PostgreSQL | 40 |
| pages in every view | 8 views | browser | 600 |
"""


def test_a_package_has_a_budget_for_each_database_that_it_runs_on() -> None:
    assert budgets("sqlite", TEXT) == {"docs": 30, "jobs": 5}
    assert budgets("postgresql", TEXT) == {"jobs": 30}


def test_a_soak_test_counts_wherever_it_runs() -> None:
    assert soak_plan(TEXT) == [
        (600, "browser", "pages in every view"),
        (90, "PostgreSQL", "jobs: many kills"),
        (40, "SQLite", "ledger: many clients"),
        (40, "PostgreSQL", "ledger: many clients"),
    ]


def test_the_page_has_both_tables() -> None:
    text = BUDGETS.read_text()
    assert {"ledger", "games"} <= set(budgets("sqlite", text))
    assert {where for _, where, _ in soak_plan(text)} == set(SOAK)


def test_the_plan_of_the_soak_has_every_stage_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    announce_soak()
    plan = capsys.readouterr().out
    assert [name for name, _ in SOAK.values() if name not in plan] == []
    assert list(stages(["--soak"])) == [name for name, _ in SOAK.values()]
    assert (
        minutes_of("SQLite", [(60, "SQLite", "short"), (600, "SQLite", "long"), (60, "browser", "a")]) == 10
    )


def test_every_file_with_a_soak_test_is_in_the_table() -> None:
    known = {row["Soak test"].partition(":")[0] for row in table(BUDGETS.read_text(), "Soak test")}
    files = (
        path for path in (ROOT / "tests").rglob("test_*.py") if re.search(r"mark\.soak\b", path.read_text())
    )
    names = {str(path.relative_to(ROOT / "tests").with_suffix("")) for path in files}
    assert {name for name in names if not any(one.startswith(name) for one in known)} == set()
