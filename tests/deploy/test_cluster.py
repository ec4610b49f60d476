"""The rehearsal on a cluster: its configuration files and its table here, a failover for real in `make soak`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import string
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.installation import ROOT
from tools.cluster import packages, rehearsal, report
from tools.cluster.__main__ import play
from tools.cluster.faults import Unsafe, check_clock, check_fence
from tools.cluster.hosts import Host, Service
from tools.cluster.rehearsal import Rehearsal, Window
from tools.cluster.services import TEMPLATES, Servers
from tools.services import until

SERVER = "    server one 192.0.2.1:8000 check port 8008"
VALUES = {
    "name": "db1",
    "address": "192.0.2.1",
    "etcd_hosts": '"192.0.2.1:2379"',
    "network": "192.0.2.0/24",
    "data": "/var/lib/postgresql/15/main",
    "wal": "/var/lib/postgresql/15/wal",
    "home": "/var/lib/postgresql",
    "watchdog": "required",
    "superuser_password": "secret",
    "replication_password": "secret",
    "databases": SERVER,
    "redis": SERVER,
    "web": SERVER,
    "streams": SERVER,
    "replicaof": "",
    "master": "192.0.2.1",
}


def rendered(name: str) -> str:
    return string.Template((TEMPLATES / name).read_text()).substitute(VALUES)


def test_no_commit_is_acknowledged_by_one_host_alone() -> None:
    patroni = yaml.safe_load(rendered("patroni.yml"))
    dcs = patroni["bootstrap"]["dcs"]
    assert dcs["synchronous_mode"] is True
    assert dcs["synchronous_mode_strict"] is True
    assert dcs["postgresql"]["parameters"]["synchronous_commit"] == "on"
    assert dcs["ttl"] >= dcs["loop_wait"] + 2 * dcs["retry_timeout"], (
        "Patroni would lose its lease while it retries"
    )


def test_patroni_takes_no_lock_that_another_holds() -> None:
    """Before 3.0.4 it overwrote the leader's lock; since 4.0.6 it ignores a member of etcd that lags behind."""
    pinned = re.search(r"^patroni==([\d.]+)", packages.REQUIREMENTS.read_text(), re.MULTILINE)
    assert pinned
    assert tuple(map(int, pinned[1].split("."))) >= (4, 0, 6)
    [start] = re.findall(r"^ExecStart=(\S+)", (TEMPLATES / "patroni.service").read_text(), re.MULTILINE)
    assert start == "/opt/patroni/bin/patroni", "Debian's would be in /usr/bin"


def test_the_pooler_lends_connections_for_one_transaction() -> None:
    settings = dict(re.findall(r"^(\w+) = (.*)$", rendered("pgbouncer.ini"), re.MULTILINE))
    assert settings["pool_mode"] == "transaction"
    assert int(settings["server_login_retry"]) <= 1
    assert {"racecard", "racecard_replica"} <= settings.keys()


@pytest.mark.parametrize("name", ["haproxy.cfg", "front.cfg"])
def test_haproxy_accepts_the_configuration_where_it_is_installed(name: str, tmp_path: Path) -> None:
    text = rendered(name)
    assert "on-marked-down shutdown-sessions" in text or name == "front.cfg"
    assert "http-request set-header X-Forwarded-For %[src]" in text or name == "haproxy.cfg"
    if program := shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin"):
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            [program, "-c", "-f", tmp_path / name], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def probes(*moments: float, kind: str = "probe-write", status: str = "done") -> list[dict[str, Any]]:
    return [{"kind": kind, "status": status, "began": moment - 0.1, "ended": moment} for moment in moments]


def test_a_cluster_is_away_between_two_answers() -> None:
    window = Window("failover", 100.0, 140.0)
    lines = [*probes(99.5, 100.5, 121, 139), *probes(110, status="failed"), *probes(105, kind="probe-read")]
    assert report.away("probe-write", window, lines) == 20.5
    assert report.away("probe-read", window, lines) == 35.0


def test_a_cluster_that_never_answers_is_away_for_the_whole_time() -> None:
    window = Window("failover", 100.0, 140.0)
    assert report.away("probe-write", window, probes(98.5, 150)) == 40.0


FOUND: dict[str, Any] = {
    "unfinished": "",
    "answered": {"move": 1},
    "lost": [],
    "doubled": [],
    "audit": {"faults": [], "unreconciled": [], "balance": 0, "events": 1, "transfers": 1},
    "state": {"failed": []},
    "tournaments": [{"games": 1, "stored": 1, "differ": []}],
}


def faults_of(found: dict[str, Any], lines: list[dict[str, Any]], **window: Any) -> list[str]:
    windows = [Window("failover", 100.0, 120.0, **window)]
    lines = [*probes(*range(95, 125)), *probes(*range(95, 125), kind="probe-read"), *lines]
    return report.faults(found, lines, report.rows(windows, lines, found))


MOVE = {"kind": "move", "key": "k", "began": 110.0, "ended": 111.0, "sent": 2, "status": "done"}
STREAM = {"kind": "stream", "game": "g", "began": 90.0, "ended": 130.0, "faults": ["7 after 5"]}


def test_a_rehearsal_without_losses_holds() -> None:
    assert faults_of(FOUND, [MOVE]) == []


@pytest.mark.parametrize(
    ("found", "line", "why"),
    [
        ({"lost": [MOVE]}, MOVE, "lost: move k"),
        ({"doubled": [MOVE]}, MOVE, "doubled: move k"),
        ({}, {**MOVE, "status": "refused", "code": "internal-error"}, "move refused: internal-error"),
        ({}, {**MOVE, "status": "unanswered", "code": "unavailable"}, "move unanswered: unavailable"),
        ({}, STREAM, "event stream of g: 7 after 5"),
        ({"audit": {**FOUND["audit"], "balance": 1}}, MOVE, "the trial balance is 1"),
        (
            {"tournaments": [{"games": 1, "stored": 1, "differ": ["money"]}]},
            MOVE,
            "tournament: money differ from the undisturbed one",
        ),
    ],
)
def test_what_is_lost_doubled_or_refused_is_reported(
    found: dict[str, Any], line: dict[str, Any], why: str
) -> None:
    assert why in faults_of({**FOUND, **found}, [line])


def test_a_comparison_that_was_cut_off_is_reported() -> None:
    found = report.whole({"unfinished": "TimeoutError: too long", "tournaments": []})
    assert faults_of(dict(found), []) == ["the comparison was cut off: TimeoutError: too long"]


def test_a_fault_that_the_cluster_does_not_survive_is_reported() -> None:
    assert faults_of(FOUND, [], failure="TimeoutError: no primary") == ["failover: TimeoutError: no primary"]


def test_a_fault_that_is_cut_off_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(_: Rehearsal) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(rehearsal, "FAULTS", {"failover": ("the primary is killed", cut_off)})
    for step in ("_keep_tournament", "await_writes", "say"):
        monkeypatch.setattr(Rehearsal, step, lambda *_: None)
    it = Rehearsal.__new__(Rehearsal)
    it.windows = []
    with pytest.raises(KeyboardInterrupt):
        it.fault("failover")
    [row] = report.rows(it.windows, [], FOUND)
    assert row.window.ended >= row.window.began
    assert not row.holds
    why = "the primary is killed: cut off before the cluster was whole again"
    assert report.faults(FOUND, [], [row]) == [why]


def test_players_that_end_are_reported_at_once_with_their_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their journal would have no answered write, however long the rehearsal waits for one."""
    it = Rehearsal.__new__(Rehearsal)
    it._began, it.windows, it.servers = time.monotonic(), [], Servers.__new__(Servers)
    host = HostWithoutServer("players", "192.0.2.1")
    monkeypatch.setattr(host, "command", lambda command, _: command)
    command = [sys.executable, "-c", "import sys; sys.exit('no module named rest')"]
    it._play = service = Service("play", host, command, tmp_path / "log", is_restarted=False)
    it.servers.services = {"players play": service}
    monkeypatch.setattr(Rehearsal, "bring_up", lambda self: service.start())
    monkeypatch.setattr(Rehearsal, "begin_play", Rehearsal.await_writes)
    monkeypatch.setattr(Rehearsal, "lines", lambda self, tail: [])
    play(it)
    service.tend()
    assert service.restarts == 0
    assert it.failure == "RuntimeError: the players have ended:\nno module named rest\n"
    assert capsys.readouterr().out.count("no module named rest") == 1


def test_what_forbids_services_does_not_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    policy = tmp_path / "policy-rc.d"
    monkeypatch.setattr(packages, "POLICY", policy)

    @packages.services_forbidden()
    def install() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        assert os.access(policy, os.X_OK), "removed while apt-get may still go on"

    with pytest.raises(SystemExit):
        install()
    assert not policy.exists()
    policy.write_text(packages.FORBIDDEN)
    packages.allow_services()
    assert not policy.exists()


def test_a_policy_of_the_machine_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    policy = tmp_path / "policy-rc.d"
    monkeypatch.setattr(packages, "POLICY", policy)
    policy.write_text("#!/bin/sh\nexit 0\n")
    with packages.services_forbidden():
        pass
    assert policy.read_text() == "#!/bin/sh\nexit 0\n"


def test_only_services_of_installed_packages_are_disabled() -> None:
    assert packages.units_of(["postgresql-15", "haproxy", "curl"]) == ["postgresql", "haproxy"]
    assert set(packages.UNITS) <= set(packages.NEEDED.values())


def test_a_statement_that_fails_is_not_taken_for_an_empty_table(tmp_path: Path) -> None:
    servers = Servers.__new__(Servers)
    servers.folder = tmp_path
    host = HostWithoutServer("db1", "192.0.2.1")
    with pytest.raises(RuntimeError):
        servers.query(host, "SELECT 1")
    assert servers.sql(host, "SELECT 1") == []


class HostWithoutServer(Host):
    def run(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no server")


@pytest.mark.parametrize("rows", [[], [["before"], ["after"]], [["after"]]])
def test_a_write_behind_the_fence_is_noticed(rows: list[list[str]]) -> None:
    check_fence([["before"]], "before")
    with pytest.raises(Unsafe):
        check_fence(rows, "before")


def test_a_process_with_the_real_clock_is_noticed(tmp_path: Path) -> None:
    host = HostWithoutServer("web1", "192.0.2.1")
    host.namespace = Path("/proc/self/ns/net")
    service = Service("web", host, [], tmp_path / "log")
    service.process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        until(service.maps, "the process runs", 10)
        with pytest.raises(RuntimeError, match="1 of 1 processes"):
            check_clock(service, Path("/usr/lib/libfaketime.so.1"))
    finally:
        service.process.kill()
        service.process.wait()


@pytest.mark.soak
@pytest.mark.processes
@pytest.mark.timeout(900)
def test_a_failover_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """`make cluster` with a failover and a few clients."""
    assert os.geteuid() == 0, "the rehearsal cannot run: it needs root, for network namespaces"
    written = tmp_path / "report.md"
    command = [sys.executable, "-m", "tools.cluster", "--thin", "--report", str(written)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| the primary is killed |" in written.read_text()
