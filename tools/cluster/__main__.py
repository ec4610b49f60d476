"""`make cluster`: Racecard on a cluster in network namespaces of this machine, with faults, as root.

make cluster                                    the whole rehearsal, about 8 minutes on two quiet cores
make cluster ARGS='--thin'                      a failover with a few bots and clients
make cluster ARGS='--faults failover,disk --bots 40 --clients 8'
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools import python_client
from tools.cluster import packages, report
from tools.cluster.faults import FAULTS
from tools.cluster.hosts import INSIDE, isolated, reap
from tools.cluster.rehearsal import Plan, Rehearsal
from tools.cluster.services import environment_of_patroni

THIN = {"bots": 16, "clients": 4, "rounds": 2, "gap": 15, "faults": "failover", "previous": ""}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__.splitlines()[0])
    parser.add_argument("--bots", type=int, default=500)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of a tournament")
    parser.add_argument("--gap", type=int, default=40, help="seconds between two rounds")
    parser.add_argument("--think", type=float, default=3.0, help="seconds between two commands of a client")
    parser.add_argument("--seed", default="rehearsal")
    parser.add_argument("--faults", default=",".join(FAULTS), help="their names, separated by commas")
    parser.add_argument("--previous", default="HEAD~1", help="the revision with which the processes begin")
    parser.add_argument(
        "--folder", type=Path, help="where data and logs are kept; otherwise they are removed"
    )
    parser.add_argument("--report", type=Path, help="a file for the table, as Markdown")
    parser.add_argument("--thin", action="store_true", help="a failover with a few bots and clients")
    chosen = parser.parse_args()
    if chosen.thin:
        vars(chosen).update(THIN)
    chosen.faults = [name for name in chosen.faults.split(",") if name]
    if unknown := set(chosen.faults) - set(FAULTS):
        parser.error(f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(FAULTS)}")
    if INSIDE not in os.environ and chosen.folder and chosen.folder.exists() and any(chosen.folder.iterdir()):
        parser.error(f"{chosen.folder} is not empty; name another folder")
    return chosen


def main() -> int:
    chosen = arguments()
    if os.geteuid() != 0 or sys.platform != "linux":
        print("racecard: the rehearsal needs Linux and root, for network namespaces", file=sys.stderr)
        return 2
    if INSIDE not in os.environ:
        python_client.generate()  # the players are such clients
        packages.install()
        folder = chosen.folder or Path(tempfile.mkdtemp(prefix="racecard-cluster-"))
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        try:
            packages.install_patroni(environment_of_patroni(folder))
            return isolated(folder)
        finally:
            if chosen.folder is None:
                shutil.rmtree(folder, ignore_errors=True)
    if child := os.fork():
        return reap(child)
    with contextlib.suppress(KeyboardInterrupt):
        return rehearse(chosen, Path(os.environ[INSIDE]))
    return 130


def rehearse(chosen: argparse.Namespace, folder: Path) -> int:
    names = ("bots", "clients", "rounds", "gap", "think", "seed", "faults", "previous")
    plan = Plan(**{name: getattr(chosen, name) for name in names})
    began = time.monotonic()
    it = Rehearsal(plan, folder)
    try:
        play(it)
        if not it.windows:
            print(f"rehearsal: no fault was tried: {it.failure}", flush=True)
            return 1
        found = report.whole(it.examine())
    finally:
        it.close()
    lines = it.lines()
    table = report.rows(it.windows, lines, found)
    text = report.markdown(plan, table, found, lines, time.monotonic() - began)
    print(f"\n{text}")
    if chosen.report is not None:
        chosen.report.write_text(text)
    wrong = report.faults(found, lines, table)
    for line in wrong[:50]:
        print(f"WRONG  {line}")
    print(f"rehearsal: {len(wrong)} faults" if wrong else "rehearsal: everything holds", flush=True)
    return 1 if wrong else 0


def play(it: Rehearsal) -> None:
    """From the first server to the last game. What fails is printed first, and play is compared as far as it came."""
    try:
        it.bring_up()
        it.begin_play()
        for name in it.plan.faults:
            it.fault(name)
        it.end_play()
    except (TimeoutError, RuntimeError, OSError, subprocess.SubprocessError) as error:
        it.failure = f"{type(error).__name__}: {error}"
        it.say(f"FAILED: {it.failure}")
        it.stop_clients(patience=30)
        for service in it.servers.services.values():
            if service.is_wanted and service.is_restarted and not service.is_running:
                it.say(f"{service.host.name} {service.name} has ended:\n{service.said(1000)}")


if __name__ == "__main__":
    sys.exit(main())
