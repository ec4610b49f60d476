"""Checkpoints: signed statements of all stream heads at a moment, each with the hash of the one before.

A checkpoint has a Merkle root over the heads of the streams that moved since the last one, and a root for each other
registered source (the ledger). A stored checkpoint, or only its hash, later reveals any change to the data that it
covers, even by the owner of the database. Data newer than the last published checkpoint is not protected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey as Private
from django.conf import settings
from django.db import IntegrityError, transaction

from core.checks import Fault
from core.secret_files import load_or_create
from eventstore import store
from eventstore.chain import GENESIS, MOST_FAULTS, canonical, format_at
from eventstore.checkpoints import merkle
from eventstore.checkpoints.inclusion import SOURCE, head_leaf
from eventstore.checkpoints.published import (
    FORMAT,
    CheckpointOutput,
    Published,
    handover_text,
    link_fault,
    parse,
)
from eventstore.models import Checkpoint, CheckpointStream
from eventstore.store import Position

__all__ = ["Published", "parse", "public_key", "signing_key"]

PART = "checkpoints"
"""The part of a report in which the faults of checkpoints are."""

MOST_LEAVES = 10_000
"""Rows of one source in a checkpoint; a long backlog becomes several checkpoints."""


class Leaf(NamedTuple):
    """The hashed canonical bytes, and the bytes of the id of their subject: a stream, or a row of another source."""

    content: bytes
    id: bytes

    @classmethod
    def of(cls, content: bytes, id: str) -> Leaf:
        """Take an id as text with hyphens."""
        return cls(content, bytes.fromhex(id.replace("-", "")))


class LeafSource(Protocol):
    """An append-only table, in the order of (epoch, transaction, identity)."""

    def until(self, after: Position | None, limit: int) -> Position | None:
        """The position of the last of the next `limit` rows; None if no row is final yet."""

    def leaves(self, after: Position | None, until: Position) -> Iterable[Leaf]:
        """The leaves of the rows after `after`, up to and including `until`, always in the same order."""


class StreamHeads:
    """The last event of each stream that moved, by stream id."""

    def until(self, after: Position | None, limit: int) -> Position | None:
        return store.position_after(after, limit)

    def leaves(self, after: Position | None, until: Position) -> Iterator[Leaf]:
        for stream, version, hash in store.heads_between(after, until):
            yield Leaf.of(head_leaf(stream, version, hash), stream)


_sources: dict[str, LeafSource] = {SOURCE: StreamHeads()}


def register_leaves(name: str, source: LeafSource) -> None:
    """Register a source that every checkpoint covers. Called when an app is ready."""
    _sources[name] = source


# --- making --------------------------------------------------------------------------------------------


def make(now: datetime) -> Checkpoint | None:
    """Sign the rows added since the last checkpoint; None if there are none.

    Two concurrent processes make one checkpoint. After a long pause, call it until it returns None. Raises
    WrongKey if the installation does not have the key that must sign.
    """
    last = latest()
    key = to_sign(published(last).signer_next) if last else signing_key()
    added = _added(last)
    if not added.entries:
        return None
    return _sign(key, last, added, now) or latest()


def hand_over(now: datetime) -> Checkpoint:
    """Hand over to a new key, which the current key names and signs in a checkpoint. The current key is destroyed.

    Raises WrongKey if the current key is lost.
    """
    while True:
        last = latest()
        old = to_sign(published(last).signer_next) if last else signing_key()
        number, previous = (last.number + 1, last.hash) if last else (1, GENESIS)
        new = next_key()
        consent = new.sign(handover_text(public_key(old), public_key(new), number, previous)).hex()
        word = {"next_key": {"key": public_key(new), "consent": consent}}
        if made := _sign(old, last, _added(last), now, word):
            to_sign(public_key(new))
            return made


def declare_lost(now: datetime) -> Checkpoint | None:
    """Continue with the installation's key after the key that must sign was lost; None if it is not lost.

    The checkpoint records this permanently. Readers who trust only the lost key have no reason to trust the new one.
    """
    last = latest()
    key = signing_key()
    if last is None or public_key(key) == (expected := published(last).signer_next):
        return None
    return _sign(key, last, _added(last), now, {"lost_key": expected})


class _Added(NamedTuple):
    """The rows that the sources have added since a checkpoint."""

    parts: dict[str, Any]
    """What is signed of each source."""
    entries: bytes
    streams: list[UUID]
    """The streams that have an entry."""


def _added(last: Checkpoint | None) -> _Added:
    parts, entries, streams = {}, b"", []
    for name, source in sorted(_sources.items()):
        after = _reached(last, name)
        until = source.until(after, MOST_LEAVES)
        reached = until or after
        leaves = list(source.leaves(after, until)) if until else []
        hashes = [merkle.leaf_hash(leaf.content) for leaf in leaves]
        parts[name] = {
            "after": list(after) if after else None,
            "until": list(reached) if reached else None,
            "leaves": len(leaves),
            "root": merkle.root(hashes).hex(),
        }
        entries += _joined(hashes, leaves)
        if name == SOURCE:
            streams = [UUID(bytes=leaf.id) for leaf in leaves]
    return _Added(parts, entries, streams)


def _sign(
    key: Private,
    last: Checkpoint | None,
    added: _Added,
    now: datetime,
    word: Mapping[str, Any] | None = None,
) -> Checkpoint | None:
    """The next checkpoint, with `word` about its key; None if another process was first."""
    number = last.number + 1 if last else 1
    body = canonical(
        {
            "format": FORMAT,
            "number": number,
            "at": format_at(now),
            "previous": last.hash if last else GENESIS,
            "sources": added.parts,
            **(word or {}),
        }
    )
    made = Checkpoint(
        number=number,
        body=body,
        hash=merkle.leaf_hash(body).hex(),
        leaves=added.entries,
        signature=key.sign(body).hex(),
        key=public_key(key),
    )
    try:
        with transaction.atomic():
            made.save(force_insert=True)
            CheckpointStream.objects.bulk_create(
                [CheckpointStream(stream=stream, number=number) for stream in added.streams],
                ignore_conflicts=True,  # those of a checkpoint that was deleted are left
            )
    except IntegrityError:
        return None
    return made


def latest() -> Checkpoint | None:
    return Checkpoint.objects.defer("leaves").order_by("-number").first()


def reached(source: str) -> Position | None:
    """The position of the last row of a source that the checkpoints cover; None if they cover none."""
    return _reached(latest(), source)


def _reached(checkpoint: Checkpoint | None, name: str) -> Position | None:
    if checkpoint is None:
        return None
    part = orjson.loads(checkpoint.body)["sources"].get(name)
    return Position(*part["until"]) if part and part["until"] else None


# --- publishing ----------------------------------------------------------------------------------------


def handovers() -> list[Published]:
    """The checkpoints in which one key hands over to the next, oldest first."""
    # The last checkpoint of each key, found by the index: there are many checkpoints and few keys.
    found, key = [], ""
    while (
        following := Checkpoint.objects.filter(key__gt=key)
        .order_by("key", "-number")
        .values_list("key", "number")
        .first()
    ):
        key, number = following
        found.append(number)
    last = Checkpoint.objects.filter(number__in=found).defer("leaves").order_by("number")
    return [one for one in map(published, last) if one.fault() is None and one.successor]


def published(checkpoint: Checkpoint) -> Published:
    return Published(
        checkpoint.number,
        bytes(checkpoint.body).decode(errors="replace"),
        checkpoint.hash,
        checkpoint.signature,
        checkpoint.key,
    )


def export(since: int = 0) -> Iterator[CheckpointOutput]:
    """All checkpoints after number `since` as JSON documents, to store out of reach of the database owner."""
    # Without the leaves, which are most of a checkpoint's size and are not published.
    wanted = Checkpoint.objects.filter(number__gt=since).defer("leaves").order_by("number")
    for checkpoint in wanted.iterator(chunk_size=20):
        yield published(checkpoint).document()


# --- verifying -----------------------------------------------------------------------------------------


def verify(*, after: int = 0, until: int | None = None) -> Iterator[tuple[int, Fault | None]]:
    """Recompute every checkpoint from the tables: the number checked so far, and each fault.

    Of a range: those after number `after` (which is trusted), up to and including `until`.
    """
    last = _Looked(None, whole=True)
    if after:
        before = published(Checkpoint.objects.defer("leaves").get(pk=after))
        last = _Looked(before, whole=before.fault() is None)
    wanted = Checkpoint.objects.filter(number__gt=after).order_by("number")
    if until is not None:
        wanted = wanted.filter(number__lte=until)
    count = 0
    for count, checkpoint in enumerate(wanted.iterator(chunk_size=20), start=1):
        yield count, None
        this = published(checkpoint)
        why = this.fault()
        for wrong in _place_faults(this, last, why):
            yield count, _fault(wrong, this.number)
        for different in _differences(checkpoint, this) if why is None else ():
            yield count, different
        last = _Looked(this, whole=why is None)
    if fault := _signer_fault(last):
        yield count, fault


def _signer_fault(last: _Looked) -> Fault | None:
    """Whether the installation has the key that the newest checkpoint requires for the next one."""
    newest = last.checkpoint
    if newest is None or not last.whole or Checkpoint.objects.filter(number__gt=newest.number).exists():
        return None
    if newest.signer_next == public_key():
        return None
    why = f"{newest.signer_next} signs from here on, which is not this installation's key"
    return _fault(why, newest.number)


class _Looked(NamedTuple):
    checkpoint: Published | None
    whole: bool


def verify_against(known: Published) -> Fault | None:
    """Check that the database still has a published checkpoint unchanged."""
    if why := known.fault():
        return _fault(f"the published checkpoint is damaged: {why}", known.number, check="published")
    held = Checkpoint.objects.filter(number=known.number).first()
    if held is None:
        return _fault("it was published, and the database is older than it", known.number, check="published")
    if held.hash != known.hash:
        return _fault("another one was published under this number", known.number, check="published")
    return None


def _place_faults(this: Published, last: _Looked, why: str | None) -> Iterator[str]:
    """Why it is invalid; else why it does not follow the one before, if that one is valid."""
    number = last.checkpoint.number + 1 if last.checkpoint else 1
    missing = this.number != number
    if missing:
        yield f"checkpoint {number} is missing"
    if why is not None:
        yield why
    elif not missing and (fault := _link_fault(this, last)):
        yield fault


def _link_fault(this: Published, last: _Looked) -> str | None:
    if last.checkpoint is not None:
        return link_fault(last.checkpoint, this) if last.whole else None
    parts = this.content["sources"].values()
    begins = this.content["previous"] == GENESIS and all(part["after"] is None for part in parts)
    return None if begins else "it is not a first checkpoint"


def _differences(checkpoint: Checkpoint, this: Published) -> Iterator[Fault]:
    """The differences between the tables and what it covers."""
    parts = this.content["sources"]
    for name, part in sorted(parts.items()):
        if name not in _sources:
            why = f"it covers {name}, of which this installation knows nothing"
            yield _fault(why, this.number)
            continue
        stored = _stored(checkpoint, parts, name)
        different = list(islice(_difference(name, part, stored), MOST_FAULTS))
        for fault in different:
            yield fault._replace(checkpoint=this.number)
        if name == SOURCE and not different and (absent := _not_indexed(this.number, stored)):
            yield _fault(f"{name}: {absent} of its entries are not indexed by stream", this.number)


class CheckpointEntry(NamedTuple):
    """The stored entry of a leaf. The signed root proves the hashes; the ids only name the rows."""

    hash: bytes
    id: bytes


HASH, ENTRY = 32, 48
"""The bytes of a hash, and of a hash with an id."""


def entries_of(checkpoint: Checkpoint, parts: Mapping[str, Any], name: str) -> list[CheckpointEntry]:
    """The entries of one source, stored with the checkpoint; `parts` is the list of sources in its body."""
    return _split(_stored(checkpoint, parts, name))


def _stored(checkpoint: Checkpoint, parts: Mapping[str, Any], name: str) -> bytes:
    """The joined entries of one source. They are stored in the order of the sources' names."""
    before = sum(part["leaves"] for other, part in parts.items() if other < name)
    return bytes(checkpoint.leaves)[ENTRY * before : ENTRY * (before + parts[name]["leaves"])]


def _joined(hashes: Iterable[bytes], leaves: Iterable[Leaf]) -> bytes:
    return b"".join([hash + leaf.id for hash, leaf in zip(hashes, leaves, strict=True)])


def _split(joined: bytes) -> list[CheckpointEntry]:
    return [
        CheckpointEntry(joined[at : at + HASH], joined[at + HASH : at + ENTRY])
        for at in range(0, len(joined) - ENTRY + 1, ENTRY)
    ]


def _not_indexed(number: int, stored: bytes) -> int:
    """The number of entries that the index of streams does not have."""
    streams = [UUID(bytes=entry.id) for entry in _split(stored)]
    indexed = CheckpointStream.objects.filter(stream__in=streams, number=number).count()
    return len(streams) - indexed


def _difference(name: str, part: dict[str, Any], stored: bytes) -> Iterator[Fault]:
    """The differences between the tables and the rows that one source had added when the checkpoint was signed."""
    after = Position(*part["after"]) if part["after"] else None
    leaves = list(_sources[name].leaves(after, Position(*part["until"]))) if part["until"] else []
    hashes = [merkle.leaf_hash(leaf.content) for leaf in leaves]
    if merkle.root(hashes).hex() == part["root"]:
        if stored != _joined(hashes, leaves):
            yield _fault(f"{name}: the stored leaves are not those that were signed")
        return
    signed = _split(stored)
    known, standing = {entry.hash for entry in signed}, set(hashes)
    changed = [leaf for leaf, hash in zip(leaves, hashes, strict=True) if hash not in known]
    named = {leaf.id for leaf in changed}
    gone = [entry for entry in signed if entry.hash not in standing and entry.id not in named]
    if not changed and not gone:
        yield _fault(f"{name}: what it covers is not what was signed")
    for leaf in changed:
        version = orjson.loads(leaf.content).get("version")
        yield _row_fault(name, leaf.id, version, "this is not what was signed")
    for missing in gone:
        yield _row_fault(name, missing.id, None, "what was signed is gone")


def _row_fault(source: str, id: bytes, version: int | None, why: str) -> Fault:
    if source == SOURCE:
        return Fault(PART, "kept", f"stream:{UUID(bytes=id)}", why, version)
    return _fault(f"{source} {UUID(bytes=id)}: {why}")


def _fault(why: str, number: int | None = None, *, check: str = "kept") -> Fault:
    return Fault(PART, check, "", why, checkpoint=number)


class WrongKey(RuntimeError):
    """The installation does not have the key that must sign its next checkpoint."""

    def __init__(self, wanted: str, held: str) -> None:
        super().__init__(
            f"The next checkpoint is to be signed by {wanted}, and {key_file().name} holds {held}. Bring that key back "
            "(from a backup, or from the machine where it was changed); if it is lost, see docs/checkpoints.md."
        )
        self.wanted, self.held = wanted, held


def key_file() -> Path:
    return Path(settings.RACECARD_CHECKPOINT_KEY)


def signing_key() -> Private:
    """The installation's key, created on the first call and readable by its owner only."""
    return _load_or_make(key_file())


def next_key() -> Private:
    """The next key, stored next to the current one until a checkpoint hands over to it."""
    return _load_or_make(_next_file())


def public_key(key: Private | None = None) -> str:
    """The Ed25519 public key (hex) of the installation's checkpoints."""
    return (key or signing_key()).public_key().public_bytes_raw().hex()


def to_sign(wanted: str) -> Private:
    """The installation's key if its public key is `wanted`, or the next key if that is. Raises WrongKey."""
    held, waiting = signing_key(), _next_file()
    if public_key(held) != wanted and _holds(waiting, wanted):
        with suppress(
            FileNotFoundError
        ):  # another process did this after one that ended between signing and renaming
            waiting.replace(key_file())
        held = signing_key()
    if public_key(held) != wanted:
        raise WrongKey(wanted, public_key(held))
    return held


def holds_key(wanted: str) -> bool:
    """Whether this machine has the key, as the current or the next one. Creates none."""
    return _holds(key_file(), wanted) or _holds(_next_file(), wanted)


def _holds(path: Path, wanted: str) -> bool:
    try:
        return public_key(_read(path)) == wanted
    except FileNotFoundError:
        return False


def _next_file() -> Path:
    """Named as a key, so that a backup includes it."""
    return key_file().with_name(f"{key_file().stem}.next.key")


def _load_or_make(path: Path) -> Private:
    load_or_create(path, lambda: Private.generate().private_bytes_raw().hex())
    return _read(path)


def _read(path: Path) -> Private:
    return Private.from_private_bytes(bytes.fromhex(path.read_text().strip()))
