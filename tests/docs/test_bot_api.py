"""A reader of docs/bot-api.md makes a bot, plays with it, and checks it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation import ROOT, Installation, installation
from tools import python_client

PAGE = (ROOT / "docs" / "bot-api.md").read_text(encoding="utf-8")


def script() -> str:
    """The blocks of the tutorial. A Python block is a program, or the file that its first line names."""
    section = PAGE.split("## Your first bot in ten minutes", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"```(python|bash)\n(?:# (\w+\.py)\n)?(.*?)```", section, re.DOTALL)
    assert [language for language, *_ in found] == ["python", "python", "bash", "bash"]
    lines = []
    for language, file, text in found:
        reader = f"cat > {file}" if file else "python -"
        lines.append(f"{reader} <<'END'\n{text}END\n" if language == "python" else text)
    return "\n".join(lines)


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.processes
def test_the_first_bot_plays_and_passes_its_checks(tmp_path: Path) -> None:
    python_client.generate()
    with installation(Installation(tmp_path / "server")) as server:
        server.migrate()
        server.manage("demo_data")
        server.serve_web()
        text = script().replace("http://127.0.0.1:8000", server.address)
        text = text.replace("var/demo-passwords.txt", str(server.folder / "data/demo-passwords.txt"))
        text = text.replace("python -", f"{sys.executable} -")
        done = subprocess.run(
            ["bash", "-eu", "-c", text],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(python_client.PROJECT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    log = done.stderr
    assert log.count(" vegas-solitaire, seat 0 of 1: collected, ") >= 4
    assert " 3 games played, 0 still in play" in log
    assert "FAIL" not in done.stdout
    assert re.search(r"pass  vegas-solitaire: continues after a restart +\d+ moves", done.stdout)
    assert (tmp_path / "bot-token").stat().st_mode & 0o077 == 0
