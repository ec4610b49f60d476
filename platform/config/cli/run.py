"""`racecard run`: one process of an installation, for a supervisor such as systemd or a container runtime."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated

import typer

from jobs.kinds import QUEUES

ALL = "all"
"""All queues."""

SOCKET = 3
"""The file descriptor of the first socket that systemd passes (sd_listen_fds(3))."""

GRACEFUL = 30
"""Seconds that requests in progress have to end."""

START_SECONDS = 60
"""Seconds that a new web process may take until it serves, before a reload is abandoned."""


class Role(StrEnum):
    WEB = "web"
    WORKER = "worker"
    TICKER = "ticker"


def run(
    role: Annotated[Role, typer.Argument(help="web serves requests and event streams.")],
    processes: Annotated[
        int, typer.Option(min=1, help="Web processes, or jobs that a worker carries out at a time.")
    ] = 2,
    host: Annotated[
        str, typer.Option(envvar="HOST", help="The address to listen on, without a passed socket.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="PORT", help="Its port.")] = 8000,
    queue: Annotated[
        list[str] | None,
        typer.Option(
            help="The jobs that a worker does: play, money, messages, or maintenance; repeatable. all, or a number as "
            "the name of a unit of systemd: all of them, the default."
        ),
    ] = None,
) -> None:
    """Replace this command by one process of the installation, or by one and its children.

    `web` uses the socket that systemd passes, if there is one. On SIGHUP it starts new processes one by one, each with
    the installed code and the same socket, and ends the old ones when their requests are answered. `worker` and
    `ticker` may be run any number of times; each queue needs a worker, and of the tickers one acts. Migrate first.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    match role:
        case Role.WEB:
            arguments = _web(processes, host, port)
        case Role.WORKER:
            arguments = _worker(processes, _queues(queue or [ALL]))
        case Role.TICKER:
            arguments = _ticker()
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606  # the arguments are our own


def _web(processes: int, host: str, port: int) -> list[str]:
    from config.management.commands.serve import web_command

    proxies = os.environ.get("FORWARDED_ALLOW_IPS", "")
    command = web_command(host, port, proxies, graceful=GRACEFUL)
    command += ["--workers", str(processes), "--timeout-worker-healthcheck", str(START_SECONDS)]
    return [*command, "--fd", str(SOCKET)] if _has_socket() else command


def _has_socket() -> bool:
    """Whether systemd has passed a socket to this process."""
    return os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1"


def _queues(names: list[str]) -> list[str]:
    """The queues of these names, without repetition. Raises BadParameter."""
    known: tuple[str, ...] = QUEUES
    for name in names:
        if name != ALL and not name.isdecimal() and name not in known:
            raise typer.BadParameter(f"{name!r} is no queue; the queues are {', '.join(known)}, and {ALL}.")
    return [queue for queue in known if queue in names or any(name not in known for name in names)]


def _worker(processes: int, queues: list[str]) -> list[str]:
    from config.management.commands.serve import worker_programs

    # The filesystem broker needs a separate process for each worker, so there this is one of them.
    program = worker_programs(processes, queues)[0]
    os.environ.update(program.environment or {})
    name = f"{os.getpid()}@%h"  # several workers of one machine need different names
    return [*program.command[1:], "--hostname", name]


def _ticker() -> list[str]:
    from django.conf import settings

    return [str(settings.ROOT / "manage.py"), "tick"]
