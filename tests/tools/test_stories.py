"""How `make browser` distributes its tests between the two databases."""

from __future__ import annotations

import shlex

from tools.stories import command, database_of, queue

STORIES = [
    "a.py::test_any",
    "a.py::test_both[sqlite]",
    "a.py::test_both[postgresql]",
    "b.py::test_wide[postgresql-wide]",
]


def test_a_scenario_is_pinned_to_the_database_of_its_id() -> None:
    assert [database_of(one) for one in STORIES] == [None, "sqlite", "postgresql", "postgresql"]


def test_a_worker_begins_with_what_only_it_may_run_and_never_takes_what_the_other_must() -> None:
    assert queue(STORIES, range(4), "sqlite") == [1, 0]
    assert queue(STORIES, range(4), "postgresql") == [2, 3, 0]
    assert queue(STORIES, [2], "sqlite") == []


def test_one_command_repeats_what_failed() -> None:
    name, target, arguments = shlex.split(command([*STORIES[:3], "a.py::test_any"]))
    assert (name, target) == ("make", "browser")
    assert shlex.split(arguments.removeprefix("ARGS=")) == ["-k", "test_any or test_both"]
