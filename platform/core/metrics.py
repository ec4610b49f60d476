"""Metrics for Prometheus, counted by all processes of the machine and served by any one of them.

Modules import `Counter`, `Histogram`, and `Gauge` from here. Each process writes its values to its own files
(`CountedFile`), and a scrape adds them up. Values that the database already has are gauges, which an app defines in
its module `gauges`: functions registered with `sampled` are called by a recurring job, which stores the result, and
those registered with `read` are called at every scrape. No label contains an id, a name, a card, or a seed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from prometheus_client import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.mmap_dict import MmapedDict, _read_all_values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

__all__ = [
    "CONTENT_TYPE",
    "Counter",
    "Gauge",
    "Histogram",
    "exposition",
    "gauge",
    "read",
    "sample",
    "sampled",
]

log = structlog.get_logger(__name__)

RETRY = 5.0
"""Seconds between a failed write and the next attempt."""

_HEAD = 8
"""The size of the header in bytes: the number of used bytes, and padding."""
_read_values: Callable[[bytes, int], Iterable[tuple[str, float, float, int]]] = _read_all_values


class CountedFile:
    """The file in which one process stores its metrics, in the format of prometheus_client.

    The library maps such a file into memory. A mapped file kills its process with SIGBUS when the disk is full. This
    class holds the values in memory and writes them with ordinary writes. A failed write is repeated later; no count
    is lost, but the scrape of another process does not see it yet. Like the library's `MmapedDict` it is not thread
    safe: callers hold a lock.
    """

    def __init__(self, filename: str) -> None:
        self._name = filename
        self._descriptor: int | None = None
        self._behind, self._retry_at = False, 0.0
        self._data, self._positions = bytearray(_HEAD), dict[str, int]()
        with contextlib.suppress(OSError):
            self._continue(Path(filename).read_bytes())
        if len(self._data) == _HEAD:
            self._grow(b"")

    def _continue(self, stored: bytes) -> None:
        """Continue with the values of an earlier process. The file is known to be complete."""
        used = struct.unpack_from("i", stored)[0] if len(stored) >= _HEAD else 0
        if used > _HEAD:
            self._data = bytearray(stored[:used])
            self._positions = {key: position for key, _, _, position in _read_values(stored, used)}

    def read_value(self, key: str) -> tuple[float, float]:
        """The value of a key and its timestamp. A new key starts at 0."""
        if key not in self._positions:
            self._make(key)
        value, at = struct.unpack_from("dd", self._data, self._positions[key])
        return value, at

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        if key not in self._positions:
            self._make(key)
        position = self._positions[key]
        self._data[position : position + 16] = struct.pack("dd", value, timestamp)
        self._store(position, 16)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _make(self, key: str) -> None:
        encoded = key.encode()
        padded = encoded + b" " * (8 - (len(encoded) + 4) % 8)
        self._positions[key] = len(self._data) + 4 + len(padded)
        self._grow(struct.pack(f"i{len(padded)}sdd", len(encoded), padded, 0.0, 0.0))

    def _grow(self, entry: bytes) -> None:
        """Add an entry. Readers see it once the number of used bytes, which is written last, includes it."""
        start = len(self._data)
        self._data += entry
        struct.pack_into("i", self._data, 0, len(self._data))
        self._store(start, len(entry))
        self._store(0, 4)

    def _store(self, start: int, length: int) -> None:
        if self._behind:
            if time.monotonic() < self._retry_at:
                return
            # The values first, then their number, as in `_grow`.
            if not (self._write(_HEAD, len(self._data) - _HEAD) and self._write(0, _HEAD)):
                return
            self._behind = False
        self._write(start, length)

    def _write(self, start: int, length: int) -> bool:
        try:
            if self._descriptor is None:
                self._descriptor = os.open(self._name, os.O_RDWR | os.O_CREAT, 0o600)
            written = os.pwrite(self._descriptor, self._data[start : start + length], start)
        except OSError:
            written = -1
        if written != length:
            self._behind, self._retry_at = True, time.monotonic() + RETRY
        return written == length


NO_LOCK = 1 << 32
"""Numbers from here on belong to processes that could not lock one: this base plus their process id."""


class Slots:
    """The slot numbers of one folder. `begun` is called with a newly acquired number before it is used."""

    def __init__(self, folder: Path, begun: Callable[[int], None]) -> None:
        self._folder, self._begun = folder, begun
        self._held: tuple[int, int | None] | None = None  # the number, and the descriptor that holds its lock
        with contextlib.suppress(OSError):  # metrics are then counted but not shared
            folder.mkdir(parents=True, exist_ok=True)
        os.register_at_fork(after_in_child=self._leave_to_parent)

    def mine(self) -> int:
        """This process's number."""
        if self._held is None:
            self._held = self._take()
        return self._held[0]

    def is_free(self, number: int) -> bool:
        """Whether no living process holds the number."""
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
                # On a full disk no new file can be locked. This number is used by no other process.
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
        """A child process inherits the descriptor and must release the number when its parent has ended."""
        if self._held is not None:
            if self._held[1] is not None:
                os.close(self._held[1])
            self._held = None


FOLDER = Path(settings.RACECARD_METRICS)
# Untyped in the library.
_read_file: Callable[[str], Iterator[object]] = MmapedDict.read_all_values_from_file
_merge: Callable[[list[str]], Iterable[Metric]] = MultiProcessCollector.merge
_value_class: Callable[..., Any] = values.MultiProcessValue

_FILE = re.compile(r"(?P<what>[a-z]+(?:_[a-z]+)?)_(?P<slot>\d+)\.db")


def _begin(slot: int) -> None:
    """Continue the counters of the previous process of the slot, and reset its gauges."""
    for file in FOLDER.glob(f"*_{slot}.db"):
        if file.name.startswith("gauge_live") or not _is_whole(file):
            file.unlink(missing_ok=True)


def _is_whole(file: Path) -> bool:
    """False for a file that is still being created or was damaged by a power failure."""
    try:
        with file.open("rb") as opened:
            (used,) = struct.unpack("i", opened.read(4))
        if used and not _HEAD <= used <= file.stat().st_size:
            return False
        for _ in _read_file(str(file)):
            pass
    except (OSError, struct.error, RuntimeError, ValueError):
        return False
    return True


slots = Slots(FOLDER, _begin)
# The library maps its files into memory, which kills a process when the disk is full.
values.__dict__["MmapedDict"] = CountedFile
# The library reads the folder name for every new value, but chooses the class of values before the first metric.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(FOLDER)
values.ValueClass = _value_class(process_identifier=slots.mine)


# --- gauges of the database ------------------------------------------------------------------------------

Read = Callable[[], Iterable[Metric]]
_reads: list[Read] = []
_sampled: list[Read] = []


def read(function: Read) -> Read:
    """Register a function that adds metrics to every scrape.

    For gauges that must be current while no job runs. It sends a fixed number of statements, each of which reads a
    bounded number of rows by an index.
    """
    _reads.append(function)
    return function


def sampled(function: Read) -> Read:
    """Register a function whose metrics a recurring job stores for the scrapes of all processes."""
    _sampled.append(function)
    return function


def sample() -> str:
    """Return the metrics of all functions registered with `sampled`, in Prometheus' text format.

    A function that fails is logged, counted, and left out.
    """
    registry, failed = CollectorRegistry(), 0
    for function in _sampled:
        try:
            registry.register(_Made(list(function())))
        except Exception as error:
            log.exception("metrics_not_sampled", function=function.__qualname__, error=type(error).__name__)
            failed += 1
    failures = figure(
        "racecard_metrics_failed", "Groups of metrics that are missing in the last sample", failed
    )
    registry.register(_Made([failures]))
    return generate_latest(registry).decode()


def gauge(name: str, documentation: str, labels: Sequence[str]) -> GaugeMetricFamily:
    """A metric that is read: `add_metric([value of each label], figure)`."""
    return GaugeMetricFamily(name, documentation, labels=labels)


def figure(name: str, documentation: str, value: float) -> GaugeMetricFamily:
    """A metric without labels that is read."""
    return GaugeMetricFamily(name, documentation, value=value)


# --- exposition --------------------------------------------------------------------------------------------


class _Made(Collector):
    def __init__(self, made: list[Metric]) -> None:
        self._made = made

    def collect(self) -> list[Metric]:
        return self._made


class _Counted(Collector):
    """The files of all processes added up, including ended ones; gauges such as open streams only from living ones."""

    def collect(self) -> Iterator[Metric]:
        files = [str(file) for file in FOLDER.glob("*.db") if self._counts(file)]
        yield from _merge(files)

    def _counts(self, file: Path) -> bool:
        found = _FILE.fullmatch(file.name)
        if found is None or not _is_whole(file):
            return False
        own = int(found["slot"]) == slots.mine()
        return not found["what"].startswith("gauge_live") or own or not slots.is_free(int(found["slot"]))


class _Read(Collector):
    def collect(self) -> Iterator[Metric]:
        up = True
        for function in _reads:
            try:
                yield from list(function())
            except DatabaseFault as error:
                log.warning("metrics_without_database", error=type(error).__name__)
                up = False
                break  # other requests would wait for it too
        yield figure("racecard_database_up", "Whether the scraped process reaches the database", up)


def exposition() -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Counted())
    registry.register(_Read())
    return generate_latest(registry)
