"""The plans of `make soak` and `make nightly` in tests/plan.toml."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.installation import ROOT
from tools import nightly, suite
from tools.plan import PLAN, Part, Plan, lines_of_tests, lines_over_http

READ = Plan.read(PLAN)


def test_the_plan_of_the_soak_has_every_stage_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    suite.announce_soak()
    plan = capsys.readouterr().out
    assert [name for name, _ in suite.SOAK.values() if name not in plan] == []
    assert list(suite.stages_of_soak([])) == [name for name, _ in suite.SOAK.values()]
    assert {stage for row in READ.soak for stage in row.where} == set(suite.SOAK)
    times = [(60, "SQLite", "short"), (600, "SQLite", "long"), (60, "browser", "a")]
    assert suite.minutes_of("SQLite", times) == 10


def test_every_file_with_a_soak_test_is_in_the_plan() -> None:
    known = {row.test.partition(":")[0] for row in READ.soak}
    files = (
        path for path in (ROOT / "tests").rglob("test_*.py") if re.search(r"mark\.soak\b", path.read_text())
    )
    names = {str(path.relative_to(ROOT / "tests").with_suffix("")) for path in files}
    assert {name for name in names if not any(one.startswith(name) for one in known)} == set()


def test_the_night_runs_every_folder_of_tests_and_takes_at_most_45_minutes() -> None:
    folders = {name for part in READ.nightly for name in part.folders}
    tests = {path.parent.relative_to(ROOT).parts[:2] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert {"/".join(parts) for parts in tests} - {"tests/browser"} == folders
    assert sum(part.minutes for part in READ.nightly if not part.apart) <= 45


def test_the_night_runs_every_target_that_make_help_names() -> None:
    targets = set(re.findall(r"(?:echo '|   )make ([a-z-]+)", (ROOT / "Makefile").read_text()))
    commands = " ".join(part.command for part in READ.nightly)
    assert targets - {*re.findall(r"make ([a-z-]+)", commands)} == {"nightly"}


def test_a_part_is_chosen_by_the_paths_that_changed() -> None:
    games = Part("games", ["games/*", "tests/games/*"], 5, folders=["tests/games"])
    bench = Part("bench", ["bench/*"], 30, command="make bench", apart=True)
    assert nightly.chosen([games, bench], ["games/rules/cards.py"]) == [games]
    assert nightly.chosen([games, bench], ["bench/http.py", "README.md"]) == [bench]
    assert nightly.chosen([games, bench], ["README.md"]) == []


def test_changes_are_those_of_commits_and_of_the_working_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]

    def commit(name: str) -> None:
        (tmp_path / name).write_text(name)
        subprocess.run([*git, "add", name], check=True)
        subprocess.run([*git, "commit", "-q", "-m", name], check=True)

    subprocess.run([*git, "init", "-q"], check=True)
    commit("first")
    commit("second")
    (tmp_path / "new").write_text("")
    assert {*nightly.changed_since("HEAD~1")} == {"second", "new", ""}


def test_what_needs_root_is_named_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert nightly.main(["--plan"]) == 0
    absent = [part.name for part in READ.nightly if part.root]
    printed = capsys.readouterr().out
    assert absent
    assert [name for name in absent if f"{name}: {nightly.NO_ROOT}" not in printed] == []


def test_lines_are_counted_in_files_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("from django.test import Client\n\n")
    (tmp_path / "test_b.py").write_text("import json\n")
    (tmp_path / "data.json").write_text("{}\n")
    assert lines_of_tests(tmp_path) == 4
    assert lines_over_http(tmp_path) == 2
