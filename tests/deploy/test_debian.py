"""The how-to of docs/deployment.md, run from its first command to the last under systemd in a container of Debian.

Needs root, the network for Debian's packages and the project's, and `apt-get install mmdebstrap systemd-container`.
What differs from a real host: certbot gets no certificate, so a self-signed one is put in its place, and packages are
installed before the container starts, which has no network.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.nginx import self_signed
from tests.installation import ROOT, until
from tools.frontend import BUILT_OF
from tools.release import build
from tools.services import die_with_parent

pytestmark = [pytest.mark.soak, pytest.mark.processes, pytest.mark.timeout(1800)]

PAGE = ROOT / "docs" / "deployment.md"
HOST = "systemd,systemd-sysv,dbus,ca-certificates,iproute2,procps,adduser,curl"
REQUIREMENTS = ROOT / "requirements" / "run.txt"
PIN = re.compile(r"^([a-z][\w.-]*==\S+)(.*)$", re.MULTILINE)
ELSEWHERE = r"win32|>= '3\.1[2-9]"
"""In the markers of the pins that Debian's Python 3.11 does not need."""

NAME = "localhost"
CERTIFICATE = f"/etc/letsencrypt/live/{NAME}/fullchain.pem"

BOOT = (
    # A cgroup file system of the container's own; elsewhere systemd would want the host's.
    "umount -R /sys/fs/cgroup || umount -l -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; "
    'exec systemd-nspawn --quiet --directory="$1" --private-network --register=no --keep-unit --boot --console=pipe'
)


def blocks(heading: str) -> list[str]:
    """The commands of a section, block by block."""
    text = PAGE.read_text(encoding="utf-8")
    section = re.split(r"^##+ ", text.partition(f"\n{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def packages() -> str:
    [line] = re.findall(r"^apt-get install --yes (.*)$", PAGE.read_text(), re.MULTILINE)
    return line.replace(" ", ",")


def run(*command: str, **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return str(done.stdout)


class Host:
    """A Debian that is booted in its own namespaces."""

    def __init__(self, root: Path, log: Path) -> None:
        self.root = root
        with log.open("wb") as output:
            self.container = subprocess.Popen(
                ["unshare", "--mount", "--cgroup", "sh", "-c", BOOT, "sh", str(root)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=lambda: die_with_parent(15),
            )
        self.leader = until(self._leader, "the container has a first process")
        until(
            lambda: "running" in self.shell("systemctl is-system-running || true", check=False),
            "systemd runs",
        )

    def _leader(self) -> int:
        """The process that is the first one in the namespace of the container; 0 until there is one."""
        assert self.container.poll() is None, "the container has ended"
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                status = dict(re.findall(r"^(\w+):\t(.*)$", (entry / "status").read_text(), re.MULTILINE))
                if status["PPid"] == str(self.container.pid) and status["NSpid"].split("\t")[1:] == ["1"]:
                    return int(entry.name)
        return 0

    def shell(self, script: str, *, check: bool = True) -> str:
        command = ["nsenter", f"--target={self.leader}", "--all", "sh", "-euc", f"cd /root; {script}"]
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": "/root/wheels",
        }
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if check:
            assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def stop(self) -> None:
        self.container.terminate()  # systemd-nspawn shuts the container down
        try:
            self.container.wait(60)
        except subprocess.TimeoutExpired:
            self.container.kill()
            self.container.wait()


def prepared(folder: Path) -> Path:
    """A root folder of Debian with the packages of the how-to, and the release in /root.

    RACECARD_DEBIAN_ROOT names one that was made before, possibly with wheels, to save minutes while working on it.
    """
    root = folder / "debian"
    if cached := os.environ.get("RACECARD_DEBIAN_ROOT"):
        # It has device files, which a copy by Python would read without an end.
        run("cp", "--archive", cached, str(root))
    else:
        run("mmdebstrap", "--variant=minbase", f"--include={HOST},{packages()}", "bookworm", str(root))
    home = root / "root"
    build(home)
    if (home / "wheels").exists():
        return root
    pins = [pin for pin, marker in PIN.findall(REQUIREMENTS.read_text()) if not re.search(ELSEWHERE, marker)]
    # Debian 12 has Python 3.11, as this process has, or the wheels would not fit.
    assert sys.version_info[:2] == (3, 11)
    run(
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(home / "wheels"),
        *pins,
    )
    return root


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    for program in ("mmdebstrap", "systemd-nspawn"):
        assert shutil.which(program), f"{program} is missing: apt-get install mmdebstrap systemd-container"
    assert os.geteuid() == 0, "only root can start a container here"
    folder = tmp_path_factory.mktemp("debian")
    try:
        made = Host(prepared(folder), folder / "boot.log")
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder)


def doctor(host: Host, script: str) -> dict[str, list[str]]:
    """The ids of the messages by subject."""
    output = json.loads(host.shell(script.replace("racecard doctor", "racecard doctor --json").strip()))
    return {one["name"]: [message["id"] for message in one["messages"]] for one in output["checks"]}


def test_every_command_of_the_how_to_does_what_it_says(host: Host, tmp_path: Path) -> None:
    name, apt, *steps, check, appoint = blocks("## Debian 12")
    assert name == "NAME=cards.example\n"
    host.shell(apt.replace("apt-get update\n", ""))  # the packages are there
    certificates = Path(f"{host.root}{CERTIFICATE}").parent
    for step in steps:
        if "certbot" in step:
            self_signed(tmp_path)
            certificates.mkdir(parents=True)
            shutil.copy(tmp_path / "cert.pem", certificates / "fullchain.pem")
            shutil.copy(tmp_path / "key.pem", certificates / "privkey.pem")
        else:
            host.shell(f"NAME={NAME}; {step}")
    site = f"curl --silent --show-error --fail --cacert {CERTIFICATE} https://{NAME}"
    until(lambda: "racing-aces" in host.shell(f"{site}/api/v1/rules/ || true"), "the site answers")
    services = host.shell(
        "systemctl show --property=ActiveState --value 'racecard-*.service' 'racecard-*.socket'"
    )
    assert set(services.split()) == {"active"}, host.shell("journalctl --no-pager -u 'racecard-*' | tail -50")

    sign_up = """--json '{"username": "ada", "password": "correct horse battery"}'"""
    host.shell(f"{site}/api/v1/players/ {sign_up}")
    assert "ada is now administrator." in host.shell(appoint)

    until(lambda: not doctor(host, trusting(check))["jobs"], "ticker and workers do the jobs")
    found = doctor(host, trusting(check))
    # The release has the web client only if it was built before. A container has no clock of its own, and there is
    # no mail server.
    client = {} if BUILT_OF.exists() else {"client": ["client.missing"]}
    known = {**client, "mail": ["mail.none"]}
    assert {name: ids for name, ids in found.items() if ids and name not in ("clock", "zones")} == known

    main = "systemctl show --property=MainPID --value racecard-web"
    before = host.shell(main)
    for step in blocks("### Update"):
        host.shell(step)
    assert host.shell(main) == before  # reloaded, not restarted
    until(lambda: "racing-aces" in host.shell(f"{site}/api/v1/rules/ || true"), "the site answers")
    assert not host.shell("systemctl --failed --plain --no-legend")


def trusting(script: str) -> str:
    """The command with the test's certificate among those that it trusts."""
    return script.replace(
        "--setenv=RACECARD_DATA", f"--setenv=SSL_CERT_FILE={CERTIFICATE} --setenv=RACECARD_DATA"
    )
