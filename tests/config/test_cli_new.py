"""`racecard new game`, as it is called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.cli.main import application
from tests.plugins.installing import install

ROOT = Path(__file__).resolve().parents[2]


def new(*arguments):
    return CliRunner().invoke(application("new"), ["new", "game", *map(str, arguments)])


@pytest.mark.processes
def test_a_skeleton_is_installed_and_passes_its_tests(tmp_path):
    assert new("go-fish", "--into", tmp_path).exit_code == 0
    site, package = tmp_path / "site", tmp_path / "go-fish"
    install(site, package)
    environment = {"PYTHONPATH": str(site), "PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=package, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 passed" in done.stdout
    style = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--config",
        ROOT / "pyproject.toml",
        "--no-cache",
        package,
    ]
    assert subprocess.run(style, capture_output=True, text=True, check=False).stdout == "All checks passed!\n"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Go Fish", "lower-case"),
        ("go--fish", "lower-case"),
        ("../fish", "lower-case"),
        ("a" * 41, "40"),
        ("racing-aces", "already"),
        ("class", "already"),
        ("json", "already"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(tmp_path, name, why):
    refused = new(name, "--into", tmp_path)
    assert refused.exit_code == 2
    assert why in refused.output
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_overwritten(tmp_path):
    (tmp_path / "go-fish").mkdir()
    assert new("go-fish", "--into", tmp_path).exit_code == 2
    assert list((tmp_path / "go-fish").iterdir()) == []
