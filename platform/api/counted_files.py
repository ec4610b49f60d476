"""The file in which one process keeps the figures that it has counted, in the format of prometheus_client.

The library maps such a file into memory. A mapped file kills its process by SIGBUS when the disk is full, so here the
figures are kept in memory and written with ordinary writes: a write that fails is repeated later, and what is counted
meanwhile is not lost, only not seen by the scrape of another process.
"""

from __future__ import annotations

import contextlib
import os
import struct
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from prometheus_client.mmap_dict import _read_all_values

RETRY = 5.0
"""Seconds after a failed write until the next one."""

_HEAD = 8
"""Bytes before the first figure: how many bytes are used, and padding."""
_read: Callable[[bytes, int], Iterable[tuple[str, float, float, int]]] = _read_all_values


class CountedFile:
    """As `prometheus_client.mmap_dict.MmapedDict`, for writing. Not thread safe, as that; callers hold a lock."""

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
        """Go on with the figures of an earlier process. The file is known to be whole."""
        used = struct.unpack_from("i", stored)[0] if len(stored) >= _HEAD else 0
        if used > _HEAD:
            self._data = bytearray(stored[:used])
            self._positions = {key: position for key, _, _, position in _read(stored, used)}

    def read_value(self, key: str) -> tuple[float, float]:
        """The value of a key and when it was set; the key is made with 0 if it is new."""
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
        """Add an entry; a reader sees it once the number of used bytes, which is written last, includes it."""
        start = len(self._data)
        self._data += entry
        struct.pack_into("i", self._data, 0, len(self._data))
        self._store(start, len(entry))
        self._store(0, 4)

    def _store(self, start: int, length: int) -> None:
        if self._behind:
            if time.monotonic() < self._retry_at:
                return
            # Figures first, then how many there are, as in `_grow`.
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
