"""A pytest plugin of `make browser`: what a page looks like and weighs is no matter of the database.

It is looked at once, in the house on SQLite; the house on PostgreSQL leaves it out. Everything else is done in both.
"""

from __future__ import annotations

import os
from pathlib import Path

LOOKS = frozenset({"tests/browser/test_every_page.py", "tests/browser/test_weight.py"})
ROOT = Path(__file__).resolve().parent.parent


def is_left_out(path: Path, database: str) -> bool:
    return (
        database == "postgresql" and path.is_relative_to(ROOT) and path.relative_to(ROOT).as_posix() in LOOKS
    )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return is_left_out(collection_path, os.environ.get("RACECARD_TEST_DATABASE", "")) or None
