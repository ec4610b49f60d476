"""The hash chain of a stream: canonical JSON, event hashes, timestamps. Pure: the verifier depends on it.

Sources: RFC 8785 (JSON Canonicalization Scheme), RULEBOOK 8.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

try:
    import orjson
except ImportError:  # the verifier needs the standard library alone
    orjson = None  # type: ignore[assignment]

GENESIS = "0" * 64
"""`prev` of a stream's first event."""

LARGEST_INTEGER = 2**53 - 1
"""RFC 8785 numbers are IEEE doubles: beyond this an integer has no canonical text."""

MOST_FAULTS = 100
"""Faults in one report; further ones are left out."""

_OPTIONS = 0 if orjson is None else orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class NotCanonical(ValueError):
    """The value has no canonical form: a float, an integer beyond 2^53 - 1, or a key not in ASCII."""


def check_canonical(value: object) -> None:
    """Raise NotCanonical unless made of null, booleans, safe integers, text, lists and objects."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotCanonical("text with a lone surrogate has no UTF-8 form") from None
    elif isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - a union takes three times as long
        for key, item in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise NotCanonical(f"the key {key!r} is not ASCII text")
            if type(item) is not str or not item.isascii():  # most are
                check_canonical(item)
    elif isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise NotCanonical(f"{value} is beyond ±(2^53 - 1)")
    elif isinstance(value, list | tuple):
        for item in value:
            if type(item) is not str or not item.isascii():
                check_canonical(item)
    elif value is not None:
        raise NotCanonical(f"{type(value).__name__} has no canonical form")


def canonical(value: object) -> bytes:
    """RFC 8785 bytes of a value that `check_canonical` accepts.

    With ASCII keys and integers only, code-point order is JCS's UTF-16 order and Python's numbers are JCS's. orjson
    writes the same bytes in a tenth of the time. The standard library says what orjson does not write, and tells null
    from an infinite number.

    >>> canonical({"b": 1, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    if orjson is not None:
        try:
            text = orjson.dumps(value, option=_OPTIONS)
        except TypeError:
            pass
        else:
            if text.find(b"null") < 0:  # half the time of `in`
                return text
    return _encoder.encode(value).encode()


def event_hash(
    *,
    stream: str,
    version: int,
    type: str,
    seat: int | None,
    data: bytes,
    seal: str | None,
    at: str,
    prev: str,
) -> str:
    """SHA-256 (hex) over JCS of the envelope; `data` is already canonical bytes (RULEBOOK 8)."""
    sealed = "null" if seal is None else f'"{seal}"'
    seated = "null" if seat is None else seat
    before = f'{{"at":"{at}","data":'
    after = (
        f',"prev":"{prev}","seal":{sealed},"seat":{seated},"stream":"{stream}",'
        f'"type":"{type}","version":{version}}}'
    )
    return hashlib.sha256(before.encode() + data + after.encode()).hexdigest()


class Link(Protocol):
    """An event as stored, whatever its `data`."""

    @property
    def version(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def seat(self) -> int | None: ...
    @property
    def data(self) -> bytes: ...
    @property
    def seal(self) -> str | None: ...
    @property
    def at(self) -> str: ...
    @property
    def prev(self) -> str: ...
    @property
    def hash(self) -> str: ...


def link_fault(
    link: Link, *, stream: str, version: int, hash: str, at: str
) -> tuple[Literal["chain", "order"], str] | None:
    """Why an event does not follow the one before, given by its `version`, `hash`, and `at`: the check and a
    sentence.

    Before the first event these are 0, `GENESIS`, and empty.
    """
    if link.version != version + 1:
        return "chain", f"event {version + 1} is missing"
    if link.prev != hash:
        return "chain", "prev is not the hash of the event before"
    if link.at < at:
        return "order", "it is earlier than the event before"
    actual = event_hash(
        stream=stream,
        version=link.version,
        type=link.type,
        seat=link.seat,
        data=bytes(link.data),
        seal=link.seal,
        at=link.at,
        prev=link.prev,
    )
    return None if actual == link.hash else ("chain", "the hash does not match the event's contents")


def format_at(moment: datetime) -> str:
    """UTC as `YYYY-MM-DDThh:mm:ss.ffffffZ` (RULEBOOK 1)."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_at(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


class Broken(ValueError):
    """An event that does not follow the one before it in its chain."""


def linked(event: Mapping[str, Any], *, stream: str, version: int, prev: str) -> bytes:
    """Return the canonical data of an event as in a bundle.

    Raises Broken unless it is event `version` of the stream, after the one with the hash `prev`.
    """
    if event["version"] != version:
        raise Broken(f"version {event['version']} stands where {version} should")
    if event["prev"] != prev:
        raise Broken("`prev` is not the hash of the event before")
    try:
        data = canonical(event["data"])
    except (ValueError, TypeError, RecursionError):
        raise Broken("its data has no canonical form") from None
    actual = event_hash(
        stream=stream,
        version=version,
        type=event["type"],
        seat=event["seat"],
        data=data,
        seal=event["seal"],
        at=event["at"],
        prev=prev,
    )
    if actual != event["hash"]:
        raise Broken("the hash does not fit the event's contents")
    return data


def chain(events: Sequence[Mapping[str, Any]], *, stream: str) -> tuple[list[bytes], tuple[int, str] | None]:
    """Return the canonical data of the events (as in a bundle) up to the first that breaks the chain, and its fault."""
    found: list[bytes] = []
    prev = GENESIS
    for version, event in enumerate(events, start=1):
        try:
            found.append(linked(event, stream=stream, version=version, prev=prev))
        except Broken as broken:
            return found, (version, str(broken))
        prev = event["hash"]
    return found, None


def chain_fault(events: Sequence[Mapping[str, Any]], *, stream: str) -> tuple[int, str] | None:
    """The first event (as in a bundle) that breaks the chain: its version and the reason; None if there is none."""
    return chain(events, stream=stream)[1]
