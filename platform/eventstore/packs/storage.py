"""The store of packs: a folder, or an S3-compatible store, as the storage `archive` of Django's STORAGES.

A pack is written once under its digest and never overwritten or deleted.
"""

from __future__ import annotations

import os
import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from core.errors import Unavailable
from core.metrics import Counter

ALIAS = "archive"
CHUNK = 1024 * 1024

FAILURES = Counter("racecard_archive_failures", "Failed reads of archived games", ["why"])

_FAULTS: tuple[type[BaseException], ...] = (OSError,)
if find_spec("botocore"):
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    _FAULTS = (*_FAULTS, BotoCoreError, ClientError)


class ArchiveUnavailable(Unavailable):
    """The store of the archive does not respond, or lacks a pack."""

    code = "archive-unavailable"
    title = "The store of archived games does not answer; try again later"


class ArchiveDamaged(Unavailable):
    """A pack was changed. An audit names the games."""

    code = "archive-damaged"
    title = "The archived copy of this game is damaged; the operator can restore it from a backup"


class ArchiveFolder(FileSystemStorage):
    """A folder, in which a file appears whole and synced to the disk, or not at all."""

    def _save(self, name: str, content: Any) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".writing-", delete=False) as file:
            try:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
                os.link(file.name, target)  # fails if there is one, unlike a rename
            finally:
                Path(file.name).unlink()
        for folder in (target.parent, target.parent.parent):
            _sync(folder)
        return name


def _sync(folder: Path) -> None:
    """Sync the entries of a folder, so that a file in it survives a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def name_of(digest: str) -> str:
    return f"{digest[:2]}/{digest}.pack.zst"


def save(file: IO[bytes], digest: str) -> None:
    """Store a pack. A pack of the same name has the same content and is not written again.

    Raises ArchiveUnavailable.
    """
    storage = _storage()
    name = name_of(digest)
    with _answering():
        if not storage.exists(name):
            file.seek(0)
            written = storage.save(name, File(file))
            if written != name:
                raise FileExistsError(f"the store wrote {written} instead of {name}")


def has(digest: str) -> bool:
    """Return whether the store has a file of this name. Raises ArchiveUnavailable."""
    with _answering():
        return _storage().exists(name_of(digest))


@contextmanager
def fetched(digest: str) -> Iterator[IO[bytes]]:
    """Copy a pack to a temporary file. Raises ArchiveUnavailable."""
    with tempfile.TemporaryFile() as copy:
        with _answering(), _storage().open(name_of(digest), "rb") as source:
            for chunk in source.chunks(CHUNK):
                copy.write(chunk)
        yield copy


def part(digest: str, start: int, length: int) -> bytes:
    """Read a range of bytes of a pack, and nothing else. Raises ArchiveUnavailable."""
    storage, name = _storage(), name_of(digest)
    with _answering():
        if (bucket := getattr(storage, "bucket", None)) is not None:
            key = posixpath.join(getattr(storage, "location", ""), name).lstrip("/")
            wanted = f"bytes={start}-{start + length - 1}"
            content: bytes = bucket.Object(key).get(Range=wanted)["Body"].read()
            return content
        with storage.open(name, "rb") as file:
            file.seek(start)
            return bytes(file.read(length))


def stored_digests() -> Iterator[str]:
    """Yield the digests of all packs in the store, and the names of other files. Raises ArchiveUnavailable."""
    storage = _storage()
    with _answering():
        folders, files = _listed(storage, "")
        yield from files
        for folder in sorted(folders):
            for file in sorted(_listed(storage, folder)[1]):
                digest = file.partition(".")[0]
                yield digest if name_of(digest) == f"{folder}/{file}" else f"{folder}/{file}"


def _listed(storage: Storage, folder: str) -> tuple[list[str], list[str]]:
    with suppress(FileNotFoundError):
        return storage.listdir(folder)
    return [], []


def folder() -> Path | None:
    """Return the folder of the packs; None if they are in another store."""
    found = _storage()
    return Path(found.location) if isinstance(found, ArchiveFolder) else None


def _storage() -> Storage:
    return storages[ALIAS]


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except _FAULTS as error:
        FAILURES.labels("unavailable").inc()
        raise ArchiveUnavailable(f"{type(error).__name__}") from error
