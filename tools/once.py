"""A pytest plugin of `make test`: what knows no database of the run is run once, in the first stage.

The second stage leaves it out and says so. A test among it that asks for the database after all ends the run, so that
none is ever left untested on PostgreSQL.
"""

from __future__ import annotations

import pytest

ONCE = (
    "tests/games/rules",
    "tests/games/bots",
    "tests/tournaments/formats",
    "tests/tools",
    "tests/frontend",
    "tests/config/test_cli_compare.py",
    "tests/config/test_cli_imports.py",
    "tests/config/test_cli_rejudge.py",
    "tests/config/test_cli_rtp.py",
    "tests/config/test_cli_simulate.py",
    "tests/config/test_cli_tournament.py",
    "tests/config/test_cli_verify.py",
)
"""Folders and files. `racecard tournament` has an SQLite of its own, wherever it runs."""

FIXTURES = frozenset({"db", "transactional_db", "django_db_setup"})


def is_run_once(node: str) -> bool:
    file = node.partition("::")[0]
    return any(file == path or file.startswith(f"{path}/") for path in ONCE)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    wrong = [item.nodeid for item in items if is_run_once(item.nodeid) and _wants_the_database(item)]
    if wrong:
        raise pytest.UsageError(
            f"They need a database but would meet only one of the two: {', '.join(wrong)}"
        )


def _wants_the_database(item: pytest.Item) -> bool:
    if item.get_closest_marker("django_db") or not FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
        return True
    module = getattr(item, "module", None)
    return any(getattr(one, "__module__", "") == "tests.installation" for one in vars(module).values())
