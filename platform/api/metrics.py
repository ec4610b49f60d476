"""What is counted and measured, for Prometheus: by all processes of the machine together, told by any one of them.

Modules that count import `Counter`, `Histogram` and `Gauge` from here: each process writes its values to separate files
(`api.counted_files`), and a scrape adds the files up. What the database knows already (how many jobs wait, what the
accounts come to) is not counted but read at the scrape, by the functions that `read` registers; an app has them in its
module `gauges`. No label ever bears an id, a name, a card or a seed.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from prometheus_client import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from api.counted_files import CountedFile
from api.slots import Slots

__all__ = ["CONTENT_TYPE", "Counter", "Gauge", "Histogram", "exposition", "gauge", "read"]

log = structlog.get_logger(__name__)

FOLDER = Path(settings.RACECARD_METRICS)
# What the library leaves untyped.
_read_file: Callable[[str], Iterator[object]] = MmapedDict.read_all_values_from_file
_merge: Callable[[list[str]], Iterable[Metric]] = MultiProcessCollector.merge
_value_class: Callable[..., Any] = values.MultiProcessValue

_FILE = re.compile(r"(?P<what>[a-z]+(?:_[a-z]+)?)_(?P<slot>\d+)\.db")


def _begin(slot: int) -> None:
    """Continue the counters of the process that had the slot before; what it was in the midst of is over."""
    for file in FOLDER.glob(f"*_{slot}.db"):
        if file.name.startswith("gauge_live") or not _is_whole(file):
            file.unlink(missing_ok=True)


def _is_whole(file: Path) -> bool:
    """False for a file that is just being made, or that a machine lost power over."""
    try:
        with file.open("rb") as opened:
            (used,) = struct.unpack("i", opened.read(4))
        if used and not 8 <= used <= file.stat().st_size:
            return False
        for _ in _read_file(str(file)):
            pass
    except (OSError, struct.error, RuntimeError, ValueError):
        return False
    return True


slots = Slots(FOLDER, _begin)
# The library's own files are mapped into memory, which kills a process when the disk is full.
values.__dict__["MmapedDict"] = CountedFile
# The library asks for the folder at every new value; which class of values it takes is decided before the first metric.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(FOLDER)
values.ValueClass = _value_class(process_identifier=slots.mine)


# --- what the database tells -----------------------------------------------------------------------------

Read = Callable[[], Iterable[Metric]]
_reads: list[Read] = []


def read(function: Read) -> Read:
    """Have a scrape call `function` for metrics of its own. It asks the database few questions, and short ones."""
    _reads.append(function)
    return function


def gauge(name: str, told: str, labels: Iterable[str] = ()) -> GaugeMetricFamily:
    """One that is read: `add_metric([value of each label], figure)`."""
    return GaugeMetricFamily(name, told, labels=tuple(labels))


# --- telling -----------------------------------------------------------------------------------------------


class _Counted(Collector):
    """The files of all processes, the dead included, added up; open streams and the like of the living alone."""

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
                break  # the others would wait for it too
        told = gauge("racecard_database_up", "Whether the scraped process reaches the database")
        told.add_metric([], up)
        yield told


def exposition() -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Counted())
    registry.register(_Read())
    return generate_latest(registry)
