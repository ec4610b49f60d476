"""Checkpoints: signed statements of everything that stood at a moment, each holding the hash of the one
before.

A checkpoint has a Merkle root over the heads of the streams that moved since the last, and one over what
each other registered source (the ledger) has added. Whoever keeps one, or only its hash, can tell later
whether anything that it covers was changed, be it by the owner of the database. What is newer than the last
published checkpoint is not protected.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.db import IntegrityError, transaction

from eventstore import merkle, store
from eventstore.chain import GENESIS, canonical, format_at
from eventstore.models import Checkpoint
from eventstore.store import Position
from eventstore.verify import Fault

FORMAT = "racecard-checkpoint/1"

MOST_LEAVES = 10_000
"""Rows that a checkpoint takes from one source; a long backlog becomes several checkpoints."""


class Leaf(NamedTuple):
    """What is hashed (canonical bytes), and what it is about: a stream at a version, or a row of another source."""

    content: bytes
    id: UUID
    version: int | None = None


class LeafSource(Protocol):
    """Rows that are only ever added, in the order of (epoch, transaction, identity)."""

    def until(self, after: Position | None, limit: int) -> Position | None:
        """The position of the last of the next `limit` rows; None if there is none that is final yet."""

    def leaves(self, after: Position | None, until: Position) -> Iterable[Leaf]:
        """The leaves of the rows behind `after`, up to and with `until`, always in the same order."""


class StreamHeads:
    """The last event of each stream that moved, by stream id."""

    def until(self, after: Position | None, limit: int) -> Position | None:
        return store.position_after(after, limit)

    def leaves(self, after: Position | None, until: Position) -> Iterator[Leaf]:
        for stream, version, hash in store.heads_between(after, until):
            content = canonical({"hash": hash, "stream": str(stream), "version": version})
            yield Leaf(content, stream, version)


_sources: dict[str, LeafSource] = {"streams": StreamHeads()}


def register_leaves(name: str, source: LeafSource) -> None:
    """Have every checkpoint cover what `source` adds. Called when an app is ready."""
    _sources[name] = source


# --- making --------------------------------------------------------------------------------------------


def make(now: datetime) -> Checkpoint | None:
    """Sign what was added since the last checkpoint; None if that is nothing.

    Two processes that do so at once make one checkpoint. After a long pause, call it until it answers None.
    """
    last = latest()
    parts, kept = {}, []
    for name, source in sorted(_sources.items()):
        after = _reached(last, name)
        until = source.until(after, MOST_LEAVES)
        reached = until or after
        leaves = [_Kept.of(leaf) for leaf in source.leaves(after, until)] if until else []
        parts[name] = {
            "after": list(after) if after else None,
            "until": list(reached) if reached else None,
            "leaves": len(leaves),
            "root": merkle.root(leaf.hash for leaf in leaves).hex(),
        }
        kept += leaves
    if not kept:
        return None
    body = canonical(
        {
            "format": FORMAT,
            "number": last.number + 1 if last else 1,
            "at": format_at(now),
            "previous": last.hash if last else GENESIS,
            "sources": parts,
        }
    )
    key = signing_key()
    made = Checkpoint(
        number=last.number + 1 if last else 1,
        body=body,
        hash=merkle.leaf_hash(body).hex(),
        leaves=b"".join(leaf.hash + leaf.id.bytes for leaf in kept),
        signature=key.sign(body).hex(),
        key=public_key(key),
    )
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError:
        return latest()
    return made


def latest() -> Checkpoint | None:
    return Checkpoint.objects.order_by("-number").first()


def reached(source: str) -> Position | None:
    """The position of the last row of a source that the checkpoints cover; None if they cover none."""
    return _reached(latest(), source)


def _reached(checkpoint: Checkpoint | None, name: str) -> Position | None:
    if checkpoint is None:
        return None
    part = orjson.loads(checkpoint.body)["sources"].get(name)
    return Position(*part["until"]) if part and part["until"] else None


def signing_key() -> Ed25519PrivateKey:
    """The installation's, made at the first call and readable by its owner only."""
    path = Path(settings.RACECARD_CHECKPOINT_KEY)
    if not path.exists():
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_text(Ed25519PrivateKey.generate().private_bytes_raw().hex())
        try:
            os.link(fresh, path)  # whole or not at all, and never over another's
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(path.read_text().strip()))


def public_key(key: Ed25519PrivateKey | None = None) -> str:
    """Hex of the Ed25519 public key by which the installation's checkpoints are known."""
    return (key or signing_key()).public_key().public_bytes_raw().hex()


# --- publishing ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint as a file holds it: enough to check its signature and to compare it with the database's."""

    number: int
    body: str
    hash: str
    signature: str
    key: str

    def document(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "body": self.body,
            "hash": self.hash,
            "signature": self.signature,
            "key": self.key,
        }

    def fault(self) -> str | None:
        """Why it cannot be what was signed; None if it can."""
        if merkle.leaf_hash(self.body.encode()).hex() != self.hash:
            return "the hash is not that of the body"
        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key)).verify(
                bytes.fromhex(self.signature), self.body.encode()
            )
        except (InvalidSignature, ValueError):
            return "the signature does not fit"
        return None


def published(checkpoint: Checkpoint) -> Published:
    return Published(
        checkpoint.number,
        bytes(checkpoint.body).decode(),
        checkpoint.hash,
        checkpoint.signature,
        checkpoint.key,
    )


def export(since: int = 0) -> Iterator[dict[str, Any]]:
    """All checkpoints behind number `since` as JSON documents, to be kept out of the database owner's reach."""
    # Without the leaves, which are by far the most of a checkpoint and are not published.
    wanted = Checkpoint.objects.filter(number__gt=since).defer("leaves").order_by("number")
    for checkpoint in wanted.iterator(chunk_size=20):
        yield published(checkpoint).document()


def parse(document: Any) -> Published:
    """Raises ValueError unless it is one checkpoint as `export` writes them."""
    try:
        number, texts = document["number"], [document[name] for name in ("body", "hash", "signature", "key")]
    except (KeyError, TypeError):
        raise ValueError("this is no exported checkpoint") from None
    if type(number) is not int or not all(isinstance(text, str) for text in texts):
        raise ValueError("this is no exported checkpoint")
    return Published(number, *texts)


# --- verifying -----------------------------------------------------------------------------------------


def verify(*, after: int = 0, until: int | None = None) -> Iterator[tuple[int, Fault | None]]:
    """Recompute every checkpoint from the tables: how many were looked at so far, and each fault.

    Of a part of them: those behind number `after` (which is taken as it stands), up to and with `until`.
    """
    trusted, previous, number = public_key(), GENESIS, after
    if after:
        previous = Checkpoint.objects.values_list("hash", flat=True).get(pk=after)
    wanted = Checkpoint.objects.filter(number__gt=after).order_by("number")
    if until is not None:
        wanted = wanted.filter(number__lte=until)
    for count, checkpoint in enumerate(wanted.iterator(chunk_size=20), start=1):
        yield count, None
        if checkpoint.number != number + 1:
            yield count, Fault(f"checkpoint {number + 1} is missing", checkpoint=checkpoint.number)
        for fault in _faults(checkpoint, previous, trusted):
            yield count, fault
        previous, number = checkpoint.hash, checkpoint.number


def verify_against(known: Published) -> Fault | None:
    """Whether the database still holds a checkpoint that was published, as it was published."""
    if why := known.fault():
        return Fault(f"the published checkpoint is damaged: {why}", checkpoint=known.number)
    held = Checkpoint.objects.filter(number=known.number).first()
    if held is None:
        return Fault("it was published, and the database is older than it", checkpoint=known.number)
    if held.hash != known.hash:
        return Fault("another one was published under this number", checkpoint=known.number)
    return None


def _faults(checkpoint: Checkpoint, previous: str, trusted: str) -> Iterator[Fault]:
    def fault(why: str) -> Fault:
        return Fault(why, checkpoint=checkpoint.number)

    if why := published(checkpoint).fault():
        yield fault(why)
        return
    if checkpoint.key != trusted:
        yield fault(f"it is signed by {checkpoint.key}, which is not this installation's key")
    body = orjson.loads(checkpoint.body)
    if body["number"] != checkpoint.number or body["previous"] != previous:
        yield fault("it does not follow the one before")
    kept = _kept(checkpoint)
    for name, part in sorted(body["sources"].items()):
        signed, kept = kept[: part["leaves"]], kept[part["leaves"] :]
        if name not in _sources:
            yield fault(f"it covers {name}, of which this installation knows nothing")
        elif different := _difference(name, part, signed):
            yield Fault(different.why, different.stream, different.version, checkpoint.number)


class _Kept(NamedTuple):
    """What is kept of a leaf beside the checkpoint. The signed root proves the hashes; the ids only serve to name."""

    hash: bytes
    id: UUID

    @classmethod
    def of(cls, leaf: Leaf) -> _Kept:
        return cls(merkle.leaf_hash(leaf.content), leaf.id)


def _kept(checkpoint: Checkpoint) -> list[_Kept]:
    joined = bytes(checkpoint.leaves)
    return [
        _Kept(joined[at : at + 32], UUID(bytes=joined[at + 32 : at + 48]))
        for at in range(0, len(joined) - 47, 48)
    ]


def _difference(name: str, part: dict[str, Any], signed: list[_Kept]) -> Fault | None:
    """How the tables differ from what one source had added when the checkpoint was signed."""
    after = Position(*part["after"]) if part["after"] else None
    leaves = list(_sources[name].leaves(after, Position(*part["until"]))) if part["until"] else []
    hashes = [merkle.leaf_hash(leaf.content) for leaf in leaves]
    if merkle.root(hashes).hex() == part["root"]:
        return None
    known = {leaf.hash for leaf in signed}
    for leaf, hash in zip(leaves, hashes, strict=True):
        if hash not in known:
            return _fault(name, leaf.id, leaf.version, "this is not what was signed")
    standing = set(hashes)
    for gone in signed:
        if gone.hash not in standing:
            return _fault(name, gone.id, None, "what was signed is gone")
    return Fault(f"{name}: what it covers is not what was signed")


def _fault(source: str, id: UUID, version: int | None, why: str) -> Fault:
    if source == "streams":
        return Fault(why, id, version)
    return Fault(f"{source} {id}: {why}")
