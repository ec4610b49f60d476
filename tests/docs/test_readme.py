"""A shell runs the commands of the tutorial against a server, and the README names what exists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.installation import ROOT, Installation, installation

README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
VERIFICATION = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
MARK = "--- end of block ---"


@dataclass(frozen=True, slots=True)
class Step:
    """Commands, and what the tutorial says that they print; an ellipsis there matches any text."""

    commands: str
    printed: str

    def matches(self, output: str) -> bool:
        pattern = ".*?".join(re.escape(part) for part in self.printed.strip().split("…"))
        return re.fullmatch(pattern, output.strip(), flags=re.DOTALL) is not None


def steps(section: str, page: str = TUTORIAL) -> list[Step]:
    text = page.split(f"## {section}", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"```bash\n(.*?)```(?:\s*```text\n(.*?)```)?", text, flags=re.DOTALL)
    return [Step(commands, printed) for commands, printed in found]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path / "server", RACECARD_PLAY_CREDIT="100000")) as installed:
        installed.migrate()
        installed.manage("demo_data")
        installed.serve_web()
        yield installed


def racecard_here(commands: str) -> str:
    return commands.replace(".venv/bin/racecard", f"{sys.executable} -m config.cli.main")


def here(commands: str, server: Installation) -> str:
    """The commands, with the addresses of this installation in place of those of `make run`."""
    own = {
        "http://127.0.0.1:8000": server.address,
        "var/demo-passwords.txt": str(server.folder / "data" / "demo-passwords.txt"),
    }
    for theirs, ours in own.items():
        commands = commands.replace(theirs, ours)
    return racecard_here(commands)


@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.processes
def test_the_tutorial_prints_what_it_says(server: Installation, tmp_path: Path) -> None:
    walk = steps("Play over the API")
    assert len(walk) >= 9
    folder = tmp_path / "walk"
    folder.mkdir()
    script = f"\necho '{MARK}'\n".join(here(step.commands, server) for step in walk)
    done = subprocess.run(
        ["bash", "-u", "-c", script],
        cwd=folder,
        env=server.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.stderr == ""
    printed = done.stdout.split(MARK)
    assert len(printed) == len(walk)
    for step, output in zip(walk, printed, strict=True):
        assert step.matches(output), f"{step.commands}\nshould print\n{step.printed}\nbut printed\n{output}"

    bundle = json.loads((folder / "game.json").read_text())
    assert bundle["outcome"]["result"] == "collected"
    wallet = json.loads(printed[-3].strip().splitlines()[-1])
    assert wallet["accounts"]["cash"]["total"] == 105_000 - 520 + bundle["outcome"]["winnings"]


@pytest.mark.processes
@pytest.mark.nightly
def test_the_commands_without_a_server_do_what_they_say(tmp_path: Path) -> None:
    [step] = steps("Use the command line without a server")
    done = subprocess.run(
        ["bash", "-eu", "-c", racecard_here(step.commands)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 bundles, 0 invalid" in done.stdout
    assert "continuation strict → chained" in done.stdout


@pytest.mark.processes
@pytest.mark.parametrize("step", steps("`racecard verify`", VERIFICATION), ids=["valid", "forged"])
def test_verification_prints_what_it_says(step: Step) -> None:
    done = subprocess.run(
        ["bash", "-c", racecard_here(step.commands)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert step.matches(done.stdout), done.stdout + done.stderr


def test_what_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", README)
    assert [target for target in links if not (ROOT / target).exists()] == []


def test_the_readme_names_only_targets_that_make_has() -> None:
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)", README))
    assert {"run", "test"} <= named
    assert named <= rules | {"test"}


def test_what_contributing_names_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text[text.index("## Where to find code") : text.index("## Language")]
    named = re.findall(r"`([a-z][\w/.-]*/[\w/.-]*)`", table)
    known = [one for one in named if "NAME" not in one]  # which stands for a new folder
    assert len(known) > 50
    assert [one for one in known if not (ROOT / one).exists()] == []
