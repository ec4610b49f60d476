"""What a page looks like is looked at once; what it does is tried on both databases."""

from __future__ import annotations

from tools import looks


def test_what_is_left_out_on_postgresql_is_there_to_be_run_on_sqlite() -> None:
    for path in looks.LOOKS:
        file = looks.ROOT / path
        assert file.is_file()
        assert looks.is_left_out(file, "postgresql")
        assert not looks.is_left_out(file, "sqlite")


def test_all_else_is_run_on_both() -> None:
    stories = looks.ROOT / "tests" / "browser" / "test_tables.py"
    assert not looks.is_left_out(stories, "postgresql")
    assert not looks.is_left_out(stories, "sqlite")
