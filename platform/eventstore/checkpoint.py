"""Checkpoints: signed statements of everything that stood at a moment, each holding the hash of the one
before.

A checkpoint has a Merkle root over the heads of the streams that moved since the last, and one over what
each other registered source (the ledger) has added. Whoever keeps one, or only its hash, can tell later
whether anything that it covers was changed, be it by the owner of the database. What is newer than the last
published checkpoint is not protected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import orjson
from django.db import IntegrityError, transaction

from eventstore import keys, merkle, store
from eventstore.chain import GENESIS, canonical, format_at
from eventstore.inclusion import head_leaf
from eventstore.keys import public_key, signing_key
from eventstore.models import Checkpoint
from eventstore.published import FORMAT, Published, handover_text, link_fault, parse
from eventstore.store import Position
from eventstore.verify import MOST_FAULTS, Fault

__all__ = ["Published", "parse", "public_key", "signing_key"]

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
            yield Leaf(head_leaf(str(stream), version, hash), stream, version)


_sources: dict[str, LeafSource] = {"streams": StreamHeads()}


def register_leaves(name: str, source: LeafSource) -> None:
    """Have every checkpoint cover what `source` adds. Called when an app is ready."""
    _sources[name] = source


# --- making --------------------------------------------------------------------------------------------


def make(now: datetime) -> Checkpoint | None:
    """Sign what was added since the last checkpoint; None if that is nothing.

    Two processes that do so at once make one checkpoint. After a long pause, call it until it answers None.
    Raises keys.WrongKey where the installation holds another key than the one that has to sign.
    """
    last = latest()
    key = keys.to_sign(published(last).signer_next) if last else signing_key()
    parts, kept = _added(last)
    if not kept:
        return None
    return _sign(key, last, parts, kept, now) or latest()


def hand_over(now: datetime) -> Checkpoint:
    """Begin a new key, which the present one names and signs in a checkpoint of its own; the present one is destroyed.

    Raises keys.WrongKey where the present key is lost.
    """
    while True:
        last = latest()
        old = keys.to_sign(published(last).signer_next) if last else signing_key()
        parts, kept = _added(last)
        number, previous = (last.number + 1, last.hash) if last else (1, GENESIS)
        new = keys.next_key()
        consent = new.sign(handover_text(public_key(old), public_key(new), number, previous)).hex()
        word = {"next_key": {"key": public_key(new), "consent": consent}}
        if made := _sign(old, last, parts, kept, now, word):
            keys.to_sign(public_key(new))
            return made


def declare_lost(now: datetime) -> Checkpoint | None:
    """Go on with the key that the installation holds, where the one that had to sign is lost; None if it is not.

    The checkpoint says so, for good: nobody who trusts the lost key alone has any reason to trust this one.
    """
    last = latest()
    key = signing_key()
    if last is None or public_key(key) == (expected := published(last).signer_next):
        return None
    parts, kept = _added(last)
    return _sign(key, last, parts, kept, now, {"lost_key": expected})


def _added(last: Checkpoint | None) -> tuple[dict[str, Any], list[KeptLeaf]]:
    """What each source has added since: as it is signed, and the leaves to be kept beside."""
    parts, kept = {}, []
    for name, source in sorted(_sources.items()):
        after = _reached(last, name)
        until = source.until(after, MOST_LEAVES)
        reached = until or after
        leaves = [KeptLeaf.of(leaf) for leaf in source.leaves(after, until)] if until else []
        parts[name] = {
            "after": list(after) if after else None,
            "until": list(reached) if reached else None,
            "leaves": len(leaves),
            "root": merkle.root(leaf.hash for leaf in leaves).hex(),
        }
        kept += leaves
    return parts, kept


def _sign(
    key: keys.Private,
    last: Checkpoint | None,
    parts: Mapping[str, Any],
    kept: Iterable[KeptLeaf],
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
            "sources": parts,
            **(word or {}),
        }
    )
    made = Checkpoint(
        number=number,
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
    # The last that each key signed, found by the index alone: there are many checkpoints and few keys.
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


def export(since: int = 0) -> Iterator[dict[str, Any]]:
    """All checkpoints behind number `since` as JSON documents, to be kept out of the database owner's reach."""
    # Without the leaves, which are by far the most of a checkpoint and are not published.
    wanted = Checkpoint.objects.filter(number__gt=since).defer("leaves").order_by("number")
    for checkpoint in wanted.iterator(chunk_size=20):
        yield published(checkpoint).document()


# --- verifying -----------------------------------------------------------------------------------------


def verify(*, after: int = 0, until: int | None = None) -> Iterator[tuple[int, Fault | None]]:
    """Recompute every checkpoint from the tables: how many were looked at so far, and each fault.

    Of a part of them: those behind number `after` (which is taken as it stands), up to and with `until`.
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
            yield count, Fault(wrong, checkpoint=this.number)
        for different in _differences(checkpoint, this) if why is None else ():
            yield count, different
        last = _Looked(this, whole=why is None)
    if fault := _signer_fault(last):
        yield count, fault


def _signer_fault(last: _Looked) -> Fault | None:
    """Whether the newest checkpoint leaves the signing to the key that the installation holds."""
    newest = last.checkpoint
    if newest is None or not last.whole or Checkpoint.objects.filter(number__gt=newest.number).exists():
        return None
    if newest.signer_next == public_key():
        return None
    why = f"{newest.signer_next} signs from here on, which is not this installation's key"
    return Fault(why, checkpoint=newest.number)


class _Looked(NamedTuple):
    checkpoint: Published | None
    whole: bool


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


def _place_faults(this: Published, last: _Looked, why: str | None) -> Iterator[str]:
    """Why it is not whole, if so; else why it does not stand behind the one before, if that one is whole."""
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
    """How the tables differ from what it covers."""
    parts = this.content["sources"]
    for name, part in sorted(parts.items()):
        if name not in _sources:
            why = f"it covers {name}, of which this installation knows nothing"
            yield Fault(why, checkpoint=this.number)
            continue
        signed = leaves_of(checkpoint, parts, name)
        for different in islice(_difference(name, part, signed), MOST_FAULTS):
            yield Fault(different.why, different.stream, different.version, this.number)


class KeptLeaf(NamedTuple):
    """What is kept of a leaf beside the checkpoint. The signed root proves the hashes; the ids only serve to name."""

    hash: bytes
    id: UUID

    @classmethod
    def of(cls, leaf: Leaf) -> KeptLeaf:
        return cls(merkle.leaf_hash(leaf.content), leaf.id)


def leaves_of(checkpoint: Checkpoint, parts: Mapping[str, Any], name: str) -> list[KeptLeaf]:
    """Those of one source, as kept beside the checkpoint; `parts` is what it says of its sources.

    They stand one behind the other, in the order of the sources' names.
    """
    before = sum(part["leaves"] for other, part in parts.items() if other < name)
    joined = memoryview(checkpoint.leaves)[48 * before : 48 * (before + parts[name]["leaves"])]
    return [
        KeptLeaf(bytes(joined[at : at + 32]), UUID(bytes=bytes(joined[at + 32 : at + 48])))
        for at in range(0, len(joined) - 47, 48)
    ]


def _difference(name: str, part: dict[str, Any], signed: list[KeptLeaf]) -> Iterator[Fault]:
    """How the tables differ from what one source had added when the checkpoint was signed."""
    after = Position(*part["after"]) if part["after"] else None
    leaves = list(_sources[name].leaves(after, Position(*part["until"]))) if part["until"] else []
    hashes = [merkle.leaf_hash(leaf.content) for leaf in leaves]
    if merkle.root(hashes).hex() == part["root"]:
        if hashes != [leaf.hash for leaf in signed]:
            yield Fault(f"{name}: the leaves kept beside it are not those that were signed")
        return
    known, standing = {leaf.hash for leaf in signed}, set(hashes)
    changed = [leaf for leaf, hash in zip(leaves, hashes, strict=True) if hash not in known]
    named = {leaf.id for leaf in changed}
    gone = [leaf for leaf in signed if leaf.hash not in standing and leaf.id not in named]
    if not changed and not gone:
        yield Fault(f"{name}: what it covers is not what was signed")
    for leaf in changed:
        yield _fault(name, leaf.id, leaf.version, "this is not what was signed")
    for missing in gone:
        yield _fault(name, missing.id, None, "what was signed is gone")


def _fault(source: str, id: UUID, version: int | None, why: str) -> Fault:
    if source == "streams":
        return Fault(why, id, version)
    return Fault(f"{source} {id}: {why}")
