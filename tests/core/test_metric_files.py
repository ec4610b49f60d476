"""The files of counted figures: as the library reads them, and harmless when they cannot be written."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from core import metrics as counted_files
from core.metrics import NO_LOCK, CountedFile, Slots


def stored(path: Path) -> dict[str, float]:
    return {key: value for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path))}


@contextmanager
def no_room() -> Iterator[None]:
    """No file of this process can be written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "counter_0.db"


def test_what_is_written_is_read_by_the_library_and_continued(path: Path) -> None:
    one = CountedFile(str(path))
    for number in range(300):
        one.write_value(f'["a", "a", {{"é": "{number}"}}, "help"]', number, 0.0)
    one.write_value("b", 1.5, 2.0)
    one.close()
    assert len(stored(path)) == 301
    other = CountedFile(str(path))
    assert other.read_value("b") == (1.5, 2.0)
    other.write_value("b", 2.5, 0.0)
    assert stored(path)["b"] == 2.5


def test_a_file_of_the_library_is_continued(path: Path) -> None:
    mapped = MmapedDict(str(path))
    mapped.write_value("a", 3.0, 0.0)
    mapped.close()
    one = CountedFile(str(path))
    assert one.read_value("a") == (3.0, 0.0)
    one.write_value("b", 1.0, 0.0)
    assert stored(path) == {"a": 3.0, "b": 1.0}


def test_on_a_full_disk_counting_continues_and_is_written_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = CountedFile(str(path))
    one.write_value("a", 1.0, 0.0)
    with no_room():
        one.write_value("a", 2.0, 0.0)
        one.write_value("new", 7.0, 0.0)
        assert one.read_value("a") == (2.0, 0.0)
    assert stored(path) == {"a": 1.0}
    monkeypatch.setattr(counted_files, "RETRY", 0.0)
    one._retry_at = 0.0
    one.write_value("a", 3.0, 0.0)
    assert stored(path) == {"a": 3.0, "new": 7.0}


def test_without_a_folder_counting_continues(tmp_path: Path) -> None:
    one = CountedFile(str(tmp_path / "gone" / "counter_0.db"))
    one.write_value("a", 1.0, 0.0)
    assert one.read_value("a") == (1.0, 0.0)


def test_a_process_that_can_lock_no_file_has_a_number_that_no_other_has(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    slots = Slots(tmp_path / "taken" / "folder", lambda number: None)
    assert slots.mine() == NO_LOCK + os.getpid()
    assert not slots.is_free(0)


def test_no_file_is_mapped_into_memory() -> None:
    """A mapped file kills its process by SIGBUS when the disk is full."""
    from core.metrics import FOLDER, slots

    assert slots.mine() >= 0
    assert str(FOLDER) not in Path("/proc/self/maps").read_text()
