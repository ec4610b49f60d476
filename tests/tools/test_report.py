"""Budgets and the plan of the soak are read from the tables of docs/testing.md."""

from __future__ import annotations

from tools.report import BUDGETS, budgets, soak_plan

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
    assert {where for _, where, _ in soak_plan(text)} == {"SQLite", "PostgreSQL", "browser"}
