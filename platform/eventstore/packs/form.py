"""The format of a pack: independent zstd frames, one for each stream, and a manifest.

Each frame contains one line of JSON (`FORMAT`): the bundle of the stream, and the columns of its rows that a bundle
does not have. The last frame has the manifest, and a skippable frame of fixed length says where it begins. So one
stream is read by one range of bytes, and `zstd -dc` prints the whole pack, one line a stream. The name of a pack is
the SHA-256 of its bytes.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple
from uuid import UUID

import orjson
import zstandard

from eventstore.chain import canonical

FORMAT = "racecard-archive/1"
LEVEL = 12
"""The level of compression. Higher levels save less than one byte of a hundred."""

MOST_BYTES = 64 * 1024 * 1024
"""The largest decompressed frame, so that a damaged file does not fill the memory."""

_FOOTER = struct.Struct("<IIQ")
_SKIPPABLE = 0x184D2A5C
"""The magic number of the last frame, from those that zstd reserves for applications."""


class DamagedPack(Exception):
    """The bytes of a pack are not those that were archived."""


class Row(NamedTuple):
    """An event with all columns of its row, in the order of `eventstore.store.ROW_COLUMNS`."""

    version: int
    type: str
    schema: int
    seat: int | None
    data: bytes
    private: bytes | None
    seal: str | None
    at: str
    prev: str
    hash: str
    command_id: str | None
    command_fingerprint: str | None
    command_events: int | None
    actor: str | None
    token: str | None
    client_at: str | None
    epoch: int
    xact: int
    position: int


_ROW_COLUMNS = ("schema", *Row._fields[10:])
"""The columns that the events of a bundle do not have."""


class Entry(NamedTuple):
    """The place of a stream in a pack."""

    stream: UUID
    version: int
    head: str
    offset: int
    length: int
    digest: str
    """The SHA-256 of the frame."""

    def document(self) -> dict[str, Any]:
        return {**self._asdict(), "stream": str(self.stream)}


class Frame(NamedTuple):
    stream: UUID
    rows: list[Row]
    bundle: dict[str, Any]
    """The bundle, with its events."""


# --- writing ---------------------------------------------------------------------------------------------


class PackWriter:
    """Writes a pack to an open file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0
        self.entries: list[Entry] = []

    def add(self, stream: UUID, rows: Sequence[Row], bundle: Mapping[str, Any]) -> None:
        """Add a stream. `bundle` is its bundle; the events in it are replaced by those of the rows."""
        frame = _compressed(_line(stream, rows, bundle))
        last = rows[-1]
        digest = hashlib.sha256(frame).hexdigest()
        self.entries.append(Entry(stream, last.version, last.hash, self.size, len(frame), digest))
        self._write(frame)

    def close(self) -> str:
        """Write the manifest, and return the digest of the pack."""
        at = self.size
        manifest = {"format": FORMAT, "streams": [entry.document() for entry in self.entries]}
        self._write(_compressed(orjson.dumps(manifest) + b"\n"))
        self._write(_FOOTER.pack(_SKIPPABLE, 8, at))
        return self._digest.hexdigest()

    def _write(self, content: bytes) -> None:
        self._file.write(content)
        self._digest.update(content)
        self.size += len(content)


def _compressed(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(content)


def _line(stream: UUID, rows: Sequence[Row], bundle: Mapping[str, Any]) -> bytes:
    events = [
        {
            "version": row.version,
            "type": row.type,
            "seat": row.seat,
            "data": orjson.Fragment(row.data),
            "private": None if row.private is None else orjson.Fragment(row.private),
            "seal": row.seal,
            "at": row.at,
            "prev": row.prev,
            "hash": row.hash,
        }
        for row in rows
    ]
    columns = {name: [getattr(row, name) for row in rows] for name in _ROW_COLUMNS}
    line = {
        "format": FORMAT,
        "stream": str(stream),
        "bundle": {**bundle, "events": events},
        "rows": columns,
    }
    return orjson.dumps(line) + b"\n"


# --- reading ---------------------------------------------------------------------------------------------


def decompressed(frame: bytes, digest: str) -> bytes:
    """Return the line of a frame. Raises DamagedPack."""
    if hashlib.sha256(frame).hexdigest() != digest:
        raise DamagedPack("the frame is not the one that was archived")
    try:
        return zstandard.ZstdDecompressor().decompress(frame, max_output_size=MOST_BYTES)
    except zstandard.ZstdError as error:
        raise DamagedPack(f"the frame cannot be decompressed: {error}") from None


def parsed(line: bytes) -> Frame:
    """Return the stream of a line, with `data` and `private` as the bytes that were hashed. Raises DamagedPack."""
    try:
        document = orjson.loads(line)
        if document["format"] != FORMAT:
            raise DamagedPack(f"its format is {document['format']}, which this version does not know")
        more = zip(*(document["rows"][name] for name in _ROW_COLUMNS), strict=True)
        rows = [_row(event, *rest) for event, rest in zip(document["bundle"]["events"], more, strict=True)]
        return Frame(UUID(document["stream"]), rows, document["bundle"])
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedPack(f"the frame is not of the format {FORMAT}: {error!r}") from None


def _row(event: Mapping[str, Any], schema: int, *about: Any) -> Row:
    private = event["private"]
    return Row(
        event["version"],
        event["type"],
        schema,
        event["seat"],
        canonical(event["data"]),
        None if private is None else canonical(private),
        event["seal"],
        event["at"],
        event["prev"],
        event["hash"],
        *about,
    )


class PackReader:
    """Reads a whole pack from a local file. Raises DamagedPack unless it has the digest of its name."""

    def __init__(self, file: IO[bytes], digest: str) -> None:
        if digest_of(file) != digest:
            raise DamagedPack("its bytes are not those that were archived")
        self._file = file
        self.entries = manifest(lambda start, length: _part(file, start, length), file.seek(0, 2))

    def frame(self, entry: Entry) -> Frame:
        return parsed(decompressed(_part(self._file, entry.offset, entry.length), entry.digest))

    def frames(self) -> Iterator[tuple[Entry, Frame]]:
        for entry in self.entries:
            yield entry, self.frame(entry)


def digest_of(file: IO[bytes]) -> str:
    """Return the SHA-256 of a whole file."""
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(1024 * 1024):
        digest.update(chunk)
    return digest.hexdigest()


def _part(file: IO[bytes], start: int, length: int) -> bytes:
    file.seek(start)
    return file.read(length)


def manifest(part: Callable[[int, int], bytes], size: int) -> list[Entry]:
    """Return the entries of a pack of `size` bytes, whose parts `part(start, length)` reads. Raises DamagedPack."""
    try:
        magic, _, at = _FOOTER.unpack(part(size - _FOOTER.size, _FOOTER.size))
        if magic != _SKIPPABLE or at >= size:
            raise DamagedPack("it has no manifest")
        content = part(at, size - _FOOTER.size - at)
        document = orjson.loads(zstandard.ZstdDecompressor().decompress(content, max_output_size=MOST_BYTES))
        return [Entry(**{**one, "stream": UUID(one["stream"])}) for one in document["streams"]]
    except (ValueError, KeyError, TypeError, struct.error, zstandard.ZstdError) as error:
        raise DamagedPack(f"its manifest cannot be read: {error!r}") from None
