"""`racecard tournament`, as it is called: one file in, a report and a stream out, and the stream replayed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.cli.main import application

CLUB = """
seed = "club night"
[tournament]
name = "Club night"
format = "swiss"
rules = "ace-race"
rounds = 1
fee = 500
[[bots]]
count = 2
"""


def replay(*arguments: object):
    return CliRunner().invoke(application("tournament"), ["tournament", "replay", *map(str, arguments)])


@pytest.mark.processes
def test_a_file_is_run_and_its_stream_replayed(tmp_path: Path):
    file, events = tmp_path / "club.toml", tmp_path / "events.json"
    file.write_text(CLUB)
    run = [sys.executable, "-m", "config.cli.main", "tournament", "run", str(file)]
    done = subprocess.run(
        [*run, "--verify", "--json", "--events", str(events)],
        env={name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert all(check["ok"] for check in output["checks"])
    assert sum(one["prize"] for one in output["standings"]) == output["money"]["fees"] == 1000

    whole = replay(events)
    assert (whole.exit_code, "all as derived (finished)" in whole.stdout) == (0, True)
    document = json.loads(events.read_text())
    document["events"][-2]["data"]["awards"][0]["amount"] += 1
    events.write_text(json.dumps(document))
    forged = replay(events, "--json")
    assert forged.exit_code == 1
    version = document["events"][-2]["version"]
    assert json.loads(forged.stdout)["difference"]["version"] == version


def test_a_file_without_a_stream_is_refused(tmp_path: Path):
    file = tmp_path / "events.json"
    for text in ("", "[]", "{}", '{"tournament": 1, "events": []}'):
        file.write_text(text)
        assert replay(file).exit_code == 2
    assert replay(tmp_path / "nowhere").exit_code == 2
    assert replay(file, "--verify").exit_code == 2


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path):
    (tmp_path / "club.toml").write_text(CLUB)
    done = CliRunner().invoke(
        application("tournament"),
        ["tournament", "run", str(tmp_path / "club.toml"), "--data", str(tmp_path)],
    )
    assert done.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["club.toml"]
