"""`racecard demo` with real processes: a whole tournament over REST, played by a worker, proved and paid."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import typer
from typer.testing import CliRunner

from config.cli import demo
from config.cli.demo import Findings
from config.cli.main import application
from tests.installation import PATIENCE, ROOT, Installation, installation, until

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        place.migrate()
        place.manage("demo_data")
        yield place


def racecard(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = "from config.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'platform'}",
            "COLUMNS": "120",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )


@pytest.mark.postgres
@pytest.mark.processes
@pytest.mark.soak
def test_against_a_running_server(place: Installation):
    """A larger tournament than the other demo, on PostgreSQL and Redis with a pool of workers."""
    place.start_web()
    place.start_worker()
    place.start_ticker()
    _await(place)
    passwords = Path(place.environment["RACECARD_DATA"]) / "demo-passwords.txt"
    done = racecard(
        "demo", "--url", place.address, "--passwords", str(passwords), "--entrants", "4", "--rounds", "2"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ every bundle verifies (8 of 8)" in done.stdout
    assert "✓ the trial balance of XTS is zero" in done.stdout
    assert "✗" not in done.stdout
    statuses = place.sql("SELECT status FROM tournaments_tournament WHERE name = %s", "Demo duplicate")
    assert statuses == [("finished",)]
    assert place.sql("SELECT count(*) FROM jobs_job WHERE failed IS NOT NULL") == [(0,)]


def _await(place: Installation) -> None:
    def answers() -> bool:
        try:
            return httpx.get(f"{place.address}/api/v1/rules/", timeout=5).is_success
        except httpx.TransportError:
            return False

    until(answers, "the server answers")


@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.processes
def test_with_a_temporary_server(tmp_path: Path):
    done = racecard("demo", "--entrants", "2", "--rounds", "1", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✓ every bundle verifies (2 of 2)" in done.stdout
    assert list(tmp_path.glob("racecard-demo-*")) == []


def test_an_unreachable_server_is_reported(tmp_path: Path):
    passwords = tmp_path / "passwords"
    passwords.write_text("organizer x\nadministrator y\n")
    result = CliRunner().invoke(
        application("demo"), ["demo", "--url", "http://127.0.0.1:1", "--passwords", str(passwords)]
    )
    assert result.exit_code == 1
    assert "✗" in result.output


@pytest.mark.parametrize("lines", ["", "organizer x\n"])
def test_passwords_that_are_missing_are_named(tmp_path: Path, lines: str):
    passwords = tmp_path / "passwords"
    passwords.write_text(lines)
    with pytest.raises(typer.BadParameter, match="no line for"):
        demo._people("http://127.0.0.1:1", passwords)


def test_a_running_server_needs_credentials(monkeypatch):
    monkeypatch.delenv("RACECARD_TOKEN", raising=False)
    with pytest.raises(typer.BadParameter, match="RACECARD_TOKEN"):
        demo._people("http://127.0.0.1:1", None)


def test_one_failed_check_is_enough():
    findings = Findings()
    findings.check("this holds", True)
    assert findings.ok
    findings.check("this does not", False)
    findings.check("this holds", True)
    assert not findings.ok


def bundle(round: int, deal: int, pack: str) -> dict:
    return {
        "game": {"tournament": {"round": round, "deal": deal}},
        "events": [{"type": "dealt", "private": {"packs": {"deck": pack}}}],
    }


def test_deals_are_shared_within_a_round_and_nowhere_else():
    shared = [bundle(1, 1, "a"), bundle(1, 1, "a"), bundle(2, 1, "b"), bundle(2, 1, "b")]
    assert demo._deals_are_shared(shared)
    assert not demo._deals_are_shared([*shared, bundle(2, 1, "c")])
    assert not demo._deals_are_shared([bundle(1, 1, "a"), bundle(2, 1, "a")])


@pytest.mark.parametrize(("pence", "text"), [(0, "0.00"), (5, "0.05"), (-1234, "-12.34"), (100, "1.00")])
def test_money_is_written_in_pounds(pence: int, text: str):
    assert demo._money(pence) == text
