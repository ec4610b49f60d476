"""A supervisor of several processes: it restarts those that end, and none outlives it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

CALM = 30.0
"""Seconds after which a process that ended is restarted without a delay."""

GRACE = 10.0
"""Seconds from SIGTERM to SIGKILL."""

LONGEST_DELAY = 30.0

START_UP = 30.0
"""Seconds for which the next programs wait for the first response of one."""

# Asks the kernel to kill the process when its supervisor ends, then executes the program.
_BIND_TO_PARENT = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the supervisor is gone")
os.execvp(sys.argv[2], sys.argv[2:])
"""


HEALTH_INTERVAL = 2.0
START_INTERVAL = 0.05
"""Seconds between checks until the first response."""

HEALTH_PATIENCE = 30.0
"""Seconds without a healthy response after which a process is replaced."""

START_PATIENCE = 120.0
"""Seconds that a process may take until its first healthy response."""


@dataclass(frozen=True, slots=True)
class Program:
    """`healthy` says whether the process responds; it may block for a few seconds. None: running is enough.

    The programs after one with `healthy` start once it has responded, so that they do not slow down its start.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    healthy: Callable[[], bool] | None = None
    health_patience: float = HEALTH_PATIENCE


class Supervised:
    """One program and its current process."""

    def __init__(self, program: Program, write: Callable[[str, str], None]) -> None:
        self.program = program
        self.write = write
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        self.start_at = 0.0
        self.delay = 0.0
        self.has_answered = threading.Event()

    def start(self) -> None:
        wrapper = [sys.executable, "-I", "-c", _BIND_TO_PARENT, str(os.getpid())]
        self.started = time.monotonic()
        # A session for each process: Ctrl-C reaches only the supervisor, which ends the others in order.
        self.process = subprocess.Popen(  # noqa: S603  # the commands are our own
            [*wrapper, *self.program.command],
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(self.program.environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        threading.Thread(target=self._relay, args=(self.process,), daemon=True).start()
        self.has_answered.clear()
        if self.program.healthy is not None:
            threading.Thread(
                target=self._watch, args=(self.process, self.program.healthy), daemon=True
            ).start()

    def _watch(self, process: subprocess.Popen[bytes], healthy: Callable[[], bool]) -> None:
        """Kill the process when it no longer responds; `look` starts the next one."""
        deadline = time.monotonic() + START_PATIENCE
        while process.poll() is None:
            if healthy():
                self.has_answered.set()
                deadline = time.monotonic() + self.program.health_patience
            elif time.monotonic() > deadline:
                self.write(self.program.name, "does not respond; killed")
                process.kill()
                return
            interval = HEALTH_INTERVAL if self.has_answered.is_set() else START_INTERVAL
            time.sleep(min(interval, self.program.health_patience / 4))

    def _relay(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.write(self.program.name, line.decode(errors="replace").rstrip())

    def look(self) -> None:
        """Start the process when it is due; if it has ended, report that and schedule a restart."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.start_at:
                self.start()
            return
        code = self.process.poll()
        if code is None:
            return
        self._signal(signal.SIGKILL)  # its remaining children
        self.process = None
        well = now - self.started >= CALM
        self.delay = 0.0 if well else min(max(1.0, self.delay * 2), LONGEST_DELAY)
        self.start_at = now + self.delay
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        self.write(self.program.name, f"ended ({how}); starting it again in {self.delay:.0f} s")

    def is_starting(self) -> bool:
        """Whether it is running and has not responded yet, while the next programs wait for it."""
        if self.program.healthy is None or self.process is None or self.process.poll() is not None:
            return False
        return time.monotonic() - self.started < START_UP and not self.has_answered.is_set()

    def ask_to_stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def await_end(self, deadline: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.write(self.program.name, "did not stop on SIGTERM; killed")
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        """Signal the whole session of the process: a worker has children."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


class Supervisor:
    def __init__(
        self, programs: Sequence[Program], write: Callable[[str, str], None], grace: float = GRACE
    ) -> None:
        self.grace = grace
        self.supervised = [Supervised(program, write) for program in programs]
        self.stopping = threading.Event()

    def run(self, on_answers: Callable[[], None] | None = None) -> None:
        """Run the programs until SIGINT, SIGTERM, or SIGHUP; then end all of them and return.

        `on_answers` is called once, in a thread, when each program with `healthy` has responded.

        Must be called in the main thread: the children are bound to the thread that started them.
        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())
        try:
            if on_answers is not None:
                threading.Thread(target=self._await_answers, args=(on_answers,), daemon=True).start()
            for one in self.supervised:
                one.look()
                while one.is_starting() and not self.stopping.wait(0.05):
                    pass
            while not self.stopping.wait(0.2):
                for one in self.supervised:
                    one.look()
        finally:
            self.stopping.set()
            for one in self.supervised:
                one.ask_to_stop()
            deadline = time.monotonic() + self.grace
            for one in self.supervised:
                one.await_end(deadline)

    def _await_answers(self, then: Callable[[], None]) -> None:
        for one in self.supervised:
            if one.program.healthy is not None:
                one.has_answered.wait()
        then()
