"""The whole installation in one command: migrations, demo data, web server, worker and ticker."""

from __future__ import annotations

import os
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config.server.supervise import Program, Supervisor
from jobs.kinds import FORMER_QUEUE, PLAY, QUEUES, broker_queue

HEALTH_TIMEOUT = 10.0


class Command(BaseCommand):
    help = "Migrate, then run web server, Celery worker, and ticker until Ctrl-C; restart processes that end."
    # The checks query the database, which may not be migrated yet; `migrate` runs them.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--workers", type=int, default=2, help="processes of the Celery worker")
        parser.add_argument("--no-demo", action="store_true", help="do not create demo data")

    def handle(self, *args: Any, host: str, port: int, workers: int, no_demo: bool, **options: Any) -> None:
        started = time.monotonic()
        self._refuse_taken(host, port)
        self._say(f"data in {settings.DATA}, {self._database()}, {self._broker()}")
        call_command("migrate", verbosity=0, interactive=False)
        if not no_demo:
            call_command("demo_data", if_empty=True)

        def announce() -> None:
            seconds = time.monotonic() - started
            self._say(f"serving at http://{host}:{port}/ after {seconds:.1f} s; Ctrl-C stops everything")

        Supervisor(programs(host, port, workers), self._write).run(announce)
        self._say("stopped")

    def _refuse_taken(self, host: str, port: int) -> None:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            raise CommandError(
                f"{host}:{port} cannot be served on ({error.strerror}). Is another installation running? "
                f"Stop it, or choose another port with PORT={port + 1} or --port {port + 1}."
            ) from None

    def _database(self) -> str:
        return "SQLite" if connection.vendor == "sqlite" else "PostgreSQL"

    def _broker(self) -> str:
        return "Redis as broker" if settings.REDIS_URL else "broker in the data folder"

    def _say(self, text: str) -> None:
        self._write("racecard", text)

    def _write(self, name: str, line: str) -> None:
        # One write per line: the lines of several processes must not be mixed.
        self.stdout.write(f"{name:8} | {line}\n", ending="")
        self.stdout.flush()


def programs(host: str, port: int, workers: int) -> list[Program]:
    manage = str(Path(settings.ROOT) / "manage.py")
    return [
        Program(
            "web",
            [sys.executable, *web_command(host, port, os.environ.get("FORWARDED_ALLOW_IPS", ""))],
            healthy=lambda: _is_healthy(host, port),
        ),
        *worker_programs(workers),
        Program("ticker", [sys.executable, manage, "tick", "--verbosity", "0"]),
    ]


def web_command(host: str, port: int, proxies: str, *, graceful: int = 3) -> list[str]:
    """The Python arguments of the web process. Only `proxies` (addresses, with commas) may set the caller's address.

    `graceful` is the number of seconds that requests in progress have to end.
    """
    return [
        *(
            "-m",
            "uvicorn",
            "config.asgi:application",
            "--http",
            "config.server.connections:Connection",
            "--ws",
            "none",
        ),
        *("--host", host, "--port", str(port)),
        # Unless it is set, uvicorn trusts local requests, and a caller could choose an address.
        *("--forwarded-allow-ips", proxies),
        *("--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", str(graceful)),
    ]


def worker_programs(count: int, queues: Sequence[str] = QUEUES) -> list[Program]:
    """Celery workers that carry out `count` jobs of these queues at a time.

    On Redis that is one worker with a pool of processes. On the filesystem broker Celery's pool shares one queue and
    its lock: a pool process killed while it holds the lock would block the worker forever. There each is a separate
    worker without a pool, and the supervisor replaces it.
    """
    # Celery warns root about pickled messages; ours are JSON, and nothing else is accepted.
    calm = {"PYTHONWARNINGS": "ignore:You're running the worker"}
    worker = _module(
        "celery", "--quiet", "--app", "config.celery", "worker", "--without-gossip", "--without-mingle"
    )
    names = [*map(broker_queue, queues), *([FORMER_QUEUE] if PLAY in queues else [])]
    worker += ["--queues", ",".join(names)]
    if settings.REDIS_URL:
        return [Program("worker", [*worker, "--pool", "prefork", "--concurrency", str(count)], calm)]
    return [
        Program(f"worker {number}", [*worker, "--pool", "solo", "--hostname", f"{number}@%h"], calm)
        for number in range(1, count + 1)
    ]


def _module(name: str, *words: str) -> list[str]:
    return [sys.executable, "-m", name, *words]


def _is_healthy(host: str, port: int) -> bool:
    """Whether the web process answers `/healthz`, with any status."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    connection = HTTPConnection(target, port, timeout=HEALTH_TIMEOUT)
    try:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True
