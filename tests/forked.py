"""Python processes that are forked from one that has loaded the apps.

Starting Python and loading Django takes longer than most commands that the tests run, and than a worker takes from
there to its first task. A forked process has its own memory, environment and settings, as a started one has; only the
modules are loaded already. Tests of the start itself use `tests.installation.Process`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import logging
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tools.services import die_with_parent

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = "config.settings"
SIZE = 1 << 20
"""Bytes of the longest request: the command and its environment."""
LOADED = (
    "config.urls",
    "config.cli.main",
    "config.backup",
    "celery.bin.celery",
    "rich.console",
    "httpx",
    "uvicorn",
)
"""Modules that the commands import, besides the apps."""


def run(
    command: Sequence[str], environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `python COMMAND` in the root of the project to its end.

    Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = Forked(command, environment, output, errors)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        output.seek(0)
        errors.seek(0)
        texts = (one.read().decode(errors="replace") for one in (output, errors))
        return subprocess.CompletedProcess([sys.executable, *command], code, *texts)


class Forked:
    """A process as subprocess.Popen has it, with its own process group and no standard input."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        output: IO[bytes],
        errors: IO[bytes],
    ) -> None:
        self.args = list(command)
        self.returncode: int | None = None
        status, report = os.pipe()
        self._status = os.fdopen(status, "rb", buffering=0)
        try:
            _server_for(environment).fork(command, environment, [output.fileno(), errors.fileno(), report])
        finally:
            os.close(report)
        self.pid = self._read()

    def _read(self) -> int:
        line = self._status.readline()
        assert line, "the process that forks has ended"
        return int(line)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._await(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._await(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _await(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = self._read()
            self._status.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Server:
    """The process that forks."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._folder = tempfile.mkdtemp(prefix="racecard-forked-")
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
                cwd=ROOT,
                env={**environment, "DJANGO_SETTINGS_MODULE": SETTINGS, "RACECARD_DATA": self._folder},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGKILL),
            )
        atexit.register(self.close)

    def fork(self, command: Sequence[str], environment: Mapping[str, str], descriptors: list[int]) -> None:
        request = json.dumps([list(command), dict(environment)]).encode()
        with self._lock:
            socket.send_fds(self._socket, [request], descriptors)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._socket.close()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


_servers: dict[tuple[bool, bool], _Server] = {}
"""By whether there is a database server, and a Redis server: the settings differ in more than their addresses."""


def _server_for(environment: Mapping[str, str]) -> _Server:
    kind = "DATABASE_URL" in environment, "REDIS_URL" in environment
    if kind not in _servers or not _servers[kind].is_running:
        _servers[kind] = _Server(environment)
    return _servers[kind]


# --- in the process that forks -------------------------------------------------------------------------


def _serve(requested: socket.socket) -> None:
    import django

    django.setup()
    for name in LOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    while True:
        request, descriptors, _, _ = socket.recv_fds(requested, SIZE, 3)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not request:
            return
        if not os.fork():
            requested.close()
            _keep(*json.loads(request), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _keep(command: list[str], environment: dict[str, str], output: int, errors: int, report: int) -> None:
    """Fork the process of the command, and write its id and its exit code."""
    die_with_parent(signal.SIGKILL)
    child = os.fork()
    if not child:
        os.close(report)
        os.setsid()
        die_with_parent(signal.SIGKILL)
        _become(command, environment, output, errors)
    os.write(report, b"%d\n" % child)
    _, status = os.waitpid(child, 0)
    os.write(report, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(command: list[str], environment: dict[str, str], output: int, errors: int) -> None:
    """Be the process of the command, to its end."""
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.close(output)
    os.close(errors)
    os.environ.clear()
    os.environ.update(environment)
    code = 1
    try:
        _load_settings()
        _execute(command)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _load_settings() -> None:
    """Read the settings from the environment again, and forget what was made of the former ones."""
    from asgiref.local import Local
    from django.conf import settings
    from django.core.cache import caches
    from django.db import connections

    from config.celery import app as celery
    from core import metrics

    logging.disable(logging.CRITICAL)
    read = importlib.reload(sys.modules[SETTINGS])
    logging.disable(logging.NOTSET)
    for name in filter(str.isupper, dir(read)):
        setattr(settings, name, getattr(read, name))
    assert not celery.configured, "Celery has read the former settings"  # type: ignore[attr-defined]
    handlers: tuple[Any, ...] = (connections, caches)
    for handler in handlers:
        handler._settings = None
        handler.__dict__.pop("settings", None)
        handler._connections = Local(handler.thread_critical)
    metrics.FOLDER = metrics.slots._folder = Path(settings.RACECARD_METRICS)
    metrics.FOLDER.mkdir(parents=True, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics.FOLDER)


def _execute(command: list[str]) -> None:
    match command:
        case ["-c", code, *words]:
            sys.argv = ["-c", *words]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        case ["-m", module, *words]:
            sys.argv = [module, *words]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *words]:
            sys.argv = [script, *words]
            sys.path.insert(0, str(Path(script).resolve().parent))
            runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
