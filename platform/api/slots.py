"""Which of the machine's processes this one is, for what they count together.

A process takes the lowest number that no other living one has, and keeps it by a lock that ends with it, however it
ends. Who comes after it takes the number over, with all that was counted under it: counters never go back, and there
are never more files than there were processes at one time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

NO_LOCK = 1 << 32
"""Numbers from here on are of processes that could not lock one: this and their process id."""


class Slots:
    """The numbers of one folder. `begun` is called with a number that was just taken, before it is used."""

    def __init__(self, folder: Path, begun: Callable[[int], None]) -> None:
        self._folder, self._begun = folder, begun
        self._held: tuple[int, int | None] | None = None  # the number, and the descriptor that holds its lock
        with contextlib.suppress(OSError):  # then figures are counted but not shared
            folder.mkdir(parents=True, exist_ok=True)
        os.register_at_fork(after_in_child=self._leave_to_parent)

    def mine(self) -> int:
        """This process's number."""
        if self._held is None:
            self._held = self._take()
        return self._held[0]

    def is_free(self, number: int) -> bool:
        """Whether no living process has the number."""
        try:
            descriptor = self._locked(number, fcntl.LOCK_SH)
        except OSError:
            return False
        if descriptor is not None:
            os.close(descriptor)
        return descriptor is not None

    def _take(self) -> tuple[int, int | None]:
        for number in count():
            try:
                descriptor = self._locked(number, fcntl.LOCK_EX)
            except OSError:
                # On a full disk there is no new file to lock. The number is one that no other process has or takes.
                return NO_LOCK + os.getpid(), None
            if descriptor is not None:
                self._begun(number)
                return number, descriptor
        raise AssertionError("there is always one more number")

    def _locked(self, number: int, how: int) -> int | None:
        descriptor = os.open(self._folder / f"{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor

    def _leave_to_parent(self) -> None:
        """A child has the descriptor too, and must not keep the number when its parent has ended."""
        if self._held is not None:
            if self._held[1] is not None:
                os.close(self._held[1])
            self._held = None
