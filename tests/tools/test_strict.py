"""The suite's own watch: a skipped test fails the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.strict import SKIPPED

ROOT = Path(__file__).resolve().parent.parent.parent


pytestmark = pytest.mark.processes

PASSES = "def test_passes(): pass"
MARKED = "import pytest\n@pytest.mark.skip(reason='later')\ndef test_marked(): pass"
CALLED = "import pytest\ndef test_called(): pytest.skip('not here')"
MODULE = "import pytest\npytest.skip('the whole module', allow_module_level=True)"
EXPECTED = "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_known(): assert False"


def run(folder: Path, *options: str, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    plugins = ["-p", "tools.strict", "-p", "no:django", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *options, "."]
    environment = {"PATH": "", "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "options", [pytest.param((), marks=pytest.mark.nightly), ("-n", "1")], ids=["plain", "xdist"]
)
def test_a_skip_of_any_kind_fails_the_run_and_is_named(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run(tmp_path, *options, passes=PASSES, marked=MARKED, called=CALLED, module=MODULE)
    assert done.returncode == SKIPPED, done.stdout
    named = done.stdout.partition("skipped, and therefore failed")[2]
    for name in ("test_marked", "test_called", "test_module.py"):
        assert name in named


def test_a_run_without_skips_passes(tmp_path: Path) -> None:
    done = run(tmp_path, passes=PASSES, expected=EXPECTED)
    assert done.returncode == 0, done.stdout
