"""The examples of docs/clients.md, run in order against a server as one program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation import ROOT, Installation, installation
from tools import python_client

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.processes
def test_the_examples_of_the_python_client_run(tmp_path: Path) -> None:
    python_client.generate()
    program = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    with installation(Installation(tmp_path / "server")) as server:
        server.migrate()
        server.manage("demo_data")
        server.serve_web()
        program = program.replace("http://127.0.0.1:8000", server.address)
        program = program.replace("var/demo-passwords.txt", str(server.folder / "data/demo-passwords.txt"))
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}:{python_client.PROJECT}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "finished"
    assert re.match(r"4 \w+ \{", lines[1])
    assert any(line.startswith("event 3") for line in lines), "the tampered bundle is found"
    assert any(line.startswith("{'available': ") for line in lines)
    assert re.fullmatch(r"[0-9a-f-]{36} finished", lines[-1])
