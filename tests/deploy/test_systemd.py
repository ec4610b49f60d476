"""The units of deploy/systemd. `systemd-analyze` checks them where it is installed; the other tests need no systemd.

tests/deploy/test_debian.py starts them under a real systemd (`make soak`).
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from config.settings import env
from tests.installation import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").glob("racecard*"))
PATRONI = ROOT / "deploy" / "cluster" / "patroni.service"
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
MOST_EXPOSED = 1.5
"""Of 10, as `systemd-analyze security` counts."""

OWN = {
    "ExecStart",
    "ExecReload",
    "Environment",
    "KillMode",
    "Restart",
    "RestartSec",
    "TimeoutStopSec",
    "Type",
}
OWN |= {"LimitNOFILE", "TasksMax", "MemoryHigh"}
"""What differs between the services. Everything else in [Service] is the same in each."""


def sections(unit: Path) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for line in unit.read_text().splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = heading[1]
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert section, f"{unit.name}: {line}"
            assert equals, f"{unit.name}: {line}"
            found[section][name].append(value)
    return found


def test_every_name_in_a_unit_is_a_unit() -> None:
    names = {unit.name for unit in UNITS} | {"racecard-worker@all.service"}
    for unit in UNITS:
        mentioned = set(re.findall(r"racecard[\w@-]*\.(?:service|socket|target)", unit.read_text()))
        assert mentioned <= names, unit.name


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.stem)
def test_a_service_runs_a_command_that_exists(unit: Path) -> None:
    from config.cli.main import COMMANDS
    from config.cli.run import Role

    [start] = sections(unit)["Service"]["ExecStart"]
    program, command, what, *_ = shlex.split(start)
    assert program == "/opt/racecard/bin/racecard"
    assert command in COMMANDS
    assert command == "manage" or what in set(Role)


def test_the_services_are_hardened_in_the_same_way() -> None:
    first, *others = (
        {name: values for name, values in sections(unit)["Service"].items() if name not in OWN}
        for unit in SERVICES
    )
    assert {"NoNewPrivileges", "ProtectSystem", "SystemCallFilter", "User"} <= first.keys()
    for other in others:
        assert other == first


def test_the_example_of_the_environment_names_settings() -> None:
    example = (ROOT / "deploy/systemd/environment.example").read_text()
    named = dict(re.findall(r"^(\w+)=(.*)$", example, re.MULTILINE))
    assert env.db_url_config(named["DATABASE_URL"])["HOST"] == "/run/postgresql"
    assert set(named) <= env.names | {"FORWARDED_ALLOW_IPS"}
    assert {"DATABASE_URL", "RACECARD_HTTPS", "FORWARDED_ALLOW_IPS"} <= set(named)


def test_systemd_accepts_the_units_where_it_is_installed(tmp_path: Path) -> None:
    """With the program in another place, because `verify` looks for it. Without systemd, the syntax is read above."""
    if (analyze := shutil.which("systemd-analyze")) is None:
        assert all(sections(unit) for unit in (*UNITS, PATRONI))
        return
    program = tmp_path / "racecard"
    program.touch(0o755)
    for unit in (*UNITS, PATRONI):
        text = re.sub(r"/opt/(?:racecard|patroni)/bin/\w+", str(program), unit.read_text())
        (tmp_path / unit.name).write_text(text)
    copies = [str(tmp_path / unit.name) for unit in (*UNITS, PATRONI)]
    done = subprocess.run([analyze, "verify", *copies], capture_output=True, text=True, check=False)
    of_ours = [line for line in done.stderr.splitlines() if "racecard" in line or "patroni" in line]
    assert (done.returncode, of_ours) == (0, [])
    for unit in SERVICES:
        command = [
            analyze,
            "security",
            "--offline=yes",
            f"--threshold={int(MOST_EXPOSED * 10)}",
            str(tmp_path / unit.name),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout.splitlines()[-1]
