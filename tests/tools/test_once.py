"""What is run on one database alone may know none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.once import ONCE, is_run_once

ROOT = Path(__file__).resolve().parents[2]

TESTS = {
    "import pytest\n@pytest.mark.django_db\ndef test_it(): pass\n": False,
    "def test_it(made): pass\n": False,
    "from tests.installation import until\ndef test_it(): pass\n": False,
    "def test_it(tmp_path): pass\n": True,
}
CONFTEST = """
import pytest
@pytest.fixture
def db(): pass
@pytest.fixture
def made(db): pass
def pytest_configure(config):
    config.addinivalue_line("markers", "django_db: as pytest-django has it")
"""


@pytest.mark.parametrize("text", TESTS)
def test_a_test_that_needs_a_database_ends_the_run(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "tools"
    folder.mkdir(parents=True)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (folder / "test_one.py").write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tools.once",
        "-p",
        "no:django",
        "-p",
        "no:randomly",
    ]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), "tests"],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if TESTS[text] else pytest.ExitCode.USAGE_ERROR), done.stdout + done.stderr
    assert ("need a database" in done.stderr) is not TESTS[text]


def test_all_that_is_named_is_there() -> None:
    assert [path for path in ONCE if not (ROOT / path).exists()] == []


def test_a_folder_is_not_what_begins_like_it() -> None:
    assert is_run_once("tests/tools/test_once.py::test_it")
    assert not is_run_once("tests/toolshed/test_it.py::test_it")
    assert not is_run_once("tests/config/test_cli_tournament.py.old")
